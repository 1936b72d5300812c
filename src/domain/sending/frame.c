/* Event streams: the audience and the frames of an event.
 *
 * Called by the process that holds streams, once for each event and stream, and
 * by the doors for the position of a stream. Uses no clock, database or state:
 * frames are made from the event alone. */
#include "domain/sending/frame.h"

#include "domain/intent/event.h"
#include "domain/intent/reach.h"
#include "domain/question/ending.h"

#define NEW_STATE_MAX ((size_t)128 << 10)

/* ---- sorts of events ------------------------------------------------- */

enum sort {
    PLAIN,
    ASSIGNED,   /* names the agent that it is about */
    CHANGE,     /* of an intent, for the agents assigned to it */
    COMPLETION, /* the same, and may take a question back */
    QUESTION    /* about a question */
};

static const struct {
    const char *type;
    enum sort sort;
    const char *change; /* for the inbox; NULL: none */
} sorts[] = {
    {"agent_assigned", ASSIGNED, NULL},
    {"agent_unassigned", ASSIGNED, NULL},
    {"coordinator.stalled", ASSIGNED, NULL},
    {"status_changed", COMPLETION, "cancelled"},
    {"state_patched", CHANGE, NULL},
    {"lease_acquired", CHANGE, NULL},
    {"lease_released", CHANGE, NULL},
    {"intent.suspended", QUESTION, "asked"},
    {"intent.resumed", QUESTION, "answered"},
    {"intent.suspension_expired", QUESTION, "expired"},
    {"intent.suspension_renotified", QUESTION, "reminded"},
    {"intent.suspension_escalated", QUESTION, "escalated"},
};

/* The row of a type; countof(sorts) for a plain one. */
static size_t frame_row_of(struct str type)
{
    size_t i = 0;
    while (i < countof(sorts) && !str_is(type, sorts[i].type))
        i++;
    return i;
}

static enum sort frame_sort_of(struct str type)
{
    const size_t i = frame_row_of(type);
    return i < countof(sorts) ? sorts[i].sort : PLAIN;
}

/* The event as an object; NULL where the bytes are none. */
static struct json *frame_event_of(struct arena *a,
                                   const struct frame_event *e)
{
    struct json *o = NULL;
    if (json_parse(a, e->canonical, &o) || !json_is(o, JSON_OBJECT))
        return NULL;
    return o;
}

/* The question that the event is about; p NULL: none. A change of status is
 * about one only where it takes it back. */
static struct str frame_question_of(struct arena *a,
                                    const struct frame_event *e)
{
    const enum sort sort = frame_sort_of(e->type);
    if (sort != QUESTION && sort != COMPLETION)
        return STR_NONE;
    const struct json *payload = json_get(frame_event_of(a, e), "payload");
    if (sort == COMPLETION &&
        !str_is(json_get_text(payload, "reason"), "cancelled"))
        return STR_NONE;
    return json_get_text(payload, "suspension_id");
}

struct str frame_decides(struct arena *a, const struct frame_event *e)
{
    static const char *const ends[] = {"status_changed", "intent.resumed",
                                       "intent.suspension_expired"};
    for (size_t i = 0; i < countof(ends); i++) {
        if (str_is(e->type, ends[i]))
            return frame_question_of(a, e);
    }
    return STR_NONE;
}

/* ---- audience -------------------------------------------------------- */

/* Is the intent closed to the agent? */
static bool frame_shut(const struct json *watched, struct str agent)
{
    return json_bool(json_get(watched, "closed")) &&
           !json_lists_text(json_get(watched, "agents"), agent);
}

/* Tests go to test keys, and what is real to real ones. */
static bool frame_same_sort(const struct json *watched,
                            struct reach_parts reader)
{
    return reader.agent.n == 0 ||
           json_bool(json_get(watched, "test")) == reader.test;
}

/* A member's events; and the one by which it has left, which only readers
 * without a limit of reach get. */
static bool frame_to_portfolio(struct arena *a, const struct frame_event *e,
                               struct reach_parts reader)
{
    const struct json *watched = json_read(a, e->watched);
    const struct str agent = reader.agent;
    const bool own = agent.n > 0 && !reader.all;
    if (!frame_same_sort(watched, reader) ||
        (agent.n > 0 && frame_shut(watched, agent)))
        return false;
    if (json_lists_text(json_get(watched, "portfolios"), e->portfolio_id))
        return !own || json_lists_text(json_get(watched, "agents"), agent);
    return !own && str_is(e->type, "removed_from_portfolio") &&
           str_eq(json_get_text(json_get(frame_event_of(a, e), "payload"),
                                "portfolio_id"),
                  e->portfolio_id);
}

/* A person who listens for an agent is no reader of a sort. */
static bool frame_to_agent(struct arena *a, const struct frame_event *e,
                           struct reach_parts reader)
{
    const struct str agent = reader.agent;
    if (!reader.all && !frame_same_sort(json_read(a, e->watched), reader))
        return false;
    switch (frame_sort_of(e->type)) {
    case ASSIGNED:
        return str_eq(json_get_text(json_get(frame_event_of(a, e), "payload"),
                                    "agent_id"),
                      agent) &&
               (str_is(e->type, "agent_unassigned") ||
                !frame_shut(json_read(a, e->watched), agent));
    case CHANGE:
    case COMPLETION:
        return json_lists_text(json_read(a, e->agents), agent);
    case PLAIN:
    case QUESTION: /* the SDK would run its hooks a second time */
    default:
        return false;
    }
}

bool frame_goes(struct arena *a, const struct frame_event *e,
                enum frame_audience to, struct str agent)
{
    switch (to) {
    case FRAME_INTENT:
        return agent.n == 0 || !frame_shut(json_read(a, e->watched), agent);
    case FRAME_AGENT:
        return frame_to_agent(a, e, reach_parts(agent));
    case FRAME_INBOX:
        return frame_question_of(a, e).p != NULL;
    case FRAME_PORTFOLIO:
        return frame_to_portfolio(a, e, reach_parts(agent));
    case FRAME_AUDIENCE__MAX:
    default:
        return false;
    }
}

/* ---- writing -------------------------------------------------------- */

struct writing {
    struct arena *a;
    struct buf *b;
    const struct frame_event *e;
    enum frame_audience to;
    size_t skip, written;
};

/* JSON on one line, also for readers that split lines at more than \n: the SDK
 * splits at three characters that JSON leaves unescaped, and text of an agent
 * after one would be read as a frame of the server. */
static void frame_put_line(struct buf *b, struct str json)
{
    static const struct {
        const char *bytes, *escape;
    } ends[] = {{"\xC2\x85", "\\u0085"},
                {"\xE2\x80\xA8", "\\u2028"},
                {"\xE2\x80\xA9", "\\u2029"}};
    size_t done = 0;
    for (size_t i = 0; i < json.n; i++) {
        if ((unsigned char)json.p[i] < 0x80)
            continue;
        for (size_t k = 0; k < countof(ends); k++) {
            const struct str end = str_of(ends[k].bytes);
            if (!str_starts(str_sub(json, i, json.n), end))
                continue;
            buf_str(b, str_sub(json, done, i));
            buf_put(b, ends[k].escape);
            done = i + end.n;
        }
    }
    buf_str(b, str_sub(json, done, json.n));
}

/* The last frame of an event has the event's id, those before it a part. */
static void frame_put_frame(struct writing *w, struct str type,
                            struct str data, bool last)
{
    if (++w->written <= w->skip)
        return;
    buf_put(w->b, "event: ");
    buf_str(w->b, type);
    buf_put(w->b, "\nid: ");
    frame_id_epoch(w->b, w->e->epoch);
    if (w->to != FRAME_INTENT) {
        buf_str(w->b, w->e->cursor);
        buf_char(w->b, '.');
        buf_str(w->b, w->e->intent_id);
        buf_char(w->b, '.');
    }
    buf_int(w->b, w->e->sequence);
    if (!last) {
        buf_char(w->b, '.');
        buf_int(w->b, (int64_t)w->written);
    }
    buf_put(w->b, "\ndata: ");
    frame_put_line(w->b, data);
    buf_put(w->b, "\n\n");
}

static struct str frame_dump(struct arena *a, const struct json *o)
{
    return json_dump(a, o, FRAME_MAX);
}

/* ---- the dispatcher's frames ---------------------------------------- */

/* Copies members that are present. */
static void frame_take(struct json *to, const struct json *from,
                       const char *names)
{
    struct str rest = str_of(names);
    while (rest.p) {
        const struct str name = str_cut(&rest, ' ');
        const struct json *v = json_get_str(from, name);
        if (v)
            json_set_key(to, name, v);
    }
}

/* Puts the member of the state that a path leads to: its value where the path
 * is the member itself, else null. */
static void frame_changed(struct json *state, struct str path,
                          const struct json *value, bool set)
{
    struct str rest = path, member = STR_NONE;
    bool whole = true;
    while (rest.p && whole) {
        const struct str part = str_cut(&rest, '/');
        if (part.n > 0) {
            whole = !member.p;
            member = whole ? part : member;
        }
    }
    if (member.p && !str_is(member, "_suspension"))
        json_set_key(state, member, set && whole ? value : NULL);
}

/* The members that a patch changed, with the values that were set; null where
 * the event does not have the member's new value. The question's record is
 * written by the server and never among them. */
static struct json *frame_new_state(struct arena *a,
                                    const struct json *payload)
{
    const struct json *list = json_get(payload, "patches");
    const struct json *merge = json_get(payload, "state");
    struct json *state = json_object(a);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *p = json_at(list, i);
        frame_changed(state, json_get_text(p, "path"), json_get(p, "value"),
                      str_is(json_get_text(p, "op"), "set"));
    }
    for (struct json_iter i = json_iter(merge); json_next(&i);)
        frame_changed(state, i.key, i.value, true);
    if (json_dump(a, state, NEW_STATE_MAX).p)
        return state;
    for (struct json_iter i = json_iter(state); json_next(&i);)
        json_set_key(state, i.key, NULL);
    return state;
}

/* The frame of the SDK's dispatcher, its type in *type; NULL: there is none. It
 * has the members that the SDK's handlers read. */
static struct json *frame_dispatched(struct arena *a,
                                     const struct frame_event *e,
                                     const struct json *event,
                                     const char **type)
{
    const struct json *payload = json_get(event, "payload");
    struct json *o = json_object(a), *state = NULL;
    json_set_text(o, "intent_id", e->intent_id);
    json_set_int(o, "sequence", e->sequence);
    if (str_is(e->type, "agent_assigned")) {
        *type = "AGENT_ASSIGNED";
        frame_take(o, payload, "agent_id reason retry_attempt delegated_by "
                               "last_error");
        json_set_text(o, "assigned_by", json_get_text(event, "actor"));
    } else if (str_is(e->type, "coordinator.stalled")) {
        *type = "ESCALATION_REQUIRED";
        frame_take(o, payload, "coordinator_id agent_id suspended_intent_id "
                               "suspension_id escalated_to");
    } else if (str_is(e->type, "status_changed")) {
        const enum intent_status to = vocabulary_intent_status_of(
            json_get_text(payload, "new_status"));
        *type = to == INTENT_COMPLETED ? "INTENT_COMPLETED" : "STATUS_CHANGED";
        frame_take(o, payload, "old_status new_status reason");
    } else if (str_is(e->type, "lease_released")) {
        *type = "LEASE_RELEASED";
        frame_take(o, payload, "scope lease_id agent_id");
    } else if (str_is(e->type, "state_patched")) {
        state = frame_new_state(a, payload);
        *type = "STATE_CHANGED";
        json_set_json(o, "old_state", json_object(a));
        json_set_json(o, "new_state", state);
        return json_count(state) ? o : NULL;
    } else {
        return NULL;
    }
    return o;
}

/* ---- the event's own frame ------------------------------------------ */

/* Adds members to the event's own, which are never replaced. */
static void frame_lift(struct json *o, const struct json *from)
{
    for (struct json_iter i = json_iter(from); json_next(&i);) {
        if (!json_has(o, i.key.p))
            json_set_key(o, i.key, i.value);
    }
}

/* The record of a question at the top, where the SDK reads it; id is then the
 * question's, as in the record. */
static void frame_lift_record(struct arena *a, struct json *o,
                              const struct frame_event *e)
{
    const struct str id = json_get_text(json_get(o, "payload"),
                                        "suspension_id");
    struct json *record = NULL;
    if (e->record.p && !json_parse(a, e->record, &record))
        frame_lift(o, record);
    json_set_json(o, "event_id", json_get(o, "id"));
    json_set_text(o, "id", id.p ? id : STR(""));
}

/* NULL for an event whose data is the plain event. */
static struct json *frame_opened(struct arena *a, const struct frame_event *e,
                                 struct json *o)
{
    const struct json *payload = json_get(o, "payload");
    if (!o)
        return NULL;
    json_set_text(o, "event_hash", e->hash);
    if (str_is(e->type, "intent.suspended")) {
        frame_lift_record(a, o, e);
    } else if (str_is(e->type, "intent.suspension_expired")) {
        frame_lift(o, payload);
        json_set_text(o, "resolution",
                      ending_abandons(json_get_text(payload, "reason")).p
                          ? STR("cancelled")
                          : STR("expired"));
        if (json_has(payload, "fallback_value"))
            json_set_json(o, "response", json_get(payload, "fallback_value"));
        frame_lift_record(a, o, e);
    } else if (str_is(e->type, "intent.resumed") ||
               str_is(e->type, "engagement.decision")) {
        frame_lift(o, payload);
    } else if (str_is(e->type, "access_requested")) {
        json_set_json(o, "request", payload);
    } else {
        return NULL;
    }
    return o;
}

/* The data with the portfolio's id at the top, for its stream. */
static struct str frame_member_data(const struct writing *w, struct str data)
{
    if (w->to != FRAME_PORTFOLIO)
        return data;
    return arena_join(w->a, STR("{\"portfolio_id\":\""), w->e->portfolio_id,
                      STR("\","), str_sub(data, 1, data.n));
}

/* Of an event whose bytes a rule of retention erased, what is left of it. */
static struct json *frame_erased(struct arena *a, const struct frame_event *e)
{
    struct json *o = json_object(a);
    json_set_text(o, "event_hash", e->hash);
    json_set_text(o, "intent_id", e->intent_id);
    json_set_text(o, "event_type", e->type);
    json_set_int(o, "sequence", e->sequence);
    json_set_json(o, "payload", json_object(a));
    json_set_bool(o, "erased", true);
    return o;
}

size_t frame_write(struct arena *a, struct buf *b,
                   const struct frame_event *e, enum frame_audience to,
                   size_t skip)
{
    struct writing w = {.a = a, .b = b, .e = e, .to = to, .skip = skip};
    if (to == FRAME_INBOX) {
        const size_t row = frame_row_of(e->type);
        struct json *o = json_object(a);
        json_set_text(o, "intent_id", e->intent_id);
        json_set_text_or_null(o, "suspension_id", frame_question_of(a, e));
        json_set_text(o, "change",
                      str_of(row < countof(sorts) ? sorts[row].change : NULL));
        frame_put_frame(&w, STR("suspension"), frame_dump(a, o), true);
        return w.written;
    }
    if (e->canonical.n == 0) {
        frame_put_frame(&w, e->type,
                        frame_member_data(
                            &w, frame_dump(a, frame_erased(a, e))),
                        true);
        return w.written;
    }
    struct json *event = frame_event_of(a, e);
    const char *type = NULL;
    const struct json *o = frame_dispatched(a, e, event, &type);
    if (o)
        frame_put_frame(&w, str_of(type),
                        frame_member_data(&w, frame_dump(a, o)), false);
    struct buf own = buf_make(a, FRAME_MAX);
    o = frame_opened(a, e, event);
    if (o)
        buf_str(&own, frame_dump(a, o));
    else
        event_write(&own, e->canonical, e->hash);
    frame_put_frame(&w, e->type, frame_member_data(&w, buf_text(&own)), true);
    return w.written;
}

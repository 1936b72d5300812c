/* Events: listing, posting, verifying the chain. */
#include "base/json/fields.h"
#include "doors/api/api.h"
#include "store/intent/events.h"
#include "store/intent/intents.h"
#include "store/intent/leases.h"
#include "work/policy.h"

#define TRACE_MAX 200

static void event_put(struct arena *a, struct buf *b, struct str intent_id,
                      const struct event *e)
{
    if (e->rule.p)
        json_write(b, event_erased(a, intent_id, e));
    else
        event_write(b, e->canonical, e->hash);
}

static struct str event_text(struct arena *a, struct str intent_id,
                             const struct event *e)
{
    struct buf b = buf_make(a, EVENT_CANONICAL_MAX + 256);
    event_put(a, &b, intent_id, e);
    return buf_text(&b);
}

/* ---- listing -------------------------------------------------------- */

const struct err *api_event_list(struct call *c)
{
    struct events_page page = {
        .intent_id = c->param[0],
        .type = request_query(c->rq, "event_type"),
        .since = call_query_time(c, "since", 0),
        .before = call_query_int(c, "before", 0),
        .limit = call_query_int(c, "limit", 100),
        .offset = call_query_int(c, "offset", 0)};
    struct event_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(events_list(c->pg, c->a, &page, &rows));
    struct buf b = buf_make(c->a, RESPONSE_BODY_MAX);
    buf_char(&b, '[');
    for (size_t k = 0; k < rows.n; k++) {
        buf_put(&b, k ? "," : "");
        event_put(c->a, &b, i.id, &rows.v[k]);
    }
    buf_char(&b, ']');
    response_json_buf(c->rs, 200, &b);
    /* The body is a bare list for OpenIntent's clients. */
    if (rows.more)
        response_header(c->rs, "X-Next-Before",
                        arena_number(c->a, rows.v[rows.n - 1].sequence));
    return NULL;
}

const struct err *api_event_get(struct call *c)
{
    struct event_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(events_find(c->pg, c->a, i.id, c->param[1], &rows));
    if (rows.n == 0)
        return ERROR(ERR_NOT_FOUND, "event.unknown",
                     "The intent has no event with this id.");
    response_json_text(c->rs, 200, event_text(c->a, i.id, &rows.v[0]));
    return NULL;
}

/* ---- posting -------------------------------------------------------- */

struct posted_event {
    struct str type, trace_id, parent_event_id;
    const struct json *payload;
};

static const struct err *event_read_body(struct call *c,
                                         struct posted_event *out)
{
    struct fields f = fields(c->a, c->body, STR(""));
    struct str actor; /* known, and replaced by the caller's name */
    fields_only(&f, "event_type actor payload trace_id parent_event_id "
                    "intent_id id created_at proof");
    fields_need(&f, "event_type");
    fields_text(&f, "event_type", 80, &out->type);
    fields_text(&f, "actor", TRACE_MAX, &actor);
    fields_json(&f, "payload", JSON_OBJECT, &out->payload);
    fields_text(&f, "trace_id", TRACE_MAX, &out->trace_id);
    fields_text(&f, "parent_event_id", TRACE_MAX, &out->parent_event_id);
    if (!f.e && !event_type_known(out->type))
        fields_wrong(&f, "event_type", "event.type",
                     "There is no event type with this name.");
    if (!out->payload)
        out->payload = json_object(c->a);
    if (!f.e && event_payload_reserved(out->type, out->payload))
        fields_wrong(&f, "payload", "event.reserved",
                     "Only the server writes events about its permits. Leave "
                     "out \"permit_id\" and \"redemption_id\".");
    return fields_error(&f);
}

/* The reminder of the posted attempt; else, because the clocks of agent and
 * server differ, the newest one of the question; else the event of the question
 * itself. */
static const struct err *event_find_reminder(struct call *c,
                                             const struct work *w,
                                             const struct posted_event *p,
                                             struct event_rows *out)
{
    const struct events_page page = {.intent_id = w->intent.id,
                                     .type = p->type,
                                     .limit = SUSPENSION_ATTEMPTS_MAX};
    const struct json *attempt = json_get(p->payload, "attempt");
    struct event_rows rows;
    TRY(events_list(c->pg, c->a, &page, &rows));
    for (size_t i = 0; i < rows.n; i++) {
        const struct json *own = json_read(
            c->a, json_raw_member(c->a, rows.v[i].canonical, STR("payload")));
        if (!str_eq(json_get_text(own, "suspension_id"), w->suspension.id))
            break;
        if (i == 0 || json_equal(json_get(own, "attempt"), attempt))
            *out = (struct event_rows){.v = &rows.v[i], .n = 1};
    }
    return NULL;
}

/* The SDK also posts events that the server has recorded itself: the stored one
 * is the answer, and no second one is stored. */
static const struct err *event_answer_echo(struct call *c,
                                           const struct work *w,
                                           const struct posted_event *p)
{
    const struct str id = json_get_text(p->payload, "suspension_id");
    struct event_rows rows = {.n = 0};
    if (!w->has_suspension || !str_eq(w->suspension.id, id))
        return ERROR(ERR_CONFLICT, "event.servers_own",
                     "The event is about a question of another intent. Only "
                     "the server writes it.");
    if (!str_is(p->type, "intent.suspended"))
        TRY(event_find_reminder(c, w, p, &rows));
    if (rows.n == 0)
        TRY(events_get(c->pg, c->a, w->intent.id,
                       w->suspension.asked_sequence, &rows));
    if (rows.n == 0)
        return ERROR(ERR_INTERNAL, "internal", "The event is missing.");
    response_json_text(c->rs, 200,
                       event_text(c->a, w->intent.id, &rows.v[0]));
    return NULL;
}

static const struct err *event_add(struct call *c, struct work *w,
                                   const struct posted_event *p)
{
    const struct event_draft d = {
        .type = arena_z(c->a, p->type),
        .by = event_by(&c->who),
        .payload = p->payload,
        .trace_id = p->trace_id,
        .parent_event_id = p->parent_event_id};
    return event_append(c->a, w->intent.id, &d, w->now, &w->intent.tail,
                        &w->events);
}

static const struct err *event_delegate(struct call *c, struct work *w,
                                        struct posted_event *p)
{
    const struct str agent = json_get_text(p->payload, "agent_id");
    const struct json *given = json_get(p->payload, "payload");
    struct json *o = json_object(c->a);
    if (!principal_agent_name_new(agent))
        return err_at(c->a, ERR_INVALID, "agent.name",
                      STR("payload.agent_id"),
                      "This is not a valid agent name.");
    TRY(policy_assign(w, agent, "payload.agent_id"));
    leases_queue_assign(
        c->pg, c->a,
        &(struct assignment){.intent_id = w->intent.id,
                             .agent_id = agent,
                             .assigned_at = w->now,
                             .assigned_by = principal_actor(&c->who)});
    json_set_text(o, "agent_id", agent);
    json_set_text(o, "delegated_by", principal_actor(&c->who));
    json_set_json(o, "payload", given ? given : json_object(c->a));
    p->payload = o;
    return event_add(c, w, p);
}

const struct err *api_event_post(struct call *c)
{
    struct posted_event p = {.payload = NULL};
    struct work w;
    TRY(call_body_once(c));
    TRY(event_read_body(c, &p));
    const bool echo = event_type_echoed(p.type);
    /* OpenIntent's client delegates by this event: posted by an agent with an
     * agent_id it is the assignment. */
    const bool delegated = c->who.role == ROLE_AGENT &&
                           str_is(p.type, "agent_assigned") &&
                           json_get_text(p.payload, "agent_id").n > 0;
    if (!echo && !delegated && !event_type_postable(p.type, c->who.role))
        return ERROR(ERR_FORBIDDEN, "event.servers_own",
                     "Only the server writes events of this type.");
    if (delegated)
        c->who.needs = ACCESS_ADMIN; /* as for any assignment */
    TRY(call_begin(c, &w, c->param[0]));
    if (w.answered)
        return call_replay(c, &w);
    if (echo)
        return event_answer_echo(c, &w, &p);
    TRY(policy_write(&w));
    TRY(delegated ? event_delegate(c, &w, &p) : event_add(c, &w, &p));
    return call_commit_text(c, &w, 201,
                            event_text(c->a, w.intent.id,
                                       &w.events.v[w.events.n - 1]),
                            false);
}

/* ---- verifying ------------------------------------------------------- */

/* The result for each event, kept while the pages it was read from are
 * freed. */
struct checked_events {
    struct arena *a;
    struct event v[EVENT_SEQUENCE_MAX];
    size_t n;
};

static void event_keep(void *own, const struct event *e)
{
    struct checked_events *k = own;
    if (k->n < countof(k->v))
        k->v[k->n++] = (struct event){.sequence = e->sequence,
                                      .hash = arena_str(k->a, e->hash),
                                      .previous = arena_str(k->a, e->previous),
                                      .rule = arena_str(k->a, e->rule),
                                      .erased_at = e->erased_at};
}

/* Streams the events: as a tree they could be too large. */
static void event_answer_check(struct call *c, struct json *head,
                               const struct checked_events *k, int64_t broken)
{
    struct buf b = buf_make(c->a, RESPONSE_BODY_MAX);
    json_write(&b, head);
    b.n--; /* the closing brace */
    buf_put(&b, ",\"events\":[");
    for (size_t i = 0; i < k->n; i++) {
        const struct event *e = &k->v[i];
        buf_put(&b, i ? "," : "");
        buf_put(&b, "{\"sequence\":");
        buf_int(&b, e->sequence);
        buf_put(&b, ",\"event_hash\":");
        json_write_string(&b, e->hash);
        buf_put(&b, ",\"previous_event_hash\":");
        if (e->previous.p)
            json_write_string(&b, e->previous);
        else
            buf_put(&b, "null");
        if (e->rule.p) {
            buf_put(&b, ",\"erased\":");
            json_write(&b, event_rule(c->a, e));
        }
        buf_put(&b, ",\"verified\":");
        /* After the first broken one every event is in doubt. */
        buf_put(&b, !broken || e->sequence < broken ? "true}" : "false}");
    }
    buf_put(&b, "]}");
    response_json_buf(c->rs, 200, &b);
}

const struct err *api_event_verify(struct call *c)
{
    struct event_check check = {.broken = 0};
    struct json *o = json_object(c->a), *breaks = json_array(c->a);
    struct json *one = json_object(c->a);
    struct checked_events *k = arena_new(c->a, struct checked_events);
    struct intent i, after;
    k->a = c->a;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(events_check_small(c->pg, c->a, i.id, &check, event_keep, k));
    TRY(intents_get(c->pg, c->a, i.id, &after));
    event_check_end(&check, &i.tail, &after.tail);
    json_set_text(o, "intent_id", i.id);
    json_set_int(o, "event_count", (int64_t)k->n);
    json_set_int(o, "first_sequence", k->n ? k->v[0].sequence : 0);
    json_set_int(o, "last_sequence", k->n ? k->v[k->n - 1].sequence : 0);
    json_set_bool(o, "chain_valid", !check.broken);
    if (check.broken) {
        json_set_int(o, "first_broken_sequence", check.broken);
        json_set_text(o, "reason", str_of(check.reason));
        json_set_int(one, "sequence", check.broken);
        json_set_text(one, "reason", str_of(check.reason));
        json_add_json(breaks, one);
    }
    json_set_json(o, "breaks", breaks);
    event_answer_check(c, o, k, check.broken);
    return NULL;
}

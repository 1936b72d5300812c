/* The message to an agent's platform when a question has ended, or a permit
 * was revoked.
 *
 * Called by the store, which puts the text into the deciding transaction. Pure;
 * the recipients are the store's. */
#include "domain/sending/push.h"

#include "base/clock_text.h"

#define EXPIRED "intent_suspension_expired"
#define CANCELLED "intent_suspension_cancelled"
#define RESUMED "intent_resumed"

/* The event types of a person's decision with an effect. */
static const struct {
    enum outcome outcome;
    const char *type;
} decided[] = {
    {OUTCOME_AUTHORIZED, "intent_authorized"},
    {OUTCOME_VETOED, "intent_vetoed"},
    {OUTCOME_CHANGES_REQUESTED, "intent_changes_requested"},
};

const char push_revoked[] = "permit_revoked";
const char push_tested[] = "endpoint_test";

bool push_type_known(struct str type)
{
    for (size_t i = 0; i < countof(decided); i++) {
        if (str_is(type, decided[i].type))
            return true;
    }
    return str_is(type, RESUMED) || str_is(type, EXPIRED) ||
           str_is(type, CANCELLED) || str_is(type, push_revoked);
}

const char *push_type(const struct suspension *s)
{
    if (s->state == SUSPENSION_EXPIRED)
        return EXPIRED;
    if (s->state == SUSPENSION_CANCELLED)
        return CANCELLED;
    for (size_t i = 0; i < countof(decided); i++) {
        if (s->outcome == decided[i].outcome)
            return decided[i].type;
    }
    return RESUMED;
}

/* The names by which the platform finds the session again. */
static struct json *push_data_of(struct arena *a, struct str type,
                                 const struct intent *i)
{
    struct json *data = json_object(a);
    json_set_text(data, "event", type);
    json_set_text(data, "intent_id", i->id);
    json_set_text_or_null(data, "session_id", i->session_id);
    json_set_text_or_null(data, "task_id", i->task_id);
    json_set_text_or_null(data, "turn_id", i->turn_id);
    json_set_text(data, "intent_status",
                  vocabulary_intent_status(i->status)->wire);
    json_set_int(data, "event_sequence", i->tail.sequence);
    return data;
}

static struct str push_body_of(struct arena *a, struct str type, int64_t at,
                               struct json *data)
{
    struct json *o = json_object(a);
    json_set_text(o, "type", type);
    json_set_text(o, "timestamp", clock_rfc3339(a, at));
    json_set_json(o, "data", data);
    return json_dump(a, o, PUSH_BODY_MAX);
}

static struct json *push_ended_data(struct arena *a, const struct intent *i,
                                    const struct suspension *s,
                                    const struct permit *permit)
{
    const bool stranger = s->origin == ORIGIN_ACCESS;
    const int64_t waited = s->responded_at - s->suspended_at;
    const struct intent known = {.id = i->id, .tail = i->tail};
    struct json *data =
        push_data_of(a, str_of(push_type(s)), stranger ? &known : i);
    if (stranger) /* who asks for access may know only the id */
        json_set_json(data, "intent_status", NULL);
    json_set_text(data, "suspension_id", s->id);
    json_set_text(data, "request_id", s->id);
    json_set_text_or_null(data, "kind", kind_words(s->kind)->wire);
    json_set_text(data, "asked_by", s->asked_by);
    if (s->test)
        json_set_bool(data, "test", true);
    json_set_text_or_null(data, "initiator", suspension_initiator(s));
    json_set_text_or_null(data, "outcome",
                          vocabulary_outcome(s->outcome)->wire);
    json_set_read(a, data, "value", s->response);
    json_set_bool(data, "modified", suspension_modified(s));
    json_set_read(a, data, "constraints", s->constraints);
    json_set_json(data, "approved_subject", suspension_approved(a, s));
    json_set_text_or_null(data, "reason", s->reason);
    json_set_text_or_null(data, "responded_by", s->responded_by);
    json_set_text(data, "responded_at", clock_rfc3339(a, s->responded_at));
    json_set_int(data, "waited_seconds", waited / CLOCK_SECOND);
    json_set_bool(data, "stale", waited > PUSH_STALE_AFTER);
    json_set_json(data, "permit", NULL);
    if (permit && permit->granted.p) {
        /* Its handle and details are for the agent alone, which reads them. */
        struct json *o = json_object(a);
        json_set_text(o, "id", permit->id);
        json_set_int(o, "max_uses", permit->terms.max_uses);
        json_set_text(o, "not_after", clock_rfc3339(a, permit->not_after));
        json_set_text(o, "granted_sha256", permit->granted_sha256);
        json_set_json(data, "permit", o);
    }
    return data;
}

struct str push_body(struct arena *a, const struct intent *i,
                     const struct suspension *s, const struct permit *permit)
{
    return push_body_of(a, str_of(push_type(s)), s->responded_at,
                        push_ended_data(a, i, s, permit));
}

struct str push_callback(struct arena *a, const struct intent *i,
                         const struct suspension *s,
                         const struct permit *permit)
{
    if (s->callback_body == CALLBACK_ANSWER)
        return s->response.p ? s->response : STR("null");
    return s->callback_body == CALLBACK_DATA
               ? json_dump(a, push_ended_data(a, i, s, permit), PUSH_BODY_MAX)
               : push_body(a, i, s, permit);
}

struct str push_test_body(struct arena *a, const struct push_test *t)
{
    struct json *data = json_object(a);
    json_set_text(data, "event", str_of(push_tested));
    json_set_text(data, "title", STR("This is a test message."));
    json_set_text(data, "sent_by", t->by);
    json_set_text(data, "url", t->url);
    return push_body_of(a, str_of(push_tested), t->now, data);
}

struct json *push_revoked_payload(struct arena *a,
                                  const struct push_revocation *r)
{
    struct json *o = json_object(a);
    json_set_text(o, "permit_id", r->permit->id);
    json_set_int(o, "used", r->permit->used);
    json_set_bool(o, "late", r->late);
    json_set_text_or_null(o, "reason", r->reason);
    return o;
}

struct str push_revoked_body(struct arena *a, const struct intent *i,
                             const struct push_revocation *r, int64_t now)
{
    struct json *data = push_data_of(a, str_of(push_revoked), i);
    json_set_text_or_null(data, "request_id", r->permit->suspension_id);
    json_set_text(data, "permit_id", r->permit->id);
    json_set_int(data, "used", r->permit->used);
    json_set_bool(data, "late", r->late);
    json_set_text_or_null(data, "reason", r->reason);
    return push_body_of(a, str_of(push_revoked), now, data);
}

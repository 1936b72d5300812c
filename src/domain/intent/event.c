/* Events: their closed list of types, and the hash chain.
 *
 * Pure: the time is an argument, and the caller stores the result. */
#include "domain/intent/event.h"

#include "base/clock_text.h"
#include "base/crypt.h"
#include "base/id.h"

const char event_log_full[] = "event.log_full";

enum poster { ANYONE, SERVER, ECHO };

/* OpenIntent's client raises on an unknown type, so no type outside this table
 * is ever stored. */
static const struct {
    const char *type;
    enum poster poster;
} types[] = {
    {"intent_created", SERVER},
    {"state_patched", SERVER},
    {"status_changed", SERVER},
    {"agent_assigned", SERVER},
    {"agent_unassigned", SERVER},
    {"constraint_added", ANYONE},
    {"constraint_removed", ANYONE},
    {"dependency_added", SERVER},
    {"dependency_removed", SERVER},
    {"lease_acquired", SERVER},
    {"lease_released", SERVER},
    {"arbitration_requested", SERVER},
    {"decision_recorded", SERVER},
    {"attachment_added", SERVER},
    {"portfolio_created", SERVER},
    {"added_to_portfolio", SERVER},
    {"removed_from_portfolio", SERVER},
    {"failure_recorded", SERVER},
    {"comment", ANYONE},
    {"intent.suspended", ECHO},
    {"intent.resumed", SERVER},
    {"intent.suspension_expired", SERVER},
    {"intent.suspension_renotified", ECHO},
    {"intent.suspension_escalated", ECHO},
    {"engagement.decision", ANYONE},
    {"portfolio.member_suspended", SERVER},
    {"portfolio.member_resumed", SERVER},
    {"access_granted", SERVER},
    {"access_revoked", SERVER},
    {"access_expired", SERVER},
    {"access_requested", SERVER},
    {"access_request_approved", SERVER},
    {"access_request_denied", SERVER},
    {"task.created", SERVER},
    {"task.ready", SERVER},
    {"task.claimed", SERVER},
    {"task.started", SERVER},
    {"task.progress", ANYONE},
    {"task.completed", SERVER},
    {"task.failed", SERVER},
    {"task.retrying", SERVER},
    {"task.blocked", SERVER},
    {"task.unblocked", SERVER},
    {"task.delegated", ANYONE},
    {"task.escalated", ANYONE},
    {"task.cancelled", SERVER},
    {"task.skipped", SERVER},
    {"plan.created", SERVER},
    {"plan.activated", SERVER},
    {"plan.paused", SERVER},
    {"plan.resumed", SERVER},
    {"plan.completed", SERVER},
    {"plan.failed", SERVER},
    {"plan.checkpoint_reached", SERVER},
    {"plan.checkpoint_approved", SERVER},
    {"plan.checkpoint_rejected", SERVER},
    {"coordinator.decision", SERVER},
    {"coordinator.heartbeat", ANYONE},
    {"coordinator.paused", ANYONE},
    {"coordinator.resumed", ANYONE},
    {"coordinator.replaced", ANYONE},
    {"coordinator.unresponsive", SERVER},
    {"coordinator.failed_over", ANYONE},
    {"coordinator.handoff", SERVER},
    {"coordinator.plan_overridden", ANYONE},
    {"coordinator.guardrails_updated", ANYONE},
    {"coordinator.stalled", SERVER},
    {"coordinator.escalation_resolved", SERVER},
    {"governance.policy_set", SERVER},
    {"governance.policy_removed", SERVER},
    {"governance.approval_granted", SERVER},
    {"governance.approval_denied", SERVER},
    {"governance.approval_enforced", SERVER},
    {"governance.violation", SERVER},
    {"tool_call_started", ANYONE},
    {"tool_call_completed", ANYONE},
    {"tool_call_failed", ANYONE},
    {"llm_request_started", ANYONE},
    {"llm_request_completed", ANYONE},
    {"llm_request_failed", ANYONE},
    {"stream_started", ANYONE},
    {"stream_chunk", ANYONE},
    {"stream_completed", ANYONE},
    {"stream_cancelled", ANYONE},
    {"tool.invoked", ANYONE},
    {"tool.denied", ANYONE},
    {"memory.created", ANYONE},
    {"memory.updated", ANYONE},
    {"memory.deleted", ANYONE},
    {"memory.archived", ANYONE},
    {"memory.evicted", ANYONE},
    {"memory.expired", ANYONE},
    {"agent.lifecycle", ANYONE},
    {"agent.registered", ANYONE},
    {"agent.status_changed", ANYONE},
    {"agent.dead", ANYONE},
    {"trigger.fired", ANYONE},
    {"trigger.skipped", ANYONE},
    {"trigger.cascade_limit", ANYONE},
    {"trigger.namespace_blocked", ANYONE},
    {"channel.created", ANYONE},
    {"channel.closed", ANYONE},
    {"channel.message", ANYONE},
    {"federation.dispatched", ANYONE},
    {"federation.received", ANYONE},
    {"federation.callback", ANYONE},
    {"federation.budget_warning", ANYONE},
    {"federation.completed", ANYONE},
    {"federation.failed", ANYONE},
    {"grant.created", SERVER},
    {"grant.delegated", SERVER},
    {"grant.revoked", SERVER},
    {"grant.expired", SERVER},
    {"grant.suspended", SERVER},
    {"grant.resumed", SERVER},
    {"credential.created", SERVER},
    {"credential.rotated", SERVER},
    {"credential.expired", SERVER},
    {"credential.revoked", SERVER},
    {"agent.identity.registered", SERVER},
    {"agent.identity.rotated", SERVER},
    {"agent.identity.revoked", SERVER},
    {"agent.identity.challenge_issued", SERVER},
    {"agent.identity.verified", SERVER},
    {"log.checkpoint.created", SERVER},
    {"log.checkpoint.anchored", SERVER},
};

static int event_find(struct str type)
{
    for (size_t i = 0; i < countof(types); i++) {
        if (str_is(type, types[i].type))
            return (int)i;
    }
    return -1;
}

bool event_type_known(struct str type)
{
    return event_find(type) >= 0;
}

bool event_type_postable(struct str type, enum role role)
{
    const int i = event_find(type);
    return i >= 0 && types[i].poster == ANYONE && role != ROLE_AUDITOR &&
           role != ROLE_NONE;
}

bool event_payload_reserved(struct str type, const struct json *payload)
{
    const bool of_permit =
        str_is(type, "tool.invoked") || str_is(type, "tool.denied");
    return of_permit && (json_has(payload, "permit_id") ||
                         json_has(payload, "redemption_id"));
}

bool event_type_echoed(struct str type)
{
    const int i = event_find(type);
    return i >= 0 && types[i].poster == ECHO;
}

/* ---- actors --------------------------------------------------------- */

static const char *const actors[EVENT_ACTOR__MAX] = {
    [EVENT_ACTOR_AGENT] = "agent",
    [EVENT_ACTOR_PERSON] = "person",
    [EVENT_ACTOR_KEY] = "key",
    [EVENT_ACTOR_CLOCK] = "clock",
    [EVENT_ACTOR_SAYSO] = "sayso"};

const char *event_actor_word(enum event_actor type)
{
    return type < EVENT_ACTOR__MAX ? actors[type] : "unknown";
}

struct event_by event_by(const struct principal *p)
{
    const enum event_actor other =
        p->person || p->person_id.p ? EVENT_ACTOR_PERSON : EVENT_ACTOR_KEY;
    return (struct event_by){
        .name = principal_actor(p),
        .type = p->role == ROLE_AGENT ? EVENT_ACTOR_AGENT : other};
}

struct event_by event_by_clock(void)
{
    return (struct event_by){.name = STR("clock"), .type = EVENT_ACTOR_CLOCK};
}

struct event_by event_by_server(void)
{
    return (struct event_by){.name = STR("sayso"), .type = EVENT_ACTOR_SAYSO};
}

/* ---- sealing -------------------------------------------------------- */

static struct str event_hash_of(struct arena *a, struct str canonical)
{
    return arena_join(a, STR("sha256:"), crypt_sha256_b64(a, canonical));
}

static struct json *event_object_of(struct arena *a, struct str intent_id,
                                    const struct event_draft *d,
                                    const struct event *e, bool test)
{
    struct json *o = json_object(a);
    const struct json *payload = d->payload;
    if (test) {
        struct json *marked = json_object(a);
        for (struct json_iter i = json_iter(payload); json_next(&i);)
            json_set_key(marked, i.key, i.value);
        json_set_bool(marked, "test", true);
        payload = marked;
    }
    json_set_text(o, "id", e->id);
    json_set_text(o, "intent_id", intent_id);
    json_set_text(o, "event_type", e->type);
    json_set_text(o, "actor", d->by.name);
    json_set_text(o, "actor_type", str_of(event_actor_word(d->by.type)));
    json_set_json(o, "payload", payload);
    json_set_text(o, "created_at", clock_naive(a, e->created_at));
    json_set_int(o, "sequence", e->sequence);
    json_set_text_or_null(o, "previous_event_hash", e->previous);
    json_set_text(o, "salt", crypt_token(a, EVENT_SALT));
    json_set_text_given(o, "trace_id", d->trace_id);
    json_set_text_given(o, "parent_event_id", d->parent_event_id);
    return o;
}

const struct err *event_append(struct arena *a, struct str intent_id,
                               const struct event_draft *d, int64_t now,
                               struct event_tail *tail,
                               struct event_list *out)
{
    const int64_t max = d->decides ? EVENT_SEQUENCE_MAX : EVENTS_OF_INTENT_MAX;
    if (out->n >= EVENTS_AT_ONCE || tail->sequence >= max)
        return d->optional
                   ? NULL
                   : ERROR(ERR_CONFLICT, event_log_full,
                           "The event log of this intent is full. Continue in "
                           "a new intent.");
    struct event *e = &out->v[out->n];
    e->id = id_new(a);
    e->sequence = tail->sequence + 1;
    e->type = str_of(d->type);
    e->created_at = now;
    e->previous = tail->hash;
    struct buf b = buf_make(a, EVENT_CANONICAL_MAX);
    json_write_canonical(&b, event_object_of(a, intent_id, d, e, tail->test));
    if (b.over)
        return ERROR(ERR_INVALID, "event.too_large",
                     "The event is too large for the log.");
    e->canonical = buf_text(&b);
    e->hash = event_hash_of(a, e->canonical);
    tail->sequence = e->sequence;
    tail->hash = e->hash;
    out->n++;
    return NULL;
}

void event_write(struct buf *b, struct str canonical, struct str hash)
{
    buf_put(b, "{\"event_hash\":\"");
    buf_str(b, hash);
    buf_put(b, canonical.n ? "\"," : "\"}");
    buf_str(b, str_sub(canonical, 1, canonical.n));
}

struct json *event_rule(struct arena *a, const struct event *e)
{
    struct json *o = json_object(a);
    json_set_text(o, "rule", e->rule);
    json_set_text(o, "at", clock_rfc3339(a, e->erased_at));
    return o;
}

struct json *event_erased(struct arena *a, struct str intent_id,
                          const struct event *e)
{
    struct json *o = json_object(a);
    json_set_text(o, "event_hash", e->hash);
    json_set_text(o, "id", e->id);
    json_set_text(o, "intent_id", intent_id);
    json_set_text(o, "event_type", e->type);
    json_set_text(o, "actor", STR(""));
    json_set_json(o, "payload", json_object(a));
    json_set_text(o, "created_at", clock_naive(a, e->created_at));
    json_set_int(o, "sequence", e->sequence);
    json_set_text_or_null(o, "previous_event_hash", e->previous);
    json_set_json(o, "erased", event_rule(a, e));
    return o;
}

/* ---- checking ------------------------------------------------------- */

/* The members of an event's bytes without the payload, whose tree can have a
 * hundred times their size. NULL where the bytes are not an object. */
static struct json *event_head(struct arena *a, struct str canonical)
{
    if (json_check(a, canonical))
        return NULL;
    struct str head = canonical;
    const struct str payload =
        json_raw_member(a, canonical, STR("payload"));
    if (payload.p) {
        const size_t at = (size_t)(payload.p - canonical.p);
        head = arena_join(a, str_sub(canonical, 0, at), STR("null"),
                          str_sub(canonical, at + payload.n, canonical.n));
    }
    struct json *o = json_read(a, head);
    return json_is(o, JSON_OBJECT) ? o : NULL;
}

/* *tree: of its bytes without the payload, where it follows. */
static const char *event_follows_as(struct arena *a,
                                    const struct event_tail *tail,
                                    struct str intent_id,
                                    const struct event *e, struct json **tree)
{
    if (e->sequence != tail->sequence + 1)
        return "an event is missing before it";
    if (!str_eq(e->hash, event_hash_of(a, e->canonical)))
        return "its bytes do not match its hash";
    struct json *o = event_head(a, e->canonical);
    if (!o)
        return "its bytes are not an event";
    if (!str_eq(json_get_text(o, "intent_id"), intent_id) ||
        json_int(json_get(o, "sequence")) != e->sequence)
        return "its bytes are another event's";
    const struct str previous = json_get_text(o, "previous_event_hash");
    const bool follows =
        tail->sequence == 0 ? !previous.p : str_eq(previous, tail->hash);
    *tree = o;
    return follows ? NULL : "it does not follow its predecessor";
}

const char *event_follows(struct arena *a, const struct event_tail *tail,
                          struct str intent_id, const struct event *e)
{
    struct json *tree = NULL;
    return event_follows_as(a, tail, intent_id, e, &tree);
}

static const char *event_erased_mistake(const struct event_tail *tail,
                                        const struct event *e)
{
    if (e->sequence != tail->sequence + 1)
        return "an event is missing before it";
    if (!e->rule.p)
        return "its bytes are missing, and no rule erased them";
    const bool follows =
        tail->sequence == 0 ? !e->previous.p : str_eq(e->previous, tail->hash);
    return follows ? NULL : "it does not follow its predecessor";
}

static const char *event_mistake(struct arena *a, const struct event_check *c,
                                 struct str intent_id, const struct event *e)
{
    if (e->canonical.n == 0)
        return event_erased_mistake(&c->tail, e);
    struct json *o = NULL;
    const char *why = event_follows_as(a, &c->tail, intent_id, e, &o);
    if (why)
        return why;
    const struct str previous = json_get_text(o, "previous_event_hash");
    if (!previous.p != !e->previous.p || !str_eq(previous, e->previous))
        return "it does not follow its predecessor";
    return str_eq(json_get_text(o, "event_type"), e->type) &&
                   str_eq(json_get_text(o, "id"), e->id) &&
                   str_eq(json_get_text(o, "created_at"),
                          clock_naive(a, e->created_at))
               ? NULL
               : "its columns do not match its bytes";
}

bool event_check(struct arena *a, struct event_check *c, struct str intent_id,
                 const struct event *e)
{
    if (c->broken)
        return false;
    c->reason = event_mistake(a, c, intent_id, e);
    if (c->reason) {
        c->broken = e->sequence > 0 ? e->sequence : c->tail.sequence + 1;
        return false;
    }
    c->tail.sequence = e->sequence;
    c->tail.hash = e->hash;
    return true;
}

static void event_broken(struct event_check *c, int64_t sequence,
                         const char *reason)
{
    c->broken = sequence;
    c->reason = reason;
}

void event_check_end(struct event_check *c, const struct event_tail *before,
                     const struct event_tail *after)
{
    const int64_t last = c->tail.sequence;
    if (c->broken)
        return;
    if (last < before->sequence)
        event_broken(c, last + 1, "events are missing at the end");
    else if (last > after->sequence)
        event_broken(c, after->sequence + 1,
                     "the intent does not know this event");
    else if ((last == before->sequence &&
              !str_eq(c->tail.hash, before->hash)) ||
             (last == after->sequence && !str_eq(c->tail.hash, after->hash)))
        event_broken(c, last, "the intent knows another end of the chain");
}

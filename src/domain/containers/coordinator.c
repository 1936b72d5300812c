/* Coordinators: reading them, and the texts about them. Pure. */
#include "domain/containers/coordinator.h"

#include "base/clock_text.h"
#include "base/json/fields.h"
#include "domain/containers/workflow.h"
#include "domain/plan/guardrails.h"

#define COORDINATOR_NAME_MAX 200
#define COORDINATOR_TEXT_MAX 4000
#define COORDINATOR_JSON_MAX ((size_t)16 << 10)
#define COORDINATOR_BEAT_DEFAULT 60
#define COORDINATOR_BEAT_MAX 86400
#define COORDINATOR_ALTERNATIVES_MAX 50
#define COORDINATOR_COUNT_MAX 1000000 /* of a guardrail's number */

/* ---- reading --------------------------------------------------------- */

static void coordinator_json(struct fields *f, const char *key,
                             struct str *out)
{
    const struct json *v = NULL;
    fields_json(f, key, JSON_OBJECT, &v);
    *out = v ? json_dump(f->arena, v, COORDINATOR_JSON_MAX) : STR("{}");
    if (!out->p)
        fields_wrong(f, key, "field.too_long",
                     "\"%s\" may have at most 16 kB.", key);
}

/* The SDK's client raises on an unknown on_exceed. */
static const struct err *coordinator_guardrails(struct arena *a,
                                                const struct json *body)
{
    static const char *const counts[] = {
        "max_tasks_per_plan", "max_concurrent_tasks",
        "auto_escalate_after_failures", "checkpoint_timeout_hours"};
    static const char *const flags[] = {"requires_plan_review",
                                        "requires_replan_review"};
    const struct json *v = json_get(body, "guardrails");
    if (!v)
        return NULL;
    struct fields f = fields(a, v, STR("guardrails"));
    bool flag = false;
    int64_t n = 0;
    (void)vocabulary_coordinator_exceed_read(&f, "on_exceed");
    for (size_t i = 0; i < countof(counts); i++)
        fields_int(&f, counts[i], 0, COORDINATOR_COUNT_MAX, &n);
    for (size_t i = 0; i < countof(flags); i++)
        fields_bool(&f, flags[i], &flag);
    return fields_error(&f);
}

static void coordinator_place(struct fields *f, struct coordinator *out)
{
    fields_uuid(f, "portfolio_id", &out->portfolio_id);
    if (!out->portfolio_id.p)
        fields_need(f, "intent_id");
    fields_uuid(f, "intent_id", &out->intent_id);
    if (out->portfolio_id.p && out->intent_id.p)
        fields_wrong(f, "portfolio_id", "coordinator.portfolio",
                     "A coordinator is of an intent or of a portfolio, not of "
                     "both.");
}

static void coordinator_agent(struct fields *f, struct coordinator *out)
{
    fields_need(f, "agent_id");
    fields_text(f, "agent_id", PRINCIPAL_AGENT_NAME_MAX, &out->agent_id);
    if (!f->e && !principal_agent_name_new(out->agent_id))
        fields_wrong(f, "agent_id", "agent.name",
                     "This is not a valid agent name.");
}

const struct err *coordinator_read(struct arena *a, const struct json *body,
                                   struct coordinator *out)
{
    struct fields f = fields(a, body, STR(""));
    coordinator_place(&f, out);
    coordinator_agent(&f, out);
    fields_text(&f, "role", COORDINATOR_NAME_MAX, &out->role);
    fields_text(&f, "supervisor_id", COORDINATOR_NAME_MAX,
                &out->supervisor_id);
    out->type = vocabulary_coordinator_type_read(&f, "coordinator_type");
    if (out->type == COORDINATOR_TYPE__MAX)
        out->type = vocabulary_coordinator_type_read(&f, "type");
    out->policy = vocabulary_coordinator_policy_read(&f, "suspension_policy");
    coordinator_json(&f, "guardrails", &out->guardrails);
    coordinator_json(&f, "metadata", &out->metadata);
    out->heartbeat_seconds = COORDINATOR_BEAT_DEFAULT;
    fields_int(&f, "heartbeat_interval_seconds", 1, COORDINATOR_BEAT_MAX,
               &out->heartbeat_seconds);
    TRY(fields_error(&f));
    if (out->role.n == 0)
        out->role = STR("coordinator");
    if (out->supervisor_id.n == 0)
        out->supervisor_id = STR_NONE;
    if (out->type == COORDINATOR_TYPE__MAX)
        out->type = COORDINATOR_LLM;
    if (out->policy == COORDINATOR_POLICY__MAX)
        out->policy = COORDINATOR_ISOLATE;
    return coordinator_guardrails(a, body);
}

/* ---- its state ------------------------------------------------------- */

int64_t coordinator_lapses_at(const struct coordinator *c)
{
    return c->heartbeat_at +
           COORDINATOR_HEARTBEATS * c->heartbeat_seconds * CLOCK_SECOND;
}

enum coordinator_status coordinator_status(const struct coordinator *c,
                                           int64_t now)
{
    if (c->ended_at)
        return COORDINATOR_COMPLETED;
    return now >= coordinator_lapses_at(c) ? COORDINATOR_UNRESPONSIVE
                                           : COORDINATOR_ACTIVE;
}

struct json *coordinator_object(struct arena *a, const struct coordinator *c,
                                int64_t now)
{
    const enum coordinator_status status = coordinator_status(c, now);
    struct json *o = json_object(a);
    json_set_text(o, "id", c->id);
    json_set_text_or_null(o, "intent_id", c->intent_id);
    json_set_text_or_null(o, "portfolio_id", c->portfolio_id);
    json_set_text(o, "agent_id", c->agent_id);
    json_set_text(o, "role", c->role);
    json_set_text_or_null(o, "supervisor_id", c->supervisor_id);
    json_set_text_or_null(o, "granted_by", c->granted_by);
    json_set_text(o, "coordinator_type",
                  vocabulary_coordinator_type(c->type)->wire);
    json_set_text(o, "scope",
                  c->portfolio_id.p ? STR("portfolio") : STR("intent"));
    json_set_text(o, "status", vocabulary_coordinator_status(status)->wire);
    json_set_text(o, "suspension_policy",
                  vocabulary_coordinator_policy(c->policy)->wire);
    json_set_read(a, o, "guardrails", c->guardrails);
    json_set_json(o, "enforced_guardrails",
                  guardrails_enforced(a, c->guardrails));
    json_set_int(o, "heartbeat_interval_seconds", c->heartbeat_seconds);
    json_set_text(o, "last_heartbeat", clock_naive(a, c->heartbeat_at));
    json_set_text(o, "granted_at", clock_naive(a, c->granted_at));
    json_set_json(o, "expires_at", NULL);
    json_set_text_or_null(o, "ended_at", clock_naive(a, c->ended_at));
    json_set_int(o, "version", c->version);
    json_set_read(a, o, "metadata", c->metadata);
    return o;
}

struct json *coordinator_beat(struct arena *a, const struct coordinator *c)
{
    struct json *o = json_object(a);
    json_set_text(o, "status", STR("ok"));
    json_set_text(o, "next_heartbeat_at",
                  clock_naive(a, c->heartbeat_at +
                                     c->heartbeat_seconds * CLOCK_SECOND));
    return o;
}

/* ---- the log, and the supervisor -------------------------------------- */

struct json *coordinator_lapsed(struct arena *a, const struct coordinator *c,
                                int64_t now)
{
    struct json *o = json_object(a);
    json_set_text(o, "coordinator_id", c->id);
    json_set_text(o, "agent_id", c->agent_id);
    if (c->portfolio_id.p)
        json_set_text(o, "portfolio_id", c->portfolio_id);
    json_set_text(o, "last_heartbeat", clock_naive(a, c->heartbeat_at));
    json_set_int(o, "missed_count",
                 (now - c->heartbeat_at) /
                     (c->heartbeat_seconds * CLOCK_SECOND));
    return o;
}

struct suspension coordinator_lapsed_notice(struct arena *a,
                                            const struct coordinator *c,
                                            struct str intent_title)
{
    struct buf b = buf_make(a, 512);
    buf_put(&b, "The coordinator ");
    buf_str(&b, c->agent_id);
    buf_put(&b, c->portfolio_id.p ? " of a portfolio of this intent"
                                  : " of this intent");
    buf_put(&b, " has sent no heartbeat since ");
    buf_str(&b, clock_rfc3339(a, c->heartbeat_at));
    buf_put(&b, ".");
    return (struct suspension){.intent_id = c->intent_id,
                               .title = intent_title,
                               .question = buf_text(&b),
                               .asked_by = c->agent_id};
}

struct json *coordinator_stalled(struct arena *a, const struct coordinator *c,
                                 struct str intent_id,
                                 struct str suspension_id)
{
    struct json *o = json_object(a);
    json_set_text(o, "coordinator_id", c->id);
    json_set_text(o, "agent_id", c->agent_id);
    json_set_text(o, "suspended_intent_id", intent_id);
    json_set_text(o, "suspension_id", suspension_id);
    json_set_text_or_null(o, "escalated_to", c->supervisor_id);
    return o;
}

bool coordinator_takes_input(struct arena *a, struct str inputs,
                             struct str phases, struct str title)
{
    struct workflow_refs refs = {.n = 0};
    struct json *io = json_object(a);
    json_set_given(a, io, "_io_inputs", inputs);
    json_set_given(a, io, "_io_dep_title_to_name", phases);
    workflow_refs(io, &refs);
    for (size_t i = 0; i < refs.n; i++) {
        if (workflow_means(io, &refs.v[i], title))
            return true;
    }
    return false;
}

/* ---- decision records ------------------------------------------------- */

static void coordinator_confidence(struct fields *f,
                                   struct coordinator_record *out)
{
    const struct json *v = json_get(f->obj, "confidence");
    if (!v)
        return;
    if (!json_is_number(v) || json_double(v) < 0 || json_double(v) > 1)
        fields_wrong(f, "confidence", "field.value",
                     "\"confidence\" has to be a number from 0 to 1.");
    out->confidence = v;
}

static void coordinator_alternatives(struct fields *f,
                                     struct coordinator_record *out)
{
    fields_json(f, "alternatives_considered", JSON_ARRAY, &out->alternatives);
    if (json_count(out->alternatives) > COORDINATOR_ALTERNATIVES_MAX)
        fields_wrong(f, "alternatives_considered", "field.too_many",
                     "The list may have at most %d entries.",
                     COORDINATOR_ALTERNATIVES_MAX);
    for (size_t i = 0; i < json_count(out->alternatives); i++) {
        if (!json_is(json_at(out->alternatives, i), JSON_OBJECT))
            fields_wrong(f, "alternatives_considered", "field.type",
                         "Entry %zu has to be an object.", i);
    }
}

const struct err *coordinator_record_read(struct arena *a,
                                          const struct json *body,
                                          struct coordinator_record *out)
{
    struct fields f = fields(a, body, STR(""));
    *out = (struct coordinator_record){.confidence = NULL};
    fields_need(&f, "coordinator_id");
    fields_uuid(&f, "coordinator_id", &out->coordinator_id);
    fields_need(&f, "intent_id");
    fields_uuid(&f, "intent_id", &out->intent_id);
    fields_need(&f, "decision_type");
    out->type = vocabulary_coordinator_decision_read(&f, "decision_type");
    fields_need(&f, "summary");
    fields_text(&f, "summary", COORDINATOR_TEXT_MAX, &out->summary);
    fields_text(&f, "rationale", COORDINATOR_TEXT_MAX, &out->rationale);
    coordinator_confidence(&f, out);
    coordinator_alternatives(&f, out);
    return fields_error(&f);
}

struct json *coordinator_record_payload(struct arena *a,
                                        const struct coordinator_record *r)
{
    struct json *o = json_object(a);
    json_set_text(o, "coordinator_id", r->coordinator_id);
    json_set_text(o, "decision_type",
                  vocabulary_coordinator_decision(r->type)->wire);
    json_set_text(o, "summary", r->summary);
    json_set_text(o, "rationale", r->rationale);
    json_set_json(o, "confidence", r->confidence);
    json_set_json(o, "alternatives_considered",
                  r->alternatives ? r->alternatives : json_array(a));
    return o;
}

struct json *coordinator_record_object(struct arena *a, const struct event *e)
{
    const struct json *event = json_read(a, e->canonical);
    const struct json *p = json_get(event, "payload");
    const struct json *list = json_get(p, "alternatives_considered");
    struct json *o = json_object(a);
    json_set_text(o, "id", e->id);
    json_set_text(o, "type", e->type);
    json_set_text(o, "intent_id", json_get_text(event, "intent_id"));
    json_set_text(o, "coordinator_id", json_get_text(p, "coordinator_id"));
    json_set_text(o, "decision_type", json_get_text(p, "decision_type"));
    json_set_text(o, "summary", json_get_text(p, "summary"));
    json_set_text(o, "rationale", json_get_text(p, "rationale"));
    json_set_json(o, "confidence", json_get(p, "confidence"));
    json_set_json(o, "alternatives_considered",
                  json_is(list, JSON_ARRAY) ? list : json_array(a));
    json_set_text(o, "timestamp", clock_naive(a, e->created_at));
    return o;
}

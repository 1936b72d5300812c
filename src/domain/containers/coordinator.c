/* Coordinators: their fields, and the texts about them. Pure. */
#include "domain/containers/coordinator.h"

#include "base/clock_text.h"
#include "domain/containers/workflow.h"
#include "domain/plan/guardrails.h"

#define COORDINATOR_NAME_MAX 200
#define COORDINATOR_TEXT_MAX 4000
#define COORDINATOR_JSON_MAX (16 << 10)
#define COORDINATOR_BEAT_DEFAULT 60
#define COORDINATOR_BEAT_MAX 86400
#define COORDINATOR_ALTERNATIVES_MAX 50
#define COORDINATOR_COUNT_MAX 1000000 /* of a guardrail's number */

/* ---- fields ---------------------------------------------------------- */

static void coordinator_agent(struct fields *f, const char *key,
                              const void *coordinator)
{
    const struct coordinator *c = coordinator;
    if (!principal_agent_name_new(c->agent_id))
        fields_wrong(f, key, "agent.name", "This is not a valid agent name.");
}

static const struct json *coordinator_scope(struct arena *a,
                                            const void *coordinator)
{
    const struct coordinator *c = coordinator;
    return json_string(a, c->portfolio_id.p ? STR("portfolio")
                                            : STR("intent"));
}

static const struct json *coordinator_enforced(struct arena *a,
                                               const void *coordinator)
{
    const struct coordinator *c = coordinator;
    return guardrails_enforced(a, c->guardrails);
}

/* Its lease has no end by time. */
static const struct json *coordinator_expires(struct arena *a,
                                              const void *coordinator)
{
    (void)a;
    (void)coordinator;
    return NULL;
}

static const struct record_field coordinator_fields[] = {
    {RECORD_TEXT(coordinator, id, IN_TABLE | IN_OBJECT)},
    {RECORD_UUID(coordinator, intent_id, IN_TABLE | IN_OBJECT | IN_BODY)},
    {RECORD_UUID(coordinator, portfolio_id, IN_TABLE | IN_OBJECT | IN_BODY)},
    {RECORD_TEXT(coordinator, agent_id, IN_TABLE | IN_OBJECT | IN_NEED),
     .max = PRINCIPAL_AGENT_NAME_MAX, .check = coordinator_agent},
    {RECORD_TEXT(coordinator, role,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .max = COORDINATOR_NAME_MAX},
    {RECORD_TEXT(coordinator, supervisor_id,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .max = COORDINATOR_NAME_MAX},
    {RECORD_TEXT(coordinator, granted_by, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_WORD(coordinator, type,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY,
                 vocabulary_coordinator_type_all),
     .member = "coordinator_type", .other = "type"},
    {RECORD_SHOWN(coordinator, scope, IN_OBJECT, coordinator_scope)},
    {RECORD_WORD(coordinator, status, IN_OBJECT,
                 vocabulary_coordinator_status_all)},
    {RECORD_WORD(coordinator, policy,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY,
                 vocabulary_coordinator_policy_all),
     .column = "suspension_policy"},
    {RECORD_OBJECT(coordinator, guardrails,
                   IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .max = COORDINATOR_JSON_MAX},
    {RECORD_SHOWN(coordinator, enforced_guardrails, IN_OBJECT,
                  coordinator_enforced)},
    {RECORD_NUMBER(coordinator, heartbeat_seconds,
                   IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .member = "heartbeat_interval_seconds",
     .min = 1, .max = COORDINATOR_BEAT_MAX},
    {RECORD_NAIVE(coordinator, heartbeat_at, IN_TABLE | IN_UPDATE | IN_OBJECT),
     .member = "last_heartbeat"},
    {RECORD_NAIVE(coordinator, granted_at, IN_TABLE | IN_OBJECT)},
    {RECORD_SHOWN(coordinator, expires_at, IN_OBJECT, coordinator_expires)},
    {RECORD_NAIVE(coordinator, ended_at, IN_ROW | IN_UPDATE | IN_OBJECT)},
    {RECORD_NUMBER(coordinator, version, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_OBJECT(coordinator, metadata,
                   IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .max = COORDINATOR_JSON_MAX},
    /* The intent in whose log it is reported, where a statement says one. */
    {RECORD_UUID(coordinator, intent_id, IN_JOIN)},
};
const struct record coordinator_record =
    RECORD(coordinator, "coordinator", "coordinator");

/* ---- reading --------------------------------------------------------- */

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

const struct err *coordinator_read(struct arena *a, const struct json *body,
                                   struct coordinator *out)
{
    struct fields f = fields(a, body, STR(""));
    if (!json_get(body, "portfolio_id"))
        fields_need(&f, "intent_id");
    out->type = COORDINATOR_LLM;
    out->policy = COORDINATOR_ISOLATE;
    out->heartbeat_seconds = COORDINATOR_BEAT_DEFAULT;
    record_read(&f, &coordinator_record, out);
    if (out->portfolio_id.p && out->intent_id.p)
        fields_wrong(&f, "portfolio_id", "coordinator.portfolio",
                     "A coordinator belongs to an intent or to a portfolio, "
                     "not to both.");
    TRY(fields_error(&f));
    if (out->role.n == 0)
        out->role = STR("coordinator");
    if (out->supervisor_id.n == 0)
        out->supervisor_id = STR_NONE;
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
    struct coordinator shown = *c;
    shown.status = coordinator_status(c, now);
    return record_object(a, &coordinator_record, &shown);
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
    json_set_text_given(o, "portfolio_id", c->portfolio_id);
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

const struct err *coordinator_decided_read(struct arena *a,
                                          const struct json *body,
                                          struct coordinator_decided *out)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *sure = json_get(body, "confidence");
    *out = (struct coordinator_decided){.confidence = sure};
    fields_need(&f, "coordinator_id");
    fields_uuid(&f, "coordinator_id", &out->coordinator_id);
    fields_need(&f, "intent_id");
    fields_uuid(&f, "intent_id", &out->intent_id);
    fields_need(&f, "decision_type");
    out->type = vocabulary_coordinator_decision_read(&f, "decision_type");
    fields_need(&f, "summary");
    fields_text(&f, "summary", COORDINATOR_TEXT_MAX, &out->summary);
    fields_text(&f, "rationale", COORDINATOR_TEXT_MAX, &out->rationale);
    if (sure && (!json_is_number(sure) || json_double(sure) < 0 ||
                 json_double(sure) > 1))
        fields_wrong(&f, "confidence", "field.value",
                     "\"confidence\" has to be a number from 0 to 1.");
    fields_json(&f, "alternatives_considered", JSON_ARRAY, &out->alternatives);
    if (json_count(out->alternatives) > COORDINATOR_ALTERNATIVES_MAX)
        fields_wrong(&f, "alternatives_considered", "field.too_many",
                     "The list may have at most %d entries.",
                     COORDINATOR_ALTERNATIVES_MAX);
    for (size_t i = 0; i < json_count(out->alternatives); i++) {
        if (!json_is(json_at(out->alternatives, i), JSON_OBJECT))
            fields_wrong(&f, "alternatives_considered", "field.type",
                         "Entry %zu has to be an object.", i);
    }
    return fields_error(&f);
}

struct json *coordinator_decided_payload(struct arena *a,
                                        const struct coordinator_decided *r)
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

struct json *coordinator_decided_object(struct arena *a, const struct event *e)
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

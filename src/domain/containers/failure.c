/* Failures and retry policies: reading them, and the next step. Pure. */
#include "domain/containers/failure.h"

#include "base/clock.h"

#define FAILURE_COUNT_MAX 100
#define FAILURE_DELAY_MAX INT64_C(604800000) /* a week */

/* ---- the policy ------------------------------------------------------ */

static void failure_policy_agent(struct fields *f, const char *key,
                                 const void *policy)
{
    const struct failure_policy *p = policy;
    if (!principal_agent_name_new(p->fallback_agent_id))
        fields_wrong(f, key, "agent.name", "This is not a valid agent name.");
}

static const struct record_field failure_policy_fields[] = {
    {RECORD_TEXT(failure_policy, id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(failure_policy, intent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_WORD(failure_policy, strategy,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_NEED,
                 vocabulary_failure_strategy_all)},
    {RECORD_NUMBER(failure_policy, max_retries,
                   IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .max = FAILURE_COUNT_MAX},
    {RECORD_NUMBER(failure_policy, base_delay_ms,
                   IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .max = FAILURE_DELAY_MAX},
    {RECORD_NUMBER(failure_policy, max_delay_ms,
                   IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .max = FAILURE_DELAY_MAX},
    {RECORD_TEXT(failure_policy, fallback_agent_id,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .max = PRINCIPAL_AGENT_NAME_MAX, .check = failure_policy_agent},
    {RECORD_NUMBER(failure_policy, failure_threshold,
                   IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .min = 1, .max = FAILURE_COUNT_MAX},
    {RECORD_NAIVE(failure_policy, created_at, IN_TABLE | IN_OBJECT),
     .alias = "createdAt"},
    {RECORD_NAIVE(failure_policy, updated_at,
                  IN_TABLE | IN_UPDATE | IN_OBJECT),
     .alias = "updatedAt"},
};
const struct record failure_policy_record =
    RECORD(failure_policy, "retry policy", "failure_policy");

const struct err *failure_policy_read(struct arena *a, const struct json *body,
                                      struct failure_policy *out)
{
    *out = (struct failure_policy){.max_retries = 3,
                                   .base_delay_ms = 1000,
                                   .max_delay_ms = 60000,
                                   .failure_threshold = 3};
    return record_body(a, body, &failure_policy_record, out);
}

/* ---- reading a failure ------------------------------------------------ */

static const struct record_field failure_fields[] = {
    {RECORD_TEXT(failure, id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(failure, intent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(failure, agent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_NUMBER(failure, attempt,
                   IN_TABLE | IN_OBJECT | IN_EVENT | IN_BODY),
     .column = "attempt_number", .max = 1000000},
    {RECORD_TEXT(failure, error_code,
                 IN_TABLE | IN_OBJECT | IN_EVENT | IN_BODY),
     .other = "error_type", .max = 120},
    {RECORD_TEXT(failure, error_message, IN_TABLE | IN_OBJECT | IN_BODY),
     .max = 4000},
    {RECORD_FLAG(failure, recoverable, IN_TABLE | IN_OBJECT | IN_BODY)},
    {RECORD_WORD(failure, next, IN_TABLE | IN_OBJECT,
                 vocabulary_failure_next_all)},
    {RECORD_NAIVE(failure, retry_at,
                  IN_TABLE | IN_OBJECT | IN_EVENT | IN_BODY),
     .column = "retry_scheduled_at", .alias = "retryScheduledAt"},
    {RECORD_NAIVE(failure, resolved_at, IN_TABLE | IN_OBJECT),
     .alias = "resolvedAt"},
    {RECORD_OBJECT(failure, metadata, IN_TABLE | IN_OBJECT | IN_BODY),
     .max = 4 << 10},
    {RECORD_NAIVE(failure, created_at, IN_TABLE | IN_OBJECT),
     .alias = "createdAt"},
    {RECORD_TEXT(failure, key_id, IN_TABLE)},
    {RECORD_WORD(failure, terms.floor, IN_JOIN, vocabulary_severity_all),
     .column = "severity_floor"},
    {RECORD_OWN(failure, terms.by, IN_JOIN, principal_by_column,
                principal_by_take),
     .column = "decides"},
    {RECORD_TEXT(failure, fallback_agent_id, IN_JOIN)},
};
const struct record failure_record =
    RECORD(failure, "failure", "intent_failure");

const struct err *failure_read(struct arena *a, const struct json *body,
                               struct failure *out)
{
    struct fields f = fields(a, body, STR(""));
    out->recoverable = true;
    record_read(&f, &failure_record, out);
    if (out->attempt == 0 && !out->error_message.p && !out->error_code.p)
        fields_need(&f, "error_code");
    return fields_error(&f);
}

/* ---- the step that follows -------------------------------------------- */

int64_t failure_delay_ms(const struct failure_policy *p, int64_t n)
{
    int64_t delay = p->base_delay_ms;
    if (p->strategy == FAILURE_LINEAR)
        delay *= n;
    for (int64_t i = 1; p->strategy == FAILURE_EXPONENTIAL && i < n &&
                        delay < p->max_delay_ms;
         i++)
        delay *= 2;
    return delay < p->max_delay_ms ? delay : p->max_delay_ms;
}

/* The agent that takes over, where it may, or people. */
static enum failure_next failure_hand(const struct failure *f,
                                      struct str fallback,
                                      const struct governance *governance)
{
    return fallback.p && !str_eq(fallback, f->agent_id) &&
                   governance_agent(governance, fallback)
               ? FAILURE_FALLBACK
               : FAILURE_ESCALATION;
}

void failure_settle(const struct failure_policy *policy,
                    const struct governance *governance,
                    const struct failure_counts *before, struct failure *f)
{
    if (f->attempt == 0)
        f->attempt = before->of_agent + 1;
    f->next = FAILURE_NOTHING;
    if (!policy)
        return;
    const bool retries = policy->strategy != FAILURE_NO_RETRY;
    /* Another try cannot mend these. */
    const bool final = !f->recoverable ||
                       str_is(f->error_code, "BUDGET_EXCEEDED") ||
                       str_is(f->error_code, "PERMISSION_DENIED");
    const bool used_up = final ||
                         before->of_agent + 1 >= policy->failure_threshold ||
                         (retries && f->attempt > policy->max_retries);
    if (!used_up && retries)
        f->next = FAILURE_RETRY;
    else if (used_up && before->handed == 0)
        f->next = failure_hand(f, policy->fallback_agent_id, governance);
    if (f->next == FAILURE_RETRY && !f->retry_at)
        f->retry_at = f->created_at + failure_delay_ms(policy, f->attempt) *
                                          (CLOCK_SECOND / 1000);
}

enum failure_next failure_now(const struct failure *f, struct str fallback,
                              const struct governance *governance)
{
    if (f->next == FAILURE_RETRY && governance_agent(governance, f->agent_id))
        return FAILURE_RETRY;
    return failure_hand(f, fallback, governance);
}

int64_t failure_due_at(const struct failure *f)
{
    if (f->next == FAILURE_RETRY)
        return f->retry_at;
    return f->next == FAILURE_FALLBACK ? f->created_at : 0;
}

/* ---- the texts about it ----------------------------------------------- */

struct json *failure_payload(struct arena *a, const struct failure *f)
{
    struct json *o = record_payload(a, &failure_record, f);
    json_set_text(o, "failure_id", f->id);
    json_set_bool(o, "will_retry", f->next == FAILURE_RETRY);
    return o;
}

struct json *failure_escalation(struct arena *a, const struct failure *f)
{
    struct json *o = json_object(a), *context = json_object(a);
    struct buf b = buf_make(a, 1000);
    buf_put(&b, "The retries of ");
    buf_str(&b, f->agent_id);
    buf_put(&b, " are used up");
    if (f->error_code.n > 0) {
        buf_put(&b, ": ");
        buf_str(&b, f->error_code);
    }
    json_set_text(context, "failure_id", f->id);
    json_set_int(context, "attempt_number", f->attempt);
    json_set_text_or_null(context, "error_code", f->error_code);
    json_set_text_or_null(context, "error_message", f->error_message);
    json_set_text(o, "reason", buf_text(&b));
    json_set_text(o, "priority", vocabulary_severity(SEVERITY_HIGH)->wire);
    json_set_json(o, "context", context);
    json_set_text(o, "escalated_by", f->agent_id);
    return o;
}

/* Failures and retry policies: reading them, and the next step. Pure. */
#include "domain/containers/failure.h"

#include "base/clock.h"
#include "base/clock_text.h"
#include "base/json/fields.h"
#include "domain/intent/principal.h"

#define FAILURE_CODE_MAX 120
#define FAILURE_TEXT_MAX 4000
#define FAILURE_COUNT_MAX 100
#define FAILURE_ATTEMPT_MAX 1000000
#define FAILURE_DELAY_MAX INT64_C(604800000) /* a week */
#define FAILURE_JSON_MAX ((size_t)4 << 10)

/* ---- the policy ------------------------------------------------------ */

const struct err *failure_policy_read(struct arena *a, const struct json *body,
                                      struct failure_policy *out)
{
    struct fields f = fields(a, body, STR(""));
    *out = (struct failure_policy){.max_retries = 3,
                                   .base_delay_ms = 1000,
                                   .max_delay_ms = 60000,
                                   .failure_threshold = 3};
    fields_need(&f, "strategy");
    out->strategy = vocabulary_failure_strategy_read(&f, "strategy");
    fields_int(&f, "max_retries", 0, FAILURE_COUNT_MAX, &out->max_retries);
    fields_int(&f, "base_delay_ms", 0, FAILURE_DELAY_MAX, &out->base_delay_ms);
    fields_int(&f, "max_delay_ms", 0, FAILURE_DELAY_MAX, &out->max_delay_ms);
    fields_int(&f, "failure_threshold", 1, FAILURE_COUNT_MAX,
               &out->failure_threshold);
    fields_text(&f, "fallback_agent_id", PRINCIPAL_AGENT_NAME_MAX,
                &out->fallback_agent_id);
    if (!f.e && out->fallback_agent_id.p &&
        !principal_agent_name_new(out->fallback_agent_id))
        fields_wrong(&f, "fallback_agent_id", "agent.name",
                     "This is not a valid agent name.");
    return fields_error(&f);
}

static void failure_time(struct arena *a, struct json *o, const char *key,
                         const char *other, int64_t t)
{
    const struct str text = clock_naive(a, t);
    json_set_text_or_null(o, key, text);
    json_set_text_or_null(o, other, text);
}

struct json *failure_policy_object(struct arena *a,
                                   const struct failure_policy *p)
{
    struct json *o = json_object(a);
    json_set_text(o, "id", p->id);
    json_set_text(o, "intent_id", p->intent_id);
    json_set_text(o, "strategy",
                  vocabulary_failure_strategy(p->strategy)->wire);
    json_set_int(o, "max_retries", p->max_retries);
    json_set_int(o, "base_delay_ms", p->base_delay_ms);
    json_set_int(o, "max_delay_ms", p->max_delay_ms);
    json_set_text_or_null(o, "fallback_agent_id", p->fallback_agent_id);
    json_set_int(o, "failure_threshold", p->failure_threshold);
    failure_time(a, o, "created_at", "createdAt", p->created_at);
    failure_time(a, o, "updated_at", "updatedAt", p->updated_at);
    return o;
}

/* ---- reading a failure ------------------------------------------------ */

static void failure_when(struct fields *f, struct failure *out)
{
    struct str text = STR_NONE;
    fields_text(f, "retry_scheduled_at", FAILURE_CODE_MAX, &text);
    if (!f->e && text.p && !clock_parse(text, &out->retry_at))
        fields_wrong(f, "retry_scheduled_at", "field.time",
                     "\"retry_scheduled_at\" has to be a time like "
                     "2026-11-20T09:26:13.510233.");
}

const struct err *failure_read(struct arena *a, const struct json *body,
                               struct failure *out)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *metadata = NULL;
    struct str type = STR_NONE;
    out->recoverable = true;
    fields_int(&f, "attempt_number", 0, FAILURE_ATTEMPT_MAX, &out->attempt);
    fields_text(&f, "error_code", FAILURE_CODE_MAX, &out->error_code);
    fields_text(&f, "error_type", FAILURE_CODE_MAX, &type);
    fields_text(&f, "error_message", FAILURE_TEXT_MAX, &out->error_message);
    fields_bool(&f, "recoverable", &out->recoverable);
    failure_when(&f, out);
    fields_json(&f, "metadata", JSON_OBJECT, &metadata);
    out->metadata = metadata ? json_dump(a, metadata, FAILURE_JSON_MAX)
                             : STR("{}");
    if (!out->metadata.p)
        fields_wrong(&f, "metadata", "field.too_long",
                     "\"metadata\" may have at most 4 kB.");
    if (!out->error_code.p)
        out->error_code = type;
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

/* Errors that another try cannot mend. */
static bool failure_final(const struct failure *f)
{
    return !f->recoverable || str_is(f->error_code, "BUDGET_EXCEEDED") ||
           str_is(f->error_code, "PERMISSION_DENIED");
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

static enum failure_next failure_step(const struct failure_policy *p,
                                      const struct governance *governance,
                                      const struct failure_counts *before,
                                      const struct failure *f)
{
    const bool retries = p->strategy != FAILURE_NO_RETRY;
    const bool used_up = failure_final(f) ||
                         before->of_agent + 1 >= p->failure_threshold ||
                         (retries && f->attempt > p->max_retries);
    if (!used_up)
        return retries ? FAILURE_RETRY : FAILURE_NOTHING;
    if (before->handed > 0)
        return FAILURE_NOTHING;
    return failure_hand(f, p->fallback_agent_id, governance);
}

void failure_settle(const struct failure_policy *policy,
                    const struct governance *governance,
                    const struct failure_counts *before, struct failure *f)
{
    if (f->attempt == 0)
        f->attempt = before->of_agent + 1;
    f->next = policy ? failure_step(policy, governance, before, f)
                     : FAILURE_NOTHING;
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

struct json *failure_object(struct arena *a, const struct failure *f)
{
    struct json *o = json_object(a);
    json_set_text(o, "id", f->id);
    json_set_text(o, "intent_id", f->intent_id);
    json_set_text(o, "agent_id", f->agent_id);
    json_set_int(o, "attempt_number", f->attempt);
    json_set_text_or_null(o, "error_code", f->error_code);
    json_set_text_or_null(o, "error_message", f->error_message);
    json_set_bool(o, "recoverable", f->recoverable);
    json_set_text(o, "next", vocabulary_failure_next(f->next)->wire);
    failure_time(a, o, "retry_scheduled_at", "retryScheduledAt", f->retry_at);
    failure_time(a, o, "resolved_at", "resolvedAt", f->resolved_at);
    json_set_read(a, o, "metadata", f->metadata);
    failure_time(a, o, "created_at", "createdAt", f->created_at);
    return o;
}

struct json *failure_payload(struct arena *a, const struct failure *f)
{
    struct json *o = json_object(a);
    json_set_text(o, "failure_id", f->id);
    json_set_int(o, "attempt_number", f->attempt);
    json_set_text_or_null(o, "error_code", f->error_code);
    json_set_text_or_null(o, "retry_scheduled_at", clock_naive(a, f->retry_at));
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

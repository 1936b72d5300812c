/* Retry policies: reminders, escalation, and the end of waiting.
 *
 * Pure. Sends nothing: the caller stores and sends the reminders. */
#include "domain/question/retry.h"

#include "base/clock_text.h"
#include "base/json/fields.h"

#define STRATEGY_MAX 40
#define CHANNEL_HINT_MAX 120
#define NOTIFY_TO_MAX 254 /* a mail address may have this length */

#define INTERVAL "retry_policy.interval_seconds"

/* ---- reading -------------------------------------------------------- */

/* Reads the member or the SDK's other name for it; "" counts as absent. */
static void retry_read_either(struct fields *f, const char *key,
                              const char *alias, size_t max, struct str *out)
{
    fields_text(f, key, max, out);
    if (out->n == 0)
        fields_text(f, alias, max, out);
    if (out->n == 0)
        *out = STR_NONE;
}

/* Inserts the step in the order of attempts; false: its attempt is taken. */
static bool retry_insert_step(struct retry *r, struct retry_step step)
{
    size_t at = r->steps;
    while (at > 0 && r->ladder[at - 1].attempt >= step.attempt)
        at--;
    if (at < r->steps && r->ladder[at].attempt == step.attempt)
        return false;
    for (size_t i = r->steps; i > at; i--)
        r->ladder[i] = r->ladder[i - 1];
    r->ladder[at] = step;
    r->steps++;
    return true;
}

static const struct err *retry_read_step(struct arena *a, const struct json *v,
                                         struct str path, struct retry *out)
{
    struct fields f = fields(a, v, path);
    const char *key = !json_get(v, "attempt") && json_get(v, "after_attempt")
                          ? "after_attempt"
                          : "attempt";
    struct retry_step step = {.attempt = 0};
    fields_need(&f, key);
    fields_int(&f, key, 1, SUSPENSION_ATTEMPTS_MAX, &step.attempt);
    retry_read_either(&f, "channel_hint", "channel", CHANNEL_HINT_MAX,
                      &step.channel_hint);
    retry_read_either(&f, "notify_to", "notify", NOTIFY_TO_MAX,
                      &step.notify_to);
    if (out->max_attempts && step.attempt > out->max_attempts)
        fields_wrong(&f, key, "retry.attempt",
                     "There is no such attempt: max_attempts is %lld.",
                     (long long)out->max_attempts);
    if (!f.e && !retry_insert_step(out, step))
        fields_wrong(&f, key, "retry.attempt",
                     "Another step has the same attempt.");
    return fields_error(&f);
}

const struct err *retry_read(struct arena *a, const struct json *v,
                             struct str path, struct retry *out)
{
    struct fields f = fields(a, v, path);
    const struct json *ladder = NULL;
    int64_t interval = -1;
    *out = (struct retry){.final_policy = FALLBACK_POLICY__MAX};
    fields_int(&f, "max_attempts", 1, SUSPENSION_ATTEMPTS_MAX,
               &out->max_attempts);
    fields_int(&f, "interval_seconds", 0, SUSPENSION_TIMEOUT_MAX, &interval);
    fields_text(&f, "strategy", STRATEGY_MAX, &out->strategy);
    out->final_policy =
        vocabulary_fallback_policy_read(&f, "final_fallback_policy");
    fields_json(&f, "escalation_ladder", JSON_ARRAY, &ladder);
    TRY(fields_error(&f));
    if (out->strategy.n == 0)
        out->strategy = STR_NONE;
    out->has_interval = interval >= 0;
    out->interval_seconds = out->has_interval ? interval : 0;
    const struct str at = fields_path(a, path, "escalation_ladder");
    out->has_ladder = ladder != NULL;
    if (json_count(ladder) > RETRY_LADDER_MAX)
        return err_at(a, ERR_INVALID, "field.too_many", at,
                      "A ladder may have at most %d steps.", RETRY_LADDER_MAX);
    for (size_t i = 0; i < json_count(ladder); i++)
        TRY(retry_read_step(a, json_at(ladder, i), fields_element(a, at, i),
                            out));
    return NULL;
}

/* A policy's JSON text. */
static const struct err *retry_read_text(struct arena *a, struct str text,
                                         struct str path, struct retry *out)
{
    struct json *v = NULL;
    *out = (struct retry){.final_policy = FALLBACK_POLICY__MAX};
    if (!text.p)
        return NULL;
    TRY(json_parse(a, text, &v));
    return retry_read(a, v, path, out);
}

const struct err *retry_check_default(struct arena *a, struct str text)
{
    struct retry r;
    TRY(retry_read_text(a, text, STR("retry_policy"), &r));
    if (r.max_attempts > 1 && r.interval_seconds == 0)
        return err_at(a, ERR_INVALID, "retry.interval", STR(INTERVAL),
                      "More than one attempt needs \"interval_seconds\".");
    if (r.max_attempts * r.interval_seconds > SUSPENSION_TIMEOUT_MAX)
        return err_at(a, ERR_INVALID, "retry.window", STR(INTERVAL),
                      "All attempts together may take at most 366 days.");
    return NULL;
}

/* ---- the cascade ---------------------------------------------------- */

/* The policy as the SDK writes it, with "" for absent members. */
static struct str retry_write_policy(struct arena *a, const struct retry *r)
{
    struct json *o = json_object(a), *ladder = json_array(a);
    json_set_int(o, "max_attempts", r->max_attempts);
    json_set_int(o, "interval_seconds", r->interval_seconds);
    json_set_text(o, "strategy", r->strategy);
    json_set_text(o, "final_fallback_policy",
                  vocabulary_fallback_policy(r->final_policy)->wire);
    for (size_t i = 0; i < r->steps; i++) {
        const struct retry_step *s = &r->ladder[i];
        struct json *v = json_object(a);
        json_set_int(v, "attempt", s->attempt);
        json_set_text(v, "channel_hint",
                      s->channel_hint.p ? s->channel_hint : STR(""));
        json_set_text(v, "notify_to",
                      s->notify_to.p ? s->notify_to : STR(""));
        json_add_json(ladder, v);
    }
    if (r->steps > 0)
        json_set_json(o, "escalation_ladder", ladder);
    return json_dump(a, o, SUSPENSION_RECORD_MAX);
}

/* Checks that need the whole cascade. */
static const struct err *retry_check_whole(struct arena *a,
                                           const struct retry *r,
                                           const struct retry *own,
                                           const struct suspension *s)
{
    const struct retry_step *last = own->steps ? &own->ladder[own->steps - 1]
                                               : NULL;
    if (last && last->attempt > r->max_attempts)
        return err_at(a, ERR_INVALID, "retry.attempt",
                      STR("retry_policy.escalation_ladder"),
                      "There is no attempt %lld: max_attempts is %lld.",
                      (long long)last->attempt, (long long)r->max_attempts);
    if (r->max_attempts > 1 && r->interval_seconds == 0)
        return err_at(a, ERR_INVALID, "retry.interval", STR(INTERVAL),
                      "More than one attempt needs an interval above 0.");
    if (s->strict && own->has_interval && s->timeout_seconds &&
        own->interval_seconds > s->timeout_seconds)
        return err_at(a, ERR_INVALID, "retry.interval", STR(INTERVAL),
                      "The interval is longer than \"timeout_seconds\".");
    if (r->max_attempts * r->interval_seconds > SUSPENSION_TIMEOUT_MAX)
        return err_at(a, ERR_INVALID, "retry.window", STR(INTERVAL),
                      "All attempts together may take at most 366 days.");
    return NULL;
}

/* Merges the question's own policy and the inherited ones. */
static const struct err *retry_merge(struct arena *a,
                                     const struct suspension *s,
                                     const struct retry_defaults *defaults,
                                     struct retry *r)
{
    const struct str sources[] = {defaults->agent, defaults->platform};
    if (!r->has_interval && s->timeout_seconds) {
        r->has_interval = true;
        r->interval_seconds = s->timeout_seconds;
    }
    if (r->final_policy == FALLBACK_POLICY__MAX && s->said_fallback)
        r->final_policy = s->fallback_policy;
    for (size_t i = 0; i < countof(sources); i++) {
        struct retry from;
        TRY(retry_read_text(a, sources[i], STR("retry_policy"), &from));
        if (!r->max_attempts)
            r->max_attempts = from.max_attempts;
        if (!r->has_interval) {
            r->has_interval = from.has_interval;
            r->interval_seconds = from.interval_seconds;
        }
        if (!r->strategy.p)
            r->strategy = from.strategy;
        if (!r->has_ladder) {
            r->has_ladder = from.has_ladder;
            r->steps = from.steps;
            memcpy(r->ladder, from.ladder, sizeof r->ladder);
        }
        if (r->final_policy == FALLBACK_POLICY__MAX)
            r->final_policy = from.final_policy;
    }
    if (!r->max_attempts)
        r->max_attempts = 1;
    if (!r->strategy.p)
        r->strategy = STR("fixed");
    if (r->final_policy == FALLBACK_POLICY__MAX)
        r->final_policy = FALLBACK_FAIL;
    return NULL;
}

const struct err *retry_apply(struct arena *a, struct suspension *s,
                              const struct retry_defaults *defaults)
{
    struct retry own, r;
    if (!s->retry_policy.p && !defaults->agent.p && !defaults->platform.p)
        return NULL;
    TRY(retry_read_text(a, s->retry_policy, STR("retry_policy"), &own));
    r = own;
    TRY(retry_merge(a, s, defaults, &r));
    TRY(retry_check_whole(a, &r, &own, s));
    /* Steps of an inherited ladder beyond the last attempt. */
    while (r.steps > 0 && r.ladder[r.steps - 1].attempt > r.max_attempts)
        r.steps--;
    if (r.steps > 0 && r.ladder[0].attempt == 1 && r.ladder[0].channel_hint.p)
        s->channel_hint = r.ladder[0].channel_hint;
    s->retry_policy = retry_write_policy(a, &r);
    s->fallback_policy = r.final_policy;
    if (!s->timeout_seconds)
        s->timeout_seconds = r.interval_seconds;
    return NULL;
}

/* ---- rounds --------------------------------------------------------- */

const struct retry_step *retry_step_of(const struct retry *r, int64_t attempt)
{
    const struct retry_step *found = NULL;
    for (size_t i = 0; i < r->steps && r->ladder[i].attempt <= attempt; i++)
        found = &r->ladder[i];
    return found;
}

struct retry retry_stored(struct arena *a, const struct suspension *s)
{
    const struct retry none = {.final_policy = FALLBACK_POLICY__MAX};
    struct retry r;
    return retry_read_text(a, s->retry_policy, STR("retry_policy"), &r) ? none
                                                                        : r;
}

int64_t retry_next_at(struct arena *a, const struct suspension *s)
{
    const struct retry r = retry_stored(a, s);
    if (s->attempt >= r.max_attempts || r.interval_seconds == 0)
        return 0;
    return s->suspended_at + s->attempt * r.interval_seconds * CLOCK_SECOND;
}

bool retry_escalated(struct arena *a, const struct suspension *s,
                     struct str *to)
{
    *to = STR_NONE;
    if (s->attempt < 2)
        return false;
    const struct retry r = retry_stored(a, s);
    const struct retry_step *step = retry_step_of(&r, s->attempt);
    if (!step || step->attempt < 2)
        return false;
    *to = step->notify_to;
    return true;
}

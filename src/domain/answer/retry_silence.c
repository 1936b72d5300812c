/* Fallback answers and rounds of reminders. Sends nothing: the caller stores
 * and sends the reminders. */
#include "domain/answer/retry_silence.h"

#include "base/clock_text.h"
#include "domain/kind/label.h"

/* ---- fallback answers ------------------------------------------------ */

/* With a kind, a fallback is an answer. Without one, a value that is not a
 * choice belongs to the agent and is only passed on. */
static const struct err *silence_find_choice(struct arena *a,
                                             const struct suspension *s,
                                             const struct json **choice)
{
    struct json *value = NULL;
    struct amend amend;
    TRY(json_parse(a, s->fallback_value, &value));
    /* A choice may need a reason from a person; a fallback has this one. */
    const struct answer answer = {
        .value = value, .pressed = true, .reason = STR("silence")};
    if (s->kind == KIND_NONE) {
        *choice =
            json_is(value, JSON_STRING)
                ? suspension_choice(suspension_choices(a, s), json_text(value))
                : NULL;
        return NULL;
    }
    TRY(resolve_check(a, s, &answer, choice));
    return amend_check(a, s, *choice, &answer.amend, &amend);
}

/* Is it a word that an agent would read as a yes, in any spelling, where a
 * choice is one? */
static bool silence_says_yes(struct arena *a, const struct suspension *s)
{
    const struct json *value = json_read(a, s->fallback_value);
    const bool yes = json_is(value, JSON_BOOL)
                         ? json_bool(value)
                         : label_says(a, json_text(value)) == EFFECT_YES;
    return yes && effect_any_yes(suspension_choices(a, s));
}

const struct err *retry_silence_check(struct arena *a,
                                      const struct suspension *s,
                                      enum retry_silence may)
{
    const struct json *choice = NULL;
    if (s->fallback_policy == FALLBACK_FAIL)
        return NULL;
    if (!s->fallback_value.p)
        return s->strict ? err_at(a, ERR_INVALID, "field.missing",
                                  STR("fallback_value"),
                                  "This fallback policy needs a "
                                  "\"fallback_value\".")
                         : NULL;
    const struct err *e = silence_find_choice(a, s, &choice);
    if (e)
        return err_more(a,
                        err_at(a, e->kind, e->code, STR("fallback_value"),
                               "%.*s", STR_FMT(e->say)),
                        e->more);
    if (resolve_ends(s, choice))
        return err_at(a, ERR_INVALID, "fallback.ends", STR("fallback_value"),
                      "This choice ends the intent, and the fallback policy "
                      "continues it. Use the policy \"fail\" to end the intent "
                      "without an answer.");
    if ((effect_class_of_choice(choice) == EFFECT_YES ||
         silence_says_yes(a, s)) &&
        !(may == RETRY_SILENCE_LOW && s->severity == SEVERITY_LOW))
        return err_at(
            a, ERR_INVALID, "fallback.authorizes", STR("fallback_value"),
            "Silence is never a yes: a fallback may not pick a choice that "
            "authorizes or accepts%s.",
            may == RETRY_SILENCE_LOW ? ", unless the severity is low" : "");
    return NULL;
}

bool retry_silence_lost(struct arena *a, const struct suspension *s)
{
    return s->restored_from &&
           retry_silence_check(a, s, RETRY_SILENCE_NEVER) != NULL;
}

/* ---- rounds --------------------------------------------------------- */

/* A full log does not stop the rounds. */
static const struct err *silence_append(struct arena *a, struct decision *d,
                                        const char *type,
                                        const struct json *payload)
{
    const struct event_draft draft = {.type = type,
                                      .by = event_by_clock(),
                                      .payload = payload,
                                      .optional = true};
    return event_append(a, d->intent->id, &draft, d->now, &d->intent->tail,
                        d->events);
}

static const struct err *silence_escalate(struct arena *a, struct decision *d,
                                          const struct retry_step *step)
{
    struct json *p = json_object(a);
    json_set_text(p, "suspension_id", d->suspension->id);
    json_set_int(p, "attempt", step->attempt);
    json_set_text_or_null(p, "escalated_to", step->notify_to);
    json_set_text_or_null(p, "channel_hint", step->channel_hint);
    if (step->channel_hint.p)
        d->suspension->channel_hint = step->channel_hint;
    return silence_append(a, d, "intent.suspension_escalated", p);
}

const struct err *retry_silence_remind(struct arena *a, struct decision *d,
                                       struct retry_round *out)
{
    struct suspension *s = d->suspension;
    const struct retry r = retry_stored(a, s);
    const int64_t before = s->attempt;
    const int64_t interval = r.interval_seconds * CLOCK_SECOND;
    int64_t attempt = interval ? 1 + (d->now - s->suspended_at) / interval : 1;
    *out = (struct retry_round){.fires = false};
    if (attempt > r.max_attempts)
        attempt = r.max_attempts;
    if (attempt > before)
        s->attempt = attempt;
    s->next_attempt_at = retry_next_at(a, s);
    if (attempt <= before)
        return NULL;
    for (size_t i = 0; i < r.steps; i++) {
        const struct retry_step *step = &r.ladder[i];
        if (step->attempt <= before || step->attempt > attempt)
            continue;
        TRY(silence_escalate(a, d, step));
        out->escalated = true;
    }
    const struct retry_step *step = retry_step_of(&r, attempt);
    out->fires = true;
    out->channel_hint = s->channel_hint;
    out->notify_to = step ? step->notify_to : STR_NONE;
    struct json *p = json_object(a);
    json_set_text(p, "suspension_id", s->id);
    json_set_int(p, "attempt", s->attempt);
    json_set_int(p, "max_attempts", r.max_attempts);
    json_set_text_or_null(p, "channel_hint", out->channel_hint);
    json_set_text_or_null(p, "notify_to", out->notify_to);
    json_set_text_or_null(p, "next_attempt_at",
                          clock_naive(a, s->next_attempt_at));
    return silence_append(a, d, "intent.suspension_renotified", p);
}

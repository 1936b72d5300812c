/* The end of a question by the deadline of its intent's portfolio. Pure. */
#include "domain/answer/resolve.h"

#define WHY STR("portfolio_deadline_exceeded")

static const struct err *deadline_append(struct arena *a, struct decision *d,
                                         const char *type,
                                         const struct json *payload)
{
    const struct event_draft draft = {.type = type,
                                      .by = event_by_clock(),
                                      .payload = payload,
                                      .decides = true};
    return event_append(a, d->intent->id, &draft, d->now, &d->intent->tail,
                        d->events);
}

const struct err *resolve_deadline(struct arena *a, struct decision *d)
{
    struct suspension *s = d->suspension;
    s->state = SUSPENSION_EXPIRED;
    s->abandonment_reason = WHY;
    s->next_attempt_at = 0;
    s->outcome = OUTCOME_NONE;
    s->response = STR_NONE;
    s->responded_by = event_by_clock().name;
    s->responded_via = VIA_CLOCK;
    s->responded_at = suspension_end(s, d->now);
    s->audit_summary =
        STR("The deadline of the portfolio passed before anybody answered. "
            "Nothing was approved, and the task was stopped.");
    struct json *expired = json_object(a);
    json_set_text(expired, "suspension_id", s->id);
    json_set_text(expired, "reason", STR("portfolio_deadline"));
    json_set_text(expired, "portfolio_id", d->deadline.portfolio_id);
    json_set_text(expired, "fallback_policy",
                  vocabulary_fallback_policy(s->fallback_policy)->wire);
    json_set_int(expired, "attempts", s->attempt);
    TRY(deadline_append(a, d, "intent.suspension_expired", expired));
    struct json *abandoned =
        intent_status_changed(a, d->intent->status, INTENT_ABANDONED, WHY);
    json_set_text(abandoned, "abandonment_reason", WHY);
    json_set_text(abandoned, "portfolio_id", d->deadline.portfolio_id);
    json_set_text(abandoned, "suspension_id", s->id);
    TRY(deadline_append(a, d, "status_changed", abandoned));
    d->intent->status = INTENT_ABANDONED;
    return suspension_put_mirror(a, s, d->intent);
}

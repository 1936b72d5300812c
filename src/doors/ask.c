/* Suspending an intent: what the native and the OpenIntent door share. */
#include "doors/ask.h"

#include "domain/retry.h"
#include "store/endpoints.h"

static const struct err *open_question(struct call *c, const struct work *w)
{
    struct json *more = json_object(c->a);
    json_set_text(more, "suspension_id", w->suspension.id);
    return err_more(c->a,
                    ERROR(ERR_CONFLICT, "suspension.open",
                          "This intent has an open question already. It is "
                          "sealed until it is answered or cancelled; ask "
                          "another one in a child intent."),
                    more);
}

/* What happens when nobody answers, and whether that may happen. */
static const struct err *settle_silence(struct call *c, struct suspension *s)
{
    const struct retry_defaults defaults = {
        .agent = c->who.retry_policy,
        .platform = c->serve->conf->default_retry_policy};
    TRY(retry_apply(c->a, s, &defaults));
    return retry_check_fallback(c->a, s, s->strict);
}

/* Whom to tell, once the question has been put down. */
static const struct deliveries_notice *notice(struct call *c,
                                              const struct work *w,
                                              const struct channels *all)
{
    struct deliveries_notice *n = arena_new(c->a, struct deliveries_notice);
    *n = (struct deliveries_notice){
        .channels = all,
        .news = CHANNEL_ASKED,
        .suspension = &w->suspension,
        .notify_to = channel_first(c->a, &w->suspension),
        .url = call_url(c, "/suspensions/", w->suspension.id),
        .sequence = w->suspension.asked_sequence,
        .now = w->now};
    return n;
}

const struct err *ask_suspend(struct call *c, struct work *w,
                              struct suspension *s)
{
    struct channels *all = arena_new(c->a, struct channels);
    if (w->has_suspension && w->suspension.state == SUSPENSION_PENDING)
        return open_question(c, w);
    s->intent_id = w->intent.id;
    s->seq = w->has_suspension ? w->suspension.seq + 1 : 1;
    s->asked_by = principal_actor(&c->who);
    s->asked_by_key = c->who.id;
    s->initiated_by = w->intent.initiated_by;
    TRY(settle_silence(c, s));
    TRY(endpoints_channels(c->pg, c->a, all));
    TRY(channel_check(c->a, all, s, s->strict));
    TRY(suspension_seal(c->a, s, w->now));
    TRY(work_event(w, "intent.suspended", s->asked_by,
                   suspension_payload(c->a, s)));
    s->asked_sequence = w->intent.tail.sequence;
    TRY(suspension_put_mirror(c->a, s, &w->intent));
    w->suspension = *s;
    w->has_suspension = true;
    w->suspension_new = true;
    if (all->n > 0)
        w->notice = notice(c, w, all);
    return NULL;
}

/* Part of the clock: expired leases and access, coordinators that do not
 * respond, and rows past their retention. A lease of a suspended intent ends
 * only with the access of its agent. */
#include "work/lapse.h"

#include "base/clock.h"
#include "store/deliveries.h"
#include "store/endpoints.h"
#include "store/events.h"
#include "store/initiations.h"
#include "store/intents.h"
#include "store/permit_tokens.h"
#include "store/secrets.h"
#include "store/sign_ins.h"
#include "work/access.h"

#define DAY (86400 * CLOCK_SECOND)
/* Time until skipped leases and old rows are looked for again. */
#define AGAIN (60 * CLOCK_SECOND)

/* Is it time again? A clock that was set back does not delay it. */
static bool again(int64_t last, int64_t now)
{
    return last == 0 || now < last || now - last >= AGAIN;
}

/* ---- leases --------------------------------------------------------- */

/* A full log does not keep a lease active. */
static const struct err *end_lease(struct work *w, struct lease *l)
{
    const struct deliveries_news news = {
        .intent = &w->intent, .events = &w->events, .now = w->now};
    w->events.n = 0;
    l->status = LEASE_EXPIRED;
    leases_queue_update(w->pg, w->arena, l);
    const struct err *e =
        work_event(w, "lease_released", event_by_clock(),
                   lease_payload(w->arena, l, "expired"));
    if (e)
        return err_is(e, event_log_full) ? NULL : e;
    events_queue(w->pg, w->arena, w->intent.id, &w->events);
    deliveries_queue(w->pg, w->arena, &news);
    return NULL;
}

static const struct err *end_leases(struct due_leases *due, struct work *w)
{
    for (size_t i = 0; i < due->leases.n; i++) {
        if (!str_eq(due->leases.v[i].intent_id, w->intent.id))
            continue;
        TRY(end_lease(w, &due->leases.v[i]));
    }
    intents_queue_update(w->pg, w->arena, &w->intent);
    return NULL;
}

static const struct err *lapse_some(struct pg *pg, struct arena *a,
                                   struct due_leases *due)
{
    for (size_t i = 0; i < due->n; i++)
        TRY(end_leases(due, &due->v[i]));
    return due_commit(pg, a, due->v, due->n);
}

const struct err *lapse_leases(struct lapse *r, struct pg *pg, struct arena *a,
                              int64_t now, bool *more)
{
    struct due_leases due;
    if (again(r->swept_at, now)) {
        r->place = (struct due_place){.at = 0};
        r->swept_at = now;
    }
    *more = false;
    TRY(due_leases(pg, a, now, &r->place, &due));
    *more = !due.end;
    return due.n > 0 ? lapse_some(pg, a, &due) : NULL;
}

/* ---- coordinators --------------------------------------------------- */

/* A full log does not keep the supervisor from hearing of it. */
static const struct err *tell_lapsed(struct work *w,
                                     const struct coordinator *c,
                                     const struct channels *channels,
                                     struct str url)
{
    const struct suspension about =
        coordinator_lapsed_notice(w->arena, c, w->intent.title);
    const struct err *e =
        work_event(w, "coordinator.unresponsive", event_by_clock(),
                   coordinator_lapsed(w->arena, c, w->now));
    if (e && !err_is(e, event_log_full))
        return e;
    const struct deliveries_news news = {
        .intent = &w->intent, .events = &w->events, .now = w->now};
    const struct deliveries_notice notice = {.channels = channels,
                                             .news = CHANNEL_UNRESPONSIVE,
                                             .suspension = &about,
                                             .notify_to = c->supervisor_id,
                                             .url = url,
                                             .sequence =
                                                 w->intent.tail.sequence,
                                             .now = w->now};
    due_queue_told(w->pg, w->arena, w->now, c);
    intents_queue_update(w->pg, w->arena, &w->intent);
    events_queue(w->pg, w->arena, w->intent.id, &w->events);
    deliveries_queue(w->pg, w->arena, &news);
    deliveries_queue_notice(w->pg, w->arena, &notice);
    return NULL;
}

const struct err *lapse_coordinators(struct pg *pg, struct arena *a,
                                    int64_t now, const struct conf *conf,
                                    bool *more)
{
    struct channels *channels = arena_new(a, struct channels);
    struct due_coordinators due;
    *more = false;
    TRY(due_coordinators(pg, a, now, &due));
    if (due.n == 0)
        return NULL;
    TRY(endpoints_channels(pg, a, channels));
    for (size_t i = 0; i < due.n; i++) {
        struct work *w = &due.v[i];
        for (size_t k = 0; k < due.lapsed.n; k++) {
            if (str_eq(due.lapsed.v[k].intent_id, w->intent.id))
                TRY(tell_lapsed(w, &due.lapsed.v[k], channels,
                                conf_address(a, conf, "/intents/",
                                             w->intent.id)));
        }
    }
    TRY(due_commit(pg, a, due.v, due.n));
    *more = true;
    return NULL;
}

/* ---- access ---------------------------------------------------------- */

static const struct err *end_access(const struct access_dues *due,
                                    struct work *w)
{
    struct acl_entry *over = arena_many(w->arena, due->over.n + 1,
                                        struct acl_entry);
    const struct deliveries_news news = {
        .intent = &w->intent, .events = &w->events, .now = w->now};
    size_t n = 0;
    for (size_t i = 0; i < due->over.n; i++) {
        if (str_eq(due->over.v[i].intent_id, w->intent.id))
            over[n++] = due->over.v[i];
    }
    if (n == 0)
        return NULL; /* taken back meanwhile */
    TRY(access_expire(w, over, n));
    intents_queue_update(w->pg, w->arena, &w->intent);
    events_queue(w->pg, w->arena, w->intent.id, &w->events);
    deliveries_queue(w->pg, w->arena, &news);
    return pg_run(w->pg, w->arena, NULL);
}

const struct err *lapse_access(struct pg *pg, struct arena *a, int64_t now,
                              bool *more)
{
    struct access_dues due;
    *more = false;
    TRY(access_due(pg, a, now, &due));
    if (due.n == 0)
        return NULL;
    for (size_t i = 0; i < due.n; i++)
        TRY(end_access(&due, &due.v[i]));
    TRY(due_commit(pg, a, due.v, due.n));
    *more = true;
    return NULL;
}

/* ---- rows ----------------------------------------------------------- */

const struct err *lapse_rows(struct lapse *r, struct pg *pg, struct arena *a,
                            int64_t now, bool *more)
{
    static const int64_t kept[DUE_OLD__MAX] = {
        [DUE_IDEMPOTENCY] = 7 * DAY,
        [DUE_SESSION] = DAY,
        [DUE_DELIVERY] = 30 * DAY,
        [DUE_SUBSCRIPTION] = 0,
        [DUE_KNOWN_BROWSER] = SIGN_INS_BROWSER_LIFE,
        [DUE_SIGN_IN_FAILURE] = SIGN_INS_FORGOTTEN,
        [DUE_STORED] = 30 * DAY,
        [DUE_SECRET] = SECRETS_LIFE,
        [DUE_INITIATION] = INITIATIONS_LIFE,
        [DUE_DPOP_PROOF] = PERMIT_TOKENS_PROOF_KEPT,
        [DUE_PERMIT_TOKEN] = DAY};
    *more = false;
    if (!again(r->deleted_at, now))
        return NULL;
    for (int i = 0; i < DUE_OLD__MAX; i++) {
        size_t n = 0;
        TRY(due_delete(pg, a, (enum due_old)i, now - kept[i], &n));
        *more = *more || n == DUE_PAGE;
    }
    r->deleted_at = *more ? 0 : now;
    return NULL;
}

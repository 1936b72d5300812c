/* Part of the clock: expired leases and access, coordinators that do not
 * respond, and rows past their retention. A lease of a suspended intent ends
 * only with the access of its agent. */
#include "work/clock/lapse.h"

#include "base/clock.h"
#include "store/intent/intents.h"
#include "store/permit/initiations.h"
#include "store/permit/permit_tokens.h"
#include "store/person/secrets.h"
#include "store/person/sign_ins.h"
#include "store/sending/endpoints.h"
#include "work/access.h"

#define DAY (86400 * CLOCK_SECOND)
/* Time until skipped leases and old rows are looked for again. */
#define AGAIN (60 * CLOCK_SECOND)

/* Is it time again? A clock that was set back does not delay it. */
static bool lapse_again(int64_t last, int64_t now)
{
    return last == 0 || now < last || now - last >= AGAIN;
}

/* ---- leases --------------------------------------------------------- */

const struct err *lapse_leases(struct lapse *r, const struct work *clock,
                               bool *more)
{
    struct due_leases due;
    if (lapse_again(r->swept_at, clock->now)) {
        r->place = (struct due_place){.at = 0};
        r->swept_at = clock->now;
    }
    *more = false;
    TRY(due_leases(clock, &r->place, &due));
    *more = !due.end;
    for (size_t i = 0; i < due.n; i++) {
        struct work *w = &due.v[i];
        for (size_t k = 0; k < due.leases.n; k++) {
            struct lease *l = &due.leases.v[k];
            if (!str_eq(l->intent_id, w->intent.id))
                continue;
            w->events.n = 0;
            l->status = LEASE_EXPIRED;
            leases_queue_update(w->pg, w->arena, l);
            const struct err *e =
                work_event(w, "lease_released", event_by_clock(),
                           lease_payload(w->arena, l, "expired"));
            if (!e)
                work_queue_events(w);
            else if (!err_is(e, event_log_full))
                return e; /* a full log does not keep a lease active */
        }
        intents_queue_update(w->pg, w->arena, &w->intent);
    }
    return due.n > 0 ? due_commit(clock, due.v, due.n) : NULL;
}

/* ---- coordinators --------------------------------------------------- */

/* A full log does not keep the supervisor from hearing of it. */
static const struct err *lapse_coordinator(struct work *w,
                                           const struct coordinator *c,
                                           const struct channels *channels)
{
    const struct suspension about =
        coordinator_lapsed_notice(w->arena, c, w->intent.title);
    w->events.n = 0; /* those of another one of the intent are queued */
    const struct err *e =
        work_event(w, "coordinator.unresponsive", event_by_clock(),
                   coordinator_lapsed(w->arena, c, w->now));
    if (e && !err_is(e, event_log_full))
        return e;
    const struct deliveries_notice notice = {
        .channels = channels,
        .news = CHANNEL_UNRESPONSIVE,
        .suspension = &about,
        .notify_to = c->supervisor_id,
        .url = conf_address(w->arena, w->conf, "/intents/", w->intent.id),
        .sequence = w->intent.tail.sequence,
        .now = w->now};
    due_queue_told(w, c);
    w->notice = &notice;
    work_queue(w);
    w->notice = NULL;
    return NULL;
}

const struct err *lapse_coordinators(const struct work *clock, bool *more)
{
    struct channels *channels = arena_new(clock->arena, struct channels);
    struct due_coordinators due;
    *more = false;
    TRY(due_coordinators(clock, &due));
    if (due.n == 0)
        return NULL;
    TRY(endpoints_channels(clock->pg, clock->arena, channels));
    for (size_t i = 0; i < due.n; i++) {
        for (size_t k = 0; k < due.lapsed.n; k++) {
            if (str_eq(due.lapsed.v[k].intent_id, due.v[i].intent.id))
                TRY(lapse_coordinator(&due.v[i], &due.lapsed.v[k], channels));
        }
    }
    TRY(due_commit(clock, due.v, due.n));
    *more = true;
    return NULL;
}

/* ---- access ---------------------------------------------------------- */

const struct err *lapse_access(const struct work *clock, bool *more)
{
    struct due_accesses due;
    *more = false;
    TRY(due_access(clock, &due));
    if (due.n == 0)
        return NULL;
    for (size_t i = 0; i < due.n; i++) {
        struct work *w = &due.v[i];
        struct acl_entry *over =
            arena_many(w->arena, due.over.n + 1, struct acl_entry);
        size_t n = 0;
        for (size_t k = 0; k < due.over.n; k++) {
            if (str_eq(due.over.v[k].intent_id, w->intent.id))
                over[n++] = due.over.v[k];
        }
        if (n == 0)
            continue; /* revoked meanwhile */
        TRY(access_expire(w, over, n));
        work_queue(w);
        TRY(pg_run(w->pg, w->arena, NULL));
    }
    TRY(due_commit(clock, due.v, due.n));
    *more = true;
    return NULL;
}

/* ---- rows ----------------------------------------------------------- */

const struct err *lapse_rows(struct lapse *r, const struct work *clock,
                             bool *more)
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
    if (!lapse_again(r->deleted_at, clock->now))
        return NULL;
    for (int i = 0; i < DUE_OLD__MAX; i++) {
        size_t n = 0;
        TRY(due_delete(clock->pg, clock->arena, (enum due_old)i,
                       clock->now - kept[i], &n));
        *more = *more || n == DUE_PAGE;
    }
    r->deleted_at = *more ? 0 : clock->now;
    return NULL;
}

/* Part of the clock: expired leases and access, coordinators that do not
 * respond, and rows past their retention. A lease of a suspended intent ends
 * only with the access of its agent. */
#include "work/clock/lapse.h"

#include "base/clock.h"
#include "domain/question/artifact.h"
#include "store/intent/intents.h"
#include "store/log/log_anchors.h"
#include "store/permit/initiations.h"
#include "store/permit/permit_tokens.h"
#include "store/person/secrets.h"
#include "store/person/sign_ins.h"
#include "store/sending/endpoints.h"
#include "store/plan/coordinators.h"
#include "store/question/searches.h"
#include "store/sql.gen.h"
#include "work/access.h"
#include "world/wake.h"

#define DAY (86400 * CLOCK_SECOND)
/* Time until skipped leases and old rows are looked for again. */
#define AGAIN (60 * CLOCK_SECOND)
#define PAGE 500 /* rows of one statement that deletes */

/* Between two looks at what the search needs. */
#define SEARCH (5 * CLOCK_SECOND)
/* Younger rows may not all be there yet: a transaction ends sooner, and clocks
 * of hosts differ by less. */
#define SETTLED (120 * CLOCK_SECOND)

static bool lapse_after(int64_t last, int64_t now, int64_t pause)
{
    return last == 0 || now < last || now - last >= pause;
}

/* Is it time again? A clock that was set back does not delay it. */
static bool lapse_again(int64_t last, int64_t now)
{
    return lapse_after(last, now, AGAIN);
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
            /* A full log does not keep a lease active. */
            TRY(work_event_optional(w, "lease_released", event_by_clock(),
                                    lease_payload(w->arena, l, "expired")));
            work_queue_events(w);
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
    TRY(work_event_optional(w, "coordinator.unresponsive", event_by_clock(),
                            coordinator_lapsed(w->arena, c, w->now)));
    const struct deliveries_notice notice = {
        .channels = channels,
        .news = CHANNEL_UNRESPONSIVE,
        .suspension = &about,
        .notify_to = c->supervisor_id,
        .url = conf_address(w->arena, w->conf, "/intents/", w->intent.id),
        .sequence = w->intent.tail.sequence,
        .now = w->now};
    pg_queue(w->pg, w->arena, SQL_DUE_COORDINATOR_TOLD,
             PG(pg_text(c->id), pg_moment(w->now)));
    w->notice = &notice;
    work_queue(w);
    w->notice = NULL;
    return NULL;
}

static const struct err *lapse_coordinators_of(struct work *w, void *rows,
                                               size_t n)
{
    const struct coordinator *v = rows;
    struct channels *channels = arena_new(w->arena, struct channels);
    TRY(endpoints_channels(w->pg, w->arena, channels));
    for (size_t i = 0; i < n; i++)
        TRY(lapse_coordinator(w, &v[i], channels));
    return pg_run(w->pg, w->arena, NULL);
}

const struct err *lapse_coordinators(const struct work *clock, bool *more)
{
    static const struct due_kind kind = {
        SQL_DUE_COORDINATORS, SQL_DUE_COORDINATORS_LAPSED, &coordinator_record,
        offsetof(struct coordinator, intent_id)};
    *more = false;
    TRY(pg_query(clock->pg, clock->arena, SQL_DUE_COORDINATORS_ALONE,
                 PG(pg_moment(clock->now)), NULL));
    return due_each(clock, &kind, lapse_coordinators_of, more);
}

/* ---- access ---------------------------------------------------------- */

static const struct err *lapse_access_of(struct work *w, void *rows, size_t n)
{
    TRY(access_expire(w, rows, n));
    work_queue(w);
    return pg_run(w->pg, w->arena, NULL);
}

const struct err *lapse_access(const struct work *clock, bool *more)
{
    static const struct due_kind kind = {
        SQL_DUE_ACL, SQL_DUE_ACL_OF, &acl_entry_record,
        offsetof(struct acl_entry, intent_id)};
    return due_each(clock, &kind, lapse_access_of, more);
}

/* ---- anchors --------------------------------------------------------- */

/* A full log does not keep a checkpoint from its anchor. */
static const struct err *lapse_anchors_of(struct work *w, void *rows, size_t n)
{
    const struct log_anchor *v = rows;
    for (size_t i = 0; i < n; i++) {
        w->events.n = 0;
        pg_queue(w->pg, w->arena, SQL_DUE_ANCHOR,
                 PG(pg_text(v[i].checkpoint_id), pg_text(v[i].anchor)));
        TRY(work_event_optional(w, "log.checkpoint.anchored",
                                event_by_server(),
                                log_anchor_payload(w->arena, &v[i])));
        work_queue_events(w);
    }
    intents_queue_update(w->pg, w->arena, &w->intent);
    return pg_run(w->pg, w->arena, NULL);
}

const struct err *lapse_anchors(const struct work *clock, bool *more)
{
    static const struct due_kind kind = {
        SQL_DUE_ANCHORS, SQL_DUE_ANCHORS_OF, &log_anchor_record,
        offsetof(struct log_anchor, intent_id)};
    struct str *ids;
    size_t n = 0;
    *more = false;
    if (!clock->conf->tsa_url.n)
        return NULL;
    TRY(due_each(clock, &kind, lapse_anchors_of, more));
    TRY(pg_query(clock->pg, clock->arena, SQL_DUE_ANCHORS_ALONE, NULL, NULL));
    TRY(log_anchors_done(clock->pg, clock->arena, &ids, &n));
    for (size_t i = 0; i < n; i++)
        wake_changed(log_anchor_wake(clock->arena, ids[i]), clock_now(),
                     STR_NONE);
    return NULL;
}

/* ---- the search ------------------------------------------------------- */

const struct err *lapse_search(struct lapse *r, const struct work *clock,
                               bool *more)
{
    bool read = false, ended = false, open = false;
    *more = false;
    if (!lapse_after(r->searched_at, clock->now, SEARCH))
        return NULL;
    TRY(searches_read(clock->pg, clock->arena, &read));
    TRY(searches_parts(clock->pg, clock->arena, false, clock->now - SETTLED,
                       &ended));
    TRY(searches_parts(clock->pg, clock->arena, true, clock->now - SETTLED,
                       &open));
    if (lapse_again(r->parted_at, clock->now)) {
        TRY(searches_part_end(clock->pg, clock->arena));
        r->parted_at = clock->now;
    }
    *more = read || ended || open;
    r->searched_at = *more ? 0 : clock->now;
    return NULL;
}

/* ---- rows ----------------------------------------------------------- */

const struct err *lapse_rows(struct lapse *r, const struct work *clock,
                             bool *more)
{
    static const struct {
        int statement;
        int64_t kept;
    } old[] = {{SQL_DUE_IDEMPOTENCY_DELETE, 7 * DAY},
               {SQL_DUE_SESSION_DELETE, DAY},
               {SQL_DUE_DELIVERY_DELETE, 30 * DAY},
               {SQL_DUE_SUBSCRIPTION_DELETE, 0},
               {SQL_DUE_KNOWN_BROWSER_DELETE, SIGN_INS_BROWSER_LIFE},
               {SQL_DUE_SIGN_IN_FAILURE_DELETE, SIGN_INS_FORGOTTEN},
               {SQL_DUE_STORED_DELETE, 30 * DAY},
               {SQL_DUE_ARTIFACT_DELETE, ARTIFACTS_LIFE_DAYS * DAY},
               {SQL_DUE_SECRET_DELETE, SECRETS_LIFE},
               {SQL_DUE_LOG_HEAD_DELETE, DAY},
               {SQL_DUE_LOG_REQUEST_DELETE, DAY},
               {SQL_DUE_INITIATION_DELETE, INITIATIONS_LIFE},
               {SQL_DUE_DPOP_PROOF_DELETE, PERMIT_TOKENS_PROOF_KEPT},
               {SQL_DUE_PERMIT_TOKEN_DELETE, DAY}};
    *more = false;
    if (!lapse_again(r->deleted_at, clock->now))
        return NULL;
    for (size_t i = 0; i < countof(old); i++) {
        struct pg_rows *rows = NULL;
        TRY(pg_query(clock->pg, clock->arena, old[i].statement,
                     PG(pg_moment(clock->now - old[i].kept)), &rows));
        *more = *more || pg_affected(rows) == PAGE;
    }
    r->deleted_at = *more ? 0 : clock->now;
    return NULL;
}

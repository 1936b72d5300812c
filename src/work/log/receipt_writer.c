/* Signs the receipts of questions that have ended. */
#include "work/log/receipt_writer.h"

#include "base/clock.h"
#include "base/log.h"
#include "store/log/receipts.h"
#include "store/sql.gen.h"
#include "store/tables.h"

#define SALT 16 /* random bytes */
/* Between two looks at those that wait. */
#define WAKING_EVERY (5 * CLOCK_SECOND)

/* Is there no event that says how it ended, as its row has it? */
static bool receipt_writer_lost(const struct receipts_due *d)
{
    return d->end.ending != ENDING_THIS;
}

/* false: the log does not have its end, or it would be too large. */
static bool receipt_writer_sign(const struct work *clock,
                                const struct signer *k,
                                const struct receipts_due *d)
{
    struct arena *a = clock->arena;
    const struct receipt r = {.issuer = clock->conf->public_url,
                              .salt = crypt_token(a, SALT),
                              .s = &d->s,
                              .calls = d->calls,
                              .permit = d->has_permit ? &d->permit : NULL,
                              .asked = &d->asked,
                              .ended = &d->end.event};
    if (receipt_writer_lost(d) || !d->end.logged)
        return false;
    const struct str jws = receipt_sign(a, &r, k);
    if (jws.p)
        receipts_queue(clock->pg, a, &r, jws, signer_kid(a, &k->key),
                       clock->now);
    return jws.p != NULL;
}

static void receipt_writer_put_aside(const struct work *clock,
                                     const struct receipts_due *d)
{
    if (!d->late) /* else it waits for a moment */
        log_line(LOG_WARN, "seal: question %.*s has no receipt: %s",
                 STR_FMT(d->s.id),
                 receipt_writer_lost(d) ? "no event says how it ended"
                 : d->end.logged        ? "it would be too large"
                                        : "the log of its task is broken");
    receipts_queue_wait(clock->pg, clock->arena, d->s.id,
                        receipt_writer_lost(d), clock->now);
}

/* Signs the decisions that follow, up to one whose event the log does not have
 * yet. */
static const struct err *receipt_writer_follow(struct receipt_writer *w,
                                               const struct work *clock,
                                               const struct signer *k,
                                               size_t *n)
{
    struct receipts_page page;
    TRY(receipts_take(clock->pg, clock->arena, tables_restore().epoch, &page));
    for (; *n < page.n; ++*n) {
        const struct receipts_due *d = &page.v[*n];
        if (d->s.test || d->has_receipt)
            continue;
        if (!receipt_writer_lost(d) && !d->end.logged && !d->end.passed)
            break;
        if (!receipt_writer_sign(clock, k, d))
            receipt_writer_put_aside(clock, d);
        if (d->late)
            w->waking_at = 0;
    }
    if (*n > 0)
        receipts_queue_end(clock->pg, clock->arena, &page.v[*n - 1]);
    return NULL;
}

/* Signs the next of those that wait and can be signed now. */
static const struct err *receipt_writer_wake(struct receipt_writer *w,
                                             const struct work *clock,
                                             const struct signer *k, size_t *n)
{
    struct arena *a = clock->arena;
    struct receipts_page page;
    TRY(receipts_waiting(clock->pg, a, tables_restore().epoch,
                         str_of(w->after), &page));
    for (size_t i = 0; i < page.n; i++) {
        const struct receipts_due *d = &page.v[i];
        if (d->late)
            w->waking_at = 0;
        if (!d->has_receipt && !receipt_writer_sign(clock, k, d)) {
            receipts_queue_wait(clock->pg, a, d->s.id, receipt_writer_lost(d),
                                clock->now);
            continue;
        }
        receipts_queue_wait_end(clock->pg, a, d->s.id);
        ++*n;
    }
    if (!str_copy(w->after, sizeof w->after,
                  page.n ? page.v[page.n - 1].s.id : STR("")))
        w->after[0] = '\0';
    return NULL;
}

static const struct err *receipt_writer_transaction(struct receipt_writer *w,
                                                    const struct work *clock,
                                                    const struct signer *k,
                                                    bool wakes, size_t *n)
{
    pg_queue(clock->pg, NULL, SQL_BEGIN, NULL);
    TRY(pg_run(clock->pg, clock->arena, NULL));
    const struct err *e = wakes ? receipt_writer_wake(w, clock, k, n)
                                : receipt_writer_follow(w, clock, k, n);
    if (!e) {
        pg_queue(clock->pg, NULL, SQL_COMMIT, NULL);
        e = pg_run(clock->pg, clock->arena, NULL);
    }
    if (e)
        pg_rollback(clock->pg);
    return e;
}

const struct err *receipt_writer_batch(struct receipt_writer *w,
                                       const struct work *clock,
                                       const struct signer *k, size_t *n)
{
    size_t woken = 0;
    *n = 0;
    TRY(receipt_writer_transaction(w, clock, k, false, n));
    if (clock_mono() < w->waking_at)
        return NULL;
    w->waking_at = clock_mono() + WAKING_EVERY;
    TRY(receipt_writer_transaction(w, clock, k, true, &woken));
    if (woken > 0)
        w->waking_at = 0; /* there may be more */
    *n += woken;
    return NULL;
}

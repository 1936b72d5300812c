/* Signs the receipts of questions that have ended. */
#include "work/log/receipt_writer.h"

#include "store/log/receipts.h"
#include "store/sql.gen.h"
#include "store/tables.h"

#define SALT 16 /* random bytes */

static const struct err *receipt_writer_sign(const struct work *clock,
                                             const struct signer *k,
                                             const struct receipts_due *d)
{
    struct arena *a = clock->arena;
    const struct receipt r = {.issuer = clock->conf->public_url,
                              .salt = crypt_token(a, SALT),
                              .s = &d->s,
                              .permit = d->has_permit ? &d->permit : NULL,
                              .asked = &d->asked,
                              .ended = &d->ended};
    const struct str jws = receipt_sign(a, &r, k);
    if (!jws.p)
        return ERROR(ERR_INTERNAL, "internal",
                     "A receipt is larger than a receipt may be.");
    receipts_queue(clock->pg, a, &r, jws, signer_kid(a, &k->key), clock->now);
    return NULL;
}

static const struct err *receipt_writer_write(const struct work *clock,
                                              const struct signer *k,
                                              size_t *n)
{
    struct receipts_page page;
    TRY(receipts_take(clock->pg, clock->arena, tables_restore().epoch, &page));
    for (; *n < page.n; ++*n) {
        const struct receipts_due *d = &page.v[*n];
        if (d->s.test || !d->has_event)
            continue;
        if (!d->logged)
            break;
        TRY(receipt_writer_sign(clock, k, d));
    }
    if (*n > 0)
        receipts_queue_end(clock->pg, clock->arena, &page.v[*n - 1]);
    pg_queue(clock->pg, NULL, SQL_COMMIT, NULL);
    return pg_run(clock->pg, clock->arena, NULL);
}

const struct err *receipt_writer_batch(const struct work *clock,
                                       const struct signer *k, size_t *n)
{
    *n = 0;
    pg_queue(clock->pg, NULL, SQL_BEGIN, NULL);
    TRY(pg_run(clock->pg, clock->arena, NULL));
    const struct err *e = receipt_writer_write(clock, k, n);
    if (e)
        pg_rollback(clock->pg);
    return e;
}

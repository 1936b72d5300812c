/* Subscriptions in the database: struct in, struct out. Decides nothing. */
#include "store/sending/subscriptions.h"

#include "base/id.h"
#include "base/shared/metrics.h"
#include "store/rows.h"

#define SUBSCRIPTIONS_AGAIN 60 /* seconds until one may have been removed */

static const struct err *
subscriptions_check_counts(struct arena *a, const struct subscription *s,
                           const struct pg_rows *counts, int64_t most)
{
    const bool open = !s->intent_id.p && !s->portfolio_id.p;
    if (pg_int(counts, 0, 0) >= most ||
        (open && pg_int(counts, 0, 1) >= SUBSCRIPTIONS_OPEN_MAX))
        return err_retry(
            a,
            err_at(a, ERR_RATE, metrics_limit_subscriptions, STR(""),
                   "A key may have %lld subscriptions, %d of them to every "
                   "intent. Remove one first.",
                   (long long)most, SUBSCRIPTIONS_OPEN_MAX),
            SUBSCRIPTIONS_AGAIN);
    if (open && pg_int(counts, 0, 2) >= SUBSCRIPTIONS_OPEN_ALL_MAX)
        return err_at(a, ERR_CONFLICT, "subscription.too_many", STR(""),
                      "All keys together may have %d subscriptions to every "
                      "intent. Subscribe to single intents.",
                      SUBSCRIPTIONS_OPEN_ALL_MAX);
    return NULL;
}

const struct err *subscriptions_insert(struct pg *pg, struct arena *a,
                                       const struct subscription *s,
                                       struct str agent, int64_t most)
{
    struct pg_rows *r[3] = {NULL};
    /* Another transaction that adds one waits from here on. */
    pg_queue(pg, NULL, SQL_SUBSCRIPTION_COUNT_LOCK, NULL);
    pg_queue(pg, a, SQL_SUBSCRIPTION_ENDPOINT,
             PG(pg_text(agent), pg_text(s->webhook_url)));
    pg_queue(pg, a, SQL_SUBSCRIPTION_COUNTS, PG(pg_text(s->created_by)));
    TRY(pg_run(pg, a, r));
    if (pg_count(r[1]) == 0)
        return err_at(a, ERR_INVALID, "subscription.webhook_url",
                      STR("webhook_url"),
                      "This is not the address of one of your endpoints. "
                      "Register it with POST /api/v1/endpoints first.");
    TRY(subscriptions_check_counts(a, s, r[2], most));
    rows_queue(pg, a, SQL_SUBSCRIPTION_INSERT,
               PG(pg_text(pg_str(r[1], 0, 0)), pg_text(s->event_types)),
               &subscription_record, IN_INSERT, s);
    return pg_run(pg, a, NULL);
}

const struct err *subscriptions_list(struct pg *pg, struct arena *a,
                                     const struct subscriptions_page *page,
                                     struct subscription_rows *out)
{
    struct str keys[SUBSCRIPTIONS_PAGE];
    struct pg_rows *r = NULL;
    TRY(rows_list(pg, a, SQL_SUBSCRIPTION_LIST,
                  PG(pg_text(page->agent), pg_text(page->intent_id),
                     pg_text(page->after), pg_text(page->portfolio_id)),
                  &subscription_record, &out->v, &out->n));
    for (size_t i = 0; i < out->n; i++)
        keys[i] = out->v[i].created_by;
    if (out->n == 0)
        return NULL;
    TRY(pg_query(pg, a, SQL_SUBSCRIPTION_KEYS_ENDED,
                 PG(pg_texts(keys, out->n), pg_moment(page->now)), &r));
    for (size_t i = 0; i < out->n; i++) {
        struct subscription *s = &out->v[i];
        /* The subscriptions of a key end with it. */
        for (size_t k = 0; k < pg_count(r) && !s->gone; k++)
            s->gone = str_eq(s->created_by, pg_str(r, k, 0));
        s->active = subscription_active(s, page->now);
    }
    return NULL;
}

const struct err *subscriptions_remove(struct pg *pg, struct arena *a,
                                       struct str id, struct str agent)
{
    struct pg_rows *r[2] = {NULL};
    if (!id_uuid(id))
        return &subscription_record.unknown;
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, SQL_SUBSCRIPTION_DELETE, PG(pg_text(id), pg_text(agent)));
    TRY(pg_run(pg, a, r));
    TRY(pg_query(pg, a, SQL_COMMIT, NULL, NULL));
    return pg_affected(r[1]) == 0 ? &subscription_record.unknown : NULL;
}

/* Subscriptions in the database: struct in, struct out. Decides nothing. */
#include "store/subscriptions.h"

#include "base/id.h"
#include "base/shared/metrics.h"
#include "store/sql.gen.h"

#define AGAIN 60 /* seconds until one may have been removed */

enum { ID, ADDRESS, INTENT, SUBSCRIBER, TYPES, CREATED_AT, CREATED_BY,
       EXPIRES_AT, GONE, PORTFOLIO };

static struct subscription row(const struct pg_rows *r, size_t i)
{
    return (struct subscription){.id = pg_str(r, i, ID),
                                 .webhook_url = pg_str(r, i, ADDRESS),
                                 .intent_id = pg_str(r, i, INTENT),
                                 .subscriber_id = pg_str(r, i, SUBSCRIBER),
                                 .event_types = pg_str(r, i, TYPES),
                                 .created_at = pg_int(r, i, CREATED_AT),
                                 .created_by = pg_str(r, i, CREATED_BY),
                                 .expires_at = pg_int(r, i, EXPIRES_AT),
                                 .gone = pg_bool(r, i, GONE),
                                 .portfolio_id = pg_str(r, i, PORTFOLIO)};
}

static const struct err *check_counts(struct arena *a,
                                      const struct subscription *s,
                                      const struct pg_rows *counts,
                                      int64_t most)
{
    const bool open = !s->intent_id.p && !s->portfolio_id.p;
    if (pg_int(counts, 0, 0) >= most ||
        (open && pg_int(counts, 0, 1) >= SUBSCRIPTIONS_OPEN_MAX))
        return err_retry(
            a, err_at(a, ERR_RATE, metrics_limit_subscriptions, STR(""),
                      "A key may have %lld subscriptions, %d of them to every "
                      "intent. Remove one first.",
                      (long long)most, SUBSCRIPTIONS_OPEN_MAX), AGAIN);
    if (open && pg_int(counts, 0, 2) >= SUBSCRIPTIONS_OPEN_ALL_MAX)
        return err_at(a, ERR_CONFLICT, "subscription.too_many", STR(""),
                      "All keys together may have %d subscriptions to every "
                      "intent. Subscribe to single intents.",
                      SUBSCRIPTIONS_OPEN_ALL_MAX);
    return NULL;
}

/* Reads the records that it refers to; another transaction that adds one waits
 * from here on. */
static const struct err *resolve(struct pg *pg, struct arena *a,
                                 const struct subscription *s,
                                 struct str agent, int64_t most,
                                 struct str *endpoint)
{
    struct pg_rows *r[3] = {NULL};
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
    *endpoint = pg_str(r[1], 0, 0);
    return check_counts(a, s, r[2], most);
}

const struct err *subscriptions_insert(struct pg *pg, struct arena *a,
                                       const struct subscription *s,
                                       struct str agent, int64_t most)
{
    struct str endpoint = STR_NONE;
    TRY(resolve(pg, a, s, agent, most, &endpoint));
    return pg_query(pg, a, SQL_SUBSCRIPTION_INSERT,
                    PG(pg_text(s->id), pg_text(endpoint),
                       pg_text(s->intent_id), pg_text(s->subscriber_id),
                       pg_text(s->event_types), pg_moment(s->created_at),
                       pg_text(s->created_by), pg_moment(s->expires_at),
                       pg_text(s->portfolio_id)),
                    NULL);
}

/* The subscriptions of a key end with it. */
static const struct err *mark_ended(struct pg *pg, struct arena *a,
                                    int64_t now, struct subscription_rows *s)
{
    struct str keys[SUBSCRIPTIONS_PAGE];
    struct pg_rows *r = NULL;
    for (size_t i = 0; i < s->n; i++)
        keys[i] = s->v[i].created_by;
    if (s->n == 0)
        return NULL;
    TRY(pg_query(pg, a, SQL_SUBSCRIPTION_KEYS_ENDED,
                 PG(pg_texts(keys, s->n), pg_moment(now)), &r));
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < pg_count(r) && !s->v[i].gone; k++)
            s->v[i].gone = str_eq(s->v[i].created_by, pg_str(r, k, 0));
    }
    return NULL;
}

const struct err *subscriptions_list(struct pg *pg, struct arena *a,
                                     const struct subscriptions_page *page,
                                     struct subscription_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_SUBSCRIPTION_LIST,
                 PG(pg_text(page->agent), pg_text(page->intent_id),
                    pg_text(page->after), pg_text(page->portfolio_id)),
                 &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct subscription);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = row(r, i);
    return mark_ended(pg, a, page->now, out);
}

const struct err *subscriptions_remove(struct pg *pg, struct arena *a,
                                       struct str id, struct str agent)
{
    struct pg_rows *r[2] = {NULL};
    const struct err *unknown =
        ERROR(ERR_NOT_FOUND, "subscription.unknown",
              "There is no subscription with this id.");
    if (!id_uuid(id))
        return unknown;
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, SQL_SUBSCRIPTION_DELETE, PG(pg_text(id), pg_text(agent)));
    TRY(pg_run(pg, a, r));
    TRY(pg_query(pg, a, SQL_COMMIT, NULL, NULL));
    return pg_affected(r[1]) == 0 ? unknown : NULL;
}

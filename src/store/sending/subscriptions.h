/* Subscriptions in the database: struct in, struct out. Decides nothing. */
#ifndef STORE_SENDING_SUBSCRIPTIONS_H
#define STORE_SENDING_SUBSCRIPTIONS_H

#include "domain/sending/subscription.h"
#include "world/pg/pg.h"

/* Subscriptions to every intent cost a row in every transaction, so their
 * number is limited: of one key, and of all. */
#define SUBSCRIPTIONS_OPEN_MAX 10
#define SUBSCRIPTIONS_OPEN_ALL_MAX 100
#define SUBSCRIPTIONS_PAGE 200

struct subscription_rows {
    struct subscription *v;
    size_t n;
};

/* Finds the endpoint whose address is s->webhook_url: the agent's, or with
 * agent p NULL first the one for every agent; and stores s on it. Within the
 * caller's transaction. ERR_INVALID subscription.webhook_url where there is
 * none; ERR_RATE limit.subscriptions where the key has reached its limit, or
 * SUBSCRIPTIONS_OPEN_MAX to every intent; ERR_CONFLICT subscription.too_many
 * from SUBSCRIPTIONS_OPEN_ALL_MAX on. */
const struct err *subscriptions_insert(struct pg *pg, struct arena *a,
                                       const struct subscription *s,
                                       struct str agent, int64_t most) MUST;
/* Those on the agent's endpoints, or with agent p NULL on all; of one intent
 * or portfolio where its id is given; after the id after (p NULL: from the
 * start), by id, at most SUBSCRIPTIONS_PAGE. Their state is the current one. */
struct subscriptions_page {
    struct str agent, intent_id, portfolio_id, after;
    int64_t now;
};
const struct err *subscriptions_list(struct pg *pg, struct arena *a,
                                     const struct subscriptions_page *page,
                                     struct subscription_rows *out) MUST;
/* ERR_NOT_FOUND subscription.unknown, also for one on another agent's endpoint.
 * A transaction of two batches: the check sent ahead of the first can still
 * refuse it. */
const struct err *subscriptions_remove(struct pg *pg, struct arena *a,
                                       struct str id, struct str agent) MUST;

#endif

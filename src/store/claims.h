/* Claims about what a restore lost, in the database. */
#ifndef STORE_CLAIMS_H
#define STORE_CLAIMS_H

#include "domain/containers/claim.h"
#include "domain/suspension.h"
#include "world/pg.h"

struct claims {
    struct claim v[CLAIMS_MAX];
    size_t n;
};
/* Those of the question, the oldest first. Asks the database only where the
 * question is from before a loss. */
const struct err *claims_list(struct pg *pg, struct arena *a,
                              const struct suspension *s,
                              struct claims *out) MUST;
/* Did a restore lose something of the question? In a transaction: locks its
 * intent, and then reads its claims. */
const struct err *claims_begin(struct pg *pg, struct arena *a,
                               const struct suspension *s, bool *lost,
                               struct claims *out) MUST;
/* Into the current batch: the n-th claim, from 1. */
void claims_queue_insert(struct pg *pg, struct arena *a, struct str id,
                         const struct claim *c, size_t n, struct str key_id);

#endif

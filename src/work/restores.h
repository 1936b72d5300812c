/* Restores to an older point, in the database: the things that one takes back,
 * and the claims of agents about what it lost. That there was one is heard with
 * the connection (store/tables.h). */
#ifndef WORK_RESTORES_H
#define WORK_RESTORES_H

#include "domain/containers/claim.h"
#include "domain/question/suspension.h"
#include "world/pg/pg.h"

/* ---- taking back ---------------------------------------------------- */

/* A restore that is reported: all was lost from here on, and it is now. */
struct restores_loss {
    int64_t from, now;
};
struct restores_taken {
    int64_t permits, answers; /* that can no longer be used */
    int64_t open;             /* questions */
};
/* In the running transaction: revokes each permit that somebody could have
 * been given, or have used, since then, with an event and a message to its
 * agent as any other revocation; and each yes without a permit. */
const struct err *restores_take(struct pg *pg, struct arena *a,
                                const struct restores_loss *loss,
                                struct restores_taken *out) MUST;

/* ---- claims --------------------------------------------------------- */

struct restores_claims {
    struct claim v[CLAIMS_MAX];
    size_t n;
};
/* Those of the question, the oldest first. Asks the database only where the
 * question is from before a loss. */
const struct err *restores_claims(struct pg *pg, struct arena *a,
                                  const struct suspension *s,
                                  struct restores_claims *out) MUST;
/* In a transaction: locks the question's intent, and then reads its claims.
 * *lost: a restore lost something of it. */
const struct err *restores_lock_claims(struct pg *pg, struct arena *a,
                                       const struct suspension *s, bool *lost,
                                       struct restores_claims *out) MUST;
/* Into the current batch: the n-th claim, from 1. */
void restores_queue_claim(struct pg *pg, struct arena *a, struct str id,
                          const struct claim *c, size_t n, struct str key_id);

#endif

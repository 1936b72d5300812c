/* Access tokens of permits, and the proofs that were used, in the database.
 * Only the digest of a token is stored. */
#ifndef STORE_PERMIT_PERMIT_TOKENS_H
#define STORE_PERMIT_PERMIT_TOKENS_H

#include "base/clock.h"
#include "base/err.h"
#include "domain/vocabulary.h"
#include "world/pg/pg.h"

/* No proof is accepted for longer: its nonce or its time has passed. */
#define PERMIT_TOKENS_PROOF_KEPT (INT64_C(600) * CLOCK_SECOND)

struct permit_token {
    struct str permit_id;
    struct str jkt; /* of the key that it is bound to; p NULL: a bearer token */
    int64_t issued_at, expires_at;
    /* Set by permit_tokens_get. */
    bool ended;                /* before its time */
    enum intent_status intent; /* of its permit */
    struct str initiated_by;   /* the intent; p NULL: nobody */
    bool question_open;        /* of the intent */
};
enum permit_tokens_why {
    PERMIT_TOKENS_REPLACED,
    PERMIT_TOKENS_REVOKED,
    PERMIT_TOKENS_SPENT,
    PERMIT_TOKENS__MAX
};

/* A new token: "sat_" and 32 random bytes. */
struct str permit_tokens_text(struct arena *a);
/* By its text; *found false: there is none. */
const struct err *permit_tokens_get(struct pg *pg, struct arena *a,
                                    struct str text,
                                    struct permit_token *out,
                                    bool *found) MUST;
/* Into the current batch. A permit has one live token: end the other first. */
void permit_tokens_queue_insert(struct pg *pg, struct arena *a,
                                const struct permit_token *t, struct str text);
/* Into the current batch: ends the live token of a permit, if it has one. */
void permit_tokens_queue_end(struct pg *pg, struct arena *a,
                             struct str permit_id, enum permit_tokens_why why,
                             int64_t now);
/* Ends a token of that agent, unless it has ended; *done false: any other
 * token is left as it is. */
const struct err *permit_tokens_revoke(struct pg *pg, struct arena *a,
                                       struct str text, struct str agent,
                                       int64_t now, bool *done) MUST;
/* Stores a proof in the transaction at hand; *fresh is false where it is
 * known. */
const struct err *permit_tokens_proof(struct pg *pg, struct arena *a,
                                      struct str jkt, struct str jti_sha256,
                                      int64_t now, bool *fresh) MUST;

#endif

/* Permits at their doors: the lock, the facts and the proofs of a key that
 * requests for tokens and uses share. */
#ifndef DOORS_ASKING_GRANT_H
#define DOORS_ASKING_GRANT_H

#include "domain/dpop.h"
#include "doors/call/call.h"
#include "store/permits.h"

/* Begins work on the intent of a permit, whose lock is the permit's too, and
 * reads the permit again. ERR_NOT_FOUND permit.unknown; those of call_begin. */
const struct err *grant_begin(struct call *c, struct work *w,
                              struct permits_row *row) MUST;
/* The facts that decide about its use. */
struct permit_case grant_case(const struct permits_row *row,
                              const struct work *w);

/* Reads the header DPoP of a POST to one of our own addresses; *sent is false
 * where there is none. Sets DPoP-Nonce where the client needs a new one. Errors
 * of dpop_check. */
const struct err *grant_proof(struct call *c, struct dpop *out,
                              bool *sent) MUST;
/* Stores a proof in the transaction at hand. ERR_UNAUTHENTICATED
 * dpop.replay. */
const struct err *grant_proof_keep(struct call *c, const struct dpop *proof,
                                   int64_t now) MUST;

#endif

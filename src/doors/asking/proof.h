/* The proof of a key that a request brings (RFC 9449). */
#ifndef DOORS_ASKING_PROOF_H
#define DOORS_ASKING_PROOF_H

#include "domain/permit/dpop.h"
#include "doors/call/call.h"

/* Reads the header DPoP of a POST to one of our own addresses; *sent is false
 * where there is none. Sets DPoP-Nonce where the client needs a new one. Errors
 * of dpop_check. */
const struct err *proof_read(struct call *c, struct dpop *out,
                             bool *sent) MUST;

#endif

/* Proofs that a caller holds a key: DPoP (RFC 9449).
 *
 * A proof is a small signed token with its public key, a new one for each
 * request. At the token endpoint it carries a nonce of the server, so that a
 * proof made in advance expires; at a resource its time and the token's digest
 * instead. The caller stores each jti and refuses one that it has seen. The
 * bytes of a signature do not identify a proof: two signatures hold. Pure. */
#ifndef DOMAIN_PERMIT_DPOP_H
#define DOMAIN_PERMIT_DPOP_H

#include "base/err.h"

#define DPOP_MAX ((size_t)4 << 10) /* bytes of a proof */
#define DPOP_JTI_MIN 8
#define DPOP_JTI_MAX 256
#define DPOP_SLOT 120     /* seconds; a nonce lives through the next slot */
#define DPOP_PAST 60      /* seconds that a proof may be old */
#define DPOP_FUTURE 10    /* or ahead */

/* The requirements on a proof. */
struct dpop_want {
    struct str method;  /* "POST" */
    struct str address; /* the called address as the server knows it, never
                         * from a header */
    struct str nonce_secret; /* p NULL: no nonce; the time is checked */
    struct str token; /* the access token that is sent with it; p NULL: there
                       * is none */
    struct str jkt;   /* the required key's thumbprint; p NULL: any key */
    int64_t now;
    /* Checks a signature of P-256: world/ecdsa.h. */
    bool (*p256)(struct str x, struct str y, struct str signature,
                 struct str message);
};

struct dpop {
    struct str jkt;        /* thumbprint of its key (RFC 7638) */
    struct str jti_sha256; /* hexadecimal; unique for each jkt */
    bool new_nonce;        /* the nonce is not of this slot: send a new one */
};

/* Codes that callers compare: dpop.proof and so on. */
extern const char dpop_wrong[];
extern const char dpop_no_nonce[];
extern const char dpop_other_key[];
extern const char dpop_replay[];

/* Checks everything but the jti, cheap checks first. ERR_UNAUTHENTICATED
 * dpop.proof; dpop.nonce for a missing, foreign or old nonce;
 * dpop.other_key. */
const struct err *dpop_check(struct arena *a, struct str proof,
                             const struct dpop_want *want,
                             struct dpop *out) MUST;
/* The error for a proof whose jti was seen before: dpop.replay. */
const struct err *dpop_replayed(void) MUST;
/* The nonce of this slot, the same on all hosts with this secret. */
struct str dpop_nonce(struct arena *a, struct str secret, int64_t now);
/* Is the address the place, or an address below it? */
bool dpop_below(struct arena *a, struct str address, struct str place);
/* An http or https address in its normal form, without query and fragment
 * (RFC 3986 6.2.2, 6.2.3); p NULL for anything else. */
struct str dpop_address(struct arena *a, struct str address);

#endif

/* Proofs that a caller holds a key: DPoP (RFC 9449).
 *
 * A proof is a small signed token with its public key, made anew for each
 * request. At the token endpoint it carries a nonce of ours, so that one made
 * in advance dies; at a resource its time and the token's digest instead.
 * That its jti was not seen before is for the caller to know, who stores it:
 * never by the signature, of which two hold. */
#ifndef DOMAIN_DPOP_H
#define DOMAIN_DPOP_H

#include "base/err.h"

#define DPOP_MAX ((size_t)4 << 10) /* bytes of a proof */
#define DPOP_JTI_MIN 8
#define DPOP_JTI_MAX 256
#define DPOP_SLOT 120     /* seconds; a nonce lives through the next slot */
#define DPOP_PAST 60      /* seconds that a proof may be old */
#define DPOP_FUTURE 10    /* or ahead */

/* What has to be so. */
struct dpop_want {
    struct str method;  /* "POST" */
    struct str address; /* what was called, as we know it: no header says it */
    bool below;         /* an address below it will do */
    struct str nonce_secret; /* p NULL: no nonce; the time counts */
    struct str token; /* the access token beside it; p NULL: there is none */
    struct str jkt;   /* the key that it has to be; p NULL: any */
    int64_t now;
    /* Checks a signature of P-256: world/ecdsa.h. */
    bool (*p256)(struct str x, struct str y, struct str signature,
                 struct str message);
};

struct dpop {
    struct str jkt;        /* thumbprint of its key (RFC 7638) */
    struct str jti_sha256; /* hexadecimal; to be seen once for each jkt */
    bool turn;             /* its nonce is an old one: give out a new one */
};

/* Codes that others ask about: dpop.proof and so on. */
extern const char dpop_wrong[];
extern const char dpop_no_nonce[];
extern const char dpop_other_key[];
extern const char dpop_replay[];

/* Checks all of it but the jti, the cheap things first. ERR_UNAUTHENTICATED
 * dpop.proof; dpop.nonce where it has none of ours, or an old one;
 * dpop.other_key. */
const struct err *dpop_check(struct arena *a, struct str proof,
                             const struct dpop_want *want,
                             struct dpop *out) MUST;
/* What a proof is refused with whose jti was seen: dpop.replay. */
const struct err *dpop_seen(void) MUST;
/* The nonce of this slot. All hosts of one secret give out the same. */
struct str dpop_nonce(struct arena *a, struct str secret, int64_t now);
/* An http or https address in its normal form, without query and fragment
 * (RFC 3986 6.2.2, 6.2.3); p NULL for anything else. */
struct str dpop_address(struct arena *a, struct str address);

#endif

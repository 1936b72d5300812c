/* JSON Web Signatures in their compact form (RFC 7515 7.1).
 *
 * Decodes a token and never checks its signature: the caller has the key, and
 * the key's type selects the algorithm. Other forms of a JWS are not read. */
#ifndef BASE_JSON_JWS_H
#define BASE_JSON_JWS_H

#include "base/json/json.h"

struct jws {
    const struct json *header; /* an object */
    struct str payload;        /* its bytes */
    struct str signature;      /* its bytes */
    struct str input;          /* what was signed */
};

/* false: the token is malformed or has more than max bytes, and *why is a
 * sentence. Base64url has to be in its strict spelling. A member that is twice
 * in the header is refused, and so are the extensions crit and b64. */
bool jws_read(struct arena *a, struct str token, size_t max, struct jws *out,
              const char **why) MUST;
/* The payload as a JSON object that has passed the gate; NULL: it is none. */
const struct json *jws_claims(struct arena *a, const struct jws *jws);
/* The thumbprint of a public key (RFC 7638) that has exactly the members that
 * its type needs. */
struct str jws_thumbprint(struct arena *a, const struct json *members);

#endif

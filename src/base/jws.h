/* JSON Web Signatures in their compact form (RFC 7515 7.1), as they come.
 *
 * Takes one token apart and never checks the signature: whoever asks knows the
 * key, and the key's type says how. No other form of a JWS is read. */
#ifndef BASE_JWS_H
#define BASE_JWS_H

#include "base/json.h"

struct jws {
    const struct json *header; /* an object */
    struct str payload;        /* its bytes */
    struct str signature;      /* its bytes */
    struct str input;          /* what was signed */
};

/* false: it is none, or has more than max bytes, and *why is a sentence. Only
 * the strict spelling of base64url is one; a member that stands twice in the
 * header is a mistake, and so are the extensions crit and b64. */
bool jws_read(struct arena *a, struct str token, size_t max, struct jws *out,
              const char **why) MUST;
/* The payload as a JSON object that has passed the gate; NULL: it is none. */
const struct json *jws_claims(struct arena *a, const struct jws *jws);
/* The thumbprint of a public key (RFC 7638) that has exactly the members that
 * its type needs. */
struct str jws_thumbprint(struct arena *a, const struct json *members);

#endif

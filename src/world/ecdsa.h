/* The one door to libcrypto: signatures of the curve P-256 with SHA-256.
 *
 * Checks signatures, and makes those of the server's own key for push
 * services. A message has two signatures that hold, so the bytes of a
 * signature identify nothing. */
#ifndef WORLD_ECDSA_H
#define WORLD_ECDSA_H

#include "base/str.h"

#define ECDSA_COORDINATE 32
#define ECDSA_SIGNATURE 64

/* Is it a signature of the message by the key with these coordinates? It is R
 * and S of 32 bytes each (RFC 7518 3.4). false for another length, and for a
 * key that is not a point of the curve. */
bool ecdsa_ok(struct str x, struct str y, struct str signature,
              struct str message);

/* A private key is the 32 bytes of its number, a public one its point: a 4,
 * and both coordinates. */
#define ECDSA_PRIVATE 32
#define ECDSA_POINT (1 + 2 * ECDSA_COORDINATE)

/* A new private key. */
bool ecdsa_make(char out[static ECDSA_PRIVATE]);
/* The public key of a private one. */
bool ecdsa_public(struct str private_key, char out[static ECDSA_POINT]);
/* R and S of the message, as ecdsa_ok reads them. */
bool ecdsa_sign(struct str private_key, struct str message,
                char out[static ECDSA_SIGNATURE]);
/* All three: false where libcrypto cannot do it, or the key is none. */

#endif

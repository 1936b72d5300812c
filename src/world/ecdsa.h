/* The one door to libcrypto: signatures of the curve P-256 with SHA-256.
 *
 * Checks signatures and makes none. A message has two signatures that hold, so
 * the bytes of a signature identify nothing. */
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

#endif

/* The one door to libcrypto: signatures of the curve P-256 with SHA-256.
 *
 * Checks them and makes none. Two signatures of one message can both hold, so
 * nothing may be known again by a signature's bytes. */
#ifndef WORLD_ECDSA_H
#define WORLD_ECDSA_H

#include "base/str.h"

#define ECDSA_COORDINATE 32
#define ECDSA_SIGNATURE 64

/* Is it the signature of the message by the key with these coordinates? As
 * JWS has it: R and S, 32 bytes each (RFC 7518 3.4). false too where a length
 * is another, or the key is no point of the curve. */
bool ecdsa_ok(struct str x, struct str y, struct str signature,
              struct str message);

#endif

/* The one door to libsodium: digests, signatures, random bytes, passwords.
 *
 * Never keeps a secret longer than the call; never logs one. */
#ifndef BASE_CRYPT_H
#define BASE_CRYPT_H

#include "base/buf.h"

#define CRYPT_SHA256 32
#define CRYPT_TAG 16
#define CRYPT_ED25519_KEY 32
#define CRYPT_ED25519_SIGNATURE 64
#define CRYPT_ED25519_SEED 32

/* Once per process before anything else; false: no random source. */
bool crypt_init(void);
void crypt_sha256(struct str s, uint8_t out[static CRYPT_SHA256]);
/* The bytes as lower-case hexadecimal digits. */
struct str crypt_hex(struct arena *a, struct str bytes);
/* SHA-256 as 64 lower-case hexadecimal digits. */
struct str crypt_sha256_hex(struct arena *a, struct str s);
/* SHA-256 as base64url without padding (43 characters). */
struct str crypt_sha256_b64(struct arena *a, struct str s);
/* A tag of s under a secret of CRYPT_TAG random bytes (SipHash-2-4 with 128
 * bits). Without the secret nobody can make a text with a given tag. A tenth of
 * the time of a SHA-256, for what never leaves the process. */
void crypt_tag(const uint8_t secret[static CRYPT_TAG], struct str s,
               uint8_t out[static CRYPT_TAG]);
/* The bytes as base64 with padding (RFC 4648 4). */
struct str crypt_base64(struct arena *a, struct str bytes);
/* The bytes of a base64 text, with or without padding; p NULL when it is
 * invalid. */
struct str crypt_base64_read(struct arena *a, struct str text);
/* The bytes as base64url without padding (RFC 4648 5). */
struct str crypt_base64url(struct arena *a, struct str bytes);
/* The bytes of a base64url text (RFC 4648 5) in its strict spelling: no
 * padding, no white space, unused bits zero. p NULL for any other text. */
struct str crypt_base64url_read(struct arena *a, struct str text);
/* HMAC-SHA256 (RFC 2104) as base64 with padding. */
struct str crypt_hmac(struct arena *a, struct str key, struct str s);
/* The same as base64url without padding. */
struct str crypt_hmac_b64(struct arena *a, struct str key, struct str s);
/* Is it this key's signature (RFC 8032)? false for a key of small order, for
 * which one signature would hold for every message, and for another length. */
bool crypt_ed25519_ok(struct str key, struct str signature, struct str s);
/* The public key of a secret one (RFC 8032 5.1.5). */
void crypt_ed25519_public(const uint8_t seed[static CRYPT_ED25519_SEED],
                          uint8_t out[static CRYPT_ED25519_KEY]);
/* The CRYPT_ED25519_SIGNATURE bytes over s; the same for the same s. */
struct str crypt_ed25519_sign(struct arena *a,
                              const uint8_t seed[static CRYPT_ED25519_SEED],
                              struct str s);
/* n random bytes as base64url without padding. */
struct str crypt_token(struct arena *a, size_t n);
void crypt_random(void *p, size_t n);
/* Equal in constant time; false when the lengths differ. */
bool crypt_equal(struct str a, struct str b);

/* Encrypts with a key derived from the secret (XSalsa20 and Poly1305), as
 * base64: without the secret the text can be neither read nor changed. */
struct str crypt_seal(struct arena *a, struct str secret, struct str text);
/* p NULL where the text was not made by crypt_seal with this secret. */
struct str crypt_unseal(struct arena *a, struct str secret, struct str sealed);

/* argon2id with libsodium's limits. MIN is for tests only. */
enum crypt_cost { CRYPT_INTERACTIVE, CRYPT_MIN };
/* The self-describing hash of a password, composed (NFC); p NULL when memory
 * ran out. */
struct str crypt_password(struct arena *a, struct str password,
                          enum crypt_cost cost);
/* Is it the password of the hash? Composed or decomposed, because keyboards
 * differ; also of an older hash, which was made of the password as typed. */
bool crypt_password_ok(struct arena *a, struct str hash, struct str password);
/* The same work as a check, for an unknown user: the time of the answer must
 * not reveal whether the user exists. */
void crypt_password_pretend(struct arena *a, struct str password,
                            enum crypt_cost cost);

#endif

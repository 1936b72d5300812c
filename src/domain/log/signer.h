/* The server's signing keys, Ed25519 (RFC 8032), and the names by which others
 * know one: a key of C2SP signed notes (vkey), a did:key, a JWK (RFC 8037) and
 * its thumbprint. Pure. */
#ifndef DOMAIN_LOG_SIGNER_H
#define DOMAIN_LOG_SIGNER_H

#include "base/crypt.h"
#include "base/json/json.h"

struct signer_public {
    uint8_t b[CRYPT_ED25519_KEY];
};

/* did:key:z and the base58btc text of 0xed 0x01 and the key. */
struct str signer_did(struct arena *a, const struct signer_public *key);
/* The key of a did:key of this type. false: it is another, or none. */
bool signer_did_read(struct str did, struct signer_public *out) MUST;
/* {"crv","kty","x"}: no alg, because libraries disagree about its word. */
struct json *signer_jwk(struct arena *a, const struct signer_public *key);
/* RFC 7638: 43 characters. */
struct str signer_kid(struct arena *a, const struct signer_public *key);
/* The PEM of the public key (RFC 8410), as openssl reads it. */
struct str signer_pem(struct arena *a, const struct signer_public *key);

/* ---- the secret key ------------------------------------------------- */

struct signer {
    uint8_t seed[CRYPT_ED25519_SEED];
    struct signer_public key;
};
/* Reads the PKCS#8 PEM text (RFC 8410) of openssl genpkey -algorithm ed25519.
 * false: it is another key, or none. */
bool signer_read(struct arena *a, struct str pem, struct signer *out) MUST;
#define SIGNER_FILE_MAX ((size_t)64 << 10) /* bytes of a file of keys */
/* Reads such texts, one behind the other, at most max of them. false: there is
 * something else behind the *n that were read. */
bool signer_read_all(struct arena *a, struct str text, struct signer *v,
                     size_t max, size_t *n) MUST;
/* A new key as such a text. */
struct str signer_new(struct arena *a);
/* The 64 bytes of the signature over s. */
struct str signer_sign(struct arena *a, const struct signer *k, struct str s);
/* A compact JWS (RFC 7515) of this type over the RFC 8785 form of payload; p
 * NULL where that is longer than SIGNER_JWS_MAX. alg is EdDSA, the word that
 * all libraries read. */
#define SIGNER_JWS_MAX ((size_t)256 << 10)
struct str signer_jws(struct arena *a, const struct signer *k,
                      const char *type, const struct json *payload);

#endif

/* The one door to libsodium: digests, signatures, random bytes, passwords.
 *
 * Never keeps a secret longer than the call; never logs one. */
#include "base/crypt.h"

#include <assert.h>
#include <sodium.h>

#include "base/text.h"

static_assert(CRYPT_SHA256 == crypto_hash_sha256_BYTES, "the size of SHA-256");

bool crypt_init(void)
{
    return sodium_init() >= 0;
}

/* libsodium asks for pointers that are not NULL even for empty input. */
static struct str crypt_solid(struct str s) { return s.p ? s : STR(""); }

void crypt_sha256(struct str s, uint8_t out[static CRYPT_SHA256])
{
    s = crypt_solid(s);
    crypto_hash_sha256(out, (const unsigned char *)s.p, s.n);
}

void crypt_tag(const uint8_t secret[static CRYPT_TAG], struct str s,
               uint8_t out[static CRYPT_TAG])
{
    static_assert(CRYPT_TAG == crypto_shorthash_siphashx24_BYTES &&
                      CRYPT_TAG == crypto_shorthash_siphashx24_KEYBYTES,
                  "the sizes of SipHash");
    s = crypt_solid(s);
    crypto_shorthash_siphashx24(out, (const unsigned char *)s.p, s.n, secret);
}

struct str crypt_hex(struct arena *a, struct str bytes)
{
    bytes = crypt_solid(bytes);
    char *text = arena_alloc(a, 2 * bytes.n + 1);
    sodium_bin2hex(text, 2 * bytes.n + 1, (const unsigned char *)bytes.p,
                   bytes.n);
    return (struct str){text, 2 * bytes.n};
}

struct str crypt_sha256_hex(struct arena *a, struct str s)
{
    uint8_t digest[CRYPT_SHA256];
    crypt_sha256(s, digest);
    return crypt_hex(a, (struct str){(const char *)digest, sizeof digest});
}

static struct str crypt_encode(struct arena *a, const uint8_t *p, size_t n,
                               int variant)
{
    const size_t size = sodium_base64_encoded_len(n, variant);
    char *text = arena_alloc(a, size);
    sodium_bin2base64(text, size, p, n, variant);
    return (struct str){text, size - 1};
}

static struct str base64url(struct arena *a, const uint8_t *p, size_t n)
{
    return crypt_encode(a, p, n, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

struct str crypt_base64url(struct arena *a, struct str bytes)
{
    bytes = crypt_solid(bytes);
    return base64url(a, (const uint8_t *)bytes.p, bytes.n);
}

struct str crypt_base64(struct arena *a, struct str bytes)
{
    bytes = crypt_solid(bytes);
    return crypt_encode(a, (const uint8_t *)bytes.p, bytes.n,
                        sodium_base64_VARIANT_ORIGINAL);
}

static struct str crypt_decode(struct arena *a, struct str text, int variant)
{
    uint8_t *raw = arena_alloc(a, text.n + 1);
    size_t n;
    text = crypt_solid(text);
    /* libsodium 1.0.18 takes some bytes beyond ASCII for digits. */
    for (size_t i = 0; i < text.n; i++) {
        if ((unsigned char)text.p[i] >= 0x80)
            return STR_NONE;
    }
    if (sodium_base642bin(raw, text.n + 1, text.p, text.n, NULL, &n, NULL,
                          variant) != 0)
        return STR_NONE;
    return (struct str){(const char *)raw, n};
}

struct str crypt_base64_read(struct arena *a, struct str text)
{
    while (text.n > 0 && text.p[text.n - 1] == '=')
        text.n--;
    return crypt_decode(a, text, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
}

struct str crypt_base64url_read(struct arena *a, struct str text)
{
    return crypt_decode(a, text, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static struct str crypt_mac(struct arena *a, struct str key, struct str s,
                            int variant)
{
    uint8_t mac[crypto_auth_hmacsha256_BYTES];
    crypto_auth_hmacsha256_state state;
    key = crypt_solid(key);
    s = crypt_solid(s);
    crypto_auth_hmacsha256_init(&state, (const unsigned char *)key.p, key.n);
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)s.p, s.n);
    crypto_auth_hmacsha256_final(&state, mac);
    sodium_memzero(&state, sizeof state);
    return crypt_encode(a, mac, sizeof mac, variant);
}

struct str crypt_hmac(struct arena *a, struct str key, struct str s)
{
    return crypt_mac(a, key, s, sodium_base64_VARIANT_ORIGINAL);
}

struct str crypt_hmac_b64(struct arena *a, struct str key, struct str s)
{
    return crypt_mac(a, key, s, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool crypt_ed25519_ok(struct str key, struct str signature, struct str s)
{
    static_assert(CRYPT_ED25519_KEY == crypto_sign_PUBLICKEYBYTES &&
                      CRYPT_ED25519_SIGNATURE == crypto_sign_BYTES,
                  "the sizes of Ed25519");
    s = crypt_solid(s);
    return key.n == CRYPT_ED25519_KEY &&
           signature.n == CRYPT_ED25519_SIGNATURE &&
           crypto_sign_verify_detached((const unsigned char *)signature.p,
                                       (const unsigned char *)s.p, s.n,
                                       (const unsigned char *)key.p) == 0;
}

void crypt_ed25519_public(const uint8_t seed[static CRYPT_ED25519_SEED],
                          uint8_t out[static CRYPT_ED25519_KEY])
{
    uint8_t secret[crypto_sign_SECRETKEYBYTES];
    static_assert(CRYPT_ED25519_SEED == crypto_sign_SEEDBYTES,
                  "the size of a secret key");
    crypto_sign_seed_keypair(out, secret, seed);
    sodium_memzero(secret, sizeof secret);
}

struct str crypt_ed25519_sign(struct arena *a,
                              const uint8_t seed[static CRYPT_ED25519_SEED],
                              struct str s)
{
    uint8_t key[CRYPT_ED25519_KEY], secret[crypto_sign_SECRETKEYBYTES];
    uint8_t *out = arena_alloc(a, CRYPT_ED25519_SIGNATURE);
    s = crypt_solid(s);
    crypto_sign_seed_keypair(key, secret, seed);
    crypto_sign_detached(out, NULL, (const unsigned char *)s.p, s.n, secret);
    sodium_memzero(secret, sizeof secret);
    return (struct str){(const char *)out, CRYPT_ED25519_SIGNATURE};
}

struct str crypt_sha256_b64(struct arena *a, struct str s)
{
    uint8_t digest[CRYPT_SHA256];
    crypt_sha256(s, digest);
    return base64url(a, digest, sizeof(digest));
}

struct str crypt_token(struct arena *a, size_t n)
{
    uint8_t *raw = arena_alloc(a, n);
    crypt_random(raw, n);
    const struct str token = base64url(a, raw, n);
    sodium_memzero(raw, n);
    return token;
}

void crypt_random(void *p, size_t n)
{
    randombytes_buf(p, n);
}

bool crypt_equal(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || sodium_memcmp(a.p, b.p, a.n) == 0);
}

static void crypt_seal_key(struct arena *a, struct str secret,
                           uint8_t out[static crypto_secretbox_KEYBYTES])
{
    static_assert(crypto_secretbox_KEYBYTES == CRYPT_SHA256, "one digest");
    crypt_sha256(arena_join(a, STR("seal "), secret), out);
}

struct str crypt_seal(struct arena *a, struct str secret, struct str text)
{
    uint8_t key[crypto_secretbox_KEYBYTES];
    const size_t n =
        crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES + text.n;
    uint8_t *box = arena_alloc(a, n);
    crypt_seal_key(a, secret, key);
    crypt_random(box, crypto_secretbox_NONCEBYTES);
    crypto_secretbox_easy(box + crypto_secretbox_NONCEBYTES,
                          (const uint8_t *)text.p, text.n, box, key);
    sodium_memzero(key, sizeof key);
    return crypt_base64(a, (struct str){(const char *)box, n});
}

struct str crypt_unseal(struct arena *a, struct str secret, struct str sealed)
{
    uint8_t key[crypto_secretbox_KEYBYTES];
    const struct str box = crypt_base64_read(a, sealed);
    const size_t head =
        crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES;
    if (!box.p || box.n < head)
        return STR_NONE;
    uint8_t *text = arena_alloc(a, box.n - head + 1);
    const uint8_t *p = (const uint8_t *)box.p;
    crypt_seal_key(a, secret, key);
    const int wrong = crypto_secretbox_open_easy(
        text, p + crypto_secretbox_NONCEBYTES,
        box.n - crypto_secretbox_NONCEBYTES, p, key);
    sodium_memzero(key, sizeof key);
    return wrong ? STR_NONE
                 : (struct str){(const char *)text, box.n - head};
}

struct str crypt_password(struct arena *a, struct str password,
                          enum crypt_cost cost)
{
    const bool min = cost == CRYPT_MIN;
    char *hash = arena_alloc(a, crypto_pwhash_STRBYTES);
    password = crypt_solid(text_nfc(a, password));
    if (crypto_pwhash_str_alg(hash, password.p, password.n,
                              min ? crypto_pwhash_OPSLIMIT_MIN
                                  : crypto_pwhash_OPSLIMIT_INTERACTIVE,
                              min ? crypto_pwhash_MEMLIMIT_MIN
                                  : crypto_pwhash_MEMLIMIT_INTERACTIVE,
                              crypto_pwhash_ALG_ARGON2ID13) != 0)
        return STR_NONE;
    return str_of(hash);
}

#define FORMS 3

/* The texts of which the hash of a typed password may have been made: composed,
 * as it is now; as typed, or decomposed, as it may have been before. They are
 * one and the same for most passwords. */
static size_t crypt_forms(struct arena *a, struct str password,
                          struct str out[static FORMS])
{
    const struct str all[FORMS] = {text_nfc(a, password), password,
                                   text_nfd(a, password)};
    size_t n = 0;
    for (size_t i = 0; i < FORMS; i++) {
        bool had = false;
        for (size_t k = 0; k < n; k++)
            had = had || str_eq(out[k], all[i]);
        if (!had)
            out[n++] = crypt_solid(all[i]);
    }
    return n;
}

bool crypt_password_ok(struct arena *a, struct str hash, struct str password)
{
    struct str v[FORMS];
    const size_t n = crypt_forms(a, password, v);
    bool ok = false;
    if (hash.n >= crypto_pwhash_STRBYTES)
        return false;
    for (size_t i = 0; i < n && !ok; i++)
        ok = crypto_pwhash_str_verify(arena_z(a, hash), v[i].p, v[i].n) == 0;
    return ok;
}

void crypt_password_pretend(struct arena *a, struct str password,
                            enum crypt_cost cost)
{
    struct str v[FORMS];
    for (size_t n = crypt_forms(a, password, v); n > 0; n--)
        (void)crypt_password(a, v[n - 1], cost);
}

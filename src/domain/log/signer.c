/* The server's signing keys, and their names. */
#include "domain/log/signer.h"

#include "base/json/jws.h"

/* The multicodec of an Ed25519 public key, before it in a did:key. */
static const uint8_t signer_codec[] = {0xed, 0x01};
/* Before the key in its DER forms (RFC 8410 10.1 and 10.3): an Ed25519 key has
 * one length, so the rest of the text is constant. */
static const char signer_spki[] = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03"
                                  "\x21\x00";
static const char signer_pkcs8[] = "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b"
                                   "\x65\x70\x04\x22\x04\x20";

/* ---- base58btc ------------------------------------------------------ */

#define SIGNER_DID_BYTES (sizeof signer_codec + CRYPT_ED25519_KEY)
#define SIGNER_DID_DIGITS 48 /* at most, in base 58 */

static const char signer_base58[] =
    "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

static struct str signer_text58(struct arena *a,
                                const uint8_t bytes[SIGNER_DID_BYTES])
{
    uint8_t digits[SIGNER_DID_DIGITS] = {0};
    size_t n = 1;
    for (size_t i = 0; i < SIGNER_DID_BYTES; i++) {
        unsigned carry = bytes[i];
        for (size_t k = 0; k < n || carry > 0; k++) {
            carry += 256U * digits[k];
            digits[k] = (uint8_t)(carry % 58);
            carry /= 58;
            n = k + 1 > n ? k + 1 : n;
        }
    }
    char *text = arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++)
        text[i] = signer_base58[digits[n - 1 - i]];
    return (struct str){text, n};
}

/* The first byte is not 0, so neither is the first digit. */
static bool signer_bytes58(struct str text, uint8_t out[SIGNER_DID_BYTES])
{
    memset(out, 0, SIGNER_DID_BYTES);
    for (size_t i = 0; i < text.n; i++) {
        const char *digit =
            text.p[i] ? strchr(signer_base58, text.p[i]) : NULL;
        if (!digit)
            return false;
        unsigned carry = (unsigned)(digit - signer_base58);
        for (size_t k = SIGNER_DID_BYTES; k-- > 0;) {
            carry += 58U * out[k];
            out[k] = (uint8_t)carry;
            carry >>= 8;
        }
        if (carry > 0)
            return false;
    }
    return true;
}

/* ---- names ---------------------------------------------------------- */

struct str signer_did(struct arena *a, const struct signer_public *key)
{
    uint8_t bytes[SIGNER_DID_BYTES];
    memcpy(bytes, signer_codec, sizeof signer_codec);
    memcpy(bytes + sizeof signer_codec, key->b, sizeof key->b);
    return arena_join(a, STR("did:key:z"), signer_text58(a, bytes));
}

bool signer_did_read(struct str did, struct signer_public *out)
{
    const struct str before = STR("did:key:z");
    uint8_t bytes[SIGNER_DID_BYTES];
    if (!str_starts(did, before) || did.n > before.n + SIGNER_DID_DIGITS ||
        !signer_bytes58(str_sub(did, before.n, did.n), bytes) ||
        memcmp(bytes, signer_codec, sizeof signer_codec) != 0)
        return false;
    memcpy(out->b, bytes + sizeof signer_codec, sizeof out->b);
    return true;
}

static struct str signer_bytes(const struct signer_public *key)
{
    return (struct str){(const char *)key->b, sizeof key->b};
}

struct json *signer_jwk(struct arena *a, const struct signer_public *key)
{
    struct json *o = json_object(a);
    json_set_text(o, "crv", STR("Ed25519"));
    json_set_text(o, "kty", STR("OKP"));
    json_set_text(o, "x", crypt_base64url(a, signer_bytes(key)));
    return o;
}

struct str signer_kid(struct arena *a, const struct signer_public *key)
{
    return jws_thumbprint(a, signer_jwk(a, key));
}

struct str signer_pem(struct arena *a, const struct signer_public *key)
{
    const struct str der =
        arena_join(a, (struct str){signer_spki, sizeof signer_spki - 1},
                   signer_bytes(key));
    return arena_join(a, STR("-----BEGIN PUBLIC KEY-----\n"),
                      crypt_base64(a, der),
                      STR("\n-----END PUBLIC KEY-----\n"));
}

/* ---- the secret key ------------------------------------------------- */

#define SIGNER_BEGIN "-----BEGIN PRIVATE KEY-----"
#define SIGNER_END "-----END PRIVATE KEY-----"

bool signer_read(struct arena *a, struct str pem, struct signer *out)
{
    const struct str begin = STR(SIGNER_BEGIN);
    const struct str head = {signer_pkcs8, sizeof signer_pkcs8 - 1};
    const struct str text = str_trim(pem);
    if (!str_starts(text, begin) || !str_ends(text, STR(SIGNER_END)) ||
        text.n < begin.n + sizeof SIGNER_END)
        return false;
    const struct str der = crypt_base64_read(
        a, str_trim(str_sub(text, begin.n, text.n - sizeof SIGNER_END + 1)));
    if (der.n != head.n + sizeof out->seed || !str_starts(der, head))
        return false;
    memcpy(out->seed, der.p + head.n, sizeof out->seed);
    crypt_ed25519_public(out->seed, out->key.b);
    return true;
}

bool signer_read_all(struct arena *a, struct str text, struct signer *v,
                     size_t max, size_t *n)
{
    const struct str end = STR(SIGNER_END);
    for (*n = 0; str_trim(text).n > 0; ++*n) {
        const size_t at = str_search(text, end);
        const size_t to = at < text.n ? at + end.n : text.n;
        if (*n == max || !signer_read(a, str_sub(text, 0, to), &v[*n]))
            return false;
        text = str_sub(text, to, text.n);
    }
    return true;
}

struct str signer_new(struct arena *a)
{
    uint8_t seed[CRYPT_ED25519_SEED];
    crypt_random(seed, sizeof seed);
    const struct str der =
        arena_join(a, (struct str){signer_pkcs8, sizeof signer_pkcs8 - 1},
                   (struct str){(const char *)seed, sizeof seed});
    return arena_join(a, STR(SIGNER_BEGIN "\n"), crypt_base64(a, der),
                      STR("\n" SIGNER_END "\n"));
}

struct str signer_sign(struct arena *a, const struct signer *k, struct str s)
{
    return crypt_ed25519_sign(a, k->seed, s);
}

struct str signer_jws(struct arena *a, const struct signer *k,
                      const char *type, const struct json *payload)
{
    struct json *header = json_object(a);
    struct buf first = buf_make(a, 256), second = buf_make(a, SIGNER_JWS_MAX);
    json_set_text(header, "alg", STR("EdDSA"));
    json_set_text(header, "kid", signer_kid(a, &k->key));
    json_set_text(header, "typ", str_of(type));
    json_write_canonical(&first, header);
    json_write_canonical(&second, payload);
    if (second.over)
        return STR_NONE;
    const struct str input =
        arena_join(a, crypt_base64url(a, buf_text(&first)), STR("."),
                   crypt_base64url(a, buf_text(&second)));
    return arena_join(a, input, STR("."),
                      crypt_base64url(a, signer_sign(a, k, input)));
}

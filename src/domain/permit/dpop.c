/* Proofs that a caller holds a key. */
#include "domain/permit/dpop.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/crypt.h"
#include "base/json/jws.h"

#define COORDINATE 32

const char dpop_wrong[] = "dpop.proof";
const char dpop_no_nonce[] = "dpop.nonce";
const char dpop_other_key[] = "dpop.other_key";
const char dpop_replay[] = "dpop.replay";

/* A proof that is being read. */
struct reading {
    struct arena *a;
    const struct dpop_want *want;
    struct jws jws;
    const struct json *key, *claims;
    bool edwards; /* the key is of Ed25519, else of P-256 */
    struct str x, y;
};

static const struct err *dpop_error(struct arena *a, const char *say)
{
    return err_at(a, ERR_UNAUTHENTICATED, dpop_wrong, STR_NONE, "%s", say);
}

/* ---- addresses ------------------------------------------------------ */

/* The path with each character in its one spelling; false: there is a '%'
 * without two digits. */
static bool dpop_put_normalized(struct buf *b, struct str path)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < path.n; i++) {
        if (path.p[i] != '%') {
            buf_char(b, path.p[i]);
            continue;
        }
        const int high = path.n - i > 2 ? str_hex(path.p[i + 1]) : -1;
        const int low = path.n - i > 2 ? str_hex(path.p[i + 2]) : -1;
        if (high < 0 || low < 0)
            return false;
        const char c = (char)(unsigned char)(high * 16 + low);
        const bool unreserved = (c >= 'A' && c <= 'Z') ||
                                (c >= 'a' && c <= 'z') ||
                                (c >= '0' && c <= '9') || c == '-' ||
                                c == '.' || c == '_' || c == '~';
        if (unreserved) {
            buf_char(b, c);
        } else {
            buf_char(b, '%');
            buf_char(b, digits[high]);
            buf_char(b, digits[low]);
        }
        i += 2;
    }
    return true;
}

/* A path that begins with a slash, without "." and ".." (RFC 3986 5.2.4). */
static void dpop_put_path(struct buf *b, struct str path)
{
    const size_t start = b->n;
    struct str rest = str_sub(path, path.n > 0, path.n);
    while (rest.p) {
        const struct str part = str_cut(&rest, '/');
        const bool up = str_is(part, ".."), stay = str_is(part, ".");
        while (up && b->n > start && b->p[b->n - 1] != '/')
            b->n--;
        if (up && b->n > start)
            b->n--;
        if (!up && !stay) {
            buf_char(b, '/');
            buf_str(b, part);
        } else if (!rest.p) {
            buf_char(b, '/');
        }
    }
}

/* A name, or an address of IPv6 in its brackets. */
static bool dpop_is_host(struct str s)
{
    const bool bare = s.n == 0 || s.p[0] != '[';
    const struct str inner = bare ? s : str_sub(s, 1, s.n - 1);
    return inner.n > 0 && (bare || s.p[s.n - 1] == ']') &&
           str_find(inner, '[', 0) == inner.n &&
           str_find(inner, ']', 0) == inner.n &&
           (!bare || str_find(inner, ':', 0) == inner.n);
}

/* The host in lower case, and the port where it is not the scheme's own. */
static bool dpop_put_authority(struct buf *b, struct str s, const char *own)
{
    size_t colon = s.n;
    for (size_t i = s.n; i > 0 && s.p[i - 1] != ']' && colon == s.n; i--) {
        if (s.p[i - 1] == ':')
            colon = i - 1;
    }
    const struct str host = str_sub(s, 0, colon);
    const struct str port = str_sub(s, colon + 1, s.n);
    int64_t number;
    if (str_find(s, '@', 0) < s.n || str_find(s, '%', 0) < s.n ||
        !dpop_is_host(host))
        return false;
    buf_lower(b, host);
    if (port.n == 0 || str_is(port, own))
        return true;
    if (port.p[0] < '1' || !str_int(port, 1, 65535, &number))
        return false;
    buf_char(b, ':');
    buf_int(b, number);
    return true;
}

struct str dpop_address(struct arena *a, struct str address)
{
    struct buf b = buf_make(a, address.n + 16);
    struct buf path = buf_make(a, address.n + 16);
    const size_t mark = str_search(address, STR("://"));
    const struct str scheme = str_sub(address, 0, mark);
    const bool secure = str_is_nocase(scheme, "https");
    for (size_t i = 0; i < address.n; i++) {
        const unsigned char c = (unsigned char)address.p[i];
        if (c <= ' ' || c >= 0x7F || c == '\\')
            return STR_NONE;
    }
    if (mark == address.n || (!secure && !str_is_nocase(scheme, "http")))
        return STR_NONE;
    struct str rest = str_sub(address, mark + 3, address.n);
    rest = str_sub(rest, 0, str_find(rest, '#', 0));
    rest = str_sub(rest, 0, str_find(rest, '?', 0));
    const size_t slash = str_find(rest, '/', 0);
    buf_put(&b, secure ? "https://" : "http://");
    if (!dpop_put_authority(&b, str_sub(rest, 0, slash),
                            secure ? "443" : "80") ||
        !dpop_put_normalized(&path, str_sub(rest, slash, rest.n)))
        return STR_NONE;
    dpop_put_path(&b, path.n > 0 ? buf_text(&path) : STR("/"));
    return buf_text(&b);
}

bool dpop_below(struct arena *a, struct str address, struct str place)
{
    const struct str is = dpop_address(a, address);
    const struct str wanted = dpop_address(a, place);
    if (!is.p || !wanted.p)
        return false;
    return str_eq(is, wanted) ||
           (str_starts(is, wanted) &&
            (str_ends(wanted, STR("/")) || is.p[wanted.n] == '/'));
}

/* ---- the nonce ------------------------------------------------------ */

struct str dpop_nonce(struct arena *a, struct str secret, int64_t now)
{
    const struct str slot = arena_number(a, now / CLOCK_SECOND / DPOP_SLOT);
    const struct str message = arena_join(a, STR("dpop nonce "), slot);
    return arena_join(a, slot, STR("."), crypt_hmac_b64(a, secret, message));
}

/* ---- the header and the key ----------------------------------------- */

static const struct err *
dpop_read_coordinate(struct reading *r, const char *name, struct str *out)
{
    *out = crypt_base64url_read(r->a, json_get_text(r->key, name));
    return out->p && out->n == COORDINATE
               ? NULL
               : dpop_error(r->a,
                            "A coordinate of the proof's key has 32 bytes "
                            "of base64url.");
}

/* The key's type selects the algorithm, and "alg" has to agree. */
static const struct err *dpop_read_header(struct reading *r)
{
    static const char *const secret[] = {"d",  "p",  "q",   "dp",
                                         "dq", "qi", "oth", "k"};
    const struct json *key = json_get(r->jws.header, "jwk");
    const struct str alg = json_get_text(r->jws.header, "alg");
    const struct str type = json_get_text(key, "kty");
    const struct str curve = json_get_text(key, "crv");
    const bool p256 = str_is(type, "EC") && str_is(curve, "P-256");
    r->edwards = str_is(type, "OKP") && str_is(curve, "Ed25519");
    if (!str_is(json_get_text(r->jws.header, "typ"), "dpop+jwt"))
        return dpop_error(r->a, "The type of a proof has to be dpop+jwt.");
    if (!p256 && !r->edwards)
        return dpop_error(
            r->a, "The key of a proof has to be a P-256 or Ed25519 key.");
    if (p256 ? !str_is(alg, "ES256")
             : !str_is(alg, "EdDSA") && !str_is(alg, "Ed25519"))
        return dpop_error(
            r->a, "The algorithm of the proof does not match its key.");
    r->key = key;
    for (size_t i = 0; i < countof(secret); i++) {
        if (json_has(key, secret[i]))
            return dpop_error(
                r->a,
                "The proof contains a private key, which is no longer safe.");
    }
    TRY(dpop_read_coordinate(r, "x", &r->x));
    return r->edwards ? NULL : dpop_read_coordinate(r, "y", &r->y);
}

/* ---- the claims ----------------------------------------------------- */

static const struct err *dpop_check_claims(const struct reading *r,
                                           struct dpop *out)
{
    const struct dpop_want *want = r->want;
    const struct str secret = want->nonce_secret;
    const struct str jti = json_get_text(r->claims, "jti");
    const struct str is = dpop_address(r->a, json_get_text(r->claims, "htu"));
    const double iat = json_double(json_get(r->claims, "iat"));
    const double now = (double)(want->now / CLOCK_SECOND);
    if (!str_eq(json_get_text(r->claims, "htm"), want->method))
        return dpop_error(r->a, "The proof is for another method.");
    if (!is.p || !str_eq(is, dpop_address(r->a, want->address)))
        return dpop_error(r->a, "The proof is for another address.");
    if (str_runes(jti) < DPOP_JTI_MIN || str_runes(jti) > DPOP_JTI_MAX)
        return dpop_error(r->a,
                          "A proof needs a \"jti\" of 8 to 256 characters.");
    out->jti_sha256 = crypt_sha256_hex(r->a, jti);
    if (secret.p) {
        const struct str sent = json_get_text(r->claims, "nonce");
        const int64_t slot = DPOP_SLOT * CLOCK_SECOND;
        out->new_nonce =
            !crypt_equal(sent, dpop_nonce(r->a, secret, want->now));
        if (out->new_nonce &&
            !crypt_equal(sent, dpop_nonce(r->a, secret, want->now - slot)))
            return ERROR(
                ERR_UNAUTHENTICATED, dpop_no_nonce,
                "The proof needs the nonce of the DPoP-Nonce header.");
    }
    if (!json_is_number(json_get(r->claims, "iat")))
        return dpop_error(r->a, "A proof needs its time, the number \"iat\".");
    /* A nonce bounds the age of the proof by itself. */
    if (!secret.p && (iat < now - DPOP_PAST || iat > now + DPOP_FUTURE))
        return dpop_error(r->a,
                          "The proof is too old, or its clock is ahead.");
    if (want->token.p && !str_eq(json_get_text(r->claims, "ath"),
                                 crypt_sha256_b64(r->a, want->token)))
        return dpop_error(r->a, "The proof is for another access token.");
    return NULL;
}

/* ---- all of it ------------------------------------------------------ */

const struct err *dpop_check(struct arena *a, struct str proof,
                             const struct dpop_want *want, struct dpop *out)
{
    static const char *const names[] = {"crv", "kty", "x", "y"};
    struct json *members = json_object(a);
    struct reading r = {.a = a, .want = want};
    const char *why = NULL;
    *out = (struct dpop){.new_nonce = false};
    if (!jws_read(a, proof, DPOP_MAX, &r.jws, &why))
        return dpop_error(a, why);
    TRY(dpop_read_header(&r));
    r.claims = jws_claims(a, &r.jws);
    if (!r.claims)
        return dpop_error(a, "The proof's payload is not a JSON object.");
    TRY(dpop_check_claims(&r, out));
    if (r.edwards ? !crypt_ed25519_ok(r.x, r.jws.signature, r.jws.input)
                  : !want->p256(r.x, r.y, r.jws.signature, r.jws.input))
        return dpop_error(a, "The proof's signature is not valid.");
    for (size_t i = 0; i < countof(names) - r.edwards; i++)
        json_set_json(members, names[i], json_get(r.key, names[i]));
    out->jkt = jws_thumbprint(a, members);
    if (want->jkt.p && !crypt_equal(out->jkt, want->jkt))
        return ERROR(
            ERR_UNAUTHENTICATED, dpop_other_key,
            "The proof was made with a different key than the permit's.");
    return NULL;
}

const struct err *dpop_replayed(void)
{
    return ERROR(ERR_UNAUTHENTICATED, dpop_replay,
                 "This proof was used before: make a new one for each "
                 "request.");
}

/* Proofs of DPoP: the printed ones of RFC 9449, and everything that is not
 * quite one. Tests 54 to 66 of the specification, as far as they are pure. */
#include "domain/permit/dpop.h"

#include <sodium.h>

#include "base/clock.h"
#include "suite.h"
#include "world/ecdsa.h"

SUITE(dpop);

#define NOW (INT64_C(1795341104) * CLOCK_SECOND)
#define OURS "https://sayso.example/oauth/token"
#define TOKEN "sat_0123456789"
#define SECRET STR("one secret of all hosts")

/* The header of both proofs that RFC 9449 prints. */
#define PRINTED                                                                \
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwie"   \
    "CI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5Ij"   \
    "oiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI"   \
    "6IlAtMjU2In19."
#define PRINTED_4_1                                                            \
    PRINTED "eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh" \
    "0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ."
#define SIGNED_4_1                                                             \
    "2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJ"   \
    "K70nfbV37xRZT3Lg"
#define PRINTED_7_1                                                            \
    PRINTED "eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR" \
    "0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6M"   \
    "TU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0N"   \
    "BcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-y"   \
    "qyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"
#define PRINTED_JKT "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
#define PRINTED_TOKEN "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"

/* ---- making proofs --------------------------------------------------- */

static struct str b64(struct str s)
{
    const size_t n = sodium_base64_encoded_len(
        s.n, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    char *text = arena_alloc(a, n);
    sodium_bin2base64(text, n, (const unsigned char *)s.p, s.n,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return str_of(text);
}

/* A key that is the same in each test. */
static struct str key_of(uint8_t secret[static crypto_sign_SECRETKEYBYTES])
{
    static const uint8_t seed[crypto_sign_SEEDBYTES] = {7};
    uint8_t *key = arena_alloc(a, crypto_sign_PUBLICKEYBYTES);
    cr_assert_eq(crypto_sign_seed_keypair(key, secret, seed), 0);
    return b64((struct str){(const char *)key, crypto_sign_PUBLICKEYBYTES});
}

static struct str fill(const char *text, const char *mark, struct str value)
{
    const struct str t = str_of(text), m = str_of(mark);
    const size_t at = str_search(t, m);
    struct buf b = buf_make(a, 1 << 16);
    buf_str(&b, str_sub(t, 0, at));
    if (at < t.n) {
        buf_str(&b, value);
        buf_str(&b, str_sub(t, at + m.n, t.n));
    }
    return buf_text(&b);
}

/* A proof of this header, in which X stands for our key, and of these
 * claims. */
static struct str proof_of(const char *header, const char *claims)
{
    uint8_t secret[crypto_sign_SECRETKEYBYTES];
    uint8_t *signature = arena_alloc(a, crypto_sign_BYTES);
    const struct str key = key_of(secret);
    struct buf b = buf_make(a, 1 << 16);
    buf_str(&b, b64(fill(arena_z(a, json_of(header)), "@X@", key)));
    buf_char(&b, '.');
    buf_str(&b, b64(json_of(claims)));
    crypto_sign_detached(signature, NULL, (const unsigned char *)b.p, b.n,
                         secret);
    buf_char(&b, '.');
    buf_str(&b, b64((struct str){(const char *)signature,
                                 crypto_sign_BYTES}));
    return buf_text(&b);
}

#define JWK "'jwk':{'kty':'OKP','crv':'Ed25519','x':'@X@'}"
#define HEADER "{'typ':'dpop+jwt','alg':'EdDSA'," JWK "}"
#define CLAIMS                                                                 \
    "{'jti':'0123456789','htm':'POST','htu':'" OURS "','iat':1795341104"
#define PLAIN CLAIMS "}"

/* At a resource: the time counts, and no nonce. */
static struct dpop_want want(void)
{
    return (struct dpop_want){.method = STR("POST"),
                              .address = STR(OURS),
                              .now = NOW,
                              .p256 = ecdsa_ok};
}

static const struct err *check(struct str proof, const struct dpop_want *w)
{
    struct dpop out;
    return dpop_check(a, proof, w, &out);
}

static void refused(const struct err *e, const char *code, const char *what)
{
    cr_assert(e, "%s: %s is missing", what, code);
    cr_assert_str_eq(e->code, code, "%s: %.*s", what, STR_FMT(e->say));
    cr_assert_eq(e->kind, ERR_UNAUTHENTICATED, "%s", what);
    cr_assert_gt(e->say.n, 10);
}

/* ---- the vectors ----------------------------------------------------- */

Test(dpop, the_printed_proof_for_a_token_request)
{
    struct dpop_want w = want();
    struct dpop out;
    w.address = STR("https://server.example.com/token");
    w.now = INT64_C(1562262616) * CLOCK_SECOND;
    w.jkt = STR(PRINTED_JKT);
    cr_assert(!dpop_check(a, STR(PRINTED_4_1 SIGNED_4_1), &w, &out));
    cr_assert(str_is(out.jkt, PRINTED_JKT));
    cr_assert(str_eq(out.jti_sha256,
                     crypt_sha256_hex(a, STR("-BwC3ESc6acc2lTc"))));
}

Test(dpop, the_printed_proof_for_a_resource)
{
    struct dpop_want w = want();
    w.method = STR("GET");
    w.address = STR("https://resource.example.org/protectedresource");
    w.now = INT64_C(1562262618) * CLOCK_SECOND;
    w.token = STR(PRINTED_TOKEN);
    cr_assert(!check(STR(PRINTED_7_1), &w));
    /* Test 62. */
    w.token = STR(PRINTED_TOKEN "x");
    refused(check(STR(PRINTED_7_1), &w), "dpop.proof", "another token");
}

/* Test 63: both halves hold, so only the jti tells that it was used. */
Test(dpop, the_other_half_of_a_signature_is_the_same_proof)
{
    struct dpop_want w = want();
    struct dpop one, other;
    w.address = STR("https://server.example.com/token");
    w.now = INT64_C(1562262616) * CLOCK_SECOND;
    cr_assert(!dpop_check(a, STR(PRINTED_4_1 SIGNED_4_1), &w, &one));
    cr_assert(!dpop_check(
        a,
        STR(PRINTED_4_1
            "2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwkvfHwR60ki04dxtToLOEyq"
            "WQWs5RRbzA0YYkvRts4uIw"),
        &w, &other));
    cr_assert(str_eq(one.jti_sha256, other.jti_sha256));
    cr_assert(str_eq(one.jkt, other.jkt));
    /* Test 55. */
    refused(dpop_replayed(), "dpop.replay", "seen");
}

/* ---- the header ------------------------------------------------------ */

Test(dpop, a_proof_of_ed25519_under_either_name)
{
    const struct dpop_want w = want();
    cr_assert(!check(proof_of(HEADER, PLAIN), &w));
    cr_assert(!check(
        proof_of("{'typ':'dpop+jwt','alg':'Ed25519'," JWK ",'kid':'x'}",
                 PLAIN),
        &w));
    /* Members that are never read do no harm. */
    cr_assert(!check(proof_of("{'typ':'dpop+jwt','alg':'EdDSA'," JWK
                              ",'jku':'https://evil.example','x5c':[]}",
                              PLAIN),
                     &w));
}

/* Tests 56 to 59 and 64. */
Test(dpop, a_header_that_is_not_quite_one)
{
#define EC                                                                     \
    "'jwk':{'kty':'EC','crv':'P-256',"                                         \
    "'x':'l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs',"                       \
    "'y':'9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA'}"
#define TYP "{'typ':'dpop+jwt',"
    static const char *const rows[] = {
        "{'alg':'EdDSA'," JWK "}",
        "{'typ':'jwt','alg':'EdDSA'," JWK "}",
        "{'typ':'DPOP+JWT','alg':'EdDSA'," JWK "}",
        TYP "'alg':'none'," JWK "}",
        TYP "'alg':'HS256'," JWK "}",
        TYP "'alg':'RS256'," JWK "}",
        TYP "'alg':'ES256'," JWK "}",
        TYP "'alg':'eddsa'," JWK "}",
        TYP "'alg':['EdDSA']," JWK "}",
        TYP JWK "}",
        TYP "'alg':'EdDSA'," EC "}",
        TYP "'alg':'ES256'," EC "}" /* not of this key */,
        TYP "'alg':'EdDSA'}",
        TYP "'alg':'EdDSA','jwk':'x'}",
        TYP "'alg':'EdDSA','jwk':{'kty':'OKP','crv':'Ed25519'}}",
        TYP "'alg':'EdDSA','jwk':{'kty':'OKP','crv':'X25519','x':'@X@'}}",
        TYP "'alg':'EdDSA','jwk':{'kty':'oct','k':'@X@'}}",
        TYP "'alg':'HS256','jwk':{'kty':'oct','k':'@X@'}}",
        TYP "'alg':'EdDSA','jwk':{'kty':'OKP','crv':'Ed25519','x':'@X@',"
            "'d':'YQ'}}",
        TYP "'alg':'EdDSA','jwk':{'kty':'OKP','crv':'Ed25519','x':'@X@',"
            "'k':null}}",
        TYP "'alg':'EdDSA','crit':['x'],'x':1," JWK "}",
        TYP "'alg':'EdDSA','b64':true," JWK "}",
        TYP "'alg':'EdDSA','alg':'EdDSA'," JWK "}",
        /* 31 bytes, padding, stray bits, a point of small order. */
        TYP "'alg':'EdDSA','jwk':{'kty':'OKP','crv':'Ed25519',"
            "'x':'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'}}",
        TYP "'alg':'EdDSA','jwk':{'kty':'OKP','crv':'Ed25519','x':'@X@='}}",
        TYP "'alg':'EdDSA','jwk':{'kty':'OKP','crv':'Ed25519',"
            "'x':'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB'}}",
        TYP "'alg':'EdDSA','jwk':{'kty':'OKP','crv':'Ed25519',"
            "'x':'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'}}",
        /* A point that is not on the curve. */
        TYP "'alg':'ES256','jwk':{'kty':'EC','crv':'P-256',"
            "'x':'l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs',"
            "'y':'l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs'}}",
        "[]",
        "null",
    };
    const struct dpop_want w = want();
    for (size_t i = 0; i < countof(rows); i++)
        refused(check(proof_of(rows[i], PLAIN), &w), "dpop.proof", rows[i]);
}

/* ---- the claims ------------------------------------------------------ */

Test(dpop, claims_that_are_not_quite_right)
{
#define C(jti_, htm_, iat_)                                                    \
    "{'jti':" jti_ ",'htm':" htm_ ",'htu':'" OURS "','iat':" iat_ "}"
    static const char *const rows[] = {
        "[]",
        "{}",
        C("'1234567'", "'POST'", "1795341104"),
        C("1234567890", "'POST'", "1795341104"),
        C("null", "'POST'", "1795341104"),
        C("'0123456789'", "'GET'", "1795341104"),
        C("'0123456789'", "'post'", "1795341104"),
        C("'0123456789'", "null", "1795341104"),
        C("'0123456789'", "'POST'", "'1795341104'"),
        C("'0123456789'", "'POST'", "null"),
        C("'0123456789'", "'POST'", "1795341043"),
        C("'0123456789'", "'POST'", "1795341115"),
        C("'0123456789'", "'POST'", "1e300"),
        "{'jti':'0123456789','htm':'POST','iat':1795341104}",
        PLAIN " ,",
        CLAIMS ",'htm':'POST'}",
    };
    const struct dpop_want w = want();
    for (size_t i = 0; i < countof(rows); i++)
        refused(check(proof_of(HEADER, rows[i]), &w), "dpop.proof", rows[i]);
    cr_assert(!check(
        proof_of(HEADER, C("'12345678'", "'POST'", "1795341044")), &w));
    cr_assert(!check(
        proof_of(HEADER, C("'12345678'", "'POST'", "1795341114")), &w));
    cr_assert(!check(
        proof_of(HEADER, C("'12345678'", "'POST'", "1795341104.5")), &w));
}

/* Test 61. */
Test(dpop, the_address_is_ours_in_any_of_its_spellings)
{
    static const struct {
        const char *htu;
        bool ours;
    } rows[] = {
        {"https://sayso.example/oauth/token", true},
        {"https://sayso.example/oauth/token?x=1#y", true},
        {"HTTPS://SAYSO.Example/oauth/token", true},
        {"https://sayso.example:443/oauth/token", true},
        {"https://sayso.example:/oauth/token", true},
        {"https://sayso.example/oauth/x/../token", true},
        {"https://sayso.example/./oauth/%74oken", true},
        {"http://sayso.example/oauth/token", false},
        {"https://sayso.example:8443/oauth/token", false},
        {"https://evil.example/oauth/token", false},
        {"https://sayso.example.evil.example/oauth/token", false},
        {"https://sayso.example@evil.example/oauth/token", false},
        {"https://sayso.example/oauth/token/", false},
        {"https://sayso.example/oauth/Token", false},
        {"https://sayso.example/oauth/token/x", false},
        {"https://sayso.example/oauth%2Ftoken", false},
        {"https://sayso.example\\\\@evil.example/oauth/token", false},
        {"https://sayso.example", false},
        {"/oauth/token", false},
        {"", false},
    };
    const struct dpop_want w = want();
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str claims =
            fill("{'jti':'0123456789','htm':'POST','htu':'@U@',"
                 "'iat':1795341104}",
                 "@U@", str_of(rows[i].htu));
        const struct err *e =
            check(proof_of(HEADER, arena_z(a, claims)), &w);
        if (rows[i].ours)
            cr_assert(!e, "%s: %.*s", rows[i].htu, STR_FMT(e->say));
        else
            refused(e, "dpop.proof", rows[i].htu);
    }
}

Test(dpop, an_address_has_one_normal_form)
{
    static const struct {
        const char *address, *normal;
    } rows[] = {
        {"https://a.example", "https://a.example/"},
        {"https://a.example?x", "https://a.example/"},
        {"HTTP://A.Example:80/%7euser/%2f", "http://a.example/~user/%2F"},
        {"http://a.example:443/", "http://a.example:443/"},
        {"http://[::1]:9000/mcp", "http://[::1]:9000/mcp"},
        {"http://[::1]/mcp", "http://[::1]/mcp"},
        {"https://a.example/a/b/../../c/.", "https://a.example/c/"},
        {"https://a.example/../../x", "https://a.example/x"},
        {"https://a.example/a/..", "https://a.example/"},
        {"https://a.example//x", "https://a.example//x"},
        {"https://a.example/%", NULL},
        {"https://a.example/%4", NULL},
        {"https://a.example/%zz", NULL},
        {"https://a.example:0/", NULL},
        {"https://a.example:080/", NULL},
        {"https://a.example:65536/", NULL},
        {"https://a.example:x/", NULL},
        {"https://a:b:1/", NULL},
        {"http://[::1*:80/", NULL},
        {"http://[/", NULL},
        {"http://[]/", NULL},
        {"http://a]/", NULL},
        {"http://[::1]x/", NULL},
        {"https://u@a.example/", NULL},
        {"https://%61.example/", NULL},
        {"https:///x", NULL},
        {"ftp://a.example/", NULL},
        {"https:/a.example/", NULL},
        {"https://a.example/ x", NULL},
        {"https://\xC3\xA9.example/", NULL},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str s = dpop_address(a, str_of(rows[i].address));
        cr_assert_eq(s.p == NULL, rows[i].normal == NULL, "%s",
                     rows[i].address);
        cr_assert(!s.p || str_is(s, rows[i].normal), "%s: %.*s",
                  rows[i].address, STR_FMT(s));
    }
}

Test(dpop, an_address_is_below_a_resource)
{
    static const struct {
        const char *address;
        bool ok;
    } rows[] = {
        {"https://gw.example/mcp", true},
        {"https://gw.example/mcp/", true},
        {"https://gw.example/mcp/tools?x", true},
        {"https://gw.example/mcp2", false},
        {"https://gw.example/", false},
        {"https://gw.example/mcp/../other", false},
        {"mcp", false},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_assert_eq(dpop_below(a, str_of(rows[i].address),
                                STR("https://gw.example/mcp")),
                     rows[i].ok, "%s", rows[i].address);
}

/* ---- nonce, token, key ----------------------------------------------- */

/* Test 54. */
Test(dpop, a_nonce_lives_through_the_next_slot)
{
    static const struct {
        int64_t seconds; /* between the nonce and its use */
        bool ok, new_nonce;
    } rows[] = {
        {0, true, false},  {-1, true, false},  {1, true, true},
        {120, true, true}, {121, false, true}, {-120, false, true},
    };
    struct dpop_want w = want();
    struct dpop out;
    w.nonce_secret = SECRET;
    w.now = INT64_C(1795341120) * CLOCK_SECOND; /* a slot begins */
    refused(check(proof_of(HEADER, PLAIN), &w), "dpop.nonce", "none");
    refused(check(proof_of(HEADER, CLAIMS ",'nonce':''}"), &w), "dpop.nonce",
            "empty");
    refused(check(proof_of(HEADER, CLAIMS ",'nonce':7}"), &w), "dpop.nonce",
            "no text");
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str nonce = dpop_nonce(
            a, SECRET, w.now - rows[i].seconds * CLOCK_SECOND);
        /* With a nonce the time has only to be there. */
        const struct str claims =
            fill("{'jti':'0123456789','htm':'POST','htu':'" OURS "',"
                 "'iat':5,'nonce':'@N@'}",
                 "@N@", nonce);
        const struct err *e =
            dpop_check(a, proof_of(HEADER, arena_z(a, claims)), &w, &out);
        cr_assert_eq(out.new_nonce, rows[i].new_nonce, "row %zu", i);
        if (rows[i].ok)
            cr_assert(!e, "row %zu", i);
        else
            refused(e, "dpop.nonce", "out of its time");
    }
}

Test(dpop, a_nonce_is_of_our_secret)
{
    const struct str one = dpop_nonce(a, SECRET, NOW);
    cr_assert(str_eq(one, dpop_nonce(a, SECRET, NOW)));
    cr_assert(!str_eq(one, dpop_nonce(a, STR("another"), NOW)));
    cr_assert(!str_eq(one, dpop_nonce(a, SECRET,
                                      NOW + DPOP_SLOT * CLOCK_SECOND)));
}

Test(dpop, a_proof_is_for_one_token_and_one_key)
{
    struct dpop_want w = want();
    w.token = STR(TOKEN);
    const struct str claims = fill(CLAIMS ",'ath':'@A@'}", "@A@",
                                   crypt_sha256_b64(a, STR(TOKEN)));
    const struct str proof = proof_of(HEADER, arena_z(a, claims));
    cr_assert(!check(proof, &w));
    refused(check(proof_of(HEADER, PLAIN), &w), "dpop.proof", "no ath");
    w.jkt = STR(PRINTED_JKT);
    refused(check(proof, &w), "dpop.other_key", "another key");
}

/* ---- the form -------------------------------------------------------- */

/* Tests 60, 65 and 66. */
Test(dpop, a_proof_has_one_form)
{
    const struct dpop_want w = want();
    const struct str proof = proof_of(HEADER, PLAIN);
    static const char *const marks[] = {"%s ", " %s", "%s=", "%s.", "%s\n",
                                        "%s, %s", ".%s"};
    for (size_t i = 0; i < countof(marks); i++) {
        struct buf b = buf_make(a, 1 << 16);
        const struct str mark = str_of(marks[i]);
        for (size_t k = 0; k < mark.n; k++) {
            if (mark.p[k] == '%')
                buf_str(&b, proof);
            else if (k == 0 || mark.p[k - 1] != '%')
                buf_char(&b, mark.p[k]);
        }
        refused(check(buf_text(&b), &w), "dpop.proof", marks[i]);
    }
    refused(check(STR_NONE, &w), "dpop.proof", "none");
    struct buf claims = buf_make(a, 1 << 16);
    buf_put(&claims, CLAIMS ",'x':'");
    for (size_t i = 0; i < 3700; i++)
        buf_char(&claims, 'x');
    buf_put(&claims, "'}");
    refused(check(proof_of(HEADER, arena_z(a, buf_text(&claims))), &w),
            "dpop.proof", "5 kB");
}

Test(dpop, one_changed_byte_breaks_it)
{
    const struct dpop_want w = want();
    const struct str proof = proof_of(HEADER, PLAIN);
    for (size_t i = 0; i < proof.n; i++) {
        const struct str copy = arena_str(a, proof);
        char *p = arena_alloc(a, proof.n + 1);
        memcpy(p, copy.p, copy.n);
        p[i] = p[i] == 'A' ? 'B' : 'A';
        refused(check((struct str){p, proof.n}, &w), "dpop.proof", "a byte");
    }
}

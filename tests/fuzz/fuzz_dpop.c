/* Any bytes as the header and, behind a line feed, the claims of a proof, and
 * as an address:
 *
 * a proof whose signature is taken for good is for our method, address, time
 * and token, of a key that is public; without that, none passes; an address
 * in its normal form is its own normal form. */
#include "base/clock.h"
#include "base/crypt.h"
#include "base/json/jws.h"
#include "domain/permit/dpop.h"
#include "fuzz.h"

#define NOW (INT64_C(1795341104) * CLOCK_SECOND)

static bool yes(struct str x, struct str y, struct str signature,
                struct str message)
{
    must(x.n == 32 && y.n == 32 && message.n > 0);
    return signature.n > 0;
}

static bool no(struct str x, struct str y, struct str signature,
               struct str message)
{
    (void)x, (void)y, (void)signature, (void)message;
    return false;
}

static void put(struct buf *b, struct str bytes)
{
    const struct str text = crypt_base64(b->arena, bytes);
    for (size_t i = 0; i < text.n && text.p[i] != '='; i++)
        buf_char(b, text.p[i] == '+'   ? '-'
                    : text.p[i] == '/' ? '_'
                                       : text.p[i]);
}

static void check_good(struct arena *a, struct str proof,
                       const struct dpop *out)
{
    struct jws jws;
    const char *why = NULL;
    must(proof.n <= DPOP_MAX && jws_read(a, proof, DPOP_MAX, &jws, &why));
    const struct json *claims = jws_claims(a, &jws);
    const double iat = json_double(json_get(claims, "iat"));
    must(out->jkt.n == 43 && out->jti_sha256.n == 64);
    must(!json_has(json_get(jws.header, "jwk"), "d"));
    must(str_is(json_get_text(claims, "htm"), "POST"));
    must(iat >= 1795341044 && iat <= 1795341114);
    must(str_is(dpop_address(a, json_get_text(claims, "htu")),
                "https://a.example/t"));
}

static void check(struct arena *a, struct str proof)
{
    struct dpop_want want = {.method = STR("POST"),
                             .address = STR("https://a.example/t"),
                             .now = NOW,
                             .p256 = yes};
    struct dpop out;
    const struct err *e = dpop_check(a, proof, &want, &out);
    must(!e || (e->kind == ERR_UNAUTHENTICATED && e->say.n > 0));
    if (!e)
        check_good(a, proof, &out);
    want.p256 = no;
    must(dpop_check(a, proof, &want, &out) != NULL);
    want.p256 = yes;
    want.nonce_secret = STR("a secret that no input has");
    must(dpop_check(a, proof, &want, &out) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const struct str sent =
        arena_str(a, (struct str){(const char *)data, size});
    struct str rest = sent;
    struct buf b = buf_make(a, 1 << 20);
    must(crypt_init());
    const struct str normal = dpop_address(a, sent);
    must(!normal.p || str_eq(dpop_address(a, normal), normal));
    check(a, sent);
    put(&b, str_cut(&rest, '\n'));
    buf_char(&b, '.');
    put(&b, rest);
    buf_put(&b, ".YQ");
    check(a, buf_text(&b));
    return 0;
}

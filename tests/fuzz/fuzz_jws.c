/* Any bytes as a signed token:
 *
 * what is taken apart has one spelling, which is the token; nothing that is
 * no signature holds, and no length of a key or signature reads beyond it. */
#include "base/crypt.h"
#include "base/json/jws.h"
#include "fuzz.h"
#include "world/ecdsa.h"

/* The padding of base64 is none of base64url, and two characters differ. */
static void put(struct buf *b, struct str bytes)
{
    const struct str text = crypt_base64(b->arena, bytes);
    for (size_t i = 0; i < text.n && text.p[i] != '='; i++)
        buf_char(b, text.p[i] == '+'   ? '-'
                    : text.p[i] == '/' ? '_'
                                       : text.p[i]);
}

static void check(struct arena *a, struct str token, const struct jws *jws)
{
    struct buf b = buf_make(a, 1 << 20);
    struct str rest = token;
    must(json_is(jws->header, JSON_OBJECT));
    must(jws->input.p == token.p && jws->input.n < token.n);
    buf_str(&b, str_cut(&rest, '.'));
    buf_char(&b, '.');
    put(&b, jws->payload);
    must(str_eq(buf_text(&b), jws->input));
    buf_char(&b, '.');
    put(&b, jws->signature);
    must(str_eq(buf_text(&b), token));
    (void)jws_claims(a, jws);
    must(jws_thumbprint(a, jws->header).n == 43);
    const struct str x = json_get_text(jws->header, "x");
    const struct str y = json_get_text(jws->header, "y");
    must(!crypt_ed25519_ok(x, jws->signature, jws->input));
    must(!ecdsa_ok(x, y, jws->signature, jws->input));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const struct str token =
        arena_str(a, (struct str){(const char *)data, size});
    const char *why = NULL;
    struct jws jws;
    must(crypt_init());
    if (jws_read(a, token, (size_t)64 << 10, &jws, &why))
        check(a, token, &jws);
    else
        must(why != NULL);
    return 0;
}

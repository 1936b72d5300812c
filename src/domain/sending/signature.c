/* The signature of a webhook: HMAC-SHA256 over "id.timestamp.body". */
#include "domain/sending/signature.h"

#include "base/buf.h"
#include "base/crypt.h"

static void signature_put(struct buf *b, struct str secret, struct str text)
{
    const struct str prefix = STR("whsec_");
    if (str_starts(secret, prefix))
        secret = str_sub(secret, prefix.n, secret.n);
    const struct str key =
        secret.n ? crypt_base64_read(b->arena, secret) : STR_NONE;
    if (key.n == 0)
        return;
    buf_put(b, b->n ? " v1," : "v1,");
    buf_str(b, crypt_hmac(b->arena, key, text));
}

struct str signature_make(struct arena *a, const struct signature *s)
{
    struct buf out = buf_make(a, 256);
    const struct str text =
        arena_join(a, s->id, STR("."), arena_number(a, s->timestamp), STR("."),
                   s->body);
    signature_put(&out, s->secret, text);
    signature_put(&out, s->previous_secret, text);
    return out.n ? buf_text(&out) : STR_NONE;
}

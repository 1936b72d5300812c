/* The proof of a key that a request brings. */
#include "doors/asking/proof.h"

#include "base/clock.h"
#include "world/ecdsa.h"

const struct err *proof_read(struct call *c, struct dpop *out, bool *sent)
{
    const struct str header = request_header(c->rq, "DPoP");
    const int64_t now = clock_now();
    *out = (struct dpop){.new_nonce = false};
    *sent = header.p != NULL;
    if (!*sent)
        return NULL;
    const struct dpop_want want = {
        .method = STR("POST"),
        .address = arena_join(c->a, c->serve->conf->public_url, c->rq->path),
        .nonce_secret = c->who.nonce_secret,
        .now = now,
        .p256 = ecdsa_ok};
    const struct err *e = dpop_check(c->a, header, &want, out);
    if (out->new_nonce)
        response_header(c->rs, "DPoP-Nonce",
                        dpop_nonce(c->a, c->who.nonce_secret, now));
    return e;
}

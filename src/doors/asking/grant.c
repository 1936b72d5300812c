/* Permits at their doors. Never decides: the domain does. */
#include "doors/asking/grant.h"

#include "base/clock.h"
#include "store/permit_tokens.h"
#include "world/ecdsa.h"

const struct err *grant_begin(struct call *c, struct work *w,
                              struct permits_row *row)
{
    const struct work_once none = {.key = STR_NONE};
    TRY(call_begin(c, w, row->permit.intent_id, &none));
    return permits_get(c->pg, c->a, row->permit.id, row);
}

struct permit_case grant_case(const struct permits_row *row,
                              const struct work *w)
{
    return (struct permit_case){
        .now = w->now,
        .intent = w->intent.status,
        .question_open = w->has_suspension &&
                         w->suspension.state == SUSPENSION_PENDING,
        .key_ended = row->key_ended,
        .resource_removed = row->resource_removed,
        .access = row->access};
}

static void set_nonce(struct call *c, int64_t now)
{
    response_header(c->rs, "DPoP-Nonce",
                    dpop_nonce(c->a, c->who.nonce_secret, now));
}

const struct err *grant_proof(struct call *c, struct dpop *out, bool *sent)
{
    const struct str header = request_header(c->rq, "DPoP");
    struct buf address = buf_make(c->a, 4096);
    const int64_t now = clock_now();
    *out = (struct dpop){.turn = false};
    *sent = header.p != NULL;
    if (!*sent)
        return NULL;
    buf_str(&address, c->serve->conf->public_url);
    buf_str(&address, c->rq->path);
    const struct dpop_want want = {.method = STR("POST"),
                                   .address = buf_text(&address),
                                   .nonce_secret = c->who.nonce_secret,
                                   .now = now,
                                   .p256 = ecdsa_ok};
    const struct err *e = dpop_check(c->a, header, &want, out);
    if (out->turn)
        set_nonce(c, now);
    return e;
}

const struct err *grant_proof_keep(struct call *c, const struct dpop *proof,
                                   int64_t now)
{
    bool fresh = false;
    TRY(permit_tokens_proof(c->pg, c->a, proof->jkt, proof->jti_sha256, now,
                            &fresh));
    return fresh ? NULL : dpop_seen();
}

/* Receipts of questions, the keys that sign them, and the newest head of the
 * log. */
#include "doors/api/api.h"
#include "doors/asking/question.h"
#include "store/intent/events.h"
#include "store/log/log_checkpoints.h"
#include "store/log/signing_keys.h"
#include "store/log/receipts.h"
#include "store/log/tlogs.h"
#include "store/tables.h"

#define JOSE "application/jose"

/* ---- keys ----------------------------------------------------------- */

/* NULL: it is not published, for it was compromised. */
static struct json *receipt_key(struct arena *a, const struct signing_key *row)
{
    struct signer_public key;
    if (row->state == SIGNING_KEY_COMPROMISED ||
        !signing_key_public(a, row, &key))
        return NULL;
    struct json *jwk = signer_jwk(a, &key);
    json_set_text(jwk, "kid", row->kid);
    json_set_text(jwk, "use", STR("sig"));
    return jwk;
}

static const struct err *receipt_keys(struct call *c, struct json **out)
{
    struct signing_key_rows rows;
    struct json *list = json_array(c->a);
    TRY(signing_keys_list(c->pg, c->a, &rows));
    for (size_t i = 0; i < rows.n; i++) {
        struct json *jwk = receipt_key(c->a, &rows.v[i]);
        if (jwk)
            json_add_json(list, jwk);
    }
    *out = json_object(c->a);
    json_set_json(*out, "keys", list);
    return NULL;
}

const struct err *api_receipt_keys(struct call *c)
{
    struct json *keys;
    TRY(receipt_keys(c, &keys));
    response_json(c->rs, 200, keys);
    response_header(c->rs, "Cache-Control", STR("public, max-age=300"));
    return NULL;
}

/* The organization's name for the keys (did:web): the same ones, and the one
 * that signs now. */
const struct err *api_receipt_did(struct call *c)
{
    struct json *o = json_object(c->a), *context = json_array(c->a);
    struct json *methods = json_array(c->a), *signs = json_array(c->a);
    struct buf did = buf_make(c->a, 512);
    struct signing_key_rows rows;
    const struct str url = c->serve->conf->public_url;
    buf_put(&did, "did:web:");
    buf_escape(&did, str_sub(url, str_search(url, STR("://")) + 3, url.n));
    TRY(signing_keys_list(c->pg, c->a, &rows));
    for (size_t i = 0; i < rows.n; i++) {
        const struct str id =
            arena_join(c->a, buf_text(&did), STR("#"), rows.v[i].kid);
        struct json *jwk = receipt_key(c->a, &rows.v[i]);
        struct json *method = json_object(c->a);
        if (!jwk)
            continue;
        json_set_text(method, "id", id);
        json_set_text(method, "type", STR("JsonWebKey"));
        json_set_text(method, "controller", buf_text(&did));
        json_set_json(method, "publicKeyJwk", jwk);
        json_add_json(methods, method);
        if (rows.v[i].state == SIGNING_KEY_CURRENT)
            json_add_text(signs, id);
    }
    json_add_text(context, STR("https://www.w3.org/ns/did/v1"));
    json_add_text(context, STR("https://w3id.org/security/jwk/v1"));
    json_set_json(o, "@context", context);
    json_set_text(o, "id", buf_text(&did));
    json_set_json(o, "verificationMethod", methods);
    json_set_json(o, "assertionMethod", signs);
    response_json(c->rs, 200, o);
    response_header(c->rs, "Cache-Control", STR("public, max-age=300"));
    return NULL;
}

/* ---- proofs --------------------------------------------------------- */

/* That a checkpoint has the event: one of its intent, else the server's. */
static const struct err *receipt_checkpoint(struct call *c,
                                            const struct suspension *s,
                                            const struct event *e,
                                            int64_t position, struct json *o)
{
    const int64_t epoch = tables_restore().epoch;
    struct log_checkpoint found;
    struct tlog_hash *v = NULL;
    int64_t at = e->sequence;
    bool any = false;
    TRY(log_checkpoints_covering(c->pg, c->a, epoch, s->intent_id, at, &found,
                                 &any));
    if (!any) {
        at = position + 1;
        TRY(log_checkpoints_covering(c->pg, c->a, epoch, STR_NONE, at, &found,
                                     &any));
    }
    if (!any) {
        json_set_json(o, "checkpoint", NULL);
        json_set_json(o, "proof", NULL);
        return NULL;
    }
    TRY(tlogs_hashes(c->pg, c->a, epoch, found.intent_id, found.first_sequence,
                     found.last_sequence, &v));
    json_set_json(o, "checkpoint",
                  record_object(c->a, &log_checkpoint_record, &found));
    json_set_json(o, "proof",
                  log_checkpoint_proof(c->a, &found, e->id, e->hash,
                                       at - found.first_sequence, v));
    return NULL;
}

/* That a signed head has it. */
static const struct err *receipt_head(struct call *c, int64_t position,
                                      struct json *o)
{
    struct tlogs_source stored = {
        .pg = c->pg, .arena = c->a, .epoch = tables_restore().epoch};
    const struct tlog_source source = tlogs_source(&stored);
    struct tlogs_head newest;
    struct tlog_proof p;
    json_set_json(o, "tlog_proof", NULL);
    TRY(tlogs_head(c->pg, c->a, stored.epoch, &newest));
    if (position < 0 || newest.head.size <= position)
        return NULL;
    TRY(tlog_inclusion(&source, position, newest.head.size, &p));
    json_set_text(o, "tlog_proof",
                  note_proof(c->a, position, &p, newest.note));
    return NULL;
}

/* ---- the bundle ----------------------------------------------------- */

static const struct err *receipt_event(struct call *c, struct str intent_id,
                                       int64_t sequence, struct event *out)
{
    struct event_rows rows;
    TRY(events_get(c->pg, c->a, intent_id, sequence, &rows));
    if (rows.n == 0)
        return ERROR(ERR_INTERNAL, "internal", "The event is missing.");
    *out = rows.v[0];
    return NULL;
}

/* The words that the digests stand for. */
static void receipt_texts(struct call *c, const struct receipt *r,
                          struct json *o)
{
    struct json *texts = json_object(c->a);
    json_set_text(texts, "subject", r->s->subject);
    json_set_text_or_null(texts, "approved_subject", r->s->approved_subject);
    json_set_text(texts, "asked_event", r->asked->canonical);
    json_set_text(texts, "event", r->ended->canonical);
    json_set_json(o, "disclosures", receipt_disclosures(c->a, r));
    json_set_json(o, "texts", texts);
}

static const struct err *receipt_missing(const struct suspension *s)
{
    if (s->state == SUSPENSION_PENDING)
        return ERROR(ERR_CONFLICT, "suspension.pending",
                     "The question has not ended. A receipt says how it "
                     "ended.");
    if (s->test)
        return ERROR(ERR_NOT_FOUND, "receipt.test",
                     "A question of a test has no receipt.");
    static const struct err soon = {
        .kind = ERR_BUSY,
        .code = "receipt.soon",
        .say = WIRE("The receipt is not signed yet. Ask again in a second."),
        .retry = 1};
    return &soon;
}

const struct err *api_receipt(struct call *c)
{
    const bool bare =
        str_search(request_header(c->rq, "Accept"), STR(JOSE)) <
        request_header(c->rq, "Accept").n;
    struct json *o = json_object(c->a), *keys;
    struct suspension s;
    struct receipts_row row;
    struct event asked, ended;
    int64_t position;
    TRY(question_get(c, c->param[0], &s));
    TRY(receipts_get(c->pg, c->a, s.id, &row));
    if (!row.found)
        return receipt_missing(&s);
    if (bare) {
        response_json_text(c->rs, 200, row.jws);
        response_header(c->rs, "Content-Type", STR(JOSE));
        return NULL;
    }
    const struct receipt r = {
        .salt = row.salt, .s = &s, .asked = &asked, .ended = &ended};
    TRY(receipt_event(c, s.intent_id, s.asked_sequence, &asked));
    TRY(receipt_event(c, s.intent_id, row.event_sequence, &ended));
    TRY(tlogs_position(c->pg, c->a, tables_restore().epoch, s.intent_id,
                       ended.sequence, &position));
    json_set_text(o, "receipt", row.jws);
    if (!str_is(request_query(c->rq, "texts"), "no"))
        receipt_texts(c, &r, o);
    TRY(receipt_checkpoint(c, &s, &ended, position, o));
    TRY(receipt_head(c, position, o));
    TRY(receipt_keys(c, &keys));
    json_set_json(o, "keys", keys);
    response_json(c->rs, 200, o);
    return NULL;
}

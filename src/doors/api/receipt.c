/* Receipts of questions, the keys that sign them, and the newest head of the
 * log. */
#include "doors/api/api.h"
#include "doors/asking/question.h"
#include "doors/asking/receipt_found.h"
#include "store/log/signing_keys.h"
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

/* ---- the bundle ----------------------------------------------------- */

/* That the checkpoint has the event. */
static const struct err *receipt_checkpoint(struct call *c,
                                            const struct receipt_found *f,
                                            struct json *o)
{
    const struct log_checkpoint *k = &f->checkpoint;
    struct tlog_hash *v = NULL;
    json_set_json(o, "checkpoint", NULL);
    json_set_json(o, "proof", NULL);
    if (!f->covered)
        return NULL;
    TRY(tlogs_hashes(c->pg, c->a, tables_restore().epoch, k->intent_id,
                     k->first_sequence, k->last_sequence, &v));
    json_set_json(o, "checkpoint",
                  record_object(c->a, &log_checkpoint_record, k));
    json_set_json(o, "proof",
                  log_checkpoint_proof(c->a, k, f->ended.id, f->ended.hash,
                                       f->place, v));
    return NULL;
}

/* That the newest signed head has it. */
static const struct err *
receipt_head(struct call *c, const struct receipt_found *f, struct json *o)
{
    struct tlogs_source stored = {
        .pg = c->pg, .arena = c->a, .epoch = tables_restore().epoch};
    const struct tlog_source source = tlogs_source(&stored);
    struct tlog_proof p;
    json_set_json(o, "tlog_proof", NULL);
    if (!f->headed)
        return NULL;
    TRY(tlog_inclusion(&source, f->position, f->head.head.size, &p));
    json_set_text(o, "tlog_proof",
                  note_proof(c->a, f->position, &p, f->head.note));
    return NULL;
}

/* A text of the question, which its rule erased with it. */
static void receipt_text(struct arena *a, const struct suspension *s,
                         struct json *texts, struct json *erased,
                         const char *name, struct str text)
{
    const struct event e = {.rule = s->erased_rule, .erased_at = s->erased_at};
    json_set_text_or_null(texts, name, s->erased_rule.p ? STR_NONE : text);
    if (s->erased_rule.p)
        json_set_json(erased, name, event_rule(a, &e));
}

static void receipt_event_text(struct arena *a, struct json *texts,
                               struct json *erased, const char *name,
                               const struct event *e)
{
    json_set_text_or_null(texts, name,
                          e->canonical.n ? e->canonical : STR_NONE);
    if (e->rule.p)
        json_set_json(erased, name, event_rule(a, e));
}

/* The words that the digests stand for, and which of them a rule erased.
 * reaches: the caller may read the events. */
static void receipt_texts(struct call *c, const struct suspension *s,
                          const struct receipt_found *f, bool reaches,
                          struct json *o)
{
    const struct receipt r = {.salt = f->row.salt, .s = s};
    struct json *texts = json_object(c->a), *erased = json_object(c->a);
    json_set_json(o, "disclosures", receipt_disclosures(c->a, &r));
    if (!reaches)
        return;
    receipt_text(c->a, s, texts, erased, "subject", s->subject);
    receipt_text(c->a, s, texts, erased, "approved_subject",
                 s->approved_subject);
    receipt_event_text(c->a, texts, erased, "asked_event", &f->asked);
    receipt_event_text(c->a, texts, erased, "event", &f->ended);
    json_set_json(o, "texts", texts);
    if (json_count(erased) > 0)
        json_set_json(o, "erased", erased);
}

/* May the caller read the events of the intent? An agent that asks for access
 * knows no more of it than its id, until it has access. */
static const struct err *
receipt_check_reach(struct call *c, const struct suspension *s, bool *out)
{
    struct intent i;
    const struct err *e = NULL;
    if (c->who.role == ROLE_AGENT && s->origin == ORIGIN_ACCESS)
        e = call_intent(c, s->intent_id, REACH_USE, &i);
    *out = e == NULL;
    return e && e->kind != ERR_NOT_FOUND ? e : NULL;
}

const struct err *api_receipt(struct call *c)
{
    const bool bare =
        str_search(request_header(c->rq, "Accept"), STR(JOSE)) <
        request_header(c->rq, "Accept").n;
    struct json *o = json_object(c->a), *keys;
    struct suspension s;
    struct receipt_found f;
    bool reaches = false;
    TRY(question_get(c, c->param[0], &s));
    TRY(receipt_found_read(c, &s, &f));
    if (!f.row.found)
        return receipt_found_missing(c->a, &s, &f.row);
    if (bare) {
        response_json_text(c->rs, 200, f.row.jws);
        response_header(c->rs, "Content-Type", STR(JOSE));
        return NULL;
    }
    TRY(receipt_check_reach(c, &s, &reaches));
    f.covered = f.covered && reaches;
    json_set_text(o, "receipt", f.row.jws);
    if (!str_is(request_query(c->rq, "texts"), "no"))
        receipt_texts(c, &s, &f, reaches, o);
    TRY(receipt_checkpoint(c, &f, o));
    TRY(receipt_head(c, &f, o));
    TRY(receipt_keys(c, &keys));
    json_set_json(o, "keys", keys);
    response_json(c->rs, 200, o);
    return NULL;
}

/* Receipts: their claims, and the disclosures beside them. */
#include "domain/log/receipt.h"

#include "base/clock.h"
#include "base/clock_text.h"
#include "domain/log/log_checkpoint.h"

#define RECEIPT_DISCLOSURES 8
#define RECEIPT_DISCLOSURE_MAX ((size_t)1 << 20) /* bytes of a text */

/* The members that only a disclosure has. */
struct receipt_said {
    struct str v[RECEIPT_DISCLOSURES]; /* base64url of [salt, name, value] */
    size_t n;
};

/* Nothing is disclosed of what there is not. A salt of its own for each: a
 * reader of one must not guess the others. */
static void receipt_say(struct arena *a, const struct receipt *r,
                        const char *name, const struct json *value,
                        struct receipt_said *out)
{
    struct json *list = json_array(a);
    if (!value || !r->salt.p)
        return;
    json_add_text(list, crypt_hmac_b64(a, r->salt, str_of(name)));
    json_add_text(list, str_of(name));
    json_add_json(list, value);
    out->v[out->n++] =
        crypt_base64url(a, json_dump(a, list, RECEIPT_DISCLOSURE_MAX));
}

static const struct json *receipt_text(struct arena *a, struct str s)
{
    return s.p ? json_string(a, s) : NULL;
}

static void receipt_say_all(struct arena *a, const struct receipt *r,
                            struct receipt_said *out)
{
    const struct suspension *s = r->s;
    *out = (struct receipt_said){.n = 0};
    receipt_say(a, r, "initiated_by", receipt_text(a, s->initiated_by), out);
    receipt_say(a, r, "reason", receipt_text(a, s->reason), out);
    receipt_say(a, r, "responded_by", receipt_text(a, s->responded_by), out);
    receipt_say(a, r, "responded_by_claimed",
                receipt_text(a, s->responded_by_claimed), out);
    receipt_say(a, r, "value", json_read(a, s->response), out);
}

struct json *receipt_disclosures(struct arena *a, const struct receipt *r)
{
    struct receipt_said said;
    struct json *list = json_array(a);
    receipt_say_all(a, r, &said);
    for (size_t i = 0; i < said.n; i++)
        json_add_text(list, said.v[i]);
    return list;
}

/* The digests of the disclosures, in their own order (RFC 9901 4.2.4.1): the
 * place of one says nothing. */
static struct json *receipt_digests(struct arena *a, const struct receipt *r)
{
    struct receipt_said said;
    struct json *list = json_array(a);
    receipt_say_all(a, r, &said);
    for (size_t i = 0; i < said.n; i++) {
        struct str d = crypt_sha256_b64(a, said.v[i]);
        for (size_t k = 0; k < i; k++) {
            if (str_cmp(d, said.v[k]) < 0) {
                const struct str larger = said.v[k];
                said.v[k] = d;
                d = larger;
            }
        }
        said.v[i] = d;
    }
    for (size_t i = 0; i < said.n; i++)
        json_add_text(list, said.v[i]);
    return list;
}

static struct json *receipt_event(struct arena *a, const struct event *e,
                                  bool linked)
{
    struct json *o = json_object(a);
    json_set_int(o, "sequence", e->sequence);
    json_set_text(o, "event_hash", e->hash);
    if (linked)
        json_set_text_or_null(o, "previous_event_hash", e->previous);
    return o;
}

static struct json *receipt_permit(struct arena *a, const struct permit *p)
{
    struct json *o = json_object(a);
    if (!p || !p->granted.p)
        return NULL;
    json_set_text(o, "id", p->id);
    json_set_text(o, "granted_sha256", p->granted_sha256);
    json_set_int(o, "max_uses", p->terms.max_uses);
    json_set_text(o, "not_after", clock_rfc3339(a, p->not_after));
    return o;
}

static struct json *receipt_object(struct arena *a, const struct receipt *r)
{
    const struct suspension *s = r->s;
    struct json *o = json_object(a);
    json_set_int(o, "version", 1);
    json_set_text(o, "intent_id", s->intent_id);
    json_set_text_or_null(o, "kind", kind_words(s->kind)->wire);
    json_set_text_or_null(o, "severity",
                          vocabulary_severity(s->severity)->wire);
    json_set_text(o, "asked_by", s->asked_by);
    json_set_text(o, "asked_at", clock_rfc3339(a, s->suspended_at));
    json_set_text_or_null(o, "initiator", suspension_initiator(s));
    json_set_text(o, "subject_sha256", s->subject_sha256);
    json_set_text_or_null(o, "approved_sha256", s->approved_sha256);
    json_set_json(o, "calls", json_read(a, r->calls));
    json_set_text(o, "state", vocabulary_suspension_state(s->state)->wire);
    json_set_text_or_null(o, "outcome", vocabulary_outcome(s->outcome)->wire);
    json_set_text_or_null(o, "responded_via",
                          vocabulary_via(s->responded_via)->wire);
    json_set_text(o, "responded_at", clock_rfc3339(a, s->responded_at));
    json_set_json(o, "permit", receipt_permit(a, r->permit));
    json_set_json(o, "asked_event", receipt_event(a, r->asked, false));
    json_set_json(o, "event", receipt_event(a, r->ended, true));
    json_set_json(o, "_sd", receipt_digests(a, r));
    return o;
}

struct json *receipt_claims(struct arena *a, const struct receipt *r)
{
    struct json *o = json_object(a);
    json_set_text(o, "iss", r->issuer);
    json_set_text(o, "sub", r->s->id);
    json_set_text(o, "jti", r->ended->id);
    json_set_int(o, "iat", r->s->responded_at / CLOCK_SECOND);
    json_set_text(o, "_sd_alg", STR("sha-256"));
    json_set_json(o, "receipt", receipt_object(a, r));
    return o;
}

struct str receipt_sign(struct arena *a, const struct receipt *r,
                        const struct signer *k)
{
    return signer_jws(a, k, RECEIPT_TYPE, receipt_claims(a, r));
}

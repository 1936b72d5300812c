/* Checks a receipt with its bundle. */
#include "domain/log/receipt_check.h"

#include "base/clock.h"
#include "base/json/jws.h"
#include "domain/log/log_checkpoint.h"
#include "domain/log/receipt.h"
#include "domain/question/ending.h"

struct receipt_checked {
    struct arena *a;
    const struct json *bundle;
    const struct note_key *keys;
    size_t n;
    const struct json *claims, *receipt; /* of the JWS; NULL: it cannot be
                                          * read */
    struct tlog_hash event; /* of the event that ended the question */
};

static struct str receipt_check_raw(const struct signer_public *k)
{
    return (struct str){(const char *)k->b, sizeof k->b};
}

/* ---- the statement -------------------------------------------------- */

static const char *receipt_check_signature(struct receipt_checked *x)
{
    struct arena *a = x->a;
    struct jws jws;
    size_t i = 0;
    const char *why = NULL;
    if (!jws_read(a, json_get_text(x->bundle, "receipt"), RECEIPT_MAX, &jws,
                  &why))
        return why;
    if (!str_is(json_get_text(jws.header, "alg"), "EdDSA"))
        return "its algorithm is not EdDSA";
    if (!str_is(json_get_text(jws.header, "typ"), RECEIPT_TYPE))
        return "it is a statement of another type";
    while (i < x->n && !str_eq(json_get_text(jws.header, "kid"),
                               signer_kid(a, &x->keys[i].key)))
        i++;
    if (i == x->n)
        return "it is signed by another key";
    if (!crypt_ed25519_ok(receipt_check_raw(&x->keys[i].key), jws.signature,
                          jws.input))
        return "its signature does not hold";
    x->claims = jws_claims(a, &jws);
    x->receipt = json_get(x->claims, "receipt");
    const struct str hash =
        json_get_text(json_get(x->receipt, "event"), "event_hash");
    if (!str_is(json_get_text(x->claims, "_sd_alg"), "sha-256") ||
        json_int(json_get(x->receipt, "version")) != 1 ||
        !log_checkpoint_hash_read(a, hash, &x->event))
        return "its claims are not those of a receipt";
    return NULL;
}

/* Each disclosure has a digest in the statement (RFC 9901 7.1). */
static const char *receipt_check_disclosures(const struct receipt_checked *x)
{
    const struct json *list = json_get(x->bundle, "disclosures");
    for (size_t i = 0; i < json_count(list); i++) {
        const struct str text = json_text(json_at(list, i));
        const struct json *said =
            json_read(x->a, crypt_base64url_read(x->a, text));
        if (!json_is(said, JSON_ARRAY) || json_count(said) != 3 ||
            !json_lists_text(json_get(x->receipt, "_sd"),
                             crypt_sha256_b64(x->a, text)))
            return "one of them is not what was signed";
    }
    return NULL;
}

/* ---- the texts ------------------------------------------------------ */

/* Reports a text of the bundle that a rule erased. false: it was not. */
static bool receipt_check_erased(const struct receipt_checked *x,
                                 const char *step, const char *member,
                                 const struct receipt_check_report *report)
{
    const struct json *erased =
        json_get(json_get(x->bundle, "erased"), member);
    const struct str rule = json_get_text(erased, "rule"),
                     at = json_get_text(erased, "at");
    if (json_get_text(json_get(x->bundle, "texts"), member).p || !rule.n ||
        !at.n)
        return false;
    report->erased(report->own, step, rule, at);
    return true;
}

/* The subject, and the one that was approved in its place. */
static void receipt_check_subject(const struct receipt_checked *x,
                                  const struct receipt_check_report *report)
{
    static const struct {
        const char *text, *digest;
    } texts[] = {{"subject", "subject_sha256"},
                 {"approved_subject", "approved_sha256"}};
    const struct json *sent = json_get(x->bundle, "texts");
    const char *why = NULL;
    bool erased = false;
    for (size_t i = 0; i < countof(texts) && !why; i++) {
        const struct str text = json_get_text(sent, texts[i].text);
        const struct str digest = json_get_text(x->receipt, texts[i].digest);
        if (!text.p && digest.p &&
            receipt_check_erased(x, "subject", texts[i].text, report))
            erased = true;
        else if (text.p ? !str_eq(crypt_sha256_hex(x->a, text), digest)
                        : digest.p != NULL)
            why = "its bytes do not match the signed digest";
    }
    if (why || !erased)
        report->step(report->own, "subject", why);
}

/* An event of the bundle against what is signed of it. */
static const char *receipt_check_bytes(const struct receipt_checked *x,
                                       struct str canonical,
                                       const struct json *wanted)
{
    const struct json *e = json_read(x->a, canonical);
    const struct str hash =
        arena_join(x->a, STR("sha256:"), crypt_sha256_b64(x->a, canonical));
    if (!canonical.p || !str_eq(json_get_text(wanted, "event_hash"), hash))
        return "its bytes do not match the signed hash";
    if (json_int(json_get(e, "sequence")) !=
            json_int(json_get(wanted, "sequence")) ||
        !str_eq(json_get_text(e, "intent_id"),
                json_get_text(x->receipt, "intent_id")) ||
        (json_has(wanted, "previous_event_hash") &&
         !str_eq(json_get_text(e, "previous_event_hash"),
                 json_get_text(wanted, "previous_event_hash"))))
        return "it is another event of the log";
    return NULL;
}

/* Reports it. false: it does not hold, or it was erased. */
static bool receipt_check_event(const struct receipt_checked *x,
                                const char *step, const char *member,
                                const struct receipt_check_report *report)
{
    const struct str canonical =
        json_get_text(json_get(x->bundle, "texts"), member);
    if (receipt_check_erased(x, step, member, report))
        return false;
    const char *why =
        receipt_check_bytes(x, canonical, json_get(x->receipt, member));
    report->step(report->own, step, why);
    return !why;
}

/* Does the log's event say what the statement says? Only the outcome of
 * intent.resumed is one of the receipt's words: that of decision_recorded is
 * the text of an answer. */
static const char *receipt_check_facts(const struct receipt_checked *x)
{
    const struct str said = json_get_text(x->receipt, "outcome");
    const struct str canonical =
        json_get_text(json_get(x->bundle, "texts"), "event");
    const struct json *o = json_read(x->a, canonical);
    struct event e = {.type = json_get_text(o, "event_type"),
                      .canonical = canonical};
    struct suspension s = {.id = json_get_text(x->claims, "sub"),
                           .state = vocabulary_suspension_state_of(
                               json_get_text(x->receipt, "state")),
                           .outcome = vocabulary_outcome_of(said)};
    if (!json_is(o, JSON_OBJECT) ||
        !str_eq(json_get_text(o, "id"), json_get_text(x->claims, "jti")))
        return "it is another event of the log";
    if (!clock_parse(json_get_text(x->receipt, "asked_at"), &s.suspended_at) ||
        !clock_parse(json_get_text(x->receipt, "responded_at"),
                     &s.responded_at) ||
        !clock_parse(json_get_text(o, "created_at"), &e.created_at))
        return "its times cannot be read";
    const enum ending ending = ending_of_receipt(x->a, &s, &e);
    const struct str outcome =
        json_get_text(json_get(o, "payload"), "outcome");
    if (ending == ENDING_NONE)
        return "the event is of another question";
    if (ending == ENDING_OTHER || (str_is(e.type, "intent.resumed") &&
                                   outcome.p && !str_eq(outcome, said)))
        return "the event has another outcome";
    return NULL;
}

/* ---- the proofs ----------------------------------------------------- */

static bool receipt_check_steps(struct arena *a, const struct json *list,
                                struct merkle_proof *out)
{
    out->n = json_count(list);
    if (out->n > MERKLE_STEPS_MAX)
        return false;
    for (size_t i = 0; i < out->n; i++) {
        const struct json *step = json_at(list, i);
        const struct str side = json_get_text(step, "position");
        out->v[i].left = str_is(side, "left");
        if ((!out->v[i].left && !str_is(side, "right")) ||
            !log_checkpoint_hash_read(a, json_get_text(step, "hash"),
                                      &out->v[i].hash))
            return false;
    }
    return true;
}

static const char *receipt_check_checkpoint(const struct receipt_checked *x)
{
    const struct json *c = json_get(x->bundle, "checkpoint");
    const struct json *proof = json_get(x->bundle, "proof");
    struct merkle_proof p;
    struct tlog_hash root;
    size_t i = 0;
    while (i < x->n && !log_checkpoint_ok(x->a, c, &x->keys[i].key))
        i++;
    if (i == x->n)
        return "it is not signed by this key";
    if (!log_checkpoint_hash_read(x->a, json_get_text(c, "merkle_root"),
                                  &root) ||
        !receipt_check_steps(x->a, json_get(proof, "proof_hashes"), &p) ||
        !merkle_check(&p, &x->event, json_int(json_get(proof, "leaf_index")),
                      json_int(json_get(c, "event_count")), &root))
        return "its proof does not lead from the event to its root";
    return NULL;
}

/* The index and the hashes of a tlog-proof; *note: what follows. */
static bool receipt_check_tlog(struct arena *a, struct str text,
                               int64_t *index, struct tlog_proof *out,
                               struct str *note)
{
    const size_t end = str_search(text, STR("\n\n"));
    struct str rest = str_sub(text, 0, end);
    *note = str_sub(text, end + 2, text.n);
    out->n = 0;
    if (end == text.n ||
        !str_is(str_cut(&rest, '\n'), "c2sp.org/tlog-proof@v1"))
        return false;
    struct str line = str_cut(&rest, '\n');
    if (!str_is(str_cut(&line, ' '), "index") ||
        !str_int(line, 0, TLOG_SIZE_MAX, index))
        return false;
    while (rest.p) {
        const struct str bytes = crypt_base64_read(a, str_cut(&rest, '\n'));
        if (bytes.n != CRYPT_SHA256 || out->n == TLOG_PROOF_MAX)
            return false;
        memcpy(out->v[out->n++].b, bytes.p, bytes.n);
    }
    return true;
}

static const char *receipt_check_head(const struct receipt_checked *x)
{
    struct arena *a = x->a;
    struct note *n = arena_new(a, struct note);
    struct note_head head;
    struct tlog_proof p;
    struct str text;
    int64_t index = 0, at = 0;
    if (!receipt_check_tlog(a, json_get_text(x->bundle, "tlog_proof"), &index,
                            &p, &text))
        return "it cannot be read";
    const char *why = note_read(a, text, n);
    if (!why)
        why = note_head_read(a, n->text, &head);
    if (why)
        return why;
    bool holds = false;
    for (size_t i = 0; i < x->n && !holds; i++) {
        struct note_key key = x->keys[i];
        key.name = head.origin;
        holds = note_signed(a, n, &key, &at);
    }
    if (!holds)
        return "its head is not signed by this key";
    const struct tlog_hash leaf = tlog_leaf(&x->event);
    return tlog_included(&p, index, head.size, &leaf, &head.root)
               ? NULL
               : "its proof does not lead from the event to the head";
}

/* ---- all of it ------------------------------------------------------ */

bool receipt_check(struct arena *a, struct str bundle,
                   const struct note_key *keys, size_t n,
                   const struct receipt_check_report *report)
{
    struct receipt_checked x = {.a = a, .keys = keys, .n = n};
    struct json *o = NULL;
    if (json_parse(a, bundle, &o) || !json_is(o, JSON_OBJECT) ||
        !json_is(json_get(o, "receipt"), JSON_STRING))
        return false;
    x.bundle = o;
    const char *why = receipt_check_signature(&x);
    report->step(report->own, "signature", why);
    if (!x.receipt)
        return true;
    if (json_has(o, "disclosures"))
        report->step(report->own, "disclosures",
                     receipt_check_disclosures(&x));
    if (json_has(o, "texts")) {
        receipt_check_subject(&x, report);
        (void)receipt_check_event(&x, "question", "asked_event", report);
        if (receipt_check_event(&x, "answer", "event", report))
            report->step(report->own, "facts", receipt_check_facts(&x));
    }
    if (json_is(json_get(o, "checkpoint"), JSON_OBJECT))
        report->step(report->own, "checkpoint", receipt_check_checkpoint(&x));
    if (json_is(json_get(o, "tlog_proof"), JSON_STRING))
        report->step(report->own, "head", receipt_check_head(&x));
    return true;
}

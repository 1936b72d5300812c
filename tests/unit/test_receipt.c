/* Receipts: what is signed and what is not, and a bundle with one change of each
 * kind. */
#include <stdio.h>

#include "base/json/jws.h"
#include "domain/log/log_checkpoint.h"
#include "domain/log/receipt.h"
#include "domain/log/receipt_check.h"
#include "keys.h"

SUITE(receipt);

#define INTENT "0190c2a4-7e1f-7abc-8def-000000000001"
#define NOW INT64_C(1795253504120931)

/* A question that ended with its two events. */
struct scene {
    struct suspension s;
    struct event_list events;
    struct receipt r;
};

/* state, outcome: of the question; type, payload: of the event at its end. */
static struct scene *scene_of(enum suspension_state state,
                              enum outcome outcome, const char *type,
                              const struct json *payload)
{
    struct scene *x = arena_new(a, struct scene);
    struct event_tail tail = {.sequence = 0};
    struct suspension *s = &x->s;
    *s = (struct suspension){.id = STR("question-1"),
                             .intent_id = STR(INTENT),
                             .kind = KIND_NONE,
                             .asked_by = STR("bot"),
                             .initiated_by = STR("mara@example.org"),
                             .subject = STR("{\"order\": 12345}"),
                             .suspended_at = NOW,
                             .state = state,
                             .outcome = outcome,
                             .response = STR("\"approve\""),
                             .reason = STR("Looks right"),
                             .responded_by = STR("ada@example.org"),
                             .responded_via = VIA_BROWSER,
                             .responded_at = NOW + 5000000};
    s->subject_sha256 = crypt_sha256_hex(a, s->subject);
    const struct event_draft asked = {
        .type = "intent.suspended",
        .by = event_by_server(),
        .payload = tree("{'suspension_id':'question-1'}")};
    const struct event_draft ended = {
        .type = type, .by = event_by_server(), .payload = payload};
    cr_assert_null(event_append(a, s->intent_id, &asked, NOW, &tail,
                                &x->events));
    cr_assert_null(event_append(a, s->intent_id, &ended, NOW + 5000000, &tail,
                                &x->events));
    x->r = (struct receipt){.issuer = STR("https://sayso.example"),
                            .salt = STR("a-random-salt"),
                            .s = s,
                            .asked = &x->events.v[0],
                            .ended = &x->events.v[1]};
    return x;
}

static struct scene *scene(void)
{
    return scene_of(
        SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED, "intent.resumed",
        tree("{'suspension_id':'question-1','outcome':'authorized'}"));
}

/* ---- what is signed ------------------------------------------------- */

Test(receipt, says_no_word_of_a_person_or_of_the_question)
{
    const struct scene *x = scene();
    /* "ada" alone may stand in an id, by chance. */
    static const char *const words[] = {"mara@", "ada@", "Looks",
                                        "\"approve\"", "order"};
    const struct str claims = json_dump(a, receipt_claims(a, &x->r), 1 << 16);
    for (size_t i = 0; i < countof(words); i++)
        cr_assert_eq(str_search(claims, str_of(words[i])), claims.n, "%s",
                     words[i]);
    cr_assert_lt(str_search(claims, STR("\"outcome\":\"authorized\"")),
                 claims.n);
    cr_assert_lt(str_search(claims, x->s.subject_sha256), claims.n);
}

Test(receipt, has_the_same_bytes_each_time)
{
    const struct scene *x = scene();
    const struct signer k = key();
    cr_assert(str_eq(receipt_sign(a, &x->r, &k), receipt_sign(a, &x->r, &k)));
}

/* RFC 9901: a salt of its own for each, and the digests in their own order. */
Test(receipt, discloses_each_word_by_itself)
{
    const struct scene *x = scene();
    const struct json *list = receipt_disclosures(a, &x->r);
    const struct json *digests = json_get(
        json_get(receipt_claims(a, &x->r), "receipt"), "_sd");
    struct str before = STR_NONE;
    cr_assert_eq(json_count(list), 4);
    cr_assert_eq(json_count(digests), 4);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct str text = json_text(json_at(list, i));
        const struct json *said =
            json_read(a, crypt_base64url_read(a, text));
        cr_assert_eq(json_count(said), 3);
        cr_assert(json_lists_text(digests, crypt_sha256_b64(a, text)));
        cr_assert(!str_eq(json_text(json_at(said, 0)), before));
        before = json_text(json_at(said, 0));
        if (i > 0)
            cr_assert_lt(str_cmp(json_text(json_at(digests, i - 1)),
                                 json_text(json_at(digests, i))),
                         0);
    }
}

Test(receipt, without_its_salt_discloses_nothing)
{
    struct scene *x = scene();
    x->r.salt = STR_NONE;
    cr_assert_eq(json_count(receipt_disclosures(a, &x->r)), 0);
}

/* ---- checking ------------------------------------------------------- */

/* The bundle with both proofs, of a log that has the two events. */
static struct json *bundle(const struct scene *x)
{
    const struct signer k = key();
    struct tlog_hash v[2];
    for (size_t i = 0; i < countof(v); i++)
        cr_assert(
            log_checkpoint_hash_read(a, x->events.v[i].hash, &v[i]));
    const struct log_batch batch = {
        .intent_id = STR(INTENT), .first = 1, .last = 2, .v = v};
    const struct log_checkpoint c = log_checkpoint_make(a, &batch, &k, NOW);
    const struct tlog_hash leaf[] = {tlog_leaf(&v[0]), tlog_leaf(&v[1])};
    const struct note_head head = {.origin = STR(ORIGIN),
                                   .size = 2,
                                   .root = tlog_node(&leaf[0], &leaf[1])};
    const struct tlog_proof p = {.v = {leaf[0]}, .n = 1};
    const struct str note =
        note_sign(a, note_head_text(a, &head), head.origin, &k, 1);
    struct json *o = json_object(a), *texts = json_object(a);
    json_set_text(texts, "subject", x->s.subject);
    json_set_text_or_null(texts, "approved_subject", STR_NONE);
    json_set_text(texts, "asked_event", x->events.v[0].canonical);
    json_set_text(texts, "event", x->events.v[1].canonical);
    json_set_text(o, "receipt", receipt_sign(a, &x->r, &k));
    json_set_json(o, "disclosures", receipt_disclosures(a, &x->r));
    json_set_json(o, "texts", texts);
    json_set_json(o, "checkpoint",
                  record_object(a, &log_checkpoint_record, &c));
    json_set_json(o, "proof",
                  log_checkpoint_proof(a, &c, x->events.v[1].id,
                                       x->events.v[1].hash, 1, v));
    json_set_text(o, "tlog_proof", note_proof(a, 1, &p, note));
    return o;
}

struct said {
    char ok[256], broken[256], erased[256];
};

static void step(void *own, const char *name, const char *why)
{
    struct said *s = own;
    strncat(why ? s->broken : s->ok, name,
            sizeof s->ok - strlen(why ? s->broken : s->ok) - 2);
    strcat(why ? s->broken : s->ok, " ");
}

static void say_erased(void *own, const char *name, struct str rule,
                       struct str at)
{
    struct said *s = own;
    const size_t n = strlen(s->erased);
    snprintf(s->erased + n, sizeof s->erased - n, "%s by %.*s on %.*s ", name,
             STR_FMT(rule), STR_FMT(at));
}

static struct said check(const struct json *o, const struct note_key *k)
{
    struct said s = {.ok = ""};
    const struct receipt_check_report report = {
        .step = step, .erased = say_erased, .own = &s};
    cr_assert(receipt_check(a, json_dump(a, o, 1 << 20), k, 1, &report));
    return s;
}

Test(receipt, a_sound_one)
{
    const struct note_key k = public_key();
    const struct said s = check(bundle(scene()), &k);
    cr_assert_str_eq(s.broken, "");
    cr_assert_str_eq(s.ok, "signature disclosures subject question answer "
                           "facts checkpoint head ");
}

/* The event names the question in its own way, and says the same end. */
Test(receipt, every_kind_of_end)
{
    static const struct {
        enum suspension_state state;
        enum outcome outcome;
        const char *type, *payload, *broken;
    } cases[] = {
        {SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED, "intent.resumed",
         "{'suspension_id':'question-2','outcome':'authorized'}", "facts "},
        {SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED, "intent.resumed",
         "{'suspension_id':'question-1','outcome':'vetoed'}", "facts "},
        {SUSPENSION_EXPIRED, OUTCOME_NONE, "intent.suspension_expired",
         "{'suspension_id':'question-1'}", ""},
        {SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED,
         "governance.approval_granted", "{'approval_id':'question-1'}", ""},
        {SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED,
         "governance.approval_granted", "{'approval_id':'question-2'}",
         "facts "},
        {SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED, "governance.approval_denied",
         "{'approval_id':'question-1'}", "facts "},
        {SUSPENSION_RESOLVED, OUTCOME_VETOED, "access_request_denied",
         "{'request_id':'question-1'}", ""},
        {SUSPENSION_RESOLVED, OUTCOME_ANSWERED, "decision_recorded",
         "{'arbitration_id':'question-1','outcome':'Take the left one.'}", ""},
        {SUSPENSION_RESOLVED, OUTCOME_ANSWERED,
         "coordinator.escalation_resolved", "{'escalation_id':'question-1'}",
         ""},
        {SUSPENSION_CANCELLED, OUTCOME_NONE, "decision_recorded",
         "{'request_id':'question-1','outcome':'withdrawn'}", ""},
        {SUSPENSION_CANCELLED, OUTCOME_NONE, "status_changed",
         "{'new_status':'completed'}", ""},
        {SUSPENSION_CANCELLED, OUTCOME_NONE, "status_changed",
         "{'new_status':'abandoned'}", ""},
        {SUSPENSION_CANCELLED, OUTCOME_NONE, "status_changed",
         "{'new_status':'active'}", "facts "},
        {SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED, "status_changed",
         "{'new_status':'completed'}", "facts "},
        {SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED, "comment",
         "{'suspension_id':'question-1','outcome':'authorized'}", "facts "}};
    const struct note_key k = public_key();
    for (size_t i = 0; i < countof(cases); i++) {
        const struct said s =
            check(bundle(scene_of(cases[i].state, cases[i].outcome,
                                  cases[i].type, tree(cases[i].payload))),
                  &k);
        cr_assert_str_eq(s.broken, cases[i].broken, "case %zu", i);
    }
}

/* The question ended before its task did. */
Test(receipt, of_a_later_end_of_the_task)
{
    const struct note_key k = public_key();
    struct scene *x =
        scene_of(SUSPENSION_CANCELLED, OUTCOME_NONE, "status_changed",
                 tree("{'new_status':'completed'}"));
    x->s.responded_at--;
    cr_assert_str_eq(check(bundle(x), &k).broken, "facts ");
}

/* The statement alone, as others may see it. */
Test(receipt, without_its_texts)
{
    const struct note_key k = public_key();
    struct json *o = bundle(scene());
    static const char *const parts[] = {"disclosures", "texts", "checkpoint",
                                        "tlog_proof"};
    for (size_t i = 0; i < countof(parts); i++)
        json_unset(o, str_of(parts[i]));
    const struct said s = check(o, &k);
    cr_assert_str_eq(s.broken, "");
    cr_assert_str_eq(s.ok, "signature ");
}

static void set(struct json *o, const char *member, const char *inner,
                struct str text)
{
    struct json *at = json_copy(a, json_get(o, member));
    if (!inner) {
        json_set_text(o, member, text);
        return;
    }
    json_set_text(at, inner, text);
    json_set_json(o, member, at);
}

Test(receipt, one_change_of_each_kind)
{
    static const struct {
        const char *member, *inner, *text, *wanted;
    } cases[] = {
        {"texts", "subject", "{}", "subject "},
        {"texts", "approved_subject", "{}", "subject "},
        {"texts", "asked_event", "{}", "question "},
        {"texts", "event", "{}", "answer "},
        {"checkpoint", "created_at", "2026-01-01T00:00:00.000000",
         "checkpoint "},
        {"proof", "proof_hashes", "x", "checkpoint "},
        {"tlog_proof", NULL, "x", "head "},
        {"receipt", NULL, "x.y.z", "signature "},
        {"receipt", NULL, "", "signature "},
    };
    const struct note_key k = public_key();
    for (size_t i = 0; i < countof(cases); i++) {
        struct json *o = bundle(scene());
        set(o, cases[i].member, cases[i].inner, str_of(cases[i].text));
        const struct said s = check(o, &k);
        cr_assert_str_eq(s.broken, cases[i].wanted, "case %zu", i);
    }
}

/* A rule erased both events: the statement and the proofs hold. */
Test(receipt, erased_events)
{
    const struct note_key k = public_key();
    struct json *o = bundle(scene()), *rule = json_object(a);
    struct json *erased = json_object(a);
    struct json *texts = json_copy(a, json_get(o, "texts"));
    json_set_text_or_null(texts, "asked_event", STR_NONE);
    json_set_text_or_null(texts, "event", STR_NONE);
    json_set_json(o, "texts", texts);
    cr_assert_str_eq(check(o, &k).broken, "question answer ");
    json_set_text(rule, "rule", STR("R1"));
    json_set_json(erased, "asked_event", rule);
    json_set_json(erased, "event", rule);
    json_set_json(o, "erased", erased);
    cr_assert_str_eq(check(o, &k).broken, "question answer ");
    json_set_text(rule, "at", STR("2026-11-27T00:00:00Z"));
    const struct said s = check(o, &k);
    cr_assert_str_eq(s.broken, "");
    cr_assert_str_eq(s.ok, "signature disclosures subject checkpoint head ");
    cr_assert_str_eq(s.erased, "question by R1 on 2026-11-27T00:00:00Z "
                               "answer by R1 on 2026-11-27T00:00:00Z ");
}

/* A rule erased the question with them. */
Test(receipt, an_erased_subject)
{
    const struct note_key k = public_key();
    struct json *o = bundle(scene()), *rule = json_object(a);
    struct json *erased = json_object(a);
    struct json *texts = json_copy(a, json_get(o, "texts"));
    json_set_text_or_null(texts, "subject", STR_NONE);
    json_set_json(o, "texts", texts);
    cr_assert_str_eq(check(o, &k).broken, "subject ");
    json_set_text(rule, "rule", STR("R1"));
    json_set_text(rule, "at", STR("2026-11-27T00:00:00Z"));
    json_set_json(erased, "subject", rule);
    json_set_json(erased, "approved_subject", rule);
    json_set_json(o, "erased", erased);
    const struct said s = check(o, &k);
    cr_assert_str_eq(s.broken, "");
    cr_assert_str_eq(s.erased, "subject by R1 on 2026-11-27T00:00:00Z ");
    /* One that is there is checked, whatever is said of it. */
    json_set_text(texts, "subject", STR("{}"));
    cr_assert_str_eq(check(o, &k).broken, "subject ");
}

/* The events of one question with the statement of another. */
Test(receipt, of_another_question)
{
    const struct note_key k = public_key();
    struct json *o = bundle(scene()), *other = bundle(scene());
    json_set_json(o, "texts", json_get(other, "texts"));
    const struct said s = check(o, &k);
    cr_assert_str_eq(s.broken, "question answer ");
}

Test(receipt, a_disclosure_that_was_not_signed)
{
    const struct note_key k = public_key();
    struct json *o = bundle(scene()), *list = json_array(a);
    json_add_text(list, crypt_base64url(a, STR("[\"s\",\"reason\",\"x\"]")));
    json_set_json(o, "disclosures", list);
    cr_assert_str_eq(check(o, &k).broken, "disclosures ");
}

Test(receipt, by_another_key)
{
    struct note_key k = public_key();
    struct signer other;
    cr_assert(signer_read(a, signer_new(a), &other));
    k.key = other.key;
    const struct said s = check(bundle(scene()), &k);
    cr_assert_str_eq(s.ok, "");
    cr_assert_str_eq(s.broken, "signature ");
}

/* A statement by the right key that is another type of one. */
Test(receipt, statements_of_other_types)
{
    const struct note_key k = public_key();
    const struct signer secret = key();
    struct scene *x = scene();
    static const char *const types[] = {"sayso-key+jwt", "JWT", ""};
    for (size_t i = 0; i < countof(types); i++) {
        struct json *o = bundle(x);
        json_set_text(o, "receipt",
                      signer_jws(a, &secret, types[i],
                                 receipt_claims(a, &x->r)));
        cr_assert_str_eq(check(o, &k).broken, "signature ", "%s", types[i]);
    }
    struct json *o = bundle(x);
    json_set_text(o, "receipt",
                  signer_jws(a, &secret, RECEIPT_TYPE, json_object(a)));
    cr_assert_str_eq(check(o, &k).broken, "signature ");
}

Test(receipt, rubbish)
{
    static const char *const texts[] = {
        "", "x", "[]", "{}", "{\"receipt\":1}",
        "{\"receipt\":\"a\",\"receipt\":\"b\"}"};
    const struct note_key k = public_key();
    struct said s = {.ok = ""};
    const struct receipt_check_report report = {
        .step = step, .erased = say_erased, .own = &s};
    for (size_t i = 0; i < countof(texts); i++)
        cr_assert_not(receipt_check(a, str_of(texts[i]), &k, 1, &report), "%s",
                      texts[i]);
}

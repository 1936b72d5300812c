/* Compares the row of a question with the log. */
#include "domain/log/question_check.h"

#include "base/clock_text.h"
#include "base/json/jws.h"
#include "domain/question/side_question.h"
#include "domain/question/suspension_seal.h"

static const char *question_differs(struct arena *a, struct str column,
                                    const char *from)
{
    return arena_z(
        a, arena_join(a, STR("its "), column, STR(" is not "), str_of(from)));
}

/* ---- what was asked ------------------------------------------------- */

/* The members of an event that are made from the row. */
static const char *question_check_members(struct arena *a,
                                          const struct json *payload,
                                          const struct json *made)
{
    for (struct json_iter i = json_iter(made); json_next(&i);) {
        /* It moves while the question is open. */
        if (str_is(i.key, "channel_hint"))
            continue;
        if (json_has(payload, arena_z(a, i.key)) &&
            !json_equal(json_get_str(payload, i.key), i.value))
            return question_differs(a, i.key, "that of the event that asked");
    }
    return NULL;
}

static const char *question_check_asked(struct arena *a,
                                        const struct question_check *q)
{
    const struct suspension *s = q->s;
    const struct json *e = json_read(a, q->asked.canonical);
    const struct json *payload = json_get(e, "payload");
    const struct str digest = json_get_text(payload, "asked_sha256");
    const struct json *made = NULL;
    if (s->erased_rule.p)
        return q->asked.canonical.n ? "it was erased, and the event that asked "
                                      "it was not"
                                    : NULL;
    if (!str_eq(s->subject_sha256, crypt_sha256_hex(a, s->subject)))
        return "its subject does not match its subject_sha256";
    if (q->asked.sequence == 0)
        return "the event that asked it is missing";
    if (q->asked.canonical.n == 0)
        return NULL; /* erased */
    if (!str_eq(json_get_text(payload, "suspension_id"), s->id) &&
        !str_eq(json_get_text(payload, "id"), s->id))
        return "the event at its asked_sequence did not ask it";
    if (digest.p && str_eq(digest, suspension_asked_sha256(a, s)))
        return NULL;
    /* Which column? */
    if (!side_question(s))
        made = suspension_payload(a, s);
    else if (!side_question_of_plan(s) && !json_has(payload, "task_id"))
        made = side_question_asked(a, s);
    const char *why = question_check_members(a, payload, made);
    return why || !digest.p
               ? why
               : "what it asks does not match the digest in the event that "
                 "asked it";
}

/* ---- how it ended --------------------------------------------------- */

/* The columns of the decision, and the members that have them. given: an event
 * without the member says that there is none. */
static const struct question_fact {
    const char *type, *member, *column;
    bool given;
} question_facts[] = {
    {"intent.resumed", "value", "response", true},
    {"intent.resumed", "decided_by", "responded_by", false},
    {"intent.resumed", "responded_at", "responded_at", false},
    {"intent.resumed", "outcome", "outcome", false},
    {"intent.resumed", "via", "responded_via", false},
    {"intent.resumed", "reason", "reason", true},
    {"intent.resumed", "approved_sha256", "approved_sha256", true},
    {"intent.resumed", "constraints", "constraints", true},
    {"intent.suspension_expired", "fallback_value", "response", true},
    {"intent.suspension_expired", "attempts", "attempt", false},
    {"governance.approval_granted", "decided_by", "responded_by", false},
    {"governance.approval_granted", "decided_at", "responded_at", false},
    {"governance.approval_denied", "decided_by", "responded_by", false},
    {"governance.approval_denied", "decided_at", "responded_at", false},
    {"access_request_approved", "permission", "response", false},
    {"access_request_approved", "reason", "reason", false},
    {"access_request_denied", "reason", "reason", false},
    {"coordinator.escalation_resolved", "resolved_by", "responded_by", false},
    {"coordinator.escalation_resolved", "resolution", "response", true},
    {"decision_recorded", "decision_maker_id", "responded_by", false},
    {"plan.checkpoint_approved", "approved_by", "responded_by", false},
    {"plan.checkpoint_rejected", "rejected_by", "responded_by", false},
    {"plan.checkpoint_rejected", "reason", "reason", false},
    {"plan.checkpoint_rejected", "decision", "outcome", false},
    {"plan.activated", "approved_by", "responded_by", false},
    {"plan.resumed", "approved_by", "responded_by", false},
};

/* A column as events write it; NULL: it has nothing. */
static const struct json *question_column(struct arena *a,
                                          const struct suspension *s,
                                          const char *column)
{
    if (str_is(STR("responded_at"), column))
        return json_string(a, clock_naive(a, s->responded_at));
    for (size_t i = 0; i < suspension_record.n; i++) {
        const struct record_field *f = &suspension_record.fields[i];
        if (strcmp(f->column ? f->column : f->name, column) != 0)
            continue;
        const struct str text = record_text(a, f, s);
        if (f->type == RECORD_IS_COUNT)
            return json_integer(a, s->attempt);
        return f->type == RECORD_IS_JSON ? json_read(a, text)
               : text.p                  ? json_string(a, text)
                                         : NULL;
    }
    return NULL;
}

/* The permit that the answer granted, as the event has it. */
static const char *question_check_permit(const struct question_check *q,
                                         const struct json *payload)
{
    const struct json *said = json_get(payload, "permit");
    if (!said)
        return NULL;
    if (!q->permit)
        return "the permit that its answer granted is missing";
    return str_eq(json_get_text(said, "granted_sha256"),
                  q->permit->granted_sha256)
               ? NULL
               : "its permit is not the one that its answer granted";
}

static const char *question_check_facts(struct arena *a,
                                        const struct question_check *q,
                                        const struct json *payload, bool whole)
{
    const struct suspension *s = q->s;
    const struct str by =
        s->responded_by_claimed.p ? s->responded_by_claimed : s->responded_by;
    for (size_t i = 0; i < countof(question_facts); i++) {
        const struct question_fact *f = &question_facts[i];
        if (!str_is(q->ended.type, f->type) ||
            (!json_has(payload, f->member) && !(f->given && whole)))
            continue;
        if (!json_equal(json_get(payload, f->member),
                        question_column(a, s, f->column)))
            return question_differs(a, str_of(f->column),
                                    "that of the event that ended it");
    }
    if (str_is(q->ended.type, "intent.resumed") &&
        !str_eq(json_get_text(payload, "responded_by"), by))
        return "its claimed name is not that of the event that ended it";
    return question_check_permit(q, payload);
}

static const char *question_check_ended(struct arena *a,
                                        const struct question_check *q)
{
    const struct suspension *s = q->s;
    const struct json *e = json_read(a, q->ended.canonical);
    const struct json *payload = json_get(e, "payload");
    if (s->state == SUSPENSION_PENDING)
        return q->ended.sequence || q->receipt_sequence
                   ? "it has ended, and its decision is missing"
               : s->attempt < 1 ? "it is neither open nor decided"
                                : NULL;
    if (s->approved_subject.p &&
        !str_eq(s->approved_sha256, crypt_sha256_hex(a, s->approved_subject)))
        return "its approved_subject does not match its approved_sha256";
    /* The server takes back what nobody can answer any more. */
    if (q->ended.sequence == 0)
        return s->state == SUSPENSION_CANCELLED &&
                       s->outcome == OUTCOME_NONE && !s->response.p
                   ? NULL
                   : "no event of the log says that it was answered";
    if (q->ended.canonical.n == 0)
        return NULL; /* erased */
    if (s->erased_rule.p && !side_question(s))
        return "it was erased, and the event that ended it was not";
    if (q->ending == ENDING_OTHER)
        return "its state and outcome are not those of the event that ended "
               "it";
    return question_check_facts(a, q, payload, json_has(e, "salt"));
}

const char *question_check_row(struct arena *a, const struct question_check *q)
{
    const char *why = question_check_asked(a, q);
    return why ? why : question_check_ended(a, q);
}

const char *question_check_mirror(struct arena *a, const struct suspension *s,
                                  const struct json *mirror)
{
    /* Records of older releases have not all of these. */
    static const struct {
        const char *name;
        bool always;
    } members[] = {{"resolution", true},   {"response", true},
                   {"outcome", false},     {"responded_by", false},
                   {"decided_by", false},  {"reason", false},
                   {"constraints", false}, {"approved_subject", false},
                   {"question", false},    {"choices", false}};
    if (!str_eq(json_get_text(mirror, "id"), s->id) || s->erased_rule.p)
        return NULL;
    /* To agents one that expired is cancelled where that stopped the task, such
     * as at the deadline of a portfolio (ending_abandons). */
    struct suspension as = *s;
    if (s->state == SUSPENSION_EXPIRED &&
        vocabulary_suspension_state_of(json_get_text(mirror, "resolution")) ==
            SUSPENSION_CANCELLED)
        as.abandonment_reason = ending_abandons(STR("portfolio_deadline"));
    const struct json *made = suspension_mirror(a, &as);
    for (size_t i = 0; i < countof(members); i++) {
        const char *name = members[i].name;
        if ((members[i].always || json_has(mirror, name)) &&
            !json_equal(json_get(mirror, name), json_get(made, name)))
            return question_differs(a, str_of(name),
                                    "that of its record in the state of the "
                                    "intent");
    }
    return NULL;
}

/* ---- its receipt ---------------------------------------------------- */

static const char *question_check_signed(struct arena *a,
                                         const struct question_check *q,
                                         const struct signing_key *keys,
                                         size_t n, struct jws *jws)
{
    struct signer_public key;
    size_t i = 0;
    const char *why = NULL;
    if (!jws_read(a, q->jws, RECEIPT_MAX, jws, &why))
        return "it is no signed statement";
    while (i < n && !str_eq(keys[i].kid, q->kid))
        i++;
    if (i == n || !signing_key_public(a, &keys[i], &key) ||
        !str_eq(json_get_text(jws->header, "kid"), q->kid) ||
        !crypt_ed25519_ok((struct str){(const char *)key.b, sizeof key.b},
                          jws->signature, jws->input))
        return "it is not signed by its key";
    return signing_key_valid(&keys[i], q->signed_at, 0)
               ? NULL
               : "its key was not the current one at that time";
}

/* Claims about contents, which the row has no more where they were erased. */
static bool question_check_blank(struct str key)
{
    static const char *const keys[] = {"_sd", "initiator", "subject_sha256",
                                       "approved_sha256", "calls", "permit"};
    size_t i = 0;
    while (i < countof(keys) && !str_is(key, keys[i]))
        i++;
    return i < countof(keys);
}

/* A member that a later release adds is not in an older receipt. */
static const char *question_check_claims(struct arena *a,
                                         const struct question_check *q,
                                         const struct json *said,
                                         const struct json *made)
{
    for (struct json_iter i = json_iter(said); json_next(&i);) {
        if (str_is(i.key, "receipt") || str_is(i.key, "iss") ||
            (str_is(i.key, "_sd") && !q->salt.p) ||
            (q->s->erased_rule.p && question_check_blank(i.key)))
            continue;
        if (!json_equal(i.value, json_get_str(made, i.key)))
            return question_differs(
                a, str_is(i.key, "_sd") ? STR("value, reason or name") : i.key,
                "that of the question's row");
    }
    return NULL;
}

const char *question_check_receipt(struct arena *a,
                                   const struct question_check *q,
                                   const struct signing_key *keys, size_t n)
{
    struct jws jws;
    if (q->receipt_sequence == 0)
        return q->due ? "it is missing" : NULL;
    const char *why = question_check_signed(a, q, keys, n, &jws);
    if (why)
        return why;
    if (q->ended.sequence != q->receipt_sequence)
        return "it is of another event";
    const struct receipt r = {.issuer = STR(""),
                              .salt = q->salt,
                              .s = q->s,
                              .calls = q->calls,
                              .permit = q->permit,
                              .asked = &q->asked,
                              .ended = &q->ended};
    const struct json *said = jws_claims(a, &jws);
    const struct json *made = receipt_claims(a, &r);
    why = question_check_claims(a, q, said, made);
    return why ? why
               : question_check_claims(a, q, json_get(said, "receipt"),
                                       json_get(made, "receipt"));
}

/* Suspensions: the OpenIntent mirror, the choices, the effect of silence; the
 * table of the fields, whose rows store/sql_gen.awk reads too.
 *
 * Pure. Reading a question is in suspension_read.c. */
#include "domain/question/suspension.h"

#include "base/clock_text.h"
#include "domain/kind/label.h"

bool suspension_due(const struct suspension *s, int64_t now)
{
    return s->state == SUSPENSION_PENDING && s->expires_at != 0 &&
           now >= s->expires_at;
}

int64_t suspension_end(const struct suspension *s, int64_t now)
{
    return now > s->suspended_at ? now : s->suspended_at;
}

/* ---- trees ---------------------------------------------------------- */

enum { TREE_SUBJECT, TREE_APPROVED, TREE_CHOICES, TREE__MAX };

struct suspension_trees {
    struct arena *arena;
    struct json *record; /* NULL: none is kept */
    struct str record_text;
    struct {
        struct str text; /* of the tree; p NULL: none is kept yet */
        const struct json *tree;
    } v[TREE__MAX];
};

void suspension_keep(struct arena *a, struct suspension *s)
{
    s->trees = arena_new(a, struct suspension_trees);
    s->trees->arena = a;
}

static void suspension_keep_tree(const struct suspension *s, unsigned which,
                                 struct str text, const struct json *tree)
{
    if (s->trees) {
        s->trees->v[which].text = text;
        s->trees->v[which].tree = tree;
    }
}

/* A text is known by its place: the bytes of a question are not changed. */
static const struct err *suspension_parse(struct arena *a,
                                          const struct suspension *s,
                                          unsigned which, struct str text,
                                          const struct json **out)
{
    const struct suspension_trees *t = s->trees;
    struct json *tree = NULL;
    *out = NULL;
    if (t && t->arena == a && text.p && t->v[which].text.p == text.p &&
        t->v[which].text.n == text.n) {
        *out = t->v[which].tree;
        return NULL;
    }
    TRY(json_parse(a, text, &tree));
    if (t && t->arena == a)
        suspension_keep_tree(s, which, text, tree);
    *out = tree;
    return NULL;
}

static const struct json *suspension_tree(struct arena *a,
                                          const struct suspension *s,
                                          unsigned which, struct str text)
{
    const struct json *tree = NULL;
    return text.p && !suspension_parse(a, s, which, text, &tree) ? tree : NULL;
}

void suspension_set_subject(struct suspension *s, struct str text,
                            const struct json *tree)
{
    s->subject = text;
    if (tree)
        suspension_keep_tree(s, TREE_SUBJECT, text, tree);
}

const struct err *suspension_parse_subject(struct arena *a,
                                           const struct suspension *s,
                                           const struct json **out)
{
    return suspension_parse(a, s, TREE_SUBJECT, s->subject, out);
}

const struct json *suspension_subject(struct arena *a,
                                      const struct suspension *s)
{
    return suspension_tree(a, s, TREE_SUBJECT, s->subject);
}

const struct json *suspension_approved(struct arena *a,
                                       const struct suspension *s)
{
    return suspension_tree(a, s, TREE_APPROVED, s->approved_subject);
}

const struct json *suspension_final(struct arena *a,
                                    const struct suspension *s)
{
    return s->approved_subject.p ? suspension_approved(a, s)
                                 : suspension_subject(a, s);
}

/* ---- the record ----------------------------------------------------- */

const struct err *suspension_too_large(void)
{
    return ERROR(ERR_TOO_LARGE, "suspension.too_large",
                 "A question with all its facts may have at most 256 kB.");
}

const struct err *suspension_parse_record(struct arena *a,
                                          const struct suspension *s,
                                          struct json **out)
{
    const struct suspension_trees *t = s->trees;
    if (!t || t->arena != a || !t->record || t->record_text.p != s->record.p)
        return json_parse(a, s->record, out);
    *out = t->record;
    return NULL;
}

const struct err *suspension_set_record(struct arena *a, struct suspension *s,
                                        struct json *record)
{
    s->record = json_dump(a, record, SUSPENSION_RECORD_MAX);
    if (s->trees) {
        s->trees->record_text = s->record;
        s->trees->record = s->record.p ? record : NULL;
    }
    return s->record.p ? NULL : suspension_too_large();
}

/* ---- mirror --------------------------------------------------------- */

struct json *suspension_mirror(struct arena *a, const struct suspension *s)
{
    static const char *const resolutions[SUSPENSION_STATE__MAX] = {
        [SUSPENSION_RESOLVED] = "responded",
        [SUSPENSION_EXPIRED] = "expired",
        [SUSPENSION_CANCELLED] = "cancelled"};
    /* A decision is not written into the tree that the record keeps. */
    struct json *o = NULL;
    const bool abandoned =
        s->state == SUSPENSION_EXPIRED && s->abandonment_reason.p;
    const struct err *e = s->state == SUSPENSION_PENDING
                              ? suspension_parse_record(a, s, &o)
                              : json_parse(a, s->record, &o);
    if (e || !json_is(o, JSON_OBJECT))
        o = json_object(a);
    if (s->test) /* of records from before it was sealed into them */
        json_set_bool(o, "test", true);
    if (s->state == SUSPENSION_PENDING)
        return o;
    json_set_text(
        o, "resolution",
        str_of(resolutions[abandoned ? SUSPENSION_CANCELLED : s->state]));
    json_set_text(o, "outcome", vocabulary_outcome(s->outcome)->wire);
    json_set_given(a, o, "response", s->response);
    json_set_text(o, "responded_at", clock_naive(a, s->responded_at));
    json_set_text_or_null(o, "responded_by",
                          s->responded_by_claimed.p ? s->responded_by_claimed
                                                    : s->responded_by);
    json_set_text_or_null(o, "decided_by", s->responded_by);
    json_set_text_given(o, "reason", s->reason);
    json_set_given(a, o, "metadata", s->metadata);
    json_set_given(a, o, "constraints", s->constraints);
    if (s->approved_subject.p)
        json_set_json(o, "approved_subject", suspension_approved(a, s));
    if (s->kind != KIND_NONE)
        json_set_bool(o, "modified", suspension_modified(s));
    return o;
}

#define MIRRORED_MAX (INTENT_STATE_MAX + 5 * SUSPENSION_RECORD_MAX)

const struct err *suspension_drop_mirror(struct arena *a, struct intent *i)
{
    struct json *state = NULL;
    TRY(json_parse(a, i->state, &state));
    json_unset(state, STR("_suspension"));
    i->state = json_dump(a, state, MIRRORED_MAX);
    return NULL;
}

const struct err *suspension_put_mirror(struct arena *a,
                                        const struct suspension *s,
                                        struct intent *i)
{
    struct json *state = NULL;
    TRY(json_parse(a, i->state, &state));
    json_set_json(state, "_suspension", suspension_mirror(a, s));
    json_set_text_given(state, "abandonment_reason", s->abandonment_reason);
    /* The ceiling for agents is checked when they write; the decision on top of
     * it must never fail because it does not fit. */
    i->state = json_dump(a, state, MIRRORED_MAX);
    if (!i->state.p)
        return ERROR(ERR_INTERNAL, "internal", "The state cannot be written.");
    return NULL;
}

/* ---- choices -------------------------------------------------------- */

void suspension_offer(struct arena *a, struct suspension *s,
                      const struct json *list, size_t max)
{
    s->choices = json_dump(a, list, max);
    suspension_keep_tree(s, TREE_CHOICES, s->choices, list);
}

struct json *suspension_yes_and_no(struct arena *a, enum effect yes,
                                   enum effect no)
{
    const struct kind_choice rows[] = {
        {.value = "yes", .label = "Yes", .style = "primary", .effect = yes},
        {.value = "no", .label = "No", .style = "default", .effect = no}};
    struct json *list = json_array(a);
    for (size_t i = 0; i < countof(rows); i++) {
        struct json *c = json_object(a);
        json_set_text(c, "value", str_of(rows[i].value));
        json_set_text(c, "label", str_of(rows[i].label));
        json_set_text(c, "style", str_of(rows[i].style));
        json_set_text(c, "effect", vocabulary_effect(rows[i].effect)->wire);
        json_add_json(list, c);
    }
    return list;
}

const struct json *suspension_choices(struct arena *a,
                                      const struct suspension *s)
{
    const struct json *sent = suspension_tree(a, s, TREE_CHOICES, s->choices);
    const bool confirm = s->response_type == ANSWER_CONFIRM;
    if (json_is(sent, JSON_ARRAY) && (json_count(sent) > 0 || !confirm))
        return sent;
    return confirm ? suspension_yes_and_no(a, EFFECT_NONE, EFFECT_NONE)
                   : json_array(a);
}

void suspension_add_choice(struct arena *a, struct json *list,
                           const char *value, const char *label,
                           enum effect effect)
{
    struct json *o = json_object(a);
    json_set_text(o, "value", str_of(value));
    json_set_text(o, "label", str_of(label));
    json_set_text(o, "effect", vocabulary_effect(effect)->wire);
    json_add_json(list, o);
}

const struct json *suspension_choice(const struct json *choices,
                                     struct str value)
{
    for (size_t i = 0; i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        if (str_eq(json_get_text(c, "value"), value))
            return c;
    }
    return NULL;
}

bool suspension_worded(const struct suspension *s)
{
    return s->response_type == ANSWER_TEXT || s->response_type == ANSWER_FORM;
}

const struct json *suspension_chosen(struct arena *a,
                                     const struct suspension *s,
                                     const struct json *value)
{
    return !suspension_worded(s) && json_is(value, JSON_STRING)
               ? suspension_choice(suspension_choices(a, s), json_text(value))
               : NULL;
}

void suspension_set_choice(struct json *o, const struct json *choice)
{
    if (choice)
        json_set_json(o, "choice_label", json_get(choice, "label"));
    if (json_has(choice, "description"))
        json_set_json(o, "choice_description",
                      json_get(choice, "description"));
}

/* ---- responders and endings ----------------------------------------- */

struct responder_case suspension_case(const struct suspension *s)
{
    return (struct responder_case){.rule = s->responder,
                                   .asked_by = s->asked_by,
                                   .asked_by_key = s->asked_by_key,
                                   .test = s->test,
                                   .initiated_by = s->initiated_by,
                                   .initiator_id = s->initiator_id};
}

bool suspension_trial(const struct suspension *s)
{
    return !s->asked_by_key.p && str_is(s->asked_by, PRINCIPAL_TRIAL_AGENT);
}

enum outcome suspension_ending(const struct suspension *s)
{
    return s->state == SUSPENSION_EXPIRED     ? OUTCOME_EXPIRED
           : s->state == SUSPENSION_CANCELLED ? OUTCOME_WITHDRAWN
                                              : s->outcome;
}

bool suspension_modified(const struct suspension *s)
{
    return s->constraints.p || s->approved_subject.p;
}

/* ---- words ---------------------------------------------------------- */

static void suspension_put_fallback(struct arena *a, struct buf *b,
                                    const struct suspension *s)
{
    struct json *v = NULL;
    if (!s->fallback_value.p || json_parse(a, s->fallback_value, &v) || !v) {
        buf_put(b, "without an answer");
        return;
    }
    const struct json *c =
        suspension_choice(suspension_choices(a, s), json_text(v));
    buf_put(b, "with its default, ");
    if (c) {
        json_write_string(b, label_line(a, c));
        return;
    }
    const struct str text = json_dump(a, v, SUSPENSION_RECORD_MAX);
    buf_str(b, str_head(text, 200));
    if (str_runes(text) > 200)
        buf_put(b, " ...");
}

struct str suspension_silence(struct arena *a, const struct suspension *s,
                              struct str end)
{
    struct buf b = buf_make(a, 4096);
    if (!s->expires_at)
        return STR("This request waits until somebody answers it.");
    buf_put(&b, "If nobody answers by ");
    buf_str(&b, end);
    if (s->origin == ORIGIN_CHECKPOINT) {
        buf_put(&b, s->fallback_policy == FALLBACK_FAIL || s->restored_from
                        ? ", the checkpoint is rejected."
                        : ", the checkpoint is approved.");
        return buf_text(&b);
    }
    if (s->fallback_policy == FALLBACK_FAIL) {
        buf_put(&b, ", nothing is approved and the task stops.");
        return buf_text(&b);
    }
    buf_put(&b, ", the agent continues ");
    suspension_put_fallback(a, &b, s);
    buf_char(&b, '.');
    if (s->restored_from)
        buf_put(&b, " If that approves it, the task stops instead: an answer "
                    "may have been lost in a restore.");
    if (s->origin == ORIGIN_OWN_CHECKPOINT)
        buf_put(&b, " The plan still waits for an approval of its "
                    "checkpoint.");
    return buf_text(&b);
}

struct str suspension_on_expiry(struct arena *a, const struct suspension *s)
{
    const struct str iso = clock_naive(a, s->expires_at);
    return suspension_silence(a, s,
                              arena_join(a, str_sub(iso, 0, 10), STR(" "),
                                         str_sub(iso, 11, 19), STR(" UTC")));
}

/* ---- fields: computed members ---------------------------------------- */

static const struct json *suspension_show_responder(struct arena *a,
                                                    const void *at)
{
    const struct suspension *s = at;
    struct json *o = json_object(a);
    json_set_text(o, "mode",
                  vocabulary_responder_mode(s->responder.mode)->wire);
    json_set_text_or_null(o, "who", s->responder.who);
    json_set_bool(o, "not_initiator", s->responder.not_initiator);
    return o;
}

struct str suspension_initiator(const struct suspension *s)
{
    return s->initiator_id.p   ? STR("proven")
           : s->initiated_by.p ? STR("claimed")
                               : STR_NONE;
}

static const struct json *suspension_show_initiator(struct arena *a,
                                                    const void *at)
{
    const struct suspension *s = at;
    const struct str word = suspension_initiator(s);
    return word.p ? json_string(a, word) : NULL;
}

static const struct json *suspension_show_on_expiry(struct arena *a,
                                                    const void *at)
{
    const struct suspension *s = at;
    return json_string(a, suspension_on_expiry(a, s));
}

static const struct json *suspension_show_modified(struct arena *a,
                                                   const void *at)
{
    const struct suspension *s = at;
    return json_boolean(a, suspension_modified(s));
}

/* ---- fields: the table ----------------------------------------------- */

static const struct json *suspension_show_choices(struct arena *a,
                                                  const void *s)
{
    return suspension_choices(a, s);
}

static const struct json *suspension_show_subject(struct arena *a,
                                                  const void *s)
{
    return suspension_subject(a, s);
}

/* Stored where another severity counts; "none" where the agent gave none. */
static struct str suspension_said_text(struct arena *a, const void *at)
{
    const struct suspension *s = at;
    (void)a;
    return s->severity_said == s->severity
               ? STR_NONE
               : vocabulary_key(vocabulary_severity(s->severity_said));
}

/* After severity. */
static void suspension_said_take(void *at, struct str text)
{
    struct suspension *s = at;
    s->severity_said =
        text.p ? vocabulary_severity_of(vocabulary_of_key(text)) : s->severity;
}

static const struct json *suspension_show_said(struct arena *a, const void *at)
{
    const struct suspension *s = at;
    const struct str word = vocabulary_severity(s->severity_said)->wire;
    return word.p ? json_string(a, word) : NULL;
}

/* The digest of an erased subject is no digest. */
static const struct json *suspension_show_digest(struct arena *a,
                                                 const void *at)
{
    const struct suspension *s = at;
    return s->erased_rule.p || s->subject_sha256.n == 0
               ? NULL
               : json_string(a, s->subject_sha256);
}

static const struct json *suspension_show_erased(struct arena *a,
                                                 const void *at)
{
    const struct suspension *s = at;
    struct json *o = json_object(a);
    json_set_text(o, "rule", s->erased_rule);
    json_set_text(o, "at", clock_rfc3339(a, s->erased_at));
    return o;
}

#define IN_DECISION IN_PART

static const struct record_field suspension_fields[] = {
    {RECORD_TEXT(suspension, id,
                 IN_TABLE | IN_DECISION | IN_OBJECT | IN_EVENT),
     .member = "suspension_id"},
    {RECORD_TEXT(suspension, intent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_COUNT(suspension, seq, IN_TABLE)},
    {RECORD_TEXT(suspension, record, IN_TABLE)},
    {RECORD_WORD(suspension, state, IN_ROW | IN_DECISION | IN_OBJECT,
                 vocabulary_suspension_state_all)},
    {RECORD_WORD(suspension, kind, IN_TABLE | IN_OBJECT, kind_all)},
    {RECORD_TEXT(suspension, title, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(suspension, question, IN_TABLE | IN_OBJECT | IN_EVENT)},
    {RECORD_TEXT(suspension, explanation, IN_TABLE | IN_OBJECT)},
    {RECORD_WORD(suspension, severity, IN_TABLE | IN_OBJECT | IN_EVENT,
                 vocabulary_severity_all)},
    {RECORD_SHOWN(suspension, severity_said, IN_TABLE | IN_OBJECT,
                  suspension_show_said),
     .text = suspension_said_text, .take = suspension_said_take},
    {RECORD_WORD(suspension, response_type, IN_TABLE | IN_OBJECT | IN_EVENT,
                 vocabulary_answer_type_all)},
    {RECORD_JSON(suspension, choices, IN_TABLE | IN_OBJECT | IN_EVENT),
     .show = suspension_show_choices},
    {RECORD_JSON(suspension, form, IN_TABLE | IN_OBJECT)},
    {RECORD_JSON(suspension, context, IN_TABLE | IN_OBJECT)},
    {RECORD_JSON(suspension, subject, IN_TABLE | IN_OBJECT),
     .show = suspension_show_subject},
    {RECORD_TEXT(suspension, subject_sha256, IN_TABLE | IN_OBJECT | IN_EVENT),
     .show = suspension_show_digest},
    {RECORD_JSON(suspension, evidence, IN_TABLE | IN_OBJECT)},
    {RECORD_JSON(suspension, artifacts, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(suspension, supersedes, IN_TABLE | IN_OBJECT)},
    {RECORD_FLAG(suspension, allow_edit, IN_TABLE | IN_OBJECT)},
    {RECORD_SHOWN(suspension, responder, IN_OBJECT,
                  suspension_show_responder)},
    {RECORD_WORD(suspension, responder.mode, IN_TABLE,
                 vocabulary_responder_mode_all),
     .column = "responder_mode"},
    {RECORD_TEXT(suspension, responder.who, IN_TABLE), .column = "responder"},
    {RECORD_FLAG(suspension, responder.not_initiator, IN_TABLE),
     .column = "not_initiator"},
    {RECORD_TEXT(suspension, channel_hint, IN_TABLE | IN_OBJECT | IN_EVENT)},
    {RECORD_TEXT(suspension, callback, IN_TABLE | IN_OBJECT | IN_GIVEN)},
    {RECORD_WORD(suspension, callback_body, IN_TABLE,
                 vocabulary_callback_body_all)},
    {RECORD_TEXT(suspension, callback_endpoint, IN_TABLE)},
    {RECORD_FLAG(suspension, test, IN_TABLE | IN_OBJECT | IN_GIVEN)},
    {RECORD_TEXT(suspension, asked_by, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(suspension, asked_by_key, IN_TABLE)},
    {RECORD_TEXT(suspension, initiated_by, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(suspension, initiator_id, IN_TABLE)},
    {RECORD_SHOWN(suspension, initiator, IN_OBJECT,
                  suspension_show_initiator)},
    {RECORD_WORD(suspension, origin, IN_TABLE, vocabulary_origin_all)},
    {RECORD_COUNT(suspension, asked_sequence, IN_TABLE)},
    {RECORD_JSON(suspension, confidence, IN_TABLE)},
    {RECORD_TIME(suspension, suspended_at, IN_TABLE | IN_OBJECT)},
    {RECORD_COUNT(suspension, timeout_seconds,
                  IN_TABLE | IN_OBJECT | IN_GIVEN)},
    {RECORD_JSON(suspension, retry_policy, IN_TABLE | IN_OBJECT | IN_EVENT)},
    {RECORD_COUNT(suspension, attempt, IN_ROW | IN_OBJECT)},
    {RECORD_TIME(suspension, next_attempt_at, IN_ROW | IN_OBJECT)},
    {RECORD_TIME(suspension, expires_at, IN_TABLE | IN_OBJECT)},
    {RECORD_WORD(suspension, fallback_policy, IN_TABLE | IN_OBJECT | IN_EVENT,
                 vocabulary_fallback_policy_all)},
    {RECORD_JSON(suspension, fallback_value, IN_TABLE | IN_OBJECT)},
    {RECORD_WORD(suspension, on_reject, IN_TABLE | IN_OBJECT,
                 vocabulary_on_reject_all)},
    {RECORD_SHOWN(suspension, on_expiry, IN_OBJECT,
                  suspension_show_on_expiry)},
    {RECORD_WORD(suspension, outcome, IN_ROW | IN_DECISION | IN_OBJECT,
                 vocabulary_outcome_all)},
    {RECORD_JSON(suspension, response, IN_ROW | IN_DECISION | IN_OBJECT),
     .member = "value"},
    {RECORD_SHOWN(suspension, modified, IN_OBJECT, suspension_show_modified)},
    {RECORD_JSON(suspension, constraints, IN_ROW | IN_DECISION | IN_OBJECT)},
    {RECORD_JSON(suspension, approved_subject,
                 IN_ROW | IN_DECISION | IN_OBJECT)},
    {RECORD_TEXT(suspension, approved_sha256,
                 IN_ROW | IN_DECISION | IN_OBJECT)},
    {RECORD_TEXT(suspension, reason, IN_ROW | IN_DECISION | IN_OBJECT)},
    {RECORD_JSON(suspension, metadata, IN_ROW | IN_DECISION | IN_OBJECT)},
    {RECORD_TEXT(suspension, responded_by, IN_ROW | IN_DECISION | IN_OBJECT)},
    {RECORD_TEXT(suspension, responded_by_claimed,
                 IN_ROW | IN_DECISION | IN_OBJECT | IN_GIVEN)},
    {RECORD_WORD(suspension, responded_via, IN_ROW | IN_DECISION | IN_OBJECT,
                 vocabulary_via_all)},
    {RECORD_TIME(suspension, responded_at, IN_ROW | IN_DECISION | IN_OBJECT)},
    {RECORD_TEXT(suspension, audit_summary, IN_ROW | IN_DECISION | IN_OBJECT)},
    {RECORD_TEXT(suspension, erased_rule, IN_ROW | IN_OBJECT | IN_GIVEN),
     .member = "erased", .show = suspension_show_erased},
    {RECORD_TIME(suspension, erased_at, IN_ROW)},
};
const struct record suspension_record =
    RECORD(suspension, "suspension", "suspension");

struct json *suspension_payload(struct arena *a, const struct suspension *s)
{
    struct json *o = record_payload(a, &suspension_record, s);
    if (s->kind != KIND_NONE)
        json_set_text(o, "kind", kind_words(s->kind)->wire);
    json_set_json(o, "timeout_seconds", NULL);
    if (s->timeout_seconds)
        json_set_int(o, "timeout_seconds", s->timeout_seconds);
    json_set_read(a, o, "confidence_at_suspension", s->confidence);
    if (s->severity_said != s->severity)
        json_set_text(o, "severity_said",
                      vocabulary_key(vocabulary_severity(s->severity_said)));
    json_set_text_given(o, "supersedes", s->supersedes);
    if (s->expires_at)
        json_set_text(o, "expires_at", clock_naive(a, s->expires_at));
    return o;
}

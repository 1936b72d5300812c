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

/* ---- mirror --------------------------------------------------------- */

static const char *resolution(const struct suspension *s)
{
    switch (s->state) {
    case SUSPENSION_RESOLVED:
        return "responded";
    case SUSPENSION_EXPIRED:
        return s->abandonment_reason.p ? "cancelled" : "expired";
    case SUSPENSION_CANCELLED:
        return "cancelled";
    case SUSPENSION_PENDING:
    case SUSPENSION_STATE__MAX:
    default:
        return NULL;
    }
}

struct json *suspension_mirror(struct arena *a, const struct suspension *s)
{
    struct json *o = json_read(a, s->record);
    if (!json_is(o, JSON_OBJECT))
        o = json_object(a);
    if (s->test) /* of records from before it was sealed into them */
        json_set_bool(o, "test", true);
    if (s->state == SUSPENSION_PENDING)
        return o;
    json_set_text(o, "resolution", str_of(resolution(s)));
    json_set_text(o, "outcome", vocabulary_outcome(s->outcome)->wire);
    json_set_given(a, o, "response", s->response);
    json_set_text(o, "responded_at", clock_naive(a, s->responded_at));
    json_set_text_or_null(o, "responded_by",
                          s->responded_by_claimed.p ? s->responded_by_claimed
                                                    : s->responded_by);
    json_set_text_or_null(o, "decided_by", s->responded_by);
    if (s->reason.p)
        json_set_text(o, "reason", s->reason);
    json_set_given(a, o, "metadata", s->metadata);
    json_set_given(a, o, "constraints", s->constraints);
    json_set_given(a, o, "approved_subject", s->approved_subject);
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
    if (s->abandonment_reason.p)
        json_set_text(state, "abandonment_reason", s->abandonment_reason);
    /* The ceiling for agents is checked when they write; the decision on top of
     * it must never fail because it does not fit. */
    i->state = json_dump(a, state, MIRRORED_MAX);
    if (!i->state.p)
        return ERROR(ERR_INTERNAL, "internal", "The state cannot be written.");
    return NULL;
}

/* ---- choices -------------------------------------------------------- */

static void add_choice(struct json *list, struct arena *a, const char *value,
                       const char *label, const char *style)
{
    struct json *c = json_object(a);
    json_set_text(c, "value", str_of(value));
    json_set_text(c, "label", str_of(label));
    json_set_text(c, "style", str_of(style));
    json_set_text(c, "effect", vocabulary_effect(EFFECT_NONE)->wire);
    json_add_json(list, c);
}

struct json *suspension_choices(struct arena *a, const struct suspension *s)
{
    struct json *list = json_read(a, s->choices);
    if (!json_is(list, JSON_ARRAY))
        list = json_array(a);
    if (s->response_type == ANSWER_CONFIRM && json_count(list) == 0) {
        add_choice(list, a, "yes", "Yes", "primary");
        add_choice(list, a, "no", "No", "default");
    }
    return list;
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

static void put_fallback(struct arena *a, struct buf *b,
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
        buf_put(&b, s->fallback_policy == FALLBACK_FAIL
                        ? ", the checkpoint is rejected."
                        : ", the checkpoint is approved.");
        return buf_text(&b);
    }
    if (s->fallback_policy == FALLBACK_FAIL) {
        buf_put(&b, ", nothing is approved and the task is stopped.");
        return buf_text(&b);
    }
    buf_put(&b, ", the agent continues ");
    put_fallback(a, &b, s);
    buf_char(&b, '.');
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

static struct json *field_responder(struct arena *a,
                                    const struct suspension *s)
{
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

static struct json *field_initiator(struct arena *a,
                                    const struct suspension *s)
{
    const struct str word = suspension_initiator(s);
    return word.p ? json_string(a, word) : NULL;
}

static struct json *field_on_expiry(struct arena *a,
                                    const struct suspension *s)
{
    return json_string(a, suspension_on_expiry(a, s));
}

static struct json *field_modified(struct arena *a,
                                   const struct suspension *s)
{
    return json_boolean(a, suspension_modified(s));
}

/* ---- fields: the table ----------------------------------------------- */

#define COLUMN(type_, column_, at_, in_)                                       \
    .type = SUSPENSION_##type_, .column = (column_),                           \
    .at = offsetof(struct suspension, at_), .in = IN_##in_
#define KEPT(type_, name_, in_) COLUMN(type_, #name_, name_, in_)
#define SHOWN(type_, name_, in_) KEPT(type_, name_, in_), .member = #name_
#define TOLD(type_, name_, in_) SHOWN(type_, name_, in_), .told = true
#define WORDS(name_)                                                           \
    .words = vocabulary_##name_, .of = vocabulary_##name_##_of

const struct suspension_field suspension_fields[] = {
    {KEPT(TEXT, id, BOTH), .member = "suspension_id", .told = true},
    {SHOWN(TEXT, intent_id, ASKED)},
    {KEPT(COUNT, seq, ASKED)},
    {KEPT(TEXT, record, ASKED)},
    {SHOWN(WORD, state, DECISION), WORDS(suspension_state)},
    {SHOWN(WORD, kind, ASKED), .words = kind_words, .of = kind_of},
    {SHOWN(TEXT, title, ASKED)},
    {TOLD(TEXT, question, ASKED)},
    {SHOWN(TEXT, explanation, ASKED)},
    {TOLD(WORD, severity, ASKED), WORDS(severity)},
    {SHOWN(SAID, severity_said, ASKED), WORDS(severity)},
    {TOLD(WORD, response_type, ASKED), WORDS(answer_type)},
    {TOLD(JSON, choices, ASKED), .show = suspension_choices},
    {SHOWN(JSON, form, ASKED)},
    {SHOWN(JSON, context, ASKED)},
    {SHOWN(JSON, subject, ASKED)},
    {TOLD(TEXT, subject_sha256, ASKED)},
    {SHOWN(JSON, evidence, ASKED)},
    {SHOWN(JSON, artifacts, ASKED)},
    {SHOWN(TEXT, supersedes, ASKED)},
    {SHOWN(FLAG, allow_edit, ASKED)},
    {.member = "responder", .show = field_responder},
    {COLUMN(WORD, "responder_mode", responder.mode, ASKED),
     WORDS(responder_mode)},
    {COLUMN(TEXT, "responder", responder.who, ASKED)},
    {COLUMN(FLAG, "not_initiator", responder.not_initiator, ASKED)},
    {TOLD(TEXT, channel_hint, ASKED)},
    {SHOWN(TEXT, callback, ASKED), .if_given = true},
    {KEPT(WORD, callback_body, ASKED), WORDS(callback_body)},
    {KEPT(TEXT, callback_endpoint, ASKED)},
    {SHOWN(FLAG, test, ASKED), .if_given = true},
    {SHOWN(TEXT, asked_by, ASKED)},
    {KEPT(TEXT, asked_by_key, ASKED)},
    {SHOWN(TEXT, initiated_by, ASKED)},
    {KEPT(TEXT, initiator_id, ASKED)},
    {.member = "initiator", .show = field_initiator},
    {KEPT(WORD, origin, ASKED), WORDS(origin)},
    {KEPT(COUNT, asked_sequence, ASKED)},
    {KEPT(JSON, confidence, ASKED)},
    {SHOWN(TIME, suspended_at, ASKED)},
    {SHOWN(COUNT, timeout_seconds, ASKED), .if_given = true},
    {TOLD(JSON, retry_policy, ASKED)},
    {SHOWN(COUNT, attempt, NEITHER)},
    {SHOWN(TIME, next_attempt_at, NEITHER)},
    {SHOWN(TIME, expires_at, ASKED)},
    {TOLD(WORD, fallback_policy, ASKED), WORDS(fallback_policy)},
    {SHOWN(JSON, fallback_value, ASKED)},
    {SHOWN(WORD, on_reject, ASKED), WORDS(on_reject)},
    {.member = "on_expiry", .show = field_on_expiry},
    {SHOWN(WORD, outcome, DECISION), WORDS(outcome)},
    {KEPT(JSON, response, DECISION), .member = "value"},
    {.member = "modified", .show = field_modified},
    {SHOWN(JSON, constraints, DECISION)},
    {SHOWN(JSON, approved_subject, DECISION)},
    {SHOWN(TEXT, approved_sha256, DECISION)},
    {SHOWN(TEXT, reason, DECISION)},
    {SHOWN(JSON, metadata, DECISION)},
    {SHOWN(TEXT, responded_by, DECISION)},
    {SHOWN(TEXT, responded_by_claimed, DECISION), .if_given = true},
    {SHOWN(WORD, responded_via, DECISION), WORDS(via)},
    {SHOWN(TIME, responded_at, DECISION)},
    {SHOWN(TEXT, audit_summary, DECISION)},
};
const size_t suspension_fields_n = countof(suspension_fields);

/* ---- fields: their values --------------------------------------------- */

static struct str field_count(struct arena *a, int64_t n)
{
    if (n == 0)
        return STR_NONE;
    return arena_number(a, n);
}

struct str suspension_field_text(struct arena *a, const struct suspension *s,
                                 const struct suspension_field *f)
{
    const void *at = (const char *)s + f->at;
    const int64_t *n = at;
    const unsigned *word = at;
    if (f->type == SUSPENSION_TEXT || f->type == SUSPENSION_JSON)
        return *(const struct str *)at;
    if (f->type == SUSPENSION_COUNT)
        return field_count(a, *n);
    if (f->type == SUSPENSION_TIME)
        return *n ? clock_rfc3339(a, *n) : STR_NONE;
    if (f->type == SUSPENSION_FLAG)
        return *(const bool *)at ? STR("true") : STR("false");
    if (f->type == SUSPENSION_WORD)
        return f->words(*word)->wire;
    return *word == s->severity ? STR_NONE : vocabulary_key(f->words(*word));
}

void suspension_field_read(struct suspension *s,
                           const struct suspension_field *f, struct str text)
{
    void *at = (char *)s + f->at;
    if (f->type == SUSPENSION_TEXT || f->type == SUSPENSION_JSON)
        *(struct str *)at = text;
    else if (f->type == SUSPENSION_COUNT)
        (void)str_int(text, INT64_MIN, INT64_MAX, at);
    else if (f->type == SUSPENSION_TIME)
        *(int64_t *)at = clock_stored(text);
    else if (f->type == SUSPENSION_FLAG)
        *(bool *)at = str_is(text, "t");
    else if (f->type == SUSPENSION_WORD)
        *(unsigned *)at = f->of(text);
    else
        *(unsigned *)at =
            text.p ? f->of(vocabulary_of_key(text)) : s->severity;
}

static void field_set(struct arena *a, struct json *o,
                      const struct suspension *s,
                      const struct suspension_field *f)
{
    const void *at = (const char *)s + f->at;
    const char *key = f->member;
    if (f->show)
        json_set_json(o, key, f->show(a, s));
    else if (f->type == SUSPENSION_JSON)
        json_set_read(a, o, key, *(const struct str *)at);
    else if (f->type == SUSPENSION_COUNT)
        json_set_int(o, key, *(const int64_t *)at);
    else if (f->type == SUSPENSION_FLAG)
        json_set_bool(o, key, *(const bool *)at);
    else if (f->type == SUSPENSION_SAID)
        json_set_text_or_null(o, key, f->words(*(const unsigned *)at)->wire);
    else
        json_set_text_or_null(o, key, suspension_field_text(a, s, f));
}

static bool field_given(struct arena *a, const struct suspension *s,
                        const struct suspension_field *f)
{
    const void *at = (const char *)s + f->at;
    return f->type == SUSPENSION_FLAG
               ? *(const bool *)at
               : suspension_field_text(a, s, f).p != NULL;
}

struct json *suspension_record(struct arena *a, const struct suspension *s)
{
    struct json *o = json_object(a);
    for (size_t i = 0; i < suspension_fields_n; i++) {
        const struct suspension_field *f = &suspension_fields[i];
        if (f->member && (!f->if_given || field_given(a, s, f)))
            field_set(a, o, s, f);
    }
    return o;
}

struct json *suspension_payload(struct arena *a, const struct suspension *s)
{
    struct json *o = json_object(a);
    for (size_t i = 0; i < suspension_fields_n; i++) {
        if (suspension_fields[i].told)
            field_set(a, o, s, &suspension_fields[i]);
    }
    if (s->kind != KIND_NONE)
        json_set_text(o, "kind", kind_words(s->kind)->wire);
    json_set_json(o, "timeout_seconds", NULL);
    if (s->timeout_seconds)
        json_set_int(o, "timeout_seconds", s->timeout_seconds);
    json_set_read(a, o, "confidence_at_suspension", s->confidence);
    if (s->severity_said != s->severity)
        json_set_text(o, "severity_said",
                      vocabulary_key(vocabulary_severity(s->severity_said)));
    if (s->supersedes.p)
        json_set_text(o, "supersedes", s->supersedes);
    if (s->expires_at)
        json_set_text(o, "expires_at", clock_naive(a, s->expires_at));
    return o;
}

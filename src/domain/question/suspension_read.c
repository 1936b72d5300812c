/* Suspensions: reading a question from an agent, strictly on the native API and
 * leniently on OpenIntent's.
 *
 * Pure. Never takes a decision from an agent: response, responded_at,
 * responded_by, resolution and times are set by the server. */
#include "domain/question/suspension_read.h"

#include "base/id.h"
#include "domain/kind/form.h"
#include "domain/kind/form_schema.h"
#include "domain/kind/label.h"
#include "domain/kind/subject.h"
#include "domain/question/meant.h"
#include "domain/question/retry.h"
#include "domain/question/suspension_kind.h"

#define CHANNEL_HINT_MAX 120
#define CHOICE_VALUE_MAX 200
#define CHOICE_LABEL_MAX 200
#define CHOICE_DESCRIPTION_MAX 1000

/* ---- parts that both doors share ------------------------------------ */

/* A member's bytes as sent, or the given text. */
static struct str suspension_raw_or(struct arena *a, struct str text,
                                    const char *key, const char *otherwise)
{
    const struct str raw = json_raw_member(a, text, str_of(key));
    return raw.p && !str_is(raw, "null") ? raw : str_of(otherwise);
}

static void suspension_read_silence(struct fields *f, struct str text,
                                    struct suspension *s)
{
    const struct json *policy = NULL;
    struct retry r;
    fields_int(f, "timeout_seconds", 1, SUSPENSION_TIMEOUT_MAX,
               &s->timeout_seconds);
    const enum fallback_policy fallback =
        vocabulary_fallback_policy_read(f, "fallback_policy");
    s->said_fallback = fallback != FALLBACK_POLICY__MAX;
    s->fallback_policy = s->said_fallback ? fallback : FALLBACK_FAIL;
    const struct str raw =
        json_raw_member(f->arena, text, STR("fallback_value"));
    s->fallback_value = str_is(raw, "null") ? STR_NONE : raw;
    s->retry_policy = STR_NONE;
    fields_json(f, "retry_policy", JSON_OBJECT, &policy);
    if (!policy)
        return;
    f->e = retry_read(f->arena, policy,
                      fields_path(f->arena, f->path, "retry_policy"), &r);
    if (f->e)
        return;
    s->retry_policy = json_dump(f->arena, policy, SUSPENSION_RECORD_MAX);
    if (r.final_policy != FALLBACK_POLICY__MAX)
        s->fallback_policy = r.final_policy;
}

/* Reads one choice; strict adds effect and reason, refuses unknown members, and
 * takes a text as a choice with this value. */
static const struct err *suspension_read_choice(struct arena *a,
                                                const struct json *v,
                                                struct str path, bool strict,
                                                struct json *out)
{
    struct json *plain = json_object(a);
    struct fields f = fields(a, strict && json_is(v, JSON_STRING) ? plain : v,
                             path);
    struct str value, label, description, style;
    enum reason_need reason = REASON_NEED__MAX;
    enum effect effect = EFFECT__MAX;
    const struct json *metadata = NULL;
    if (strict) {
        json_set_text(plain, "value", json_text(v));
        fields_only(&f, "value label description style metadata effect reason");
        effect = vocabulary_effect_read(&f, "effect");
        reason = vocabulary_reason_need_read(&f, "reason");
    }
    fields_need(&f, "value");
    fields_text(&f, "value", CHOICE_VALUE_MAX, &value);
    fields_text(&f, "label", CHOICE_LABEL_MAX, &label);
    fields_text(&f, "description", CHOICE_DESCRIPTION_MAX, &description);
    fields_text(&f, "style", 40, &style);
    fields_json(&f, "metadata", JSON_OBJECT, &metadata);
    if (!f.e && value.n == 0)
        fields_wrong(&f, "value", "field.empty", "A value is needed.");
    TRY(fields_error(&f));
    json_set_text(out, "value", value);
    json_set_text(out, "label", label.n ? label : value);
    if (description.n)
        json_set_text(out, "description", description);
    if (style.n)
        json_set_text(out, "style", style);
    if (json_count(metadata))
        json_set_json(out, "metadata", metadata);
    if (effect == EFFECT__MAX)
        effect = EFFECT_NONE;
    json_set_text(out, "effect", vocabulary_effect(effect)->wire);
    if (reason != REASON_NEED__MAX)
        json_set_text(out, "reason", vocabulary_reason_need(reason)->wire);
    return NULL;
}

static const struct err *suspension_read_choices(struct arena *a,
                                                 const struct json *list,
                                                 bool strict,
                                                 struct json **out)
{
    struct json *choices = json_array(a);
    if (json_count(list) > SUSPENSION_CHOICES_MAX)
        return err_at(a, ERR_INVALID, "field.too_many", STR("choices"),
                      "A question may have at most %d choices.",
                      SUSPENSION_CHOICES_MAX);
    for (size_t i = 0; i < json_count(list); i++) {
        struct json *c = json_object(a);
        const struct str at = fields_element(a, STR("choices"), i);
        TRY(suspension_read_choice(a, json_at(list, i), at, strict, c));
        if (suspension_choice(choices, json_get_text(c, "value")))
            return err_at(a, ERR_INVALID, "choices.duplicate", at,
                          "Two choices have the same value.");
        json_add_json(choices, c);
    }
    *out = choices;
    return NULL;
}

/* Reads the choices and the form, with the rules of the kind. */
static const struct err *
suspension_read_offer(struct arena *a,
                      const struct suspension_kind_parts *sent,
                      struct suspension *s)
{
    struct suspension_kind_parts parts = *sent;
    const struct json *offered;
    struct json *choices = NULL, *form = NULL;
    TRY(suspension_read_choices(a, sent->own,
                                s->strict || s->kind != KIND_NONE, &choices));
    suspension_offer(a, s, choices, SUSPENSION_CHOICES_TEXT);
    if (!s->choices.p)
        return ERROR(ERR_TOO_LARGE, "suspension.too_large",
                     "The choices may have at most 64 kB in all.");
    /* A yes or no that is asked for on the native API without choices has its
     * plain effects. OpenIntent's has no effects. */
    if (s->strict && s->kind == KIND_NONE &&
        s->response_type == ANSWER_CONFIRM && json_count(choices) == 0)
        suspension_offer(
            a, s, suspension_yes_and_no(a, EFFECT_AUTHORIZE, EFFECT_VETO),
            SUSPENSION_CHOICES_TEXT);
    if (sent->form) {
        form = json_array(a);
        if (!sent->bare)
            TRY(form_read(a, sent->form, &form));
        s->form = json_dump(a, form, SUSPENSION_RECORD_MAX);
    }
    parts.own = choices;
    parts.form = form;
    TRY(suspension_kind_settle(a, s, &parts));
    offered = suspension_choices(a, s);
    TRY(meant_check(a, s, offered));
    TRY(label_check(a, offered));
    return form_check_labels(a, form);
}

/* An absent member leaves the severity unset. */
static void suspension_read_severity(struct fields *f, struct suspension *s)
{
    const enum severity said = vocabulary_severity_read(f, "severity");
    if (said != SEVERITY__MAX)
        s->severity = s->severity_said = said;
}

static void suspension_read_question(struct fields *f, struct suspension *s)
{
    fields_need(f, "question");
    fields_text(f, "question", SUSPENSION_QUESTION_MAX, &s->question);
    fields_text(f, "channel_hint", CHANNEL_HINT_MAX, &s->channel_hint);
    if (!f->e && str_trim(s->question).n == 0)
        fields_wrong(f, "question", "field.empty", "A question is needed.");
}

/* ---- native --------------------------------------------------------- */

static void suspension_read_words(struct fields *f, struct suspension *s)
{
    suspension_read_question(f, s);
    fields_text(f, "title", SUSPENSION_TITLE_MAX, &s->title);
    fields_text(f, "explanation", SUSPENSION_EXPLANATION_MAX,
                &s->explanation);
    suspension_read_severity(f, s);
    if (s->title.p && str_trim(s->title).n == 0)
        s->title = STR_NONE;
}

static void suspension_check_fallback(struct fields *f,
                                      const struct suspension *s)
{
    if (s->fallback_policy != FALLBACK_FAIL && !s->fallback_value.p)
        fields_wrong(f, "fallback_value", "field.missing",
                     "This fallback policy needs a \"fallback_value\".");
}

static void suspension_check_parts(struct fields *f,
                                   const struct suspension *s,
                                   const struct json *choices,
                                   const struct json *form)
{
    const bool brings = s->kind != KIND_NONE && s->kind != KIND_ELICITATION;
    if (s->response_type == ANSWER_CHOICE && json_count(choices) == 0 &&
        !brings)
        fields_wrong(f, "choices", "field.missing",
                     "A choice needs at least one of \"choices\".");
    if (choices && s->response_type != ANSWER_CHOICE &&
        s->response_type != ANSWER_CONFIRM)
        fields_wrong(f, "choices", "field.unused",
                     "\"choices\" goes with response_type choice or confirm.");
    if ((form != NULL) != (s->response_type == ANSWER_FORM))
        fields_wrong(f, "form", form ? "field.unused" : "field.missing",
                     "\"form\" goes with response_type form, which needs it.");
    suspension_check_fallback(f, s);
}

/* A schema without properties asks for a plain yes or no. */
static void suspension_read_form(struct fields *f,
                                 struct suspension_kind_parts *parts)
{
    form_schema_member(f, &parts->form);
    parts->bare = json_is(json_get(f->obj, "form"), JSON_OBJECT) &&
                  json_count(parts->form) == 0;
}

static void suspension_read_callback(struct fields *f, struct suspension *s)
{
    s->callback = STR_NONE;
    fields_text(f, "callback", SUSPENSION_CALLBACK_MAX, &s->callback);
    s->callback_body = vocabulary_callback_body_read(f, "callback_body");
    if (!f->e && !s->callback.p && s->callback_body != CALLBACK_BODY__MAX)
        fields_wrong(f, "callback_body", "field.unused",
                     "\"callback_body\" needs a \"callback\".");
    if (s->callback.p && s->callback_body == CALLBACK_BODY__MAX)
        s->callback_body = CALLBACK_MESSAGE;
}

/* Checks the facts, the choices and the form, and makes the OpenIntent record
 * of a question that came through the native API. */
static const struct err *
suspension_finish(struct arena *a, const struct suspension_kind_parts *parts,
                  struct suspension *s)
{
    struct json *r = json_object(a);
    if (parts->subject)
        TRY(subject_check(a, parts->subject, s->subject));
    TRY(suspension_read_offer(a, parts, s));
    json_set_text(r, "id", STR(""));
    json_set_text(r, "question", s->question);
    json_set_text(r, "response_type",
                  vocabulary_answer_type(s->response_type)->wire);
    json_set_given(a, r, "context", s->context);
    json_set_json(r, "choices", suspension_choices(a, s));
    json_set_text_given(r, "channel_hint", s->channel_hint);
    if (s->timeout_seconds)
        json_set_int(r, "timeout_seconds", s->timeout_seconds);
    json_set_text(r, "fallback_policy",
                  vocabulary_fallback_policy(s->fallback_policy)->wire);
    json_set_given(a, r, "fallback_value", s->fallback_value);
    json_set_given(a, r, "retry_policy", s->retry_policy);
    json_set_text_given(r, "title", s->title);
    if (s->severity != SEVERITY_UNSAID)
        json_set_text(r, "severity", vocabulary_severity(s->severity)->wire);
    suspension_kind_record(a, s, r);
    return suspension_set_record(a, s, r);
}

const struct err *suspension_read(struct arena *a, const struct json *body,
                                  struct str text, struct suspension *out)
{
    struct fields f = fields(a, body, STR(""));
    struct suspension_kind_parts parts = {.subject = NULL};
    const struct json *context = NULL;
    fields_only(&f, "intent_id intent title question explanation severity "
                    "subject response_type choices form context channel_hint "
                    "on_reject timeout_seconds retry_policy fallback_policy "
                    "fallback_value callback callback_body "
                    SUSPENSION_KIND_MEMBERS);
    suspension_keep(a, out);
    out->strict = true;
    suspension_read_words(&f, out);
    suspension_read_callback(&f, out);
    suspension_kind_read(&f, out);
    out->response_type = vocabulary_answer_type_read(&f, "response_type");
    out->on_reject = vocabulary_on_reject_read(&f, "on_reject");
    fields_json(&f, "context", JSON_OBJECT, &context);
    fields_json(&f, "subject", JSON_OBJECT, &parts.subject);
    fields_json(&f, "choices", JSON_ARRAY, &parts.own);
    suspension_read_form(&f, &parts);
    if (parts.bare && out->kind == KIND_NONE)
        out->kind = KIND_ELICITATION; /* which may be declined */
    suspension_read_silence(&f, text, out);
    if (out->response_type == ANSWER_TYPE__MAX)
        out->response_type =
            suspension_kind_answer(out->kind, parts.own, parts.form);
    if (out->on_reject == ON_REJECT__MAX)
        out->on_reject = ON_REJECT_RESUME;
    suspension_check_parts(&f, out, parts.own, parts.form);
    TRY(fields_error(&f));
    out->context = suspension_raw_or(a, text, "context", "{}");
    if (parts.subject || out->kind != KIND_NONE)
        suspension_set_subject(
            out, suspension_raw_or(a, text, "subject", "{}"), parts.subject);
    else
        suspension_set_subject(out, out->context, context);
    return suspension_finish(a, &parts, out);
}

void suspension_read_members(struct fields *f, struct suspension *s)
{
    fields_text(f, "channel_hint", CHANNEL_HINT_MAX, &s->channel_hint);
    fields_text(f, "explanation", SUSPENSION_EXPLANATION_MAX,
                &s->explanation);
    suspension_read_severity(f, s);
    suspension_kind_read(f, s);
    suspension_read_silence(f, STR("{}"), s);
    suspension_check_fallback(f, s);
}

const struct err *suspension_compose(struct arena *a,
                                     const struct json *choices,
                                     const struct json *form,
                                     struct suspension *s)
{
    struct suspension_kind_parts parts = {.own = choices, .form = form};
    suspension_keep(a, s);
    TRY(suspension_parse_subject(a, s, &parts.subject));
    s->strict = true;
    s->said_fallback = true;
    s->callback_body = CALLBACK_BODY__MAX;
    s->response_type =
        suspension_kind_answer(s->kind, choices != NULL, form != NULL);
    s->context = s->context.p ? s->context : STR("{}");
    s->evidence = s->evidence.p ? s->evidence : STR("[]");
    s->artifacts = s->artifacts.p ? s->artifacts : STR("[]");
    return suspension_finish(a, &parts, s);
}

/* ---- OpenIntent ----------------------------------------------------- */

/* Members that only the server may write. */
static const char *const suspension_of_server[] = {
    "response",         "responded_at",    "responded_by",  "resolution",
    "decided_by",       "outcome",         "reason",        "metadata",
    "suspended_at",     "expires_at",      "severity_said", "constraints",
    "approved_subject", "approved_sha256", "modified"};

static void suspension_read_confidence(struct fields *f, struct suspension *s)
{
    const struct json *v =
        f->e ? NULL : json_get(f->obj, "confidence_at_suspension");
    char text[JSON_DOUBLE_TEXT];
    s->confidence = STR_NONE;
    if (!v)
        return;
    const double c = json_double(v);
    if (!json_is_number(v) || c < 0 || c > 1)
        fields_wrong(f, "confidence_at_suspension", "field.range",
                     "A confidence is a number from 0 to 1.");
    else
        s->confidence = arena_str(
            f->arena, (struct str){text, json_double_text(c, text)});
}

/* A record that names one of the seven kinds is held to the kind's rules. Its
 * form may have no fields: the context's keys are its fields. */
static void suspension_read_record_kind(struct fields *f,
                                        const struct json *record,
                                        struct suspension_kind_parts *parts,
                                        struct suspension *s)
{
    const bool choices = json_count(parts->own) > 0;
    s->form = STR_NONE;
    s->evidence = STR("[]");
    s->artifacts = STR("[]");
    if (!kind_rule(kind_of(json_get_text(record, "kind"))))
        return;
    suspension_kind_read(f, s);
    suspension_read_severity(f, s);
    fields_json(f, "subject", JSON_OBJECT, &parts->subject);
    suspension_read_form(f, parts);
    if (s->response_type == ANSWER_TYPE__MAX)
        s->response_type =
            suspension_kind_answer(s->kind, choices, parts->form != NULL);
    if (choices && suspension_worded(s))
        fields_wrong(f, "choices", "field.unused",
                     "\"choices\" goes with response_type choice or confirm.");
    if (!choices && s->kind == KIND_ELICITATION &&
        s->response_type == ANSWER_CHOICE)
        fields_wrong(f, "choices", "field.missing",
                     "A choice needs at least one of \"choices\".");
    if (parts->form && s->response_type != ANSWER_FORM)
        fields_wrong(f, "form", "field.unused",
                     "\"form\" goes with response_type form.");
}

static const struct err *suspension_keep_record(struct arena *a,
                                                const struct json *record,
                                                struct suspension *s)
{
    struct json *kept = json_copy(a, record);
    for (size_t i = 0; i < countof(suspension_of_server); i++)
        json_unset(kept, str_of(suspension_of_server[i]));
    if (s->kind != KIND_NONE)
        json_set_json(kept, "choices", suspension_choices(a, s));
    /* A null where the SDK's own code calls .get would break it. */
    if (!json_get(kept, "context"))
        json_set_json(kept, "context", json_object(a));
    return suspension_set_record(a, s, kept);
}

const struct err *suspension_read_record(struct arena *a,
                                         const struct json *record,
                                         struct str text,
                                         struct suspension *out)
{
    struct fields f = fields(a, record, STR("_suspension"));
    struct suspension_kind_parts parts = {.subject = NULL};
    const struct json *context = NULL;
    suspension_keep(a, out);
    fields_need(&f, "id");
    fields_text(&f, "id", 64, &out->id);
    suspension_read_question(&f, out);
    /* OpenIntent's record does not define these members; a valid one is
     * shown, another value of that name belongs to the agent and is kept. */
    const struct str title = json_get_text(record, "title");
    const enum severity said =
        vocabulary_severity_of(json_get_text(record, "severity"));
    if (str_trim(title).n > 0 && str_runes(title) <= SUSPENSION_TITLE_MAX)
        out->title = title;
    if (said != SEVERITY__MAX)
        out->severity = out->severity_said = said;
    out->response_type = vocabulary_answer_type_read(&f, "response_type");
    fields_json(&f, "context", JSON_OBJECT, &context);
    fields_json(&f, "choices", JSON_ARRAY, &parts.own);
    suspension_read_record_kind(&f, record, &parts, out);
    suspension_read_silence(&f, text, out);
    suspension_read_confidence(&f, out);
    if (!f.e && !id_token(out->id))
        fields_wrong(&f, "id", "suspension.id",
                     "A suspension's id is a UUID, or 1 to 64 letters, digits "
                     "and the signs . _ ~ -");
    TRY(fields_error(&f));
    if (out->response_type == ANSWER_TYPE__MAX)
        out->response_type = ANSWER_CHOICE;
    out->context = suspension_raw_or(a, text, "context", "{}");
    if (out->kind == KIND_NONE)
        suspension_set_subject(out, out->context, context);
    else
        suspension_set_subject(
            out, suspension_raw_or(a, text, "subject", "{}"), parts.subject);
    if (out->kind != KIND_NONE)
        TRY(subject_check(a, parts.subject, out->subject));
    TRY(suspension_read_offer(a, &parts, out));
    return suspension_keep_record(a, record, out);
}

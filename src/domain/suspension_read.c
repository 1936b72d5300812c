/* Suspensions: reading what agents send, strictly at the native door and
 * leniently at OpenIntent's.
 *
 * Pure. Never takes a decision from an agent: response, responded_at,
 * responded_by, resolution and times are the server's. */
#include "base/fields.h"
#include "base/id.h"
#include "domain/form.h"
#include "domain/retry.h"

#define CHOICE_VALUE_MAX 200
#define CHOICE_LABEL_MAX 200
#define CHOICE_DESCRIPTION_MAX 1000

/* ---- parts that both doors share ------------------------------------ */

/* A member's bytes as sent, or the given text. */
static struct str raw_or(struct arena *a, struct str text, const char *key,
                         const char *otherwise)
{
    const struct str raw = json_raw_member(a, text, str_of(key));
    return raw.p && !str_is(raw, "null") ? raw : str_of(otherwise);
}

static struct str raw_or_none(struct arena *a, struct str text,
                              const char *key)
{
    const struct str raw = json_raw_member(a, text, str_of(key));
    return str_is(raw, "null") ? STR_NONE : raw;
}

static void read_retry(struct fields *f, struct suspension *s)
{
    const struct json *policy = NULL;
    struct retry r;
    fields_json(f, "retry_policy", JSON_OBJECT, &policy);
    s->retry_policy = STR_NONE;
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

static void read_silence(struct fields *f, struct str text,
                         struct suspension *s)
{
    struct str policy = STR_NONE;
    fields_int(f, "timeout_seconds", 1, SUSPENSION_TIMEOUT_MAX,
               &s->timeout_seconds);
    fields_word(f, "fallback_policy",
                "fail complete_with_fallback use_default_and_continue",
                &policy);
    s->said_fallback = policy.p != NULL;
    s->fallback_policy = policy.p ? suspension_policy_of(policy)
                                  : FALLBACK_FAIL;
    s->fallback_value = raw_or_none(f->arena, text, "fallback_value");
    read_retry(f, s);
}

/* Reads one choice; strict adds effect and reason, and refuses the unknown. */
static const struct err *read_choice(struct arena *a, const struct json *v,
                                     struct str path, bool strict,
                                     struct json *out)
{
    struct fields f = fields(a, v, path);
    struct str value, label, description, style, effect = STR_NONE,
               reason = STR_NONE;
    const struct json *metadata = NULL;
    if (strict) {
        fields_only(&f, "value label description style metadata effect reason");
        fields_word(&f, "effect",
                    "authorize veto request_changes answer decline accept "
                    "stop_task none",
                    &effect);
        fields_word(&f, "reason", "none optional required", &reason);
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
    json_set_text(out, "effect", effect.p ? effect : STR("none"));
    if (reason.p)
        json_set_text(out, "reason", reason);
    return NULL;
}

static const struct err *read_choices(struct arena *a, const struct json *list,
                                      bool strict, struct str *out)
{
    struct json *choices = json_array(a);
    if (json_count(list) > SUSPENSION_CHOICES_MAX)
        return err_at(a, ERR_INVALID, "field.too_many", STR("choices"),
                      "At most %d choices.", SUSPENSION_CHOICES_MAX);
    for (size_t i = 0; i < json_count(list); i++) {
        struct json *c = json_object(a);
        const struct str at = fields_element(a, STR("choices"), i);
        TRY(read_choice(a, json_at(list, i), at, strict, c));
        if (suspension_choice(choices, json_get_text(c, "value")))
            return err_at(a, ERR_INVALID, "choices.duplicate", at,
                          "Two choices have the same value.");
        json_add_json(choices, c);
    }
    *out = json_dump(a, choices, SUSPENSION_RECORD_MAX);
    return out->p ? NULL
                  : ERROR(ERR_TOO_LARGE, "suspension.too_large",
                          "The choices are too large.");
}

static void read_question(struct fields *f, struct suspension *s)
{
    fields_need(f, "question");
    fields_text(f, "question", SUSPENSION_QUESTION_MAX, &s->question);
    fields_text(f, "channel_hint", 120, &s->channel_hint);
    if (!f->e && str_trim(s->question).n == 0)
        fields_wrong(f, "question", "field.empty", "A question is needed.");
}

/* ---- native --------------------------------------------------------- */

static void read_words(struct fields *f, struct suspension *s)
{
    read_question(f, s);
    fields_text(f, "title", SUSPENSION_TITLE_MAX, &s->title);
    fields_text(f, "explanation", SUSPENSION_EXPLANATION_MAX,
                &s->explanation);
    fields_word(f, "severity", "low medium high critical", &s->severity);
    if (s->title.p && str_trim(s->title).n == 0)
        s->title = STR_NONE;
}

/* With choices it is a choice, with a form a form, else a yes or no. */
static enum answer_type type_of(struct str word, const struct json *choices,
                                const struct json *form)
{
    if (word.p)
        return suspension_type_of(word);
    return choices ? ANSWER_CHOICE : form ? ANSWER_FORM : ANSWER_CONFIRM;
}

static void check_parts(struct fields *f, const struct suspension *s,
                        const struct json *choices, const struct json *form)
{
    if (s->response_type == ANSWER_CHOICE && json_count(choices) == 0)
        fields_wrong(f, "choices", "field.missing",
                     "A choice needs at least one of \"choices\".");
    if (choices && s->response_type != ANSWER_CHOICE &&
        s->response_type != ANSWER_CONFIRM)
        fields_wrong(f, "choices", "field.unused",
                     "\"choices\" goes with response_type choice or confirm.");
    if ((form != NULL) != (s->response_type == ANSWER_FORM))
        fields_wrong(f, "form", form ? "field.unused" : "field.missing",
                     "\"form\" goes with response_type form, which needs it.");
    if (s->fallback_policy != FALLBACK_FAIL && !s->fallback_value.p)
        fields_wrong(f, "fallback_value", "field.missing",
                     "This fallback policy needs a \"fallback_value\".");
}

static void set_record(struct arena *a, struct json *r, const char *key,
                       struct str json_text_or_none)
{
    struct json *v = NULL;
    if (json_text_or_none.p && !json_parse(a, json_text_or_none, &v))
        json_set_json(r, key, v);
}

/* The OpenIntent record of a question that came through the native door. */
static struct json *record_of(struct arena *a, const struct suspension *s)
{
    struct json *r = json_object(a);
    json_set_text(r, "id", STR(""));
    json_set_text(r, "question", s->question);
    json_set_text(r, "response_type",
                  str_of(suspension_type_word(s->response_type)));
    set_record(a, r, "context", s->context);
    json_set_json(r, "choices", suspension_choices(a, s));
    if (s->channel_hint.p)
        json_set_text(r, "channel_hint", s->channel_hint);
    if (s->timeout_seconds)
        json_set_int(r, "timeout_seconds", s->timeout_seconds);
    json_set_text(r, "fallback_policy",
                  str_of(suspension_policy_word(s->fallback_policy)));
    set_record(a, r, "fallback_value", s->fallback_value);
    set_record(a, r, "retry_policy", s->retry_policy);
    if (s->title.p)
        json_set_text(r, "title", s->title);
    if (s->severity.p)
        json_set_text(r, "severity", s->severity);
    return r;
}

static const struct err *finish(struct arena *a, struct suspension *s)
{
    s->record = json_dump(a, record_of(a, s), SUSPENSION_RECORD_MAX);
    if (!s->record.p)
        return ERROR(ERR_TOO_LARGE, "suspension.too_large",
                     "A question with all its facts may have at most 256 kB.");
    return NULL;
}

const struct err *suspension_read(struct arena *a, const struct json *body,
                                  struct str text, struct suspension *out)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *context = NULL, *subject = NULL, *choices = NULL,
                      *form = NULL;
    struct json *read_form = NULL;
    struct str type = STR_NONE, on_reject = STR_NONE;
    fields_only(&f, "intent_id intent title question explanation severity "
                    "subject response_type choices form context channel_hint "
                    "on_reject timeout_seconds retry_policy fallback_policy "
                    "fallback_value");
    out->strict = true;
    read_words(&f, out);
    fields_word(&f, "response_type", "choice confirm text form", &type);
    fields_word(&f, "on_reject", "resume abandon", &on_reject);
    fields_json(&f, "context", JSON_OBJECT, &context);
    fields_json(&f, "subject", JSON_OBJECT, &subject);
    fields_json(&f, "choices", JSON_ARRAY, &choices);
    fields_json(&f, "form", JSON_ARRAY, &form);
    read_silence(&f, text, out);
    out->response_type = type_of(type, choices, form);
    check_parts(&f, out, choices, form);
    TRY(fields_error(&f));
    TRY(read_choices(a, choices, true, &out->choices));
    if (form) {
        TRY(form_read(a, form, &read_form));
        out->form = json_dump(a, read_form, SUSPENSION_RECORD_MAX);
    }
    out->context = raw_or(a, text, "context", "{}");
    out->subject = subject ? raw_or(a, text, "subject", "{}") : out->context;
    out->on_reject_abandon = str_is(on_reject, "abandon");
    out->confidence = -1;
    return finish(a, out);
}

/* ---- OpenIntent ----------------------------------------------------- */

/* Members that only the server may write. */
static const char *const server_only[] = {
    "response", "responded_at", "responded_by", "resolution", "decided_by",
    "outcome",  "reason",       "metadata",     "suspended_at", "expires_at"};

static void read_confidence(struct fields *f, struct suspension *s)
{
    const struct json *v =
        f->e ? NULL : json_get(f->obj, "confidence_at_suspension");
    s->confidence = -1;
    if (!v)
        return;
    const double c = json_double(v);
    if ((!json_is(v, JSON_INT) && !json_is(v, JSON_DOUBLE)) || c < 0 || c > 1)
        fields_wrong(f, "confidence_at_suspension", "field.range",
                     "A confidence is a number from 0 to 1.");
    else
        s->confidence = c;
}

/* OpenIntent's record has none of these; one that fits is shown, any other
 * thing of that name is the agent's own affair. */
static void read_extras(const struct json *record, struct suspension *s)
{
    const struct str title = json_get_text(record, "title");
    const struct str severity = json_get_text(record, "severity");
    if (str_trim(title).n > 0 && str_runes(title) <= SUSPENSION_TITLE_MAX)
        s->title = title;
    if (str_is(severity, "low") || str_is(severity, "medium") ||
        str_is(severity, "high") || str_is(severity, "critical"))
        s->severity = severity;
}

static const struct err *keep_record(struct arena *a,
                                     const struct json *record,
                                     struct suspension *s)
{
    struct json *kept = json_copy(a, record);
    for (size_t i = 0; i < countof(server_only); i++)
        json_unset(kept, str_of(server_only[i]));
    /* A null where the SDK's own code calls .get would break it. */
    if (!json_get(kept, "context"))
        json_set_json(kept, "context", json_object(a));
    s->record = json_dump(a, kept, SUSPENSION_RECORD_MAX);
    if (!s->record.p)
        return ERROR(ERR_TOO_LARGE, "suspension.too_large",
                     "A question with all its facts may have at most 256 kB.");
    return NULL;
}

const struct err *suspension_read_record(struct arena *a,
                                         const struct json *record,
                                         struct str text,
                                         struct suspension *out)
{
    struct fields f = fields(a, record, STR("_suspension"));
    const struct json *context = NULL, *choices = NULL;
    struct str type = STR_NONE;
    fields_need(&f, "id");
    fields_text(&f, "id", 64, &out->id);
    read_question(&f, out);
    read_extras(record, out);
    fields_word(&f, "response_type", "choice confirm text form", &type);
    fields_json(&f, "context", JSON_OBJECT, &context);
    fields_json(&f, "choices", JSON_ARRAY, &choices);
    read_silence(&f, text, out);
    read_confidence(&f, out);
    if (!f.e && !id_token(out->id))
        fields_wrong(&f, "id", "suspension.id",
                     "A suspension's id is a UUID, or 1 to 64 letters, digits "
                     "and the signs . _ ~ -");
    TRY(fields_error(&f));
    out->response_type = type.p ? suspension_type_of(type) : ANSWER_CHOICE;
    TRY(read_choices(a, choices, false, &out->choices));
    out->context = raw_or(a, text, "context", "{}");
    out->subject = out->context;
    out->form = STR_NONE;
    return keep_record(a, record, out);
}

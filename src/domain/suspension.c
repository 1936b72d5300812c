/* Suspensions: the OpenIntent mirror, the choices, the effect of silence.
 *
 * Pure. Reading a question is in suspension_read.c. */
#include "domain/suspension.h"

#include "base/clock_text.h"
#include "domain/label.h"

bool suspension_due(const struct suspension *s, int64_t now)
{
    return s->state == SUSPENSION_PENDING && s->expires_at != 0 &&
           now >= s->expires_at;
}

/* ---- mirror --------------------------------------------------------- */

static const char *resolution(const struct suspension *s)
{
    switch (s->state) {
    case SUSPENSION_RESOLVED:
        return "responded";
    case SUSPENSION_EXPIRED:
        return "expired";
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
    if (s->state == SUSPENSION_PENDING)
        return o;
    json_set_text(o, "resolution", str_of(resolution(s)));
    json_set_text(o, "outcome", str_of(vocabulary_outcome(s->outcome)->wire));
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
    json_set_text(c, "effect", str_of(vocabulary_effect(EFFECT_NONE)->wire));
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

/* ---- responders and endings ----------------------------------------- */

struct responder_case suspension_case(const struct suspension *s)
{
    return (struct responder_case){.rule = s->responder,
                                   .asked_by = s->asked_by,
                                   .asked_by_key = s->asked_by_key,
                                   .initiated_by = s->initiated_by};
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

static void put_moment(struct arena *a, struct buf *b, int64_t t)
{
    const struct str iso = clock_naive(a, t);
    buf_str(b, str_sub(iso, 0, 10));
    buf_char(b, ' ');
    buf_str(b, str_sub(iso, 11, 19));
    buf_put(b, " UTC");
}

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
    buf_put(b, "with its own default, ");
    if (c) {
        json_write_string(b, label_line(a, c));
        return;
    }
    const struct str text = json_dump(a, v, SUSPENSION_RECORD_MAX);
    buf_str(b, str_head(text, 200));
    if (str_runes(text) > 200)
        buf_put(b, " ...");
}

struct str suspension_on_expiry(struct arena *a, const struct suspension *s)
{
    struct buf b = buf_make(a, 4096);
    if (!s->expires_at) {
        buf_put(&b, "This question waits until somebody answers it.");
        return buf_text(&b);
    }
    buf_put(&b, "If nobody answers by ");
    put_moment(a, &b, s->expires_at);
    if (s->fallback_policy == FALLBACK_FAIL) {
        buf_put(&b, ", nothing is authorized and the intent is abandoned.");
        return buf_text(&b);
    }
    buf_put(&b, ", the agent goes on ");
    put_fallback(a, &b, s);
    buf_char(&b, '.');
    return buf_text(&b);
}

struct json *suspension_payload(struct arena *a, const struct suspension *s)
{
    struct json *o = json_object(a);
    json_set_text(o, "suspension_id", s->id);
    json_set_text(o, "question", s->question);
    if (s->kind != KIND_NONE)
        json_set_text(o, "kind", str_of(kind_words(s->kind)->wire));
    json_set_text(o, "response_type",
                  str_of(vocabulary_answer_type(s->response_type)->wire));
    json_set_json(o, "choices", suspension_choices(a, s));
    json_set_text_or_null(o, "channel_hint", s->channel_hint);
    if (s->timeout_seconds)
        json_set_int(o, "timeout_seconds", s->timeout_seconds);
    else
        json_set_json(o, "timeout_seconds", NULL);
    json_set_text(o, "fallback_policy",
                  str_of(vocabulary_fallback_policy(s->fallback_policy)->wire));
    if (s->confidence >= 0)
        json_set_double(o, "confidence_at_suspension", s->confidence);
    else
        json_set_json(o, "confidence_at_suspension", NULL);
    json_set_json(o, "retry_policy", NULL);
    json_set_given(a, o, "retry_policy", s->retry_policy);
    json_set_text(o, "subject_sha256", s->subject_sha256);
    json_set_text_or_null(o, "severity",
                          str_of(vocabulary_severity(s->severity)->wire));
    if (s->severity_said != s->severity)
        json_set_text(
            o, "severity_said",
            str_of(vocabulary_key(vocabulary_severity(s->severity_said))));
    if (s->supersedes.p)
        json_set_text(o, "supersedes", s->supersedes);
    if (s->expires_at)
        json_set_text(o, "expires_at", clock_naive(a, s->expires_at));
    return o;
}

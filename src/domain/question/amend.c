/* Changes of an approved subject by an answer. Pure; never widens a limit. */
#include "domain/question/amend.h"

#include "base/json/fields.h"
#include "domain/decimal.h"
#include "domain/kind/subject.h"

const char amend_missing[] = "amend.missing";
const char amend_unchanged[] = "amend.unchanged";
const char amend_unknown[] = "amend.unknown";
const char amend_unused[] = "amend.unused";
const char amend_wider[] = "amend.wider";

/* ---- mistakes ------------------------------------------------------- */

static const struct err *amend_beyond(struct arena *a, struct str key)
{
    return err_at(a, ERR_INVALID, amend_wider,
                  fields_path(a, STR("constraints"), arena_z(a, key)),
                  "This goes beyond the request. You can only reduce what "
                  "was requested.");
}

static const struct err *amend_no_limit(struct arena *a, struct str key)
{
    return err_at(a, ERR_INVALID, amend_unknown,
                  fields_path(a, STR("constraints"), arena_z(a, key)),
                  "The request has no such limit.");
}

static const struct err *
amend_check_keys(struct arena *a, const struct json *sent, const char *only)
{
    for (struct json_iter i = json_iter(sent); json_next(&i);) {
        if (!str_is(i.key, only))
            return amend_no_limit(a, i.key);
    }
    return NULL;
}

static const struct err *amend_too_large(void)
{
    return ERROR(ERR_TOO_LARGE, "suspension.too_large",
                 "The approved version may have at most 256 kB.");
}

/* A subject that cannot be stored whole is not approved: without its record the
 * answer would read as a yes to what was asked. */
static const struct err *amend_keep(struct arena *a, const struct json *v,
                                    struct str *out)
{
    *out = json_dump(a, v, SUSPENSION_RECORD_MAX);
    return out->p ? NULL : amend_too_large();
}

/* ---- one number ----------------------------------------------------- */

/* The limit to spend: the whole amount where none was sent. */
static const struct err *amend_limit(struct arena *a,
                                     const struct json *subject,
                                     const struct json *sent,
                                     struct amend *out)
{
    const struct json *most = json_get(json_get(subject, "limit"), "amount");
    const struct json *limit = json_get(sent, "limit");
    TRY(amend_check_keys(a, sent, "limit"));
    if (json_has(sent, "limit") &&
        (!json_is_number(limit) || json_double(limit) < 0 ||
         json_compare(limit, most) > 0))
        return amend_beyond(a, STR("limit"));
    if (!limit || json_compare(limit, most) == 0)
        return NULL;
    return amend_keep(a, sent, &out->constraints);
}

static const struct err *amend_seconds(struct arena *a,
                                       const struct json *subject,
                                       const struct json *sent,
                                       struct amend *out)
{
    const struct json *most =
        json_get(json_get(subject, "duration"), "seconds");
    const struct json *seconds = json_get(sent, "seconds");
    TRY(amend_check_keys(a, sent, "seconds"));
    if (!json_is(seconds, JSON_INT) || json_int(seconds) < 1 ||
        json_int(seconds) > json_int(most))
        return amend_beyond(a, STR("seconds"));
    return amend_keep(a, sent, &out->constraints);
}

/* "Once" for a permission that was asked for longer allows less, so it is
 * recorded. */
static const struct err *amend_once(struct arena *a, const struct suspension *s,
                                    const struct json *choice,
                                    struct amend *out)
{
    const struct json *subject;
    struct json *once = json_object(a);
    if (s->kind != KIND_PERMISSION ||
        effect_of_choice(choice) != EFFECT_AUTHORIZE ||
        !str_is(json_get_text(choice, "value"), "allow_once"))
        return NULL;
    TRY(suspension_parse_subject(a, s, &subject));
    if (str_is(json_get_text(json_get(subject, "duration"), "kind"), "once"))
        return NULL;
    json_set_int(once, "uses", 1);
    return amend_keep(a, once, &out->constraints);
}

/* ---- named limits --------------------------------------------------- */

/* Two decimal texts, as decimal_compare; false: one of them is none. */
static bool amend_decimals(const struct json *asked, const struct json *v,
                           int *order)
{
    struct decimal was, now;
    if (!decimal_read(json_text(asked), &was) ||
        !decimal_read(json_text(v), &now))
        return false;
    *order = decimal_compare(now, was);
    return true;
}

/* Of values other than numbers, decimal texts and lists only an equal one is
 * known to be no wider. Below zero a smaller number may allow more. */
bool amend_tighter(struct arena *a, const struct json *asked,
                   const struct json *v)
{
    int order = 1;
    if (json_equal(asked, v))
        return true;
    if (amend_decimals(asked, v, &order))
        return order <= 0;
    if (json_is_number(asked))
        return json_is_number(v) && json_double(v) >= 0 &&
               json_compare(v, asked) < 0;
    if (!json_is(asked, JSON_ARRAY) || !json_is(v, JSON_ARRAY) ||
        json_count(asked) > AMEND_LIST_MAX)
        return false;
    struct json *left = json_copy(a, asked);
    for (size_t i = 0; i < json_count(v); i++) {
        size_t k = 0;
        while (k < json_count(left) &&
               !json_equal(json_at(left, k), json_at(v, i)))
            k++;
        if (k == json_count(left))
            return false;
        json_drop(left, k); /* each counts once */
    }
    return true;
}

static const struct err *amend_constraints(struct arena *a,
                                           const struct json *subject,
                                           const struct json *sent,
                                           struct amend *out)
{
    const struct json *asked = json_get(subject, "constraints");
    struct json *all = json_copy(a, asked);
    for (struct json_iter i = json_iter(sent); json_next(&i);) {
        const struct json *was = json_get_str(asked, i.key);
        int order = 1;
        if (!json_has(asked, arena_z(a, i.key)))
            return amend_no_limit(a, i.key);
        if (!amend_tighter(a, was, i.value))
            return amend_beyond(a, i.key);
        /* The same value in another spelling might be read as more. */
        if (!json_equal(was, i.value) &&
            (!amend_decimals(was, i.value, &order) || order != 0))
            json_set_key(all, i.key, i.value);
    }
    if (json_equal(all, asked))
        return err_at(a, ERR_INVALID, amend_unchanged, STR("constraints"),
                      "You made no changes. Use Approve instead.");
    return amend_keep(a, all, &out->constraints);
}

/* ---- steps ---------------------------------------------------------- */

static const struct json *amend_step_of(const struct json *steps,
                                        struct str id)
{
    for (size_t i = 0; i < json_count(steps); i++) {
        if (id.p && str_eq(json_get_text(json_at(steps, i), "id"), id))
            return json_at(steps, i);
    }
    return NULL;
}

static const struct err *amend_steps(struct arena *a,
                                     const struct json *subject,
                                     const struct json *sent,
                                     struct amend *out)
{
    const struct json *list = json_get(sent, "steps");
    struct json *approved = json_copy(a, subject), *kept = json_array(a);
    struct json *plan = json_get(approved, "plan");
    const struct json *steps = json_get(plan, "steps");
    TRY(amend_check_keys(a, sent, "steps"));
    if (!json_is(list, JSON_ARRAY) || json_count(list) == 0)
        return err_at(a, ERR_INVALID, amend_missing, STR("constraints.steps"),
                      "Keep at least one step.");
    for (size_t i = 0; i < json_count(list); i++) {
        const struct str at = fields_element(a, STR("constraints.steps"), i);
        struct fields f = fields(a, json_at(list, i), at);
        struct str id = STR_NONE, note = STR_NONE;
        fields_only(&f, "id note");
        fields_need(&f, "id");
        fields_text(&f, "id", AMEND_NOTE_MAX, &id);
        fields_text(&f, "note", AMEND_NOTE_MAX, &note);
        TRY(fields_error(&f));
        struct json *step = json_copy(a, amend_step_of(steps, id));
        if (!step || amend_step_of(kept, id))
            return err_at(a, ERR_INVALID, amend_unknown, at,
                          "The plan has no such step, or you listed it "
                          "twice.");
        if (str_trim(note).n > 0)
            json_set_text(step, "note", note);
        json_add_json(kept, step);
    }
    if (json_equal(kept, steps))
        return err_at(a, ERR_INVALID, amend_unchanged,
                      STR("constraints.steps"),
                      "You made no changes. Use Approve instead.");
    json_set_json(plan, "steps", kept);
    TRY(amend_keep(a, sent, &out->constraints));
    return amend_keep(a, approved, &out->subject);
}

/* ---- another subject ------------------------------------------------ */

static const struct err *amend_subject(struct arena *a,
                                       const struct suspension *s,
                                       const struct json *subject,
                                       const struct amend_sent *sent,
                                       struct amend *out)
{
    const struct kind_ask ask = {.kind = s->kind,
                                 .severity = s->severity_said,
                                 .subject = sent->subject,
                                 .allow_edit = s->allow_edit};
    if (!sent->subject)
        return err_at(a, ERR_INVALID, amend_missing, STR("subject"),
                      "This answer needs the whole changed \"subject\".");
    if (sent->subject_text.n > SUSPENSION_RECORD_MAX)
        return amend_too_large();
    TRY(subject_check(a, sent->subject, sent->subject_text));
    TRY(kind_check_subject(a, &ask));
    if (json_equal(sent->subject, subject))
        return err_at(a, ERR_INVALID, amend_unchanged, STR("subject"),
                      "You made no changes. Use Approve instead.");
    TRY(amend_keep(a, sent->subject, &out->subject));
    out->subject = sent->subject_text;
    return NULL;
}

/* ---- all of it ------------------------------------------------------ */

/* Refuses members that the choice does not use. */
static const struct err *amend_check_used(struct arena *a, enum takes takes,
                                          const struct amend_sent *sent)
{
    const bool whole = takes == TAKES_SUBJECT;
    if (sent->subject && !whole)
        return err_at(a, ERR_INVALID, amend_unused, STR("subject"),
                      "This answer cannot change the subject.");
    if (sent->constraints && (whole || takes == TAKES_NOTHING))
        return err_at(a, ERR_INVALID, amend_unused, STR("constraints"),
                      "This answer does not take constraints.");
    if (!sent->constraints && takes != TAKES_NOTHING && !whole &&
        takes != TAKES_LIMIT)
        return err_at(a, ERR_INVALID, amend_missing, STR("constraints"),
                      "This answer needs \"constraints\".");
    return NULL;
}

const struct err *amend_check(struct arena *a, const struct suspension *s,
                              const struct json *choice,
                              const struct amend_sent *sent,
                              struct amend *out)
{
    const enum takes takes = effect_takes(choice);
    const struct json *subject;
    *out = (struct amend){.constraints = STR_NONE};
    TRY(amend_check_used(a, takes, sent));
    if (takes == TAKES_NOTHING)
        return amend_once(a, s, choice, out);
    TRY(suspension_parse_subject(a, s, &subject));
    switch (takes) {
    case TAKES_SUBJECT:
        return amend_subject(a, s, subject, sent, out);
    case TAKES_LIMIT:
        return sent->constraints
                   ? amend_limit(a, subject, sent->constraints, out)
                   : NULL;
    case TAKES_SECONDS:
        return amend_seconds(a, subject, sent->constraints, out);
    case TAKES_CONSTRAINTS:
        return amend_constraints(a, subject, sent->constraints, out);
    case TAKES_STEPS:
        return amend_steps(a, subject, sent->constraints, out);
    case TAKES_NOTHING:
    case TAKES__MAX:
    default:
        return NULL;
    }
}

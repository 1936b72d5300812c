/* An amendment on a page: its fields, and the subject that results from
 * them. */
#include "doors/pages/answer/amend.h"

#include "base/crypt.h"
#include "doors/pages/answer/amend_form.h"
#include "doors/pages/answer/amend_groups.h"
#include "doors/pages/answer/steps_form.h"
#include "doors/pages/kinds/card.h"
#include "doors/pages/kinds/steps.h"
#include "doors/pages/shell/difference.h"
#include "doors/pages/shell/fields.h"

struct str answer_amend_value(const struct pairs *posted)
{
    static const char *const names[] = {"look", "again", "value"};
    for (size_t i = 0; i < countof(names); i++) {
        const struct str value = pairs_get(*posted, names[i]);
        if (value.p)
            return value;
    }
    return STR_NONE;
}

/* ---- changes -------------------------------------------------------- */

static struct json *amend_one(struct arena *a, const char *key,
                              struct str value)
{
    struct json *o = json_object(a);
    json_set_text(o, key, value);
    return o;
}

static struct str amend_amount(struct arena *a, const struct json *n,
                               struct str unit)
{
    return arena_join(a, page_facts_number(a, n), STR(" "), unit);
}

/* A time, or the word for a duration that has no end in seconds. */
static struct str amend_span(struct arena *a, const struct json *duration)
{
    const int64_t seconds = json_int(json_get(duration, "seconds"));
    return seconds > 0 ? kinds_card_span(a, seconds)
                       : json_get_text(duration, "kind");
}

/* The requested and the allowed limits. */
struct amended {
    const struct json *asked, *allowed;
};

/* Limits are shown in the words of the kind. false where there is no change. */
static bool amend_pair(struct arena *a, const struct suspension *s,
                       struct amended *out)
{
    const struct json *subject = suspension_subject(a, s);
    const struct json *now = json_read(a, s->constraints);
    const struct json *limit = json_get(subject, "limit");
    const struct str unit = json_get_text(limit, "unit");
    if (s->approved_subject.p) {
        out->asked = subject;
        out->allowed = suspension_approved(a, s);
    } else if (!now) {
        *out = (struct amended){.asked = subject};
    } else if (s->kind == KIND_COST_CONFIRMATION) {
        out->asked = amend_one(
            a, "limit", amend_amount(a, json_get(limit, "amount"), unit));
        out->allowed = amend_one(
            a, "limit", amend_amount(a, json_get(now, "limit"), unit));
    } else if (s->kind == KIND_PERMISSION) {
        out->asked = amend_one(a, "duration",
                               amend_span(a, json_get(subject, "duration")));
        out->allowed = amend_one(a, "duration",
                                 json_has(now, "uses") ? STR("once")
                                                       : amend_span(a, now));
    } else {
        out->asked = json_get(subject, "constraints");
        out->allowed = now;
    }
    return out->allowed && !json_equal(out->asked, out->allowed);
}

/* Rows of an edit that was made in fields have the names of those. */
static void amend_name_rows(struct arena *a, const struct json *subject,
                            const struct json *rows)
{
    for (size_t i = 0; i < json_count(rows); i++) {
        struct json *row = json_at(rows, i);
        json_set_text(
            row, "path",
            answer_amend_groups_name(a, subject, json_get_text(row, "path")));
    }
}

struct json *answer_amend_difference(struct page_view *v,
                                     const struct suspension *s)
{
    struct amended pair;
    struct widening beyond = {.grade = WIDENING_NOT};
    const bool changed = amend_pair(v->a, s, &pair);
    /* The limit of a plan's steps can only be their number. */
    if (changed && s->approved_subject.p && s->kind != KIND_PLAN_REVIEW)
        widening_find(v->a, pair.asked, pair.allowed, &beyond);
    struct json *o = page_difference(v, changed ? pair.asked : NULL,
                                     changed ? pair.allowed : NULL, &beyond);
    json_set_bool(o, "is_same", !changed);
    if (changed && s->kind == KIND_APPROVAL && s->approved_subject.p &&
        answer_amend_form_flat(pair.asked)) {
        amend_name_rows(v->a, pair.asked, json_get(o, "rows"));
        amend_name_rows(v->a, pair.asked,
                        json_get(json_get(o, "beyond"), "rows"));
    }
    return o;
}

struct str answer_amend_brief(struct page_view *v, const struct suspension *s)
{
    struct amended pair;
    if (!suspension_modified(s) || s->state == SUSPENSION_EXPIRED)
        return STR_NONE;
    if (s->kind == KIND_PLAN_REVIEW)
        return STR("different steps");
    return amend_pair(v->a, s, &pair)
               ? page_difference_brief(v, pair.asked, pair.allowed)
               : STR("");
}

/* The digest of the shown change. */
static struct str amend_digest(struct arena *a, const struct suspension *after)
{
    return after->approved_sha256.p ? after->approved_sha256
           : after->constraints.p   ? crypt_sha256_hex(a, after->constraints)
                                    : STR("");
}

bool answer_amend_unseen(struct arena *a, const struct suspension *after,
                         const struct json *choice, const struct pairs *posted)
{
    struct amended pair;
    if (pairs_get(*posted, "look").p || pairs_get(*posted, "again").p)
        return true;
    return effect_takes(choice) != TAKES_NOTHING &&
           amend_pair(a, after, &pair) &&
           !str_eq(pairs_get(*posted, "looked"), amend_digest(a, after));
}

/* ---- the page ------------------------------------------------------- */

/* The error at a field, which does not need the path in words. */
static struct str amend_say(struct arena *a, const struct err *e)
{
    return e->predicate ? arena_join(a, STR("This value "),
                                     str_of(e->predicate), STR("."))
                        : e->say;
}

/* {key: sentence} of an error of the form, or of the domain at one path and at
 * those that are missing too. */
static struct json *amend_errors(struct arena *a, const struct err *e)
{
    const struct json *fields = e ? json_get(e->more, "fields") : NULL;
    const struct json *missing = e ? json_get(e->more, "missing") : NULL;
    struct json *o = json_object(a);
    if (fields)
        return json_copy(a, fields);
    if (e && e->at.n > 0)
        json_set_key(o, e->at, json_string(a, amend_say(a, e)));
    for (size_t i = 0; i < json_count(missing); i++)
        json_set_key(
            o, arena_join(a, STR("subject."), json_text(json_at(missing, i))),
            json_string(a, STR("This value is needed.")));
    return o;
}

/* Typed values are hidden fields while their difference is shown. */
static struct json *amend_hidden(struct arena *a, const struct pairs *typed)
{
    struct json *list = json_array(a);
    for (size_t i = 0; typed && i < typed->n; i++) {
        const struct str key = typed->v[i].key;
        if (key.n < 2 || !strchr("fkon", key.p[0]) || key.p[1] < '0' ||
            key.p[1] > '9')
            continue;
        struct json *o = json_object(a);
        json_set_text(o, "name", key);
        json_set_text(o, "value", typed->v[i].value);
        json_add_json(list, o);
    }
    return list;
}

/* The changed question, which is shown before it counts; NULL: it is still
 * being edited. */
static struct json *amend_shown(struct page_view *v,
                                const struct answer_amend_of *of)
{
    const struct suspension *after = of->after;
    if (!after)
        return NULL;
    struct json *o = answer_amend_difference(v, after);
    const bool steps =
        after->approved_subject.p && effect_takes(of->choice) == TAKES_STEPS;
    json_set_json(o, "steps",
                  steps ? kinds_steps_approved(
                              v,
                              kinds_steps_of(suspension_approved(v->a, after)),
                              kinds_steps_of(suspension_subject(v->a, after)))
                        : NULL);
    json_set_text(o, "looked", amend_digest(v->a, after));
    json_set_text(o, "version_sha256", after->approved_sha256);
    json_set_json(o, "hidden", amend_hidden(v->a, of->typed));
    return o;
}

static struct str amend_note(enum takes takes, size_t fields)
{
    if (takes == TAKES_STEPS)
        return STR("Untick a step to remove it. Change the numbers to reorder. "
                   "The agent reads your notes.");
    if (fields == 0)
        return STR("This cannot be edited on a page. Use the API.");
    if (takes == TAKES_SUBJECT)
        return STR("Edit the values. You review the changes before "
                   "you submit them. Only your version can run.");
    if (takes == TAKES_CONSTRAINTS)
        return STR("You can lower numbers and shorten lists. Only lower values "
                   "are accepted. You review the changes before you submit "
                   "them.");
    return STR("You can only reduce what was requested.");
}

struct json *answer_amend(struct page_view *v,
                          const struct answer_amend_of *of)
{
    const enum takes takes = effect_takes(of->choice);
    const bool one_number = takes == TAKES_LIMIT || takes == TAKES_SECONDS;
    struct json *o = json_object(v->a);
    if (takes == TAKES_NOTHING)
        return NULL;
    const struct page_fields_of fields = {
        .form = answer_amend_form(v->a, of->s, takes),
        .typed = of->typed,
        .errors = amend_errors(v->a, of->error),
        .id = "answer"};
    const struct answer_steps_form_of typed = {.typed = of->typed,
                                               .errors = fields.errors};
    const bool steps = takes == TAKES_STEPS;
    const size_t n = steps ? 1 : json_count(fields.form);
    struct json *seen = amend_shown(v, of);
    const struct json *faces =
        seen ? json_array(v->a) : page_fields(v, &fields);
    const struct json *subject = suspension_subject(v->a, of->s);
    const bool whole = takes == TAKES_SUBJECT && json_count(faces) > 0 &&
                       answer_amend_form_flat(subject);
    json_set_json(o, "steps",
                  steps && !seen ? answer_steps_form(v, of->s, &typed)
                                 : json_array(v->a));
    json_set_bool(o, "has_steps", steps && !seen);
    json_set_json(o, "difference", seen);
    json_set_text(o, "note", amend_note(takes, n));
    json_set_json(o, "fields", faces);
    json_set_json(o, "groups",
                  whole ? answer_amend_groups(v, subject, fields.form, faces)
                        : answer_amend_groups_one(v, faces));
    json_set_bool(o, "one_number", one_number);
    json_set_bool(o, "may_look", !seen && n > 0);
    json_set_bool(o, "may_confirm", seen || (n > 0 && one_number));
    return o;
}

struct json *answer_amend_errors(struct page_view *v,
                                 const struct answer_amend_of *of)
{
    const enum takes takes = effect_takes(of->choice);
    if (takes == TAKES_NOTHING)
        return json_array(v->a);
    if (takes == TAKES_STEPS)
        return answer_steps_form_errors(v->a, amend_errors(v->a, of->error));
    return page_fields_errors(v, answer_amend_form(v->a, of->s, takes),
                              amend_errors(v->a, of->error));
}

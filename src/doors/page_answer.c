/* The decision strip of a question. */
#include "doors/page_answer.h"

#include "doors/page_fields.h"
#include "doors/page_question.h"

#define FEW 4 /* buttons that fit in a bar at the bottom of a phone */

static const char help[] = "The agent will read it.";

/* ---- who and how ---------------------------------------------------- */

/* A choice without choices, and a form without fields, take any words. */
enum page_answer_way page_answer_way(struct arena *a,
                                     const struct suspension *s)
{
    switch (s->response_type) {
    case ANSWER_CHOICE:
    case ANSWER_CONFIRM:
        return json_count(suspension_choices(a, s)) > 0 ? PAGE_ANSWER_CHOICE
                                                        : PAGE_ANSWER_TEXT;
    case ANSWER_FORM:
        return json_count(page_fields_form(a, s)) > 0 ? PAGE_ANSWER_FORM
                                                      : PAGE_ANSWER_TEXT;
    case ANSWER_TEXT:
    case ANSWER_TYPE__MAX:
    default:
        return PAGE_ANSWER_TEXT;
    }
}

bool page_answer_two_step(const struct suspension *s)
{
    return s->severity.p && !str_is(s->severity, "low");
}

static bool can_answer(const struct page_view *v,
                       const struct page_answer_of *of)
{
    return principal_decides(of->reader) && !suspension_due(of->s, v->now);
}

static struct json *cannot(const struct page_view *v,
                           const struct page_answer_of *of)
{
    struct json *o = json_object(v->a);
    if (can_answer(v, of))
        return NULL;
    if (suspension_due(of->s, v->now)) {
        json_set_text(o, "why", STR("The time to answer is over; the question "
                                    "will be recorded as expired."));
        json_set_text(o, "who", STR("Nobody can answer it any more."));
    } else {
        json_set_text(o, "why", STR("You are signed in as an auditor; "
                                    "auditors read and do not answer."));
        json_set_text(o, "who", STR("Any operator or admin can."));
    }
    return o;
}

/* ---- buttons -------------------------------------------------------- */

static bool is_style(const struct json *choice, const char *style)
{
    return str_is(json_get_text(choice, "style"), style);
}

static bool is_effect(const struct json *choice, const char *effect)
{
    return str_is(json_get_text(choice, "effect"), effect);
}

static bool needs_reason(const struct json *choice)
{
    return str_is(json_get_text(choice, "reason"), "required");
}

/* The one that stands last and is filled: the first of style primary, else
 * the first that authorizes or accepts. The count of choices: none. */
static size_t primary_of(const struct json *choices)
{
    const size_t n = json_count(choices);
    for (size_t i = 0; i < n; i++) {
        if (is_style(json_at(choices, i), "primary"))
            return i;
    }
    for (size_t i = 0; i < n; i++) {
        if (is_effect(json_at(choices, i), "authorize") ||
            is_effect(json_at(choices, i), "accept"))
            return i;
    }
    return n;
}

static struct str tone(const struct json *choice, bool primary)
{
    if (is_effect(choice, "authorize"))
        return primary ? STR("auth filled") : STR("auth");
    if (is_effect(choice, "veto") || is_effect(choice, "stop_task"))
        return STR("veto");
    if (is_effect(choice, "none") && is_style(choice, "danger"))
        return STR("veto");
    if (primary && (is_effect(choice, "none") || is_effect(choice, "answer") ||
                    is_effect(choice, "accept")))
        return STR("accent");
    return STR("plain");
}

static struct json *confirm_url(struct arena *a, const struct suspension *s,
                                const struct json *choice)
{
    const struct str url = page_view_path(a, "/suspensions/", s->id, "");
    const struct str value = json_get_text(choice, "value");
    struct buf b = buf_make(a, url.n + value.n * 3 + 16);
    if (!page_answer_two_step(s))
        return NULL;
    buf_str(&b, url);
    buf_put(&b, "?choice=");
    request_escape(&b, value);
    return json_string(a, buf_text(&b));
}

static void add_button(struct page_view *v, struct json *list,
                       const struct suspension *s, const struct json *choice,
                       bool primary)
{
    struct json *o = json_object(v->a);
    const struct str more = json_get_text(choice, "description");
    json_set_json(o, "value", json_get(choice, "value"));
    json_set_json(o, "label",
                  page_view_text(v, json_get_text(choice, "label")));
    json_set_json(o, "description", page_view_text(v, more));
    json_set_text(o, "tone", tone(choice, primary));
    json_set_bool(o, "primary", primary);
    json_set_bool(o, "needs_reason", needs_reason(choice));
    json_set_json(o, "confirm_url", confirm_url(v->a, s, choice));
    json_add_json(list, o);
}

static struct json *buttons(struct page_view *v, const struct suspension *s,
                            const struct json *choices)
{
    struct json *list = json_array(v->a);
    const size_t primary = primary_of(choices);
    for (size_t i = 0; i < json_count(choices); i++) {
        if (i != primary)
            add_button(v, list, s, json_at(choices, i), false);
    }
    if (primary < json_count(choices))
        add_button(v, list, s, json_at(choices, primary), true);
    return list;
}

/* ---- typed and wrong ------------------------------------------------ */

static struct str typed(const struct page_answer_of *of, const char *key)
{
    const struct str s =
        of->typed ? pairs_get(*of->typed, key) : STR_NONE;
    return s.p ? s : STR("");
}

static bool is_error(const struct page_answer_of *of, const char *start)
{
    return of->error &&
           str_starts(str_of(of->error->code), str_of(start));
}

static struct json *comment(struct arena *a, const struct page_answer_of *of,
                            const char *need)
{
    struct json *o = json_object(a);
    json_set_text(o, "value", typed(of, "reason"));
    json_set_text(o, "help", str_of(help));
    json_set_text(o, "need", str_of(need));
    json_set_bool(o, "required", str_is(str_of(need), "required"));
    json_set_text(o, "error",
                  is_error(of, "reason.") ? of->error->say : STR(""));
    return o;
}

/* The comment box of a choice that is answered in one step. */
static struct json *words(struct arena *a, const struct page_answer_of *of,
                          const struct json *choices)
{
    size_t all = json_count(choices), need = 0, veto = 0, none = 0;
    for (size_t i = 0; i < all; i++) {
        const struct json *c = json_at(choices, i);
        const bool needs = needs_reason(c);
        need += needs;
        veto += needs && is_effect(c, "veto");
        none += str_is(json_get_text(c, "reason"), "none");
    }
    if (none == all)
        return NULL;
    return comment(a, of, need == 0      ? "optional"
                          : need == all  ? "required"
                          : need == veto ? "needed to reject"
                                         : "needed for some answers");
}

static struct json *text_box(struct arena *a, const struct page_answer_of *of)
{
    struct json *o = json_object(a);
    json_set_text(o, "value", typed(of, "value"));
    json_set_text(o, "help", STR("The agent gets your words as they are."));
    json_set_text(o, "error",
                  is_error(of, "response.") ? of->error->say : STR(""));
    return o;
}

/* ---- confirm -------------------------------------------------------- */

static struct json *says(struct page_view *v, const struct suspension *s,
                         const struct json *choice)
{
    struct buf b = buf_make(v->a, 4096);
    buf_str(&b, s->asked_by);
    buf_put(&b, " gets this answer at once");
    if (is_effect(choice, "stop_task") ||
        (is_effect(choice, "veto") && s->on_reject_abandon))
        buf_put(&b, ", and the intent is abandoned.");
    else
        buf_put(&b, " and goes on with it.");
    buf_put(&b, " An answer counts once and cannot be taken back.");
    return page_view_text(v, buf_text(&b));
}

static struct json *confirm(struct page_view *v,
                            const struct page_answer_of *of,
                            const struct json *choices)
{
    const struct suspension *s = of->s;
    const struct json *c = suspension_choice(choices, of->choice);
    const size_t primary = primary_of(choices);
    const bool needs = needs_reason(c);
    struct json *o = json_object(v->a);
    if (!of->choice.p || !c)
        return NULL;
    const struct str more = json_get_text(c, "description");
    json_set_json(o, "label", page_view_text(v, json_get_text(c, "label")));
    json_set_json(o, "value", json_get(c, "value"));
    json_set_text(o, "tone", tone(c, json_at(choices, primary) == c));
    json_set_json(o, "description", page_view_text(v, more));
    json_set_json(o, "says", says(v, s, c));
    json_set_text(o, "facts_short",
                  page_question_has_facts(s)
                      ? page_view_groups(v->a, s->subject_sha256, 2)
                      : STR(""));
    json_set_json(o, "comment",
                  str_is(json_get_text(c, "reason"), "none")
                      ? NULL
                      : comment(v->a, of, needs ? "required" : "optional"));
    json_set_text(o, "back_url",
                  page_view_path(v->a, "/suspensions/", s->id, ""));
    /* Enter alone must not go past a warning, nor allow what is critical. */
    json_set_bool(o, "focus", !needs && !of->error &&
                                  !str_is(s->severity, "critical"));
    return o;
}

/* ---- the strip ------------------------------------------------------ */

static void set_form(struct page_view *v, struct json *o,
                     const struct page_answer_of *of)
{
    const struct json *more = of->error ? of->error->more : NULL;
    const struct page_fields_of fields = {
        .form = page_fields_form(v->a, of->s),
        .typed = of->typed,
        .errors = json_get(more, "fields")};
    json_set_json(o, "fields", page_fields(v, &fields));
    json_set_text(o, "form_note", page_fields_note(v->a, fields.form));
}

struct json *page_answer(struct page_view *v, const struct page_answer_of *of)
{
    const struct suspension *s = of->s;
    const enum page_answer_way way = page_answer_way(v->a, s);
    const bool choice = way == PAGE_ANSWER_CHOICE;
    const bool form = way == PAGE_ANSWER_FORM;
    const bool can = can_answer(v, of);
    const struct json *choices = suspension_choices(v->a, s);
    struct json *sure = can && choice ? confirm(v, of, choices) : NULL;
    struct json *o = json_object(v->a);
    const bool choosing = can && choice && !sure;
    json_set_bool(o, "is_choice", choice);
    json_set_bool(o, "is_form", form);
    json_set_bool(o, "is_choosing", choosing);
    json_set_bool(o, "is_filling", can && form);
    json_set_bool(o, "two_step", page_answer_two_step(s));
    json_set_bool(o, "few", json_count(choices) <= FEW);
    json_set_json(o, "cannot", cannot(v, of));
    json_set_text(o, "respond_url",
                  page_view_path(v->a, "/suspensions/", s->id, "/respond"));
    json_set_text(o, "subject_sha256", s->subject_sha256);
    json_set_json(o, "buttons", buttons(v, s, choices));
    json_set_json(o, "confirm", sure);
    json_set_json(o, "words", choosing && !page_answer_two_step(s)
                                  ? words(v->a, of, choices)
                                  : NULL);
    json_set_json(o, "text", can && way == PAGE_ANSWER_TEXT
                                 ? text_box(v->a, of)
                                 : NULL);
    json_set_json(o, "fields", json_array(v->a));
    json_set_text(o, "form_note", STR(""));
    if (can && form)
        set_form(v, o, of);
    return o;
}

/* ---- errors --------------------------------------------------------- */

static struct json *error_items(struct page_view *v,
                                const struct page_answer_of *of)
{
    const bool reason = is_error(of, "reason.");
    const bool box = page_answer_way(v->a, of->s) == PAGE_ANSWER_TEXT &&
                     is_error(of, "response.");
    struct json *list = json_array(v->a), *item = json_object(v->a);
    if (is_error(of, "response.form"))
        return page_fields_errors(v, page_fields_form(v->a, of->s),
                                  json_get(of->error->more, "fields"));
    if (!reason && !box)
        return list;
    struct buf b = buf_make(v->a, 4096);
    buf_put(&b, reason ? "Comment: " : "Your answer: ");
    buf_str(&b, of->error->say);
    json_set_text(item, "href", reason ? STR("#reason") : STR("#value"));
    json_set_text(item, "text", buf_text(&b));
    json_add_json(list, item);
    return list;
}

static struct str error_heading(struct arena *a,
                                const struct page_answer_of *of, size_t items)
{
    struct buf b = buf_make(a, 128);
    if (is_error(of, "reason.missing"))
        return STR("A comment is needed");
    if (is_error(of, "reason."))
        return STR("The comment is too long");
    if (is_error(of, "response.invalid_choice"))
        return STR("There is no such answer");
    if (is_error(of, "response.empty"))
        return STR("The answer is empty");
    if (is_error(of, "response.too_l"))
        return STR("The answer is too long");
    if (is_error(of, "suspension.changed"))
        return STR("What you saw is not what is stored");
    if (!is_error(of, "response.form"))
        return STR("This cannot be accepted");
    buf_str(&b, page_view_many(a, (int64_t)items, "field"));
    buf_put(&b, items == 1 ? " needs another look" : " need another look");
    return buf_text(&b);
}

struct json *page_answer_errors(struct page_view *v,
                                const struct page_answer_of *of)
{
    if (!of->error)
        return NULL;
    struct json *o = json_object(v->a), *items = error_items(v, of);
    struct str sentence = STR("Nothing was sent. What you typed is kept.");
    if (is_error(of, "response.invalid_choice"))
        sentence = STR("Nothing was sent. Take one of the answers that the "
                       "question offers.");
    if (is_error(of, "suspension.changed"))
        sentence = STR("Nothing was recorded. Read the question again as it "
                       "stands here now, and answer then.");
    json_set_text(o, "heading",
                  error_heading(v->a, of, json_count(items)));
    json_set_text(o, "sentence", sentence);
    json_set_json(o, "items", items);
    return o;
}

/* The decision strip of a question. */
#include "doors/page_answer.h"

#include "domain/resolve.h"
#include "domain/risk.h"
#include "doors/page_amend.h"
#include "doors/page_button.h"
#include "doors/page_choice.h"
#include "doors/page_fields.h"
#include "doors/page_kind_does.h"
#include "doors/page_question.h"
#include "doors/page_stakes.h"
#include "doors/page_typed.h"

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

bool page_answer_declines(struct arena *a, const struct suspension *s,
                          struct str value)
{
    const struct json *choice =
        value.p ? suspension_choice(suspension_choices(a, s), value) : NULL;
    return page_answer_way(a, s) != PAGE_ANSWER_CHOICE &&
           str_is(json_get_text(choice, "effect"), "decline");
}

static bool can_answer(const struct page_view *v,
                       const struct page_answer_of *of)
{
    const struct responder_case rule = suspension_case(of->s);
    return !responder_check(v->a, &rule, of->reader) &&
           !suspension_due(of->s, v->now);
}

/* Who can is told beside it. */
static struct str why(struct arena *a, const struct responder_case *rule,
                      const struct principal *reader)
{
    const struct err *e = responder_check(a, rule, reader);
    return e && !str_is(str_of(e->code), "suspension.not_yours")
               ? e->say
               : STR("This question is not yours to answer.");
}

static struct json *cannot(struct page_view *v,
                           const struct page_answer_of *of)
{
    struct json *o = json_object(v->a);
    if (can_answer(v, of))
        return NULL;
    if (suspension_due(of->s, v->now)) {
        json_set_text(o, "why", STR("The time to answer is over; the question "
                                    "will be recorded as expired."));
        json_set_json(o, "who",
                      page_view_text(v, STR("Nobody can answer it any "
                                            "more.")));
        return o;
    }
    const struct responder_case rule = suspension_case(of->s);
    json_set_text(o, "why",
                  principal_decides(of->reader)
                      ? why(v->a, &rule, of->reader)
                      : STR("You are signed in as an auditor; auditors read "
                            "and do not answer."));
    json_set_json(o, "who", page_view_text(v, responder_who(v->a, &rule)));
    return o;
}

static bool is_effect(const struct json *choice, const char *effect)
{
    return str_is(json_get_text(choice, "effect"), effect);
}

static bool needs_reason(const struct json *choice)
{
    return str_is(json_get_text(choice, "reason"), "required");
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
    size_t all = json_count(choices), need = 0, veto = 0, decline = 0;
    size_t none = 0;
    for (size_t i = 0; i < all; i++) {
        const struct json *c = json_at(choices, i);
        const bool needs = needs_reason(c);
        need += needs;
        veto += needs && is_effect(c, "veto");
        decline += needs && is_effect(c, "decline");
        none += str_is(json_get_text(c, "reason"), "none");
    }
    if (none == all)
        return NULL;
    return comment(a, of, need == 0      ? "optional"
                          : need == all  ? "required"
                          : need == veto ? "needed to reject"
                          : need == decline ? "needed to decline"
                                         : "needed for some answers");
}

/* The comment box beside words or a form: for who declines. */
static struct json *decline_words(struct arena *a,
                                  const struct page_answer_of *of,
                                  const struct json *choices)
{
    size_t all = 0, need = 0;
    for (size_t i = 0; i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        all += is_effect(c, "decline");
        need += is_effect(c, "decline") && needs_reason(c);
    }
    if (all == 0)
        return NULL;
    return comment(a, of, need ? "needed to decline" : "optional");
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

/* What comes of it for the agent, after its name. */
static const char *comes(struct arena *a, const struct suspension *s,
                         const struct json *choice)
{
    if (resolve_ends(s, choice))
        return " is told no at once, and the intent is abandoned.";
    if (is_effect(choice, "veto") || is_effect(choice, "decline"))
        return " is told no at once, and goes on without it.";
    if (is_effect(choice, "request_changes"))
        return " is asked for a revision at once. Nothing is approved.";
    if (is_effect(choice, "accept"))
        return " is told at once, and the goal is yours from then on.";
    if (is_effect(choice, "answer") && page_kind_does_look(a, s))
        return " is told once it was looked for and found. If it is not "
               "there, nothing is recorded.";
    return is_effect(choice, "none") || is_effect(choice, "answer")
               ? " gets this answer at once."
               : " gets this answer at once, and may go on with it.";
}

static struct json *says(struct page_view *v, const struct suspension *s,
                         const struct json *choice)
{
    struct buf b = buf_make(v->a, 4096);
    buf_str(&b, s->asked_by);
    buf_put(&b, comes(v->a, s, choice));
    buf_put(&b, " An answer is final.");
    return page_view_text(v, buf_text(&b));
}

/* What the choice may change; true while that is still being typed. */
static bool set_change(struct page_view *v, struct json *o,
                       const struct page_answer_of *of,
                       const struct json *choice)
{
    const struct page_amend_of amend = {.s = of->s,
                                        .choice = choice,
                                        .typed = of->typed,
                                        .error = of->error,
                                        .after = of->after};
    struct json *change = page_amend(v, &amend);
    json_set_json(o, "amend", change);
    json_set_json(o, "changes",
                  of->after ? page_amend_brief(v, of->after) : NULL);
    json_set_bool(o, "may_confirm",
                  !change || json_bool(json_get(change, "may_confirm")));
    return change && !of->after;
}

/* Does what is to be looked at go beyond what was asked for? */
static bool is_beyond(const struct json *confirm)
{
    const struct json *difference =
        json_get(json_get(confirm, "amend"), "difference");
    return json_get(difference, "beyond") != NULL;
}

static struct json *confirm(struct page_view *v,
                            const struct page_answer_of *of,
                            const struct page_unseen *unseen,
                            const struct json *choices)
{
    const struct suspension *s = of->s;
    const struct json *c = suspension_choice(choices, of->choice);
    struct json *o = json_object(v->a);
    if (!of->choice.p || !c)
        return NULL;
    const struct str more = json_get_text(c, "description");
    const bool typing = set_change(v, o, of, c);
    const bool needs = needs_reason(c) || is_beyond(o);
    json_set_json(o, "choice", page_choice(v, choices, c));
    json_set_json(o, "value", json_get(c, "value"));
    json_set_text(o, "tone", page_button_sure(choices, c));
    json_set_text(o, "key", page_button_key(s, choices, c));
    json_set_json(o, "description", page_view_text(v, more));
    json_set_json(o, "says", says(v, s, c));
    json_set_json(o, "unseen", page_unseen_view(v, unseen, s, c));
    json_set_json(o, "stakes", page_stakes(v, s, c));
    json_set_text(o, "facts_short",
                  page_question_has_facts(s)
                      ? words_groups(v->a, s->subject_sha256, 2)
                      : STR(""));
    json_set_json(o, "comment",
                  str_is(json_get_text(c, "reason"), "none")
                      ? NULL
                      : comment(v->a, of, needs ? "required" : "optional"));
    json_set_text(o, "back_url",
                  page_view_path(v->a, "/suspensions/", s->id, ""));
    struct json *typed =
        json_bool(json_get(o, "may_confirm"))
            ? page_typed(v, of->after ? of->after : s, c, of->typed, of->error)
            : NULL;
    json_set_json(o, "typed", typed);
    const bool to_type = typed && json_get_text(typed, "value").n == 0;
    if (typed)
        json_set_bool(typed, "focus", is_error(of, "typed.") ||
                                          (to_type && !of->error && !typing));
    /* Enter alone must not go past a warning, nor allow what is critical. */
    json_set_bool(o, "focus", !needs && !of->error && !typing && !to_type &&
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
    const struct page_unseen unseen = page_unseen(v->a, s);
    struct json *sure =
        can && choice ? confirm(v, of, &unseen, choices) : NULL;
    struct json *o = json_object(v->a);
    const bool choosing = can && choice && !sure;
    json_set_bool(o, "is_choice", choice);
    json_set_bool(o, "is_form", form);
    json_set_bool(o, "is_choosing", choosing);
    json_set_bool(o, "is_filling", can && form);
    json_set_bool(o, "guarded", str_is(s->severity, "critical"));
    json_set_bool(o, "two_step", risk_two_step(v->a, s));
    json_set_bool(o, "few", json_count(choices) <= FEW);
    json_set_json(o, "cannot", cannot(v, of));
    json_set_text(o, "respond_url",
                  page_view_path(v->a, "/suspensions/", s->id, "/respond"));
    json_set_text(o, "subject_sha256", s->subject_sha256);
    json_set_text(o, "reader", of->reader->id);
    json_set_json(o, "buttons", page_buttons(v, s, choices));
    json_set_json(o, "confirm", sure);
    json_set_json(o, "words", choosing && !risk_two_step(v->a, s)
                                  ? words(v->a, of, choices)
                              : can && !choice
                                  ? decline_words(v->a, of, choices)
                                  : NULL);
    json_set_json(o, "declines", can && !choice
                                     ? page_buttons_decline(v, s, choices)
                                     : json_array(v->a));
    json_set_json(o, "text", can && way == PAGE_ANSWER_TEXT
                                 ? text_box(v->a, of)
                                 : NULL);
    json_set_json(o, "fields", json_array(v->a));
    json_set_text(o, "form_note", STR(""));
    if (can && form)
        set_form(v, o, of);
    return o;
}

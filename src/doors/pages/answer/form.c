/* The form that answers a question. */
#include "doors/pages/answer/form.h"

#include "domain/answer/resolve.h"
#include "domain/kind/form.h"
#include "domain/question/risk.h"
#include "doors/pages/answer/amend.h"
#include "doors/pages/answer/button.h"
#include "doors/pages/answer/steps_form.h"
#include "doors/pages/kinds/effect_text.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/fields.h"
#include "work/probe.h"

const char answer_form_session_ended[] = "session.ended";

/* ---- rights and ways -------------------------------------------------- */

/* A choice without choices, and a form without fields, accept any text. */
enum answer_way answer_form_way(struct arena *a,
                                       const struct suspension *s)
{
    switch (s->response_type) {
    case ANSWER_CHOICE:
    case ANSWER_CONFIRM:
        return json_count(suspension_choices(a, s)) > 0 ? ANSWER_WAY_CHOICE
                                                        : ANSWER_WAY_TEXT;
    case ANSWER_FORM:
        return s->form.p || json_count(page_fields_form(a, s)) > 0
                   ? ANSWER_WAY_FORM
                   : ANSWER_WAY_TEXT;
    case ANSWER_TEXT:
    case ANSWER_TYPE__MAX:
    default:
        return ANSWER_WAY_TEXT;
    }
}

bool answer_form_declines(struct arena *a, const struct suspension *s,
                           struct str value)
{
    const struct json *choice =
        value.p ? suspension_choice(suspension_choices(a, s), value) : NULL;
    return answer_form_way(a, s) != ANSWER_WAY_CHOICE &&
           effect_of_choice(choice) == EFFECT_DECLINE;
}

/* `cannot`: why the reader cannot answer it, and who can; NULL where the
 * reader can. */
static struct json *form_cannot(struct page_view *v,
                                const struct answer_form_of *of)
{
    const struct responder_case rule = suspension_case(of->s);
    const struct err *e = responder_check(v->a, &rule, of->reader);
    const bool due = suspension_due(of->s, v->now);
    struct json *o = json_object(v->a);
    if (!e && !due)
        return NULL;
    json_set_text(
        o, "why",
        due ? STR("The deadline has passed. The request will be recorded as "
                  "expired.")
        : of->reader->role == ROLE_AUDITOR
            ? STR("You are signed in as an auditor. Auditors cannot answer.")
        : err_is(e, responder_not_yours)
            ? STR("The request is for somebody else.")
            : e->say);
    json_set_text(o, "who",
                  due ? STR("Nobody can answer it now.")
                      : responder_who(v->a, &rule));
    return o;
}

static bool form_needs_reason(const struct json *choice)
{
    return effect_reason(choice) == REASON_REQUIRED;
}

/* ---- typed values and errors ------------------------------------------ */

static struct str form_posted(const struct answer_form_of *of, const char *key)
{
    const struct str s =
        of->typed ? pairs_get(*of->typed, key) : STR_NONE;
    return s.p ? s : STR("");
}

/* The part of the page that a mistake is about, and is shown at. */
enum about {
    ABOUT_ALL,
    ABOUT_REASON,
    ABOUT_TYPED,
    ABOUT_VALUE,
    ABOUT_FORM,
    ABOUT_AMEND /* the changes of a yes */
};

static const char cannot_heading[] = "This answer is not valid";
static const char probe_heading[] = "Not connected yet";
static const char long_heading[] = "The answer is too long";
static const struct mistake {
    const char *code;
    enum about about;
    const char *heading;  /* NULL: the number of fields */
    const char *sentence; /* NULL: the default; "": the error's own */
} mistakes[] = {
    {resolve_reason_missing, ABOUT_REASON, "A comment is needed", NULL},
    {resolve_reason_too_long, ABOUT_REASON, "The comment is too long", NULL},
    {risk_typed_differs, ABOUT_TYPED, "Type the value to confirm", NULL},
    {resolve_invalid_choice, ABOUT_VALUE, "Invalid answer",
     "Nothing was sent. Choose one of the answers of the request."},
    {resolve_empty, ABOUT_VALUE, "The answer is empty", NULL},
    {resolve_too_large, ABOUT_VALUE, long_heading, NULL},
    {resolve_too_long, ABOUT_VALUE, long_heading, NULL},
    {resolve_unused, ABOUT_VALUE, cannot_heading, NULL},
    {form_wrong, ABOUT_FORM, NULL, NULL},
    {resolve_changed, ABOUT_ALL, "The request has changed",
     "Your answer was not recorded. Review the request below and answer "
     "again."},
    {resolve_restored, ABOUT_ALL, "It may have been answered already",
     "Nothing was sent yet. The request was open in a backup. If nobody knows "
     "of an earlier answer, send yours once more."},
    {probe_not_found, ABOUT_ALL, probe_heading, ""},
    {probe_unchecked, ABOUT_ALL, probe_heading, ""},
    {answer_form_session_ended, ABOUT_ALL, "Your answer was NOT recorded",
     "Your session had ended when you sent it. Your input is filled in "
     "again. Review it and send it."},
    {answer_steps_form_wrong, ABOUT_AMEND, NULL, NULL},
    {amend_missing, ABOUT_AMEND, NULL, NULL},
    {amend_unchanged, ABOUT_AMEND, NULL, NULL},
    {amend_unknown, ABOUT_AMEND, NULL, NULL},
    {amend_unused, ABOUT_AMEND, NULL, NULL},
    {amend_wider, ABOUT_AMEND, NULL, NULL},
    {kind_facts, ABOUT_AMEND, NULL, NULL},
};

static const struct mistake *form_mistake(const struct answer_form_of *of)
{
    static const struct mistake other = {.heading = cannot_heading};
    for (size_t i = 0; i < countof(mistakes); i++)
        if (err_is(of->error, mistakes[i].code))
            return &mistakes[i];
    return &other;
}

static bool form_is_about(const struct answer_form_of *of, enum about about)
{
    return form_mistake(of)->about == about;
}

/* The mistake in the comment, which programs call a reason. */
static struct str form_comment_error(const struct answer_form_of *of)
{
    return err_is(of->error, resolve_reason_too_long)
               ? STR("A comment has at most 4,000 characters.")
               : STR("Enter a comment. The agent will read it.");
}

static struct json *form_comment(struct arena *a,
                                 const struct answer_form_of *of,
                                 const char *need, bool required)
{
    struct json *o = json_object(a);
    json_set_text(o, "value", form_posted(of, "reason"));
    json_set_text(o, "help", STR("The agent reads it."));
    json_set_text(o, "need", str_of(need));
    json_set_bool(o, "required", required);
    json_set_bool(o, "focus", form_is_about(of, ABOUT_REASON));
    json_set_text(o, "error",
                  form_is_about(of, ABOUT_REASON) ? form_comment_error(of)
                                                  : STR(""));
    return o;
}

/* The comment box of a choice that is answered in one step. */
static struct json *form_comment_of_choices(struct arena *a,
                                            const struct answer_form_of *of,
                                            const struct json *choices)
{
    size_t all = json_count(choices), need = 0, veto = 0, decline = 0;
    size_t none = 0;
    for (size_t i = 0; i < all; i++) {
        const struct json *c = json_at(choices, i);
        const bool needs = form_needs_reason(c);
        need += needs;
        veto += needs && effect_of_choice(c) == EFFECT_VETO;
        decline += needs && effect_of_choice(c) == EFFECT_DECLINE;
        none += effect_reason(c) == REASON_NONE;
    }
    if (none == all)
        return NULL;
    return form_comment(a, of,
                        need == 0         ? "optional"
                        : need == all     ? "required"
                        : need == veto    ? "required to reject"
                        : need == decline ? "required to decline"
                                          : "required for some answers",
                        need > 0 && need == all);
}

/* The comment box of a decline, next to the text or form. */
static struct json *form_comment_of_decline(struct arena *a,
                                            const struct answer_form_of *of,
                                            const struct json *choices)
{
    size_t all = 0, need = 0;
    for (size_t i = 0; i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        const bool declines = effect_of_choice(c) == EFFECT_DECLINE;
        all += declines;
        need += declines && form_needs_reason(c);
    }
    if (all == 0)
        return NULL;
    return form_comment(a, of, need ? "required to decline" : "optional",
                        false);
}

/* ---- confirm -------------------------------------------------------- */

/* Does the choice approve facts that a person has edited? */
static bool form_is_edited(const struct json *choice)
{
    const enum takes takes = effect_takes(choice);
    return takes == TAKES_SUBJECT || takes == TAKES_STEPS;
}

/* The question with its edited facts; NULL where the answer has none. */
static const struct suspension *form_version(const struct answer_form_of *of)
{
    return of->after && of->after->approved_subject.p ? of->after : NULL;
}

/* `stakes`: of a yes that is grave or cannot be undone; NULL for any other
 * choice. The agent's words count for its own request: where a person allows
 * something else, `original` says so. */
static struct json *form_stakes(struct arena *a,
                                const struct answer_form_of *of,
                                const struct json *choice)
{
    const struct suspension *s = of->s, *version = form_version(of);
    const bool final = risk_irreversible(a, s);
    const struct str asked =
        json_get_text(suspension_subject(a, s), "consequence");
    const struct str words =
        version
            ? json_get_text(suspension_approved(a, version), "consequence")
            : asked;
    const bool modified = of->after ? suspension_modified(of->after)
                                    : form_is_edited(choice);
    struct json *o = json_object(a);
    const bool critical = s->severity == SEVERITY_CRITICAL;
    const bool stated = str_trim(words).n > 0;
    if (effect_class_of_choice(choice) != EFFECT_YES ||
        !(final || critical || (stated && s->severity >= SEVERITY_HIGH)))
        return NULL;
    json_set_bool(o, "critical", critical);
    json_set_bool(o, "final", final);
    json_set_text(o, "words", stated ? words : STR_NONE);
    json_set_bool(o, "original", modified && str_eq(words, asked));
    return o;
}

/* The choice that is confirmed, and what it brings about. */
static struct json *form_chosen(struct page_view *v,
                                const struct answer_form_of *of,
                                const struct json *choices,
                                const struct json *choice)
{
    const struct suspension *s = of->s, *version = form_version(of);
    struct json *o = json_object(v->a);
    const struct question_folded unseen = question_folded(v->a, s);
    json_set_json(o, "choice", page_badge_choice(v, choices, choice));
    json_set_json(o, "value", json_get(choice, "value"));
    json_set_text(o, "tone", answer_button_tone(choices, choice));
    json_set_text(o, "key", answer_button_key(s, choices, choice));
    json_set_text(o, "description", json_get_text(choice, "description"));
    json_set_text(o, "consequence",
                  kinds_effect_text(v->a, s, choice).confirm);
    json_set_json(o, "unseen", question_folded_view(v, &unseen, s, choice));
    json_set_json(o, "stakes", form_stakes(v->a, of, choice));
    /* While it is being edited a version has no digest yet, and a no is about
     * the whole request. */
    json_set_text(o, "facts_sha256",
                  question_head_has_facts(s) &&
                          effect_class_of_choice(choice) != EFFECT_NO &&
                          !(form_is_edited(choice) && !of->after)
                      ? s->subject_sha256
                      : STR_NONE);
    json_set_text(o, "version_sha256",
                  version ? version->approved_sha256 : STR_NONE);
    return o;
}

/* The field in which a person types the text that confirms a grave yes; NULL
 * where nothing has to be typed. editing: a change is still being edited. The
 * rule is domain/question/risk.h's. */
static struct json *form_typed(struct page_view *v,
                               const struct answer_form_of *of,
                               const struct json *choice, bool editing)
{
    const struct str word =
        risk_typed(v->a, of->after ? of->after : of->s, choice);
    const struct str value = form_posted(of, "typed");
    struct json *o = json_object(v->a);
    if (!word.p)
        return NULL;
    json_set_text(o, "word", word);
    json_set_text(o, "value", value);
    json_set_text(o, "error",
                  !form_is_about(of, ABOUT_TYPED) ? STR("")
                  : str_trim(value).n == 0 ? STR("Type the value to confirm.")
                                           : STR("The text does not match."));
    json_set_bool(o, "focus",
                  form_is_about(of, ABOUT_TYPED) ||
                      (value.n == 0 && !of->error && !editing));
    return o;
}

/* The step that confirms one choice; NULL where the page asks for none. */
static struct json *form_confirm(struct page_view *v,
                                 const struct answer_form_of *of,
                                 const struct json *choices)
{
    const struct json *choice =
        of->choice.p ? suspension_choice(choices, of->choice) : NULL;
    if (!choice)
        return NULL;
    struct json *o = form_chosen(v, of, choices, choice);
    const struct answer_amend_of amend = {.s = of->s,
                                          .choice = choice,
                                          .typed = of->typed,
                                          .error = of->error,
                                          .after = of->after};
    struct json *change = answer_amend(v, &amend);
    const bool editing = change && !of->after;
    const bool may = !change || json_bool(json_get(change, "may_confirm"));
    const bool needs = form_needs_reason(choice) ||
                       json_get(json_get(change, "difference"), "beyond");
    struct json *typed = may ? form_typed(v, of, choice, editing) : NULL;
    const bool to_type = typed && json_get_text(typed, "value").n == 0;
    json_set_json(o, "amend", change);
    json_set_text(o, "changes",
                  of->after ? answer_amend_brief(v, of->after) : STR_NONE);
    json_set_bool(o, "may_confirm", may);
    struct json *comment =
        effect_reason(choice) == REASON_NONE
            ? NULL
            : form_comment(v->a, of, needs ? "required" : "optional", needs);
    if (comment && needs && may && !of->error && !to_type)
        json_set_bool(comment, "focus", true);
    json_set_json(o, "comment", comment);
    json_set_json(o, "typed", typed);
    /* Enter alone may not confirm a warning or a critical yes. */
    json_set_bool(o, "focus",
                  !needs && !of->error && !to_type &&
                      of->s->severity != SEVERITY_CRITICAL);
    return o;
}

/* ---- all of it ------------------------------------------------------ */

/* The mark of a question that was open in a backup. */
static void form_set_restored(struct page_view *v, struct json *o,
                              const struct answer_form_of *of)
{
    const struct kind_rule *rule = kind_rule(of->s->kind);
    struct json *mark = of->s->restored_from ? json_object(v->a) : NULL;
    if (mark) {
        page_view_set_time(mark, "at", of->s->restored_from);
        json_set_bool(mark, "permits", rule && rule->permits);
    }
    json_set_json(o, "restored", mark);
    json_set_bool(o, "restored_read",
                  err_is(of->error, resolve_restored) ||
                      form_posted(of, "restored").n > 0);
}

/* The inputs of a question for a text or a form; it may have choices that
 * decline it. */
static void form_set_inputs(struct page_view *v, struct json *o,
                            const struct answer_form_of *of,
                            const struct json *choices)
{
    json_set_json(o, "words", form_comment_of_decline(v->a, of, choices));
    json_set_json(o, "declines", answer_button_decline(v, of->s, choices));
    if (answer_form_way(v->a, of->s) == ANSWER_WAY_TEXT) {
        struct json *text = json_object(v->a);
        json_set_text(text, "value", form_posted(of, "value"));
        json_set_text(text, "error",
                      form_is_about(of, ABOUT_VALUE) ? of->error->say
                                                     : STR(""));
        json_set_json(o, "text", text);
        return;
    }
    const struct json *more = of->error ? of->error->more : NULL;
    const struct page_fields_of fields = {
        .form = page_fields_form(v->a, of->s),
        .typed = of->typed,
        .errors = json_get(more, "fields")};
    json_set_json(o, "fields", page_fields(v, &fields));
    json_set_text(o, "form_note", page_fields_note(v->a, fields.form));
}

struct json *answer_form(struct page_view *v, const struct answer_form_of *of)
{
    static const char *const inputs[] = {"words", "declines", "text", "fields",
                                         "form_note"};
    const struct suspension *s = of->s;
    const enum answer_way way = answer_form_way(v->a, s);
    const struct json *choices = suspension_choices(v->a, s);
    const bool two_step = risk_two_step(v->a, s);
    struct json *o = json_object(v->a), *cannot = form_cannot(v, of);
    const bool may_choose = !cannot && way == ANSWER_WAY_CHOICE;
    struct json *confirm = may_choose ? form_confirm(v, of, choices) : NULL;
    const bool choosing = may_choose && !confirm;
    json_set_bool(o, "is_choice", way == ANSWER_WAY_CHOICE);
    json_set_bool(o, "is_choosing", choosing);
    json_set_bool(o, "is_filling", !cannot && way == ANSWER_WAY_FORM);
    json_set_bool(o, "guarded", s->severity == SEVERITY_CRITICAL);
    json_set_bool(o, "two_step", two_step);
    json_set_json(o, "cannot", cannot);
    json_set_text(o, "subject_sha256", s->subject_sha256);
    json_set_text(o, "reader", of->reader->id);
    form_set_restored(v, o, of);
    answer_button_set(v, o, s, choices);
    json_set_json(o, "confirm", confirm);
    for (size_t i = 0; i < countof(inputs); i++)
        json_set_json(o, inputs[i], NULL);
    if (choosing && !two_step)
        json_set_json(o, "words", form_comment_of_choices(v->a, of, choices));
    else if (!cannot && way != ANSWER_WAY_CHOICE)
        form_set_inputs(v, o, of, choices);
    return o;
}

/* ---- errors --------------------------------------------------------- */

static struct json *form_error_items(struct page_view *v,
                                     const struct answer_form_of *of)
{
    static const struct {
        enum about about;
        const char *href, *label;
    } boxes[] = {{ABOUT_REASON, "#reason", "Comment: "},
                 {ABOUT_TYPED, "#typed", "Confirmation: "},
                 {ABOUT_VALUE, "#value", "Your answer: "}};
    struct json *list = json_array(v->a);
    if (form_is_about(of, ABOUT_FORM))
        return page_fields_errors(v, page_fields_form(v->a, of->s),
                                  json_get(of->error->more, "fields"));
    if (form_is_about(of, ABOUT_AMEND)) {
        const struct answer_amend_of amend = {
            .s = of->s,
            .choice =
                suspension_choice(suspension_choices(v->a, of->s), of->choice),
            .error = of->error};
        return answer_amend_errors(v, &amend);
    }
    for (size_t i = 0; i < countof(boxes); i++) {
        /* Only a question for a text has a box for its value. */
        if (!form_is_about(of, boxes[i].about) ||
            (boxes[i].about == ABOUT_VALUE &&
             answer_form_way(v->a, of->s) != ANSWER_WAY_TEXT))
            continue;
        struct json *item = json_object(v->a);
        json_set_text(item, "href", str_of(boxes[i].href));
        json_set_text(item, "text",
                      arena_join(v->a, str_of(boxes[i].label),
                                 boxes[i].about == ABOUT_TYPED
                                     ? STR("Type the value shown at the "
                                           "field.")
                                 : boxes[i].about == ABOUT_REASON
                                     ? form_comment_error(of)
                                     : of->error->say));
        json_add_json(list, item);
    }
    return list;
}

struct json *answer_form_errors(struct page_view *v,
                                const struct answer_form_of *of)
{
    if (!of->error)
        return NULL;
    struct arena *a = v->a;
    const struct mistake *m = form_mistake(of);
    struct json *o = json_object(a), *items = form_error_items(v, of);
    const size_t n = json_count(items);
    const bool whole = m->about == ABOUT_AMEND && n == 0;
    struct str sentence = STR("Nothing was sent. Your input is kept.");
    if (m->sentence)
        sentence = *m->sentence ? str_of(m->sentence) : of->error->say;
    if (whole)
        sentence = arena_join(a, of->error->say, STR(" "), sentence);
    json_set_text(o, "heading",
                  m->heading ? str_of(m->heading)
                  : whole    ? STR("These changes are not valid")
                             : page_fields_heading(a, n));
    json_set_text(o, "sentence", sentence);
    json_set_json(o, "items", items);
    return o;
}

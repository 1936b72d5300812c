/* The buttons of a question: their look, their keys and their effects. */
#include "doors/pages/answer/button.h"

#include "domain/kind/effect.h"
#include "domain/question/meant.h"
#include "domain/question/risk.h"
#include "doors/pages/kinds/effect_text.h"
#include "doors/pages/shell/badge.h"

static bool is_style(const struct json *choice, const char *style)
{
    return str_is(json_get_text(choice, "style"), style);
}

static bool is_effect(const struct json *choice, enum effect effect)
{
    return choice && effect_of_choice(choice) == effect;
}

static bool is_limit(const struct json *choice)
{
    return effect_takes(choice) == TAKES_LIMIT;
}

static bool needs_reason(const struct json *choice)
{
    return effect_reason(choice) == REASON_REQUIRED;
}

/* May the agent make it the primary button? Not a no, and not a choice without
 * an effect. */
static bool may_lead(const struct json *choice)
{
    const enum effect e = effect_of_choice(choice);
    return e == EFFECT_ANSWER || effect_class(e) == EFFECT_YES;
}

/* The index of the primary button: the first of style primary, else the first
 * that authorizes or accepts. The count of choices: none. */
static size_t primary_of(const struct json *choices)
{
    const size_t n = json_count(choices);
    for (size_t i = 0; i < n; i++) {
        if (is_style(json_at(choices, i), "primary") &&
            may_lead(json_at(choices, i)))
            return i;
    }
    for (size_t i = 0; i < n; i++) {
        if (is_effect(json_at(choices, i), EFFECT_AUTHORIZE) ||
            is_effect(json_at(choices, i), EFFECT_ACCEPT))
            return i;
    }
    return n;
}

static struct str tone(const struct json *choice, bool primary)
{
    const enum effect e = effect_of_choice(choice);
    if (e == EFFECT_AUTHORIZE || e == EFFECT_AUTHORIZE_MODIFIED)
        return primary ? STR("auth filled") : STR("auth");
    if (e == EFFECT_VETO || e == EFFECT_STOP_TASK ||
        (e == EFFECT_NONE && is_style(choice, "danger")))
        return STR("veto");
    return primary ? STR("accent") : STR("plain");
}

struct str answer_button_tone(const struct json *choices,
                              const struct json *choice)
{
    return tone(choice, json_at(choices, primary_of(choices)) == choice ||
                            is_effect(choice, EFFECT_AUTHORIZE_MODIFIED));
}

/* Is it a link to the page where it is filled in or confirmed? An offered limit
 * can be confirmed unchanged. */
static bool is_link(struct arena *a, const struct suspension *s,
                    const struct json *choice)
{
    return risk_two_step(a, s) ||
           (json_has(choice, "takes") && !is_limit(choice));
}

bool answer_button_own_page(struct arena *a, const struct suspension *s,
                            const struct question_folded *unseen,
                            const struct json *choice)
{
    return is_link(a, s, choice) || question_folded_by(unseen, choice);
}

/* ---- keys ----------------------------------------------------------- */

/* Is it the plain yes or no of a confirm? */
static bool is_confirmed(const struct suspension *s,
                         const struct json *choice, const char *value)
{
    const bool plain = is_effect(choice, EFFECT_NONE) ||
                       is_effect(choice, EFFECT_ANSWER);
    return plain && s->response_type == ANSWER_CONFIRM &&
           str_is(json_get_text(choice, "value"), value);
}

/* By its effect; the plain yes and no of a confirm by their words. */
static bool is_yes(const struct suspension *s, const struct json *choice)
{
    return is_effect(choice, EFFECT_AUTHORIZE) ||
           is_effect(choice, EFFECT_ACCEPT) ||
           is_confirmed(s, choice, "yes");
}

static bool is_no(const struct suspension *s, const struct json *choice)
{
    return is_effect(choice, EFFECT_VETO) ||
           is_effect(choice, EFFECT_DECLINE) || is_confirmed(s, choice, "no");
}

static bool is_edit(const struct suspension *s, const struct json *choice)
{
    (void)s;
    return is_effect(choice, EFFECT_AUTHORIZE_MODIFIED);
}

static const struct json *first(const struct suspension *s,
                                const struct json *choices,
                                bool (*is)(const struct suspension *s,
                                           const struct json *choice))
{
    size_t i = 0;
    while (i < json_count(choices) && !is(s, json_at(choices, i)))
        i++;
    return json_at(choices, i);
}

/* The choice that the page offers as its answer, where it is a yes. */
static const struct json *yes_of(const struct suspension *s,
                                 const struct json *choices)
{
    const struct json *primary = json_at(choices, primary_of(choices));
    return primary && (is_yes(s, primary) || is_effect(primary, EFFECT_ANSWER))
               ? primary
               : first(s, choices, is_yes);
}

struct str answer_button_key(const struct suspension *s,
                             const struct json *choices,
                             const struct json *choice)
{
    return choice == yes_of(s, choices)          ? STR("a")
           : choice == first(s, choices, is_no)   ? STR("r")
           : choice == first(s, choices, is_edit) ? STR("e")
                                                  : STR("");
}

/* Its number among the buttons, where no letter is assigned. */
static void set_key(struct json *o, const struct suspension *s,
                    const struct json *choices, const struct json *choice,
                    size_t n)
{
    static const char digits[] = "123456789";
    struct str key = answer_button_key(s, choices, choice);
    if (key.n == 0 && n < countof(digits) - 1)
        key = (struct str){digits + n, 1};
    json_set_text(o, "key", key);
}

/* ---- buttons -------------------------------------------------------- */

/* The primary one; where there is none, the yes of a confirm. */
static size_t last_of(const struct suspension *s, const struct json *choices)
{
    const size_t n = json_count(choices), primary = primary_of(choices);
    size_t i = primary;
    if (primary == n && s->response_type == ANSWER_CONFIRM)
        for (i = 0; i < n && !is_yes(s, json_at(choices, i));)
            i++;
    return i;
}

/* As a word its value means another choice. */
static bool is_exact(struct arena *a, const struct suspension *s,
                     const struct json *choices, const struct json *choice)
{
    const struct str value = json_get_text(choice, "value");
    return meant_choice(a, s, choices, value, MEANT_SAID) != choice;
}

static void add_button(struct page_view *v, struct json *list,
                       const struct suspension *s,
                       const struct json *choices, size_t i)
{
    struct json *o = json_object(v->a);
    const struct json *choice = json_at(choices, i);
    const struct str more = json_get_text(choice, "description");
    set_key(o, s, choices, choice, json_count(list));
    json_set_json(o, "value", json_get(choice, "value"));
    json_set_json(o, "choice", page_badge_choice(v, choices, choice));
    json_set_text(o, "description", more);
    json_set_text(o, "does", kinds_effect_text(v->a, s, choice));
    json_set_text(o, "tone", tone(choice, i == primary_of(choices)));
    json_set_bool(o, "primary", i == last_of(s, choices));
    json_set_bool(o, "needs_reason", needs_reason(choice));
    const bool page = is_link(v->a, s, choice);
    json_set_bool(o, "is_link", page);
    json_set_bool(o, "may_lower", !page && is_limit(choice));
    json_set_bool(o, "exact", is_exact(v->a, s, choices, choice));
    json_add_json(list, o);
}

struct json *answer_button_decline(struct page_view *v,
                                   const struct suspension *s,
                                   const struct json *choices)
{
    struct json *list = json_array(v->a);
    for (size_t i = 0; i < json_count(choices); i++) {
        if (is_effect(json_at(choices, i), EFFECT_DECLINE))
            add_button(v, list, s, choices, i);
    }
    return list;
}

struct json *answer_button_list(struct page_view *v,
                                const struct suspension *s,
                                const struct json *choices)
{
    struct json *list = json_array(v->a);
    const size_t last = last_of(s, choices);
    for (size_t i = 0; i < json_count(choices); i++) {
        if (i != last)
            add_button(v, list, s, choices, i);
    }
    if (last < json_count(choices))
        add_button(v, list, s, choices, last);
    return list;
}

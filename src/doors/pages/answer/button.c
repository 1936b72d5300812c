/* The buttons of a question: their look, their keys and their effects. */
#include "doors/pages/answer/button.h"

#include "domain/kind/effect.h"
#include "domain/question/meant.h"
#include "domain/question/risk.h"
#include "doors/pages/kinds/effect_text.h"
#include "doors/pages/shell/badge.h"

static bool button_is_style(const struct json *choice, const char *style)
{
    return str_is(json_get_text(choice, "style"), style);
}

static bool button_is_effect(const struct json *choice, enum effect effect)
{
    return choice && effect_of_choice(choice) == effect;
}

static bool button_is_limit(const struct json *choice)
{
    return effect_takes(choice) == TAKES_LIMIT;
}

/* May the agent make it the primary button? Not a no, and not a choice without
 * an effect. */
static bool button_may_lead(const struct json *choice)
{
    const enum effect e = effect_of_choice(choice);
    return e == EFFECT_ANSWER || effect_class(e) == EFFECT_YES;
}

/* The index of the primary button: the first of style primary, else the first
 * that authorizes or accepts. The count of choices: none. */
static size_t button_primary(const struct json *choices)
{
    const size_t n = json_count(choices);
    for (size_t i = 0; i < n; i++) {
        if (button_is_style(json_at(choices, i), "primary") &&
            button_may_lead(json_at(choices, i)))
            return i;
    }
    for (size_t i = 0; i < n; i++) {
        if (button_is_effect(json_at(choices, i), EFFECT_AUTHORIZE) ||
            button_is_effect(json_at(choices, i), EFFECT_ACCEPT))
            return i;
    }
    return n;
}

static struct str button_tone(const struct json *choice, bool primary)
{
    const enum effect e = effect_of_choice(choice);
    if (e == EFFECT_AUTHORIZE || e == EFFECT_AUTHORIZE_MODIFIED)
        return primary ? STR("auth filled") : STR("auth");
    if (e == EFFECT_VETO || e == EFFECT_STOP_TASK ||
        (e == EFFECT_NONE && button_is_style(choice, "danger")))
        return STR("veto");
    return primary ? STR("accent") : STR("plain");
}

struct str answer_button_tone(const struct json *choices,
                              const struct json *choice)
{
    return button_tone(
        choice, json_at(choices, button_primary(choices)) == choice ||
                    button_is_effect(choice, EFFECT_AUTHORIZE_MODIFIED));
}

/* Is it a link to the page where it is filled in or confirmed? An offered limit
 * can be confirmed unchanged. */
static bool button_is_link(struct arena *a, const struct suspension *s,
                           const struct json *choice)
{
    return risk_two_step(a, s) ||
           (json_has(choice, "takes") && !button_is_limit(choice));
}

bool answer_button_own_page(struct arena *a, const struct suspension *s,
                            const struct question_folded *unseen,
                            const struct json *choice)
{
    return button_is_link(a, s, choice) || question_folded_by(unseen, choice);
}

/* ---- keys ----------------------------------------------------------- */

/* Is it the plain yes or no of a confirm? */
static bool button_is_confirmed(const struct suspension *s,
                                const struct json *choice, const char *value)
{
    const bool plain = button_is_effect(choice, EFFECT_NONE) ||
                       button_is_effect(choice, EFFECT_ANSWER);
    return plain && s->response_type == ANSWER_CONFIRM &&
           str_is(json_get_text(choice, "value"), value);
}

/* By its effect; the plain yes and no of a confirm by their words. */
static bool button_is_yes(const struct suspension *s,
                          const struct json *choice)
{
    return button_is_effect(choice, EFFECT_AUTHORIZE) ||
           button_is_effect(choice, EFFECT_ACCEPT) ||
           button_is_confirmed(s, choice, "yes");
}

static bool button_is_no(const struct suspension *s, const struct json *choice)
{
    return button_is_effect(choice, EFFECT_VETO) ||
           button_is_effect(choice, EFFECT_DECLINE) ||
           button_is_confirmed(s, choice, "no");
}

static bool button_is_edit(const struct suspension *s,
                           const struct json *choice)
{
    (void)s;
    return button_is_effect(choice, EFFECT_AUTHORIZE_MODIFIED);
}

static const struct json *
button_first(const struct suspension *s, const struct json *choices,
             bool (*is)(const struct suspension *s, const struct json *choice))
{
    size_t i = 0;
    while (i < json_count(choices) && !is(s, json_at(choices, i)))
        i++;
    return json_at(choices, i);
}

/* The choice that the page offers as its answer, where it is a yes. */
static const struct json *button_yes(const struct suspension *s,
                                     const struct json *choices)
{
    const struct json *primary = json_at(choices, button_primary(choices));
    return primary && (button_is_yes(s, primary) ||
                       button_is_effect(primary, EFFECT_ANSWER))
               ? primary
               : button_first(s, choices, button_is_yes);
}

struct str answer_button_key(const struct suspension *s,
                             const struct json *choices,
                             const struct json *choice)
{
    return choice == button_yes(s, choices)                     ? STR("a")
           : choice == button_first(s, choices, button_is_no)   ? STR("r")
           : choice == button_first(s, choices, button_is_edit) ? STR("e")
                                                                : STR("");
}

/* ---- buttons -------------------------------------------------------- */

/* The primary one; where there is none, the yes of a confirm. */
static size_t button_last(const struct suspension *s,
                          const struct json *choices)
{
    const size_t n = json_count(choices), primary = button_primary(choices);
    size_t i = primary;
    if (primary == n && s->response_type == ANSWER_CONFIRM)
        for (i = 0; i < n && !button_is_yes(s, json_at(choices, i));)
            i++;
    return i;
}

static void button_add(struct page_view *v, struct json *list,
                       const struct suspension *s, const struct json *choices,
                       size_t i)
{
    static const char digits[] = "123456789";
    struct json *o = json_object(v->a);
    const struct json *choice = json_at(choices, i);
    const struct str value = json_get_text(choice, "value");
    const size_t n = json_count(list);
    /* Its number among the buttons, where no letter is assigned. */
    struct str key = answer_button_key(s, choices, choice);
    if (key.n == 0 && n < countof(digits) - 1)
        key = (struct str){digits + n, 1};
    json_set_text(o, "key", key);
    json_set_json(o, "value", json_get(choice, "value"));
    json_set_json(o, "choice", page_badge_choice(v, choices, choice));
    json_set_text(o, "description", json_get_text(choice, "description"));
    json_set_text(o, "does", kinds_effect_text(v->a, s, choice));
    json_set_text(o, "tone",
                  button_tone(choice, i == button_primary(choices)));
    json_set_bool(o, "primary", i == button_last(s, choices));
    json_set_bool(o, "needs_reason", effect_reason(choice) == REASON_REQUIRED);
    const bool page = button_is_link(v->a, s, choice);
    json_set_bool(o, "is_link", page);
    json_set_bool(o, "may_lower", !page && button_is_limit(choice));
    /* As a word its value means another choice. */
    json_set_bool(o, "exact",
                  meant_choice(v->a, s, choices, value, MEANT_SAID) != choice);
    json_add_json(list, o);
}

struct json *answer_button_decline(struct page_view *v,
                                   const struct suspension *s,
                                   const struct json *choices)
{
    struct json *list = json_array(v->a);
    for (size_t i = 0; i < json_count(choices); i++) {
        if (button_is_effect(json_at(choices, i), EFFECT_DECLINE))
            button_add(v, list, s, choices, i);
    }
    return list;
}

struct json *answer_button_list(struct page_view *v,
                                const struct suspension *s,
                                const struct json *choices)
{
    struct json *list = json_array(v->a);
    const size_t last = button_last(s, choices);
    for (size_t i = 0; i < json_count(choices); i++) {
        if (i != last)
            button_add(v, list, s, choices, i);
    }
    if (last < json_count(choices))
        button_add(v, list, s, choices, last);
    return list;
}

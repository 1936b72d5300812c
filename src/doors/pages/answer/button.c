/* The buttons of a question: their look, their keys and their effects. */
#include "doors/pages/answer/button.h"

#include "domain/kind/effect.h"
#include "domain/kind/label.h"
#include "domain/question/meant.h"
#include "domain/question/risk.h"
#include "doors/pages/kinds/effect_text.h"
#include "doors/pages/shell/badge.h"

#define DOCK_CHARS 32 /* of a label in half the width of a phone */

static bool button_is_style(const struct json *choice, const char *style)
{
    return str_is(json_get_text(choice, "style"), style);
}

static bool button_is_limit(const struct json *choice)
{
    return effect_takes(choice) == TAKES_LIMIT;
}

/* The index of the primary button: the first of style primary, else the first
 * that authorizes or accepts. The count of choices: none. A no, or a choice
 * without an effect, cannot be it, whatever its style. */
static size_t button_primary(const struct json *choices)
{
    const size_t n = json_count(choices);
    for (size_t i = 0; i < n; i++) {
        const enum effect e = effect_of_choice(json_at(choices, i));
        if (button_is_style(json_at(choices, i), "primary") &&
            (e == EFFECT_ANSWER || effect_class(e) == EFFECT_YES))
            return i;
    }
    for (size_t i = 0; i < n; i++) {
        const enum effect e = effect_of_choice(json_at(choices, i));
        if (e == EFFECT_AUTHORIZE || e == EFFECT_ACCEPT)
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
                    effect_of_choice(choice) == EFFECT_AUTHORIZE_MODIFIED);
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

/* a for a yes, r for a no, e for a yes that changes something, by its effect;
 * the plain yes and no of a confirm by their words. 0: none of these. */
static char button_letter(const struct suspension *s,
                          const struct json *choice)
{
    const enum effect e = effect_of_choice(choice);
    const struct str value = json_get_text(choice, "value");
    const bool plain = (e == EFFECT_NONE || e == EFFECT_ANSWER) &&
                       s->response_type == ANSWER_CONFIRM;
    if (e == EFFECT_AUTHORIZE || e == EFFECT_ACCEPT ||
        (plain && str_is(value, "yes")))
        return 'a';
    if (e == EFFECT_VETO || e == EFFECT_DECLINE ||
        (plain && str_is(value, "no")))
        return 'r';
    return e == EFFECT_AUTHORIZE_MODIFIED ? 'e' : 0;
}

/* The index of the first with this letter; the count of choices: none. */
static size_t button_first(const struct suspension *s,
                           const struct json *choices, char letter)
{
    size_t i = 0;
    while (i < json_count(choices) &&
           button_letter(s, json_at(choices, i)) != letter)
        i++;
    return i;
}

struct str answer_button_key(const struct suspension *s,
                             const struct json *choices,
                             const struct json *choice)
{
    size_t yes = button_primary(choices);
    const struct json *primary = json_at(choices, yes);
    /* The yes is the choice that the page offers as its answer, if that is
     * one. */
    if (!primary || (button_letter(s, primary) != 'a' &&
                     effect_of_choice(primary) != EFFECT_ANSWER))
        yes = button_first(s, choices, 'a');
    return choice == json_at(choices, yes) ? STR("a")
           : choice == json_at(choices, button_first(s, choices, 'r'))
               ? STR("r")
           : choice == json_at(choices, button_first(s, choices, 'e'))
               ? STR("e")
               : STR("");
}

/* ---- buttons -------------------------------------------------------- */

/* The primary one; where there is none, the yes of a confirm. */
static size_t button_top(const struct suspension *s,
                         const struct json *choices)
{
    const size_t primary = button_primary(choices);
    return primary == json_count(choices) && s->response_type == ANSWER_CONFIRM
               ? button_first(s, choices, 'a')
               : primary;
}

/* The n-th button, counted from 0; before: the choice of the one above it, or
 * NULL. `again`: both have the same effect. */
static void button_add(struct page_view *v, struct json *list,
                       const struct suspension *s, const struct json *choices,
                       size_t i, size_t n, const struct json *before)
{
    static const char digits[] = "123456789";
    struct json *o = json_object(v->a);
    const struct json *choice = json_at(choices, i);
    const struct str value = json_get_text(choice, "value");
    /* Its number among the buttons, where no letter is assigned. */
    struct str key = answer_button_key(s, choices, choice);
    if (key.n == 0 && n < countof(digits) - 1)
        key = (struct str){digits + n, 1};
    json_set_text(o, "key", key);
    json_set_json(o, "value", json_get(choice, "value"));
    json_set_json(o, "choice", page_badge_choice(v, choices, choice));
    json_set_text(o, "description", json_get_text(choice, "description"));
    const struct str does = kinds_effect_text(v->a, s, choice).button;
    json_set_text(o, "does", does);
    json_set_bool(o, "again",
                  before &&
                      str_eq(does, kinds_effect_text(v->a, s, before).button));
    json_set_text(o, "tone",
                  button_tone(choice, i == button_primary(choices)));
    json_set_bool(o, "primary", i == button_top(s, choices));
    json_set_bool(o, "no", str_is(key, "r"));
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
        if (effect_of_choice(json_at(choices, i)) == EFFECT_DECLINE)
            button_add(v, list, s, choices, i, json_count(list), NULL);
    }
    return list;
}

/* Is it a yes with changes? One of several is in a fold of its own. */
static bool button_is_folded(const struct json *choices, size_t i)
{
    size_t n = 0;
    for (size_t at = 0; at < json_count(choices); at++)
        n += effect_of_choice(json_at(choices, at)) ==
             EFFECT_AUTHORIZE_MODIFIED;
    return n > 1 && effect_of_choice(json_at(choices, i)) ==
                        EFFECT_AUTHORIZE_MODIFIED;
}

static bool button_is_short(struct page_view *v, const struct json *choice)
{
    return str_runes(label_line(v->a, choice)) <= DOCK_CHARS;
}

/* Do the first and the no stand side by side at the edge of a phone? */
static bool button_docks(struct page_view *v, const struct suspension *s,
                         const struct json *choices)
{
    const size_t top = button_top(s, choices);
    const size_t no = button_first(s, choices, 'r');
    return top < json_count(choices) &&
           button_is_short(v, json_at(choices, top)) &&
           (no == json_count(choices) ||
            button_is_short(v, json_at(choices, no)));
}

/* The choices as they are shown: the first one, then the no; all others in the
 * agent's order, and those that are folded last. Without a first one the order
 * is the agent's. */
static size_t *button_order(struct page_view *v, const struct suspension *s,
                            const struct json *choices)
{
    const size_t all = json_count(choices), top = button_top(s, choices);
    const size_t no = top < all ? button_first(s, choices, 'r') : all;
    size_t *order = arena_many(v->a, all + 1, size_t), n = 0;
    if (top < all)
        order[n++] = top;
    if (no < all && no != top)
        order[n++] = no;
    for (int folded = 0; folded < 2; folded++) {
        for (size_t i = 0; i < all; i++) {
            if (i != top && i != no && button_is_folded(choices, i) == folded)
                order[n++] = i;
        }
    }
    return order;
}

void answer_button_set(struct page_view *v, struct json *o,
                       const struct suspension *s, const struct json *choices)
{
    struct json *list = json_array(v->a), *changes = json_array(v->a);
    const size_t *order = button_order(v, s, choices);
    const struct json *before = NULL;
    for (size_t n = 0; n < json_count(choices); n++) {
        const bool folds = order[n] != button_top(s, choices) &&
                           button_is_folded(choices, order[n]);
        button_add(v, folds ? changes : list, s, choices, order[n], n, before);
        before = json_at(choices, order[n]);
    }
    json_set_json(o, "buttons", list);
    json_set_json(o, "changes", changes);
    json_set_bool(o, "dock", button_docks(v, s, choices));
}

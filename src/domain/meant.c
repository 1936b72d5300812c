/* The choice that a word means. */
#include "domain/meant.h"

#include "base/fields.h"
#include "domain/label.h"

static const struct json *first(const struct json *choices, enum effect effect)
{
    for (size_t i = 0; i < json_count(choices); i++) {
        if (effect_of_choice(json_at(choices, i)) == effect)
            return json_at(choices, i);
    }
    return NULL;
}

static size_t count(const struct json *choices, enum effect effect)
{
    size_t n = 0;
    for (size_t i = 0; i < json_count(choices); i++)
        n += effect_of_choice(json_at(choices, i)) == effect;
    return n;
}

const struct json *meant_effect(const struct json *choices, enum effect effect)
{
    return effect_class(effect) == EFFECT_NO || count(choices, effect) == 1
               ? first(choices, effect)
               : NULL;
}

/* A choice that rejects, in this order of effects: a no finds one if there is
 * any. */
static const struct json *any_no(const struct json *choices)
{
    static const enum effect order[] = {EFFECT_VETO, EFFECT_DECLINE,
                                        EFFECT_STOP_TASK,
                                        EFFECT_REQUEST_CHANGES};
    const struct json *found = NULL;
    for (size_t i = 0; i < countof(order) && !found; i++)
        found = first(choices, order[i]);
    return found;
}

static enum effect_class class_of(const struct json *choice)
{
    return effect_class(effect_of_choice(choice));
}

/* Does the choice with the word as its value do what the word says? The yes
 * and no of a confirm are its own words, also where they have no effect. */
static bool agrees(const struct suspension *s, const struct label_word *w,
                   const struct json *exact)
{
    const struct str value = json_get_text(exact, "value");
    const bool own = s->response_type == ANSWER_CONFIRM &&
                     class_of(exact) == EFFECT_NEUTRAL &&
                     (str_is(value, "yes") || str_is(value, "no"));
    return exact && (own || (w->says != EFFECT_NEUTRAL &&
                             class_of(exact) == w->says));
}

/* Is the word an answer by itself, spelled so that it counts? */
static bool answers(const struct suspension *s, const struct label_word *w,
                    struct str text)
{
    if (w->effect == EFFECT_NONE)
        return false;
    if (w->effect == EFFECT_ANSWER && s->kind != KIND_CREDENTIAL_NEEDED)
        return false;
    return w->says == EFFECT_NO || str_is(text, w->text);
}

/* exact: the choice with the word as its value, or NULL. */
static const struct json *said(const struct suspension *s,
                               const struct json *choices,
                               const struct label_word *w, struct str text,
                               const struct json *exact)
{
    const bool counts = answers(s, w, text);
    const struct json *found = NULL;
    if (counts && effect_of_choice(exact) == w->effect)
        return exact;
    if (counts && w->effect != EFFECT__MAX)
        found = meant_effect(choices, w->effect);
    if (!found && agrees(s, w, exact))
        found = exact;
    return found || !counts || w->says != EFFECT_NO ? found : any_no(choices);
}

/* exact: as above. */
static const struct json *value(const struct suspension *s,
                                const struct json *choices,
                                const struct label_word *w, struct str text,
                                const struct json *exact)
{
    if (agrees(s, w, exact))
        return exact;
    const struct json *by = said(s, choices, w, text, exact);
    if (!exact || by == exact)
        return by;
    if (by)
        return w->says == EFFECT_NO ? by : NULL;
    return answers(s, w, text) && class_of(exact) != EFFECT_NEUTRAL ? NULL
                                                                    : exact;
}

const struct json *meant_choice(struct arena *a, const struct suspension *s,
                                const struct json *choices, struct str text,
                                enum meant_how how)
{
    const struct json *exact = suspension_choice(choices, text);
    const struct label_word *w =
        effect_any(choices) ? label_word(a, text) : NULL;
    if (!w)
        return exact;
    if (!exact && s->response_type == ANSWER_CONFIRM &&
        str_is(STR("no"), w->text))
        exact = suspension_choice(choices, STR("no"));
    return how == MEANT_SAID ? said(s, choices, w, text, exact)
                             : value(s, choices, w, text, exact);
}

/* ---- checks when it is asked ------------------------------------------ */

const struct err *meant_check(struct arena *a, const struct suspension *s,
                              const struct json *choices)
{
    for (size_t i = 0; effect_any(choices) && i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        const struct label_word *w = label_word(a, json_get_text(c, "value"));
        const bool excused = s->response_type != ANSWER_CONFIRM && w &&
                             label_begins(a, w, json_get_text(c, "label"));
        if (!w || !effect_opposite(w->says, effect_of_choice(c)) || excused)
            continue;
        return err_at(a, ERR_INVALID, "choice.value_opposite",
                      fields_path(a, fields_element(a, STR("choices"), i),
                                  "value"),
                      "The value says the opposite of the choice's effect "
                      "(%s). Use another value, or a label that begins with "
                      "the word and names the action, as in \"Cancel order "
                      "1234\".",
                      vocabulary_effect(effect_of_choice(c))->label);
    }
    return NULL;
}

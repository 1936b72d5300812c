/* The choice that a word means. */
#include "domain/question/meant.h"

#include "base/json/fields.h"
#include "domain/kind/label.h"

static const struct json *meant_first_of(const struct json *choices,
                                         enum effect effect)
{
    for (size_t i = 0; i < json_count(choices); i++) {
        if (effect_of_choice(json_at(choices, i)) == effect)
            return json_at(choices, i);
    }
    return NULL;
}

const struct json *meant_effect(const struct json *choices, enum effect effect)
{
    size_t n = 0;
    for (size_t i = 0; i < json_count(choices); i++)
        n += effect_of_choice(json_at(choices, i)) == effect;
    return n == 1 || effect_class(effect) == EFFECT_NO
               ? meant_first_of(choices, effect)
               : NULL;
}

/* A word that was sent where a choice has an effect. */
struct sent_word {
    const struct suspension *s;
    const struct json *choices;
    const struct label_word *word;
    struct str text;          /* as it was sent */
    const struct json *exact; /* the choice with it as its value; NULL: none */
};

/* Does the choice with the word as its value do what the word says? The yes
 * and no of a confirm are its own words, also where they have no effect. */
static bool meant_agrees(const struct sent_word *x)
{
    const struct str value = json_get_text(x->exact, "value");
    const bool own = x->s->response_type == ANSWER_CONFIRM &&
                     effect_class_of_choice(x->exact) == EFFECT_NEUTRAL &&
                     (str_is(value, "yes") || str_is(value, "no"));
    return x->exact &&
           (own || (x->word->says != EFFECT_NEUTRAL &&
                    effect_class_of_choice(x->exact) == x->word->says));
}

/* Is the word an answer by itself, spelled so that it counts? */
static bool meant_answers(const struct sent_word *x)
{
    const struct label_word *w = x->word;
    if (w->effect == EFFECT_NONE)
        return false;
    if (w->effect == EFFECT_ANSWER && x->s->kind != KIND_CREDENTIAL_NEEDED)
        return false;
    return w->says == EFFECT_NO || str_is(x->text, w->text);
}

static const struct json *meant_said_choice(const struct sent_word *x)
{
    /* From the one that rejects most plainly on, so that a no finds a choice
     * wherever there is any. */
    static const enum effect order[] = {
        EFFECT_VETO, EFFECT_DECLINE, EFFECT_STOP_TASK, EFFECT_REQUEST_CHANGES};
    const struct label_word *w = x->word;
    const bool counts = meant_answers(x);
    const struct json *found = NULL;
    if (counts && effect_of_choice(x->exact) == w->effect)
        return x->exact;
    if (counts && w->effect != EFFECT__MAX)
        found = meant_effect(x->choices, w->effect);
    if (!found && meant_agrees(x))
        found = x->exact;
    const bool no = counts && w->says == EFFECT_NO;
    for (size_t i = 0; no && i < countof(order) && !found; i++)
        found = meant_first_of(x->choices, order[i]);
    return found;
}

const struct json *meant_choice(struct arena *a, const struct suspension *s,
                                const struct json *choices, struct str text,
                                enum meant_how how)
{
    struct sent_word x = {
        .s = s,
        .choices = choices,
        .word = effect_any(choices) ? label_word(a, text) : NULL,
        .text = text,
        .exact = suspension_choice(choices, text)};
    if (!x.word)
        return x.exact;
    if (!x.exact && s->response_type == ANSWER_CONFIRM &&
        str_is(STR("no"), x.word->text))
        x.exact = suspension_choice(choices, STR("no"));
    if (how == MEANT_VALUE && meant_agrees(&x))
        return x.exact;
    const struct json *said = meant_said_choice(&x);
    if (how == MEANT_SAID || !x.exact || said == x.exact)
        return said;
    if (said)
        return x.word->says == EFFECT_NO ? said : NULL;
    return meant_answers(&x) &&
                   effect_class_of_choice(x.exact) != EFFECT_NEUTRAL
               ? NULL
               : x.exact;
}

bool meant_no(struct arena *a, const struct suspension *s)
{
    const struct json *value = json_read(a, s->response);
    const struct str label =
        json_get_text(suspension_chosen(a, s, value), "label");
    if (!json_is(value, JSON_STRING))
        return false;
    const struct label_word *w = label_word(a, json_text(value));
    return label_says(a, label) == EFFECT_NO ||
           (w && w->says == EFFECT_NO && !label_begins(a, w, label));
}

/* ---- checks when it is asked ------------------------------------------ */

const struct err *meant_check(struct arena *a, const struct suspension *s,
                              const struct json *choices)
{
    const bool confirm = s->response_type == ANSWER_CONFIRM;
    /* The yes and no of a confirm are its own words, also where they have no
     * effect: keys, lists and words take them for what they say. */
    for (size_t i = 0; confirm && i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        const struct str value = json_get_text(c, "value");
        const enum effect_class says =
            label_says(a, json_get_text(c, "label"));
        if (effect_class_of_choice(c) == EFFECT_NEUTRAL &&
            ((str_is(value, "yes") && says == EFFECT_NO) ||
             (str_is(value, "no") && says == EFFECT_YES)))
            return err_at(a, ERR_INVALID, "choice.label_opposite",
                          fields_path(a,
                                      fields_element(a, STR("choices"), i),
                                      "label"),
                          "The label says the opposite of the value, which is "
                          "the answer. Use another label.");
    }
    for (size_t i = 0; effect_any(choices) && i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        const struct label_word *w = label_word(a, json_get_text(c, "value"));
        const bool excused =
            !confirm && w && label_begins(a, w, json_get_text(c, "label"));
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

/* The effect of one choice of a question: the table, and reading it. Pure. */
#include "domain/kind/effect.h"

#include <assert.h>

static const struct {
    enum outcome outcome;
    enum effect_class class;
} table[] = {
    [EFFECT_NONE] = {OUTCOME_NONE, EFFECT_NEUTRAL},
    [EFFECT_AUTHORIZE] = {OUTCOME_AUTHORIZED, EFFECT_YES},
    [EFFECT_AUTHORIZE_MODIFIED] = {OUTCOME_AUTHORIZED, EFFECT_YES},
    [EFFECT_VETO] = {OUTCOME_VETOED, EFFECT_NO},
    [EFFECT_REQUEST_CHANGES] = {OUTCOME_CHANGES_REQUESTED, EFFECT_NO},
    [EFFECT_ANSWER] = {OUTCOME_ANSWERED, EFFECT_NEUTRAL},
    [EFFECT_DECLINE] = {OUTCOME_DECLINED, EFFECT_NO},
    [EFFECT_ACCEPT] = {OUTCOME_ACCEPTED, EFFECT_YES},
    [EFFECT_ESCALATE] = {OUTCOME_NONE, EFFECT_NEUTRAL},
    [EFFECT_STOP_TASK] = {OUTCOME_VETOED, EFFECT_NO},
};
static_assert(countof(table) == EFFECT__MAX, "a row each");

enum effect effect_of_choice(const struct json *choice)
{
    const enum effect e =
        vocabulary_effect_of(json_get_text(choice, "effect"));
    return e == EFFECT__MAX ? EFFECT_NONE : e;
}

enum takes effect_takes(const struct json *choice)
{
    const enum takes t = vocabulary_takes_of(json_get_text(choice, "takes"));
    return t == TAKES__MAX ? TAKES_NOTHING : t;
}

enum reason_need effect_reason(const struct json *choice)
{
    const struct str word = json_get_text(choice, "reason");
    return word.p ? vocabulary_reason_need_of(word) : REASON_NEED__MAX;
}

enum outcome effect_outcome(enum effect e)
{
    return table[e].outcome;
}

enum effect_class effect_class(enum effect e)
{
    return table[e].class;
}

enum effect_class effect_class_of_choice(const struct json *choice)
{
    return effect_class(effect_of_choice(choice));
}

bool effect_opposite(enum effect_class said, enum effect e)
{
    return (said == EFFECT_NO && effect_class(e) == EFFECT_YES) ||
           (said == EFFECT_YES && effect_class(e) == EFFECT_NO);
}

bool effect_any(const struct json *choices)
{
    for (size_t i = 0; i < json_count(choices); i++) {
        if (effect_of_choice(json_at(choices, i)) != EFFECT_NONE)
            return true;
    }
    return false;
}

bool effect_any_yes(const struct json *choices)
{
    for (size_t i = 0; i < json_count(choices); i++) {
        if (effect_class_of_choice(json_at(choices, i)) == EFFECT_YES)
            return true;
    }
    return false;
}

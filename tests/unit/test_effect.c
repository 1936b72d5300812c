/* Effects: their words, and what each says to the agent. */
#include "domain/kind/effect.h"

#include "suite.h"

SUITE(effect);

Test(effect, words_and_back)
{
    for (unsigned e = 0; e < EFFECT__MAX; e++) {
        const enum effect one = (enum effect)e;
        cr_assert_eq(
            vocabulary_effect_of(vocabulary_effect(one)->wire), one,
            "%u", e);
        cr_assert_eq(strlen(vocabulary_effect(one)->label) == 0,
                     one == EFFECT_NONE);
        cr_assert(vocabulary_outcome(effect_outcome(one))->wire.p);
    }
}

Test(effect, an_unknown_word_is_none_of_them)
{
    const struct str words[] = {STR_NONE, STR(""), STR("Authorize"),
                                STR("approve"), STR(" veto")};
    for (size_t i = 0; i < countof(words); i++)
        cr_assert_eq(vocabulary_effect_of(words[i]), EFFECT__MAX);
}

Test(effect, a_choice_without_one_does_nothing)
{
    struct json *choice = json_object(a);
    cr_assert_eq(effect_of_choice(NULL), EFFECT_NONE);
    cr_assert_eq(effect_of_choice(choice), EFFECT_NONE);
    json_set_text(choice, "effect", STR("unheard of"));
    cr_assert_eq(effect_of_choice(choice), EFFECT_NONE);
    json_set_text(choice, "effect", STR("veto"));
    cr_assert_eq(effect_of_choice(choice), EFFECT_VETO);
}

Test(effect, three_let_the_agent_go_on)
{
    for (unsigned e = 0; e < EFFECT__MAX; e++)
        cr_assert_eq(effect_class((enum effect)e) == EFFECT_YES,
                     e == EFFECT_AUTHORIZE || e == EFFECT_AUTHORIZE_MODIFIED ||
                         e == EFFECT_ACCEPT);
}

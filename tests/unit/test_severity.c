/* Severities: their words, their order, and which of them are grave. */
#include "domain/severity.h"

#include "suite.h"

SUITE(severity);

Test(severity, words_and_back)
{
    const char *const words[] = {"none", "low", "medium", "high", "critical"};
    for (unsigned s = 0; s < SEVERITY__MAX; s++) {
        cr_assert_str_eq(severity_word((enum severity)s), words[s]);
        cr_assert_eq(severity_of(str_of(words[s])), s, "%s", words[s]);
        cr_assert_gt(strlen(severity_label((enum severity)s)), 2);
    }
}

Test(severity, an_unknown_word_says_nothing)
{
    const struct str words[] = {STR_NONE, STR(""), STR("High"), STR("highest"),
                                STR(" low"), STR("crit")};
    for (size_t i = 0; i < countof(words); i++)
        cr_assert_eq(severity_of(words[i]), SEVERITY_UNSAID);
}

/* What an agent may say is what is known, each. */
Test(severity, the_words_of_an_agent)
{
    struct str rest = STR(SEVERITY_WORDS);
    for (unsigned s = SEVERITY_LOW; s < SEVERITY__MAX; s++)
        cr_assert_eq(severity_of(str_cut(&rest, ' ')), s);
    cr_assert_eq(rest.n, 0);
}

Test(severity, two_are_grave)
{
    cr_assert(severity_grave(STR("high")) && severity_grave(STR("critical")));
    cr_assert(!severity_grave(STR("low")) && !severity_grave(STR("medium")));
    cr_assert(!severity_grave(STR_NONE) && !severity_grave(STR("none")));
    cr_assert(!severity_grave(STR("High")));
}

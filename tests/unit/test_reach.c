#include "suite.h"

#include "domain/reach.h"

static struct principal who(enum role role, enum reach reach)
{
    return (struct principal){
        .role = role, .agent = STR("alpha"), .reach = reach};
}

/* A rule for each tie: nothing, read, use. */
Test(reach, what_an_agent_may_goes_by_its_tie)
{
    static const struct {
        bool own, kin, read, use;
    } cases[] = {{false, false, false, false},
                 {false, true, true, false},
                 {true, false, true, true},
                 {true, true, true, true}};
    const struct principal p = who(ROLE_AGENT, REACH_OWN);
    for (size_t i = 0; i < countof(cases); i++) {
        const struct reach_tie tie = {cases[i].own, cases[i].kin};
        cr_assert_eq(reach_may(&p, tie, REACH_READ), cases[i].read);
        cr_assert_eq(reach_may(&p, tie, REACH_USE), cases[i].use);
    }
}

Test(reach, a_key_that_reaches_all_and_everybody_else_is_not_kept)
{
    const struct principal all[] = {
        who(ROLE_AGENT, REACH_ALL), who(ROLE_OPERATOR, REACH_OWN),
        who(ROLE_ADMIN, REACH_OWN), who(ROLE_AUDITOR, REACH_OWN),
        who(ROLE_CLOCK, REACH_OWN)};
    const struct reach_tie none = {false, false};
    for (size_t i = 0; i < countof(all); i++) {
        cr_assert(reach_may(&all[i], none, REACH_USE), "case %zu", i);
        cr_assert_null(reach_agent(&all[i]).p, "case %zu", i);
    }
    const struct principal own = who(ROLE_AGENT, REACH_OWN);
    cr_assert(str_is(reach_agent(&own), "alpha"));
}

Test(reach, a_principal_that_says_nothing_of_it_is_kept_apart)
{
    const struct principal p = {.role = ROLE_AGENT, .agent = STR("a")};
    cr_assert(!reach_may(&p, (struct reach_tie){false, false}, REACH_READ));
}

Test(reach, words)
{
    cr_assert_eq(reach_of(STR("all")), REACH_ALL);
    cr_assert_eq(reach_of(STR("own")), REACH_OWN);
    cr_assert_eq(reach_of(STR("ALL")), REACH__MAX);
    cr_assert_eq(reach_of(STR_NONE), REACH__MAX);
    cr_assert(str_is(str_of(reach_word(REACH_ALL)), "all"));
    cr_assert(str_is(str_of(reach_word(REACH_OWN)), "own"));
}

Test(reach, a_new_key_reaches_its_own_but_for_any_agent_and_for_none)
{
    const struct str one[] = {STR("a"), STR("b")};
    const struct str any[] = {STR("a"), STR("*")};
    static const struct {
        const char *word;
        int names; /* 0, 1 for one, 2 for any */
        bool fine;
        enum reach is;
    } cases[] = {
        {NULL, 1, true, REACH_OWN},   {"own", 1, true, REACH_OWN},
        {"all", 1, true, REACH_ALL},  {NULL, 2, true, REACH_ALL},
        {"all", 2, true, REACH_ALL},  {"own", 2, false, REACH_OWN},
        {NULL, 0, true, REACH_ALL},   {"all", 0, true, REACH_ALL},
        {"own", 0, false, REACH_OWN}, {"", 1, false, REACH__MAX},
        {"some", 1, false, REACH__MAX}};
    for (size_t i = 0; i < countof(cases); i++) {
        enum reach is = REACH__MAX;
        const struct str word =
            cases[i].word ? str_of(cases[i].word) : STR_NONE;
        const bool fine =
            reach_choose(word, cases[i].names == 2 ? any : one,
                         cases[i].names ? 2 : 0, &is);
        cr_assert_eq(fine, cases[i].fine, "case %zu", i);
        cr_assert_eq(is, cases[i].is, "case %zu", i);
    }
}

#include "suite.h"

#include "domain/intent/reach.h"

SUITE(reach);

static struct principal who(enum role role, enum reach reach)
{
    return (struct principal){
        .role = role, .agent = STR("alpha"), .reach = reach};
}

/* Without any access the intent is not there, with too little it is refused. */
Test(reach, access_is_enough_or_not)
{
    for (enum access has = ACCESS_NONE; has < ACCESS__MAX; has++) {
        for (enum access needs = ACCESS_READ; needs < ACCESS__MAX; needs++) {
            const struct err *e = reach_check(a, has, needs);
            if (has == ACCESS_NONE)
                cr_assert_str_eq(e->code, "intent.unknown");
            else if (has < needs)
                cr_assert_str_eq(e->code, "access.denied");
            else
                cr_assert_null(e);
        }
    }
    const struct err *e = reach_check(a, ACCESS_READ, ACCESS_ADMIN);
    cr_assert(str_is(json_get_text(e->more, "permission"), "read"));
    cr_assert(
        str_is(json_get_text(e->more, "required_permission"), "admin"));
}

Test(reach, a_reader_is_a_person_or_an_agent)
{
    const struct principal people[] = {
        who(ROLE_OPERATOR, REACH_OWN), who(ROLE_ADMIN, REACH_OWN),
        who(ROLE_AUDITOR, REACH_OWN), who(ROLE_CLOCK, REACH_OWN)};
    const struct principal own = who(ROLE_AGENT, REACH_OWN),
                           all = who(ROLE_AGENT, REACH_ALL);
    for (size_t i = 0; i < countof(people); i++) {
        cr_assert_null(reach_reader(a, &people[i]).p, "case %zu", i);
        cr_assert(!reach_own(&people[i]), "case %zu", i);
    }
    cr_assert(str_is(reach_reader(a, &own), "alpha"));
    cr_assert(reach_own(&own));
    cr_assert(str_is(reach_reader(a, &all), "/alpha"));
    cr_assert(!reach_own(&all));
}

/* A reader of tests is another one than the agent of the same name. */
Test(reach, a_reader_has_a_sort)
{
    static const struct {
        enum reach reach;
        bool test;
        const char *reader, *name;
    } cases[] = {{REACH_OWN, false, "alpha", "alpha"},
                 {REACH_ALL, false, "/alpha", "alpha"},
                 {REACH_OWN, true, "test/alpha", "test/alpha"},
                 {REACH_ALL, true, "test//alpha", "test/alpha"}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct principal p = who(ROLE_AGENT, cases[i].reach);
        p.test = cases[i].test;
        const struct str reader = reach_reader(a, &p);
        cr_assert(str_is(reader, cases[i].reader), "case %zu", i);
        cr_assert(str_is(reach_name(a, &p), cases[i].name), "case %zu", i);
        const struct reach_parts parts = reach_parts(reader);
        cr_assert(str_is(parts.agent, "alpha"), "case %zu", i);
        cr_assert(parts.all == (cases[i].reach == REACH_ALL), "case %zu", i);
        cr_assert(parts.test == cases[i].test, "case %zu", i);
    }
    const struct principal person = who(ROLE_OPERATOR, REACH_OWN);
    cr_assert_null(reach_name(a, &person).p);
    cr_assert_eq(reach_parts(STR("")).agent.n, 0);
}

/* The maker, the owner and a key that reaches all have nothing of the other
 * sort; people have both. */
Test(reach, tests_live_apart)
{
    for (int bits = 0; bits < 8; bits++) {
        const struct intent i = {.created_by = bits & 1 ? STR("alpha")
                                                        : STR("beta"),
                                 .owner = STR("alpha"),
                                 .test = (bits & 2) != 0};
        struct principal p = who(ROLE_AGENT, bits & 1 ? REACH_OWN : REACH_ALL);
        const struct principal person = who(ROLE_AUDITOR, REACH_OWN);
        p.test = (bits & 4) != 0;
        cr_assert(reach_all(&p, &i) == (p.test == i.test), "case %d", bits);
        cr_assert(reach_sort(&p, i.test) == (p.test == i.test));
        cr_assert(reach_all(&person, &i) && reach_sort(&person, i.test));
        const struct err *e = reach_check_sort(&p, i.test);
        cr_assert(!e == (p.test == i.test));
        cr_assert(!e || str_is(str_of(e->code), "intent.unknown"));
        e = reach_joins(a, p.test, i.test, "agent_id");
        cr_assert(!e == (p.test == i.test));
        cr_assert(!e || (str_is(str_of(e->code), "test.apart") &&
                         str_is(e->at, "agent_id")));
    }
}

Test(reach, a_principal_that_says_nothing_of_it_is_kept_apart)
{
    const struct principal p = {.role = ROLE_AGENT, .agent = STR("a")};
    cr_assert(reach_own(&p));
}

Test(reach, the_words_of_access)
{
    for (enum access i = ACCESS_READ; i < ACCESS__MAX; i++)
        cr_assert_eq(reach_access_of(vocabulary_access(i)->wire), i);
    cr_assert_eq(reach_access_of(STR("owner")), ACCESS_NONE);
    cr_assert_eq(reach_access_of(STR_NONE), ACCESS_NONE);
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

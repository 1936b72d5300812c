/* The right to decide: every mode against every sort of caller. */
#include <assert.h>

#include "domain/kind/responder.h"

#include "suite.h"

SUITE(responder);

/* STR for what is static. */
#define TEXT(s) {s, sizeof(s) - 1}

/* Everybody who might come. */
enum { ADA, BOB, ADMIN, OPERATOR_KEY, AUDITOR, ASKER, ASKER_ELSEWHERE,
       SISTER, OTHER, IMPOSTOR, CLOCK, EVERYBODY };

static const struct principal who[EVERYBODY] = {
    [ADA] = {.role = ROLE_OPERATOR, .person = true, .id = TEXT("p-ada"),
             .name = TEXT("ada@example.com"), .groups = TEXT("legal payments")},
    [BOB] = {.role = ROLE_OPERATOR, .person = true, .id = TEXT("p-bob"),
             .name = TEXT("bob@example.com"), .groups = TEXT("pay")},
    [ADMIN] = {.role = ROLE_ADMIN, .person = true, .id = TEXT("p-root"),
               .name = TEXT("root@example.com")},
    [OPERATOR_KEY] = {.role = ROLE_OPERATOR, .id = TEXT("k-op"),
                      .name = TEXT("night desk"), .groups = TEXT("payments")},
    [AUDITOR] = {.role = ROLE_AUDITOR, .person = true, .id = TEXT("p-aud"),
                 .name = TEXT("eve@example.com"), .groups = TEXT("payments")},
    /* The one that asked, and what has its name or its key. */
    [ASKER] = {.role = ROLE_AGENT, .id = TEXT("k-1"), .name = TEXT("key one"),
               .agent = TEXT("writer")},
    [ASKER_ELSEWHERE] = {.role = ROLE_AGENT, .id = TEXT("k-2"),
                         .name = TEXT("key two"), .agent = TEXT("writer")},
    [SISTER] = {.role = ROLE_AGENT, .id = TEXT("k-1"), .name = TEXT("key one"),
                .agent = TEXT("lawyer")},
    [OTHER] = {.role = ROLE_AGENT, .id = TEXT("k-3"), .name = TEXT("key three"),
               .agent = TEXT("lawyer")},
    /* An agent with a person's name, in a group's key. */
    [IMPOSTOR] = {.role = ROLE_AGENT, .id = TEXT("k-4"),
                  .name = TEXT("ada@example.com"),
                  .agent = TEXT("ada@example.com"), .groups = TEXT("payments")},
    [CLOCK] = {.role = ROLE_CLOCK, .name = TEXT("clock")},
};

static const struct {
    const char *what;
    struct responder rule;
    const char *initiated_by;
    const char *may; /* y yes, - not yours, o own question, i the initiator */
} cases[] = {
    {"operators", {.mode = RESPONDER_OPERATORS}, NULL, "yyyy-ooo---"},
    {"operators, for ada", {.mode = RESPONDER_OPERATORS}, "ada@example.com",
     "yyyy-ooo---"},
    {"not the initiator", {.mode = RESPONDER_OPERATORS, .not_initiator = true},
     "ada@example.com", "iyyy-ooo---"},
    {"the initiator", {.mode = RESPONDER_INITIATOR}, "ada@example.com",
     "y----ooo---"},
    {"an initiator with a key", {.mode = RESPONDER_INITIATOR}, "night desk",
     "---y-ooo---"},
    {"nobody's", {.mode = RESPONDER_INITIATOR}, NULL, "-----ooo---"},
    {"the group payments",
     {.mode = RESPONDER_GROUP, .who = TEXT("payments")}, NULL, "y--y-ooo---"},
    {"the group pay", {.mode = RESPONDER_GROUP, .who = TEXT("pay")}, NULL,
     "-y---ooo---"},
    {"a group that nobody is in",
     {.mode = RESPONDER_GROUP, .who = TEXT("legal payments")}, NULL,
     "-----ooo---"},
    {"no group", {.mode = RESPONDER_GROUP, .who = TEXT("")}, NULL,
     "-----ooo---"},
    {"the group, but not who began it",
     {.mode = RESPONDER_GROUP, .who = TEXT("payments"), .not_initiator = true},
     "ada@example.com", "i--y-ooo---"},
    {"bob", {.mode = RESPONDER_NAMED, .who = TEXT("bob@example.com")}, NULL,
     "-y---ooo---"},
    {"ada, whose name an agent has",
     {.mode = RESPONDER_NAMED, .who = TEXT("ada@example.com")}, NULL,
     "y----ooo---"},
    {"a key by its label", {.mode = RESPONDER_NAMED, .who = TEXT("night desk")},
     NULL, "---y-ooo---"},
    {"an auditor", {.mode = RESPONDER_NAMED, .who = TEXT("eve@example.com")},
     NULL, "-----ooo---"},
    {"the clock", {.mode = RESPONDER_NAMED, .who = TEXT("clock")}, NULL,
     "-----ooo---"},
    {"another agent", {.mode = RESPONDER_AGENT, .who = TEXT("lawyer")}, NULL,
     "-----oooy--"},
    {"the agent itself", {.mode = RESPONDER_AGENT, .who = TEXT("writer")},
     NULL, "-----ooo---"},
    {"an agent with a person's name",
     {.mode = RESPONDER_AGENT, .who = TEXT("ada@example.com")}, NULL,
     "-----ooo-y-"},
    {"a mode that there is not", {.mode = RESPONDER_MODE__MAX}, NULL,
     "-----ooo---"},
};

static struct responder_case case_of(size_t i)
{
    return (struct responder_case){
        .rule = cases[i].rule,
        .asked_by = STR("writer"),
        .asked_by_key = STR("k-1"),
        .initiated_by = cases[i].initiated_by ? str_of(cases[i].initiated_by)
                                              : STR_NONE};
}

static char verdict(const struct err *e)
{
    if (!e)
        return 'y';
    cr_assert_eq(e->kind, ERR_FORBIDDEN);
    cr_assert(e->say.n > 0);
    const struct str code = str_of(e->code);
    return str_is(code, "suspension.own_question") ? 'o'
           : str_is(code, "suspension.initiator")  ? 'i'
           : str_is(code, "suspension.not_yours")  ? '-'
                                                   : '?';
}

Test(responder, everybody_against_every_rule)
{
    for (size_t i = 0; i < countof(cases); i++) {
        const struct responder_case c = case_of(i);
        cr_assert_eq(strlen(cases[i].may), EVERYBODY);
        for (size_t k = 0; k < EVERYBODY; k++)
            cr_assert_eq(verdict(responder_check(a, &c, &who[k])),
                         cases[i].may[k], "%s: %.*s %.*s", cases[i].what,
                         STR_FMT(who[k].name), STR_FMT(who[k].agent));
    }
}

Test(responder, a_key_that_is_not_known_hinders_nobody)
{
    const struct responder_case c = {.rule = {.mode = RESPONDER_OPERATORS},
                                     .asked_by = STR("writer")};
    const struct principal key = {.role = ROLE_OPERATOR, .id = STR_NONE};
    cr_assert(!responder_check(a, &c, &key));
    cr_assert_eq(verdict(responder_check(a, &c, &who[ASKER])), 'o');
}

/* The key that asked counts as the asking one, even if it is an operator's
 * now. */
Test(responder, the_asking_key_never_answers_whatever_its_role)
{
    const struct responder_case c = {.rule = {.mode = RESPONDER_OPERATORS},
                                     .asked_by = STR("root"),
                                     .asked_by_key = STR("k-op")};
    cr_assert_eq(verdict(responder_check(a, &c, &who[OPERATOR_KEY])), 'o');
    const struct principal person = {.role = ROLE_ADMIN,
                                     .person = true,
                                     .id = STR("k-op"),
                                     .name = STR("root")};
    cr_assert(!responder_check(a, &c, &person));
}

Test(responder, an_agent_that_admits_answers_for_operators)
{
    const struct responder_case one = {
        .rule = {.mode = RESPONDER_OPERATORS}, .asked_by = STR("other")};
    struct principal agent = who[ASKER];
    cr_assert(responder_check(a, &one, &agent));
    agent.admits = true;
    cr_assert_null(responder_check(a, &one, &agent));
    agent.agent = one.asked_by;
    cr_assert_str_eq(responder_check(a, &one, &agent)->code,
                     "suspension.own_question");
}

Test(responder, the_words_say_who_can)
{
    static const char *const words[] = {
        "Any operator or admin can.",
        "Any operator or admin can.",
        "Any operator or admin can, but not ada@example.com.",
        "Only ada@example.com, for whom the agent works, can.",
        "Only night desk, for whom the agent works, can.",
        "Only the initiator, for whom the agent works, can.",
        "Operators of the group payments can.",
        "Operators of the group pay can.",
        "Operators of the group legal payments can.",
        "Operators of the group  can.",
        "Operators of the group payments can, but not ada@example.com.",
        "Only bob@example.com can.",
        "Only ada@example.com can.",
        "Only night desk can.",
        "Only eve@example.com can.",
        "Only clock can.",
        "Only the agent lawyer can, with its key.",
        "Only the agent writer can, with its key.",
        "Only the agent ada@example.com can, with its key.",
        "Any operator or admin can.",
    };
    static_assert(countof(words) == countof(cases), "a sentence for each");
    for (size_t i = 0; i < countof(words); i++) {
        const struct responder_case c = case_of(i);
        const struct str said = responder_who(a, &c);
        cr_assert(str_is(said, words[i]), "%s: %.*s", cases[i].what,
                  STR_FMT(said));
        const struct err *e = responder_check(a, &c, &who[AUDITOR]);
        cr_assert(e && str_search(e->say, said) < e->say.n);
    }
}

/* An agent's name is not enough: its key has to be of the question's sort. */
Test(responder, tests_and_real_agents_do_not_see_each_other)
{
    for (int bits = 0; bits < 4; bits++) {
        const struct responder_case c = {
            .rule = {.mode = RESPONDER_AGENT, .who = STR("lawyer")},
            .asked_by = STR("writer"),
            .test = (bits & 1) != 0};
        struct principal asker = who[ASKER_ELSEWHERE], other = who[OTHER];
        asker.test = other.test = (bits & 2) != 0;
        const bool same = c.test == asker.test;
        cr_assert(responder_sees(&c, &asker) == same, "case %d", bits);
        cr_assert(responder_sees(&c, &other) == same, "case %d", bits);
        cr_assert(responder_sees(&c, &who[ADA]));
        cr_assert_eq(verdict(responder_check(a, &c, &other)),
                     same ? 'y' : '-');
    }
}

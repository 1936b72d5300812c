/* Guardrails: the supervisor of several coordinators. */
#include "domain/plan/guardrails.h"

#include "suite.h"

SUITE(guardrails);

#define NEAR STR("near")
#define FAR STR("far")

/* One term for each letter, the nearest first: p, o of a person, with and
 * without a supervisor; a, n of an agent. */
static struct str supervisor(const char *letters)
{
    struct guardrails g = {.agents_n = 0};
    for (const char *l = letters; *l; l++) {
        const bool named = *l == 'p' || *l == 'a';
        guardrails_add(a, &g,
                       &(struct guardrails_terms){
                           .agent = STR("x"),
                           .supervisor = !named         ? STR_NONE
                                         : l == letters ? NEAR
                                                        : FAR,
                           .of_person = *l == 'p' || *l == 'o',
                           .text = STR("{}")});
    }
    return g.supervisor;
}

Test(guardrails, the_supervisor_of_a_person_counts)
{
    static const struct {
        const char *letters, *who; /* NULL: any operator */
    } cases[] = {
        {"", NULL}, {"n", NULL}, {"a", "near"}, {"p", "near"},
        {"aa", "near"}, {"na", "far"}, {"pp", "near"}, {"op", "far"},
        {"ap", "far"}, {"pa", "near"}, {"apa", "far"}, {"npp", "far"},
        {"ao", NULL}, {"oa", NULL}, {"aop", "far"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct str who = supervisor(cases[i].letters);
        cr_assert(cases[i].who ? str_is(who, cases[i].who) : !who.p, "%s",
                  cases[i].letters);
    }
}

#include "suite.h"

#include "domain/intent/governance.h"

SUITE(governance);

static struct governance policy(const char *text)
{
    struct governance g;
    cr_assert_null(governance_read(a, tree(text), STR(""), &g), "%s", text);
    return g;
}

static struct str effective(const char *text)
{
    const struct governance g = policy(text);
    return json_dump(a, governance_effective(a, &g), 4096);
}

Test(governance, the_defaults_are_filled_in)
{
    cr_assert(str_eq(
        effective("{}"),
        json_of("{'completion_mode':'auto','write_scope':'any',"
                "'quorum_threshold':0.6,'allowed_agents':[],"
                "'max_cost':null,'require_status_reason':false}")));
    cr_assert(str_eq(
        effective("{'completion_mode':'quorum','write_scope':'assigned_only',"
                  "'quorum_threshold':1,'allowed_agents':['a'],"
                  "'max_cost':12.5,'require_status_reason':true,'x':[]}"),
        json_of("{'completion_mode':'quorum','write_scope':'assigned_only',"
                "'quorum_threshold':1,'allowed_agents':['a'],"
                "'max_cost':12.5,'require_status_reason':true}")));
}

Test(governance, a_policy_that_cannot_be_read)
{
    static const struct {
        const char *text, *at;
    } cases[] = {
        {"{'completion_mode':'x'}", "governance_policy.completion_mode"},
        {"{'write_scope':7}", "governance_policy.write_scope"},
        {"{'quorum_threshold':0}", "governance_policy.quorum_threshold"},
        {"{'quorum_threshold':1.1}", "governance_policy.quorum_threshold"},
        {"{'quorum_threshold':'1'}", "governance_policy.quorum_threshold"},
        {"{'max_cost':-1}", "governance_policy.max_cost"},
        {"{'max_cost':[]}", "governance_policy.max_cost"},
        {"{'allowed_agents':'a'}", "governance_policy.allowed_agents"},
        {"{'allowed_agents':[7]}", "governance_policy.allowed_agents"},
        {"{'require_status_reason':1}",
         "governance_policy.require_status_reason"},
        {"[]", "governance_policy"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct governance g;
        const struct err *e = governance_read(
            a, tree(cases[i].text), STR("governance_policy"), &g);
        cr_assert_not_null(e, "case %zu", i);
        cr_expect_eq(e->kind, ERR_INVALID, "case %zu", i);
        cr_expect(str_is(e->at, cases[i].at), "case %zu: %.*s", i,
                  STR_FMT(e->at));
    }
}

/* The first policy, the second, and whether the second is at least as strict. */
Test(governance, an_agent_may_only_tighten)
{
    static const struct {
        const char *old, *now;
        bool tightens;
    } cases[] = {
        {"{}", "{}", true},
        {"{}", "{'completion_mode':'quorum'}", true},
        {"{'completion_mode':'require_approval'}",
         "{'completion_mode':'quorum'}", false},
        {"{'completion_mode':'quorum'}",
         "{'completion_mode':'quorum','quorum_threshold':0.5}", false},
        {"{'completion_mode':'quorum'}",
         "{'completion_mode':'quorum','quorum_threshold':0.7}", true},
        {"{'completion_mode':'quorum'}",
         "{'completion_mode':'require_approval','quorum_threshold':0.1}",
         true},
        {"{'write_scope':'assigned_only'}", "{}", false},
        {"{'allowed_agents':['a','b']}", "{'allowed_agents':['b']}", true},
        {"{'allowed_agents':['a']}", "{'allowed_agents':['a','b']}", false},
        {"{'allowed_agents':['a']}", "{}", false},
        {"{}", "{'allowed_agents':['a']}", true},
        {"{'max_cost':5}", "{}", false},
        {"{'max_cost':5}", "{'max_cost':5.000001}", false},
        {"{'max_cost':5}", "{'max_cost':4.99}", true},
        {"{'require_status_reason':true}", "{}", false},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct governance old = policy(cases[i].old),
                                now = policy(cases[i].now);
        cr_expect_eq(governance_tightens(&old, &now), cases[i].tightens,
                     "case %zu", i);
    }
}

Test(governance, a_quorum_is_rounded_up_and_at_least_one)
{
    const struct governance g = policy("{'quorum_threshold':0.6}"),
                            all = policy("{'quorum_threshold':1}"),
                            few = policy("{'quorum_threshold':0.000001}");
    cr_expect_eq(governance_quorum(&g, 3), 2);
    cr_expect_eq(governance_quorum(&g, 5), 3);
    cr_expect_eq(governance_quorum(&g, 0), 1);
    cr_expect_eq(governance_quorum(&all, 50), 50);
    cr_expect_eq(governance_quorum(&few, 50), 1);
}

Test(governance, the_state_without_a_record_is_what_a_completion_is_about)
{
    const struct str one = governance_completion(
        a, STR("{\"b\":1,\"a\":[2],\"_suspension\":{\"id\":\"x\"}}"));
    cr_expect(str_eq(one, governance_completion(
                              a, STR("{\"a\": [2.0], \"b\": 1}"))));
    cr_expect(str_is(one, "{\"state\":{\"a\":[2],\"b\":1}}"));
    cr_expect_not(str_eq(one, governance_completion(
                                  a, STR("{\"a\":[2],\"b\":2}"))));
}

Test(governance, a_completion)
{
    static const struct {
        const char *policy;
        int64_t assigned, of_assigned;
        const char *ids;
        bool may;
    } cases[] = {
        {"{}", 0, 0, "[]", true},
        {"{'completion_mode':'require_approval'}", 3, 3, "[]", false},
        {"{'completion_mode':'require_approval'}", 0, 0, "['x']", true},
        {"{'completion_mode':'quorum'}", 0, 0, "['x']", false},
        {"{'completion_mode':'quorum'}", 3, 1, "['x']", false},
        {"{'completion_mode':'quorum'}", 3, 2, "['x','y']", true},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct governance g = policy(cases[i].policy);
        const struct governance_approvals approvals = {
            .assigned = cases[i].assigned,
            .of_assigned = cases[i].of_assigned,
            .ids = tree(cases[i].ids)};
        const char *say = NULL;
        cr_expect_eq(governance_completes(&g, &approvals, &say), cases[i].may,
                     "case %zu", i);
        cr_expect_eq(say == NULL, cases[i].may, "case %zu", i);
    }
}

Test(governance, a_violation_is_told_once_for_a_version)
{
    const struct json *payload =
        governance_violation_payload(a, "write_scope", 7, STR("No."));
    cr_expect(governance_violation_told(payload, "write_scope", 7));
    cr_expect_not(governance_violation_told(payload, "write_scope", 8));
    cr_expect_not(governance_violation_told(payload, "max_cost", 7));
}

#include "suite.h"

#include "base/clock.h"
#include "domain/containers/portfolio.h"

SUITE(portfolio);

#define HOUR (3600 * CLOCK_SECOND)
#define NOW (INT64_C(1700000000) * CLOCK_SECOND)

static struct portfolio governed(const char *policy)
{
    struct portfolio p = {.id = STR("p")};
    struct json *o = json_object(a);
    json_set_text(o, "name", STR("x"));
    json_set_json(o, "governance_policy", tree(policy));
    cr_assert_null(portfolio_read(a, o, NOW, &p), "%s", policy);
    return p;
}

Test(portfolio, the_earlier_deadline_counts)
{
    cr_assert_eq(governed("{}").deadline, 0);
    cr_assert_eq(governed("{\"timeout_hours\":1.5}").deadline,
                 NOW + HOUR + HOUR / 2);
    /* 2023-11-14T22:13:20 is NOW. */
    cr_assert_eq(governed("{\"deadline\":\"2023-11-14T22:13:21\"}").deadline,
                 NOW + CLOCK_SECOND);
    cr_assert_eq(governed("{\"deadline\":\"2023-11-14T22:13:21\","
                          "\"timeout_hours\":1}").deadline,
                 NOW + CLOCK_SECOND);
    cr_assert_eq(governed("{\"deadline\":\"2029-11-14T22:13:21\","
                          "\"timeout_hours\":1}").deadline,
                 NOW + HOUR);
}

Test(portfolio, what_of_a_policy_is_enforced)
{
    struct portfolio p = governed("{\"x\":1,\"auto_complete_threshold\":7,"
                                  "\"deadline\":null,"
                                  "\"allow_partial_completion\":true}");
    const struct portfolio_policy policy = portfolio_policy_of(a, &p);
    cr_assert_eq(p.threshold, 7);
    cr_assert(policy.all && policy.partial && policy.threshold == 7);
    cr_assert(str_is(json_dump(a, policy.enforced, 200),
                     "[\"allow_partial_completion\","
                     "\"auto_complete_threshold\"]"));
    p.governance_policy = STR("[]");
    cr_assert(portfolio_policy_of(a, &p).all);
}

Test(portfolio, changes)
{
    struct portfolio p = governed("{\"timeout_hours\":1,\"x\":[]}");
    cr_assert_null(portfolio_read_changes(
        a, tree("{\"deadline\":\"2023-11-14T22:13:21\"}"), &p));
    cr_assert_eq(p.deadline, NOW + CLOCK_SECOND);
    cr_assert(str_is(p.name, "x"));
    cr_assert_null(portfolio_read_changes(
        a, tree("{\"deadline\":null,\"description\":\"d\"}"), &p));
    cr_assert_eq(p.deadline, NOW + HOUR);
    cr_assert(str_is(p.description, "d"));
    cr_assert(str_is(p.governance_policy, "{\"timeout_hours\":1,\"x\":[]}"));
    cr_assert_not_null(portfolio_read_changes(a, tree("{\"name\":\"\"}"), &p));
    cr_assert_not_null(
        portfolio_read_changes(a, tree("{\"deadline\":\"x\"}"), &p));
}

Test(portfolio, whoever_may_change_it)
{
    const struct portfolio p = {.created_by = STR("a")};
    const struct principal cases[] = {
        {.role = ROLE_AGENT, .agent = STR("a")},
        {.role = ROLE_OPERATOR, .name = STR("x")},
        {.role = ROLE_ADMIN, .name = STR("x")},
        {.role = ROLE_AGENT, .agent = STR("b")},
        {.role = ROLE_AUDITOR, .name = STR("x")}};
    for (size_t i = 0; i < countof(cases); i++)
        cr_assert_eq(portfolio_check_changer(&p, &cases[i]) == NULL, i < 3,
                     "%zu", i);
}

static struct str told(enum intent_status one, enum intent_status two,
                       size_t n)
{
    struct graph_node v[] = {
        {.id = STR("1"), .status = one, .depends_on = STR("[]")},
        {.id = STR("2"), .status = two, .depends_on = STR("[]")}};
    const struct portfolio_members m = {.n = n, .graph = {.v = v, .n = n}};
    return json_get_text(portfolio_aggregate(a, &m), "status");
}

Test(portfolio, the_status_of_all_members)
{
    cr_assert(str_is(told(INTENT_DRAFT, INTENT_DRAFT, 0), "in_progress"));
    cr_assert(str_is(told(INTENT_COMPLETED, INTENT_DRAFT, 1), "completed"));
    cr_assert(str_is(told(INTENT_COMPLETED, INTENT_ACTIVE, 2), "in_progress"));
    cr_assert(str_is(told(INTENT_COMPLETED, INTENT_ABANDONED, 2), "failed"));
}

Test(portfolio, a_membership)
{
    struct portfolio_member m = {.id = STR("m"), .role = MEMBER_PLAIN};
    const struct record *r = &portfolio_member_record;
    const char *id = "{\"intent_id\":\"11111111-2222-4333-8444-555555555555\"}";
    cr_assert_null(record_body(a, tree(id), r, &m));
    cr_assert(m.role == MEMBER_PLAIN && m.priority == 0);
    cr_assert_not_null(record_body(a, tree("{}"), r, &m));
    cr_assert_not_null(record_body(
        a, tree("{\"intent_id\":\"11111111-2222-4333-8444-555555555555\","
                "\"role\":\"owner\"}"), r, &m));
}

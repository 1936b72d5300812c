/* Access control lists and requests for access: reading them. */
#include "base/clock.h"
#include "domain/containers/acl.h"
#include "domain/question/side_question.h"

#include "suite.h"

SUITE(acl);

#define NOW (INT64_C(1800000000) * CLOCK_SECOND) /* in 2027 */

Test(acl, entries)
{
    static const struct {
        const char *body, *code; /* NULL: it is taken */
    } cases[] = {
        {"{'principal_id':'x'}", NULL},
        {"{'principal_id':'x','principal_type':'agent','reason':'r',"
         "'permission':'admin','expires_at':'2999-01-01T00:00:00'}",
         NULL},
        {"{}", "field.missing"},
        {"{'principal_id':''}", "agent.name"},
        {"{'principal_id':'*'}", "agent.name"},
        {"{'principal_id':'a/b'}", "agent.name"},
        {"{'principal_id':'x','principal_type':'user'}", "acl.people"},
        {"{'principal_id':'x','principal_type':'group'}", "acl.people"},
        {"{'principal_id':'x','expires_at':'2026-01-01T00:00:00'}",
         "field.range"},
        {"{'principal_id':'x','expires_at':'x'}", "field.time"}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct acl_entry e;
        const struct err *why =
            acl_entry_read(a, tree(cases[i].body), STR(""), NOW, &e);
        cr_assert_eq(!why, !cases[i].code, "case %zu", i);
        if (why)
            cr_assert_str_eq(why->code, cases[i].code, "case %zu", i);
    }
}

Test(acl, the_least_access_where_none_is_named)
{
    struct acl_entry e;
    cr_assert_null(acl_entry_read(a, tree("{'principal_id':'x'}"), STR(""),
                                  NOW, &e));
    cr_assert_eq(e.permission, ACCESS_READ);
    cr_assert_eq(e.expires_at, 0);
}

Test(acl, a_list)
{
    struct acl_list w;
    cr_assert_null(acl_read(
        a,
        tree("{'default_policy':'closed','entries':["
             "{'id':'maker','principal_id':'maker','permission':'admin'},"
             "{'id':'7','principal_id':'x'},{'principal_id':'y'}]}"),
        NOW, &w));
    cr_assert(w.closed);
    cr_assert_eq(w.n, 2); /* a tie is no entry */
    cr_assert(str_is(w.v[0].agent, "x") && str_is(w.v[1].agent, "y"));
    cr_assert_null(acl_read(a, tree("{'default_policy':'open'}"), NOW, &w));
    cr_assert(!w.closed && w.n == 0);
    cr_assert_str_eq(
        acl_read(a, tree("{'default_policy':'open','entries':["
                         "{'principal_id':'x'},{'principal_id':'x'}]}"),
                 NOW, &w)
            ->code,
        "acl.twice");
}

Test(acl, what_the_log_says)
{
    const struct acl_entry v[] = {
        {.id = STR("1"), .agent = STR("x"), .permission = ACCESS_WRITE},
        {.id = STR("2"), .agent = STR("y"), .permission = ACCESS_READ}};
    const struct json *one = acl_payload(a, v, 1, true);
    cr_assert(json_equal(one, tree("{'entry_id':'1','principal_id':'x',"
                                   "'permission':'write',"
                                   "'expires_at':null}")));
    cr_assert(json_equal(acl_payload(a, v, 2, false),
                         tree("{'entries':[{'entry_id':'1',"
                              "'principal_id':'x'},{'entry_id':'2',"
                              "'principal_id':'y'}]}")));
}

static struct suspension asked(const char *permission)
{
    struct suspension s = {.id = STR("s1")};
    struct buf b = buf_make(a, 500);
    buf_put(&b, "{'principal_id':'x','reason':'r','requested_permission':'");
    buf_put(&b, permission);
    buf_put(&b, "'}");
    cr_assert_null(
        side_question_read_access(a, tree(arena_z(a, buf_text(&b))), &s));
    return s;
}

/* As much as was asked for, or less; the refusal stands first. */
Test(acl, the_choices_of_a_request)
{
    static const char *const words[] = {"read", "write", "admin"};
    for (size_t n = 0; n < countof(words); n++) {
        const struct suspension s = asked(words[n]);
        const struct json *choices = json_read(a, s.choices);
        cr_assert_eq(json_count(choices), n + 2);
        cr_assert(str_is(json_get_text(json_at(choices, 0), "value"),
                         "deny"));
        for (size_t i = 0; i <= n; i++) {
            const struct str value =
                json_get_text(json_at(choices, i + 1), "value");
            cr_assert(str_is(value, words[i]));
            cr_assert(side_question_access_words(value).n > 0);
        }
        cr_assert(side_question(&s) && !side_question_of_plan(&s));
    }
    cr_assert_null(side_question_access_words(STR("deny")).p);
}

Test(acl, only_a_yes_gives_access)
{
    struct suspension s = asked("write");
    s.response = STR("\"write\"");
    cr_assert_eq(side_question_granted(a, &s), ACCESS_NONE);
    s.outcome = OUTCOME_VETOED;
    cr_assert_eq(side_question_granted(a, &s), ACCESS_NONE);
    s.outcome = OUTCOME_FALLBACK;
    cr_assert_eq(side_question_granted(a, &s), ACCESS_NONE);
    s.outcome = OUTCOME_AUTHORIZED;
    cr_assert_eq(side_question_granted(a, &s), ACCESS_WRITE);
}

/* Authorization details: which are some, and how they are narrowed. */
#include "domain/permit/permit_details.h"
#include "suite.h"

SUITE(permit_details);

#define REFUND                                                                 \
    "{'type':'tool_call','tool':'shop.refund','arguments':{'order':'12345',"   \
    "'currency':'EUR'},'constraints':{'amount':'50.00'}}"

Test(permit_details, what_has_the_form_is_taken)
{
    static const char *const rows[] = {
        "[" REFUND "]",
        "[" REFUND "," REFUND "]",
        "[{'type':'tool_call','tool':'t','arguments':{}}]",
        "[{'type':'tool_call','tool':'t','arguments':{'a':null,'b':{}}}]",
        ("[{'type':'tool_call','tool':'t','arguments':{},'constraints':{"
         "'n':0,'d':1.5,'t':'EUR','b':false,'l':[null,{}]}}]"),
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_assert(!permit_details_check(a, tree(rows[i]), STR("x")), "%s",
                  rows[i]);
}

Test(permit_details, all_else_is_refused_at_its_place)
{
#define D(rest_)                                                               \
    "[{'type':'tool_call','tool':'t','arguments':{'a':1}" rest_ "}]"
    static const struct {
        const char *list, *at;
    } rows[] = {
        {"{}", "d"},
        {"[]", "d"},
        {"'x'", "d"},
        {"[1]", "d[0]"},
        {"[" REFUND ",null]", "d[1]"},
        {"[{}]", "d[0].type"},
        {"[{'type':'payment','tool':'t','arguments':{}}]", "d[0].type"},
        {"[{'type':1,'tool':'t','arguments':{}}]", "d[0].type"},
        {"[{'type':'tool_call','arguments':{}}]", "d[0].tool"},
        {"[{'type':'tool_call','tool':'','arguments':{}}]", "d[0].tool"},
        {"[{'type':'tool_call','tool':'a b','arguments':{}}]", "d[0].tool"},
        {"[{'type':'tool_call','tool':['t'],'arguments':{}}]", "d[0].tool"},
        {"[{'type':'tool_call','tool':'t'}]", "d[0].arguments"},
        {"[{'type':'tool_call','tool':'t','arguments':'{}'}]",
         "d[0].arguments"},
        {D(",'constraints':null"), "d[0].constraints"},
        {D(",'constraints':[]"), "d[0].constraints"},
        {D(",'actions':['x']"), "d[0].actions"},
        {D(",'constraints':{'n':-1}"), "d[0].constraints.n"},
        {D(",'constraints':{'n':-0.5}"), "d[0].constraints.n"},
        {D(",'constraints':{'n':null}"), "d[0].constraints.n"},
        {D(",'constraints':{'n':{}}"), "d[0].constraints.n"},
        {D(",'constraints':{'n':[]}"), "d[0].constraints.n"},
        {D(",'constraints':{'a':1}"), "d[0].constraints.a"},
    };
    for (size_t i = 0; i < countof(rows); i++)
        expect(permit_details_check(a, tree(rows[i].list), STR("d")),
               "permit.details", rows[i].at, rows[i].list);
}

Test(permit_details, there_are_at_most_fifty)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < PERMIT_DETAILS_MAX; i++)
        json_add_json(list, tree(REFUND));
    cr_assert(!permit_details_check(a, list, STR("d")));
    json_add_json(list, tree(REFUND));
    expect(permit_details_check(a, list, STR("d")), "permit.details", "d",
           "51");
}

Test(permit_details, calls_become_exact_ones)
{
    same(permit_details_of_calls(
             a, tree("[{'tool':'t','args':{'a':1}},{'tool':'u'}]"), false),
         "[{'type':'tool_call','tool':'t','arguments':{'a':1}},"
         "{'type':'tool_call','tool':'u','arguments':{}}]");
    /* Steps of a plan: those that call something. */
    same(permit_details_of_calls(a,
                                 tree("[{'id':'a','title':'Think'},"
                                      "{'tool':'t'},"
                                      "{'tool':'u','args':{}}]"),
                                 true),
         "[{'type':'tool_call','tool':'u','arguments':{}}]");
    cr_assert_null(permit_details_of_calls(a, tree("[]"), false));
    cr_assert_null(permit_details_of_calls(a, NULL, false));
    cr_assert_null(permit_details_of_calls(a, tree("[{'tool':'a b'}]"), false));
    cr_assert_null(permit_details_of_calls(
        a, tree("[{'tool':'t','args':[]}]"), false));
}

Test(permit_details, an_action_becomes_one)
{
    static const struct {
        const char *action, *code, *at;
    } rows[] = {
        {"{'provider':'shop','action':'refund','params':{'a':1}}", NULL, NULL},
        {"{'provider':'shop'}", "field.missing", "s.action"},
        {"{'action':'refund'}", "field.missing", "s.provider"},
        {"{'provider':'','action':'refund'}", "permit.details", "s"},
        {"{'provider':'a b','action':'refund'}", "permit.details", "s"},
        {"{'provider':'shop','action':'x','params':[]}", "field.type",
         "s.params"},
        {"{'provider':'shop','action':'x','limit':1}", "field.unknown",
         "s.limit"},
        {"[]", "body.not_object", "s"},
    };
    struct json *list = NULL;
    for (size_t i = 0; i < countof(rows); i++) {
        const struct err *e = permit_details_of_action(
            a, tree(rows[i].action), STR("s"), &list);
        if (rows[i].code)
            expect(e, rows[i].code, rows[i].at, rows[i].action);
        else
            same(list, "[{'type':'tool_call','tool':'shop.refund',"
                       "'arguments':{'a':1}}]");
    }
}

Test(permit_details, the_limits_of_one_call_are_no_longer_exact)
{
    struct json *one = permit_details_of_calls(
        a, tree("[{'tool':'t','args':{'a':'9.00','b':1}}]"), false);
    cr_assert(!permit_details_limit(a, one, tree("{'a':'10.00'}"), STR("c")));
    same(one, "[{'type':'tool_call','tool':'t','arguments':{'b':1},"
              "'constraints':{'a':'10.00'}}]");
    cr_assert(!permit_details_check(a, one, STR("d")));
    expect(permit_details_limit(a, one, tree("{'a':null}"), STR("c")),
           "permit.details", "c.a", "null");
    struct json *two = permit_details_of_calls(
        a, tree("[{'tool':'t'},{'tool':'u'}]"), false);
    expect(permit_details_limit(a, two, tree("{'a':1}"), STR("c")),
           "permit.details", "c", "two calls");
}

Test(permit_details, limits_have_their_details_place_where_there_are_several)
{
    same(permit_details_limits(a, tree("[" REFUND "]")), "{'amount':'50.00'}");
    same(permit_details_limits(a, tree("[" REFUND "," REFUND "]")),
         "{'1.amount':'50.00','2.amount':'50.00'}");
    cr_assert_null(permit_details_limits(
        a, tree("[{'type':'tool_call','tool':'t','arguments':{}}]")));
}

/* Tests 33 and 34 of the specification. */
Test(permit_details, an_answer_only_narrows)
{
#define ASKED                                                                  \
    "[{'type':'tool_call','tool':'t','arguments':{'order':'1'},"               \
    "'constraints':{'amount':'50.00','n':5,'currency':'EUR',"                  \
    "'lands':['DE','FR'],'dry':true}}]"
    static const struct {
        const char *limits, *code, *at;
    } rows[] = {
        {"{}", NULL, NULL},
        {"{'amount':'30.00'}", NULL, NULL},
        {"{'amount':'50'}", NULL, NULL},
        {"{'amount':'0'}", NULL, NULL},
        {"{'n':4.5}", NULL, NULL},
        {"{'lands':['FR']}", NULL, NULL},
        {"{'currency':'EUR','dry':true}", NULL, NULL},
        {"{'amount':'60.00'}", "amend.wider", "constraints.amount"},
        {"{'amount':'50.000001'}", "amend.wider", "constraints.amount"},
        {"{'amount':30}", "amend.wider", "constraints.amount"},
        {"{'amount':'-1'}", "amend.wider", "constraints.amount"},
        {"{'amount':'3e1'}", "amend.wider", "constraints.amount"},
        {"{'amount':null}", "amend.wider", "constraints.amount"},
        {"{'n':6}", "amend.wider", "constraints.n"},
        {"{'n':'4'}", "amend.wider", "constraints.n"},
        {"{'currency':'USD'}", "amend.wider", "constraints.currency"},
        {"{'lands':['DE','FR','US']}", "amend.wider", "constraints.lands"},
        {"{'lands':['US']}", "amend.wider", "constraints.lands"},
        {"{'dry':false}", "amend.wider", "constraints.dry"},
        {"{'order':'1'}", "amend.unknown", "constraints.order"},
        {"{'1.amount':'1'}", "amend.unknown", "constraints.1.amount"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct json *now = NULL;
        const struct err *e = permit_details_narrow(
            a, tree(ASKED), tree(rows[i].limits), &now);
        if (rows[i].code)
            expect(e, rows[i].code, rows[i].at, rows[i].limits);
        else
            cr_assert(!e, "%s", rows[i].limits);
    }
    struct json *now = NULL;
    const struct json *asked = tree(ASKED);
    cr_assert(!permit_details_narrow(a, asked, tree("{'amount':'30.00'}"),
                                     &now));
    same(now, "[{'type':'tool_call','tool':'t','arguments':{'order':'1'},"
              "'constraints':{'amount':'30.00','n':5,'currency':'EUR',"
              "'lands':['DE','FR'],'dry':true}}]");
    same(asked, ASKED);
    cr_assert(!permit_details_narrow(a, asked, NULL, &now));
    same(now, ASKED);
}

Test(permit_details, of_several_the_named_one_is_narrowed)
{
    struct json *now = NULL;
    cr_assert(!permit_details_narrow(a, tree("[" REFUND "," REFUND "]"),
                                     tree("{'2.amount':'1.00'}"), &now));
    same(permit_details_limits(a, now),
         "{'1.amount':'50.00','2.amount':'1.00'}");
    expect(permit_details_narrow(a, tree("[" REFUND "," REFUND "]"),
                                 tree("{'amount':'1.00'}"), &now),
           "amend.unknown", "constraints.amount", "no place");
}

Test(permit_details, the_text_is_canonical)
{
    struct str text = STR_NONE;
    cr_assert(!permit_details_text(
        a, tree("[{'tool':'t','arguments':{'b':1.10,'a':1}}]"), &text));
    cr_assert(str_eq(text,
                     json_of("[{'arguments':{'a':1,'b':1.1},'tool':'t'}]")));
}

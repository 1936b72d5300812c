/* Does a permit cover a call? Tests 33 to 37 of the specification. */
#include "domain/permit/permit_covers.h"
#include "suite.h"

SUITE(permit_covers);

#define GRANTED                                                                \
    "[{'type':'tool_call','tool':'shop.refund','arguments':{'order':'12345',"  \
    "'currency':'EUR'},'constraints':{'amount':'30.00'}}]"

static void check(const char *granted, const char *tool, const char *arguments,
                  const char *code, const char *at)
{
    const struct json *detail = NULL;
    const struct err *e = permit_covers(a, tree(granted), str_of(tool),
                                        tree(arguments), &detail);
    if (!code) {
        cr_assert(!e, "%s: %s", arguments, e ? e->code : "");
        cr_assert(detail);
        return;
    }
    cr_assert(e, "%s: %s is missing", arguments, code);
    cr_assert_str_eq(e->code, code, "%s", arguments);
    cr_assert_eq(e->kind, ERR_INVALID);
    cr_assert(str_is(e->at, at), "%s: %.*s", arguments, STR_FMT(e->at));
}

Test(permit_covers, a_call_is_exactly_what_was_granted)
{
#define CALL(amount_) "{'currency':'EUR','amount':" amount_ ",'order':'12345'}"
    static const struct {
        const char *tool, *arguments, *code, *at;
    } rows[] = {
        {"shop.refund", CALL("'30.00'"), NULL, NULL},
        {"shop.refund", CALL("'30'"), NULL, NULL},
        {"shop.refund", CALL("'0.000001'"), NULL, NULL},
        {"shop.refund", CALL("'49.90'"), "permit.limit", "amount"},
        {"shop.refund", CALL("'30.000001'"), "permit.limit", "amount"},
        {"shop.refund", CALL("30"), "permit.limit", "amount"},
        {"shop.refund", CALL("5e0"), "permit.limit", "amount"},
        {"shop.refund", CALL("'5e0'"), "permit.limit", "amount"},
        {"shop.refund", CALL("'-1'"), "permit.limit", "amount"},
        {"shop.refund", CALL("' 1'"), "permit.limit", "amount"},
        {"shop.refund", CALL("null"), "permit.limit", "amount"},
        {"shop.refund", CALL("['1']"), "permit.limit", "amount"},
        {"shop.refund", "{'order':'12345','currency':'EUR'}",
         "permit.missing", "amount"},
        {"shop.refund", "{'amount':'1','order':'12345'}", "permit.missing",
         "currency"},
        {"shop.refund", "{}", "permit.missing", "order"},
        {"shop.refund",
         "{'order':'12345','currency':'EUR','amount':'1','to':'me'}",
         "permit.extra", "to"},
        {"shop.refund",
         "{'order':'12345','currency':'EUR','amount':'1','x':null}",
         "permit.extra", "x"},
        {"shop.refund", "{'order':'12346','currency':'EUR','amount':'1'}",
         "permit.other", "order"},
        {"shop.refund", "{'order':12345,'currency':'EUR','amount':'1'}",
         "permit.other", "order"},
        {"shop.refund", "{'order':'12345','currency':'KWD','amount':'1'}",
         "permit.other", "currency"},
        {"shop.refund_all", CALL("'1'"), "permit.tool", "tool"},
        {"Shop.refund", CALL("'1'"), "permit.tool", "tool"},
        {"", CALL("'1'"), "permit.tool", "tool"},
        {"shop.refund", "[]", "tool_call.arguments", "arguments"},
    };
    for (size_t i = 0; i < countof(rows); i++)
        check(GRANTED, rows[i].tool, rows[i].arguments, rows[i].code,
              rows[i].at);
}

Test(permit_covers, each_limit_has_its_own_order)
{
#define LIMIT(v_)                                                              \
    "[{'type':'tool_call','tool':'t','arguments':{},'constraints':{'x':" v_    \
    "}}]"
    static const struct {
        const char *granted, *arguments;
        bool covered;
    } rows[] = {
        {LIMIT("5"), "{'x':5}", true},
        {LIMIT("5"), "{'x':4.5}", true},
        {LIMIT("5"), "{'x':0}", true},
        {LIMIT("5"), "{'x':5.0000001}", false},
        {LIMIT("5"), "{'x':-1}", false},
        {LIMIT("5"), "{'x':'5'}", false},
        {LIMIT("5"), "{'x':true}", false},
        {LIMIT("9007199254740992"), "{'x':9007199254740993}", false},
        {LIMIT("9007199254740992"), "{'x':9007199254740993.0}", false},
        {LIMIT("100"), "{'x':100.00000000000000000000000001}", false},
        {LIMIT("100"), "{'x':99.99999999999999999999999}", true},
        {LIMIT("['DE','FR']"), "{'x':'FR'}", true},
        {LIMIT("['DE','FR']"), "{'x':['FR']}", false},
        {LIMIT("['DE','FR']"), "{'x':'fr'}", false},
        {LIMIT("['DE',null]"), "{'x':null}", true},
        {LIMIT("[]"), "{'x':null}", false},
        {LIMIT("[1]"), "{'x':1.0}", true},
        {LIMIT("true"), "{'x':true}", true},
        {LIMIT("true"), "{'x':false}", false},
        {LIMIT("true"), "{'x':1}", false},
        {LIMIT("'EUR'"), "{'x':'EUR'}", true},
        {LIMIT("'EUR'"), "{'x':'USD'}", false},
        {LIMIT("'-5'"), "{'x':'-5'}", true},
        {LIMIT("'-5'"), "{'x':'-6'}", false},
        {LIMIT("null"), "{'x':null}", false},
        {LIMIT("{}"), "{'x':{}}", false},
    };
    for (size_t i = 0; i < countof(rows); i++)
        check(rows[i].granted, "t", rows[i].arguments,
              rows[i].covered ? NULL : "permit.limit", "x");
}

Test(permit_covers, exact_members_are_equal_in_value_whatever_their_order)
{
#define EXACT                                                                  \
    "[{'type':'tool_call','tool':'t','arguments':{'a':{'x':1,'y':[1,2]},"      \
    "'n':null}}]"
    check(EXACT, "t", "{'n':null,'a':{'y':[1,2.0],'x':1}}", NULL, NULL);
    check(EXACT, "t", "{'n':null,'a':{'y':[2,1],'x':1}}", "permit.other", "a");
    check(EXACT, "t", "{'n':null,'a':{'y':[1,2],'x':1,'z':0}}",
          "permit.other", "a");
    check(EXACT, "t", "{'n':0,'a':{'y':[1,2],'x':1}}", "permit.other", "n");
}

Test(permit_covers, one_of_several_details_is_enough_and_never_half_of_two)
{
#define TWO                                                                    \
    "[{'type':'tool_call','tool':'t','arguments':{'a':1,'b':1}},"              \
    "{'type':'tool_call','tool':'t','arguments':{'a':2,'b':2}},"               \
    "{'type':'spend','tool':'u','max':5,'unit':'EUR','arguments':{}}]"
    check(TWO, "t", "{'a':1,'b':1}", NULL, NULL);
    check(TWO, "t", "{'a':2,'b':2}", NULL, NULL);
    check(TWO, "t", "{'a':1,'b':2}", "permit.other", "b");
    check(TWO, "u", "{}", "permit.tool", "tool");
    check("[]", "t", "{}", "permit.tool", "tool");
    check("[{'type':'capability','capability':'c','target':'t'}]", "t", "{}",
          "permit.tool", "tool");
}

/* ---- the budget ----------------------------------------------------- */

Test(permit_covers, a_budget_counts_a_decimal_limit_in_its_currency)
{
    static const struct {
        const char *budget, *code, *at;
    } rows[] = {
        {"{'amount':'100.00','unit':'EUR','of':'amount'}", NULL, NULL},
        {"{'amount':'100.00','unit':'USD','of':'amount'}", "permit.details",
         "budget.unit"},
        {"{'amount':'100.00','unit':'EUR','of':'order'}", "permit.details",
         "budget.of"},
        {"{'amount':'0.00','unit':'EUR','of':'amount'}", "permit.details",
         "budget.amount"},
        {"{'amount':'-1','unit':'EUR','of':'amount'}", "permit.details",
         "budget.amount"},
        {"{'amount':100,'unit':'EUR','of':'amount'}", "field.type",
         "budget.amount"},
        {"{'amount':'1','unit':' ','of':'amount'}", "permit.details",
         "budget.unit"},
        {"{'amount':'1','of':'amount'}", "field.missing", "budget.unit"},
        {"{'amount':'1','unit':'EUR'}", "field.missing", "budget.of"},
        {"{'amount':'1','unit':'EUR','of':'amount','x':1}", "field.unknown",
         "budget.x"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct permit_covers_budget b;
        const struct err *e = permit_covers_budget_read(
            a, tree(rows[i].budget), STR("budget"), tree(GRANTED), &b);
        cr_assert_eq(e == NULL, rows[i].code == NULL, "%s", rows[i].budget);
        if (!e)
            continue;
        cr_assert_str_eq(e->code, rows[i].code, "%s", rows[i].budget);
        cr_assert(str_is(e->at, rows[i].at), "%s: %.*s", rows[i].budget,
                  STR_FMT(e->at));
    }
}

/* A sum is in one currency: that of every call. */
Test(permit_covers, a_budget_has_one_exact_currency)
{
#define SPEND(arguments_, constraints_)                                        \
    "[{'type':'tool_call','tool':'t','arguments':{" arguments_                 \
    "},'constraints':{'amount':'50.00'" constraints_ "}}]"
    static const struct {
        const char *details;
        bool fine;
    } rows[] = {
        {SPEND("'currency':'EUR'", ""), true},
        {SPEND("'a':1", ""), true},
        {SPEND("'currency':'BTC'", ""), false},
        {SPEND("'Currency':'BTC'", ""), false},
        {SPEND("'currency':null", ""), false},
        {SPEND("'a':1", ",'currency':['EUR','BTC']"), false},
        {SPEND("'a':1", ",'currency':['EUR']"), false},
        {SPEND("'a':1", ",'CURRENCY':['EUR','BTC']"), false},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct permit_covers_budget b;
        const struct err *e = permit_covers_budget_read(
            a, tree("{'amount':'100.00','unit':'EUR','of':'amount'}"),
            STR("budget"), tree(rows[i].details), &b);
        cr_assert_eq(e == NULL, rows[i].fine, "%s", rows[i].details);
        cr_assert(!e || str_is(e->at, "budget.unit"), "%s", rows[i].details);
    }
}

/* Test 37: of two uses of 60 out of 100 one counts. */
Test(permit_covers, a_use_beyond_the_budget_does_not_count)
{
    static const struct {
        const char *spent, *call, *sum;
    } rows[] = {
        {"0", "{'amount':'60.00'}", "60"},
        {"60", "{'amount':'60.00'}", NULL},
        {"60", "{'amount':'40.00'}", "100"},
        {"60", "{'amount':'40.000001'}", NULL},
        {"100", "{'amount':'0.000001'}", NULL},
        {"100", "{'amount':'0'}", "100"},
        {"0", "{'amount':60}", NULL},
        {"0", "{}", NULL},
        {"0.1", "{'amount':'0.2'}", "0.3"},
    };
    const struct permit_covers_budget b = {
        .amount = {100, 0}, .unit = STR("EUR"), .of = STR("amount")};
    for (size_t i = 0; i < countof(rows); i++) {
        struct decimal spent, amount, sum;
        cr_assert(decimal_read(str_of(rows[i].spent), &spent));
        const struct err *e = permit_covers_spend(&b, spent,
                                                  tree(rows[i].call), &amount,
                                                  &sum);
        cr_assert_eq(e == NULL, rows[i].sum != NULL, "row %zu", i);
        if (e) {
            cr_assert_str_eq(e->code, "permit.budget");
            cr_assert_eq(e->kind, ERR_CONFLICT);
        } else {
            cr_assert(str_is(decimal_text(a, sum), rows[i].sum), "row %zu", i);
        }
    }
}

/* ---- several calls --------------------------------------------------- */

#define REFUND(more_) "{'type':'tool_call','tool':'shop.refund'," more_ "}"
#define UP_TO(amount_)                                                         \
    REFUND("'arguments':{},'constraints':{'amount':'" amount_ "'}")

Test(permit_covers, each_call_has_a_detail_of_its_own)
{
    static const struct {
        const char *granted;
        const char *calls; /* of shop.refund: a list of arguments */
        bool each;
    } rows[] = {
        {"[" REFUND("'arguments':{'n':1}") "]", "[{'n':1}]", true},
        {"[" REFUND("'arguments':{'n':1}") "]", "[{'n':1},{'n':1}]", false},
        {"[" REFUND("'arguments':{'n':1}") "," REFUND("'arguments':{'n':2}")
             "]",
         "[{'n':2},{'n':1}]", true},
        {"[" REFUND("'arguments':{'n':1}") "," REFUND("'arguments':{'n':2}")
             "]",
         "[{'n':1},{'n':1}]", false},
        {"[" REFUND("'arguments':{'n':1}") "," REFUND("'arguments':{'n':1}")
             "]",
         "[{'n':1},{'n':1}]", true},
        {"[" REFUND("'arguments':{'n':1}") "]", "[]", true},
        {"[" REFUND("'arguments':{'n':1}") "]", "[{'n':3}]", false},
        {"[]", "[{'n':1}]", false},
        {"[{'type':'spend','tool':'shop.refund'}]", "[{}]", false},
        /* A call that has taken the wider one leaves it to another. */
        {"[" UP_TO("100") "," UP_TO("50") "]",
         "[{'amount':'40'},{'amount':'90'}]", true},
        {"[" UP_TO("100") "," UP_TO("50") "," UP_TO("70") "]",
         "[{'amount':'40'},{'amount':'60'},{'amount':'90'}]", true},
        {"[" UP_TO("100") "," UP_TO("50") "]",
         "[{'amount':'60'},{'amount':'90'}]", false},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct json *list = tree(rows[i].calls);
        const size_t n = json_count(list);
        struct permit_covers_call *calls =
            arena_many(a, n + 1, struct permit_covers_call);
        for (size_t k = 0; k < n; k++)
            calls[k] = (struct permit_covers_call){
                .tool = STR("shop.refund"), .arguments = json_at(list, k)};
        cr_expect_eq(permit_covers_each(a, tree(rows[i].granted), calls, n),
                     rows[i].each, "row %zu", i);
    }
}

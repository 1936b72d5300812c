/* The amount of a question: read exactly or not at all, added in one unit. */
#include "doors/pages/inbox/amount.h"

#include "suite.h"

SUITE(inbox_amount);

/* "1,284.50 EUR", or "" for none. */
static const char *said(const struct amount *m)
{
    return m->unit.p ? arena_z(a, arena_join(a, inbox_amount_text(a, m),
                                             STR(" "), m->unit))
                     : "";
}

static const struct {
    enum kind kind;
    const char *subject, *said;
} cases[] = {
    {KIND_APPROVAL, "{}", ""},
    {KIND_APPROVAL, "{'calls':[]}", ""},
    {KIND_APPROVAL,
     "{'calls':[{'tool':'t','args':{'amount':'499.99','currency':'EUR'}}]}",
     "499.99 EUR"},
    {KIND_APPROVAL,
     "{'calls':[{'tool':'t','args':{'amount':1800,'unit':'USD'}}]}",
     "1,800 USD"},
    {KIND_APPROVAL,
     "{'calls':[{'tool':'t','args':{'amount':12.5,'currency':'EUR'}}]}",
     "12.5 EUR"},
    /* The currency is what counts where there are both. */
    {KIND_APPROVAL,
     "{'calls':[{'args':{'amount':1,'currency':'EUR','unit':'USD'}}]}",
     "1 EUR"},
    /* All calls, but those without one. */
    {KIND_APPROVAL,
     "{'calls':[{'args':{'amount':'1.50','currency':'EUR'}},{'args':{}},"
     "{'args':{'amount':1000,'currency':'EUR'}}]}",
     "1,001.50 EUR"},
    {KIND_APPROVAL,
     "{'calls':[{'args':{'amount':'1','currency':'EUR'}},"
     "{'args':{'amount':'1','currency':'USD'}}]}",
     ""},
    {KIND_APPROVAL,
     "{'calls':[{'args':{'amount':'1','currency':'EUR'}},"
     "{'args':{'amount':'much','currency':'EUR'}}]}",
     ""},
    {KIND_APPROVAL,
     "{'calls':[{'args':{'amount':'1','currency':'EUR'}},"
     "{'args':{'amount':null,'currency':'EUR'}}]}",
     ""},
    {KIND_APPROVAL, "{'calls':[{'args':{'amount':'1'}}]}", ""},
    {KIND_APPROVAL, "{'calls':[{'args':{'amount':'1','currency':' '}}]}", ""},
    {KIND_APPROVAL, "{'calls':[{'args':{'amount':'1','currency':7}}]}", ""},
    {KIND_APPROVAL,
     "{'calls':[{'args':{'amount':'1','currency':'EUR of mine'}}]}",
     "1 EUR of mine"},
    {KIND_APPROVAL,
     "{'calls':[{'args':{'amount':'1','currency':'EUR (not yet)'}}]}", ""},
    {KIND_APPROVAL, "{'calls':[{'args':{'amount':'-1','currency':'EUR'}}]}",
     ""},
    {KIND_APPROVAL, "{'calls':[{'args':{'amount':-1,'currency':'EUR'}}]}", ""},
    {KIND_APPROVAL, "{'calls':[{'args':{'amount':'1e3','currency':'EUR'}}]}",
     ""},
    {KIND_APPROVAL, "{'calls':[{'args':{'amount':1e30,'currency':'EUR'}}]}",
     ""},
    {KIND_APPROVAL, "{'calls':[{'args':{'amount':'1,5','currency':'EUR'}}]}",
     ""},
    {KIND_APPROVAL,
     "{'calls':[{'args':{'amount':'9999999999999999','currency':'EUR'}}]}",
     ""},
    {KIND_APPROVAL, "{'calls':{'args':{'amount':'1','currency':'EUR'}}}", ""},
    {KIND_APPROVAL, "{'calls':['1 EUR',{'args':'1 EUR'}]}", ""},
    {KIND_COST_CONFIRMATION, "{'limit':{'amount':1800,'unit':'USD'}}",
     "1,800 USD"},
    {KIND_COST_CONFIRMATION, "{'estimate':{'amount':1,'unit':'USD'}}", ""},
    {KIND_PERMISSION,
     "{'calls':[{'args':{'amount':'1','currency':'EUR'}}]}", ""},
};

Test(inbox_amount, of)
{
    for (size_t i = 0; i < countof(cases); i++) {
        const struct amount m =
            amount_of(cases[i].kind, tree(cases[i].subject));
        cr_assert_str_eq(said(&m), cases[i].said, "%s", cases[i].subject);
    }
}

Test(inbox_amount, add)
{
    struct amount sum = {{9999, 990000}, 2, {"EUR", 3}};
    const struct amount more = {{0, 10000}, 2, {"EUR", 3}};
    const struct amount fine = {{0, 1}, 6, {"EUR", 3}};
    const struct amount other = {{1, 0}, 0, {"eur", 3}};
    const struct amount most = {{999999999999999, 0}, 0, {"EUR", 3}};
    amount_add(&sum, &more);
    cr_assert_str_eq(said(&sum), "10,000.00 EUR");
    cr_assert(str_is(amount_plain(a, &sum), "10000.00"));
    amount_add(&sum, &fine);
    cr_assert_str_eq(said(&sum), "10,000.000001 EUR");
    struct amount wrong = sum;
    amount_add(&wrong, &other);
    cr_assert_str_eq(said(&wrong), "");
    wrong = sum;
    amount_add(&wrong, &most);
    cr_assert_str_eq(said(&wrong), "");
    amount_add(&wrong, &more);
    cr_assert_str_eq(said(&wrong), "");
}

/* The parts of an edited subject that go beyond the request. */
#include "domain/question/exceed.h"
#include "suite.h"

SUITE(exceed);

#define SUBJECT                                                               \
    "{'action':{'name':'Refund','provider':'Payments'},'target':'KES-EU-1',"  \
    "'scope_summary':'One refund','consequence':'Money leaves',"              \
    "'reversible':false,'calls':[{'tool':'payments.refund','args':{"          \
    "'amount':499.99,'text':'499.99','order':'KES-EU-1','note':'A kind "      \
    "word','to':['a@example.com'],'dry_run':true,'count':3,'order_id':77,"    \
    "'currency':'EUR','iban':'DE1'}}],'constraints':{'amount':499.99,"        \
    "'currency':'EUR','max_count':5,'lands':['DE','FR']},"                    \
    "'authorization_details':[{'type':'refund'}]}"

struct change {
    const char *was, *now; /* in the text of the subject */
    const char *path;      /* NULL: nothing is beyond */
    enum exceed_grade grade;
    const char *why; /* how its sentence begins */
};

static struct str replaced(const char *was, const char *now)
{
    const struct str s = str_of(SUBJECT);
    struct buf b = buf_make(a, s.n + 256);
    const size_t at = str_search(s, str_of(was));
    cr_assert(at < s.n, "%s", was);
    buf_str(&b, str_sub(s, 0, at));
    buf_put(&b, now);
    buf_str(&b, str_sub(s, at + strlen(was), s.n));
    return buf_text(&b);
}

static void check(const struct change *c)
{
    struct exceed e;
    const struct json *asked = tree(SUBJECT);
    const struct json *allowed =
        tree(arena_z(a, replaced(c->was, c->now)));
    exceed(a, asked, allowed, &e);
    cr_assert_eq(e.grade, c->grade, "%s: %d", c->now, e.grade);
    cr_assert_eq(e.n, c->path ? 1 : 0, "%s: %zu", c->now, e.n);
    if (!c->path)
        return;
    cr_assert(str_is(e.rows[0].path, c->path), "%s: %.*s", c->now,
              STR_FMT(e.rows[0].path));
    cr_assert(str_starts(e.rows[0].why, str_of(c->why)), "%s: %.*s", c->now,
              STR_FMT(e.rows[0].why));
    cr_assert_eq(e.rows[0].grade, c->grade, "%s", c->now);
    cr_assert_eq(exceed_row(&e, e.rows[0].asked, e.rows[0].allowed),
                 &e.rows[0]);
    cr_assert(!exceed_row(&e, asked, allowed));
}

#define ARG "calls[0].args."

Test(exceed, A1_what_is_beyond_and_what_it_needs)
{
    static const struct change changes[] = {
        /* above a limit */
        {"'amount':499.99", "'amount':4999.99", ARG "amount", EXCEED_TYPED,
         "Above the stated limit, 499.99."},
        {"'count':3", "'count':6", ARG "count", EXCEED_TYPED,
         "Above the stated limit, 5."},
        {"'currency':'EUR','iban'", "'currency':'KWD','iban'",
         ARG "currency", EXCEED_TYPED, "Outside the stated limit, EUR."},
        {"'amount':499.99", "'amount':'much'", ARG "amount", EXCEED_TYPED,
         "Above the stated limit"},
        {"{'amount':499.99,'currency'", "{'amount':500,'currency'",
         "constraints.amount", EXCEED_TYPED, "Different from the stated"},
        {"'max_count':5,", "", "constraints.max_count", EXCEED_TYPED,
         "A stated limit is removed."},
        {"['DE','FR']", "['DE','FR','US']", "constraints.lands[2]",
         EXCEED_TYPED, "Different from the stated"},
        /* another tool, call, target, right */
        {"payments.refund'", "payments.refund_all'", "calls[0].tool",
         EXCEED_TYPED, "Different tool."},
        {"'Refund'", "'Refund all'", "action.name", EXCEED_TYPED,
         "Different tool."},
        {"'iban':'DE1'}}]", "'iban':'DE1'}},{'tool':'x'}]", "calls[1]",
         EXCEED_TYPED, "Different call."},
        {"'target':'KES-EU-1'", "'target':'KES-EU-2'", "target",
         EXCEED_TYPED, "Different target."},
        {"'order':'KES-EU-1'", "'order':'KES-EU-2'", ARG "order",
         EXCEED_TYPED, "Different target."},
        {"'type':'refund'", "'type':'all'", "authorization_details[0].type",
         EXCEED_TYPED, "Different permission."},
        /* more than was asked */
        {"'count':3", "'count':4", ARG "count", EXCEED_REASON,
         "Above the requested value, 3."},
        {"'count':3", "'count':-3", ARG "count", EXCEED_REASON,
         "Below zero"},
        {"'text':'499.99'", "'text':'500.00'", ARG "text", EXCEED_REASON,
         "Above the requested value, 499.99."},
        {"['a@example.com']", "['a@example.com','b@example.com']",
         ARG "to[1]", EXCEED_REASON, "More than was requested."},
        {"['a@example.com']", "['b@example.com']", ARG "to[0]",
         EXCEED_REASON, "Different value."},
        {"'dry_run':true", "'dry_run':false", ARG "dry_run", EXCEED_REASON,
         "Switched"},
        {"'dry_run':true", "'dry_run':'no'", ARG "dry_run", EXCEED_REASON,
         "Different type."},
        {"'dry_run':true,", "", ARG "dry_run", EXCEED_REASON, "Removed"},
        {"'dry_run':true,", "'dry_run':true,'force':1,", ARG "force",
         EXCEED_REASON, "Not in the request."},
        {"'order_id':77", "'order_id':76", ARG "order_id", EXCEED_REASON,
         "Different value."},
        {"'iban':'DE1'", "'iban':'DE2'", ARG "iban", EXCEED_REASON,
         "Different value."},
        /* what is claimed */
        {"'reversible':false", "'reversible':true", "reversible",
         EXCEED_REASON, "Different statement"},
        {"Money leaves", "None", "consequence", EXCEED_REASON,
         "Different statement"},
        /* less, or other words */
        {"'amount':499.99", "'amount':400", NULL, EXCEED_NOT, ""},
        {"'text':'499.99'", "'text':'99.00'", NULL, EXCEED_NOT, ""},
        {"A kind word", "A kinder word", NULL, EXCEED_NOT, ""},
        {"['a@example.com']", "[]", NULL, EXCEED_NOT, ""},
        {"['DE','FR']", "['FR']", NULL, EXCEED_NOT, ""},
        {"{'amount':499.99,'currency'", "{'amount':400,'currency'", NULL,
         EXCEED_NOT, ""},
        {"'count':3", "'count':3.0", NULL, EXCEED_NOT, ""},
    };
    for (size_t i = 0; i < countof(changes); i++)
        check(&changes[i]);
}

Test(exceed, A1_many_have_no_row_each_and_still_count)
{
    struct json *asked = json_object(a), *allowed = json_object(a);
    struct exceed e;
    for (int i = 0; i < EXCEED_ROWS + 7; i++) {
        struct buf b = buf_make(a, 16);
        buf_printf(&b, "k%d", i);
        json_set_int(asked, arena_z(a, buf_text(&b)), 1);
        json_set_int(allowed, arena_z(a, buf_text(&b)), 2);
    }
    json_set_text(asked, "target", STR("a"));
    json_set_text(allowed, "target", STR("b"));
    exceed(a, asked, allowed, &e);
    cr_assert_eq(e.n, EXCEED_ROWS);
    cr_assert_eq(e.more, 8);
    cr_assert_eq(e.grade, EXCEED_TYPED);
}

Test(exceed, A1_nothing_is_beyond_itself)
{
    struct exceed e;
    exceed(a, tree(SUBJECT), tree(SUBJECT), &e);
    cr_assert_eq(e.grade, EXCEED_NOT);
    cr_assert_eq(e.n + e.more, 0);
    exceed(a, tree("{}"), tree("{}"), &e);
    cr_assert_eq(e.grade, EXCEED_NOT);
}

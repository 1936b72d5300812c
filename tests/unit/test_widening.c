/* The parts of an edited subject that go beyond the request. */
#include "domain/question/widening.h"
#include "suite.h"

SUITE(widening);

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
    enum widening_grade grade;
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
    struct widening e;
    const struct json *asked = tree(SUBJECT);
    const struct json *allowed =
        tree(arena_z(a, replaced(c->was, c->now)));
    widening_find(a, asked, allowed, &e);
    cr_assert_eq(e.grade, c->grade, "%s: %d", c->now, e.grade);
    cr_assert_eq(e.n, c->path ? 1 : 0, "%s: %zu", c->now, e.n);
    if (!c->path)
        return;
    cr_assert(str_is(e.rows[0].path, c->path), "%s: %.*s", c->now,
              STR_FMT(e.rows[0].path));
    cr_assert(str_starts(e.rows[0].why, str_of(c->why)), "%s: %.*s", c->now,
              STR_FMT(e.rows[0].why));
    cr_assert_eq(e.rows[0].grade, c->grade, "%s", c->now);
    cr_assert_eq(widening_row(&e, e.rows[0].asked, e.rows[0].allowed),
                 &e.rows[0]);
    cr_assert(!widening_row(&e, asked, allowed));
}

#define ARG "calls[0].args."

Test(widening, A1_what_is_beyond_and_what_it_needs)
{
    static const struct change changes[] = {
        /* above a limit */
        {"'amount':499.99", "'amount':4999.99", ARG "amount", WIDENING_TYPED,
         "Above the stated limit, 499.99."},
        {"'count':3", "'count':6", ARG "count", WIDENING_TYPED,
         "Above the stated limit, 5."},
        {"'currency':'EUR','iban'", "'currency':'KWD','iban'", ARG "currency",
         WIDENING_TYPED, "Outside the stated limit, EUR."},
        {"'amount':499.99", "'amount':'much'", ARG "amount", WIDENING_TYPED,
         "Above the stated limit"},
        {"{'amount':499.99,'currency'", "{'amount':500,'currency'",
         "constraints.amount", WIDENING_TYPED, "Different from the stated"},
        {"'max_count':5,", "", "constraints.max_count", WIDENING_TYPED,
         "A stated limit is removed."},
        {"['DE','FR']", "['DE','FR','US']", "constraints.lands[2]",
         WIDENING_TYPED, "Different from the stated"},
        /* another tool, call, target, right */
        {"payments.refund'", "payments.refund_all'", "calls[0].tool",
         WIDENING_TYPED, "Different tool."},
        {"'Refund'", "'Refund all'", "action.name", WIDENING_TYPED,
         "Different tool."},
        {"'iban':'DE1'}}]", "'iban':'DE1'}},{'tool':'x'}]", "calls[1]",
         WIDENING_TYPED, "Different call."},
        {"'target':'KES-EU-1'", "'target':'KES-EU-2'", "target",
         WIDENING_TYPED, "Different target."},
        {"'order':'KES-EU-1'", "'order':'KES-EU-2'", ARG "order",
         WIDENING_TYPED, "Different target."},
        {"'type':'refund'", "'type':'all'", "authorization_details[0].type",
         WIDENING_TYPED, "Different permission."},
        /* more than was asked */
        {"'count':3", "'count':4", ARG "count", WIDENING_REASON,
         "Above the requested value, 3."},
        {"'count':3", "'count':-3", ARG "count", WIDENING_REASON,
         "Below zero"},
        {"'text':'499.99'", "'text':'500.00'", ARG "text", WIDENING_REASON,
         "Above the requested value, 499.99."},
        {"['a@example.com']", "['a@example.com','b@example.com']", ARG "to[1]",
         WIDENING_REASON, "More than was requested."},
        {"['a@example.com']", "['b@example.com']", ARG "to[0]",
         WIDENING_REASON, "Different value."},
        {"'dry_run':true", "'dry_run':false", ARG "dry_run", WIDENING_REASON,
         "Switched"},
        {"'dry_run':true", "'dry_run':'no'", ARG "dry_run", WIDENING_REASON,
         "Different type."},
        {"'dry_run':true,", "", ARG "dry_run", WIDENING_REASON, "Removed"},
        {"'dry_run':true,", "'dry_run':true,'force':1,", ARG "force",
         WIDENING_REASON, "Not in the request."},
        {"'order_id':77", "'order_id':76", ARG "order_id", WIDENING_REASON,
         "Different value."},
        {"'iban':'DE1'", "'iban':'DE2'", ARG "iban", WIDENING_REASON,
         "Different value."},
        /* what is claimed */
        {"'reversible':false", "'reversible':true", "reversible",
         WIDENING_REASON, "Different statement"},
        {"Money leaves", "None", "consequence", WIDENING_REASON,
         "Different statement"},
        /* less, or other words */
        {"'amount':499.99", "'amount':400", NULL, WIDENING_NOT, ""},
        {"'text':'499.99'", "'text':'99.00'", NULL, WIDENING_NOT, ""},
        {"A kind word", "A kinder word", NULL, WIDENING_NOT, ""},
        {"['a@example.com']", "[]", NULL, WIDENING_NOT, ""},
        {"['DE','FR']", "['FR']", NULL, WIDENING_NOT, ""},
        {"{'amount':499.99,'currency'", "{'amount':400,'currency'", NULL,
         WIDENING_NOT, ""},
        {"'count':3", "'count':3.0", NULL, WIDENING_NOT, ""},
    };
    for (size_t i = 0; i < countof(changes); i++)
        check(&changes[i]);
}

Test(widening, A1_many_have_no_row_each_and_still_count)
{
    struct json *asked = json_object(a), *allowed = json_object(a);
    struct widening e;
    for (int i = 0; i < WIDENING_ROWS + 7; i++) {
        struct buf b = buf_make(a, 16);
        buf_printf(&b, "k%d", i);
        json_set_int(asked, arena_z(a, buf_text(&b)), 1);
        json_set_int(allowed, arena_z(a, buf_text(&b)), 2);
    }
    json_set_text(asked, "target", STR("a"));
    json_set_text(allowed, "target", STR("b"));
    widening_find(a, asked, allowed, &e);
    cr_assert_eq(e.n, WIDENING_ROWS);
    cr_assert_eq(e.more, 8);
    cr_assert_eq(e.grade, WIDENING_TYPED);
}

Test(widening, A1_nothing_is_beyond_itself)
{
    struct widening e;
    widening_find(a, tree(SUBJECT), tree(SUBJECT), &e);
    cr_assert_eq(e.grade, WIDENING_NOT);
    cr_assert_eq(e.n + e.more, 0);
    widening_find(a, tree("{}"), tree("{}"), &e);
    cr_assert_eq(e.grade, WIDENING_NOT);
}

/* Changes by a yes: only towards less. */
#include "domain/question/amend.h"
#include "kinds.h"
#include "suite.h"

SUITE(amend);

/* A question of the kind, and an answer that takes something. */
struct try {
    enum kind kind;
    const char *takes;       /* NULL: nothing */
    const char *subject;     /* NULL: the sample */
    const char *constraints; /* NULL: none sent */
    const char *other;       /* the subject that was sent; NULL: none */
};

static const struct err *check(const struct try *t, struct amend *out)
{
    struct suspension s = {.kind = t->kind, .allow_edit = true};
    struct json *choice = tree("{'value':'x'}");
    for (size_t i = 0; i < countof(kinds); i++) {
        if (kinds[i].kind == t->kind)
            s.subject = json_of(t->subject ? t->subject : kinds[i].subject);
    }
    if (t->takes)
        json_set_text(choice, "takes", str_of(t->takes));
    const struct amend_sent sent = {
        .constraints = tree(t->constraints),
        .subject = tree(t->other),
        .subject_text = t->other ? json_of(t->other) : STR_NONE};
    return amend_check(a, &s, choice, &sent, out);
}

/* Constraints that an answer sends, and what becomes of them. */
struct row {
    const char *subject;     /* NULL: the sample */
    const char *constraints; /* NULL: none sent */
    const char *code, *at;   /* they are refused, or */
    const char *kept;        /* these are kept; NULL: none */
};

#define KEPT_OF(subject_, sent_, kept_)                                        \
    {.subject = subject_, .constraints = sent_, .kept = kept_}
#define KEPT(sent_, kept_) KEPT_OF(NULL, sent_, kept_)
#define REFUSED_OF(subject_, sent_, code_, at_)                                \
    {.subject = subject_, .constraints = sent_, .code = code_, .at = at_}
#define REFUSED(sent_, code_, at_) REFUSED_OF(NULL, sent_, code_, at_)
#define WIDER(sent_, at_) REFUSED(sent_, "amend.wider", "constraints." at_)
#define UNKNOWN(sent_, at_)                                                    \
    REFUSED(sent_, "amend.unknown", "constraints." at_)

static void check_all(enum kind kind, const char *takes,
                      const struct row *rows, size_t n)
{
    for (const struct row *r = rows; r < rows + n; r++) {
        const struct try t = {.kind = kind,
                              .takes = takes,
                              .subject = r->subject,
                              .constraints = r->constraints};
        struct amend out;
        const struct err *e = check(&t, &out);
        expect(e, r->code, r->at, r->constraints);
        if (e)
            continue;
        same_text(out.constraints, r->kept);
        cr_assert(!out.subject.p);
    }
}

/* ---- nothing is left unread ----------------------------------------- */

Test(amend, what_an_answer_does_not_take_is_refused)
{
    static const struct {
        const char *takes, *constraints, *other, *code, *at;
    } rows[] = {
        {NULL, "{}", NULL, "amend.unused", "constraints"},
        {NULL, "{'limit':1}", NULL, "amend.unused", "constraints"},
        {NULL, NULL, "{}", "amend.unused", "subject"},
        {"limit", NULL, "{}", "amend.unused", "subject"},
        {"seconds", "{'seconds':1}", "{}", "amend.unused", "subject"},
        {"steps", "{}", "{}", "amend.unused", "subject"},
        {"constraints", "{}", "{}", "amend.unused", "subject"},
        {"subject", "{}", NULL, "amend.unused", "constraints"},
        {"subject", "{}", "{}", "amend.unused", "constraints"},
        {"subject", NULL, NULL, "amend.missing", "subject"},
        {"seconds", NULL, NULL, "amend.missing", "constraints"},
        {"steps", NULL, NULL, "amend.missing", "constraints"},
        {"constraints", NULL, NULL, "amend.missing", "constraints"},
    };
    struct amend out;
    for (size_t i = 0; i < countof(rows); i++) {
        const struct try t = {.kind = KIND_APPROVAL,
                              .takes = rows[i].takes,
                              .constraints = rows[i].constraints,
                              .other = rows[i].other};
        expect(check(&t, &out), rows[i].code, rows[i].at, rows[i].code);
    }
    const struct try nothing = {.kind = KIND_APPROVAL};
    cr_assert(!check(&nothing, &out));
    cr_assert(!out.constraints.p && !out.subject.p);
}

/* ---- limit ---------------------------------------------------------- */

Test(amend, a_limit_to_spend_is_not_above_the_one_offered)
{
    static const struct row rows[] = {
        KEPT(NULL, NULL),
        KEPT("{}", NULL),
        KEPT("{'limit':20}", NULL),
        KEPT("{'limit':20.0}", NULL),
        KEPT("{'limit':19.99}", "{'limit':19.99}"),
        KEPT("{'limit':0}", "{'limit':0}"),
        WIDER("{'limit':20.000001}", "limit"),
        WIDER("{'limit':1e300}", "limit"),
        WIDER("{'limit':-1}", "limit"),
        WIDER("{'limit':-0.5}", "limit"),
        WIDER("{'limit':null}", "limit"),
        WIDER("{'limit':'5'}", "limit"),
        WIDER("{'limit':true}", "limit"),
        WIDER("{'limit':[5]}", "limit"),
        WIDER("{'limit':{'amount':5}}", "limit"),
        UNKNOWN("{'amount':5}", "amount"),
        UNKNOWN("{'limit':5,'unit':'USD'}", "unit"),
    };
    check_all(KIND_COST_CONFIRMATION, "limit", rows, countof(rows));
}

Test(amend, limits_beyond_2_to_the_53_are_compared_exactly)
{
    static const struct row rows[] = {
        REFUSED_OF("{'limit':{'amount':9007199254740992}}",
                   "{'limit':9007199254740993}", "amend.wider",
                   "constraints.limit"),
        KEPT_OF("{'limit':{'amount':9007199254740992}}",
                "{'limit':9007199254740991}", "{'limit':9007199254740991}"),
        KEPT_OF("{'limit':{'amount':9007199254740993}}",
                "{'limit':9007199254740992}", "{'limit':9007199254740992}"),
    };
    check_all(KIND_COST_CONFIRMATION, "limit", rows, countof(rows));
}

/* ---- seconds -------------------------------------------------------- */

Test(amend, a_time_is_not_longer_than_asked)
{
    static const struct row rows[] = {
        KEPT("{'seconds':1}", "{'seconds':1}"),
        KEPT("{'seconds':3600}", "{'seconds':3600}"),
        WIDER("{'seconds':3601}", "seconds"),
        WIDER("{'seconds':9223372036854775807}", "seconds"),
        WIDER("{'seconds':0}", "seconds"),
        WIDER("{'seconds':-60}", "seconds"),
        WIDER("{'seconds':60.5}", "seconds"),
        WIDER("{'seconds':null}", "seconds"),
        WIDER("{'seconds':'60'}", "seconds"),
        WIDER("{}", "seconds"),
        UNKNOWN("{'seconds':60,'until':'tomorrow'}", "until"),
    };
    check_all(KIND_PERMISSION, "seconds", rows, countof(rows));
}

/* ---- constraints ---------------------------------------------------- */

/* The limits of the sample, with these two members. */
#define LIMITS(amount_, regions_)                                              \
    "{'amount':" amount_ ",'days':30,'regions':" regions_                      \
    ",'currency':'EUR','trace':null}"

Test(amend, limits_only_become_tighter)
{
    static const struct row rows[] = {
        KEPT("{'amount':499.99}", LIMITS("499.99", "['de','fr']")),
        KEPT("{'amount':0}", LIMITS("0", "['de','fr']")),
        KEPT("{'amount':400,'days':30}", LIMITS("400", "['de','fr']")),
        KEPT("{'amount':400,'trace':null}", LIMITS("400", "['de','fr']")),
        KEPT("{'regions':['fr']}", LIMITS("500", "['fr']")),
        KEPT("{'regions':['fr','de']}", LIMITS("500", "['fr','de']")),
        KEPT("{'regions':[]}", LIMITS("500", "[]")),
        REFUSED("{}", "amend.unchanged", "constraints"),
        REFUSED("{'amount':500}", "amend.unchanged", "constraints"),
        REFUSED("{'amount':500.0,'currency':'EUR'}", "amend.unchanged",
                "constraints"),
        REFUSED("{'trace':null}", "amend.unchanged", "constraints"),
        WIDER("{'amount':500.01}", "amount"),
        WIDER("{'amount':-1}", "amount"),
        WIDER("{'amount':-1000000000000}", "amount"),
        WIDER("{'amount':null}", "amount"),
        WIDER("{'amount':'400'}", "amount"),
        WIDER("{'amount':[400]}", "amount"),
        WIDER("{'amount':{}}", "amount"),
        WIDER("{'amount':false}", "amount"),
        WIDER("{'regions':2}", "regions"),
        WIDER("{'regions':null}", "regions"),
        WIDER("{'regions':'fr'}", "regions"),
        WIDER("{'regions':['us']}", "regions"),
        WIDER("{'regions':['de','us']}", "regions"),
        WIDER("{'regions':['de','de']}", "regions"),
        WIDER("{'regions':[['de']]}", "regions"),
        WIDER("{'currency':'USD'}", "currency"),
        WIDER("{'currency':''}", "currency"),
        WIDER("{'trace':false}", "trace"),
        WIDER("{'trace':0}", "trace"),
        WIDER("{'amount':400,'currency':null}", "currency"),
        UNKNOWN("{'other':1}", "other"),
        UNKNOWN("{'Amount':1}", "Amount"),
        REFUSED("{'':1}", "amend.unknown", NULL),
    };
    check_all(KIND_APPROVAL, "constraints", rows, countof(rows));
}

Test(amend, a_limit_below_zero_stays_as_it_is)
{
    static const struct row rows[] = {
        REFUSED_OF("{'constraints':{'least':-5,'n':3}}", "{'least':-6}",
                   "amend.wider", "constraints.least"),
        KEPT_OF("{'constraints':{'least':-5,'n':3}}", "{'least':-5,'n':2}",
                "{'least':-5,'n':2}"),
    };
    check_all(KIND_APPROVAL, "constraints", rows, countof(rows));
}

Test(amend, whole_numbers_are_compared_exactly)
{
    static const struct row rows[] = {
        REFUSED_OF("{'constraints':{'n':9223372036854775806}}",
                   "{'n':9223372036854775807}", "amend.wider",
                   "constraints.n"),
        KEPT_OF("{'constraints':{'n':9223372036854775806}}",
                "{'n':9223372036854775805}", "{'n':9223372036854775805}"),
    };
    check_all(KIND_APPROVAL, "constraints", rows, countof(rows));
}

/* Comparing each with each would take for ever. */
Test(amend, a_long_list_cannot_be_tightened)
{
    struct buf asked = buf_make(a, 1 << 20), sent = buf_make(a, 1 << 20);
    buf_put(&asked, "{'constraints':{'n':2,'all':[0");
    buf_put(&sent, "{'n':1,'all':[0");
    for (int i = 1; i <= AMEND_LIST_MAX; i++) {
        buf_printf(&asked, ",%d", i);
        if (i < AMEND_LIST_MAX)
            buf_printf(&sent, ",%d", i);
    }
    buf_put(&asked, "]}}");
    buf_put(&sent, "]}");
    struct try t = {.kind = KIND_APPROVAL,
                    .takes = "constraints",
                    .subject = arena_z(a, buf_text(&asked)),
                    .constraints = arena_z(a, buf_text(&sent))};
    struct amend out;
    expect(check(&t, &out), "amend.wider", "constraints.all", "long");
    t.constraints = "{'n':1}";
    cr_assert(!check(&t, &out));
}

#define DECIMALS "{'constraints':{'amount':'50.00','version':'1.2.0'}}"

Test(amend, decimal_texts_are_limits_too)
{
    static const struct row rows[] = {
        KEPT_OF(DECIMALS, "{'amount':'30.00'}",
                "{'amount':'30.00','version':'1.2.0'}"),
        KEPT_OF(DECIMALS, "{'amount':'49.999999'}",
                "{'amount':'49.999999','version':'1.2.0'}"),
        KEPT_OF(DECIMALS, "{'amount':'0'}",
                "{'amount':'0','version':'1.2.0'}"),
        REFUSED_OF(DECIMALS, "{'amount':'50'}", "amend.unchanged", NULL),
        REFUSED_OF(DECIMALS, "{'amount':'050.0'}", "amend.unchanged", NULL),
        REFUSED_OF(DECIMALS, "{'amount':'50.000001'}", "amend.wider", NULL),
        REFUSED_OF(DECIMALS, "{'amount':'60.00'}", "amend.wider", NULL),
        REFUSED_OF(DECIMALS, "{'amount':'-1'}", "amend.wider", NULL),
        REFUSED_OF(DECIMALS, "{'amount':'3e1'}", "amend.wider", NULL),
        REFUSED_OF(DECIMALS, "{'amount':'30,00'}", "amend.wider", NULL),
        REFUSED_OF(DECIMALS, "{'amount':30}", "amend.wider", NULL),
        REFUSED_OF(DECIMALS, "{'version':'1.1'}", "amend.wider", NULL),
    };
    check_all(KIND_APPROVAL, "constraints", rows, countof(rows));
}

/* ---- steps ---------------------------------------------------------- */

Test(amend, steps_are_dropped_reordered_and_noted)
{
    const struct try t = {
        .kind = KIND_PLAN_REVIEW,
        .takes = "steps",
        .constraints = "{'steps':[{'id':'c','note':'first this'},"
                       "{'id':'a','note':' '}]}"};
    struct amend out;
    cr_assert(!check(&t, &out));
    same_text(out.constraints, t.constraints);
    /* The whole plan stands there as it is approved. */
    same_text(out.subject,
              "{'plan':{'version':1,'steps':["
              "{'id':'c','title':'Send','note':'first this'},"
              "{'id':'a','title':'Read','detail':'d','tool':'t',"
              "'risk':'low'}],"
              "'scope':'one order','expected_outputs':['a mail'],"
              "'risk_summary':'small','cost_summary':'none'},"
              "'plan_ref':'plan:1'}");
}

Test(amend, steps_that_are_not_the_plans)
{
    static const struct row rows[] = {
        REFUSED("{}", "amend.missing", "constraints.steps"),
        REFUSED("{'steps':[]}", "amend.missing", "constraints.steps"),
        REFUSED("{'steps':null}", "amend.missing", "constraints.steps"),
        REFUSED("{'steps':'a'}", "amend.missing", "constraints.steps"),
        REFUSED("{'steps':{'id':'a'}}", "amend.missing", "constraints.steps"),
        REFUSED("{'steps':['a']}", "body.not_object", "constraints.steps[0]"),
        REFUSED("{'steps':[null]}", "body.not_object", "constraints.steps[0]"),
        REFUSED("{'steps':[{}]}", "field.missing", "constraints.steps[0].id"),
        REFUSED("{'steps':[{'id':7}]}", "field.type",
                "constraints.steps[0].id"),
        REFUSED("{'steps':[{'id':'a','title':'New'}]}", "field.unknown",
                "constraints.steps[0].title"),
        REFUSED("{'steps':[{'id':'a','note':7}]}", "field.type",
                "constraints.steps[0].note"),
        REFUSED("{'steps':[{'id':'z'}]}", "amend.unknown",
                "constraints.steps[0]"),
        REFUSED("{'steps':[{'id':''}]}", "amend.unknown",
                "constraints.steps[0]"),
        REFUSED("{'steps':[{'id':'a'},{'id':'a'}]}", "amend.unknown",
                "constraints.steps[1]"),
        REFUSED("{'steps':[{'id':'a'},{'id':'b'},{'id':'c'}]}",
                "amend.unchanged", "constraints.steps"),
        REFUSED("{'steps':[{'id':'a','note':' '},{'id':'b'},{'id':'c'}]}",
                "amend.unchanged", "constraints.steps"),
        UNKNOWN("{'steps':[{'id':'a'}],'scope':'all'}", "scope"),
    };
    check_all(KIND_PLAN_REVIEW, "steps", rows, countof(rows));
}

/* With its record lost it would read as a yes to the plan as it was. */
Test(amend, what_cannot_be_kept_whole_is_not_approved)
{
    struct buf plan = buf_make(a, 1 << 20), sent = buf_make(a, 1 << 20);
    buf_put(&plan, "{'plan':{'steps':[");
    buf_put(&sent, "{'steps':[");
    for (int i = 0; i < 100; i++) {
        buf_printf(&plan, "%s{'id':'%d','title':'x'}", i ? "," : "", i);
        buf_printf(&sent, "%s{'id':'%d','note':'", i ? "," : "", i);
        for (int k = 0; k < AMEND_NOTE_MAX; k++)
            buf_put(&sent, "\xE2\x82\xAC");
        buf_put(&sent, "'}");
    }
    buf_put(&plan, "]}}");
    buf_put(&sent, "]}");
    const struct try t = {.kind = KIND_PLAN_REVIEW,
                          .takes = "steps",
                          .subject = arena_z(a, buf_text(&plan)),
                          .constraints = arena_z(a, buf_text(&sent))};
    struct amend out;
    const struct err *e = check(&t, &out);
    cr_assert(e && e->kind == ERR_TOO_LARGE);
    cr_assert_str_eq(e->code, "suspension.too_large");
}

/* ---- another subject ------------------------------------------------ */

Test(amend, another_subject_is_kept_byte_for_byte)
{
    const struct try t = {
        .kind = KIND_APPROVAL,
        .takes = "subject",
        .other = "{ 'target' : 'order 9', 'scope_summary':'s',"
                 "'action':{'name':'refund'}, 'amount': 1.50 }"};
    struct amend out;
    cr_assert(!check(&t, &out));
    cr_assert(!out.constraints.p);
    cr_assert(str_eq(out.subject, json_of(t.other)));
}

Test(amend, another_subject_has_all_facts_and_is_another)
{
    struct try t = {.kind = KIND_APPROVAL, .takes = "subject", .other = "{}"};
    struct amend out;
    expect(check(&t, &out), "kind.facts", "subject.action", "empty");
    t.other = "{'action':{'name':''},'target':'t','scope_summary':'s'}";
    expect(check(&t, &out), "kind.facts", "subject.action.name", "blank");
    t.other = kinds[0].subject;
    expect(check(&t, &out), "amend.unchanged", "subject", "the same");
}

/* A number that is short as it was sent, and long as it is written. */
Test(amend, another_subject_has_a_ceiling_however_it_is_written)
{
    static const struct {
        const char *element;
        int n;
    } rows[] = {{"'xxxxxxxxxxxxxxxxxxxxxxxxxxxx'", 9000}, {"1.0", 70000}};
    for (size_t i = 0; i < countof(rows); i++) {
        struct buf b = buf_make(a, 1 << 20);
        buf_put(&b, "{'action':{'name':'n'},'target':'t',"
                    "'scope_summary':'s','all':[0");
        for (int k = 0; k < rows[i].n; k++) {
            buf_char(&b, ',');
            buf_put(&b, rows[i].element);
        }
        buf_put(&b, "]}");
        const struct try t = {.kind = KIND_APPROVAL,
                              .takes = "subject",
                              .other = arena_z(a, buf_text(&b))};
        struct amend out;
        const struct err *e = check(&t, &out);
        cr_assert(e && e->kind == ERR_TOO_LARGE, "%s", rows[i].element);
    }
}

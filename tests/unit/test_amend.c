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

static void same_text(struct str text, const char *wanted, const char *what)
{
    struct json *v = NULL;
    cr_assert_eq(text.p == NULL, wanted == NULL, "%s: %.*s", what,
                 STR_FMT(text));
    if (!wanted)
        return;
    cr_assert(!json_parse(a, text, &v), "%.*s", STR_FMT(text));
    cr_assert(json_equal(v, tree(wanted)), "%s: %.*s\nwanted %s", what,
              STR_FMT(text), wanted);
}

static void refused(const struct err *e, const char *code, const char *at,
                    const char *what)
{
    cr_assert(e, "%s: %s is missing", what, code);
    cr_assert_str_eq(e->code, code, "%s", what);
    cr_assert_eq(e->kind, ERR_INVALID, "%s", what);
    cr_assert(str_is(e->at, at), "%s: %.*s", what, STR_FMT(e->at));
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
        refused(check(&t, &out), rows[i].code, rows[i].at, rows[i].code);
    }
    const struct try nothing = {.kind = KIND_APPROVAL};
    cr_assert(!check(&nothing, &out));
    cr_assert(!out.constraints.p && !out.subject.p);
}

/* ---- limit ---------------------------------------------------------- */

Test(amend, a_limit_to_spend_is_not_above_the_one_offered)
{
    static const struct {
        const char *constraints, *kept, *code, *at;
    } rows[] = {
        {NULL, NULL, NULL, NULL},
        {"{}", NULL, NULL, NULL},
        {"{'limit':20}", NULL, NULL, NULL},
        {"{'limit':20.0}", NULL, NULL, NULL},
        {"{'limit':19.99}", "{'limit':19.99}", NULL, NULL},
        {"{'limit':0}", "{'limit':0}", NULL, NULL},
        {"{'limit':20.000001}", NULL, "amend.wider", "constraints.limit"},
        {"{'limit':1e300}", NULL, "amend.wider", "constraints.limit"},
        {"{'limit':-1}", NULL, "amend.wider", "constraints.limit"},
        {"{'limit':-0.5}", NULL, "amend.wider", "constraints.limit"},
        {"{'limit':null}", NULL, "amend.wider", "constraints.limit"},
        {"{'limit':'5'}", NULL, "amend.wider", "constraints.limit"},
        {"{'limit':true}", NULL, "amend.wider", "constraints.limit"},
        {"{'limit':[5]}", NULL, "amend.wider", "constraints.limit"},
        {"{'limit':{'amount':5}}", NULL, "amend.wider", "constraints.limit"},
        {"{'amount':5}", NULL, "amend.unknown", "constraints.amount"},
        {"{'limit':5,'unit':'USD'}", NULL, "amend.unknown",
         "constraints.unit"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct try t = {.kind = KIND_COST_CONFIRMATION,
                              .takes = "limit",
                              .constraints = rows[i].constraints};
        struct amend out;
        const struct err *e = check(&t, &out);
        if (rows[i].code) {
            refused(e, rows[i].code, rows[i].at, rows[i].constraints);
            continue;
        }
        cr_assert(!e, "%s", rows[i].constraints);
        same_text(out.constraints, rows[i].kept, "limit");
        cr_assert(!out.subject.p);
    }
}

Test(amend, limits_beyond_2_to_the_53_are_compared_exactly)
{
    struct try t = {.kind = KIND_COST_CONFIRMATION,
                    .takes = "limit",
                    .subject = "{'limit':{'amount':9007199254740992}}",
                    .constraints = "{'limit':9007199254740993}"};
    struct amend out;
    refused(check(&t, &out), "amend.wider", "constraints.limit", "2^53 + 1");
    t.constraints = "{'limit':9007199254740991}";
    cr_assert(!check(&t, &out));
    same_text(out.constraints, t.constraints, "one less");
    t.subject = "{'limit':{'amount':9007199254740993}}";
    t.constraints = "{'limit':9007199254740992}";
    cr_assert(!check(&t, &out));
    same_text(out.constraints, t.constraints, "one less still");
}

/* ---- seconds -------------------------------------------------------- */

Test(amend, a_time_is_not_longer_than_asked)
{
    static const struct {
        const char *constraints, *code, *at;
    } rows[] = {
        {"{'seconds':1}", NULL, NULL},
        {"{'seconds':3600}", NULL, NULL},
        {"{'seconds':3601}", "amend.wider", "constraints.seconds"},
        {"{'seconds':9223372036854775807}", "amend.wider",
         "constraints.seconds"},
        {"{'seconds':0}", "amend.wider", "constraints.seconds"},
        {"{'seconds':-60}", "amend.wider", "constraints.seconds"},
        {"{'seconds':60.5}", "amend.wider", "constraints.seconds"},
        {"{'seconds':null}", "amend.wider", "constraints.seconds"},
        {"{'seconds':'60'}", "amend.wider", "constraints.seconds"},
        {"{}", "amend.wider", "constraints.seconds"},
        {"{'seconds':60,'until':'tomorrow'}", "amend.unknown",
         "constraints.until"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct try t = {.kind = KIND_PERMISSION,
                              .takes = "seconds",
                              .constraints = rows[i].constraints};
        struct amend out;
        const struct err *e = check(&t, &out);
        if (rows[i].code) {
            refused(e, rows[i].code, rows[i].at, rows[i].constraints);
            continue;
        }
        cr_assert(!e, "%s", rows[i].constraints);
        same_text(out.constraints, rows[i].constraints, "seconds");
    }
}

/* ---- constraints ---------------------------------------------------- */

/* The limits of the sample, with one member as given. */
static const char *limits(const char *amount, const char *regions)
{
    struct buf b = buf_make(a, 1024);
    buf_printf(&b,
               "{'amount':%s,'days':30,'regions':%s,'currency':'EUR',"
               "'trace':null}",
               amount, regions);
    return arena_z(a, buf_text(&b));
}

Test(amend, limits_only_become_tighter)
{
    static const struct {
        const char *constraints, *code, *at;
        const char *amount, *regions; /* as they are then kept */
    } rows[] = {
        {"{'amount':499.99}", NULL, NULL, "499.99", "['de','fr']"},
        {"{'amount':0}", NULL, NULL, "0", "['de','fr']"},
        {"{'amount':400,'days':30}", NULL, NULL, "400", "['de','fr']"},
        {"{'amount':400,'trace':null}", NULL, NULL, "400", "['de','fr']"},
        {"{'regions':['fr']}", NULL, NULL, "500", "['fr']"},
        {"{'regions':['fr','de']}", NULL, NULL, "500", "['fr','de']"},
        {"{'regions':[]}", NULL, NULL, "500", "[]"},
        {"{}", "amend.unchanged", "constraints", NULL, NULL},
        {"{'amount':500}", "amend.unchanged", "constraints", NULL, NULL},
        {"{'amount':500.0,'currency':'EUR'}", "amend.unchanged",
         "constraints", NULL, NULL},
        {"{'trace':null}", "amend.unchanged", "constraints", NULL, NULL},
        {"{'amount':500.01}", "amend.wider", "constraints.amount", NULL,
         NULL},
        {"{'amount':-1}", "amend.wider", "constraints.amount", NULL, NULL},
        {"{'amount':-1000000000000}", "amend.wider", "constraints.amount",
         NULL, NULL},
        {"{'amount':null}", "amend.wider", "constraints.amount", NULL, NULL},
        {"{'amount':'400'}", "amend.wider", "constraints.amount", NULL, NULL},
        {"{'amount':[400]}", "amend.wider", "constraints.amount", NULL, NULL},
        {"{'amount':{}}", "amend.wider", "constraints.amount", NULL, NULL},
        {"{'amount':false}", "amend.wider", "constraints.amount", NULL, NULL},
        {"{'regions':2}", "amend.wider", "constraints.regions", NULL, NULL},
        {"{'regions':null}", "amend.wider", "constraints.regions", NULL,
         NULL},
        {"{'regions':'fr'}", "amend.wider", "constraints.regions", NULL,
         NULL},
        {"{'regions':['us']}", "amend.wider", "constraints.regions", NULL,
         NULL},
        {"{'regions':['de','us']}", "amend.wider", "constraints.regions",
         NULL, NULL},
        {"{'regions':['de','de']}", "amend.wider", "constraints.regions",
         NULL, NULL},
        {"{'regions':[['de']]}", "amend.wider", "constraints.regions", NULL,
         NULL},
        {"{'currency':'USD'}", "amend.wider", "constraints.currency", NULL,
         NULL},
        {"{'currency':''}", "amend.wider", "constraints.currency", NULL,
         NULL},
        {"{'trace':false}", "amend.wider", "constraints.trace", NULL, NULL},
        {"{'trace':0}", "amend.wider", "constraints.trace", NULL, NULL},
        {"{'amount':400,'currency':null}", "amend.wider",
         "constraints.currency", NULL, NULL},
        {"{'other':1}", "amend.unknown", "constraints.other", NULL, NULL},
        {"{'Amount':1}", "amend.unknown", "constraints.Amount", NULL, NULL},
        {"{'':1}", "amend.unknown", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct try t = {.kind = KIND_APPROVAL,
                              .takes = "constraints",
                              .constraints = rows[i].constraints};
        struct amend out;
        const struct err *e = check(&t, &out);
        if (!rows[i].code) {
            cr_assert(!e, "%s", rows[i].constraints);
            /* All that count, also those that stayed. */
            same_text(out.constraints,
                      limits(rows[i].amount, rows[i].regions),
                      rows[i].constraints);
            cr_assert(!out.subject.p);
        } else if (rows[i].at) {
            refused(e, rows[i].code, rows[i].at, rows[i].constraints);
        } else {
            cr_assert(e);
            cr_assert_str_eq(e->code, rows[i].code);
        }
    }
}

Test(amend, a_limit_below_zero_stays_as_it_is)
{
    struct try t = {.kind = KIND_APPROVAL,
                    .takes = "constraints",
                    .subject = "{'constraints':{'least':-5,'n':3}}",
                    .constraints = "{'least':-6}"};
    struct amend out;
    refused(check(&t, &out), "amend.wider", "constraints.least", "-6");
    t.constraints = "{'least':-5,'n':2}";
    cr_assert(!check(&t, &out));
    same_text(out.constraints, "{'least':-5,'n':2}", "kept");
}

Test(amend, whole_numbers_are_compared_exactly)
{
    struct try t = {.kind = KIND_APPROVAL,
                    .takes = "constraints",
                    .subject = "{'constraints':{'n':9223372036854775806}}",
                    .constraints = "{'n':9223372036854775807}"};
    struct amend out;
    refused(check(&t, &out), "amend.wider", "constraints.n", "2^63 - 1");
    t.constraints = "{'n':9223372036854775805}";
    cr_assert(!check(&t, &out));
    same_text(out.constraints, t.constraints, "one less");
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
    refused(check(&t, &out), "amend.wider", "constraints.all", "long");
    t.constraints = "{'n':1}";
    cr_assert(!check(&t, &out));
}

Test(amend, decimal_texts_are_limits_too)
{
    static const struct {
        const char *sent, *code;
    } rows[] = {
        {"{'amount':'30.00'}", NULL},
        {"{'amount':'49.999999'}", NULL},
        {"{'amount':'0'}", NULL},
        {"{'amount':'50'}", "amend.unchanged"},
        {"{'amount':'050.0'}", "amend.unchanged"},
        {"{'amount':'50.000001'}", "amend.wider"},
        {"{'amount':'60.00'}", "amend.wider"},
        {"{'amount':'-1'}", "amend.wider"},
        {"{'amount':'3e1'}", "amend.wider"},
        {"{'amount':'30,00'}", "amend.wider"},
        {"{'amount':30}", "amend.wider"},
        {"{'version':'1.1'}", "amend.wider"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct try t = {
            .kind = KIND_APPROVAL,
            .takes = "constraints",
            .subject = "{'constraints':{'amount':'50.00','version':'1.2.0'}}",
            .constraints = rows[i].sent};
        struct amend out;
        const struct err *e = check(&t, &out);
        cr_assert_eq(e == NULL, rows[i].code == NULL, "%s", rows[i].sent);
        cr_assert(!e || !strcmp(e->code, rows[i].code), "%s: %s",
                  rows[i].sent, e->code);
    }
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
    same_text(out.constraints, t.constraints, "as it was sent");
    /* The whole plan stands there as it is approved. */
    same_text(out.subject,
              "{'plan':{'version':1,'steps':["
              "{'id':'c','title':'Send','note':'first this'},"
              "{'id':'a','title':'Read','detail':'d','tool':'t',"
              "'risk':'low'}],"
              "'scope':'one order','expected_outputs':['a mail'],"
              "'risk_summary':'small','cost_summary':'none'},"
              "'plan_ref':'plan:1'}",
              "approved");
}

Test(amend, steps_that_are_not_the_plans)
{
    static const struct {
        const char *constraints, *code, *at;
    } rows[] = {
        {"{}", "amend.missing", "constraints.steps"},
        {"{'steps':[]}", "amend.missing", "constraints.steps"},
        {"{'steps':null}", "amend.missing", "constraints.steps"},
        {"{'steps':'a'}", "amend.missing", "constraints.steps"},
        {"{'steps':{'id':'a'}}", "amend.missing", "constraints.steps"},
        {"{'steps':['a']}", "body.not_object", "constraints.steps[0]"},
        {"{'steps':[null]}", "body.not_object", "constraints.steps[0]"},
        {"{'steps':[{}]}", "field.missing", "constraints.steps[0].id"},
        {"{'steps':[{'id':7}]}", "field.type", "constraints.steps[0].id"},
        {"{'steps':[{'id':'a','title':'New'}]}", "field.unknown",
         "constraints.steps[0].title"},
        {"{'steps':[{'id':'a','note':7}]}", "field.type",
         "constraints.steps[0].note"},
        {"{'steps':[{'id':'z'}]}", "amend.unknown", "constraints.steps[0]"},
        {"{'steps':[{'id':''}]}", "amend.unknown", "constraints.steps[0]"},
        {"{'steps':[{'id':'a'},{'id':'a'}]}", "amend.unknown",
         "constraints.steps[1]"},
        {"{'steps':[{'id':'a'},{'id':'b'},{'id':'c'}]}", "amend.unchanged",
         "constraints.steps"},
        {"{'steps':[{'id':'a','note':' '},{'id':'b'},{'id':'c'}]}",
         "amend.unchanged", "constraints.steps"},
        {"{'steps':[{'id':'a'}],'scope':'all'}", "amend.unknown",
         "constraints.scope"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct try t = {.kind = KIND_PLAN_REVIEW,
                              .takes = "steps",
                              .constraints = rows[i].constraints};
        struct amend out;
        refused(check(&t, &out), rows[i].code, rows[i].at,
                rows[i].constraints);
    }
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
    refused(check(&t, &out), "kind.facts", "subject.action", "empty");
    t.other = "{'action':{'name':''},'target':'t','scope_summary':'s'}";
    refused(check(&t, &out), "kind.facts", "subject.action.name", "blank");
    t.other = kinds[0].subject;
    refused(check(&t, &out), "amend.unchanged", "subject", "the same");
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

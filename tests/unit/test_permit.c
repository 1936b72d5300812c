/* Permits: what each kind's answer makes, and how one is used up. */
#include "base/clock.h"
#include "domain/kind/subject.h"
#include "domain/permit/permit.h"
#include "kinds.h"
#include "suite.h"

SUITE(permit);

#define NOW (INT64_C(1795341104) * CLOCK_SECOND)
#define JKT "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
#define DETAIL                                                                 \
    "{'type':'tool_call','tool':'shop.refund','arguments':{'order':'12345',"   \
    "'currency':'EUR'},'constraints':{'amount':'50.00'}}"

/* ---- terms ---------------------------------------------------------- */

Test(permit, terms_that_are_not_said_are_one_use_within_15_minutes)
{
    struct permit_terms t;
    cr_assert(!permit_terms_read(a, tree("{}"), tree("[" DETAIL "]"), false,
                                 &t));
    cr_assert_eq(t.max_uses, 1);
    cr_assert_eq(t.use_seconds, 900);
    cr_assert(!t.resource.p && !t.dpop_jkt.p && !t.budget.unit.p);
    /* A turn of several calls is approved as one: each may run. */
    cr_assert(!permit_terms_read(a, tree("{}"), tree("[" DETAIL "," DETAIL "]"),
                                 false, &t));
    cr_assert_eq(t.max_uses, 2);
}

Test(permit, terms_are_checked)
{
    static const struct {
        const char *body;
        bool jkt;
        const char *code, *at;
    } rows[] = {
        {"{'resource':'https://gw.example/mcp','dpop_jkt':'" JKT "',"
         "'max_uses':1000,'use_seconds':86400,"
         "'budget':{'amount':'100.00','unit':'EUR','of':'amount'}}",
         true, NULL, NULL},
        {"{'resource':'http://127.0.0.1:9000/mcp'}", false, NULL, NULL},
        {"{'max_uses':0}", false, "field.range", "max_uses"},
        {"{'max_uses':1001}", false, "field.range", "max_uses"},
        {"{'use_seconds':0}", false, "field.range", "use_seconds"},
        {"{'use_seconds':86401}", false, "field.range", "use_seconds"},
        {"{'resource':'https://gw.example/#x'}", false, "resource.unknown",
         "resource"},
        {"{'resource':'https://gw.example/?x'}", false, "resource.unknown",
         "resource"},
        {"{'resource':'https://'}", false, "resource.unknown", "resource"},
        {"{'resource':'/mcp'}", false, "resource.unknown", "resource"},
        {"{'resource':'ftp://x.example'}", false, "resource.unknown",
         "resource"},
        {"{'dpop_jkt':'short'}", false, "permit.jkt", "dpop_jkt"},
        {"{'dpop_jkt':'0ZcOCORZNYy+DWpqq30jZyJGHTN0d2HglBV3uiguA4I'}", false,
         "permit.jkt", "dpop_jkt"},
        {"{}", true, "permit.jkt", "dpop_jkt"},
        {"{'budget':{'amount':'0','unit':'EUR','of':'amount'}}", false,
         "permit.details", "budget.amount"},
        {"{'budget':'100'}", false, "field.type", "budget"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct permit_terms t;
        const struct err *e =
            permit_terms_read(a, tree(rows[i].body), tree("[" DETAIL "]"),
                              rows[i].jkt, &t);
        if (rows[i].code)
            expect(e, rows[i].code, rows[i].at, rows[i].body);
        else
            cr_assert(!e, "%s", rows[i].body);
    }
}

/* ---- what is asked for ---------------------------------------------- */

/* Test 53 of the specification, its pure part. */
Test(permit, each_kind_asks_for_what_it_shows)
{
    static const struct {
        enum kind kind;
        const char *subject, *wanted, *code, *at;
    } rows[] = {
        {KIND_NONE, "{'calls':[{'tool':'t'}]}", NULL, NULL, NULL},
        {KIND_ELICITATION, "{'calls':[{'tool':'t'}]}", NULL, NULL, NULL},
        {KIND_HANDOFF_ACCEPTANCE, "{}", NULL, NULL, NULL},
        {KIND_CREDENTIAL_NEEDED, "{}", NULL, NULL, NULL},
        {KIND_APPROVAL, "{}", NULL, NULL, NULL},
        {KIND_APPROVAL, "{'calls':[{'tool':'t','args':{'a':1}}]}",
         "[{'type':'tool_call','tool':'t','arguments':{'a':1}}]", NULL, NULL},
        {KIND_APPROVAL,
         "{'calls':[{'tool':'t','args':{'a':1,'b':2}}],"
         "'constraints':{'a':5}}",
         "[{'type':'tool_call','tool':'t','arguments':{'b':2},"
         "'constraints':{'a':5}}]",
         NULL, NULL},
        {KIND_APPROVAL,
         "{'calls':[{'tool':'t'},{'tool':'u'}],'constraints':{'a':5}}", NULL,
         NULL, NULL},
        {KIND_APPROVAL,
         "{'calls':[{'tool':'t'},{'tool':'u'}],'constraints':{}}",
         "[{'type':'tool_call','tool':'t','arguments':{}},"
         "{'type':'tool_call','tool':'u','arguments':{}}]",
         NULL, NULL},
        {KIND_APPROVAL, "{'calls':[{'tool':'t'}],'constraints':{'a':null}}",
         NULL, NULL, NULL},
        {KIND_APPROVAL,
         "{'authorization_details':[" DETAIL "],'calls':[{'tool':'t'}]}",
         "[" DETAIL "]", NULL, NULL},
        {KIND_APPROVAL,
         "{'authorization_details':[" DETAIL "],"
         "'constraints':{'amount':'50.00'}}",
         "[" DETAIL "]", NULL, NULL},
        {KIND_APPROVAL,
         "{'authorization_details':[" DETAIL "],"
         "'constraints':{'amount':'60.00'}}",
         NULL, "permit.details", "subject.constraints"},
        {KIND_APPROVAL,
         "{'authorization_details':[{'type':'tool_call','tool':'t'}]}", NULL,
         "permit.details", "subject.authorization_details[0].arguments"},
        {KIND_APPROVAL,
         "{'authorization_details':[" DETAIL ",{'type':'refund'}]}", NULL,
         "permit.details", "subject.authorization_details[1].type"},
        /* A platform's own type. */
        {KIND_APPROVAL, "{'authorization_details':[{'type':'refund'}]}", NULL,
         NULL, NULL},
        {KIND_COST_CONFIRMATION, "{'limit':{'amount':20,'unit':'EUR'}}",
         "[{'type':'spend','max':20,'unit':'EUR'}]", NULL, NULL},
        {KIND_PERMISSION, "{'capability':'read','target':'inbox'}",
         "[{'type':'capability','capability':'read','target':'inbox'}]", NULL,
         NULL},
        {KIND_PLAN_REVIEW,
         "{'plan':{'steps':[{'id':'a','title':'x'},"
         "{'id':'b','title':'y','tool':'t'},"
         "{'id':'c','title':'z','tool':'u','args':{'n':1}}]}}",
         "[{'type':'tool_call','tool':'u','arguments':{'n':1}}]", NULL, NULL},
        {KIND_PLAN_REVIEW, "{'plan':{'steps':[{'id':'a','title':'x'}]}}", NULL,
         NULL, NULL},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct json *got = NULL;
        const struct err *e =
            permit_asked(a, rows[i].kind, tree(rows[i].subject), &got);
        if (rows[i].code)
            expect(e, rows[i].code, rows[i].at, rows[i].subject);
        else
            cr_assert(!e, "%s", rows[i].subject);
        if (rows[i].code || !rows[i].wanted)
            cr_assert(e || !got, "%s", rows[i].subject);
        else
            same(got, rows[i].wanted);
    }
}

Test(permit, the_subject_of_details_asks_for_these_details)
{
    const char *const lists[] = {"[" DETAIL "]", "[" DETAIL "," DETAIL "]"};
    for (size_t i = 0; i < countof(lists); i++) {
        const struct str text = json_of(lists[i]);
        const struct str subject =
            permit_subject(a, tree(lists[i]), text, STR("Money goes."));
        struct json *asked = NULL;
        struct json *v = tree_of(subject);
        const struct kind_ask ask = {.kind = KIND_APPROVAL,
                                     .severity = SEVERITY_CRITICAL,
                                     .subject = v};
        cr_assert(!kind_check_subject(a, &ask));
        cr_assert(!subject_check(a, v, subject));
        cr_assert(str_search(subject, text) < subject.n);
        cr_assert(!permit_asked(a, KIND_APPROVAL, v, &asked));
        same(asked, lists[i]);
    }
}

/* ---- what an answer makes of it ------------------------------------- */

/* An answered question, and its permit. */
static struct permit ask_for(struct suspension *s)
{
    struct permit p = {.state = PERMIT_ASKED};
    struct json *details = NULL;
    cr_assert(!permit_asked(a, s->kind, json_read(a, s->subject), &details));
    cr_assert(details);
    p.terms = permit_terms_default(details);
    cr_assert(!permit_details_text(a, details, &p.asked));
    p.asked_sha256 = crypt_sha256_hex(a, p.asked);
    return p;
}

/* Test 33 of the specification, its pure part. */
Test(permit, what_is_granted_is_what_was_confirmed)
{
#define PLAN(steps_) "{'plan':{'steps':[" steps_ "]}}"
#define STEP(id_) "{'id':'" id_ "','title':'x','tool':'" id_ "','args':{}}"
    static const struct {
        enum kind kind;
        const char *subject, *constraints, *approved, *granted;
        int64_t seconds;
    } rows[] = {
        {KIND_APPROVAL, "{'authorization_details':[" DETAIL "]}", NULL, NULL,
         "[" DETAIL "]", 900},
        {KIND_APPROVAL,
         "{'authorization_details':[" DETAIL "],"
         "'constraints':{'amount':'50.00'}}",
         "{'amount':'30.00'}", NULL,
         "[{'type':'tool_call','tool':'shop.refund','arguments':"
         "{'order':'12345','currency':'EUR'},'constraints':"
         "{'amount':'30.00'}}]",
         900},
        {KIND_APPROVAL, "{'calls':[{'tool':'t','args':{'a':1}}]}", NULL,
         "{'calls':[{'tool':'t','args':{'a':2}}]}",
         "[{'type':'tool_call','tool':'t','arguments':{'a':2}}]", 900},
        {KIND_COST_CONFIRMATION, "{'limit':{'amount':20,'unit':'EUR'}}", NULL,
         NULL, "[{'type':'spend','max':20,'unit':'EUR'}]", 900},
        {KIND_COST_CONFIRMATION, "{'limit':{'amount':20,'unit':'EUR'}}",
         "{'limit':12.5}", NULL,
         "[{'type':'spend','max':12.5,'unit':'EUR'}]", 900},
        {KIND_PERMISSION,
         "{'capability':'c','target':'t','duration':{'kind':'once'}}", NULL,
         NULL, "[{'type':'capability','capability':'c','target':'t'}]", 900},
        {KIND_PERMISSION,
         "{'capability':'c','target':'t','duration':{'kind':'until',"
         "'seconds':3600}}",
         "{'seconds':60}", NULL,
         "[{'type':'capability','capability':'c','target':'t'}]", 60},
        {KIND_PERMISSION,
         "{'capability':'c','target':'t','duration':{'kind':'until',"
         "'seconds':3600}}",
         "{'uses':1}", NULL,
         "[{'type':'capability','capability':'c','target':'t'}]", 900},
        {KIND_PLAN_REVIEW, PLAN(STEP("a") "," STEP("b")), "{'steps':[]}",
         PLAN(STEP("b")),
         "[{'type':'tool_call','tool':'b','arguments':{}}]", 900},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct suspension s = {.kind = rows[i].kind,
                               .subject = json_of(rows[i].subject),
                               .constraints = json_of(rows[i].constraints),
                               .approved_subject = json_of(rows[i].approved)};
        struct permit p = ask_for(&s);
        const struct err *e = permit_grant(a, &p, &s, NOW);
        cr_assert(!e, "row %zu: %s", i, e ? e->code : "");
        cr_assert_eq(p.state, PERMIT_ACTIVE);
        same(json_read(a, p.granted), rows[i].granted);
        cr_assert(str_eq(p.granted_sha256, crypt_sha256_hex(a, p.granted)));
        cr_assert_eq(p.granted_at, NOW);
        cr_assert_eq(p.not_after, NOW + rows[i].seconds * CLOCK_SECOND,
                     "row %zu", i);
        cr_assert_eq(p.ended_at, 0);
    }
}

Test(permit, what_cannot_be_granted_refuses_the_answer)
{
    static const struct {
        const char *subject, *constraints, *approved, *code, *at;
    } rows[] = {
        {"{'authorization_details':[" DETAIL "]}", "{'amount':'60.00'}", NULL,
         "amend.wider", "constraints.amount"},
        {"{'authorization_details':[" DETAIL "]}", "{'order':'1'}", NULL,
         "amend.unknown", "constraints.order"},
        {"{'authorization_details':[" DETAIL "]}", NULL,
         "{'authorization_details':[{'type':'tool_call','tool':'t'}]}",
         "permit.details", "subject.authorization_details[0].arguments"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct suspension s = {.kind = KIND_APPROVAL,
                               .subject = json_of(rows[i].subject),
                               .constraints = json_of(rows[i].constraints),
                               .approved_subject = json_of(rows[i].approved)};
        struct permit p = ask_for(&s);
        expect(permit_grant(a, &p, &s, NOW), rows[i].code, rows[i].at,
               rows[i].subject);
        cr_assert_eq(p.state, PERMIT_ASKED);
    }
}

Test(permit, a_plan_that_keeps_no_call_grants_none)
{
    struct suspension s = {
        .kind = KIND_PLAN_REVIEW,
        .subject = json_of(PLAN(STEP("a") ",{'id':'z','title':'Think'}")),
        .approved_subject = json_of(PLAN("{'id':'z','title':'Think'}")),
        .responded_by = STR("ada@example.org")};
    struct permit p = ask_for(&s);
    cr_assert(!permit_grant(a, &p, &s, NOW));
    cr_assert_eq(p.state, PERMIT_REFUSED);
    cr_assert(!p.granted.p && p.ended_at == NOW);
}

Test(permit, an_edit_that_names_no_call_grants_none)
{
    struct suspension s = {.kind = KIND_APPROVAL,
                           .subject = json_of("{'calls':[{'tool':'t'}]}"),
                           .approved_subject = json_of("{'target':'x'}")};
    struct permit p = ask_for(&s);
    cr_assert(!permit_grant(a, &p, &s, NOW));
    cr_assert_eq(p.state, PERMIT_REFUSED);
}

/* Test 32: silence makes none, whatever its fallback. */
Test(permit, only_a_persons_yes_makes_one)
{
    for (unsigned st = 0; st < SUSPENSION_STATE__MAX; st++) {
        for (unsigned o = 0; o < OUTCOME__MAX; o++) {
            const struct suspension s = {.state = (enum suspension_state)st,
                                         .outcome = (enum outcome)o};
            cr_assert_eq(permit_follows(&s), st == SUSPENSION_RESOLVED &&
                                                 o == OUTCOME_AUTHORIZED);
        }
    }
}

Test(permit, a_rule_grants_what_was_asked_for)
{
    struct suspension s = {.kind = KIND_APPROVAL,
                           .subject = json_of("{'calls':[{'tool':'t'}]}")};
    struct permit p = ask_for(&s);
    permit_allow(&p, NOW);
    cr_assert_eq(p.state, PERMIT_ACTIVE);
    cr_assert(str_eq(p.granted, p.asked));
    cr_assert(str_eq(p.granted_sha256, p.asked_sha256));
    cr_assert_eq(p.not_after, NOW + 900 * CLOCK_SECOND);
}

/* ---- using it ------------------------------------------------------- */

static struct permit active(void)
{
    return (struct permit){.state = PERMIT_ACTIVE,
                           .granted = json_of("[" DETAIL "]"),
                           .terms = {.max_uses = 3},
                           .not_after = NOW + CLOCK_SECOND};
}

/* The rules are asked again: a person's yes falls by a no, a rule's by less. */
Test(permit, stricter_rules_end_it)
{
    static const struct {
        bool person;
        enum tool_effect rule;
        bool usable;
    } rows[] = {{true, TOOL_ALLOW, true},  {true, TOOL_ASK, true},
                {true, TOOL_DENY, false},  {false, TOOL_ALLOW, true},
                {false, TOOL_ASK, false},  {false, TOOL_DENY, false}};
    for (size_t i = 0; i < countof(rows); i++) {
        struct permit p = active();
        const struct permit_case c = {.now = NOW,
                                      .intent = INTENT_ACTIVE,
                                      .access = ACCESS_WRITE,
                                      .rule = rows[i].rule};
        p.suspension_id = rows[i].person ? STR("s") : STR_NONE;
        const struct err *e = permit_usable(&p, &c);
        cr_assert_eq(e == NULL, rows[i].usable, "row %zu", i);
        cr_assert(!e || err_is(e, permit_rule));
        e = permit_again(&p, &c, NOW);
        cr_assert_eq(e == NULL, rows[i].usable, "row %zu", i);
    }
}

#define MINUTE (60 * CLOCK_SECOND)

Test(permit, a_repeat_is_the_same_use_for_five_minutes)
{
    static const struct {
        enum permit_state state;
        bool late; /* taken back after its last use */
        int64_t after;
        enum intent_status intent;
        const char *code;
    } rows[] = {
        {PERMIT_SPENT, false, 0, INTENT_ACTIVE, NULL},
        {PERMIT_ACTIVE, false, 5 * MINUTE - 1, INTENT_ACTIVE, NULL},
        {PERMIT_SPENT, false, 5 * MINUTE - 1, INTENT_ACTIVE, NULL},
        {PERMIT_SPENT, false, 5 * MINUTE, INTENT_ACTIVE, "permit.used"},
        {PERMIT_ACTIVE, false, 99 * MINUTE, INTENT_ACTIVE, "permit.used"},
        {PERMIT_SPENT, true, 0, INTENT_ACTIVE, "permit.revoked"},
        {PERMIT_REVOKED, false, 0, INTENT_ACTIVE, "permit.revoked"},
        {PERMIT_SPENT, false, 0, INTENT_ABANDONED, "permit.intent_ended"},
        {PERMIT_SPENT, false, 0, INTENT_COMPLETED, "permit.intent_ended"},
        {PERMIT_SPENT, false, 0, INTENT_SUSPENDED, "permit.paused"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct permit p = active();
        const int64_t at = p.not_after - 1; /* its time ends meanwhile */
        p.state = rows[i].state;
        p.ended_by = rows[i].late ? STR("mara@example.org") : STR_NONE;
        const struct permit_case c = {.now = at + rows[i].after,
                                      .intent = rows[i].intent,
                                      .access = ACCESS_WRITE};
        const struct err *e = permit_again(&p, &c, at);
        cr_assert_eq(e == NULL, rows[i].code == NULL, "row %zu", i);
        if (e)
            cr_assert_str_eq(e->code, rows[i].code, "row %zu", i);
    }
}

/* Every end of a question: what it allows is used once within a week. */
Test(permit, an_answer_without_a_permit_is_one_use)
{
    static const struct {
        enum suspension_state state;
        enum outcome outcome;
        int64_t used, after;
        const char *code;
    } rows[] = {
        {SUSPENSION_PENDING, OUTCOME_UNDECIDED, 0, 0, "permit.asked"},
        {SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED, 0, 0, NULL},
        {SUSPENSION_RESOLVED, OUTCOME_ANSWERED, 0, 0, NULL},
        {SUSPENSION_RESOLVED, OUTCOME_ACCEPTED, 0, 0, NULL},
        {SUSPENSION_RESOLVED, OUTCOME_NONE, 0, 0, NULL},
        {SUSPENSION_RESOLVED, OUTCOME_VETOED, 0, 0, "permit.refused"},
        {SUSPENSION_RESOLVED, OUTCOME_CHANGES_REQUESTED, 0, 0,
         "permit.refused"},
        {SUSPENSION_RESOLVED, OUTCOME_DECLINED, 0, 0, "permit.refused"},
        {SUSPENSION_EXPIRED, OUTCOME_FALLBACK, 0, 0, "permit.refused"},
        {SUSPENSION_EXPIRED, OUTCOME_NONE, 0, 0, "permit.refused"},
        {SUSPENSION_EXPIRED, OUTCOME_AUTHORIZED, 0, 0, "permit.refused"},
        {SUSPENSION_CANCELLED, OUTCOME_NONE, 0, 0, "permit.refused"},
        {SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED, NOW + 1, 2, "permit.spent"},
        {SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED, 0, 7 * 24 * 60 * MINUTE - 1,
         NULL},
        {SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED, 0, 7 * 24 * 60 * MINUTE,
         "permit.lapsed"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct suspension s = {.id = STR("s"),
                                     .state = rows[i].state,
                                     .outcome = rows[i].outcome,
                                     .responded_at = NOW};
        const struct permit p = permit_of_answer(a, &s, rows[i].used);
        const struct permit_case c = {.now = NOW + rows[i].after,
                                      .intent = INTENT_ACTIVE,
                                      .access = ACCESS_WRITE};
        const struct err *e = permit_usable(&p, &c);
        cr_assert_eq(e == NULL, rows[i].code == NULL, "row %zu", i);
        if (e)
            cr_assert_str_eq(e->code, rows[i].code, "row %zu", i);
    }
}

Test(permit, it_is_usable_while_everything_stands)
{
    static const struct {
        enum permit_state state;
        struct permit_case c;
        const char *code;
    } rows[] = {
        {PERMIT_ACTIVE,
         {NOW, INTENT_ACTIVE, false, false, false, ACCESS_WRITE, TOOL_ALLOW}, NULL},
        {PERMIT_ASKED,
         {NOW, INTENT_ACTIVE, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "permit.asked"},
        {PERMIT_SPENT,
         {NOW, INTENT_ACTIVE, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "permit.spent"},
        {PERMIT_REFUSED,
         {NOW, INTENT_ACTIVE, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "permit.refused"},
        {PERMIT_REVOKED,
         {NOW, INTENT_ACTIVE, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "permit.revoked"},
        /* Test 50: not a moment longer. */
        {PERMIT_ACTIVE,
         {NOW + CLOCK_SECOND, INTENT_ACTIVE, false, false, false,
          ACCESS_WRITE, TOOL_ALLOW},
         "permit.lapsed"},
        {PERMIT_ACTIVE,
         {NOW + CLOCK_SECOND - 1, INTENT_ACTIVE, false, false, false,
          ACCESS_WRITE, TOOL_ALLOW},
         NULL},
        {PERMIT_ACTIVE,
         {NOW, INTENT_ACTIVE, true, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "permit.paused"},
        {PERMIT_ACTIVE,
         {NOW, INTENT_SUSPENDED, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "permit.paused"},
        {PERMIT_ACTIVE,
         {NOW, INTENT_BLOCKED, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "permit.paused"},
        {PERMIT_ACTIVE,
         {NOW, INTENT_ABANDONED, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "permit.intent_ended"},
        {PERMIT_ACTIVE,
         {NOW, INTENT_COMPLETED, false, false, false, ACCESS_WRITE, TOOL_ALLOW},
         "permit.intent_ended"},
        /* Test 45. */
        {PERMIT_ACTIVE,
         {NOW, INTENT_ACTIVE, false, true, false, ACCESS_WRITE, TOOL_ALLOW},
         "permit.revoked"},
        {PERMIT_ACTIVE,
         {NOW, INTENT_ACTIVE, false, false, true, ACCESS_WRITE, TOOL_ALLOW},
         "permit.revoked"},
        {PERMIT_ACTIVE,
         {NOW, INTENT_ACTIVE, false, false, false, ACCESS_READ, TOOL_ALLOW},
         "permit.revoked"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct permit p = active();
        p.state = rows[i].state;
        const struct err *e = permit_usable(&p, &rows[i].c);
        cr_assert_eq(e == NULL, rows[i].code == NULL, "row %zu", i);
        if (!e)
            continue;
        cr_assert_str_eq(e->code, rows[i].code, "row %zu", i);
        cr_assert_eq(e->kind, ERR_CONFLICT);
    }
}

/* Test 49: three uses, then it is spent. */
Test(permit, uses_are_counted_until_it_is_spent)
{
    const struct json *call =
        tree("{'order':'12345','currency':'EUR','amount':'20.00'}");
    struct permit p = active();
    struct decimal amount;
    p.terms.budget = (struct permit_covers_budget){
        .amount = {60, 0}, .unit = STR("EUR"), .of = STR("amount")};
    expect(permit_use(a, &p, STR("other"), call, NOW, &amount),
           "permit.tool", "tool", "another tool");
    cr_assert_eq(p.used, 0);
    for (int64_t n = 1; n <= 3; n++) {
        cr_assert_eq(p.state, PERMIT_ACTIVE);
        cr_assert(!permit_use(a, &p, STR("shop.refund"), call, NOW, &amount));
        cr_assert(str_is(decimal_text(a, amount), "20"));
        cr_assert_eq(p.used, n);
        cr_assert_eq(p.spent.whole, 20 * n);
    }
    cr_assert_eq(p.state, PERMIT_SPENT);
    cr_assert_eq(p.ended_at, NOW);
}

Test(permit, a_use_beyond_the_budget_changes_nothing)
{
    const struct json *call =
        tree("{'order':'12345','currency':'EUR','amount':'20.00'}");
    struct permit p = active();
    struct decimal amount;
    p.terms.budget = (struct permit_covers_budget){
        .amount = {30, 0}, .unit = STR("EUR"), .of = STR("amount")};
    cr_assert(!permit_use(a, &p, STR("shop.refund"), call, NOW, &amount));
    expect_kind(permit_use(a, &p, STR("shop.refund"), call, NOW, &amount),
                ERR_CONFLICT, "permit.budget", "", "beyond");
    cr_assert_eq(p.used, 1);
    cr_assert_eq(p.spent.whole, 20);
    cr_assert_eq(p.state, PERMIT_ACTIVE);
}

Test(permit, a_late_veto_ends_what_is_left)
{
    static const struct {
        enum permit_state state, after;
        bool late;
        const char *code;
    } rows[] = {
        {PERMIT_ACTIVE, PERMIT_REVOKED, false, NULL},
        {PERMIT_SPENT, PERMIT_SPENT, true, NULL},
        {PERMIT_ASKED, PERMIT_ASKED, false, "permit.asked"},
        {PERMIT_REFUSED, PERMIT_REFUSED, false, "permit.refused"},
        {PERMIT_REVOKED, PERMIT_REVOKED, false, "permit.revoked"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct permit p = active();
        bool late = true;
        p.state = rows[i].state;
        const struct err *e = permit_revoke(&p, STR("no"), STR("ada"), NOW,
                                            &late);
        cr_assert_eq(p.state, rows[i].after, "row %zu", i);
        cr_assert_eq(late, rows[i].late, "row %zu", i);
        cr_assert_eq(e == NULL, rows[i].code == NULL, "row %zu", i);
        cr_assert(!e || !strcmp(e->code, rows[i].code), "row %zu", i);
        cr_assert_eq(p.ended_at, p.state == PERMIT_REVOKED && !e ? NOW : 0);
    }
}

Test(permit, a_reader_sees_one_word)
{
    static const struct {
        enum permit_state state;
        int64_t used;
        enum outcome ending;
        enum redemption_result last;
        int64_t late;
        enum permit_view view;
    } rows[] = {
        {PERMIT_ASKED, 0, OUTCOME_UNDECIDED, REDEMPTION_OPEN, 0,
         PERMIT_VIEW_PENDING},
        {PERMIT_REFUSED, 0, OUTCOME_VETOED, REDEMPTION_OPEN, 0,
         PERMIT_VIEW_VETOED},
        {PERMIT_REFUSED, 0, OUTCOME_CHANGES_REQUESTED, REDEMPTION_OPEN, 0,
         PERMIT_VIEW_VETOED},
        {PERMIT_REFUSED, 0, OUTCOME_EXPIRED, REDEMPTION_OPEN, 0,
         PERMIT_VIEW_EXPIRED},
        {PERMIT_REFUSED, 0, OUTCOME_WITHDRAWN, REDEMPTION_OPEN, 0,
         PERMIT_VIEW_REVOKED},
        {PERMIT_ACTIVE, 0, OUTCOME_AUTHORIZED, REDEMPTION_OPEN, 0,
         PERMIT_VIEW_AUTHORIZED},
        {PERMIT_ACTIVE, 0, OUTCOME_AUTHORIZED, REDEMPTION_OPEN, 1,
         PERMIT_VIEW_LAPSED},
        {PERMIT_ACTIVE, 1, OUTCOME_AUTHORIZED, REDEMPTION_OPEN, 0,
         PERMIT_VIEW_EXECUTING},
        {PERMIT_SPENT, 1, OUTCOME_AUTHORIZED, REDEMPTION_OPEN, 1,
         PERMIT_VIEW_EXECUTING},
        {PERMIT_SPENT, 1, OUTCOME_AUTHORIZED, REDEMPTION_COMPLETED, 1,
         PERMIT_VIEW_COMPLETED},
        {PERMIT_SPENT, 1, OUTCOME_AUTHORIZED, REDEMPTION_FAILED, 1,
         PERMIT_VIEW_FAILED},
        {PERMIT_REVOKED, 1, OUTCOME_AUTHORIZED, REDEMPTION_COMPLETED, 0,
         PERMIT_VIEW_REVOKED},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct permit p = active();
        p.state = rows[i].state;
        p.used = rows[i].used;
        cr_assert_eq(permit_view(&p, rows[i].ending, rows[i].last,
                                 NOW + rows[i].late * CLOCK_SECOND),
                     rows[i].view, "row %zu", i);
    }
}

/* Rules about tool calls: the patterns, and what all calls together get. */
#include "domain/permit/tool_rule.h"
#include "suite.h"

SUITE(tool_rule);

Test(tool_rule, a_star_stands_for_any_run_of_characters)
{
    static const struct {
        const char *glob, *text;
        bool matches;
    } rows[] = {
        {"*", "", true},
        {"*", "shop.refund", true},
        {"shop.refund", "shop.refund", true},
        {"shop.refund", "shop.refund2", false},
        {"shop.refund", "Shop.refund", false},
        {"shop.*", "shop.refund", true},
        {"shop.*", "shop.", true},
        {"shop.*", "shopXrefund", false},
        {"*.refund", "shop.refund", true},
        {"*.refund", "shop.refund.all", false},
        {"s*p.r*d", "shop.refund", true},
        {"a*b*c", "a-b-b-c", true},
        {"a*b*c", "a-b-b-d", false},
        {"**", "x", true},
        {"", "", true},
        {"", "x", false},
        {"a?c", "abc", false},
        {"[a]", "a", false},
        {"\\*", "*", false},
        {"*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_assert_eq(tool_rule_glob(str_of(rows[i].glob),
                                    str_of(rows[i].text)),
                     rows[i].matches, "%s %s", rows[i].glob, rows[i].text);
}

/* Constants, which STR is none of. */
#define S(lit) {(lit), sizeof(lit) - 1}
#define NONE {NULL, 0}
#define ANY {DECIDER_ANY, NONE}

/* Out of order: the position counts. */
static const struct tool_rule rules[] = {
    {50, S("*"), S("shop.*"), TOOL_ASK, SEVERITY_MEDIUM, NONE, ANY},
    {10, S("*"), S("*.read"), TOOL_ALLOW, SEVERITY_UNSAID, NONE, ANY},
    {30, S("*"), S("shop.delete"), TOOL_DENY, SEVERITY_UNSAID,
     S("Orders are not for agents to delete."), ANY},
    {40, S("*"), S("shop.drop"), TOOL_DENY, SEVERITY_UNSAID,
     S("Nobody drops a shop."), ANY},
    {20, S("trusted"), S("mail_send"), TOOL_ALLOW, SEVERITY_UNSAID,
     NONE, ANY},
    {60, S("*"), S("bank.*"), TOOL_ASK, SEVERITY_CRITICAL, NONE, ANY},
    {70, S("*"), S("pay.team"), TOOL_ASK, SEVERITY_LOW, NONE,
     {DECIDER_GROUP, S("finance")}},
    {71, S("*"), S("pay.any"), TOOL_ASK, SEVERITY_LOW, NONE,
     {DECIDER_OPERATORS, NONE}},
    {72, S("*"), S("pay.own"), TOOL_ASK, SEVERITY_LOW, NONE,
     {DECIDER_INITIATOR, NONE}},
    {73, S("*"), S("pay.free"), TOOL_ALLOW, SEVERITY_UNSAID, NONE, ANY},
};

static void decide(const char *agent, const char *tools,
                   struct tool_rule_case c, struct tool_rule_verdict *out)
{
    struct str *v = arena_many(a, 10, struct str);
    struct str rest = str_of(tools);
    c.agent = str_of(agent);
    c.tools = v;
    for (c.n = 0; rest.p; c.n++)
        v[c.n] = str_cut(&rest, ' ');
    tool_rule_decide(a, rules, countof(rules), &c, out);
}

/* Tests 5, 6, 7 and 9 of the specification are among them. */
Test(tool_rule, all_calls_get_one_decision)
{
    static const struct {
        const char *what, *agent, *tools;
        struct tool_rule_case said;
        enum tool_effect effect;
        enum severity severity;
        const char *reason;
    } rows[] = {
        {"an unknown tool is asked about, at high", "bot", "what.ever",
         {.n = 0}, TOOL_ASK, SEVERITY_HIGH, NULL},
        {"a rule allows", "bot", "shop.read", {.n = 0}, TOOL_ALLOW,
         SEVERITY_UNSAID, NULL},
        {"a rule asks", "bot", "shop.refund", {.n = 0}, TOOL_ASK,
         SEVERITY_MEDIUM, NULL},
        {"a rule denies", "bot", "shop.delete", {.n = 0}, TOOL_DENY,
         SEVERITY_UNSAID, "Orders are not for agents to delete."},
        {"one denied call denies the safe one too", "bot",
         "shop.read shop.delete", {.n = 0}, TOOL_DENY, SEVERITY_UNSAID,
         "Orders are not for agents to delete."},
        {"the first denied call gives the reason", "bot",
         "shop.drop shop.delete", {.n = 0}, TOOL_DENY, SEVERITY_UNSAID,
         "Nobody drops a shop."},
        {"one call that is asked about takes the safe one with it", "bot",
         "shop.read shop.refund", {.n = 0}, TOOL_ASK, SEVERITY_MEDIUM, NULL},
        {"the highest severity counts", "bot",
         "shop.refund bank.pay what.ever", {.n = 0}, TOOL_ASK,
         SEVERITY_CRITICAL, NULL},
        {"a request for an approval asks", "bot", "shop.read",
         {.requires_approval = true}, TOOL_ASK, SEVERITY_UNSAID, NULL},
        {"a request takes its severity along", "bot", "shop.read",
         {.requires_approval = true, .severity = SEVERITY_LOW}, TOOL_ASK,
         SEVERITY_LOW, NULL},
        {"an agent's high asks although a rule allows", "bot", "shop.read",
         {.severity = SEVERITY_HIGH}, TOOL_ASK, SEVERITY_HIGH, NULL},
        {"an agent's critical does so too", "bot", "shop.read",
         {.severity = SEVERITY_CRITICAL}, TOOL_ASK, SEVERITY_CRITICAL, NULL},
        {"an agent's medium does not", "bot", "shop.read",
         {.severity = SEVERITY_MEDIUM}, TOOL_ALLOW, SEVERITY_UNSAID, NULL},
        {"no agent's word loosens a rule that asks", "bot", "shop.refund",
         {.requires_approval = false, .severity = SEVERITY_LOW}, TOOL_ASK,
         SEVERITY_MEDIUM, NULL},
        {"no agent's word loosens a rule that denies", "bot", "shop.delete",
         {.requires_approval = true, .severity = SEVERITY_CRITICAL},
         TOOL_DENY, SEVERITY_UNSAID, "Orders are not for agents to delete."},
        {"a floor raises what is asked about", "bot", "shop.refund",
         {.terms.floor = SEVERITY_CRITICAL}, TOOL_ASK, SEVERITY_CRITICAL, NULL},
        {"a floor lowers nothing", "bot", "what.ever",
         {.terms.floor = SEVERITY_LOW}, TOOL_ASK, SEVERITY_HIGH, NULL},
        {"a floor asks about nothing that a rule allows", "bot", "shop.read",
         {.terms.floor = SEVERITY_CRITICAL}, TOOL_ALLOW, SEVERITY_UNSAID, NULL},
        {"a rule for another agent does not count", "bot", "mail_send",
         {.n = 0}, TOOL_ASK, SEVERITY_HIGH, NULL},
        {"a rule for this agent does", "trusted", "mail_send", {.n = 0},
         TOOL_ALLOW, SEVERITY_UNSAID, NULL},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct tool_rule_verdict v;
        decide(rows[i].agent, rows[i].tools, rows[i].said, &v);
        cr_assert_eq(v.effect, rows[i].effect, "%s", rows[i].what);
        cr_assert_eq(v.severity, rows[i].severity, "%s: %s", rows[i].what,
                     vocabulary_severity(v.severity)->label);
        cr_assert_eq(v.reason.p == NULL, rows[i].reason == NULL, "%s",
                     rows[i].what);
        cr_assert(!rows[i].reason || str_is(v.reason, rows[i].reason), "%s",
                  rows[i].what);
    }
}

Test(tool_rule, each_call_is_told_its_rule)
{
    struct tool_rule_verdict v;
    decide("bot", "shop.read what.ever shop.delete",
           (struct tool_rule_case){.n = 0}, &v);
    cr_assert_eq(v.matched[0]->position, 10);
    cr_assert_null(v.matched[1]);
    cr_assert_eq(v.matched[2]->position, 30);
}

Test(tool_rule, without_rules_every_call_is_asked_about)
{
    const struct str tool = STR("x");
    const struct tool_rule_case c = {.agent = STR("b"), .tools = &tool,
                                     .n = 1};
    struct tool_rule_verdict v;
    tool_rule_decide(a, NULL, 0, &c, &v);
    cr_assert_eq(v.effect, TOOL_ASK);
    cr_assert_eq(v.severity, SEVERITY_HIGH);
}

Test(tool_rule, a_rule_has_to_make_sense)
{
    static const struct {
        struct tool_rule rule;
        const char *code, *at;
    } rows[] = {
        {{1, S("*"), S("*"), TOOL_ALLOW, SEVERITY_UNSAID, NONE, ANY},
         NULL, NULL},
        {{10000, S("b"), S("a.*"), TOOL_ASK, SEVERITY_LOW, S("r"), ANY},
         NULL, NULL},
        {{0, S("*"), S("*"), TOOL_ALLOW, SEVERITY_UNSAID, NONE, ANY},
         "field.range", "position"},
        {{10001, S("*"), S("*"), TOOL_ALLOW, SEVERITY_UNSAID, NONE, ANY},
         "field.range", "position"},
        {{1, S(""), S("*"), TOOL_ALLOW, SEVERITY_UNSAID, NONE, ANY},
         "field.value", "agent"},
        {{1, S("*"), S("a b"), TOOL_ALLOW, SEVERITY_UNSAID, NONE, ANY},
         "field.value", "tool"},
        {{1, S("*"), S("a\xE2\x80\x8B"), TOOL_DENY, SEVERITY_UNSAID,
          NONE, ANY},
         "field.value", "tool"},
        {{1, S("*"), S("*"), TOOL_EFFECT__MAX, SEVERITY_UNSAID, NONE, ANY},
         "field.value", "effect"},
        {{1, S("*"), S("*"), TOOL_ASK, SEVERITY_UNSAID, NONE, ANY},
         "field.missing", "severity"},
        {{1, S("*"), S("*"), TOOL_DENY, SEVERITY_LOW, NONE, ANY},
         "field.unused", "severity"},
        {{1, S("*"), S("*"), TOOL_DENY, SEVERITY_UNSAID, S("a\nb"), ANY},
         "field.value", "reason"},
        {{1, S("*"), S("*"), TOOL_DENY, SEVERITY_UNSAID, NONE,
          {DECIDER_OPERATORS, NONE}},
         "field.unused", "by"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct err *e = tool_rule_check(a, &rows[i].rule);
        cr_assert_eq(e == NULL, rows[i].code == NULL, "row %zu", i);
        if (!e)
            continue;
        cr_assert_str_eq(e->code, rows[i].code, "row %zu", i);
        cr_assert(str_is(e->at, rows[i].at), "row %zu: %.*s", i,
                  STR_FMT(e->at));
        cr_assert_eq(e->kind, ERR_INVALID);
    }
}

Test(tool_rule, all_calls_are_decided_by_the_same_people)
{
    static const struct {
        const char *tools;
        struct decider key;
        const char *by; /* NULL: torn */
    } rows[] = {
        {"pay.team", ANY, "group:finance"},
        {"pay.team pay.any", ANY, "group:finance"},
        {"pay.any pay.team", ANY, "group:finance"},
        {"pay.team pay.own", ANY, NULL},
        {"pay.any pay.own", ANY, NULL},
        {"pay.own pay.own", ANY, "initiator"},
        {"pay.own pay.free", ANY, "initiator"},
        {"what.ever", ANY, ""},
        {"what.ever", {DECIDER_OPERATORS, NONE}, "operators"},
        {"pay.own", {DECIDER_OPERATORS, NONE}, "initiator"},
        {"pay.own what.ever", {DECIDER_OPERATORS, NONE}, NULL},
        {"pay.team what.ever", {DECIDER_OPERATORS, NONE}, "group:finance"},
        {"pay.team", {DECIDER_GROUP, S("other")}, "group:finance"},
        {"pay.team what.ever", {DECIDER_GROUP, S("other")}, NULL},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct tool_rule_verdict v;
        decide("bot", rows[i].tools,
               (struct tool_rule_case){.terms.by = rows[i].key}, &v);
        const struct str by = principal_by_text(a, &v.by);
        cr_assert_eq(v.torn, rows[i].by == NULL, "%s", rows[i].tools);
        if (!v.torn)
            cr_assert(str_is(by.p ? by : STR(""), rows[i].by), "%s: %.*s",
                      rows[i].tools, STR_FMT(by));
    }
}

Test(tool_rule, deciders_are_read_and_written)
{
    static const struct {
        const char *word;
        bool fine;
    } rows[] = {{"", true}, {"operators", true}, {"initiator", true},
                {"group:on-call", true}, {"group:", false},
                {"group:On", false}, {"group", false}, {"Operators", false},
                {"anybody", false}, {"group:a b", false}};
    for (size_t i = 0; i < countof(rows); i++) {
        struct decider by;
        const struct str word = str_of(rows[i].word);
        cr_assert_eq(principal_by(word, &by), rows[i].fine, "%s", rows[i].word);
        const struct str text = principal_by_text(a, &by);
        if (rows[i].fine)
            cr_assert(str_eq(text.p ? text : STR(""), word));
    }
}

/* A later rule allows everything. */
Test(tool_rule, what_looks_the_same_is_forbidden_too)
{
    static const struct tool_rule some[] = {
        {1, S("*"), S("Shop.Look"), TOOL_ALLOW, SEVERITY_UNSAID, NONE, ANY},
        {2, S("*"), S("shop.*"), TOOL_DENY, SEVERITY_UNSAID, NONE, ANY},
        {3, S("Mallory"), S("*"), TOOL_ASK, SEVERITY_HIGH, NONE, ANY},
        {4, S("*"), S("caf\xC3\xA9"), TOOL_DENY, SEVERITY_UNSAID, NONE, ANY},
        {5, S("*"), S("*"), TOOL_ALLOW, SEVERITY_UNSAID, NONE, ANY},
    };
    static const struct {
        const char *agent, *tool;
        enum tool_effect effect;
    } rows[] = {
        {"bot", "shop.refund", TOOL_DENY}, {"bot", "Shop.refund", TOOL_DENY},
        {"bot", "SHOP.REFUND", TOOL_DENY},
        {"bot", "shop\xE2\x80\xA4refund", TOOL_DENY},
        {"bot", "\xEF\xBD\x93hop.refund", TOOL_DENY},
        {"bot", "shop\xEF\xBC\x8Erefund", TOOL_DENY},
        {"bot", "sh\xD0\xBEp.refund", TOOL_DENY},
        {"bot", "sho\xE2\x80\x8Bp.refund", TOOL_DENY},
        {"bot", "cafe\xCC\x81", TOOL_DENY}, {"bot", "CAF\xC3\x89", TOOL_DENY},
        {"bot", "shop.look", TOOL_DENY}, {"bot", "Shop.Look", TOOL_ALLOW},
        {"bot", "shop.Look", TOOL_DENY}, {"bot", "shopping", TOOL_ALLOW},
        {"mallory", "x", TOOL_ASK}, {"MALLORY", "x", TOOL_ASK},
        {"bot", "x", TOOL_ALLOW}};
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str tool = str_of(rows[i].tool);
        const struct tool_rule_case c = {
            .agent = str_of(rows[i].agent), .tools = &tool, .n = 1};
        struct tool_rule_verdict v;
        tool_rule_decide(a, some, countof(some), &c, &v);
        cr_assert_eq(v.effect, rows[i].effect, "%s", rows[i].tool);
    }
}

Test(tool_rule, the_terms_that_the_rules_themselves_set)
{
    static const struct tool_rule some[] = {
        {.effect = TOOL_ASK, .severity = SEVERITY_MEDIUM},
        {.effect = TOOL_ASK, .severity = SEVERITY_HIGH,
         .by = {.who = DECIDER_OPERATORS}},
        {.effect = TOOL_ALLOW}, {.effect = TOOL_DENY}};
    const struct tool_rule *matched[] = {&some[0], NULL, &some[2], &some[1],
                                         &some[3]};
    const struct tool_rule_verdict v = {.matched = matched};
    struct terms t;
    cr_assert(tool_rule_terms(&v, 1, &t));
    cr_expect_eq(t.floor, SEVERITY_MEDIUM);
    cr_expect_eq(t.by.who, DECIDER_ANY);
    cr_assert(tool_rule_terms(&v, countof(matched), &t));
    cr_expect_eq(t.floor, SEVERITY_HIGH);
    cr_expect_eq(t.by.who, DECIDER_OPERATORS);
    const struct tool_rule_verdict none = {.matched = matched + 1};
    cr_expect(!tool_rule_terms(&none, 2, &t)); /* none, and one that allows */
    cr_expect_eq(t.floor, SEVERITY_UNSAID);
}

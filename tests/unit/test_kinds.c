/* The pages of the kinds: everything that was sent is shown somewhere, and what
 * was not is unknown. */
#include "doors/pages/kinds/card.h"
#include "doors/pages/kinds/effect_text.h"
#include "doors/pages/kinds/kinds.h"

#include "suite.h"

static struct page_view v;

SUITE_WITH(kinds_view, v = page_view(a, 1));

static struct json *view(enum kind k, const char *subject)
{
    const struct suspension s = {.kind = k, .subject = str_of(subject)};
    const struct kinds_of of = {.s = &s};
    return kinds_view(&v, &of);
}

/* The value under a label; "?" for unknown, "" where there is no such. */
static const char *fact(const struct json *list, const char *label)
{
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *one = json_at(list, i);
        const struct str value = json_get_text(one, "value");
        if (str_is(json_get_text(one, "label"), label))
            return value.n ? arena_z(a, value) : "?";
    }
    return "";
}

/* "path=value" of every row of every table, by ' '. */
static const char *values(const struct json *tables)
{
    struct buf b = buf_make(a, 1 << 16);
    for (size_t i = 0; i < json_count(tables); i++) {
        const struct json *rows = json_get(json_at(tables, i), "rows");
        for (size_t k = 0; k < json_count(rows); k++) {
            const struct json *row = json_at(rows, k);
            buf_put(&b, b.n ? " " : "");
            buf_str(&b, json_get_text(row, "path"));
            buf_char(&b, '=');
            buf_str(&b, json_get_text(row, "value"));
        }
    }
    return b.n ? arena_z(a, buf_text(&b)) : "";
}

Test(kinds_view, a_plain_card_has_none)
{
    cr_expect_null(view(KIND_NONE, "{}"));
}

Test(kinds_view, an_approval_shows_all_that_was_sent)
{
    const struct json *o = json_get(
        view(KIND_APPROVAL,
             "{\"action\":{\"name\":\"refund\",\"way\":\"fast\"},"
             "\"target\":{\"id\":7},\"scope_summary\":\"one\","
             "\"calls\":[{\"tool\":\"t\",\"args\":{\"x\":1,\"note\":\"a\"},"
             "\"note\":\"b\"},{\"tool\":\"u\",\"target\":\"w\",\"when\":3}],"
             "\"safe_input\":{\"fields\":{\"f\":2},\"omitted_count\":4},"
             "\"constraints\":{\"max\":5},\"more\":[true]}"),
        "approval");
    const struct json *tables = json_get(o, "tables");
    cr_expect_str_eq(fact(json_get(o, "facts"), "Action"), "refund");
    cr_expect_str_eq(fact(json_get(o, "facts"), "Provider"), "?");
    cr_expect_str_eq(fact(json_get(o, "facts"), "Target"), "{\"id\":7}");
    /* A name that stands in the call and in its arguments hides neither. */
    cr_expect_str_eq(values(json_get(json_get(o, "called"), "tables")),
                     "args.x=1 args.note=a note=b when=3");
    cr_expect_str_eq(values(tables),
                     "f=2 max=5 action.way=fast more[0]=true");
    cr_expect(str_is(json_get_text(json_at(tables, 0), "note"),
                     "The agent reports that it left out 4 values."));
    cr_expect_eq(json_int(json_get(o, "calls")), 2);
    cr_expect(!json_bool(json_get(o, "is_single")));
}

Test(kinds_view, claims_are_unknown_where_nothing_was_said)
{
    const struct json *claims = json_get(
        json_get(view(KIND_APPROVAL, "{\"reversible\":\"maybe\"}"),
                 "approval"),
        "claims");
    cr_assert_eq(json_count(claims), 3);
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(json_get_text(json_at(claims, i), "claimed").n, 0);
}

Test(kinds_view, whatever_a_kind_does_not_know_is_shown_too)
{
    static const struct {
        enum kind kind;
        const char *name, *subject, *rest;
    } cases[] = {
        {KIND_PLAN_REVIEW, "plan_review",
         "{\"plan\":{\"version\":1,\"steps\":[{\"x\":1}],\"scope\":\"s\","
         "\"expected_outputs\":[],\"risk_summary\":\"r\",\"dry\":false},"
         "\"plan_ref\":7,\"more\":[null]}",
         "plan.dry=false plan_ref=7 more[0]=null"},
        {KIND_ELICITATION, "elicitation", "{\"prompt\":\"p\",\"x\":{}}",
         "x={}"},
        {KIND_CREDENTIAL_NEEDED, "credential_needed",
         "{\"provider\":\"p\",\"credential_class\":\"c\",\"scopes\":[\"a\"],"
         "\"settings_url\":\"https://a.example/\",\"draft_ref\":{\"d\":1},"
         "\"probe\":\"q\",\"until\":9}",
         "draft_ref.d=1 until=9"},
        {KIND_CREDENTIAL_NEEDED, "credential_needed", "{\"scopes\":\"all\"}",
         "scopes=all"},
        {KIND_HANDOFF_ACCEPTANCE, "handoff_acceptance",
         "{\"from\":\"f\",\"to\":\"t\",\"open_questions\":[\"q\"],"
         "\"artifacts\":[{\"title\":\"t\",\"kind\":\"k\",\"ref\":\"r\"}],"
         "\"evidence\":[],\"pay\":\"me\"}",
         "pay=me"},
        /* Nor is what stands in a reference lost. */
        {KIND_HANDOFF_ACCEPTANCE, "handoff_acceptance",
         "{\"artifacts\":[{\"title\":\"t\",\"ref\":\"r\",\"run\":\"x\"}],"
         "\"evidence\":[{\"title\":\"u\",\"kind\":\"k\",\"ref\":\"s\"}]}",
         "artifacts[0].title=t artifacts[0].ref=r artifacts[0].run=x "
         "evidence[0].title=u evidence[0].kind=k evidence[0].ref=s"},
    };
    for (size_t i = 0; i < countof(cases); i++)
        cr_expect_str_eq(
            values(json_get(json_get(view(cases[i].kind, cases[i].subject),
                                     cases[i].name),
                            "tables")),
            cases[i].rest, "%zu", i);
}

/* {"KEY":[ELEMENT, ...]} */
static const char *many(const char *key, const char *element, size_t n)
{
    struct buf b = buf_make(a, 1 << 16);
    buf_printf(&b, "{\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        buf_put(&b, i ? "," : "");
        buf_put(&b, element);
    }
    buf_put(&b, "]}");
    return arena_z(a, buf_text(&b));
}

Test(kinds_view, a_list_tells_how_much_of_it_is_not_shown)
{
    static const char ref[] = "{\"title\":\"t\",\"kind\":\"k\",\"ref\":\"r\"}";
    const struct json *o =
        json_get(view(KIND_HANDOFF_ACCEPTANCE, many("artifacts", ref, 300)),
                 "handoff_acceptance");
    cr_expect_eq(json_int(json_get(o, "artifacts_count")), 300);
    cr_expect_eq(json_count(json_get(o, "artifacts")), 200);
    cr_expect_eq(json_int(json_get(o, "artifacts_more")), 100);
    cr_expect_null(json_get(o, "evidence_more"));
    o = json_get(view(KIND_HANDOFF_ACCEPTANCE,
                      many("open_questions", "\"q\"", 501)),
                 "handoff_acceptance");
    cr_expect_eq(json_int(json_get(o, "questions_more")), 1);
    o = json_get(view(KIND_CREDENTIAL_NEEDED, many("scopes", "1", 500)),
                 "credential_needed");
    cr_expect_eq(json_count(json_get(o, "scopes")), 500);
    cr_expect_null(json_get(o, "scopes_more"));
}

Test(kinds_view, how_long_a_permission_lasts)
{
    static const char *const cases[][2] = {
        {"{\"kind\":\"once\"}", "once"},
        {"{\"kind\":\"task\",\"seconds\":3600}",
         "for this task, at most 1 hour"},
        {"{\"kind\":\"session\",\"seconds\":5400}",
         "for this session, at most 90 minutes"},
        {"{\"kind\":\"until\",\"seconds\":172800}", "2 days"},
        {"{\"kind\":\"until\",\"seconds\":61}", "61 seconds"},
        {"{\"kind\":\"ever\"}", "ever"},
        {"{}", "?"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf b = buf_make(a, 1024);
        buf_put(&b, "{\"duration\":");
        buf_put(&b, cases[i][0]);
        buf_put(&b, "}");
        const struct json *o = json_get(
            view(KIND_PERMISSION, arena_z(a, buf_text(&b))), "permission");
        cr_expect_str_eq(fact(json_get(o, "facts"), "Duration"),
                         cases[i][1]);
    }
}

Test(kinds_view, a_cost_compares_its_limit)
{
    static const char *const cases[][2] = {
        {"{\"amount\":9}", "Below the likely estimate, so the work may stop "
                           "early."},
        {"{\"amount\":10}", "Below the high estimate, so the work may stop "
                            "early."},
        {"{\"amount\":20}", "Covers the estimate."},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf b = buf_make(a, 1024);
        buf_put(&b, "{\"estimate\":{\"amount\":10,\"high\":20,"
                    "\"unit\":\"USD\"},\"limit\":");
        buf_put(&b, cases[i][0]);
        buf_put(&b, "}");
        const struct json *facts = json_get(
            json_get(view(KIND_COST_CONFIRMATION, arena_z(a, buf_text(&b))),
                     "cost_confirmation"),
            "facts");
        cr_expect(str_is(json_get_text(json_at(facts, 2), "note"),
                         cases[i][1]));
        cr_expect_str_eq(fact(facts, "Spent so far"), "?");
    }
}

Test(kinds_view, a_bar_stays_within_its_drawing)
{
    static const char *const keys[] = {"spent", "likely", "range_at",
                                       "range", "limit_at"};
    static const char *const cases[] = {
        "{\"estimate\":{\"amount\":1e308,\"high\":1e308,\"unit\":\"x\"},"
        "\"limit\":{\"amount\":1e308},\"spent_so_far\":{\"amount\":1e308}}",
        "{\"estimate\":{\"amount\":0,\"unit\":\"x\"},"
        "\"limit\":{\"amount\":0}}",
        "{\"estimate\":{\"amount\":3,\"unit\":\"x\"},"
        "\"limit\":{\"amount\":1e-9},\"spent_so_far\":{\"amount\":7}}"};
    for (size_t i = 0; i < countof(cases); i++) {
        const struct json *bar = json_get(
            json_get(view(KIND_COST_CONFIRMATION, cases[i]), "cost_confirmation"), "bar");
        cr_expect_eq(bar == NULL, i < 2);
        for (size_t k = 0; bar && k < countof(keys); k++) {
            int64_t n = -1;
            cr_expect(str_int(json_get_text(bar, keys[k]), 0, 1000, &n));
        }
    }
}

/* The paths that differ beside the steps; "=" where none does. */
static const char *besides(const char *before, const char *now)
{
    const struct principal reader = {.id = STR("p")};
    const struct suspension old = {.kind = KIND_PLAN_REVIEW,
                                   .subject = str_of(before)};
    const struct suspension s = {.kind = KIND_PLAN_REVIEW,
                                 .subject = str_of(now)};
    const struct kinds_of of = {
        .s = &s, .before = &old, .reader = &reader, .revision = 3};
    const struct json *o =
        json_get(json_get(kinds_view(&v, &of), "plan_review"), "besides");
    const struct json *rows = json_get(o, "rows");
    struct buf b = buf_make(a, 1024);
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        buf_put(&b, i ? " " : "");
        buf_str(&b, json_get_text(row, "path"));
    }
    cr_expect(str_is(json_get_text(o, "was_head"), "Revision 2"));
    return b.n ? arena_z(a, buf_text(&b)) : "=";
}

Test(kinds_view, a_revision_shows_what_differs_beside_its_steps)
{
    static const char *const cases[][3] = {
        {"{\"plan\":{\"version\":1,\"steps\":[1],\"scope\":\"one\"}}",
         "{\"plan\":{\"version\":2,\"steps\":[2],\"scope\":\"one\"}}", "="},
        {"{\"plan\":{\"steps\":[],\"scope\":\"one\"}}",
         "{\"plan\":{\"steps\":[],\"scope\":\"all\"}}", "plan.scope"},
        {"{\"plan\":{\"steps\":[],\"expected_outputs\":[\"a\"]}}",
         "{\"plan\":{\"steps\":[],\"expected_outputs\":[\"b\",\"c\"],"
         "\"dry_run\":false},\"plan_ref\":\"x\"}",
         "plan.expected_outputs[0] plan.expected_outputs[1] plan.dry_run "
         "plan_ref"},
        {"{\"plan\":{\"steps\":[]},\"limit\":{\"eur\":5}}",
         "{\"plan\":{\"steps\":[]},\"limit\":{\"eur\":500}}", "limit.eur"},
        {"{\"plan\":[]}", "{\"plan\":{\"steps\":[]}}", "plan"},
    };
    for (size_t i = 0; i < countof(cases); i++)
        cr_expect_str_eq(besides(cases[i][0], cases[i][1]), cases[i][2],
                         "%zu", i);
    const struct json *first = view(KIND_PLAN_REVIEW, "{\"plan\":{}}");
    cr_expect_null(json_get(json_get(first, "plan_review"), "besides"));
}

Test(kinds_view, numbers_as_people_read_them)
{
    static const char *const cases[][2] = {
        {"0", "0"},          {"999", "999"},       {"1000", "1,000"},
        {"1234567", "1,234,567"}, {"-1234.50", "-1,234.50"},
        {"0.001", "0.001"},  {"1e300", "1e300"}};
    for (size_t i = 0; i < countof(cases); i++)
        cr_expect(str_is(page_facts_number(a, tree(cases[i][0])), cases[i][1]),
                  "%s", cases[i][0]);
}

Test(kinds_view, an_answer_says_what_it_does)
{
    const struct suspension s = {
        .kind = KIND_COST_CONFIRMATION,
        .subject = STR("{\"limit\":{\"amount\":1800,\"unit\":\"USD\"}}")};
    const struct json *yes = tree("{\"takes\":\"limit\","
                                  "\"effect\":\"authorize\"}");
    cr_expect(str_is(kinds_effect_text(a, &s, yes).button,
                     "At most 1,800 USD. You can lower it."));
    const struct json *told = tree("{\"effect\":\"veto\","
                                   "\"description\":\"No.\"}");
    /* Whatever the agent says of it. */
    cr_expect(str_is(kinds_effect_text(a, &s, told).button,
                     "The agent skips this and continues."));
}

/* After the agent's name, as the step that confirms a no and the record say
 * it;
 * "": the record names the choice. */
static const struct {
    enum kind kind;
    const char *value, *confirm, *record;
} effects[] = {
    {KIND_APPROVAL, "reject", "skips this and continues.", NULL},
    {KIND_APPROVAL, "approve", "gets this answer and may act on it.", ""},
    {KIND_PERMISSION, "deny", "skips this and continues.", NULL},
    {KIND_PLAN_REVIEW, "reject", "skips this and continues.", NULL},
    {KIND_PLAN_REVIEW, "request_changes",
     "is asked for a revision. Nothing is approved.",
     "was asked for a revision. Nothing was approved."},
    {KIND_ELICITATION, "decline", "continues without an answer.", NULL},
    {KIND_CREDENTIAL_NEEDED, "decline", "continues without the credential.",
     NULL},
    {KIND_CREDENTIAL_NEEDED, "configured",
     "continues. Sayso does not verify the setup.", ""},
    {KIND_COST_CONFIRMATION, "cancel", "skips this and continues.", NULL},
    {KIND_COST_CONFIRMATION, "stop_task",
     "gets your rejection, and the task stops.", NULL},
    {KIND_HANDOFF_ACCEPTANCE, "decline", "keeps the task.", NULL},
    {KIND_HANDOFF_ACCEPTANCE, "accept",
     "is notified, and you become the owner of the task.",
     "handed the task over to its new owner."},
};

static const struct kind_choice *choice_of(enum kind kind, const char *value)
{
    const struct kind_rule *rule = kind_rule(kind);
    for (size_t i = 0; i < rule->choices_n; i++) {
        if (strcmp(rule->choices[i].value, value) == 0)
            return &rule->choices[i];
    }
    cr_assert_fail("%s", value);
    return NULL;
}

Test(kinds_view, a_button_its_step_and_the_record_say_the_same)
{
    for (size_t i = 0; i < countof(effects); i++) {
        const struct kind_choice *row =
            choice_of(effects[i].kind, effects[i].value);
        const struct suspension s = {.kind = effects[i].kind,
                                     .subject = STR("{}")};
        struct json *choice = json_object(a);
        json_set_text(choice, "value", str_of(row->value));
        json_set_text(choice, "effect", vocabulary_effect(row->effect)->wire);
        const struct kinds_effect_text t = kinds_effect_text(a, &s, choice);
        const char *record =
            effects[i].record ? effects[i].record : effects[i].confirm;
        cr_expect(str_is(t.confirm, effects[i].confirm), "%s: %s", row->value,
                  arena_z(a, t.confirm));
        cr_expect(str_eq(t.record, *record ? str_of(record) : STR_NONE), "%s",
                  row->value);
        /* A button that names the agent says the same of it. */
        if (str_starts(t.button, STR("The agent ")))
            cr_expect(
                str_eq(t.button, arena_join(a, STR("The agent "), t.confirm)),
                "%s", row->value);
    }
}

Test(kinds_view, a_call_names_what_it_is_on)
{
    static const char *const cases[][3] = {
        /* the calls, the target in their heads, the fact */
        {"[{\"tool\":\"pay\",\"args\":{}}]", "KES", ""},
        {"[{\"tool\":\"pay\",\"target\":\"own\"}]", "own", "KES"},
        {"[{\"tool\":\"pay\",\"target\":\"KES\"},{\"tool\":\"mail\"}]", "KES ",
         ""},
        {"[{\"tool\":\"pay\"},{\"tool\":\"mail\"}]", " ", "KES"},
        /* It is an argument already, or the tool. */
        {"[{\"tool\":\"pay\",\"args\":{\"to\":\"KES\"}}]", "", ""},
        {"[{\"tool\":\"KES\"}]", "", ""}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf subject = buf_make(a, 1024), heads = buf_make(a, 1024);
        buf_printf(&subject, "{\"target\":\"KES\",\"calls\":%s}", cases[i][0]);
        const struct json *o = json_get(
            view(KIND_APPROVAL, arena_z(a, buf_text(&subject))), "approval");
        const struct json *tables = json_get(json_get(o, "called"), "tables");
        for (size_t k = 0; k < json_count(tables); k++) {
            const struct str on = json_get_text(json_at(tables, k), "target");
            buf_put(&heads, k ? " " : "");
            buf_str(&heads, on.p ? on : STR(""));
        }
        cr_expect(str_is(heads.n ? buf_text(&heads) : STR(""), cases[i][1]),
                  "%zu: %s", i, arena_z(a, buf_text(&heads)));
        cr_expect_str_eq(fact(json_get(o, "facts"), "Target"), cases[i][2],
                         "%zu", i);
    }
}

Test(kinds_view, an_action_that_is_the_tool_of_a_call_stands_there)
{
    const struct json *o = json_get(
        view(KIND_APPROVAL,
             "{\"action\":{\"name\":\"refund\",\"provider\":\"pay\"},"
             "\"calls\":[{\"tool\":\"pay.refund\"},{\"tool\":\"mail\"}]}"),
        "approval");
    cr_expect_str_eq(fact(json_get(o, "facts"), "Action"), "");
    cr_expect_str_eq(fact(json_get(o, "facts"), "Provider"), "");
    cr_expect_str_eq(values(json_get(o, "tables")), "");
}

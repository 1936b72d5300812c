/* Settings: the rules about tool calls. An admin adds and removes them, an
 * auditor reads. */
#include "base/clock.h"
#include "domain/intent/person.h"
#include "doors/pages/access/access.h"
#include "doors/pages/settings/page.h"
#include "store/permit/tools.h"

#define RULES_BEGIN 100 /* the position of the first rule */

static const struct settings_form_option effects[] = {
    {"ask", "Ask: a person approves or rejects the call"},
    {"allow", "Allow: the call runs"},
    {"deny", "Deny: the call never runs"}};
static const struct settings_form_option severities[] = {
    {"none", "None"}, {"low", "Low"}, {"medium", "Medium"},
    {"high", "High"}, {"critical", "Critical"}};
static const struct settings_form_field rules_fields[] = {
    {.key = "position", .label = "Position", .type = "integer",
     .required = true,
     .help = "From 1 to 10000. The first rule that matches a call counts"},
    {.key = "agent", .label = "Agent", .type = "string", .required = true,
     .initial = "*", .max = TOOL_RULE_GLOB_MAX,
     .help = "A name; * stands for any text"},
    {.key = "tool", .label = "Tool", .type = "string", .required = true,
     .max = TOOL_RULE_GLOB_MAX,
     .help = "A name such as shop.refund; * stands for any text"},
    {.key = "effect", .label = "Effect", .type = "enum", .required = true,
     .initial = "ask", SETTINGS_FORM_ALL(options, effects)},
    {.key = "severity", .label = "Risk", .type = "enum", .required = true,
     .initial = "high", SETTINGS_FORM_ALL(options, severities),
     .help = "For rules that ask"},
    {.key = "by", .label = "Decided by", .type = "string",
     .max = PRINCIPAL_BY_MAX,
     .help = "For rules that ask: operators, group:NAME, or initiator (the "
             "person who started the task, proven). Empty: as the agent "
             "asks"},
    {.key = "reason", .label = "Reason", .type = "string",
     .max = TOOL_RULE_REASON_MAX,
     .help = "The agent receives it when a call is denied"},
};

/* The position before all rules, so that the new one counts first; 0: there is
 * no room before them. */
static int64_t rules_first(struct call *c)
{
    struct tools_rules found;
    if (tools_rules(c->pg, c->a, &found))
        return 0;
    return found.n > 0 ? found.v[0].rule.position - 1 : RULES_BEGIN;
}

/* Of a new one: what the address says about it, as a link of a request does. */
static struct json *rules_values(struct settings_view *v)
{
    static const char *const keys[] = {"agent", "tool", "effect"};
    struct json *o = json_object(v->c->a);
    const int64_t position = rules_first(v->c);
    if (position > 0)
        json_set_int(o, "position", position);
    for (size_t i = 0; i < countof(keys); i++)
        json_set_text_given(o, keys[i],
                            str_head(request_query(v->c->rq, keys[i]),
                                     TOOL_RULE_GLOB_MAX));
    return o;
}

/* Of a rule that asks: "High risk, decided by operators". */
static struct str rules_terms(struct arena *a, const struct tool_rule *rule)
{
    const struct str by = principal_by_text(a, &rule->by);
    const bool rated =
        rule->effect == TOOL_ASK && rule->severity != SEVERITY_UNSAID;
    const struct str risk =
        rated ? arena_join(a,
                           str_of(vocabulary_severity(rule->severity)->label),
                           STR(" risk"))
              : STR_NONE;
    if (!by.p)
        return risk;
    return arena_join(a, risk.p ? risk : STR(""),
                      risk.p ? STR(", decided by ") : STR("decided by "), by);
}

static const struct err *rules_rows(struct settings_view *v)
{
    struct call *c = v->c;
    struct arena *a = c->a;
    struct tools_rules found;
    TRY(tools_rules(c->pg, a, &found));
    for (size_t i = 0; i < found.n; i++) {
        const struct tool_rule *rule = &found.v[i].rule;
        const struct str position = arena_number(a, rule->position);
        const struct settings_cell cells[SETTINGS_PAGE_COLUMNS] = {
            {.text = position},
            {.text = rule->tool,
             .second = str_is(rule->agent, "*") ? STR("any agent")
                                                : rule->agent},
            {.text = str_of(vocabulary_tool_effect(rule->effect)->label),
             .second = rules_terms(a, rule)},
            {.text = rule->reason},
            {.day = found.v[i].created_at, .second = found.v[i].created_by}};
        settings_page_row(
            v, &(struct settings_row){
                   .cells = cells,
                   .id = position,
                   .name = rule->tool,
                   .about = arena_join(a, STR("Remove rule "), position)});
    }
    return NULL;
}

static const struct err *rules_save(struct settings_view *v,
                                    const struct json *values)
{
    struct call *c = v->c;
    struct tools_rule r = {.created_at = clock_now(),
                           .created_by = c->who.name};
    struct tool_rule *rule = &r.rule;
    const struct str reason = str_trim(json_get_text(values, "reason"));
    rule->position = json_int(json_get(values, "position"));
    rule->agent = str_trim(json_get_text(values, "agent"));
    rule->tool = str_trim(json_get_text(values, "tool"));
    rule->effect = vocabulary_tool_effect_of(json_get_text(values, "effect"));
    rule->severity = vocabulary_severity_of(
        vocabulary_of_key(json_get_text(values, "severity")));
    if (rule->effect != TOOL_ASK)
        rule->severity = SEVERITY_UNSAID;
    if (!principal_by(str_trim(json_get_text(values, "by")), &rule->by))
        return err_at(c->a, ERR_INVALID, "field.value", STR("by"),
                      "Enter " PRINCIPAL_BY_WORDS ".");
    if (reason.n > 0)
        rule->reason = reason;
    TRY(tool_rule_check(c->a, rule));
    TRY(tools_rule_insert(c->pg, c->a, &r));
    SETTINGS_PAGE_LOG(c, "rule.add position=%lld tool=\"%.*s\" effect=%s",
                      (long long)rule->position,
                      STR_FMT(call_quoted(c, rule->tool)),
                      vocabulary_tool_effect(rule->effect)->wire.p);
    return NULL;
}

static const struct err *rules_remove(struct settings_view *v)
{
    struct call *c = v->c;
    int64_t position = 0;
    (void)str_int(v->key, 1, TOOL_RULE_POSITION_MAX, &position);
    TRY(tools_rule_delete(c->pg, c->a, position));
    SETTINGS_PAGE_LOG(c, "rule.remove position=%lld", (long long)position);
    return NULL;
}

static const struct settings_action remove_rule = {
    .what = "remove",
    .label = "Remove",
    .verb = "Remove the rule for",
    .sentence = "Calls that it matches come under the next rule that matches "
                "them. Without one a person is asked.",
    .none = "Not removed yet.",
    .act = "Remove the rule",
    .run = rules_remove};
static const struct settings_page page = {
    .path = "/settings/rules",
    .heading = "Rules",
    .about = "The first rule that matches a tool call counts. A call that no "
             "rule matches is asked about at high risk. If one call of a turn "
             "is denied, none of them runs.",
    .empty_heading = "No rules",
    .empty_sentence = "A person is asked about every tool call.",
    .noun = "rule",
    .gone = {.kind = ERR_NOT_FOUND,
             .code = "rule.unknown",
             .say = WIRE("There is no rule at this position.")},
    .heads = {"Position", "Tool, agent", "Effect", "Reason", "Created"},
    .by = "Position",
    .row = &remove_rule,
    .actions = &remove_rule,
    .actions_n = 1,
    .writers = ROLE_ADMIN,
    .form_heading = "New rule",
    .form_note = "It applies at once",
    .form_submit = "Add rule",
    SETTINGS_FORM_ALL(fields, rules_fields),
    .values = rules_values,
    .save = rules_save,
    .list = rules_rows};

const struct err *access_rules(struct call *c)
{
    return settings_page_run(c, &page);
}

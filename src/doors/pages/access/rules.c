/* Settings: the rules about tool calls. An admin adds and removes them, an
 * auditor reads. */
#include "base/clock.h"
#include "base/log.h"
#include "domain/intent/person.h"
#include "doors/pages/access/access.h"
#include "doors/pages/settings/confirm.h"
#include "doors/pages/settings/table.h"
#include "doors/pages/shell/page.h"
#include "store/tools.h"

#define PATH "/settings/rules"

static const struct settings_form_option effects[] = {
    {"ask", "Ask: a person approves or rejects the call"},
    {"allow", "Allow: the call runs"},
    {"deny", "Deny: the call never runs"}};
static const struct settings_form_option severities[] = {
    {"none", "None"}, {"low", "Low"}, {"medium", "Medium"},
    {"high", "High"}, {"critical", "Critical"}};
static const struct settings_form_field fields[] = {
    {.key = "position", .label = "Position", .type = "integer",
     .required = true,
     .help = "From 1 to 10000. The first rule that matches a call counts"},
    {.key = "agent", .label = "Agent", .type = "string", .required = true,
     .max = TOOL_RULE_GLOB_MAX, .help = "A name; * stands for any text"},
    {.key = "tool", .label = "Tool", .type = "string", .required = true,
     .max = TOOL_RULE_GLOB_MAX,
     .help = "A name such as shop.refund; * stands for any text"},
    {.key = "effect", .label = "Effect", .type = "enum", .required = true,
     .options = effects, .options_n = countof(effects), .help = ""},
    {.key = "severity", .label = "Risk", .type = "enum", .required = true,
     .options = severities, .options_n = countof(severities),
     .help = "Of a rule that asks"},
    {.key = "by", .label = "Decided by", .type = "string",
     .max = PRINCIPAL_BY_MAX,
     .help = "Of a rule that asks: operators, group:NAME, or initiator (the "
             "person who started the task, proven). Empty: as the agent "
             "asks"},
    {.key = "reason", .label = "Reason", .type = "string",
     .max = TOOL_RULE_REASON_MAX,
     .help = "The agent receives it when a call is denied"},
};
static const struct settings_table_words words = {
    .path = PATH,
    .title = "Rules",
    .heading = "Rules for tool calls",
    .about = "The first rule that matches a call counts. A call that no rule "
             "matches is asked about at high risk. If one call of a turn is "
             "denied, none of them runs.",
    .empty_heading = "No rules",
    .empty_sentence = "A person is asked about every tool call.",
    .heads = {"Position", "Agent", "Tool", "Effect", "Risk", "Decided by",
              "Reason", "Created"},
    .acts = "Remove"};

/* ---- showing -------------------------------------------------------- */

static struct str number(struct arena *a, int64_t n)
{
    return arena_number(a, n);
}

static struct settings_form form_of(struct arena *a, const struct pairs *typed)
{
    struct json *values = json_object(a);
    json_set_text(values, "agent", STR("*"));
    json_set_text(values, "effect", vocabulary_tool_effect(TOOL_ASK)->wire);
    json_set_text(values, "severity", STR("high"));
    return (struct settings_form){.fields = fields,
                                  .fields_n = countof(fields),
                                  .values = values,
                                  .typed = typed};
}

static void add_row(struct settings_table *r, const struct tools_rule *t)
{
    struct arena *a = r->c->a;
    const struct tool_rule *rule = &t->rule;
    const struct str position = number(a, rule->position);
    struct buf about = buf_make(a, 64);
    buf_put(&about, "Remove rule ");
    buf_str(&about, position);
    settings_table_row(r);
    settings_table_text(r, position, STR_NONE, STR(""));
    settings_table_text(r, rule->agent, STR_NONE, STR(""));
    settings_table_text(r, rule->tool, STR_NONE, STR(""));
    settings_table_text(r,
                        str_of(vocabulary_tool_effect(rule->effect)->label),
                        STR_NONE, STR(""));
    settings_table_text(
        r,
        rule->effect == TOOL_ASK
            ? str_of(vocabulary_severity(rule->severity)->label)
            : STR(""),
        STR_NONE, STR(""));
    settings_table_text(r, principal_by_text(a, &rule->by), STR_NONE,
                        STR(""));
    settings_table_text(r, rule->reason, STR_NONE, STR(""));
    settings_table_day(r, t->created_at, "", t->created_by);
    if (r->c->who.role == ROLE_ADMIN)
        settings_table_act(
            r, &(struct settings_table_act){
                   .label = "Remove",
                   .about = buf_text(&about),
                   .url = page_view_path(a, PATH "?do=remove&key=", position,
                                         "")});
}

/* *out is NULL where nothing is asked. */
static const struct err *sure(struct call *c, struct page_view *v,
                              const struct tools_rules *found,
                              struct json **out)
{
    const struct str key = request_query(c->rq, "key");
    *out = NULL;
    if (!request_query(c->rq, "do").p)
        return NULL;
    for (size_t i = 0; i < found->n; i++) {
        const struct tool_rule *rule = &found->v[i].rule;
        if (str_eq(number(c->a, rule->position), key))
            *out = settings_confirm(
                v, &(struct settings_confirm){
                       .verb = "Remove the rule for",
                       .name = rule->tool,
                       .sentence = "Calls that it matches come under the next "
                                   "rule that matches them. Without one a "
                                   "person is asked.",
                       .none = "Not removed yet.",
                       .act = "remove rule",
                       .what = "remove",
                       .url = STR(PATH),
                       .back = STR(PATH),
                       .key = key});
    }
    return *out ? NULL
                : ERROR(ERR_NOT_FOUND, "rule.unknown",
                        "There is no rule at this position.");
}

static const struct err *rules_show(struct call *c, int status,
                                    const struct settings_form *s)
{
    struct settings_table r = settings_table(c, &words);
    struct json *asked = NULL;
    struct tools_rules found;
    TRY(tools_rules(c->pg, c->a, &found));
    TRY(sure(c, &r.v, &found, &asked));
    for (size_t i = 0; i < found.n; i++)
        add_row(&r, &found.v[i]);
    json_set_json(r.view, "confirm", asked);
    if (c->who.role == ROLE_ADMIN)
        settings_form_view(&r.v, r.view, s,
                           &(struct settings_form_words){
                               .heading = "New rule",
                               .note = "It applies to the next check",
                               .submit = "Add rule",
                               .url = STR(PATH)});
    return settings_table_show(&r, status,
                               words_many(c->a, (int64_t)found.n, "rule"));
}

const struct err *access_rules(struct call *c)
{
    const struct settings_form s = form_of(c->a, NULL);
    return rules_show(c, 200, &s);
}

/* ---- changing ------------------------------------------------------- */

static const struct err *judge(struct call *c, const struct json *v,
                               struct tools_rule *r)
{
    struct tool_rule *rule = &r->rule;
    *r = (struct tools_rule){.created_at = clock_now(),
                             .created_by = c->who.name};
    rule->position = json_int(json_get(v, "position"));
    rule->agent = str_trim(json_get_text(v, "agent"));
    rule->tool = str_trim(json_get_text(v, "tool"));
    rule->effect = vocabulary_tool_effect_of(json_get_text(v, "effect"));
    rule->severity = vocabulary_severity_of(
        vocabulary_of_key(json_get_text(v, "severity")));
    if (rule->effect != TOOL_ASK)
        rule->severity = SEVERITY_UNSAID;
    if (!principal_by(str_trim(json_get_text(v, "by")), &rule->by))
        return err_at(c->a, ERR_INVALID, "field.value", STR("by"),
                      "Enter " PRINCIPAL_BY_WORDS ".");
    if (str_trim(json_get_text(v, "reason")).n > 0)
        rule->reason = str_trim(json_get_text(v, "reason"));
    TRY(tool_rule_check(c->a, rule));
    return tools_rule_insert(c->pg, c->a, r);
}

static const struct err *add(struct call *c, const struct pairs *typed)
{
    struct settings_form s = form_of(c->a, typed);
    struct tools_rule r;
    const struct json *values = settings_form_read(c->a, &s);
    if (values)
        TRY(settings_form_wrong(c->a, &s, judge(c, values, &r)));
    if (s.errors)
        return rules_show(c, 422, &s);
    log_line(LOG_NOTICE,
             "settings by=%.*s did=rule.add position=%lld tool=\"%.*s\" "
             "effect=%s",
             STR_FMT(c->who.name), (long long)r.rule.position,
             STR_FMT(call_told(c, r.rule.tool)),
             vocabulary_tool_effect(r.rule.effect)->wire.p);
    response_see_other(c->rs, STR(PATH));
    return NULL;
}

const struct err *access_rules_post(struct call *c)
{
    struct pairs typed;
    int64_t position = 0;
    TRY(page_form(c, &typed));
    if (str_is(pairs_get(typed, "do"), "save"))
        return add(c, &typed);
    if (!str_is(pairs_get(typed, "do"), "remove"))
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "This form is not valid. Reload the page.");
    (void)str_int(pairs_get(typed, "key"), 1, TOOL_RULE_POSITION_MAX,
                  &position);
    TRY(tools_rule_delete(c->pg, c->a, position));
    log_line(LOG_NOTICE, "settings by=%.*s did=rule.remove position=%lld",
             STR_FMT(c->who.name), (long long)position);
    response_see_other(c->rs, STR(PATH));
    return NULL;
}

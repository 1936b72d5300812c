/* `sayso rule`: adds, lists and removes the rules about tool calls. */
#include <stdio.h>

#include "base/clock.h"
#include "process/commands/commands.h"
#include "store/permit/tools.h"

static struct str rule_option(const struct command *c, const char *name,
                              const char *otherwise)
{
    const struct str s = command_option(c, name, 0);
    return s.p ? s : str_of(otherwise);
}

static int rule_add(const struct command *c)
{
    struct tools_rule r = {.created_at = clock_now(),
                           .created_by = STR("sayso rule")};
    struct tool_rule *rule = &r.rule;
    (void)str_int(command_option(c, "--position", 0), 1,
                  TOOL_RULE_POSITION_MAX, &rule->position);
    rule->agent = rule_option(c, "--agent", "*");
    rule->tool = rule_option(c, "--tool", "");
    rule->effect = vocabulary_tool_effect_of(rule_option(c, "--effect", ""));
    rule->severity =
        vocabulary_severity_of(command_option(c, "--severity", 0));
    rule->reason = command_option(c, "--reason", 0);
    if (!principal_by(command_option(c, "--by", 0), &rule->by)) {
        fprintf(stderr, "sayso: --by has to be " PRINCIPAL_BY_WORDS "\n");
        return 2;
    }
    const struct err *e = tool_rule_check(c->arena, rule);
    if (e) {
        fprintf(stderr, "sayso: --%.*s: %.*s\n", STR_FMT(e->at),
                STR_FMT(e->say));
        return 2;
    }
    return command_end(tools_rule_insert(c->pg, c->arena, &r));
}

static int rule_list(const struct command *c)
{
    struct tools_rules all;
    const struct err *e = tools_rules(c->pg, c->arena, &all);
    if (e)
        return command_end(e);
    for (size_t i = 0; i < all.n; i++) {
        const struct tool_rule *r = &all.v[i].rule;
        const char *severity = vocabulary_severity(r->severity)->wire.p;
        const struct str by = principal_by_text(c->arena, &r->by);
        printf("%lld\t%.*s\t%.*s\t%s\t%s\t%.*s\t%.*s\n",
               (long long)r->position, STR_FMT(r->agent), STR_FMT(r->tool),
               vocabulary_tool_effect(r->effect)->wire.p,
               severity ? severity : "-", STR_FMT(r->reason),
               STR_FMT(by.p ? by : STR("-")));
    }
    return 0;
}

static int rule_remove(const struct command *c)
{
    int64_t position = 0;
    if (c->argc == 2 &&
        str_int(str_of(c->argv[1]), 1, TOOL_RULE_POSITION_MAX, &position))
        return command_end(tools_rule_delete(c->pg, c->arena, position));
    fputs("sayso: rule remove POSITION\n", stderr);
    return 2;
}

int rule_run(const struct command *c)
{
    static const struct command_verb verbs[] = {
        {"add", rule_add,
         "--position= --agent= --tool= --effect= --severity= "
         "--by= --reason="},
        {"list", rule_list, ""},
        {"remove", rule_remove, NULL}};
    return command_run(c, verbs, countof(verbs), "rule add | list | remove");
}

/* `sayso rule`: adds, lists and removes the rules about tool calls. */
#include <stdio.h>

#include "base/clock.h"
#include "process/commands/commands.h"
#include "store/permit/tools.h"

static bool is_number(struct str s, int64_t *out)
{
    return str_int(s, 1, TOOL_RULE_POSITION_MAX, out);
}

static struct str option_or(const struct command *c, const char *name,
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
    if (!command_options_ok(c, 1,
                            "--position= --agent= --tool= --effect= "
                            "--severity= --by= --reason="))
        return 2;
    (void)is_number(command_option(c, "--position", 0), &rule->position);
    rule->agent = option_or(c, "--agent", "*");
    rule->tool = option_or(c, "--tool", "");
    rule->effect =
        vocabulary_tool_effect_of(option_or(c, "--effect", ""));
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
    struct pg *pg = command_owner(c);
    e = tools_rule_insert(pg, c->arena, &r);
    pg_close(pg);
    return e ? command_failed(e) : 0;
}

static int rule_list(const struct command *c)
{
    struct tools_rules all;
    if (!command_options_ok(c, 1, ""))
        return 2;
    struct pg *pg = command_owner(c);
    const struct err *e = tools_rules(pg, c->arena, &all);
    pg_close(pg);
    if (e)
        return command_failed(e);
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

int rule_run(const struct command *c)
{
    const struct str what = c->argc > 0 ? str_of(c->argv[0]) : STR("");
    if (str_is(what, "add"))
        return rule_add(c);
    if (str_is(what, "list"))
        return rule_list(c);
    if (str_is(what, "remove")) {
        int64_t position = 0;
        if (c->argc != 2 || !is_number(str_of(c->argv[1]), &position)) {
            fputs("sayso: rule remove POSITION\n", stderr);
            return 2;
        }
        struct pg *pg = command_owner(c);
        const struct err *e = tools_rule_delete(pg, c->arena, position);
        pg_close(pg);
        return e ? command_failed(e) : 0;
    }
    fputs("sayso: rule add | list | remove\n", stderr);
    return 2;
}

/* Rules about tool calls. */
#include "domain/permit/tool_rule.h"

#include "base/text.h"

/* ---- one rule ------------------------------------------------------- */

/* Going back to the last '*' is enough: an earlier one cannot match more. */
bool tool_rule_glob(struct str glob, struct str text)
{
    size_t g = 0, t = 0, star = SIZE_MAX, behind = 0;
    while (t < text.n) {
        if (g < glob.n && glob.p[g] == '*') {
            star = g++;
            behind = t;
        } else if (g < glob.n && glob.p[g] == text.p[t]) {
            g++;
            t++;
        } else if (star != SIZE_MAX) {
            g = star + 1;
            t = ++behind;
        } else {
            return false;
        }
    }
    while (g < glob.n && glob.p[g] == '*')
        g++;
    return g == glob.n;
}

static bool tool_rule_plain(struct str s, size_t max)
{
    for (size_t at = 0; at < s.n;) {
        const uint32_t rune = str_rune(s, &at);
        if (rune == '\n' || rune == '\t' || text_hidden(rune))
            return false;
    }
    return str_utf8(s) && str_runes(s) <= max;
}

static const struct err *
tool_rule_check_glob(struct arena *a, const char *field, struct str glob)
{
    if (glob.n > 0 && tool_rule_plain(glob, TOOL_RULE_GLOB_MAX) &&
        str_find(glob, ' ', 0) == glob.n)
        return NULL;
    return err_at(a, ERR_INVALID, "field.value", str_of(field),
                  "A pattern has 1 to %d visible characters without spaces; "
                  "\"*\" stands for any text.",
                  TOOL_RULE_GLOB_MAX);
}

const struct err *tool_rule_check(struct arena *a,
                                  const struct tool_rule *rule)
{
    const bool ask = rule->effect == TOOL_ASK;
    const bool graded =
        rule->severity > SEVERITY_UNSAID && rule->severity < SEVERITY__MAX;
    if (rule->position < 1 || rule->position > TOOL_RULE_POSITION_MAX)
        return err_at(a, ERR_INVALID, "field.range", STR("position"),
                      "A position is a whole number from 1 to %d.",
                      TOOL_RULE_POSITION_MAX);
    TRY(tool_rule_check_glob(a, "agent", rule->agent));
    TRY(tool_rule_check_glob(a, "tool", rule->tool));
    if (rule->effect >= TOOL_EFFECT__MAX)
        return err_at(a, ERR_INVALID, "field.value", STR("effect"),
                      "A rule says one of: allow ask deny.");
    if (ask && !graded)
        return err_at(a, ERR_INVALID, "field.missing", STR("severity"),
                      "A rule that asks needs a severity.");
    if (!ask && rule->severity != SEVERITY_UNSAID)
        return err_at(a, ERR_INVALID, "field.unused", STR("severity"),
                      "Only a rule that asks has a severity.");
    if (!ask && rule->by.who != DECIDER_ANY)
        return err_at(a, ERR_INVALID, "field.unused", STR("by"),
                      "Only a rule that asks says who decides.");
    if (!tool_rule_plain(rule->reason, TOOL_RULE_REASON_MAX))
        return err_at(a, ERR_INVALID, "field.value", STR("reason"),
                      "A reason has to be one line of at most %d characters.",
                      TOOL_RULE_REASON_MAX);
    return NULL;
}

/* ---- all calls together --------------------------------------------- */

/* The name of an agent or a tool, and its skeleton. */
struct tool_rule_name {
    struct str exact, skeleton;
};

static struct tool_rule_name tool_rule_name(struct arena *a, struct str s)
{
    return (struct tool_rule_name){.exact = s, .skeleton = text_skeleton(a, s)};
}

/* A rule that allows means the name exactly; one that asks or denies also any
 * that looks the same: another case, another width, another dot. */
static bool tool_rule_matches(struct arena *a, enum tool_effect effect,
                              struct str glob,
                              const struct tool_rule_name *name)
{
    return tool_rule_glob(glob, name->exact) ||
           (effect != TOOL_ALLOW &&
            tool_rule_glob(text_skeleton(a, glob), name->skeleton));
}

static const struct tool_rule *
tool_rule_find(struct arena *a, const struct tool_rule *rules, size_t n,
               const struct tool_rule_name *agent, struct str tool)
{
    const struct tool_rule *found = NULL;
    const struct tool_rule_name called = tool_rule_name(a, tool);
    for (size_t i = 0; i < n; i++) {
        const struct tool_rule *r = &rules[i];
        if ((!found || r->position < found->position) &&
            tool_rule_matches(a, r->effect, r->agent, agent) &&
            tool_rule_matches(a, r->effect, r->tool, &called))
            found = r;
    }
    return found;
}

static void tool_rule_raise(enum severity *severity, enum severity to)
{
    if (to > *severity && to < SEVERITY__MAX)
        *severity = to;
}

void tool_rule_decide(struct arena *a, const struct tool_rule *rules,
                      size_t rules_n, const struct tool_rule_case *c,
                      struct tool_rule_verdict *out)
{
    const bool agent_asks =
        c->requires_approval ||
        (c->severity >= SEVERITY_HIGH && c->severity < SEVERITY__MAX);
    const struct tool_rule_name agent = tool_rule_name(a, c->agent);
    *out = (struct tool_rule_verdict){
        .effect = TOOL_ALLOW,
        .matched = arena_many(a, c->n, const struct tool_rule *)};
    for (size_t i = 0; i < c->n; i++) {
        const struct tool_rule *rule =
            tool_rule_find(a, rules, rules_n, &agent, c->tools[i]);
        const enum tool_effect effect = rule ? rule->effect : TOOL_ASK;
        const bool decider = rule && rule->by.who != DECIDER_ANY;
        out->matched[i] = rule;
        if (effect == TOOL_DENY && out->effect != TOOL_DENY)
            out->reason = rule->reason;
        if (effect == TOOL_ASK)
            tool_rule_raise(&out->severity,
                            rule ? rule->severity : SEVERITY_HIGH);
        if (effect > out->effect) /* the strictest counts */
            out->effect = effect;
        if (!principal_by_join(&out->by, decider ? &rule->by : &c->terms.by))
            out->torn = true;
    }
    if (out->effect == TOOL_ALLOW && agent_asks)
        out->effect = TOOL_ASK;
    tool_rule_raise(&out->severity, c->severity);
    tool_rule_raise(&out->severity, c->terms.floor);
    if (out->effect != TOOL_ASK)
        out->severity = SEVERITY_UNSAID;
}

bool tool_rule_terms(const struct tool_rule_verdict *v, size_t n,
                     struct terms *out)
{
    bool asks = false;
    *out = (struct terms){.floor = SEVERITY_UNSAID};
    for (size_t i = 0; i < n; i++) {
        const struct tool_rule *rule = v->matched[i];
        if (!rule || rule->effect != TOOL_ASK)
            continue;
        asks = true;
        tool_rule_raise(&out->floor, rule->severity);
        (void)principal_by_join(&out->by, &rule->by);
    }
    return asks;
}

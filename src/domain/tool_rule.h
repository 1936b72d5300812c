/* Rules about tool calls: which run at once, which a person is asked about,
 * and which never run. An admin sets them; an agent can only be stricter.
 * Pure. */
#ifndef DOMAIN_TOOL_RULE_H
#define DOMAIN_TOOL_RULE_H

#include "base/err.h"
#include "domain/vocabulary.h"

#define TOOL_RULE_POSITION_MAX 10000
#define TOOL_RULE_GLOB_MAX 200   /* characters */
#define TOOL_RULE_REASON_MAX 500 /* characters */

struct tool_rule {
    int64_t position; /* the lower one goes first */
    struct str agent, tool; /* globs */
    enum tool_effect effect;
    enum severity severity; /* of an ask; SEVERITY_UNSAID for the others */
    struct str reason;      /* that a refused agent is told; p NULL: none */
};

/* Does the whole text match? '*' stands for any run of characters, also for
 * none; every other character stands for itself. */
bool tool_rule_glob(struct str glob, struct str text);
/* May it become a rule? ERR_INVALID with the field's name in .at. */
const struct err *tool_rule_check(struct arena *a,
                                  const struct tool_rule *rule) MUST;

/* The calls of one turn, and what is said of them. */
struct tool_rule_case {
    struct str agent;
    const struct str *tools;
    size_t n;
    bool requires_approval; /* the agent's word, as is the next */
    enum severity severity; /* SEVERITY_UNSAID: not said */
    enum severity floor;    /* of the key's questions */
};

/* What happens with all of them together. */
struct tool_rule_verdict {
    enum tool_effect effect;
    enum severity severity; /* of the question; SEVERITY_UNSAID: not said */
    struct str reason;      /* of the first call that is denied; p NULL: none */
    /* The rule that each call came under, in their order; NULL: none. */
    const struct tool_rule **matched;
};

/* Each call comes under the first rule that matches; without one a person is
 * asked, at the severity high. One denied call denies all; one that is asked
 * about, or the agent's wish for an approval or its severity of high or
 * above, asks about all, at the highest of these severities and the floor.
 * The floor alone asks about nothing. */
void tool_rule_decide(struct arena *a, const struct tool_rule *rules,
                      size_t rules_n, const struct tool_rule_case *c,
                      struct tool_rule_verdict *out);

#endif

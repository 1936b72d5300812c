/* Rules about tool calls: which calls run at once, which need an answer, and
 * which never run. An admin sets the rules; an agent can only be stricter.
 * Pure. */
#ifndef DOMAIN_PERMIT_TOOL_RULE_H
#define DOMAIN_PERMIT_TOOL_RULE_H

#include "base/err.h"
#include "domain/intent/principal.h"
#include "domain/vocabulary.h"

#define TOOL_RULE_POSITION_MAX 10000
#define TOOL_RULE_GLOB_MAX 200   /* characters */
#define TOOL_RULE_REASON_MAX 500 /* characters */

struct tool_rule {
    int64_t position; /* the matching rule of the lowest one counts */
    struct str agent, tool; /* globs */
    enum tool_effect effect;
    enum severity severity; /* of an ask; SEVERITY_UNSAID for the others */
    struct str reason;      /* that a refused agent gets; p NULL: none */
    struct decider by;      /* of an ask: who decides */
};

/* Does the whole text match? '*' stands for any run of characters, also for
 * none; every other character stands for itself. */
bool tool_rule_glob(struct str glob, struct str text);
/* May it become a rule? ERR_INVALID with the field's name in .at. */
const struct err *tool_rule_check(struct arena *a,
                                  const struct tool_rule *rule) MUST;

/* The calls of one turn, and the agent's words about them. */
struct tool_rule_case {
    struct str agent;
    const struct str *tools;
    size_t n;
    bool requires_approval; /* sent by the agent, as is the severity */
    enum severity severity; /* SEVERITY_UNSAID: not said */
    struct terms terms;     /* of the key's questions */
};

/* The decision about all calls together. */
struct tool_rule_verdict {
    enum tool_effect effect;
    enum severity severity; /* of the question; SEVERITY_UNSAID: not said */
    struct str reason;      /* of the first call that is denied; p NULL: none */
    struct decider by;      /* of the question */
    bool torn; /* the calls are decided by different people */
    /* The rule that each call came under, in their order; NULL: none. */
    const struct tool_rule **matched;
};

/* The first rule that matches a call decides about it: one that allows by the
 * exact names, one that asks or denies also by names that look the same; a
 * call without a rule needs an answer, at the severity high. One denied call
 * denies all calls. One call that needs an answer, requires_approval, or a
 * severity of the agent from high on asks about all calls, at the highest of
 * these severities and the floor. The floor alone never asks. Each call is
 * decided by the people of its rule, else of the key, and the question by who
 * may decide all of them. */
void tool_rule_decide(struct arena *a, const struct tool_rule *rules,
                      size_t rules_n, const struct tool_rule_case *c,
                      struct tool_rule_verdict *out);
/* The terms that the rules themselves set for the n calls of a verdict: who
 * decides, and the least severity. false: no rule asks about one. */
bool tool_rule_terms(const struct tool_rule_verdict *v, size_t n,
                     struct terms *out);

#endif

/* An intent's governance policy (OpenIntent RFC-0013): who may write to it, and
 * what its completion needs. An agent may tighten one and never loosen it. */
#ifndef DOMAIN_INTENT_GOVERNANCE_H
#define DOMAIN_INTENT_GOVERNANCE_H

#include "base/json/json.h"
#include "domain/decimal.h"
#include "domain/vocabulary.h"

#define GOVERNANCE_AGENTS_MAX 50
#define GOVERNANCE_SUBJECT_MAX ((size_t)256 << 10) /* as of any question */

struct governance {
    enum completion_mode completion;
    enum write_scope scope;
    struct decimal quorum; /* above 0, at most 1 */
    struct str agents[GOVERNANCE_AGENTS_MAX]; /* none: any agent */
    size_t agents_n;
    bool has_max_cost;
    struct decimal max_cost;
    bool reason; /* a status needs a reason */
};

/* Reads a policy; NULL or absent members are the defaults (auto, any, 0.6, any
 * agent, no limit, no reason). ERR_INVALID names the member, below path.
 * Members of other names are left alone. */
const struct err *governance_read(struct arena *a, const struct json *policy,
                                  struct str path,
                                  struct governance *out) MUST;
/* The policy that is stored with an intent; p NULL: the defaults. */
struct governance governance_stored(struct arena *a, struct str policy);
/* All six members, with the defaults filled in. */
struct json *governance_effective(struct arena *a, const struct governance *g);
/* Is each rule of the new one at least as strict? */
bool governance_tightens(const struct governance *old,
                         const struct governance *now);
/* May the agent be assigned, and write? */
bool governance_agent(const struct governance *g, struct str agent);
/* The approvals that a quorum of so many assigned agents needs, at least 1. */
int64_t governance_quorum(const struct governance *g, int64_t assigned);
/* The subject of a request to complete the intent: its state (JSON text),
 * without the record of a question in it. p NULL: it is too large for one. */
struct str governance_completion(struct arena *a, struct str state);
#define GOVERNANCE_COMPLETE "complete" /* the action of such an approval */

/* The approvals of a completion, for its state as it is now. */
struct governance_approvals {
    int64_t assigned; /* agents of the intent */
    int64_t of_assigned; /* of these, with an approval of their own */
    struct json *ids; /* a list */
};
/* May an agent complete the intent? *say: the sentence of the refusal, or
 * NULL. */
bool governance_completes(const struct governance *g,
                          const struct governance_approvals *approvals,
                          const char **say);

/* ERR_FORBIDDEN governance.violation, with the rule, and the mode where there
 * is one (else NULL), in more. */
const struct err *governance_violation(struct arena *a, const char *rule,
                                       const char *mode, const char *say);
/* The payload of governance.violation. version: of the intent. */
struct json *governance_violation_payload(struct arena *a, const char *rule,
                                          int64_t version, struct str say);
/* Does a stored payload report the same violation, by the same version? */
bool governance_violation_told(const struct json *payload, const char *rule,
                               int64_t version);

#endif

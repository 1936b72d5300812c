/* An intent's governance policy (domain/intent/governance.h) in the calls that
 * write to it. People are bound by none of it.
 *
 * A refusal is ERR_FORBIDDEN governance.violation. It rolls back the current
 * transaction, and an event of its own reports it, once for each agent, rule
 * and version of the intent. */
#ifndef WORK_POLICY_H
#define WORK_POLICY_H

#include "domain/decimal.h"
#include "work/work.h"

/* May the caller write to the intent of the work? */
const struct err *policy_write(const struct work *w) MUST;
/* May it set a status with this reason (p NULL: none)? Asking a person needs
 * none. */
const struct err *policy_status(const struct work *w, enum intent_status to,
                                struct str reason) MUST;
/* May the intent's recorded costs become this sum? */
const struct err *policy_cost(const struct work *w, struct decimal sum) MUST;
/* Access to the intent of the work for an agent. */
struct policy_gift {
    struct str agent;
    enum access access;
    int64_t until; /* 0: not said */
    bool lasts;    /* it cannot have an end */
};
/* May it give that, or a role that brings it? A gift without an end gets that
 * of the giver's own access. Access that ends or is revoked stays ended, so an
 * agent that neither made nor owns the intent, is not assigned to it while it
 * is open, and has no key that reaches it: ERR_FORBIDDEN acl.own where it
 * gives to itself, or to another name of a key that speaks for it; acl.longer
 * where it gives more than it has, or for longer. */
const struct err *policy_give(const struct work *w,
                              struct policy_gift *g) MUST;
/* May it open the closed intent? Its maker and its owner may. Another agent may
 * not where a key of its own reaches all that is open (acl.own), or where it
 * only borrowed its access (acl.longer). */
const struct err *policy_open(const struct work *w) MUST;
/* May it tie an intent of its own to this one, above it or as a dependency? By
 * that it reads the open intent without end. ERR_FORBIDDEN acl.longer where it
 * only borrowed its access. */
const struct err *policy_tie(const struct work *w, struct str intent_id) MUST;
/* May it assign the agent, which the body names at `at`, or end its assignment
 * (NULL)? ERR_INVALID test.apart where the agent's keys are of the other sort;
 * errors of policy_give too. */
const struct err *policy_assign(const struct work *w, struct str agent,
                                const char *at) MUST;
/* May it complete the intent? Where the policy demanded something, the event
 * governance.approval_enforced reports it. */
const struct err *policy_complete(struct work *w) MUST;

/* Rolls back the current transaction, and reports the refusal. Returns why, or
 * the error of telling. */
const struct err *policy_refuse(const struct work *w, const char *rule,
                                const struct err *why) MUST;

#endif

/* An intent's governance policy (domain/governance.h) in the calls that write
 * to it. People are bound by none of it.
 *
 * A refusal is ERR_FORBIDDEN governance.violation. It rolls the transaction at
 * hand back, and is told by an event of its own, once for each agent, rule and
 * version of the intent. */
#ifndef DOORS_ASKING_GOVERN_H
#define DOORS_ASKING_GOVERN_H

#include "domain/decimal.h"
#include "doors/call/call.h"

/* May the caller write to the intent of the work? */
const struct err *govern_write(struct call *c, const struct work *w) MUST;
/* May it set a status with this reason (p NULL: none)? Asking a person needs
 * none. */
const struct err *govern_status(struct call *c, const struct work *w,
                                enum intent_status to,
                                struct str reason) MUST;
/* May the intent's recorded costs become this sum? */
const struct err *govern_cost(struct call *c, const struct work *w,
                              struct decimal sum) MUST;
/* May it give the agent access to the intent of the work, or a role that brings
 * it? ERR_FORBIDDEN acl.own where an agent gives it to itself and neither made
 * nor owns the intent, is not assigned, and has no key that reaches it: access
 * that ends or is taken back stays ended. */
const struct err *govern_own(struct call *c, const struct work *w,
                             struct str agent) MUST;
/* May it assign the agent, or end its assignment? Errors of govern_own too. */
const struct err *govern_assign(struct call *c, const struct work *w,
                                struct str agent, bool assign) MUST;
/* May it complete the intent? Where the policy demanded something, the event
 * governance.approval_enforced tells of it. */
const struct err *govern_complete(struct call *c, struct work *w) MUST;

/* Rolls the transaction at hand back, and tells of the refusal. Returns why, or
 * the error of telling. */
const struct err *govern_refuse(struct call *c, const struct work *w,
                                const char *rule, const struct err *why) MUST;

#endif

/* Reviews of plans: a coordinator's guardrails ask people before a plan is
 * activated, or goes on after a change (OpenIntent RFC-0013). Pure. */
#ifndef DOMAIN_PLAN_REVIEW_H
#define DOMAIN_PLAN_REVIEW_H

#include "domain/plan/intent_plans.h"

/* Has the plan to be reviewed before an agent activates it? */
bool review_needed(const struct intent_plans *all, const struct plan *p);
/* May the caller change tasks and checkpoints of the plan now? ERR_CONFLICT
 * plan.awaiting_approval for an agent, while people look at it. */
const struct err *review_may_change(const struct plan *p,
                                    const struct principal *who) MUST;
/* Pauses the plan and asks. ERR_CONFLICT question.too_many; ERR_TOO_LARGE
 * suspension.too_large. */
const struct err *review_ask(struct intent_plans *all, struct plan *p) MUST;
/* After a change of its tasks or checkpoints: asks where the guardrails want
 * it. ERR_CONFLICT plan.awaiting_approval where a checkpoint asks already. */
const struct err *review_changed(struct intent_plans *all, struct plan *p,
                                 const struct principal *who) MUST;
/* A question that holds a plan, a checkpoint or a review, has been answered, or
 * its time is over: by this one. */
const struct err *review_decided(struct intent_plans *all,
                                 struct suspension *s,
                                 struct event_by by) MUST;

#endif

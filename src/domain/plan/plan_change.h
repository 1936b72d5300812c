/* Changes of plans by calls: the rules beyond one row, and what follows
 * (OpenIntent RFC-0012). Pure. */
#ifndef DOMAIN_PLAN_PLAN_CHANGE_H
#define DOMAIN_PLAN_PLAN_CHANGE_H

#include "domain/plan/checkpoint.h"
#include "domain/plan/review.h"

/* Moves a plan for a caller; one that needs a review first is paused and asks
 * for it. ERR_CONFLICT plan.transition; plan.awaiting_approval while an
 * approval is to come. */
const struct err *plan_change_status(struct intent_plans *all, struct plan *p,
                                     enum plan_state to,
                                     const struct principal *who) MUST;
/* Adds a new plan, without tasks. ERR_CONFLICT plan.too_many. */
const struct err *plan_change_add(struct intent_plans *all, struct plan *p,
                                  struct plan **out) MUST;
/* Gives the plan these tasks: JSON text, a list of ids. ERR_INVALID
 * task.unknown | task.planned; ERR_FORBIDDEN checkpoint.sealed. */
const struct err *plan_change_tasks(struct intent_plans *all, struct plan *p,
                                    struct str tasks,
                                    const struct principal *who) MUST;
/* Gives the plan these checkpoints. One that has been reached stays as it is.
 * ERR_FORBIDDEN checkpoint.sealed where an agent drops or loosens one of a plan
 * that was activated. */
const struct err *plan_change_checkpoints(struct intent_plans *all,
                                          struct plan *p,
                                          const struct checkpoints *sent,
                                          const struct principal *who) MUST;
/* After both: each checkpoint comes after a task of its plan. ERR_INVALID
 * checkpoint.task. */
const struct err *plan_change_check(const struct intent_plans *all,
                                    const struct plan *p) MUST;

#endif

/* Changes of tasks by calls: the rules beyond one row, and what
 * follows (OpenIntent RFC-0012). Pure. */
#ifndef DOMAIN_PLAN_TASK_CHANGE_H
#define DOMAIN_PLAN_TASK_CHANGE_H

#include "domain/plan/checkpoint.h"
#include "domain/plan/review.h"

/* May the caller change this task? Its agent, a coordinator, a person: else
 * ERR_FORBIDDEN task.not_yours. ERR_CONFLICT plan.awaiting_approval for one
 * that is not taken, while people review its plan. */
const struct err *task_change_may(const struct intent_plans *all,
                                  const struct task *t,
                                  const struct principal *who) MUST;
/* Moves a task for a caller; agent: that takes it, p NULL: the caller. The
 * task's facts have been read. ERR_CONFLICT of task_move; intent.suspended,
 * plan.paused and plan.ended for a task that cannot be taken now;
 * question.too_many. */
const struct err *task_change_status(struct intent_plans *all, struct task *t,
                                     enum task_status to, struct str agent,
                                     const struct principal *who) MUST;
/* Adds a new task, in the plan that it names. ERR_CONFLICT task.too_many,
 * plan.ended; ERR_INVALID plan.unknown; of intent_plans_check_depends; of a
 * guardrail. */
const struct err *task_change_add(struct intent_plans *all, struct task *t,
                                  const struct principal *who) MUST;
/* Writes the members of a change, and the facts of its body, but does not move
 * the task: its bytes and dependencies fit, and it is ready or waits as these
 * say. Another work (task_same_work) is a change of its plan's tasks.
 * ERR_CONFLICT task.transition for dependencies of a task that is taken, the
 * work of one that has ended, and the output of one that is done;
 * plan.awaiting_approval where the plan is reviewed now, or has to be before
 * the task moves; of task_read_facts and intent_plans_check_depends. */
const struct err *task_change_apply(struct intent_plans *all, struct task *t,
                                    const struct json *body,
                                    const struct task_change *change,
                                    const struct principal *who) MUST;

#endif

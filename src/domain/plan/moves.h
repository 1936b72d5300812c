/* Changes of tasks and plans by calls: the rules beyond one row, and what
 * follows (OpenIntent RFC-0012). Pure. */
#ifndef DOMAIN_PLAN_MOVES_H
#define DOMAIN_PLAN_MOVES_H

#include "domain/plan/checkpoint.h"
#include "domain/plan/review.h"

/* May the caller change this task? Its agent, a coordinator, a person: else
 * ERR_FORBIDDEN task.not_yours. ERR_CONFLICT plan.awaiting_approval for one
 * that is not taken, while people review its plan. */
const struct err *moves_may(const struct intent_plans *all,
                            const struct task *t,
                            const struct principal *who) MUST;
/* Moves a task for a caller; agent: that takes it, p NULL: the caller. The
 * task's facts have been read. ERR_CONFLICT of task_move; intent.suspended,
 * plan.paused and plan.ended for a task that cannot be taken now;
 * question.too_many. */
const struct err *moves_task(struct intent_plans *all, struct task *t,
                             enum task_status to, struct str agent,
                             const struct principal *who) MUST;
/* Adds a new task, in the plan that it names. ERR_CONFLICT
 * task.too_many, plan.ended; ERR_INVALID plan.unknown; of intent_plans_check_depends;
 * of a guardrail. */
const struct err *moves_new_task(struct intent_plans *all, struct task *t,
                                 const struct principal *who) MUST;
/* Writes the members of a change, and the facts of its body, but does not move
 * the task: its bytes and dependencies fit, and it is ready or waits as these
 * say. Another work (task_same_work) is a change of its plan's tasks.
 * ERR_CONFLICT task.transition for dependencies of a task that is taken, the
 * work of one that has ended, and the output of one that is done;
 * plan.awaiting_approval where the plan is reviewed now, or has to be before
 * the task moves; of task_read_facts and intent_plans_check_depends. */
const struct err *moves_change_task(struct intent_plans *all, struct task *t,
                                    const struct json *body,
                                    const struct task_change *change,
                                    const struct principal *who) MUST;
/* Moves a plan for a caller; one that needs a review first is paused and asks
 * for it. ERR_CONFLICT plan.transition; plan.awaiting_approval while an
 * approval is to come. */
const struct err *moves_plan(struct intent_plans *all, struct plan *p,
                             enum plan_state to,
                             const struct principal *who) MUST;
/* Adds a new plan, without tasks. ERR_CONFLICT plan.too_many. */
const struct err *moves_new_plan(struct intent_plans *all, struct plan *p,
                                 struct plan **out) MUST;
/* Gives the plan these tasks: JSON text, a list of ids. ERR_INVALID
 * task.unknown | task.planned; ERR_FORBIDDEN checkpoint.sealed. */
const struct err *moves_plan_tasks(struct intent_plans *all, struct plan *p,
                                   struct str tasks,
                                   const struct principal *who) MUST;
/* Gives the plan these checkpoints. One that has been reached stays as it is.
 * ERR_FORBIDDEN checkpoint.sealed where an agent drops or loosens one of a plan
 * that was activated. */
const struct err *moves_checkpoints(struct intent_plans *all, struct plan *p,
                                    const struct checkpoints *sent,
                                    const struct principal *who) MUST;
/* After both: each checkpoint comes after a task of its plan. ERR_INVALID
 * checkpoint.task. */
const struct err *moves_check_checkpoints(const struct intent_plans *all,
                                          const struct plan *p) MUST;

#endif

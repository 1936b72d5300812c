/* Plans and their checkpoints in the database: struct in, struct out. Those of
 * one intent are read and written with its tasks (store/plan/tasks.h). */
#ifndef STORE_PLAN_PLANS_H
#define STORE_PLAN_PLANS_H

#include "domain/plan/intent_plans.h"
#include "world/pg/pg.h"

/* Queues what has changed; the deleted before the new. */
void plans_queue_write(struct pg *pg, const struct intent_plans *all);
/* The intent of a plan. ERR_NOT_FOUND plan.unknown. */
const struct err *plans_intent(struct pg *pg, struct arena *a, struct str id,
                               struct str *intent_id) MUST;
/* The question of a plan's checkpoint. ERR_NOT_FOUND checkpoint.unknown, also
 * where it has none. */
const struct err *plans_question(struct pg *pg, struct arena *a,
                                 struct str plan_id, struct str checkpoint_id,
                                 struct str *suspension_id) MUST;
/* The name of the checkpoint that a question is about; p NULL: of none. */
const struct err *plans_asked(struct pg *pg, struct arena *a,
                              struct str suspension_id,
                              struct str *name) MUST;
/* When the question that holds the intent ends; 0: it has none, or never. */
const struct err *plans_until(struct pg *pg, struct arena *a,
                              struct str intent_id, int64_t *out) MUST;

#endif

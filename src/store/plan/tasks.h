/* Tasks in the database, with the plans of their intent: read together, changed
 * in memory (domain/plan/intent_plans.h), and written together, all under the
 * lock of the intent. */
#ifndef STORE_PLAN_TASKS_H
#define STORE_PLAN_TASKS_H

#include "domain/plan/intent_plans.h"
#include "world/pg/pg.h"

struct task_rows {
    struct task *v;
    size_t n;
};
struct tasks_page {
    struct str intent_id;
    enum task_status status; /* TASK_STATUS__MAX: any */
    int64_t limit, offset;
};
/* ERR_NOT_FOUND task.unknown. */
const struct err *tasks_get(struct pg *pg, struct arena *a, struct str id,
                            struct task *out) MUST;
/* Oldest first. */
const struct err *tasks_list(struct pg *pg, struct arena *a,
                             const struct tasks_page *page,
                             struct task_rows *out) MUST;
/* Those of an intent that have failed, or that their agents blocked. */
const struct err *tasks_stuck(struct pg *pg, struct arena *a,
                              struct str intent_id,
                              struct task_rows *out) MUST;
/* The tasks, without their facts, plans and checkpoints of an intent. Its
 * events and who acts are the caller's to set. */
const struct err *tasks_with_plans(struct pg *pg, struct arena *a,
                                   struct intent *i,
                                   struct intent_plans **out) MUST;
/* Queues all that has changed; the intent is marked as one that
 * has tasks. */
void tasks_queue_write(struct pg *pg, const struct intent_plans *all);

#endif

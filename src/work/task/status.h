/* Changing the status of the work's intent, for the API and for the pages. */
#ifndef WORK_TASK_STATUS_H
#define WORK_TASK_STATUS_H

#include "work/work.h"

struct status_wanted {
    enum intent_status to;
    struct str reason; /* p NULL: none */
    enum via via;      /* on record, where an open question ends with it */
};
/* Moves the intent of the work, which has begun, by its caller: with an event,
 * and with its open question withdrawn where it is abandoned. Nothing where it
 * has that end already. ERR_FORBIDDEN governance.violation; those of
 * intent_move, with the intents that are in the way; ERR_CONFLICT
 * plan.awaiting_approval; those of policy_complete and
 * workflow_io_complete_intent. */
const struct err *status_set(struct work *w,
                             const struct status_wanted *wanted) MUST;

#endif

/* Stopping a task: it is abandoned, its open question is withdrawn, and its
 * permits are revoked. */
#ifndef WORK_TASK_STOP_H
#define WORK_TASK_STOP_H

#include "work/work.h"

/* Permits that are revoked with the task. The use of any other is refused as
 * well, because the task has ended. */
#define STOP_PERMITS 50

struct stop {
    struct str intent_id, reason; /* reason p NULL: none */
    size_t revoked;               /* set by stop_task: permits */
};
/* Begins the work on the intent and stops it, for a person; the caller commits.
 * ERR_NOT_FOUND intent.unknown; ERR_CONFLICT intent.transition where it is
 * completed; others of status_set. */
const struct err *stop_task(struct work *w, struct stop *s) MUST;

#endif

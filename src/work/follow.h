/* A change of an intent's status reaches its containers: its tasks and plans,
 * its portfolios, the coordinators that answer for it. */
#ifndef WORK_FOLLOW_H
#define WORK_FOLLOW_H

#include "domain/plan/intent_plans.h"
#include "store/plan/coordinators.h"
#include "work/status_change.h"

/* People who get a new question, as by a step of its ladder; p NULL: any
 * operator. */
struct follow_supervisors {
    struct str v[COORDINATORS_OVER_MAX];
    size_t n;
};
/* A change of an intent, inside of the transaction that makes it, and before
 * it is written. */
struct follow {
    struct status_changes *changes; /* of other intents */
    struct intent *intent;          /* with its new status; its tail moves */
    bool made;                      /* it is new, and not stored yet */
    enum intent_status status_before;
    struct str asker; /* the agent that makes the change; p NULL: no agent */
    const struct suspension *suspension; /* the newest; NULL: none */
    const struct suspension *asked; /* new, holds the intent; NULL: none */
    struct event_list *events;      /* what follows is appended here */
    struct intent_plans *
        *plans; /* its tasks, once they are read: the caller writes
                           * them */
    struct follow_supervisors *supervisors; /* NULL: coordinators do not
                                             * follow */
};
/* Runs the queued batch, writes what follows, and appends its events:
 * member_suspended and member_resumed for each active portfolio, and with the
 * completion that of the portfolios whose threshold it reaches; the end of its
 * coordinator, and with its question what the suspension_policy of those that
 * answer for it says. An intent without containers costs nothing, and neither
 * does one whose status stays and that has no new question. */
const struct err *follow_change(const struct follow *c) MUST;

#endif

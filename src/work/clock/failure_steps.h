/* Part of the clock: the next step after a failure, by the retry policy of its
 * intent (domain/containers/failure.h). Called by tick.c once a round, with
 * the clock's unit of work (work/clock/due.h). */
#ifndef WORK_CLOCK_FAILURE_STEPS_H
#define WORK_CLOCK_FAILURE_STEPS_H

#include "work/clock/due.h"

/* Fails tasks that have run longer than their timeout, one of an intent at a
 * time. *more: there may be further ones. */
const struct err *failure_steps_tasks(const struct work *clock,
                                      bool *more) MUST;
/* Takes the steps of a few intents that are active: another try, another
 * agent, or, where the governance policy allows no more, a question to people.
 * Those of other intents wait. *more: there may be further ones. */
const struct err *failure_steps_run(const struct work *clock, bool *more) MUST;

#endif

/* Part of the clock: the next step after a failure, by the retry policy of the
 * intent (domain/failure.h). Called by process/tick.c once a round. */
#ifndef PROCESS_RETRIES_H
#define PROCESS_RETRIES_H

#include "store/due.h"

/* Takes the steps of a few intents that are active: another try, or another
 * agent. Those of other intents wait. *more: there may be further ones. */
const struct err *retries_run(struct pg *pg, struct arena *a,
                              bool *more) MUST;

#endif

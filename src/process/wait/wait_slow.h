/* Refusals that come too often: the OpenIntent SDK retries at once when a
 * stream is refused, without an end. The first of its kind passes, every
 * further one is held until some time after the one before. */
#ifndef PROCESS_WAIT_WAIT_SLOW_H
#define PROCESS_WAIT_WAIT_SLOW_H

#include "base/arena.h"
#include "base/clock.h"

#define WAIT_SLOW_PAUSE (10 * CLOCK_SECOND)
#define WAIT_SLOW_LONGEST (50 * CLOCK_SECOND)
#define WAIT_SLOW_KINDS 1024 /* the least recent one is replaced */

struct wait_slow;
/* An empty table. */
struct wait_slow *wait_slow_make(struct arena *process);
/* The time at which a refusal of that kind, received now (clock_mono), has to
 * be answered. */
int64_t wait_slow_when(struct wait_slow *s, uint64_t kind, int64_t now);

#endif

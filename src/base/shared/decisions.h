/* How many questions ended, by kind and outcome, and how long people took: for
 * /metrics.
 *
 * In memory that all processes of a pool share, made before the fork. Kinds and
 * outcomes are numbers here; their words are the caller's. */
#ifndef BASE_SHARED_DECISIONS_H
#define BASE_SHARED_DECISIONS_H

#include "base/buf.h"

#define DECISIONS_KINDS 16
#define DECISIONS_OUTCOMES 16

/* Before the fork; false when there is no memory to share. Without it nothing
 * is counted. */
bool decisions_make(void);
/* A question of that kind ended so, us after it was asked. by_person: somebody
 * answered, and the time counts for the histogram. Numbers that are too large
 * are not counted. */
void decisions_count(size_t kind, size_t outcome, bool by_person, int64_t us);
/* The number of those so far; 0 for numbers that are too large. */
uint64_t decisions_number(size_t kind, size_t outcome);
/* The histogram of the times, as a family of Prometheus. */
void decisions_render_times(struct buf *b);

#endif

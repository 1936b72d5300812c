/* The watch over the wall clock of this host: is it right?
 *
 * It is compared with the database's, and with the machine's monotonic clock,
 * which no time service sets. A difference or a jump of more than
 * CLOCK_WATCH_MAX is kept in memory that all processes of a pool share, until
 * somebody has looked (a reload, or a start): meanwhile nothing is ended by
 * time, because nobody knows which clock is right. */
#ifndef BASE_SHARED_CLOCK_WATCH_H
#define BASE_SHARED_CLOCK_WATCH_H

#include "base/clock.h"

#define CLOCK_WATCH_MAX (2 * CLOCK_SECOND)

/* Before the fork; false when there is no memory to share. Without it nothing
 * is kept, and nothing is ever held. */
bool clock_watch_make(void);
/* Somebody has looked: it begins again. */
void clock_watch_seen(void);
/* The database read its clock between two readings of clock_host. 0 for there:
 * it did not. */
void clock_watch_database(int64_t before, int64_t there, int64_t after);
/* Is everything held, so that nothing may be ended by time? Compares with the
 * monotonic clock first. A caller reads its time before it asks, so that a jump
 * in between is seen. */
bool clock_watch_held(void);
/* clock_now, to end things by; false: everything is held. */
bool clock_watch_now(int64_t *now);
/* The later of two clocks that differ, where this host's says now: a right that
 * is over by either may not be used. now where nothing is held. */
int64_t clock_watch_latest(int64_t now);
/* Is it time for a line in the log? true at once, and then once a minute while
 * everything is held; to one process alone. */
bool clock_watch_tells(void);

struct clock_watch {
    int64_t skew;  /* this host's clock less the database's, at the last look */
    int64_t since; /* when it was found wrong, by clock_host; 0: it was not */
    int64_t found; /* the difference or the jump that was found then */
    bool jumped;   /* it was a jump */
};
/* Zeros where nothing is watched. */
struct clock_watch clock_watch_read(void);

#endif

/* The server's clock and the spellings of a moment.
 *
 * A moment is an int64_t of microseconds since 1970-01-01T00:00:00Z; 0 means
 * "none" in structs. Domain code never asks for the time: it is an argument. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/str.h"

#define CLOCK_SECOND INT64_C(1000000)

/* Now, wall clock. */
int64_t clock_now(void);
/* For tests: from now on, in this process and its later children, clock_now is
 * later by the microseconds in the file at path, two int64_t that may change
 * at any time; one that the file does not have is read as 0. The first moves
 * the clocks of all hosts, the second the clock of this host alone. false when
 * it cannot be mapped. */
bool clock_shift(const char *path);
/* The wall clock of this host, to be compared with other clocks: without the
 * part by which a test moves all of them. */
int64_t clock_host(void);
/* Time since the start of the machine, its sleep included; microseconds. */
int64_t clock_boot(void);
/* A monotonic clock for measuring; microseconds. */
int64_t clock_mono(void);
/* The processor time of this process; microseconds. */
int64_t clock_cpu(void);
/* RFC 3339 with Z: 2026-11-20T09:26:13.510233Z, in CLOCK_TEXT bytes with the
 * NUL; the nearest representable moment for one outside the years 1..9999. */
#define CLOCK_TEXT 28
void clock_write(char out[static CLOCK_TEXT], int64_t t);
/* Reads either form (date, 'T' or space, time, 0 to 9 fraction digits, Z, an
 * offset, or nothing = UTC); false when it is neither. */
bool clock_parse(struct str s, int64_t *out);
/* Reads a moment as the database writes it, in UTC:
 * 2026-11-20 09:26:13.51+00. 0 for none, and for anything else. */
int64_t clock_stored(struct str s);

/* ---- is the wall clock of this host right? (clock_watch.c) ---- */

/* It is compared with the database's, and with the machine's monotonic clock,
 * which no time service sets. A difference or a jump of more than
 * CLOCK_WATCH_MAX is kept in memory that all processes of a pool share, until
 * somebody has looked (a reload, or a start): meanwhile nothing is ended by
 * time, because nobody knows which clock is right. */
#define CLOCK_WATCH_MAX (2 * CLOCK_SECOND)

/* Before the fork; false when there is no memory to share. Without it nothing
 * is kept, and nothing is ever held. */
bool clock_watch_make(void);
/* Somebody has looked: it begins anew. */
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

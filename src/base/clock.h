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

#endif

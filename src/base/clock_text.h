/* The spellings of a moment, in an arena, and of a span. The clock is
 * base/clock.h. */
#ifndef BASE_CLOCK_TEXT_H
#define BASE_CLOCK_TEXT_H

#include "base/arena.h"
#include "base/clock.h"

/* 2026-11-20T09:26:13.510233 without a zone: the one form that every path of
 * the OpenIntent SDK reads. Of no moment (0): STR_NONE. */
struct str clock_naive(struct arena *a, int64_t t);
/* RFC 3339 with Z: 2026-11-20T09:26:13.510233Z; then a NUL byte. */
struct str clock_rfc3339(struct arena *a, int64_t t);

/* Reads a span of 1 to max seconds: a whole number and s, m, h or d ("90s",
 * "10m"). false, and *out is unchanged, for anything else. */
bool clock_span(struct str text, int64_t max, int64_t *out);

#endif

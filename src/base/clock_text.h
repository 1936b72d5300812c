/* The spellings of a moment, in an arena. The clock is base/clock.h. */
#ifndef BASE_CLOCK_TEXT_H
#define BASE_CLOCK_TEXT_H

#include "base/arena.h"
#include "base/clock.h"

/* 2026-11-20T09:26:13.510233 without a zone: the one form that every path of
 * the OpenIntent SDK reads. Of no moment (0): STR_NONE. */
struct str clock_naive(struct arena *a, int64_t t);
/* RFC 3339 with Z: 2026-11-20T09:26:13.510233Z. */
struct str clock_rfc3339(struct arena *a, int64_t t);

#endif

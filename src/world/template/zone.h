/* Moments in the time zone of a reader: the one door to the machine's table of
 * zones. Keeps the current zone in the process, so it is for processes with one
 * thread. Never guesses: an unknown zone is UTC, and is shown as UTC. */
#ifndef WORLD_TEMPLATE_ZONE_H
#define WORLD_TEMPLATE_ZONE_H

#include "base/str.h"

#define ZONE_NAME_MAX 64
#define ZONE_TEXT 20 /* "2026-11-20T04:12:04" with its NUL */
#define ZONE_WORD 16

/* Is it the name of a zone of this machine, such as Europe/Berlin? */
bool zone_known(struct str name);

struct zone_time {
    char text[ZONE_TEXT]; /* "2026-11-20T04:12:04" */
    char word[ZONE_WORD]; /* "CET"; "+03" where the zone has no letters */
};
/* The moment t, in microseconds, in the zone. A name that is empty or unknown
 * gives UTC. */
void zone_at(struct str name, int64_t t, struct zone_time *out);
/* The beginning in the zone of the day that begins in UTC at the moment day.
 * For a skipped date, the beginning of the next one. */
int64_t zone_day(struct str name, int64_t day);
/* The moment when clocks in the zone show what those in UTC show at `shown`:
 * the first, where they show it twice; where they skip it, as long after the
 * change as it would be. */
int64_t zone_moment(struct str name, int64_t shown);

#endif

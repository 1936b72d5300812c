/* Moments in the time zone of a reader: the one door to the machine's table
 * of zones. Keeps the zone at hand in the process, so it is for processes of
 * one thread. Never guesses: an unknown zone is UTC, and says so. */
#ifndef WORLD_ZONE_H
#define WORLD_ZONE_H

#include "base/str.h"

#define ZONE_NAME_MAX 64
#define ZONE_TEXT 20 /* "2026-11-20T04:12:04" with its NUL */
#define ZONE_WORD 16

/* Is it a zone's name, such as Europe/Berlin, that this machine knows? */
bool zone_known(struct str name);

struct zone_time {
    char text[ZONE_TEXT]; /* "2026-11-20T04:12:04" */
    char word[ZONE_WORD]; /* "CET"; "+03" where the zone has no letters */
};
/* The moment t, in microseconds, there. A name that is empty or unknown gives
 * UTC. */
void zone_at(struct str name, int64_t t, struct zone_time *out);
/* When the day begins there that in UTC begins at the moment day. Where that
 * day was left out, when the next one does. */
int64_t zone_day(struct str name, int64_t day);

#endif

/* The people who have a page open at the moment, in memory that all processes
 * of one pool share. Nothing is stored: an entry is forgotten PRESENCE_LIFE
 * after the page was last seen.
 *
 * Made before the fork, never locked, and of a fixed size. It is a courtesy to
 * readers, and nothing may depend on it: where more are there than it has
 * slots the longest unseen ones are forgotten, and two that come at the same
 * moment may take each other's slot. */
#ifndef BASE_SHARED_PRESENCE_H
#define BASE_SHARED_PRESENCE_H

#include "base/arena.h"
#include "base/clock.h"

#define PRESENCE_LIFE (45 * CLOCK_SECOND)
#define PRESENCE_MAX 16 /* readers of one page */

struct presence; /* private, shared memory */
/* The mapping; NULL when the system has none to give. */
struct presence *presence_make(void);

/* The person (a UUID) has the page open at now (clock_mono). */
void presence_see(struct presence *p, struct str page, struct str person,
                  int64_t now);

struct presence_reader {
    struct str person; /* a UUID */
    int64_t since;     /* clock_mono, when they opened it */
};
/* The others that have it open; out has room for PRESENCE_MAX. Their number.
 */
size_t presence_others(struct arena *a, struct presence *p, struct str page,
                       struct str person, int64_t now,
                       struct presence_reader *out);

#endif

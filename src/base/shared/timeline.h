/* The newest history of the database that a pool has seen.
 *
 * After a failover the new primary has a higher timeline (PostgreSQL 26.3), and
 * the old one may come back, take connections and show what was true before.
 * The pool remembers the highest timeline of the database, in memory that its
 * processes share and in a file, and uses no server behind it. `sayso restored`
 * begins a new history: a restore may have a lower timeline. */
#ifndef BASE_SHARED_TIMELINE_H
#define BASE_SHARED_TIMELINE_H

#include "base/str.h"

/* The place of a server in the history of its cluster. A later restore, and in
 * it a higher timeline, is a larger number; 0: not known, as of a standby. Two
 * clusters cannot be compared; where their 12 bits are the same, the later
 * restore is the newer, as in one. A restore has 30 bits, which are its second
 * until 2060, and a timeline 21: a larger number is cut to the largest. */
typedef uint64_t timeline_at;
timeline_at timeline_make_at(int64_t cluster, int64_t restore,
                             int64_t timeline);
int64_t timeline_number(timeline_at at);

/* Before the fork; false when there is no memory to share. Without it nothing
 * is remembered, and no server is behind. */
bool timeline_share(void);
/* A server has this place: it is remembered where it is newer, or of another
 * cluster. false: it is behind the newest one of its cluster. */
bool timeline_saw(timeline_at at);
/* The same without remembering. */
bool timeline_behind(timeline_at at);
/* The newest one; 0: none. */
timeline_at timeline_newest(void);
/* The number of servers that were found behind. */
uint64_t timeline_refusals(void);

/* Reads the file, where it is there, and remembers what it has: three numbers
 * on a line, the cluster's, the restore's and the timeline, or the one number
 * of an older release. Its directory has to be the supervisor's. */
void timeline_load(const char *path);
/* Writes the file where the newest one is another than the last written.
 * false: it cannot be written; it is tried again at the next call. */
bool timeline_save(const char *path);

#endif

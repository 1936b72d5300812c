/* Hosts that do not answer in time, for each owner of endpoints separately, and
 * below a prefix for each agent that asked: they get no deliveries for a while,
 * so that waiting for them does not take the places of other endpoints.
 *
 * In memory only: a new sender starts with an empty table. */
#ifndef PROCESS_DELIVER_HOSTS_H
#define PROCESS_DELIVER_HOSTS_H

#include "base/arena.h"
#include "base/clock.h"

#define DELIVER_HOSTS_MAX 256 /* the one without a failure for longest is
                               * replaced */
#define DELIVER_HOSTS_FIRST (5 * CLOCK_SECOND) /* doubled each time, up to */
#define DELIVER_HOSTS_LONGEST (300 * CLOCK_SECOND)
#define DELIVER_HOSTS_PLACE 32 /* characters of a place */

struct deliver_hosts;
/* An empty table: no host is paused. */
struct deliver_hosts *deliver_hosts_make(struct arena *process);
/* A try at a place has ended. Failed tries that began before the pause count
 * once. A text of another length is not a place. */
void deliver_hosts_ended(struct deliver_hosts *h, struct str place,
                         bool in_time, int64_t now);
/* The paused places; the texts belong to h. */
size_t deliver_hosts_away(const struct deliver_hosts *h, int64_t now,
                          struct str out[static DELIVER_HOSTS_MAX]);

#endif

/* Hosts that do not answer in time, for each owner of endpoints by itself:
 * they are left alone for a while, so that waiting for them does not take the
 * places of others.
 *
 * In memory alone: a sender that starts again finds out anew. */
#ifndef PROCESS_DELIVER_HOSTS_H
#define PROCESS_DELIVER_HOSTS_H

#include "base/arena.h"
#include "base/clock.h"

#define DELIVER_HOSTS_MAX 256 /* the one that is quiet longest is forgotten */
#define DELIVER_HOSTS_FIRST (5 * CLOCK_SECOND) /* doubled each time, up to */
#define DELIVER_HOSTS_LONGEST (300 * CLOCK_SECOND)
#define DELIVER_HOSTS_PLACE 32 /* characters of a place */

struct deliver_hosts;
/* All answer. */
struct deliver_hosts *deliver_hosts_make(struct arena *process);
/* A try at a place has ended. Those that began before it was left alone count
 * once. A place of another length is none. */
void deliver_hosts_ended(struct deliver_hosts *h, struct str place,
                         bool in_time, int64_t now);
/* Those that are left alone now; the texts are h's own. */
size_t deliver_hosts_away(const struct deliver_hosts *h, int64_t now,
                          struct str out[static DELIVER_HOSTS_MAX]);

#endif

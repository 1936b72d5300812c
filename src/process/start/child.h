/* The parts that all children of the supervisor share: their arguments and
 * their signals. */
#ifndef PROCESS_START_CHILD_H
#define PROCESS_START_CHILD_H

#include "base/conf.h"
#include "base/shared/metrics.h"
#include "base/shared/presence.h"
#include "base/shared/quota.h"
#include "world/template/template.h"

/* The arguments from the supervisor; all of it outlives the child. */
struct child {
    const struct conf *conf;
    const struct templates *templates;
    struct metrics *metrics;
    struct quota *quota;
    struct presence *presence;
    struct metrics_worker *slot; /* its own slot, to mark it busy */
    size_t seat;                 /* the number of that slot
                                  * (base/shared/quota.h) */
    struct str secret;           /* between workers and the process that holds
                                  * waiters */
    struct str keys; /* of the signer of the log, from a credential; p NULL:
                      * none */
    int listen_fd;               /* -1: this kind has no socket */
};

/* The exit status of a child that has grown and has to be replaced. */
#define CHILD_RECYCLED 3

/* Set by SIGTERM. */
extern volatile int child_stop; /* sig_atomic_t is int here */

/* SIGTERM sets child_stop and stays blocked except while a child sleeps; SIGINT
 * and SIGHUP are for the supervisor and ignored, as are SIGPIPE and the
 * like. */
void child_signals(void);
/* Sleeps for at most us microseconds, until fd (-1: none) can be read or
 * SIGTERM comes; gives a sign of life every second. */
void child_sleep(const struct child *c, int64_t us, int fd);
/* Marks the beginning or the end of a piece of work, and gives a sign of life.
 * A child busy for 30 s without another call is killed, and one that gives no
 * sign of life for so long. */
void child_busy(const struct child *c, bool busy);
/* The resident memory of this process, in bytes; 0: unknown. */
size_t child_resident(void);
/* Its maximum so far. */
size_t child_resident_peak(void);
/* Does the status of waitpid mean that a child has grown and has to be
 * replaced? */
bool child_recycled(int status);

#endif

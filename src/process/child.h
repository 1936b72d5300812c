/* What all children of the supervisor have in common: what they are given,
 * and how they are told to stop. */
#ifndef PROCESS_CHILD_H
#define PROCESS_CHILD_H

#include "base/conf.h"
#include "base/metrics.h"
#include "base/quota.h"
#include "world/template.h"

/* What the supervisor hands to a child; all of it outlives the child. */
struct child {
    const struct conf *conf;
    const struct templates *templates;
    struct metrics *metrics;
    struct quota *quota;
    struct metrics_worker *slot; /* its own, to say that it is busy */
    struct str secret;           /* between workers and who holds waiters */
    int listen_fd;               /* -1: this kind listens nowhere */
};

/* The exit status of a child that has grown and asks for a fresh one. */
#define CHILD_RECYCLED 3

/* Set by SIGTERM. */
extern volatile int child_stop; /* sig_atomic_t is int here */

/* SIGTERM sets child_stop and stays blocked but for where a child sleeps;
 * SIGINT and SIGHUP are the supervisor's and ignored, as are SIGPIPE and the
 * like. */
void child_signals(void);
/* Sleeps for at most us microseconds, until fd (-1: none) can be read or
 * SIGTERM comes. */
void child_sleep(int64_t us, int fd);
/* Tells the supervisor that work begins or has ended; one that works for 30 s
 * without telling is killed. */
void child_busy(const struct child *c, bool busy);
/* The memory that this process has in the machine now, in bytes; 0: unknown. */
size_t child_resident(void);
/* The most that it ever had. */
size_t child_resident_peak(void);
/* Is that how a child ends that asks for a fresh one? As of waitpid. */
bool child_recycled(int status);

#endif

/* The process that holds waiters: long polls and event streams.
 *
 * nginx hands connections over by a worker's X-Accel-Redirect. It has no
 * authority: a worker authorized every one of them, and renders the answer of
 * every poll. It reads new events once for all streams. */
#ifndef PROCESS_WAIT_WAIT_H
#define PROCESS_WAIT_WAIT_H

#include "process/start/child.h"

/* Works until SIGTERM. Runs in a new child process with SIGTERM blocked.
 * Returns the exit status of the process. */
int wait_run(const struct child *c);

#endif

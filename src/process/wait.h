/* The process that holds waiters: long polls and event streams.
 *
 * nginx hands connections over by a worker's X-Accel-Redirect. It has no
 * authority: a worker authorised every one of them, and renders whatever a
 * poll is answered with. It reads new events once for all streams. */
#ifndef PROCESS_WAIT_H
#define PROCESS_WAIT_H

#include "process/child.h"

/* Works until SIGTERM. Entered in a fresh child process with SIGTERM blocked.
 * The exit status of the process. */
int wait_run(const struct child *c);

#endif

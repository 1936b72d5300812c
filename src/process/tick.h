/* The clock: work that is due by time.
 *
 * Reminders, escalations and expiries of questions, through the one resolve
 * path; expired leases; rows past their retention. Any number of these
 * processes on any number of hosts do each thing once. */
#ifndef PROCESS_TICK_H
#define PROCESS_TICK_H

#include "process/start/child.h"

/* Works until SIGTERM. Runs in a new child process with SIGTERM blocked.
 * Returns the exit status of the process. */
int tick_run(const struct child *c);

#endif

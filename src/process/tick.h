/* The clock: what is due without anybody's call.
 *
 * Reminders, escalations and expiries of questions, through the one resolve
 * path; leases that lapsed; rows that have outlived their use. Any number of
 * these processes on any number of hosts do each thing once. */
#ifndef PROCESS_TICK_H
#define PROCESS_TICK_H

#include "process/child.h"

/* Works until SIGTERM. Entered in a fresh child process with SIGTERM blocked.
 * The exit status of the process. */
int tick_run(const struct child *c);

#endif

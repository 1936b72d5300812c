/* The sender: webhooks to agents, messages to people.
 *
 * Claims due deliveries, sends many at once, and stores the result of each try.
 * At least once: the claim of a process that died expires. */
#ifndef PROCESS_DELIVER_H
#define PROCESS_DELIVER_H

#include "process/start/child.h"

/* Works until SIGTERM. Runs in a new child process with SIGTERM blocked.
 * Returns the exit status of the process. */
int deliver_run(const struct child *c);

#endif

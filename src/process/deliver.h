/* The sender: webhooks to agents, messages to people.
 *
 * Takes due deliveries by claim, sends many at once, and writes down how each
 * try went. At least once: a claim that its process did not live to finish
 * lapses. */
#ifndef PROCESS_DELIVER_H
#define PROCESS_DELIVER_H

#include "process/child.h"

/* Works until SIGTERM. Entered in a fresh child process with SIGTERM blocked.
 * The exit status of the process. */
int deliver_run(const struct child *c);

#endif

/* The eraser: erases contents by the rules of retention.
 *
 * It can do one thing in the database, run the function retention_erase, which
 * erases what a rule names and nothing else. Any number may run; one works at a
 * time. A batch is one transaction: it may be killed at any moment, and the
 * next one goes on. */
#ifndef PROCESS_ERASE_H
#define PROCESS_ERASE_H

#include "process/start/child.h"

/* Works until SIGTERM. Runs in a new child process with SIGTERM blocked.
 * Returns the exit status of the process. */
int erase_run(const struct child *c);

#endif

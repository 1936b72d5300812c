/* The signer of the log: numbers all events, and signs heads, checkpoints and
 * receipts (work/log).
 *
 * The only process that can read the secret keys; it serves nobody. Any number
 * may run; one works at a time. */
#ifndef PROCESS_SEAL_H
#define PROCESS_SEAL_H

#include "process/start/child.h"

/* The text of the file of keys: log.key in the directory of credentials of
 * systemd, else conf's log_key. Read before the process changes its user,
 * because its own user need not own the file. p NULL: there is none, and a log
 * line says why. */
struct str seal_keys(struct arena *a, const struct conf *conf);

/* Works until SIGTERM. Runs in a new child process with SIGTERM blocked.
 * Returns the exit status of the process. */
int seal_run(const struct child *c);

#endif

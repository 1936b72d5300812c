/* The signer of the log: numbers all events, and signs heads, checkpoints and
 * receipts (work/log).
 *
 * The only process that can read the secret keys; it serves nobody. Any number
 * may run; one works at a time. */
#ifndef PROCESS_SEAL_H
#define PROCESS_SEAL_H

#include "process/start/child.h"

/* The text of log.key among the credentials of systemd (LoadCredential=). Read
 * before the process changes its user: they belong to the supervisor's. p NULL:
 * there is none, and the file of log_key counts, which belongs to the signer's
 * user. */
struct str seal_credential(struct arena *a);

/* Works until SIGTERM. Runs in a new child process with SIGTERM blocked.
 * Returns the exit status of the process. */
int seal_run(const struct child *c);

#endif

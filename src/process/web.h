/* A web worker: one process that answers one request at a time. */
#ifndef PROCESS_WEB_H
#define PROCESS_WEB_H

#include "process/start/child.h"

/* Answers requests until SIGTERM, or until the socket is shut and its queue
 * empty. Runs in a new child process with SIGTERM blocked. The current request
 * is always finished. Returns the exit status of the process. */
int web_run(const struct child *c);

#endif

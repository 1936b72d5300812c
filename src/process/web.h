/* A web worker: one process that answers one request at a time. */
#ifndef PROCESS_WEB_H
#define PROCESS_WEB_H

#include "process/child.h"

/* Answers requests until SIGTERM, or until the socket is shut and its queue
 * empty. Entered in a fresh child process with SIGTERM blocked. A request at
 * hand is always finished. The exit status of the process. */
int web_run(const struct child *c);

#endif

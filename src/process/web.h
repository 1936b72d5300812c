/* A web worker: one process that answers one request at a time. */
#ifndef PROCESS_WEB_H
#define PROCESS_WEB_H

#include "base/conf.h"
#include "base/metrics.h"
#include "world/template.h"

/* What the supervisor hands to a worker; all of it outlives the worker. */
struct web {
    const struct conf *conf;
    const struct templates *templates;
    struct metrics *metrics;
    struct metrics_worker *slot; /* its own, to say that it is busy */
    int listen_fd;
};

/* Answers requests until SIGTERM, or until the socket is shut and its queue
 * empty. Entered in a fresh child process with SIGTERM blocked; SIGINT and
 * SIGHUP are the supervisor's and ignored. A request at hand is always
 * finished. The exit status of the process. */
int web_run(const struct web *w);

#endif

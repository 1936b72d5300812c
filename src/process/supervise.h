/* The supervisor: `sayso serve`. */
#ifndef PROCESS_SUPERVISE_H
#define PROCESS_SUPERVISE_H

#include "base/str.h"

struct supervise_args {
    const char *path; /* of the configuration; NULL: the environment alone */
    /* The one kind of children ("web", "tick"), where each kind has a container
     * of its own, and the socket of the pool of those; p NULL: all kinds. */
    struct str only, pool;
};

/* Reads the configuration and the templates, listens, forks the children and
 * stays in the foreground until it is stopped. Returns the exit status of the
 * process: 0 after a stop, 1 when it could not start, with the reason in the
 * log, or the pool that it had joined has ended.
 *
 *   SIGTERM, SIGINT  stop: every request that a front end has handed over is
 *                    answered; within 10 s.
 *   SIGHUP           reload: configuration and templates are read again and the
 *                    workers replaced, with no request lost. On a mistake the
 *                    old ones stay in use. The socket's path and mode are not
 *                    reloaded.
 *
 * A worker that dies is replaced, with back-off; one that is busy with one
 * request for more than 30 s is killed. systemd gets each state when
 * NOTIFY_SOCKET is set. crypt_init must have been called. */
int supervise_run(const struct supervise_args *args);

#endif

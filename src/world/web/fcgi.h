/* The one door to libfcgi: one request at a time on a shared socket.
 *
 * The listening socket is non-blocking and shared by all workers; signals are
 * blocked except while idle in fcgi_wait.
 *
 * A worker's loop: fcgi_wait until there may be a request, fcgi_accept to read
 * it, fcgi_answer, and again. */
#ifndef WORLD_WEB_FCGI_H
#define WORLD_WEB_FCGI_H

#include <sys/stat.h>

#include "world/web/request.h"
#include "world/web/response.h"

/* The socket that all workers share. */
struct fcgi_socket {
    int fd;
    const char *path; /* NULL: systemd's socket, which is not removed */
    dev_t device;
    ino_t inode;
};

/* A listening, non-blocking, close-on-exec unix socket at path with the given
 * mode, replacing a stale one. If systemd passed some (LISTEN_FDS), the first
 * call gets the first, and so on.
 * false and a log line on an error, or when a living process listens there.
 * The path lives in a. */
bool fcgi_listen(struct arena *a, struct str path, unsigned mode,
                 struct fcgi_socket *out);
/* For the stop: refuses new connections, while workers still answer those in
 * the queue. Does nothing to a socket of systemd's. */
void fcgi_shut(const struct fcgi_socket *s);
/* Closes the socket and removes its file, unless another server replaced it. */
void fcgi_unlisten(const struct fcgi_socket *s);

struct fcgi;

/* Once in each worker, before its signal handlers are installed (libfcgi
 * installs some of its own). NULL and a log line on an error. */
struct fcgi *fcgi_make(struct arena *process, int listen_fd);
/* Sleeps until there may be a request, with no signal blocked: true. *stop is
 * set by a signal handler and read only here: false, when it is set and the
 * queue of fcgi_shut has no connection left. *seen: the time (clock_mono), set
 * every second of the sleep. */
bool fcgi_wait(struct fcgi *f, volatile const int *stop,
               _Atomic int64_t *seen);

enum fcgi_got {
    FCGI_REQUEST,
    FCGI_NONE,    /* another worker was faster, or the client closed */
    FCGI_STOPPED, /* the socket is shut and its queue empty */
    FCGI_FAILED   /* the socket is unusable; logged */
};
/* Reads a request. params and body are in a. A body over max is read to its
 * end but not kept: *too_large. Parameters beyond REQUEST_PARAMS_MAX or
 * REQUEST_PARAMS_BYTES are kept only as far as request_parse needs in order to
 * refuse them. */
enum fcgi_got fcgi_accept(struct fcgi *f, struct arena *a, size_t max,
                          struct pairs *params, struct str *body,
                          bool *too_large);
/* Sends the answer (without body for HEAD) and ends the request. */
void fcgi_answer(struct fcgi *f, const struct response *rs, bool head);

#endif

/* The one door to libfcgi: reading a request and sending its answer.
 *
 * Used by each worker. libfcgi takes an interrupted read for a broken
 * connection, so signals are unblocked only in fcgi_wait; and it blocks without
 * an end on a front end that sends half a request, which the supervisor ends by
 * its timeout. Never looks into a request and never decides an answer. */
#include "world/web/fcgi.h"

#include <errno.h>
#include <fcgiapp.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define PAUSE_US 100000 /* pause when the system is out of descriptors or
                         * memory */
#define CHUNK ((size_t)16 << 10)
#define SIGN_MS 1000 /* between two signs of life */
#define BREATHE 16 /* requests between two looks for signals */

struct fcgi {
    int listen_fd;
    int epoll_fd;
    unsigned turn;
    sigset_t idle; /* the signal mask of a worker that waits: empty */
    FCGX_Request request;
};

static void fcgi_forget(void *p)
{
    const struct fcgi *f = p;
    close(f->epoll_fd);
}

struct fcgi *fcgi_make(struct arena *process, int listen_fd)
{
    struct fcgi *f = arena_new(process, struct fcgi);
    f->listen_fd = listen_fd;
    sigemptyset(&f->idle);
    /* libfcgi drains a connection that it refuses by itself. Waiting for nginx
     * to close it would only cost time. */
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", 1);
    if (FCGX_Init() != 0 ||
        FCGX_InitRequest(&f->request, listen_fd,
                         FCGI_FAIL_ACCEPT_ON_INTR) != 0) {
        log_line(LOG_ERR, "fcgi: libfcgi cannot start");
        return NULL;
    }
    f->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN | EPOLLEXCLUSIVE};
    if (f->epoll_fd < 0 ||
        epoll_ctl(f->epoll_fd, EPOLL_CTL_ADD, listen_fd, &event) != 0) {
        log_line(LOG_ERR, "fcgi: epoll: %s", strerror(errno));
        return NULL;
    }
    arena_defer(process, fcgi_forget, f);
    return f;
}

/* Has the supervisor called fcgi_shut? */
static bool fcgi_is_shut(const struct fcgi *f)
{
    struct pollfd p = {.fd = f->listen_fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) > 0 && (p.revents & POLLRDHUP);
}

bool fcgi_wait(struct fcgi *f, volatile const int *stop, _Atomic int64_t *seen)
{
    /* Delivers pending signals, now and then. epoll_pwait does so only when it
     * sleeps, which under full load it never does. */
    sigset_t busy;
    if (f->turn++ % BREATHE == 0) {
        sigprocmask(SIG_SETMASK, &f->idle, &busy);
        sigprocmask(SIG_SETMASK, &busy, NULL);
    }
    while (!*stop) {
        struct epoll_event event;
        int n = epoll_pwait(f->epoll_fd, &event, 1, SIGN_MS, &f->idle);
        atomic_store(seen, clock_mono());
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR) {
            log_line(LOG_ERR, "fcgi: epoll: %s", strerror(errno));
            return false;
        }
    }
    return fcgi_is_shut(f);
}

/* The result for the errno of a failed accept. */
static enum fcgi_got fcgi_failed(const struct fcgi *f, int error)
{
    switch (error) {
    case EAGAIN:
        return fcgi_is_shut(f) ? FCGI_STOPPED : FCGI_NONE;
    case EINVAL:
        if (fcgi_is_shut(f))
            return FCGI_STOPPED;
        break;
    case EINTR:
        return FCGI_NONE;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
        log_line(LOG_WARN, "fcgi: accept: %s", strerror(error));
        usleep(PAUSE_US);
        return FCGI_NONE;
    default:
        break;
    }
    log_line(LOG_ERR, "fcgi: accept: %s", strerror(error));
    return FCGI_FAILED;
}

/* false: the connection broke before the body's end. */
static bool fcgi_body(FCGX_Stream *in, struct buf *body)
{
    char chunk[CHUNK];
    for (;;) {
        int n = FCGX_GetStr(chunk, (int)sizeof(chunk), in);
        if (n > 0)
            buf_str(body, (struct str){chunk, (size_t)n});
        if (n < (int)sizeof(chunk))
            return FCGX_GetError(in) == 0;
    }
}

/* Ends a request and closes its connection. A request is read to its end before
 * it is answered, so there is nothing to drain: after FCGX_Detach libfcgi
 * closes at once, without shutdown, poll and read. */
static void fcgi_finish(struct fcgi *f)
{
    FCGX_Detach(&f->request);
    FCGX_Finish_r(&f->request);
}

enum fcgi_got fcgi_accept(struct fcgi *f, struct arena *a, size_t max,
                          struct pairs *params, struct str *body,
                          bool *too_large)
{
    int result = FCGX_Accept_r(&f->request);
    if (result < 0)
        return fcgi_failed(f, -result);
    /* libfcgi frees its strings with the request: all are copied into the
     * arena. */
    char *const *envp = f->request.envp;
    size_t most = 0, n = 0, size = 0;
    while (envp && envp[most] && most <= REQUEST_PARAMS_MAX)
        most++;
    struct pair *v = arena_many(a, most, struct pair);
    for (; n < most && size <= REQUEST_PARAMS_BYTES + REQUEST_PARAMS_MAX;
         n++) {
        struct str s = {envp[n], strnlen(envp[n], REQUEST_PARAMS_BYTES * 2)};
        s = arena_str(a, s);
        size += s.n;
        size_t equals = str_find(s, '=', 0);
        v[n].key = str_sub(s, 0, equals);
        v[n].value = str_sub(s, equals + 1, s.n);
    }
    *params = (struct pairs){v, n};
    struct buf b = buf_make(a, max);
    if (!fcgi_body(f->request.in, &b)) {
        fcgi_finish(f);
        return FCGI_NONE;
    }
    *too_large = b.over;
    *body = b.over ? STR_NONE : buf_text(&b);
    return FCGI_REQUEST;
}

static void fcgi_put(FCGX_Stream *out, struct str s)
{
    /* A client that has closed its connection is not an error. */
    if (s.n > 0)
        FCGX_PutStr(s.p, (int)s.n, out);
}

void fcgi_answer(struct fcgi *f, const struct response *rs, bool head)
{
    fcgi_put(f->request.out, response_head(rs));
    if (!head)
        fcgi_put(f->request.out, buf_text(&rs->body));
    fcgi_finish(f);
}

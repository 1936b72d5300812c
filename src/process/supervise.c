/* The supervisor: keeps the socket and as many workers as the configuration
 * wants, and nothing else.
 *
 * Entered by main for `sayso serve`. One thread, one loop: sleep until a
 * signal or the next moment, bury the dead, kill the stuck, start what is
 * missing. It never touches a request or the database, so that it has no
 * reason to die; workers may die at any moment. */
#include "process/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "doors/serve.h"
#include "process/plan.h"
#include "process/web.h"
#include "world/fcgi.h"

#define STUCK (30 * CLOCK_SECOND)   /* in one request */
#define GRACE (9 * CLOCK_SECOND)    /* to finish, when stopping */
#define HEALTHY (10 * CLOCK_SECOND) /* of life make a crash a first one */
#define BACKOFF_FIRST (CLOCK_SECOND / 10)
#define BACKOFF_MAX (5 * CLOCK_SECOND)
#define TICK CLOCK_SECOND

enum child_state {
    CHILD_FREE,
    CHILD_RUNNING,
    CHILD_RETIRING, /* told to end; not replaced */
    CHILD_WAITING,  /* crashed; starts again at `when` */
};

/* Child i writes into metrics slot i. */
struct child {
    enum child_state state;
    pid_t pid;
    int64_t when;    /* it was started, or shall be */
    int64_t backoff; /* before the start after the next crash */
    bool killed;
};

struct supervisor {
    const char *path; /* of the configuration, or NULL */
    struct plan plan; /* what a reload replaces */
    struct metrics *metrics;
    struct fcgi_socket socket;
    pid_t pid;
    int64_t stop_by; /* 0: not stopping */
    struct child children[METRICS_WORKERS_MAX];
};

/* sd_notify(3). Silent without NOTIFY_SOCKET. */
static void notify(const char *state)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct str path = str_of(getenv("NOTIFY_SOCKET"));
    if (path.n == 0 || path.n >= sizeof(to.sun_path))
        return;
    memcpy(to.sun_path, path.p, path.n);
    if (to.sun_path[0] == '@')
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return;
    socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path.n);
    sendto(fd, state, strlen(state), MSG_NOSIGNAL,
           (const struct sockaddr *)&to, n);
    close(fd);
}

static _Noreturn void be_worker(const struct supervisor *s, size_t slot)
{
    struct web web = {
        .conf = &s->plan.conf,
        .templates = s->plan.templates,
        .metrics = s->metrics,
        .slot = metrics_worker(s->metrics, slot),
        .listen_fd = s->socket.fd,
    };
    prctl(PR_SET_NAME, "sayso: web");
    /* A worker must not outlive its supervisor; when that died before the
     * call, nobody would tell. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != s->pid)
        _exit(EXIT_SUCCESS);
    exit(web_run(&web));
}

/* Sets the next start of a child that crashed. */
static void start_later(struct child *c, int64_t now)
{
    c->state = CHILD_WAITING;
    c->when = now + c->backoff;
    c->backoff = c->backoff ? c->backoff * 2 : BACKOFF_FIRST;
    if (c->backoff > BACKOFF_MAX)
        c->backoff = BACKOFF_MAX;
}

static void start(struct supervisor *s, size_t slot)
{
    struct child *c = &s->children[slot];
    struct metrics_worker *w = metrics_worker(s->metrics, slot);
    atomic_store(&w->busy_since, 0);
    int64_t now = clock_mono();
    pid_t pid = fork();
    if (pid == 0)
        be_worker(s, slot);
    if (pid < 0) {
        log_line(LOG_ERR, "supervisor: fork: %s", strerror(errno));
        start_later(c, now);
        return;
    }
    atomic_store(&w->pid, pid);
    c->state = CHILD_RUNNING;
    c->pid = pid;
    c->when = now;
    c->killed = false;
}

static bool alive(const struct child *c)
{
    return c->state == CHILD_RUNNING || c->state == CHILD_RETIRING;
}

/* Starts what is due and what is missing. Where all slots are taken (a reload
 * of many workers) the rest follows as the old ones leave; until then the
 * socket's queue holds the requests. */
static void fill(struct supervisor *s)
{
    int64_t now = clock_mono();
    int64_t have = 0;
    for (size_t i = 0; i < METRICS_WORKERS_MAX; i++) {
        const struct child *c = &s->children[i];
        if (c->state == CHILD_WAITING && c->when <= now)
            start(s, i);
        have += c->state == CHILD_RUNNING || c->state == CHILD_WAITING;
    }
    for (size_t i = 0; i < METRICS_WORKERS_MAX; i++)
        if (s->children[i].state == CHILD_FREE &&
            have < s->plan.conf.workers) {
            start(s, i);
            have++;
        }
}

static void tell_how(const struct child *c, int status)
{
    bool signalled = WIFSIGNALED(status);
    log_line(LOG_WARN, "supervisor: worker %d ended by %s %d", (int)c->pid,
             signalled ? "signal" : "exit status",
             signalled ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void bury(struct supervisor *s, size_t slot, int status)
{
    struct child *c = &s->children[slot];
    struct metrics_worker *w = metrics_worker(s->metrics, slot);
    int64_t now = clock_mono();
    atomic_store(&w->pid, 0);
    atomic_store(&w->busy_since, 0);
    if (c->state == CHILD_RUNNING || status != 0)
        tell_how(c, status);
    if (c->state == CHILD_RETIRING) {
        *c = (struct child){.state = CHILD_FREE};
        return;
    }
    if (now - c->when >= HEALTHY)
        c->backoff = 0;
    start_later(c, now);
    metrics_restart(s->metrics);
}

static void bury_all(struct supervisor *s)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (size_t i = 0; i < METRICS_WORKERS_MAX; i++)
            if (alive(&s->children[i]) && s->children[i].pid == pid)
                bury(s, i, status);
}

static void kill_hard(struct child *c, const char *why)
{
    if (c->killed)
        return;
    log_line(LOG_ERR, "supervisor: worker %d is killed: %s", (int)c->pid, why);
    kill(c->pid, SIGKILL);
    c->killed = true;
}

static void kill_stuck(struct supervisor *s)
{
    int64_t now = clock_mono();
    for (size_t i = 0; i < METRICS_WORKERS_MAX; i++) {
        struct child *c = &s->children[i];
        if (!alive(c))
            continue;
        int64_t busy =
            atomic_load(&metrics_worker(s->metrics, i)->busy_since);
        if (busy > 0 && now - busy > STUCK)
            kill_hard(c, "more than 30 s in one request");
        else if (s->stop_by > 0 && now >= s->stop_by)
            kill_hard(c, "its request did not end in time for the stop");
    }
}

/* No worker of now is replaced any more; none is told yet. */
static void retire_all(struct supervisor *s)
{
    for (size_t i = 0; i < METRICS_WORKERS_MAX; i++) {
        struct child *c = &s->children[i];
        if (c->state == CHILD_RUNNING)
            c->state = CHILD_RETIRING;
        else if (c->state == CHILD_WAITING)
            *c = (struct child){.state = CHILD_FREE};
    }
}

static void tell_retired(const struct supervisor *s)
{
    for (size_t i = 0; i < METRICS_WORKERS_MAX; i++)
        if (s->children[i].state == CHILD_RETIRING)
            kill(s->children[i].pid, SIGTERM);
}

static void stop(struct supervisor *s)
{
    if (s->stop_by > 0)
        return;
    log_line(LOG_NOTICE, "supervisor: stopping");
    notify("STOPPING=1");
    s->stop_by = clock_mono() + GRACE;
    fcgi_shut(&s->socket);
    retire_all(s);
    tell_retired(s);
}

static void reload(struct supervisor *s)
{
    struct plan next;
    if (s->stop_by > 0)
        return;
    notify("RELOADING=1");
    if (plan_load(s->path, &next)) {
        if (!str_eq(next.conf.socket, s->plan.conf.socket) ||
            !str_eq(next.conf.socket_mode, s->plan.conf.socket_mode))
            log_line(LOG_WARN, "supervisor: another socket or mode takes a "
                     "restart");
        arena_free(s->plan.arena);
        s->plan = next;
        retire_all(s);
        fill(s);
        tell_retired(s);
        log_line(LOG_NOTICE, "supervisor: reloaded");
    } else {
        log_line(LOG_ERR, "supervisor: not reloaded; all stays as it was");
    }
    notify("READY=1");
}

/* How long nothing happens by itself. */
static struct timespec until_next(const struct supervisor *s)
{
    int64_t now = clock_mono();
    int64_t next = now + TICK;
    if (s->stop_by > now && s->stop_by < next)
        next = s->stop_by;
    for (size_t i = 0; i < METRICS_WORKERS_MAX; i++) {
        const struct child *c = &s->children[i];
        if (c->state == CHILD_WAITING && c->when < next)
            next = c->when;
    }
    int64_t us = next > now ? next - now : 0;
    return (struct timespec){.tv_sec = us / CLOCK_SECOND,
                             .tv_nsec = us % CLOCK_SECOND * 1000};
}

static bool anyone(const struct supervisor *s)
{
    for (size_t i = 0; i < METRICS_WORKERS_MAX; i++)
        if (alive(&s->children[i]))
            return true;
    return false;
}

static void watch(struct supervisor *s, const sigset_t *signals)
{
    while (s->stop_by == 0 || anyone(s)) {
        struct timespec time = until_next(s);
        int signal = sigtimedwait(signals, NULL, &time);
        bury_all(s);
        if (signal == SIGTERM || signal == SIGINT)
            stop(s);
        else if (signal == SIGHUP)
            reload(s);
        kill_stuck(s);
        if (s->stop_by == 0)
            fill(s);
        notify("WATCHDOG=1");
    }
}

/* Blocked, and read by sigtimedwait; workers inherit the mask. */
static sigset_t block_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGCHLD, SIG_DFL);
    return signals;
}

static unsigned octal(struct str s)
{
    unsigned v = 0;
    for (size_t i = 0; i < s.n && s.p[i] >= '0' && s.p[i] <= '7'; i++)
        v = v * 8 + (unsigned)(s.p[i] - '0');
    return v & 0777;
}

int supervise_run(const char *path)
{
    sigset_t signals = block_signals();
    prctl(PR_SET_NAME, "sayso: serve");
    size_t routes;
    const char *const *names = serve_route_names(&routes);
    struct arena *a = arena_make(ARENA_PROCESS_MAX);
    struct supervisor *s = arena_new(a, struct supervisor);
    s->path = path;
    s->pid = getpid();
    int result = EXIT_FAILURE;
    s->metrics = metrics_make(names, routes);
    if (!s->metrics)
        log_line(LOG_ERR, "supervisor: no shared memory for the counters");
    if (s->metrics && plan_load(path, &s->plan)) {
        const struct conf *conf = &s->plan.conf;
        if (fcgi_listen(a, conf->socket, octal(conf->socket_mode),
                        &s->socket)) {
            fill(s);
            log_line(LOG_NOTICE, "supervisor: serving with %d workers",
                     (int)conf->workers);
            notify("READY=1");
            watch(s, &signals);
            fcgi_unlisten(&s->socket);
            log_line(LOG_NOTICE, "supervisor: stopped");
            result = EXIT_SUCCESS;
        }
        arena_free(s->plan.arena);
    }
    arena_free(a);
    return result;
}

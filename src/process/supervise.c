/* The supervisor: keeps the sockets, as many web workers as the configuration
 * sets and one of each other child; or the children of one kind alone, where
 * each has a container of its own.
 *
 * Called by main for `sayso serve`. One thread, one loop: sleep until a signal
 * or the next deadline, reap children that ended, kill those that hang, start
 * the missing ones. It never handles a request or the database, so that no
 * input can crash it; workers may die at any moment. */
#include "process/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crypt.h"
#include "base/log.h"
#include "base/shared/clock_watch.h"
#include "base/shared/decisions.h"
#include "base/shared/region.h"
#include "base/shared/semaphore.h"
#include "base/shared/timeline.h"
#include "doors/serve.h"
#include "process/notify.h"
#include "process/post.h"
#include "process/seal.h"
#include "process/start/elsewhere.h"
#include "process/start/load_conf.h"
#include "world/wake.h"
#include "world/web/fcgi.h"

#define STUCK (30 * CLOCK_SECOND)   /* in one request, or without a sign of
                                     * life */
#define ASLEEP (5 * CLOCK_SECOND)   /* between two looks of the supervisor */
#define DRAIN (3 * CLOCK_SECOND)    /* until those that wait are let go */
#define GRACE (9 * CLOCK_SECOND)    /* to end, when stopping */
#define HEALTHY (10 * CLOCK_SECOND) /* after this time the back-off of crashes
                                     * starts again */
#define BACKOFF_FIRST (CLOCK_SECOND / 10)
#define BACKOFF_MAX (5 * CLOCK_SECOND)
#define TICK CLOCK_SECOND

enum post_state {
    POST_FREE,
    POST_RUNNING,
    POST_RETIRING, /* its child was asked to end and is not replaced */
    POST_WAITING,  /* its child crashed; the next starts at `when` */
};

/* A slot for a child. The child of post i writes into metrics slot i. */
struct post {
    enum post_state state;
    enum post_kind kind;
    pid_t pid;
    int64_t when;    /* the start, past or planned */
    int64_t backoff; /* before the start after the next crash */
    bool killed;
};

struct supervisor {
    const char *path; /* of the configuration, or NULL */
    enum post_kind only;     /* POST__MAX: all kinds */
    struct pool pool;        /* of the workers alone, whom the others join; */
    struct pool_share share; /* and what one of the others has of it */
    struct load_conf loaded; /* replaced by a reload */
    const char *history;     /* the file of the newest history of the
                              * database */
    struct metrics *metrics;
    struct quota *quota;
    struct presence *presence;
    struct str secret; /* made at this start; shared by all children */
    struct fcgi_socket socket, wait_socket;
    pid_t pid;
    bool lost;  /* the pool ended */
    bool apart; /* each kind runs as a user of its own: these */
    struct user users[POST__MAX]; /* also where it has only one kind */
    int64_t looked_at; /* at the children */
    int64_t stop_by; /* 0: not stopping */
    int64_t drain_by; /* 0: those that wait are let go, or none is stopping */
    struct post posts[METRICS_SLOTS_MAX];
};

static _Noreturn void supervise_child(struct supervisor *s, size_t slot)
{
    const enum post_kind kind = s->posts[slot].kind;
    struct arena *a = arena_make(ARENA_PROCESS_MAX);
    const struct child child = {
        .conf = &s->loaded.conf,
        .templates = s->loaded.templates,
        .metrics = s->metrics,
        .quota = s->quota,
        .presence = s->presence,
        .slot = metrics_worker(s->metrics, slot),
        .seat = slot,
        .secret = s->secret,
        .keys = kind == POST_SEAL ? seal_credential(a) : STR_NONE,
        .listen_fd = kind == POST_WEB    ? s->socket.fd
                     : kind == POST_WAIT ? s->wait_socket.fd
                                         : -1,
    };
    if (kind != POST_WEB)
        close(s->socket.fd);
    if (kind != POST_WAIT)
        close(s->wait_socket.fd);
    pool_forget(&s->pool);
    prctl(PR_SET_NAME, post_rows[kind].name);
    if (s->apart && !user_become(&s->users[kind])) {
        log_line(LOG_ERR, "supervisor: %s cannot become the user %s: %s",
                 post_rows[kind].name, post_rows[kind].user, strerror(errno));
        _exit(EXIT_FAILURE);
    }
    /* A child must not outlive its supervisor; if that died before this call,
     * the child would get no signal. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != s->pid)
        _exit(EXIT_SUCCESS);
    const int status = post_rows[kind].run(&child);
    arena_free(a);
    exit(status);
}

/* Sets the next start of a child that crashed. */
static void supervise_later(struct post *c, int64_t now)
{
    c->state = POST_WAITING;
    c->when = now + c->backoff;
    c->backoff = c->backoff ? c->backoff * 2 : BACKOFF_FIRST;
    if (c->backoff > BACKOFF_MAX)
        c->backoff = BACKOFF_MAX;
}

static void supervise_start(struct supervisor *s, size_t slot)
{
    struct post *c = &s->posts[slot];
    struct metrics_worker *w = metrics_worker(s->metrics, slot);
    int64_t now = clock_mono();
    atomic_store(&w->busy_since, 0);
    atomic_store(&w->seen, now);
    quota_seat_give(s->quota, slot);
    pid_t pid = fork();
    if (pid == 0)
        supervise_child(s, slot);
    if (pid < 0) {
        log_line(LOG_ERR, "supervisor: fork: %s", strerror(errno));
        supervise_later(c, now);
        return;
    }
    atomic_store(&w->pid, pid);
    c->state = POST_RUNNING;
    c->pid = pid;
    c->when = now;
    c->killed = false;
}

static bool supervise_alive(const struct post *c)
{
    return c->state == POST_RUNNING || c->state == POST_RETIRING;
}

static bool supervise_has(const struct supervisor *s, enum post_kind k)
{
    return s->only == POST__MAX || s->only == k;
}

/* Is it one of the others, which stand on the pool of the workers? */
static bool supervise_joins(const struct supervisor *s)
{
    return !supervise_has(s, POST_WEB);
}

/* Starts scheduled and missing children. When all posts are taken (a reload of
 * many workers) the rest is started as the old ones end; until then the
 * socket's queue holds the requests. */
static void supervise_fill(struct supervisor *s)
{
    const int64_t now = clock_mono();
    for (size_t i = 0; i < METRICS_SLOTS_MAX; i++)
        if (s->posts[i].state == POST_WAITING && s->posts[i].when <= now)
            supervise_start(s, i);
    for (enum post_kind k = POST_WEB; k < POST__MAX; k++) {
        const size_t end = post_first(k + 1);
        int64_t missing = !supervise_has(s, k) ? 0
                          : k == POST_WEB      ? s->loaded.conf.workers
                                               : 1;
        for (size_t i = post_first(k); i < end; i++)
            missing -= s->posts[i].state == POST_RUNNING ||
                       s->posts[i].state == POST_WAITING;
        for (size_t i = post_first(k); i < end && missing > 0; i++) {
            if (s->posts[i].state != POST_FREE)
                continue;
            s->posts[i].kind = k;
            supervise_start(s, i);
            missing--;
        }
    }
}

static void supervise_bury(struct supervisor *s, size_t slot, int status)
{
    struct post *c = &s->posts[slot];
    struct metrics_worker *w = metrics_worker(s->metrics, slot);
    int64_t now = clock_mono();
    atomic_store(&w->pid, 0);
    atomic_store(&w->busy_since, 0);
    quota_seat_give(s->quota, slot);
    const bool recycled = child_recycled(status);
    if (!recycled && (c->state == POST_RUNNING || status != 0)) {
        bool signalled = WIFSIGNALED(status);
        log_line(LOG_WARN, "supervisor: %s, %d, ended by %s %d",
                 post_rows[c->kind].name, (int)c->pid,
                 signalled ? "signal" : "exit status",
                 signalled ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    if (recycled)
        metrics_count(s->metrics, METRICS_RECYCLED, 1);
    if (c->state == POST_RETIRING) {
        *c = (struct post){.state = POST_FREE};
        return;
    }
    if (recycled) {
        supervise_start(s, slot);
        return;
    }
    if (now - c->when >= HEALTHY)
        c->backoff = 0;
    supervise_later(c, now);
    metrics_count(s->metrics, METRICS_RESTARTS, 1);
}

static void supervise_kill(struct post *c, const char *why)
{
    if (c->killed)
        return;
    log_line(LOG_ERR, "supervisor: %s, %d, is killed: %s",
             post_rows[c->kind].name, (int)c->pid, why);
    kill(c->pid, SIGKILL);
    c->killed = true;
}

static void supervise_kill_stuck(struct supervisor *s)
{
    int64_t now = clock_mono();
    /* After a sleep of the supervisor itself, as of the whole machine, all
     * children look frozen: their time begins again. */
    const bool slept = s->looked_at > 0 && now - s->looked_at > ASLEEP;
    s->looked_at = now;
    for (size_t i = 0; slept && i < METRICS_SLOTS_MAX; i++) {
        struct metrics_worker *w = metrics_worker(s->metrics, i);
        if (!supervise_alive(&s->posts[i]))
            continue;
        int64_t busy = atomic_load(&w->busy_since);
        atomic_store(&w->seen, now);
        if (busy > 0)
            atomic_compare_exchange_strong(&w->busy_since, &busy, now);
    }
    for (size_t i = 0; i < METRICS_SLOTS_MAX; i++) {
        struct post *c = &s->posts[i];
        if (!supervise_alive(c))
            continue;
        struct metrics_worker *w = metrics_worker(s->metrics, i);
        int64_t busy = atomic_load(&w->busy_since);
        if (busy > 0 && now - busy > STUCK)
            supervise_kill(c, "one piece of work took more than 30 s");
        else if (now - atomic_load(&w->seen) > STUCK)
            supervise_kill(c, "it gave no sign of life for more than 30 s");
        else if (s->stop_by > 0 && now >= s->stop_by)
            supervise_kill(c, "it did not end in time for the stop");
    }
}

/* Marks the current workers as not to be replaced; signals none yet. */
static void supervise_retire(struct supervisor *s)
{
    for (size_t i = 0; i < METRICS_SLOTS_MAX; i++) {
        struct post *c = &s->posts[i];
        if (c->state == POST_RUNNING)
            c->state = POST_RETIRING;
        else if (c->state == POST_WAITING)
            *c = (struct post){.state = POST_FREE};
    }
}

static void supervise_signal_retired(const struct supervisor *s)
{
    for (size_t i = 0; i < METRICS_SLOTS_MAX; i++)
        if (s->posts[i].state == POST_RETIRING)
            kill(s->posts[i].pid, SIGTERM);
}

/* The child that holds waiters; NULL: it does not run. */
static const struct post *supervise_holder(const struct supervisor *s)
{
    for (size_t i = post_first(POST_WAIT);
         i < post_first(POST_WAIT + 1); i++)
        if (supervise_alive(&s->posts[i]))
            return &s->posts[i];
    return NULL;
}

static void supervise_stop(struct supervisor *s)
{
    if (s->stop_by > 0)
        return;
    log_line(LOG_NOTICE, "supervisor: stopping");
    notify_tell("STOPPING=1");
    s->stop_by = clock_mono() + GRACE;
    s->drain_by = clock_mono() + DRAIN;
    supervise_retire(s);
    /* No more are held from here on: a worker answers at once. */
    const struct post *holder = supervise_holder(s);
    if (holder)
        kill(holder->pid, SIGTERM);
    fcgi_shut(&s->wait_socket);
}

static void supervise_reload(struct supervisor *s)
{
    struct load_conf next;
    if (s->stop_by > 0)
        return;
    notify_tell("RELOADING=1");
    if (load_conf_all(s->path, &next)) {
        if (!str_eq(next.conf.socket, s->loaded.conf.socket) ||
            !str_eq(next.conf.wait_socket, s->loaded.conf.wait_socket) ||
            !str_eq(next.conf.socket_mode, s->loaded.conf.socket_mode))
            log_line(LOG_WARN, "supervisor: a change of the socket or its mode "
                               "needs a restart");
        arena_free(s->loaded.arena);
        s->loaded = next;
        clock_watch_seen();
        supervise_retire(s);
        supervise_fill(s);
        supervise_signal_retired(s);
        log_line(LOG_NOTICE, "supervisor: reloaded");
    } else {
        log_line(LOG_ERR, "supervisor: reload failed; the old configuration "
                          "stays in use");
    }
    notify_tell("READY=1");
}

/* The time until the next scheduled event. */
static struct timespec supervise_until_next(const struct supervisor *s)
{
    int64_t now = clock_mono();
    int64_t next = now + TICK;
    if (s->stop_by > now && s->stop_by < next)
        next = s->stop_by;
    for (size_t i = 0; i < METRICS_SLOTS_MAX; i++) {
        const struct post *c = &s->posts[i];
        if (c->state == POST_WAITING && c->when < next)
            next = c->when;
    }
    int64_t us = next > now ? next - now : 0;
    return (struct timespec){.tv_sec = us / CLOCK_SECOND,
                             .tv_nsec = us % CLOCK_SECOND * 1000};
}

static bool supervise_anyone(const struct supervisor *s)
{
    for (size_t i = 0; i < METRICS_SLOTS_MAX; i++)
        if (supervise_alive(&s->posts[i]))
            return true;
    return false;
}

/* The file is kept over restarts: in the state's directory that systemd gives,
 * otherwise beside the socket. */
static void supervise_load_history(struct supervisor *s, struct arena *a)
{
    const struct str given = str_of(getenv("STATE_DIRECTORY"));
    const struct str socket = s->loaded.conf.socket;
    size_t slash = socket.n;
    while (slash > 0 && socket.p[slash - 1] != '/')
        slash--;
    s->history = arena_z(
        a, given.n ? arena_join(a, given, STR("/database-history"))
                   : arena_join(a, str_sub(socket, 0, slash),
                                STR("database-history")));
    timeline_load(s->history);
}

static void supervise_save_history(const struct supervisor *s)
{
    static bool failed;
    const bool fails = !timeline_save(s->history);
    if (fails && !failed)
        log_line(LOG_ERR,
                 "supervisor: %s cannot be written: %s; after a restart an "
                 "old primary may be used",
                 s->history, strerror(errno));
    failed = fails;
}

/* Without the pool there is no history, no clock and no secret: it ends, and
 * the engine of containers starts it again. */
static void supervise_look_after_pool(struct supervisor *s)
{
    if (s->stop_by > 0 || pool_lasts(&s->share))
        return;
    log_line(LOG_WARN, "supervisor: the workers' pool has ended");
    s->lost = true;
    supervise_stop(s);
}

static void supervise_watch(struct supervisor *s, const sigset_t *signals)
{
    while (s->stop_by == 0 || supervise_anyone(s)) {
        struct timespec time = supervise_until_next(s);
        int signal = sigtimedwait(signals, NULL, &time);
        int status;
        pid_t pid;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
            for (size_t i = 0; i < METRICS_SLOTS_MAX; i++)
                if (supervise_alive(&s->posts[i]) && s->posts[i].pid == pid)
                    supervise_bury(s, i, status);
        if (signal == SIGTERM || signal == SIGINT)
            supervise_stop(s);
        else if (signal == SIGHUP)
            supervise_reload(s);
        /* The workers answer those that are let go, and end after them. */
        if (s->drain_by != 0 &&
            ((!supervise_holder(s) && !pool_has(&s->pool, POST_WAIT)) ||
             clock_mono() >= s->drain_by)) {
            s->drain_by = 0;
            fcgi_shut(&s->socket);
            supervise_signal_retired(s);
        }
        supervise_kill_stuck(s);
        pool_admit(&s->pool);
        if (supervise_joins(s))
            supervise_look_after_pool(s);
        else
            supervise_save_history(s);
        if (s->stop_by == 0)
            supervise_fill(s);
        notify_tell("WATCHDOG=1");
    }
}

/* Blocked, and read by sigtimedwait; workers inherit the mask. */
static sigset_t supervise_signals(void)
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

static bool supervise_listen(struct supervisor *s, struct arena *a,
                             struct str pool)
{
    const struct conf *conf = &s->loaded.conf;
    const struct str octal = conf->socket_mode;
    unsigned mode = 0;
    for (size_t i = 0; i < octal.n && octal.p[i] >= '0' && octal.p[i] <= '7';
         i++)
        mode = mode * 8 + (unsigned)(octal.p[i] - '0');
    mode &= 0777;
    return (!supervise_has(s, POST_WEB) ||
            fcgi_listen(a, conf->socket, mode, &s->socket)) &&
           (!supervise_has(s, POST_WAIT) ||
            fcgi_listen(a, conf->wait_socket, mode, &s->wait_socket)) &&
           (s->only != POST_WEB || pool_listen(a, pool, &s->pool));
}

/* Finds the system users of the children. false: they do not exist, where this
 * process may switch users; or it has one kind, and is another user than that
 * kind's. */
static bool supervise_users(struct supervisor *s)
{
    const bool one = s->only != POST__MAX, may = user_may_switch();
    s->apart = may && !one;
    if (!may && !one)
        log_line(LOG_NOTICE, "supervisor: all processes run as one system "
                             "user; use this only for a trial");
    if ((may || one) && !post_users(s->users))
        return false;
    if (!one || (!may && geteuid() == s->users[s->only].uid))
        return true;
    log_line(LOG_ERR, "supervisor: with --only it has to be the user %s, "
                      "without capabilities", post_rows[s->only].user);
    return false;
}

/* Waits for the pool of the workers. */
static bool supervise_join(struct supervisor *s, struct arena *a,
                           const sigset_t *signals, struct str pool)
{
    const struct timespec pause = {.tv_nsec = CLOCK_SECOND / 4 * 1000};
    const struct pool_member me = post_member(s->only, &s->users[s->only]);
    enum pool_joined got = POOL_AWAY;
    for (size_t n = 0; got == POOL_AWAY; n++) {
        const int signal = n ? sigtimedwait(signals, NULL, &pause) : 0;
        if (signal == SIGTERM || signal == SIGINT)
            exit(EXIT_SUCCESS);
        got = pool_join(a, pool, s->users[POST_WEB].uid, &me, &s->share);
        if (n == 0 && got == POOL_AWAY)
            log_line(LOG_NOTICE, "supervisor: waits for the workers' pool");
    }
    s->secret = s->share.secret;
    return got == POOL_JOINED;
}

/* Takes all that the processes of a pool share. */
static bool supervise_share(struct supervisor *s, struct arena *a)
{
    size_t routes;
    const char *const *names = serve_route_names(&routes);
    s->metrics = metrics_make(names, routes);
    s->quota = quota_make();
    s->presence = presence_make();
    if (!s->metrics || !s->quota || !s->presence || !decisions_make() ||
        !timeline_share() || !clock_watch_make() || !semaphore_make()) {
        log_line(LOG_ERR, "supervisor: no shared memory: %s", strerror(errno));
        return false;
    }
    if (supervise_joins(s)) {
        if (region_taken() == s->share.taken)
            return true;
        log_line(LOG_ERR, "supervisor: the workers are another build");
        return false;
    }
    s->secret = crypt_token(a, 32);
    s->pool.secret = s->secret;
    for (enum post_kind k = POST_WEB; k < POST__MAX; k++) {
        if (k != POST_WEB)
            s->pool.member[k] = post_member(k, &s->users[k]);
        for (size_t i = post_first(k); i < post_first(k + 1); i++)
            metrics_kind(i, post_word(k));
    }
    return true;
}

static bool supervise_begin(struct supervisor *s, struct arena *a,
                            const sigset_t *signals, struct str pool)
{
    if (!supervise_users(s))
        return false;
    if (supervise_joins(s) ? !supervise_join(s, a, signals, pool)
                           : !region_make() || !wake_make())
        return false;
    return supervise_share(s, a);
}

static void supervise_serve(struct supervisor *s, const sigset_t *signals)
{
    supervise_fill(s);
    if (s->only == POST__MAX || s->only == POST_WEB)
        log_line(LOG_NOTICE, "supervisor: serving with %d workers",
                 (int)s->loaded.conf.workers);
    else
        log_line(LOG_NOTICE, "supervisor: serving, %s alone",
                 post_rows[s->only].name);
    notify_tell("READY=1");
    supervise_watch(s, signals);
    log_line(LOG_NOTICE, "supervisor: stopped");
}

int supervise_run(const struct supervise_args *args)
{
    sigset_t signals = supervise_signals();
    prctl(PR_SET_NAME, "sayso: serve");
    struct arena *a = arena_make(ARENA_PROCESS_MAX);
    struct supervisor *s = arena_new(a, struct supervisor);
    int result = EXIT_FAILURE;
    s->path = args->path;
    s->pid = getpid();
    s->only = args->only.p ? post_find(args->only) : POST__MAX;
    s->socket.fd = s->wait_socket.fd = s->pool.socket.fd = -1;
    if (args->only.p && s->only == POST__MAX)
        log_line(LOG_ERR, "supervisor: there is no kind of process %.*s",
                 STR_FMT(args->only));
    else if (supervise_begin(s, a, &signals, args->pool) &&
             load_conf_all(args->path, &s->loaded)) {
        const struct user *web = s->apart ? &s->users[POST_WEB] : NULL;
        if (!supervise_joins(s))
            supervise_load_history(s, a);
        if ((supervise_joins(s) || !elsewhere_refuses(&s->loaded.conf, web)) &&
            supervise_listen(s, a, args->pool)) {
            supervise_serve(s, &signals);
            result = s->lost ? EXIT_FAILURE : EXIT_SUCCESS;
        }
        pool_end(&s->pool);
        fcgi_unlisten(&s->socket);
        fcgi_unlisten(&s->wait_socket);
        arena_free(s->loaded.arena);
    }
    arena_free(a);
    return result;
}

/* The supervisor: keeps the sockets, as many web workers as the configuration
 * sets and one of each other child.
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
#include "base/shared/semaphore.h"
#include "base/shared/timeline.h"
#include "doors/serve.h"
#include "process/deliver.h"
#include "process/erase.h"
#include "process/notify.h"
#include "process/seal.h"
#include "process/start/load_conf.h"
#include "process/start/user.h"
#include "process/tick.h"
#include "process/wait/wait.h"
#include "process/web.h"
#include "store/tables.h"
#include "world/pg/pg_error.h"
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

enum post_kind {
    POST_WEB,
    POST_WAIT,
    POST_TICK,
    POST_DELIVER,
    POST_SEAL,
    POST_ERASE,
    POST__MAX
};

static const struct {
    const char *name;
    int (*run)(const struct child *c);
    const char *user;
} kinds[POST__MAX] = {
    [POST_WEB] = {"sayso: web", web_run, USER_WEB},
    [POST_WAIT] = {"sayso: wait", wait_run, USER_WAIT},
    [POST_TICK] = {"sayso: tick", tick_run, USER_TICK},
    [POST_DELIVER] = {"sayso: deliver", deliver_run, USER_DELIVER},
    [POST_SEAL] = {"sayso: seal", seal_run, USER_SEAL},
    [POST_ERASE] = {"sayso: erase", erase_run, USER_ERASE},
};

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
    struct load_conf loaded; /* replaced by a reload */
    const char *history;     /* the file of the newest history of the
                              * database */
    struct metrics *metrics;
    struct quota *quota;
    struct presence *presence;
    struct str secret; /* made at this start; shared by all children */
    struct fcgi_socket socket, wait_socket;
    pid_t pid;
    bool apart; /* each kind runs as a user of its own: these */
    struct user users[POST__MAX];
    int64_t looked_at; /* at the children */
    int64_t stop_by; /* 0: not stopping */
    int64_t drain_by; /* 0: those that wait are let go, or none is stopping */
    struct post posts[METRICS_SLOTS_MAX];
};

static _Noreturn void supervise_child(const struct supervisor *s, size_t slot)
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
    prctl(PR_SET_NAME, kinds[kind].name);
    if (s->apart && !user_become(&s->users[kind])) {
        log_line(LOG_ERR, "supervisor: %s cannot become the user %s: %s",
                 kinds[kind].name, kinds[kind].user, strerror(errno));
        _exit(EXIT_FAILURE);
    }
    /* A child must not outlive its supervisor; if that died before this call,
     * the child would get no signal. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != s->pid)
        _exit(EXIT_SUCCESS);
    const int status = kinds[kind].run(&child);
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
    atomic_store(&w->kind, kinds[c->kind].name + sizeof "sayso: " - 1);
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
        /* Web workers have the first posts, the other kinds the rest. */
        const bool web = k == POST_WEB;
        const size_t end = web ? METRICS_WORKERS_MAX : METRICS_SLOTS_MAX;
        int64_t missing = web ? s->loaded.conf.workers : 1;
        for (size_t i = 0; i < METRICS_SLOTS_MAX; i++)
            missing -=
                s->posts[i].kind == k && (s->posts[i].state == POST_RUNNING ||
                                          s->posts[i].state == POST_WAITING);
        for (size_t i = web ? 0 : METRICS_WORKERS_MAX; i < end && missing > 0;
             i++) {
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
                 kinds[c->kind].name, (int)c->pid,
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
             kinds[c->kind].name, (int)c->pid, why);
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
    for (size_t i = METRICS_WORKERS_MAX; i < METRICS_SLOTS_MAX; i++)
        if (s->posts[i].kind == POST_WAIT && supervise_alive(&s->posts[i]))
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
    if (supervise_holder(s))
        kill(supervise_holder(s)->pid, SIGTERM);
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
            (!supervise_holder(s) || clock_mono() >= s->drain_by)) {
            s->drain_by = 0;
            fcgi_shut(&s->socket);
            supervise_signal_retired(s);
        }
        supervise_kill_stuck(s);
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

static bool supervise_listen(struct supervisor *s, struct arena *a)
{
    const struct conf *conf = &s->loaded.conf;
    const struct str octal = conf->socket_mode;
    unsigned mode = 0;
    for (size_t i = 0; i < octal.n && octal.p[i] >= '0' && octal.p[i] <= '7';
         i++)
        mode = mode * 8 + (unsigned)(octal.p[i] - '0');
    mode &= 0777;
    if (!wake_make() || !fcgi_listen(a, conf->socket, mode, &s->socket))
        return false;
    if (fcgi_listen(a, conf->wait_socket, mode, &s->wait_socket))
        return true;
    fcgi_unlisten(&s->socket);
    return false;
}

/* Finds the system users of the children. false: this process may switch users,
 * and they do not exist. */
static bool supervise_users(struct supervisor *s)
{
    s->apart = user_may_switch();
    if (!s->apart)
        log_line(LOG_NOTICE, "supervisor: all processes run as one system "
                             "user; use this only for a trial");
    for (enum post_kind k = POST_WEB; s->apart && k < POST__MAX; k++) {
        if (user_find(kinds[k].user, &s->users[k]))
            continue;
        log_line(LOG_ERR, "supervisor: there is no system user %s; "
                          "systemd-sysusers creates it", kinds[k].user);
        return false;
    }
    return true;
}

#define ELSEWHERE 3 /* the exit status of the process below */

/* Looks as a worker does: the supervisor has no role in the database. */
static _Noreturn void supervise_look(const struct supervisor *s)
{
    struct arena *a = arena_make(ARENA_PROCESS_MAX);
    struct pg_rows *r = NULL;
    if (s->apart && !user_become(&s->users[POST_WEB]))
        _exit(EXIT_SUCCESS); /* the workers will say so */
    struct pg *pg = tables_serve(a, s->loaded.conf.database, "sayso serve");
    pg_connect_ms(pg, s->loaded.conf.database_connect_ms);
    const struct err *e = pg_query(pg, a, SQL_PING, NULL, &r);
    _exit(err_is(e, pg_error_code_restored) ? ELSEWHERE : EXIT_SUCCESS);
}

/* Is it another cluster than the registered one? Where it does not answer,
 * each connection asks again. */
static bool supervise_elsewhere(const struct supervisor *s)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0)
        supervise_look(s);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    const bool other = WIFEXITED(status) && WEXITSTATUS(status) == ELSEWHERE;
    if (other)
        log_line(LOG_ERR, "supervisor: the database was restored or moved: "
                          "say so first with `sayso restored` "
                          "(docs/operations/backup.md)");
    return other;
}

int supervise_run(const char *path)
{
    sigset_t signals = supervise_signals();
    prctl(PR_SET_NAME, "sayso: serve");
    size_t routes;
    const char *const *names = serve_route_names(&routes);
    struct arena *a = arena_make(ARENA_PROCESS_MAX);
    struct supervisor *s = arena_new(a, struct supervisor);
    s->path = path;
    s->pid = getpid();
    s->secret = crypt_token(a, 32);
    int result = EXIT_FAILURE;
    s->metrics = metrics_make(names, routes);
    s->quota = quota_make();
    s->presence = presence_make();
    if (!s->metrics || !s->quota || !s->presence)
        log_line(LOG_ERR, "supervisor: no shared memory for the counters");
    if (!decisions_make())
        log_line(LOG_ERR, "supervisor: no shared memory for the decisions");
    if (!timeline_share())
        log_line(LOG_ERR, "supervisor: no shared memory for the history");
    if (!clock_watch_make())
        log_line(LOG_ERR, "supervisor: no shared memory for the clock");
    if (!semaphore_make())
        log_line(LOG_ERR, "supervisor: no file for turns: %s",
                 strerror(errno));
    else if (s->metrics && s->quota && s->presence && supervise_users(s) &&
             load_conf_all(path, &s->loaded)) {
        supervise_load_history(s, a);
        if (!supervise_elsewhere(s) && supervise_listen(s, a)) {
            supervise_fill(s);
            log_line(LOG_NOTICE, "supervisor: serving with %d workers",
                     (int)s->loaded.conf.workers);
            notify_tell("READY=1");
            supervise_watch(s, &signals);
            fcgi_unlisten(&s->socket);
            fcgi_unlisten(&s->wait_socket);
            log_line(LOG_NOTICE, "supervisor: stopped");
            result = EXIT_SUCCESS;
        }
        arena_free(s->loaded.arena);
    }
    arena_free(a);
    return result;
}

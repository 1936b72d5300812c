/* The one door to libevent: one thread, many connections, one clock.
 *
 * Used by the process that holds waiters. Handles bytes, descriptors and
 * moments without their meaning. Connections come from a pool with a ceiling;
 * libevent keeps the unsent bytes. */
#include "world/loop.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define SOON_MAX 4
#define ACCEPT_MAX 64       /* in one turn, so that other events are handled
                             * too */
#define REST (CLOCK_SECOND / 10)

struct loop_conn {
    struct loop *loop;
    struct bufferevent *bev;
    void *own;
    struct loop_conn *next; /* in the list of those that are free */
    bool called;            /* a callback of its owner is running */
    bool over;              /* and has closed it */
    bool closing;           /* as soon as all is sent */
};

/* The bytes are in a buffer of their own, to which the connections' buffers
 * refer. */
struct loop_bytes {
    struct loop *loop;
    struct evbuffer *held; /* NULL: free */
    struct str text;
    size_t users; /* the maker, and each connection that has to send it */
    struct loop_bytes *next; /* in the list of those that are free */
};

/* An estimate of libevent's memory for a text and for each connection that
 * refers to it. */
#define TEXT_COST ((size_t)1024)
#define USER_COST ((size_t)128)

struct call {
    struct event *event; /* NULL: free */
    void (*fn)(void *);
    void *context;
    int64_t due; /* of loop_soon, by clock_mono */
};

struct loop {
    struct event_base *base;
    struct event *accept, *rested;
    struct loop_hooks hooks;
    int listen_fd;
    struct call watch[LOOP_WATCHES_MAX], soon[SOON_MAX], term;
    struct loop_conn *pool, *spare;
    size_t conns, used; /* open; ever taken from the pool */
    struct loop_bytes *texts, *spare_text;
    size_t texts_used, kept; /* ever taken from the pool; bytes */
};

static struct timeval loop_moment(int64_t us)
{
    return (struct timeval){.tv_sec = us / CLOCK_SECOND,
                            .tv_usec = us % CLOCK_SECOND};
}

static void loop_complain(int severity, const char *text)
{
    if (severity >= EVENT_LOG_WARN)
        log_line(LOG_WARN, "loop: %s", text);
}

static void loop_event_free(struct event *e)
{
    if (e)
        event_free(e);
}

static void loop_forget(void *p)
{
    struct loop *l = p;
    for (size_t i = 0; i < l->used; i++)
        if (l->pool[i].bev)
            bufferevent_free(l->pool[i].bev);
    for (size_t i = 0; i < LOOP_WATCHES_MAX; i++)
        loop_event_free(l->watch[i].event);
    for (size_t i = 0; i < SOON_MAX; i++)
        loop_event_free(l->soon[i].event);
    loop_event_free(l->term.event);
    loop_unlisten(l);
    event_base_free(l->base);
}

struct loop *loop_make(struct arena *process)
{
    struct loop *l = arena_new(process, struct loop);
    event_set_log_callback(loop_complain);
    l->base = event_base_new();
    if (!l->base) {
        log_line(LOG_ERR, "loop: no event base could be made");
        return NULL;
    }
    l->pool = arena_many(process, LOOP_CONNS_MAX, struct loop_conn);
    l->texts = arena_many(process, LOOP_BYTES_MAX, struct loop_bytes);
    arena_defer(process, loop_forget, l);
    return l;
}

/* ---- connections ---------------------------------------------------- */

/* Frees the unsent bytes at once: libevent frees the rest in its next turn. */
static void loop_give_back(struct loop_conn *c)
{
    struct loop *l = c->loop;
    if (c->bev) {
        struct evbuffer *out = bufferevent_get_output(c->bev);
        evbuffer_unfreeze(out, 1);
        evbuffer_drain(out, evbuffer_get_length(out));
        bufferevent_free(c->bev);
    }
    *c = (struct loop_conn){.loop = l, .next = l->spare};
    l->spare = c;
    l->conns--;
}

static void loop_drop(struct loop_conn *c)
{
    c->loop->hooks.gone(c->loop->hooks.context, c->own);
    loop_give_back(c);
}

static void on_read(struct bufferevent *bev, void *context)
{
    struct loop_conn *c = context;
    struct evbuffer *in = bufferevent_get_input(bev);
    const size_t n = evbuffer_get_length(in);
    if (c->closing) {
        evbuffer_drain(in, n);
        return;
    }
    const struct str bytes = {(const char *)evbuffer_pullup(in, -1), n};
    c->called = true;
    const size_t taken =
        c->loop->hooks.data(c->loop->hooks.context, c->own, bytes);
    c->called = false;
    evbuffer_drain(in, taken);
    if (c->over || n - taken >= LOOP_IN_MAX)
        loop_drop(c);
}

static void on_sent(struct bufferevent *bev, void *context)
{
    struct loop_conn *c = context;
    (void)bev;
    if (c->closing)
        loop_drop(c);
}

static void on_end(struct bufferevent *bev, short what, void *context)
{
    (void)bev;
    if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR))
        loop_drop(context);
}

static void loop_admit(struct loop *l, int fd)
{
    struct loop_conn *c = l->spare;
    if (c)
        l->spare = c->next;
    else if (l->used < LOOP_CONNS_MAX)
        c = &l->pool[l->used++];
    if (!c) {
        close(fd);
        return;
    }
    *c = (struct loop_conn){.loop = l};
    l->conns++;
    c->bev = bufferevent_socket_new(l->base, fd, BEV_OPT_CLOSE_ON_FREE);
    if (!c->bev)
        close(fd);
    else
        c->own = l->hooks.open(l->hooks.context, c);
    if (!c->own) {
        loop_give_back(c);
        return;
    }
    bufferevent_setcb(c->bev, on_read, on_sent, on_end, c);
    bufferevent_setwatermark(c->bev, EV_READ, 0, LOOP_IN_MAX);
    bufferevent_enable(c->bev, EV_READ | EV_WRITE);
}

size_t loop_conns(const struct loop *l)
{
    return l->conns;
}

size_t loop_unsent(const struct loop_conn *c)
{
    return evbuffer_get_length(bufferevent_get_output(c->bev));
}

static bool loop_has_room(const struct loop_conn *c, size_t n, size_t max)
{
    const size_t unsent = loop_unsent(c);
    return !c->closing && unsent <= max && n <= max - unsent;
}

bool loop_send(struct loop_conn *c, struct str bytes, size_t max)
{
    return loop_has_room(c, bytes.n, max) &&
           bufferevent_write(c->bev, bytes.p, bytes.n) == 0;
}

static void loop_bytes_free(struct loop_bytes *b)
{
    struct loop *l = b->loop;
    if (b->held)
        evbuffer_free(b->held);
    *b = (struct loop_bytes){.next = l->spare_text};
    l->spare_text = b;
}

struct loop_bytes *loop_bytes_make(struct loop *l, struct str bytes)
{
    struct loop_bytes *b = l->spare_text;
    if (b)
        l->spare_text = b->next;
    else if (l->texts_used < LOOP_BYTES_MAX)
        b = &l->texts[l->texts_used++];
    else
        return NULL;
    *b = (struct loop_bytes){.loop = l, .held = evbuffer_new(), .users = 1};
    if (!b->held || evbuffer_add(b->held, bytes.p, bytes.n)) {
        loop_bytes_free(b);
        return NULL;
    }
    b->text = (struct str){(const char *)evbuffer_pullup(b->held, -1),
                           bytes.n};
    l->kept += bytes.n + TEXT_COST;
    return b;
}

void loop_bytes_drop(struct loop_bytes *b)
{
    struct loop *l = b->loop;
    if (--b->users > 0)
        return;
    l->kept -= b->text.n + TEXT_COST;
    loop_bytes_free(b);
}

static void on_let_go(const void *bytes, size_t n, void *b)
{
    (void)bytes, (void)n;
    ((struct loop_bytes *)b)->loop->kept -= USER_COST;
    loop_bytes_drop(b);
}

size_t loop_bytes_kept(const struct loop *l)
{
    return l->kept;
}

bool loop_send_bytes(struct loop_conn *c, struct loop_bytes *b, size_t max)
{
    const size_t n = b->text.n;
    if (!loop_has_room(c, n, n > max ? n : max) ||
        evbuffer_add_reference(bufferevent_get_output(c->bev), b->text.p, n,
                               on_let_go, b) != 0)
        return false;
    b->users++;
    b->loop->kept += USER_COST;
    return true;
}

void loop_close(struct loop_conn *c, bool cut)
{
    if (loop_unsent(c) > 0 && !cut)
        c->closing = true;
    else if (c->called)
        c->over = true;
    else
        loop_drop(c);
}

/* ---- listening ------------------------------------------------------ */

static void on_rested(int fd, short what, void *context)
{
    const struct loop *l = context;
    (void)fd, (void)what;
    event_add(l->accept, NULL);
}

static void on_accept(int listen_fd, short what, void *context)
{
    struct loop *l = context;
    const struct timeval t = loop_moment(REST);
    (void)what;
    for (int i = 0; i < ACCEPT_MAX && l->accept; i++) {
        const int fd =
            accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            loop_admit(l, fd);
            continue;
        }
        if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
            return;
        log_line(LOG_WARN, "loop: accept: %s", strerror(errno));
        event_del(l->accept);
        event_add(l->rested, &t);
        return;
    }
}

bool loop_listen(struct loop *l, int fd, const struct loop_hooks *hooks)
{
    l->hooks = *hooks;
    l->listen_fd = fd;
    l->accept = event_new(l->base, fd, EV_READ | EV_PERSIST, on_accept, l);
    l->rested = evtimer_new(l->base, on_rested, l);
    return l->accept && l->rested && event_add(l->accept, NULL) == 0;
}

void loop_unlisten(struct loop *l)
{
    loop_event_free(l->accept);
    loop_event_free(l->rested);
    l->accept = l->rested = NULL;
}

/* ---- other events --------------------------------------------------- */

static void on_event(int fd, short what, void *context)
{
    const struct call *call = context;
    (void)fd, (void)what;
    call->fn(call->context);
}

static bool loop_arm(struct loop *l, struct call *call, int fd, short what,
                     const struct timeval *t)
{
    call->event = event_new(l->base, fd, what, on_event, call);
    if (call->event && event_add(call->event, t) == 0)
        return true;
    log_line(LOG_ERR, "loop: an event cannot be added");
    return false;
}

static struct call *loop_free_watch(struct loop *l, void (*fn)(void *),
                                    void *context)
{
    for (size_t i = 0; i < LOOP_WATCHES_MAX; i++) {
        if (l->watch[i].event)
            continue;
        l->watch[i] = (struct call){.fn = fn, .context = context};
        return &l->watch[i];
    }
    log_line(LOG_ERR, "loop: too many watches");
    return NULL;
}

bool loop_watch(struct loop *l, int fd, void (*fn)(void *), void *context)
{
    struct call *call = loop_free_watch(l, fn, context);
    return call && loop_arm(l, call, fd, EV_READ | EV_PERSIST, NULL);
}

void loop_unwatch(struct loop *l, int fd)
{
    for (size_t i = 0; i < LOOP_WATCHES_MAX && fd >= 0; i++) {
        if (!l->watch[i].event || event_get_fd(l->watch[i].event) != fd)
            continue;
        event_free(l->watch[i].event);
        l->watch[i].event = NULL;
    }
}

bool loop_every(struct loop *l, int64_t us, void (*fn)(void *), void *context)
{
    const struct timeval t = loop_moment(us);
    struct call *call = loop_free_watch(l, fn, context);
    return call && loop_arm(l, call, -1, EV_PERSIST, &t);
}

void loop_soon(struct loop *l, int64_t us, void (*fn)(void *), void *context)
{
    const struct timeval t = loop_moment(us);
    const int64_t due = clock_mono() + us;
    size_t i = 0;
    while (i < SOON_MAX && l->soon[i].event && l->soon[i].fn != fn)
        i++;
    if (i == SOON_MAX) {
        log_line(LOG_ERR, "loop: too many deferred calls");
        return;
    }
    struct call *call = &l->soon[i];
    const bool waits = call->event && evtimer_pending(call->event, NULL);
    if (waits && call->due <= due)
        return;
    if (call->event)
        event_add(call->event, &t);
    else
        (void)loop_arm(l, call, -1, 0, &t);
    call->fn = fn;
    call->context = context;
    call->due = due;
}

/* ---- running -------------------------------------------------------- */

bool loop_on_term(struct loop *l, void (*fn)(void *), void *context)
{
    l->term = (struct call){.fn = fn, .context = context};
    return loop_arm(l, &l->term, SIGTERM, EV_SIGNAL | EV_PERSIST, NULL);
}

bool loop_run(struct loop *l)
{
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    /* Unblocks SIGTERM from here on; one that came earlier is delivered now. */
    sigprocmask(SIG_UNBLOCK, &term, &before);
    const int end = event_base_loop(l->base, EVLOOP_NO_EXIT_ON_EMPTY);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (end != 0)
        log_line(LOG_ERR, "loop: the event loop ended unexpectedly");
    return end == 0;
}

void loop_stop(struct loop *l)
{
    event_base_loopbreak(l->base);
}

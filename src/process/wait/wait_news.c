/* News for the process that holds waiters.
 *
 * A note is fast and may be lost; the tail is read every second in any case,
 * and sooner while streams are open. Decides nothing and sends nothing to a
 * client. */
#include "process/wait/wait_news.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/log.h"
#include "doors/call/hold.h"
#include "store/question/notices.h"
#include "store/sql.gen.h"
#include "store/tables.h"

#define NOTES 256                   /* read at once */
#define TURNS 8                     /* such reads before other events are
                                     * handled */
#define BATCH (CLOCK_SECOND / 200)  /* notes of this interval are sent as one
                                     * notice */
#define PAGES 20                    /* of the tail in one turn */
#define LOOK_BACK 1000              /* transactions, at the start */
#define EXPECTED_MAX 64

/* Delays before the tail is read again for an announced change that is not in
 * it yet, because an older transaction still runs. */
static const int64_t again[] = {10000, 40000, 160000};

struct wait_news {
    const struct child *child;
    struct loop *loop;
    struct wait_news_hooks hooks;
    struct arena *arena; /* of one turn */
    struct pg *pg, *ears;
    struct str self;
    bool begun, stopped;
    int64_t opened; /* pg_opened of the tail's connection at the last read */
    struct event_cursor at;
    struct event_cursor_ended ended;
    size_t expected, step;
    struct wake_note expect[EXPECTED_MAX];
    size_t out; /* notes for other hosts */
    struct wake_note outbox[NOTICES_MAX];
};

static void wait_news_soon(struct wait_news *n);

/* ---- changes -------------------------------------------------------- */

static void wait_news_tell(struct wait_news *n, const struct wake_note *v,
                           size_t count)
{
    const bool eager = n->hooks.eager(n->hooks.context);
    for (size_t i = 0; i < count; i++) {
        n->hooks.changed(n->hooks.context, &v[i]);
        if (eager) {
            if (n->expected < EXPECTED_MAX)
                n->expect[n->expected++] = v[i];
            n->step = 0;
        }
    }
    if (eager && count > 0)
        wait_news_soon(n);
}

/* ---- notices of other hosts ----------------------------------------- */

static void wait_news_hear(void *context);

/* The connection may be another one after each use. */
static void wait_news_watch(struct wait_news *n)
{
    const int fd = pg_socket(n->ears);
    if (fd >= 0 && !n->stopped)
        (void)loop_watch(n->loop, fd, wait_news_hear, n);
}

static void wait_news_hear(void *context)
{
    struct wait_news *n = context;
    struct wake_note v[NOTES];
    size_t count = NOTES;
    child_busy(n->child, true);
    loop_unwatch(n->loop, pg_socket(n->ears));
    for (; notices_next(n->ears, n->arena, n->self, v, &count); count = NOTES)
        wait_news_tell(n, v, count);
    wait_news_watch(n);
    arena_reset(n->arena);
    child_busy(n->child, false);
}

static void wait_news_send(void *context)
{
    struct wait_news *n = context;
    child_busy(n->child, true);
    /* No change is reported twice: the other hosts read the tail too. */
    const struct err *e = notices_send(n->pg, n->arena, n->self, n->outbox,
                                       n->out);
    if (e)
        log_line(LOG_WARN, "wait: other hosts are not notified: %s", e->code);
    n->out = 0;
    arena_reset(n->arena);
    child_busy(n->child, false);
}

/* ---- notes of this host --------------------------------------------- */

static void wait_news_notes(void *context)
{
    struct wait_news *n = context;
    struct wake_note v[NOTES];
    size_t count = NOTES;
    child_busy(n->child, true);
    for (int i = 0; i < TURNS && count == NOTES; i++) {
        count = wake_read(WAKE_WAIT, v, NOTES);
        wait_news_tell(n, v, count);
        for (size_t k = 0; k < count && n->out < NOTICES_MAX; k++)
            if (v[k].intent_id[0])
                n->outbox[n->out++] = v[k];
        if (n->out > 0)
            loop_soon(n->loop, BATCH, wait_news_send, n);
    }
    child_busy(n->child, false);
}

/* ---- the tail ------------------------------------------------------- */

/* The reading of one event, in memory of its own. */
struct attempt {
    struct arena *arena;
    const struct frame_event *event;
    struct wake_note *note;
    bool fits;
};

static void wait_news_try(void *p)
{
    struct attempt *x = p;
    x->fits = str_copy(x->note->decided, sizeof x->note->decided,
                       frame_decides(x->arena, x->event));
}

static void wait_news_event(struct wait_news *n, const struct frame_event *e)
{
    struct wake_note note = {.version = e->version};
    struct attempt x = {arena_within(n->arena), e, &note, false};
    const bool named =
        str_copy(note.intent_id, sizeof note.intent_id, e->intent_id);
    if (!arena_try(x.arena, wait_news_try, &x) || !x.fits || !named)
        log_line(LOG_ERR,
                 "wait: event %lld of intent %.*s needs more than the "
                 "available memory",
                 (long long)e->sequence, STR_FMT(e->intent_id));
    arena_free(x.arena);
    for (size_t i = 0; i < n->expected;) {
        const struct wake_note *w = &n->expect[i];
        if (str_is(e->intent_id, w->intent_id) && e->version >= w->version)
            n->expect[i] = n->expect[--n->expected];
        else
            i++;
    }
    n->hooks.changed(n->hooks.context, &note);
    n->hooks.event(n->hooks.context, e);
}

static struct event_cursor wait_news_before(const struct event_cursor *at)
{
    return (struct event_cursor){
        .xid = at->xid > LOOK_BACK ? at->xid - LOOK_BACK : 0};
}

static void wait_news_end(struct wait_news *n, struct str id, uint64_t xid)
{
    struct wake_note note = {.version = (int64_t)xid};
    if (str_copy(note.intent_id, sizeof note.intent_id, id) && id.n > 0)
        n->hooks.changed(n->hooks.context, &note);
}

/* For the readers of the feed: by the key that asked, and for those who read
 * all. */
static const struct err *wait_news_ends(struct wait_news *n)
{
    struct event_cursor_ends ends = {.more = true};
    for (int i = 0; i < PAGES && ends.more; i++) {
        (void)pg_spent(n->pg);
        TRY(event_cursor_ended(n->pg, n->arena, &n->ended, &ends));
        for (size_t k = 0; k < ends.n; k++)
            wait_news_end(n, ends.v[k].key_id, ends.v[k].xid);
        if (ends.n > 0)
            wait_news_end(n, STR(HOLD_ANY), n->ended.xid);
    }
    if (ends.more)
        wait_news_soon(n);
    return NULL;
}

static const struct err *wait_news_pages(struct wait_news *n)
{
    struct event_cursor_rows rows = {.more = true};
    (void)pg_spent(n->pg);
    /* Starts after the last transactions, so that the changes of the time
     * before are known to the next waiters. */
    if (!n->begun) {
        TRY(event_cursor_now(n->pg, n->arena, &n->at));
        n->at = wait_news_before(&n->at);
        n->ended.xid = n->at.xid;
        n->begun = true;
    }
    for (int i = 0; i < PAGES && rows.more; i++) {
        (void)pg_spent(n->pg);
        TRY(event_cursor_read(n->pg, n->arena, &n->at, &rows));
        for (size_t k = 0; k < rows.n; k++)
            wait_news_event(n, &rows.v[k]);
        arena_reset(n->arena);
    }
    if (rows.more)
        wait_news_soon(n);
    TRY(wait_news_ends(n));
    /* A standby that has become the primary continues with its own transaction
     * ids, which may be lower than those read from the old one. Readers
     * recognize repeated events. */
    const int64_t opened = pg_opened(n->pg);
    if (n->opened != opened && n->opened > 0) {
        n->at = wait_news_before(&n->at);
        n->ended = (struct event_cursor_ended){.xid = n->at.xid};
        wait_news_soon(n);
    }
    n->opened = opened;
    return NULL;
}

static void wait_news_read(struct wait_news *n)
{
    const struct err *e = wait_news_pages(n);
    if (e && e->kind != ERR_BUSY)
        log_line(LOG_ERR, "wait: the tail cannot be read: %s", e->code);
    arena_reset(n->arena);
}

static void wait_news_again(void *context)
{
    struct wait_news *n = context;
    if (n->stopped)
        return;
    child_busy(n->child, true);
    wait_news_read(n);
    if (n->expected > 0 && n->step < countof(again))
        loop_soon(n->loop, again[n->step++], wait_news_again, n);
    else
        n->expected = 0;
    child_busy(n->child, false);
}

static void wait_news_soon(struct wait_news *n)
{
    loop_soon(n->loop, 0, wait_news_again, n);
}

static void wait_news_second(void *context)
{
    struct wait_news *n = context;
    if (n->stopped)
        return;
    child_busy(n->child, true);
    wait_news_read(n);
    /* Every second, for the connection may have been lost and opened again. */
    loop_unwatch(n->loop, pg_socket(n->ears));
    if (!notices_listen(n->ears, n->arena))
        wait_news_watch(n);
    arena_reset(n->arena);
    child_busy(n->child, false);
}

/* ---- the whole ------------------------------------------------------ */

static void wait_news_forget(void *p)
{
    struct wait_news *n = p;
    pg_close(n->pg);
    pg_close(n->ears);
    arena_free(n->arena);
}

struct wait_news *wait_news_make(struct arena *process, const struct child *c,
                                 struct loop *l,
                                 const struct wait_news_hooks *hooks)
{
    const struct str dsn = c->conf->database_wait;
    struct wait_news *n = arena_new(process, struct wait_news);
    n->child = c;
    n->loop = l;
    n->hooks = *hooks;
    n->arena = arena_make((size_t)c->conf->request_memory_mb << 20);
    n->self = crypt_token(process, 12);
    n->pg = tables_serve(process, dsn, "sayso wait");
    n->ears = tables_serve(process, dsn, "sayso wait listens");
    pg_connect_ms(n->pg, c->conf->database_connect_ms);
    pg_connect_ms(n->ears, c->conf->database_connect_ms);
    arena_defer(process, wait_news_forget, n);
    wait_news_second(n);
    if (!loop_every(l, CLOCK_SECOND, wait_news_second, n) ||
        !loop_watch(l, wake_fd(WAKE_WAIT), wait_news_notes, n))
        return NULL;
    return n;
}

void wait_news_stop(struct wait_news *n)
{
    n->stopped = true;
    loop_unwatch(n->loop, wake_fd(WAKE_WAIT));
    loop_unwatch(n->loop, pg_socket(n->ears));
}

struct pg *wait_news_pg(struct wait_news *n)
{
    return n->begun ? n->pg : NULL;
}

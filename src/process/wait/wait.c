/* The process that holds waiters: long polls and event streams.
 *
 * nginx hands connections over by a worker's X-Accel-Redirect. It has no
 * authority: a worker authorized every one of them, and renders the answer of
 * every poll. It reads new events once for all streams.
 *
 * One thread, one loop. A connection has one request, which goes to wait_table
 * (polls), wait_slow (refusals) or wait_stream; wait_share counts what each
 * caller holds. */
#include "process/wait/wait.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "base/log.h"
#include "base/shared/metrics.h"
#include "doors/call/hold.h"
#include "process/wait/wait_news.h"
#include "process/wait/wait_share.h"
#include "process/wait/wait_slow.h"
#include "process/wait/wait_stream.h"
#include "process/wait/wait_table.h"
#include "world/web/request.h"

#define SWEEP (CLOCK_SECOND / 10)
#define HOLD_MAX (60 * CLOCK_SECOND)     /* below nginx's timeout, */
#define CALL_MAX (600 * CLOCK_SECOND)    /* also of a client's call */
#define PROGRESS (15 * CLOCK_SECOND)     /* between two words about a call */
#define GREETING_MAX (10 * CLOCK_SECOND) /* for a complete request */
#define REFUSAL_MAX (5 * CLOCK_SECOND)
#define LET_GO (2 * CLOCK_SECOND)        /* all that are held, at a stop */
#define STOP_MAX (5 * CLOCK_SECOND / 2)

/* Connections that keys leave to people, of the streams and of all. */
#define PEOPLE 1000
#define REFUSALS 8         /* held at once of one caller, */
#define REFUSALS_ALL 1000  /* and of all */

/* A connection. Until its request is complete it is held like a poll, up to
 * GREETING_MAX. */
struct waiter {
    struct wait *wait;
    struct loop_conn *conn;
    struct fcgi_record record;
    int slot;                   /* in the table; -1: none */
    struct wait_stream *stream; /* NULL: none */
    struct wait_share *share;   /* the share it is counted to; NULL: none yet */
    enum wait_share_what counted;
    bool over; /* it was refused for a limit */
    bool feed; /* it reads the feed of ended questions */
    char token[HOLD_TOKEN_MAX + 1]; /* of a client that gets notes of the hold;
                                     * "": none */
    bool listens; /* and the token is that of a subscription */
    int64_t progress,
        progress_at; /* the last that was sent, and when to send one; 0:
                                  * not yet */
    struct waiter *next;        /* in the list of free ones */
};

struct wait {
    const struct child *child;
    struct loop *loop;
    struct arena *arena; /* of one request */
    struct wait_table *table;
    struct wait_shares *shares;
    struct wait_slow *slow;
    struct wait_streams *streams;
    struct wait_news *news;
    struct waiter *pool, *spare;
    size_t used;
    size_t feeds; /* held reads of the feed */
    int64_t stop_by; /* 0: not stopping */
};

/* ---- progress -------------------------------------------------------- */

/* A report to an MCP client (2025-06-18, "Progress"). */
static struct str wait_progress_note(struct waiter *v)
{
    struct arena *a = v->wait->arena;
    return arena_join(
        a,
        STR("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
            "\"notifications/progress\",\"params\":{\"progressToken\":"),
        str_of(v->token), STR(",\"progress\":"), arena_number(a, v->progress),
        STR(",\"message\":\"Nobody has answered yet.\"}}\n\n"));
}

/* That its subscription to a task is known (2026-07-28, "Subscriptions"). */
static struct str wait_listen_note(struct waiter *v, struct str task)
{
    return arena_join(
        v->wait->arena,
        STR("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
            "\"notifications/subscriptions/acknowledged\",\"params\":{"
            "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":"),
        str_of(v->token), STR("},\"notifications\":{\"taskIds\":[\""), task,
        STR("\"]}}}\n\n"));
}

/* One event or comment, with the head of the stream before the first. */
static void wait_send_note(struct waiter *v, struct str note)
{
    struct arena *a = v->wait->arena;
    struct buf b = buf_make(a, 2048);
    const struct str head =
        v->progress > 1 ? STR("")
                        : STR("Status: 200 OK\r\n"
                              "Content-Type: text/event-stream\r\n"
                              "Cache-Control: no-store\r\n"
                              "X-Content-Type-Options: nosniff\r\n\r\n");
    fcgi_record_out(&v->record, &b, arena_join(a, head, note));
    v->progress_at = clock_mono() + PROGRESS;
    (void)loop_send(v->conn, buf_text(&b), SIZE_MAX);
}

static void wait_send_progress(struct waiter *v)
{
    v->progress++;
    wait_send_note(v, v->listens ? STR(":\n\n") : wait_progress_note(v));
}

static void wait_second(void *context)
{
    struct wait *w = context;
    const int64_t now = clock_mono();
    child_busy(w->child, true);
    metrics_waiting(w->child->metrics,
                    wait_share_total(w->shares, WAIT_SHARE_HELD),
                    wait_share_total(w->shares, WAIT_SHARE_STREAM));
    for (size_t i = 0; i < w->used; i++)
        if (w->pool[i].progress > 0 && w->pool[i].progress_at <= now)
            wait_send_progress(&w->pool[i]);
    arena_reset(w->arena);
    child_busy(w->child, false);
}

/* ---- answering ------------------------------------------------------ */

/* Back to a worker, which authorizes again and renders. */
static void wait_resume(struct waiter *v, bool held)
{
    struct buf b = buf_make(v->wait->arena, 256);
    const struct str head =
        arena_join(v->wait->arena, STR("Status: 200 OK\r\nX-Accel-Redirect: "),
                   v->over ? STR("@over")
                   : held  ? STR("@resume")
                           : STR("@unheld"),
                   STR("\r\n\r\n"));
    fcgi_record_out(&v->record, &b, head);
    fcgi_record_end(&v->record, &b);
    (void)loop_send(v->conn, buf_text(&b), SIZE_MAX);
    loop_close(v->conn, false);
}

/* Ends a hold. A connection without a complete request gets no answer. */
static void wait_let_go(void *context, void *who)
{
    struct waiter *v = who;
    (void)context;
    v->slot = -1;
    if (v->progress > 0) {
        /* The stream's own end: nginx adds a worker's answer after it. */
        struct buf b = buf_make(v->wait->arena, 256);
        fcgi_record_end(&v->record, &b);
        (void)loop_send(v->conn, buf_text(&b), SIZE_MAX);
        loop_close(v->conn, false);
    } else if (v->record.state == FCGI_RECORD_READY) {
        wait_resume(v, v->wait->stop_by == 0);
    } else {
        loop_close(v->conn, true);
    }
}

static const struct wait_table_fn go = {.fn = wait_let_go};

/* ---- requests ------------------------------------------------------- */

static void wait_hold(struct waiter *v, const struct wait_table_ask *ask)
{
    struct wait *w = v->wait;
    const bool over = ask->until <= clock_now() || ask->cap <= clock_mono() ||
                      wait_table_happened(w->table, ask);
    if (!over && w->stop_by == 0)
        v->slot = wait_table_add(w->table, ask, v);
    if (v->slot < 0)
        wait_resume(v, over);
}

/* Counts it to its caller. false: the caller's limit is reached. */
static bool wait_count(struct waiter *v, struct pairs query,
                       enum wait_share_what what)
{
    const struct str session = pairs_get(query, "session");
    const struct str id = session.p ? session : pairs_get(query, "key");
    v->counted = what;
    v->share = wait_share_take(v->wait->shares, id, session.p != NULL, what);
    return v->share != NULL;
}

static void wait_poll(struct waiter *v, struct pairs query, int64_t most)
{
    const struct str since = pairs_get(query, "since");
    struct wait_table_ask ask = {
        .intent_id = pairs_get(query, "intent"),
        .suspension_id = pairs_get(query, "suspension"),
        .cap = clock_mono() + most};
    if (!id_uuid(ask.intent_id) ||
        (since.p && !str_int(since, 0, INT64_MAX, &ask.since)) ||
        !str_int(pairs_get(query, "until"), 0, INT64_MAX, &ask.until)) {
        wait_resume(v, false);
        return;
    }
    v->over = !wait_count(v, query, WAIT_SHARE_HELD);
    if (v->over)
        wait_resume(v, false);
    else
        wait_hold(v, &ask);
}

/* A poll whose client gets notes, the first at once. */
static void wait_report(struct waiter *v, struct pairs query)
{
    const struct str listen = pairs_get(query, "listen");
    const bool fits = str_copy(v->token, sizeof v->token,
                               listen.p ? listen : pairs_get(query, "token"));
    v->listens = listen.p != NULL;
    wait_poll(v, query, CALL_MAX);
    if (!fits || v->slot < 0)
        return;
    v->progress = 1;
    wait_send_note(v, v->listens
                          ? wait_listen_note(v, pairs_get(query, "suspension"))
                          : wait_progress_note(v));
}

static void wait_refuse(struct waiter *v, struct pairs query)
{
    const struct str who = pairs_get(query, "who");
    uint64_t kind = 0;
    bool hex = who.n == 16;
    struct wait_table_ask ask = {.until = INT64_MAX};
    for (size_t i = 0; hex && i < who.n; i++) {
        hex = str_hex(who.p[i]) >= 0;
        kind = kind << 4 | (uint64_t)str_hex(who.p[i]);
    }
    if (hex) {
        ask.cap = wait_slow_when(v->wait->slow, kind, clock_mono());
        v->counted = WAIT_SHARE_REFUSED;
        v->share =
            wait_share_take(v->wait->shares, who, false, WAIT_SHARE_REFUSED);
    }
    if (v->share)
        wait_hold(v, &ask);
    else
        wait_resume(v, true);
}

static enum frame_audience wait_audience(struct str word)
{
    if (str_is(word, "intent"))
        return FRAME_INTENT;
    if (str_is(word, "agent"))
        return FRAME_AGENT;
    if (str_is(word, "portfolio"))
        return FRAME_PORTFOLIO;
    return str_is(word, "inbox") ? FRAME_INBOX : FRAME_AUDIENCE__MAX;
}

static bool wait_read_stream(struct pairs query, struct wait_stream_ask *ask)
{
    const struct str intent = pairs_get(query, "intent");
    int64_t xid = 0, skip = 0;
    if (!str_int(pairs_get(query, "xid"), 0, INT64_MAX, &xid) ||
        !str_int(pairs_get(query, "skip"), 0, 100, &skip) ||
        !str_int(pairs_get(query, "after"), 0, INT64_MAX,
                 &ask->after.sequence) ||
        (intent.n > 0 && !id_uuid(intent)) ||
        !str_copy(ask->after.intent_id, sizeof ask->after.intent_id, intent))
        return false;
    ask->after.xid = (uint64_t)xid;
    ask->skip = (size_t)skip;
    ask->to = wait_audience(pairs_get(query, "to"));
    ask->agent = pairs_get(query, "agent");
    ask->any = pairs_get(query, "any").n > 0;
    ask->portfolio_id = pairs_get(query, "portfolio");
    return ask->to != FRAME_AUDIENCE__MAX &&
           (ask->to != FRAME_INTENT || intent.n > 0) &&
           (ask->to != FRAME_PORTFOLIO || id_uuid(ask->portfolio_id));
}

/* A stream that cannot be opened is cut, and its client pauses. */
static void wait_open_stream(struct waiter *v, struct pairs query)
{
    struct wait *w = v->wait;
    struct wait_stream_ask ask = {.skip = 0};
    const bool fine = w->stop_by == 0 && wait_read_stream(query, &ask);
    if (fine && !wait_count(v, query, WAIT_SHARE_STREAM)) {
        /* A client of streams comes back at once after a refusal: a few
         * refusals are held for a while, the others are answered. */
        const struct wait_table_ask again = {.until = INT64_MAX,
                                             .cap =
                                                 clock_mono() + REFUSAL_MAX};
        v->over = true;
        if (wait_count(v, query, WAIT_SHARE_REFUSED))
            wait_hold(v, &again);
        else
            wait_resume(v, true);
        return;
    }
    ask.share = v->share;
    if (fine)
        v->stream = wait_stream_open(w->streams, &ask, v->conn, &v->record);
    if (!v->stream)
        loop_close(v->conn, true);
}

/* Was this address written by a worker of this server? */
static bool wait_sealed(const struct wait *w, struct str path,
                        struct str query)
{
    const size_t end = str_search(query, STR(HOLD_SEAL));
    return end < query.n &&
           crypt_equal(str_sub(query, end + sizeof HOLD_SEAL - 1, query.n),
                       hold_seal(w->arena, w->child->secret,
                                 arena_join(w->arena, path, STR("?"),
                                            str_sub(query, 0, end))));
}

static void wait_serve(struct waiter *v, struct str params)
{
    struct wait *w = v->wait;
    const struct str path = fcgi_record_param(params, "DOCUMENT_URI");
    const struct str args = fcgi_record_param(params, "QUERY_STRING");
    struct pairs query = {.n = 0};
    wait_table_remove(w->table, v->slot);
    v->slot = -1;
    if (request_form(w->arena, args, REQUEST_QUERY_MAX, &query))
        query.n = 0;
    if (!wait_sealed(w, path, args)) {
        loop_close(v->conn, true);
    } else if (str_is(path, "/_wait/poll")) {
        wait_poll(v, query, HOLD_MAX);
    } else if (str_is(path, "/_wait/call")) {
        wait_poll(v, query, CALL_MAX);
    } else if (str_is(path, "/_wait/feed")) {
        v->feed = true;
        w->feeds++;
        wait_poll(v, query, HOLD_MAX);
    } else if (str_is(path, "/_wait/progress")) {
        wait_report(v, query);
    } else if (str_is(path, "/_wait/hold")) {
        wait_refuse(v, query);
    } else if (str_is(path, "/_wait/stream")) {
        wait_open_stream(v, query);
    } else {
        loop_close(v->conn, true);
    }
}

/* ---- connections ---------------------------------------------------- */

static void *wait_open(void *context, struct loop_conn *conn)
{
    struct wait *w = context;
    struct waiter *v = w->spare;
    const struct wait_table_ask ask = {
        .until = INT64_MAX, .cap = clock_mono() + GREETING_MAX};
    if (v)
        w->spare = v->next;
    else if (w->used < LOOP_CONNS_MAX)
        v = &w->pool[w->used++];
    else
        return NULL;
    *v = (struct waiter){.wait = w, .conn = conn};
    v->slot = wait_table_add(w->table, &ask, v);
    return v;
}

/* A request is read when it is complete; until then the bytes stay in the
 * connection's buffer. */
static size_t wait_data(void *context, void *own, struct str bytes)
{
    struct wait *w = context;
    struct waiter *v = own;
    struct fcgi_record record = v->record;
    struct buf params = buf_make(w->arena, FCGI_RECORD_PARAMS_MAX);
    const bool begun = record.state == FCGI_RECORD_READY;
    child_busy(w->child, true);
    size_t taken = fcgi_record_read(&record, bytes, &params);
    if (record.state == FCGI_RECORD_BROKEN) {
        loop_close(v->conn, true);
    } else if (record.state == FCGI_RECORD_READY && !begun) {
        v->record = record;
        wait_serve(v, buf_text(&params));
    } else if (!begun) {
        taken = 0;
    }
    arena_reset(w->arena);
    child_busy(w->child, false);
    return taken;
}

static void wait_gone(void *context, void *own)
{
    struct wait *w = context;
    struct waiter *v = own;
    wait_table_remove(w->table, v->slot);
    if (v->stream)
        wait_stream_gone(w->streams, v->stream);
    if (v->share)
        wait_share_give(w->shares, v->share, v->counted);
    w->feeds -= v->feed;
    *v = (struct waiter){.next = w->spare};
    w->spare = v;
}

/* ---- news ----------------------------------------------------------- */

static void wait_changed(void *context, const struct wake_note *note)
{
    struct wait *w = context;
    wait_table_changed(w->table, note, &go);
    arena_reset(w->arena);
}

static void wait_event(void *context, const struct frame_event *e)
{
    const struct wait *w = context;
    wait_stream_event(w->streams, e);
}

static bool wait_eager(void *context)
{
    const struct wait *w = context;
    return w->feeds > 0 || wait_stream_any(w->streams);
}

/* ---- time ----------------------------------------------------------- */

static void wait_sweep(void *context)
{
    struct wait *w = context;
    child_busy(w->child, true);
    wait_table_due(w->table, clock_now(), clock_mono(), &go);
    if (w->stop_by > 0) {
        /* At a stop a part of those that are held: all at once would be more
         * than the workers' socket takes when they come back. */
        const int64_t left = w->stop_by - STOP_MAX + LET_GO - clock_mono();
        const int64_t part = left > 0 ? 1000 - left * 1000 / LET_GO : 1000;
        wait_table_part(w->table, (size_t)part, &go);
        wait_stream_cut(w->streams, (size_t)part);
    }
    if (w->stop_by > 0 &&
        (loop_conns(w->loop) == 0 || clock_mono() >= w->stop_by))
        loop_stop(w->loop);
    arena_reset(w->arena);
    child_busy(w->child, false);
}

static void wait_term(void *context)
{
    struct wait *w = context;
    child_busy(w->child, true);
    w->stop_by = clock_mono() + STOP_MAX;
    loop_unlisten(w->loop);
    wait_news_stop(w->news);
    arena_reset(w->arena);
    child_busy(w->child, false);
}

/* ---- the process ---------------------------------------------------- */

static bool wait_make(struct wait *w, struct arena *process)
{
    const struct child *c = w->child;
    const struct loop_hooks hooks = {
        .open = wait_open, .data = wait_data, .gone = wait_gone, .context = w};
    const struct wait_news_hooks news = {.changed = wait_changed,
                                         .event = wait_event,
                                         .eager = wait_eager,
                                         .context = w};
    w->loop = loop_make(process);
    if (!w->loop)
        return false;
    w->table = wait_table_make(process);
    const struct wait_share_limits limits =
        {.each = {[WAIT_SHARE_STREAM] = (size_t)c->conf->limit_streams,
                  [WAIT_SHARE_HELD] = (size_t)c->conf->limit_held,
                  [WAIT_SHARE_REFUSED] = REFUSALS},
         .keys = {[WAIT_SHARE_STREAM] = WAIT_STREAM_MAX - PEOPLE,
                  [WAIT_SHARE_HELD] = WAIT_TABLE_MAX - PEOPLE - REFUSALS_ALL,
                  [WAIT_SHARE_REFUSED] = REFUSALS_ALL}};
    w->shares = wait_share_make(process, &limits);
    w->slow = wait_slow_make(process);
    w->pool = arena_many(process, LOOP_CONNS_MAX, struct waiter);
    w->streams = wait_stream_room(process, c, w->loop);
    if (!w->streams)
        return false;
    /* The news start before the first waiter, which depends on them. */
    w->news = wait_news_make(process, c, w->loop, &news);
    if (!w->news)
        return false;
    wait_stream_source(w->streams, w->news);
    return loop_on_term(w->loop, wait_term, w) &&
           loop_every(w->loop, SWEEP, wait_sweep, w) &&
           loop_every(w->loop, CLOCK_SECOND, wait_second, w) &&
           loop_listen(w->loop, c->listen_fd, &hooks);
}

int wait_run(const struct child *c)
{
    child_signals();
    /* Each waiter is a descriptor. */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
        if (limit.rlim_cur < WAIT_TABLE_MAX)
            log_line(LOG_NOTICE,
                     "wait: at most %llu descriptors, and so many waiters",
                     (unsigned long long)limit.rlim_cur);
    }
    struct arena *process = arena_make(ARENA_PROCESS_MAX);
    struct wait *w = arena_new(process, struct wait);
    w->child = c;
    struct arena *requests = arena_make(ARENA_REQUEST_MAX);
    w->arena = requests;
    const bool fine = wait_make(w, process) && loop_run(w->loop);
    arena_free(process);
    arena_free(requests);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}

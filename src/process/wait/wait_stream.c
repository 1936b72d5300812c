/* Open event streams.
 *
 * Called by process/wait/wait.c with connections, and by the tail with events.
 * A worker has authorized each stream; its key or session, and the agent's
 * reach to the intent, are checked again at intervals. A stream never ends
 * cleanly: the OpenIntent SDK reconnects at once after a clean end, and pauses
 * after a broken one. */
#include "process/wait/wait_stream.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/shared/clock_watch.h"
#include "process/wait/wait_frames.h"
#include "process/wait/wait_place.h"
#include "process/wait/wait_table.h"
#include "store/sending/stream_access.h"

#define KEEP_ALIVE (20 * CLOCK_SECOND)
#define CHECK (10 * CLOCK_SECOND) /* of keys, sessions and reach */
#define PATIENCE (10 * CLOCK_SECOND) /* with a reader that reads nothing */
#define LAST (60 * CLOCK_SECOND)     /* for the unsent bytes at its end */
#define PAUSE (CLOCK_SECOND / 10)    /* until a full reader is tried again */

enum state {
    FREE,
    BEHIND, /* reads its own pages */
    LIVE,   /* gets the events of the tail */
    ENDING  /* its last bytes are being sent */
};

struct wait_stream {
    enum state state;
    struct loop_conn *conn;
    struct fcgi_record record;
    enum frame_audience to;
    struct event_cursor at; /* all events up to here were sent, or are not for
                            * it */
    size_t skip;           /* frames of the very next event */
    uint64_t sent;         /* of the position (wait_place.h) */
    bool full;             /* its reader has to read all before it gets more */
    int64_t sent_at;       /* time of the last successful send (clock_mono) */
    struct wait_share *share;
    char agent[4 * PRINCIPAL_AGENT_NAME_MAX + 8]; /* a reader (reach.h) */
    char portfolio_id[37];
};

struct wait_streams {
    const struct child *child;
    struct loop *loop;
    struct wait_news *news;
    struct wait_frames *frames; /* of one event */
    struct arena *rows;         /* of one page */
    struct wait_stream v[WAIT_STREAM_MAX];
    size_t used, held;
    uint64_t turn; /* of those who read */
    int64_t next_check;
};

static void wait_stream_behind(void *context);

/* ---- ending --------------------------------------------------------- */

/* Ends a stream. A reader that still reads sees a broken connection. The unsent
 * bytes of one that does not read, or has lost its right, are dropped. */
static void wait_stream_end(struct wait_stream *s, bool now)
{
    if (now && loop_unsent(s->conn) > 0) {
        loop_close(s->conn, true);
        return;
    }
    s->state = ENDING;
    s->sent_at = clock_mono();
    (void)loop_send(s->conn, fcgi_record_break(), SIZE_MAX);
    loop_close(s->conn, false);
}

void wait_stream_cut(struct wait_streams *r, size_t part)
{
    for (size_t i = 0; i < r->used; i++)
        if (r->v[i].state != FREE && wait_table_within(i, part))
            wait_stream_end(&r->v[i], true);
}

void wait_stream_gone(struct wait_streams *r, struct wait_stream *s)
{
    s->state = FREE;
    r->held--;
}

bool wait_stream_any(const struct wait_streams *r)
{
    return r->held > 0;
}

/* ---- sending -------------------------------------------------------- */

/* false: its reader has not read enough yet. */
static bool wait_stream_send(struct wait_stream *s, struct loop_bytes *b)
{
    s->full = !b || !loop_send_bytes(s->conn, b, WAIT_STREAM_UNSENT);
    if (!s->full)
        s->sent_at = clock_mono();
    return !s->full;
}

static bool wait_stream_text(struct wait_streams *r, struct wait_stream *s,
                             struct str text)
{
    struct loop_bytes *b = wait_frames_text(r->frames, &s->record, text);
    const bool sent = wait_stream_send(s, b);
    if (b)
        loop_bytes_drop(b);
    return sent;
}

/* The weight of a stream's unsent bytes. Those of one that has caught up are
 * mostly shared by all. */
static size_t wait_stream_weight(const struct wait_stream *s)
{
    const size_t n = loop_unsent(s->conn);
    return s->state == LIVE ? n / 16 : n;
}

/* Cuts the stream with the most unsent bytes, of the caller with the most.
 * false: there are none. */
static bool wait_stream_cut_largest(struct wait_streams *r)
{
    struct wait_stream *most = NULL;
    for (size_t i = 0; i < r->used; i++)
        if (r->v[i].state != FREE)
            r->v[i].share->unsent = 0;
    for (size_t i = 0; i < r->used; i++)
        if (r->v[i].state != FREE)
            r->v[i].share->unsent += wait_stream_weight(&r->v[i]);
    for (size_t i = 0; i < r->used; i++) {
        struct wait_stream *s = &r->v[i];
        if (s->state == FREE || loop_unsent(s->conn) == 0)
            continue;
        if (!most || s->share->unsent > most->share->unsent ||
            (s->share == most->share &&
             wait_stream_weight(s) > wait_stream_weight(most)))
            most = s;
    }
    if (most) {
        wait_stream_end(most, true);
        metrics_count(r->child->metrics, METRICS_CUT, 1);
    }
    return most != NULL;
}

/* Enforces the ceiling. No send may be in progress. */
static void wait_stream_limit(struct wait_streams *r)
{
    size_t n = 0;
    while (loop_bytes_kept(r->loop) > WAIT_STREAM_UNSENT_ALL &&
           wait_stream_cut_largest(r))
        n++;
    if (n > 0)
        log_line(LOG_NOTICE, "wait: streams cut because too many bytes were "
                             "unsent: %zu", n);
}

/* Passes the event on and moves the stream's position. false: it has to be
 * passed again, because its reader has not read enough yet. */
static bool wait_stream_pass(struct wait_streams *r, struct wait_stream *s,
                             const struct frame_event *e)
{
    /* The reader has parts of the very next event only, from a page that it
     * read before the stream was opened. */
    if (!wait_place_next(s->to, &s->at, e))
        s->skip = 0;
    const struct wait_frames_for whom = {.record = &s->record,
                                         .to = s->to,
                                         .agent = str_of(s->agent),
                                         .portfolio_id =
                                             str_of(s->portfolio_id),
                                         .skip = s->skip};
    struct loop_bytes *bytes = NULL;
    if (wait_frames_of(r->frames, e, &whom, &bytes) &&
        !wait_stream_send(s, bytes))
        return false;
    wait_place_move(s->to, &s->at, e);
    s->skip = 0;
    return true;
}

/* ---- the tail ------------------------------------------------------- */

/* A change of access may end the right of a reader. */
void wait_stream_event(struct wait_streams *r, const struct frame_event *e)
{
    if (str_starts(e->type, STR("access_")))
        r->next_check = 0;
    for (size_t i = 0; i < r->used; i++) {
        struct wait_stream *s = &r->v[i];
        if (s->state != LIVE || !wait_place_behind(s->to, &s->at, e) ||
            (s->to == FRAME_INTENT && !str_is(e->intent_id, s->at.intent_id)))
            continue;
        /* Transactions may begin in another order than they write to an
         * intent: missing events are read separately, in its order. */
        const bool gap =
            s->to == FRAME_INTENT && e->sequence != s->at.sequence + 1;
        if (!gap && wait_stream_pass(r, s, e))
            continue;
        s->state = BEHIND;
        loop_soon(r->loop, 0, wait_stream_behind, r);
    }
    wait_frames_forget(r->frames);
    wait_stream_limit(r);
}

/* ---- catching up ---------------------------------------------------- */

/* false: the database did not answer. */
static bool wait_stream_catch_up(struct wait_streams *r, struct wait_stream *s)
{
    struct pg *pg = wait_news_pg(r->news);
    struct event_cursor at = s->at;
    struct event_cursor_rows rows = {.n = 0};
    bool taken = true;
    if (!pg)
        return false;
    (void)pg_spent(pg);
    const struct err *e =
        s->to == FRAME_INTENT
            ? event_cursor_intent(pg, r->rows, str_of(at.intent_id),
                                  at.sequence, &rows)
            : event_cursor_read(pg, r->rows, &at, &rows);
    for (size_t i = 0; !e && i < rows.n && taken; i++) {
        taken = wait_stream_pass(r, s, &rows.v[i]);
        wait_frames_forget(r->frames);
    }
    if (!e && taken && !rows.more)
        s->state = LIVE;
    arena_reset(r->rows);
    return !e;
}

/* The next stream that may read: of the caller whose last read is the oldest,
 * so that a caller with many streams does not delay the others. */
static struct wait_stream *wait_stream_turn(struct wait_streams *r,
                                            bool *others)
{
    struct wait_stream *found = NULL;
    size_t behind = 0;
    for (size_t i = 0; i < r->used; i++) {
        struct wait_stream *s = &r->v[(r->turn + i) % r->used];
        behind += s->state == BEHIND;
        const bool reads = !s->full || loop_unsent(s->conn) == 0;
        if (s->state == BEHIND && reads &&
            (!found || s->share->turn < found->share->turn))
            found = s;
    }
    *others = behind > (found ? 1 : 0);
    r->turn++;
    if (found)
        found->share->turn = r->turn;
    return found;
}

/* Reads one page for one stream, then returns to the loop. */
static void wait_stream_behind(void *context)
{
    struct wait_streams *r = context;
    bool others = false;
    child_busy(r->child, true);
    struct wait_stream *s = wait_stream_turn(r, &others);
    if (s && !wait_stream_catch_up(r, s))
        loop_soon(r->loop, CLOCK_SECOND, wait_stream_behind, r);
    else if (s && (others || s->state == BEHIND))
        loop_soon(r->loop, 0, wait_stream_behind, r);
    else if (others)
        loop_soon(r->loop, PAUSE, wait_stream_behind, r);
    wait_stream_limit(r);
    child_busy(r->child, false);
}

/* ---- at intervals --------------------------------------------------- */

static void wait_stream_tend(struct wait_streams *r, struct wait_stream *s,
                             int64_t now)
{
    const struct wait_place p = {s->to, &s->at, s->skip, &s->sent};
    const bool unsent = loop_unsent(s->conn) > 0;
    const int64_t idle = now - s->sent_at;
    if (s->state == ENDING && idle > LAST)
        loop_close(s->conn, true);
    else if (s->state == BEHIND && unsent && idle > PATIENCE)
        wait_stream_end(s, false);
    else if (s->state != ENDING && !unsent && idle >= KEEP_ALIVE)
        (void)wait_stream_text(
            r, s, wait_place_keep(wait_frames_arena(r->frames), &p));
}

static struct listener wait_stream_listener(const struct wait_stream *s)
{
    const bool reach = s->to == FRAME_INTENT && s->agent[0] != '\0';
    return (struct listener){
        .id = str_of(s->share->id),
        .session = s->share->person,
        .agent = reach ? str_of(s->agent) : STR_NONE,
        .intent_id = reach ? str_of(s->at.intent_id) : STR_NONE};
}

static int wait_stream_order(const void *a, const void *b)
{
    const struct listener x = wait_stream_listener(
                              *(struct wait_stream *const *)a),
                          y = wait_stream_listener(
                              *(struct wait_stream *const *)b);
    int order = str_cmp(x.id, y.id);
    if (order == 0)
        order = (int)x.session - (int)y.session;
    if (order == 0)
        order = str_cmp(x.agent, y.agent);
    return order ? order : str_cmp(x.intent_id, y.intent_id);
}

/* Checks the callers of some of the streams, which are in order; returns the
 * number of streams checked. */
static size_t wait_stream_check(struct wait_streams *r, struct wait_stream **v,
                                size_t n)
{
    struct listener *who =
        arena_many(r->rows, STREAM_ACCESS_MAX, struct listener);
    size_t *which = arena_many(r->rows, n, size_t);
    size_t known = 0, at = 0;
    for (; at < n; at++) {
        const bool same = at > 0 && wait_stream_order(&v[at - 1], &v[at]) == 0;
        if (!same && known == STREAM_ACCESS_MAX)
            break;
        if (!same)
            who[known++] = wait_stream_listener(v[at]);
        which[at] = known - 1;
    }
    struct pg *pg = wait_news_pg(r->news);
    if (!pg || stream_access_check(pg, r->rows, who, known,
                                   clock_watch_latest(clock_now())))
        return n; /* next time */
    for (size_t i = 0; i < at; i++)
        if (!who[which[i]].may)
            wait_stream_end(v[i], true);
    return at;
}

static void wait_stream_second(void *context)
{
    struct wait_streams *r = context;
    const int64_t now = clock_mono();
    child_busy(r->child, true);
    for (size_t i = 0; i < r->used; i++)
        if (r->v[i].state != FREE)
            wait_stream_tend(r, &r->v[i], now);
    wait_frames_forget(r->frames);
    if (r->held > 0 && now >= r->next_check) {
        r->next_check = now + CHECK;
        struct wait_stream **v =
            arena_many(r->rows, r->held + 1, struct wait_stream *);
        size_t n = 0;
        for (size_t i = 0; i < r->used && n < r->held; i++)
            if (r->v[i].state == BEHIND || r->v[i].state == LIVE)
                v[n++] = &r->v[i];
        qsort(v, n, sizeof v[0], wait_stream_order);
        for (size_t at = 0; at < n;)
            at += wait_stream_check(r, v + at, n - at);
        arena_reset(r->rows);
    }
    child_busy(r->child, false);
}

/* ---- the whole ------------------------------------------------------ */

static void wait_stream_forget(void *p)
{
    struct wait_streams *r = p;
    arena_free(r->rows);
}

struct wait_streams *wait_stream_room(struct arena *process,
                                      const struct child *c, struct loop *l)
{
    struct wait_streams *r = arena_new(process, struct wait_streams);
    r->child = c;
    r->loop = l;
    r->rows = arena_make(ARENA_REQUEST_MAX);
    r->frames = wait_frames_make(
        process, l, (size_t)c->conf->request_memory_mb << 20);
    arena_defer(process, wait_stream_forget, r);
    return loop_every(l, CLOCK_SECOND, wait_stream_second, r) ? r : NULL;
}

void wait_stream_source(struct wait_streams *r, struct wait_news *news)
{
    r->news = news;
}

struct wait_stream *wait_stream_open(struct wait_streams *r,
                                     const struct wait_stream_ask *ask,
                                     struct loop_conn *conn,
                                     const struct fcgi_record *record)
{
    size_t place = 0;
    while (place < r->used && r->v[place].state != FREE)
        place++;
    if (place == WAIT_STREAM_MAX)
        return NULL;
    if (place == r->used)
        r->used++;
    struct wait_stream *s = &r->v[place];
    *s = (struct wait_stream){.conn = conn,
                              .record = *record,
                              .to = ask->to,
                              .at = ask->after,
                              .skip = ask->skip,
                              .share = ask->share};
    const size_t slash = ask->any ? 1 : 0; /* as frame_goes reads it */
    s->agent[0] = '/';
    if (!str_copy(s->agent + slash, sizeof s->agent - slash, ask->agent) ||
        !str_copy(s->portfolio_id, sizeof s->portfolio_id, ask->portfolio_id))
        return NULL;
    if (ask->skip > 0)
        s->at.sequence--;
    const struct wait_place p = {s->to, &s->at, s->skip, &s->sent};
    struct arena *a = wait_frames_arena(r->frames);
    if (!wait_stream_text(r, s, wait_place_begin(a, &p)))
        return NULL;
    s->state = BEHIND;
    r->held++;
    wait_frames_forget(r->frames);
    loop_soon(r->loop, 0, wait_stream_behind, r);
    return s;
}

/* Writes the log: one batch of events in one transaction. */
#include "work/log/log_writer.h"

#include "base/clock.h"
#include "base/log.h"
#include "domain/log/log_checkpoint.h"
#include "store/log/log_checkpoints.h"
#include "store/log/signing_keys.h"
#include "store/sql.gen.h"
#include "store/tables.h"
#include "world/wake.h"

#define HEAD_EVERY CLOCK_SECOND /* between two heads */
#define SERVER_EVERY (300 * CLOCK_SECOND)
#define FAULTS_EVERY (60 * CLOCK_SECOND) /* between two looks at faults */
#define LATE_MAX (60 * CLOCK_SECOND) /* an event that is later is missing */
#define FAULTS_MAX 100               /* that are looked at in a batch */
/* Of memory, after which the others wait for the next batch. */
#define FAULTS_BYTES ((size_t)64 << 20)
#define FAULTS_TOLD 20 /* of a batch that have a line of the log */

struct str log_writer_origin(struct arena *a, const struct conf *conf,
                             int64_t epoch)
{
    struct str host = conf->public_url;
    const size_t scheme = str_search(host, STR("://"));
    if (scheme < host.n)
        host = str_sub(host, scheme + 3, host.n);
    return epoch ? arena_join(a, host, STR("/log/"), arena_number(a, epoch))
                 : arena_join(a, host, STR("/log"));
}

/* A batch on its way. */
struct log_writer_run {
    struct log_writer *w;
    const struct work *clock;
    const struct log_writer_keys *keys;
    struct tlogs_end end;
    struct tlogs_events events;
    struct tlogs_leaf *leaves;
    size_t n;
    struct tlogs_request *requests; /* that were open before the events */
    size_t requests_n;
    struct tlogs_fault *faults; /* found now */
    size_t faults_n, told;
    struct arena *check; /* for one event */
    int64_t time; /* after everything that was signed; grows with each use */
    bool more;
};

/* ---- the end of the log --------------------------------------------- */

static bool log_writer_signed(struct arena *a, const struct note *note,
                              const struct note_head *head,
                              const struct signer_public *key)
{
    const struct note_key k = {
        .name = head->origin, .algorithm = NOTE_ED25519, .key = *key};
    int64_t at = 0;
    return note_signed(a, note, &k, &at);
}

/* By one of the keys, or one that the database knows. */
static const struct err *log_writer_known(struct pg *pg, struct arena *a,
                                          const struct note *note,
                                          const struct note_head *head,
                                          const struct log_writer_keys *keys,
                                          bool *known)
{
    struct signing_key_rows rows;
    struct signer_public key;
    *known = false;
    for (size_t i = 0; i < keys->n && !*known; i++)
        *known = log_writer_signed(a, note, head, &keys->v[i].key);
    if (*known)
        return NULL;
    TRY(signing_keys_list(pg, a, &rows));
    for (size_t i = 0; i < rows.n && !*known; i++)
        *known = signing_key_public(a, &rows.v[i], &key) &&
                 log_writer_signed(a, note, head, &key);
    return NULL;
}

const struct err *log_writer_fits(struct pg *pg, struct arena *a,
                                  int64_t epoch, int64_t size,
                                  const struct log_writer_keys *keys)
{
    struct tlogs_source stored = {.pg = pg, .arena = a, .epoch = epoch};
    const struct tlog_source source = tlogs_source(&stored);
    struct tlogs_head last;
    struct tlog_hash root;
    struct note note;
    struct note_head head;
    TRY(tlogs_head(pg, a, epoch, &last));
    if (last.head.size == 0)
        return NULL;
    bool fine = last.head.size <= size && !note_read(a, last.note, &note) &&
                !note_head_read(a, note.text, &head) &&
                head.size == last.head.size &&
                tlog_equal(&head.root, &last.head.root);
    if (fine)
        TRY(log_writer_known(pg, a, &note, &head, keys, &fine));
    if (fine) {
        TRY(tlog_root(&source, head.size, &root));
        fine = tlog_equal(&root, &head.root);
    }
    return fine ? NULL
                : ERROR(ERR_INTERNAL, tlogs_inconsistent,
                        "What is stored does not fit the last head of the "
                        "log.");
}

static const struct err *log_writer_load(struct log_writer_run *r)
{
    struct log_writer *w = r->w;
    struct pg *pg = r->clock->pg;
    struct arena *a = r->clock->arena;
    if (w->loaded && w->epoch == r->end.epoch && w->edge.size == r->end.size &&
        w->head_size == r->end.head_size)
        return NULL;
    w->loaded = false;
    w->epoch = r->end.epoch;
    TRY(tlogs_edge(pg, a, w->epoch, r->end.size, &w->edge));
    TRY(log_writer_fits(pg, a, w->epoch, r->end.size, r->keys));
    w->head_size = r->end.head_size;
    w->server_at = w->server_size = 0;
    w->loaded = true;
    return NULL;
}

/* ---- events --------------------------------------------------------- */

/* The digest of the event before, of this batch or of the log. */
static bool log_writer_before(const struct log_writer_run *r,
                              const struct tlogs_event *e,
                              struct tlog_hash *out)
{
    const struct tlogs_leaf *l = r->n ? &r->leaves[r->n - 1] : NULL;
    if (l && l->sequence == e->event.sequence - 1 &&
        str_eq(l->intent_id, e->intent_id)) {
        *out = l->hash;
        return true;
    }
    *out = e->before;
    return e->known;
}

/* The check of one event, in memory of its own. */
struct log_writer_check {
    const struct log_writer_run *run;
    const struct tlogs_event *e;
    struct tlog_hash hash;
    const char *mistake; /* NULL: it holds */
    bool late;
};

static void log_writer_try(void *p)
{
    struct log_writer_check *x = p;
    struct arena *a = x->run->check;
    const struct tlogs_event *e = x->e;
    struct event_check check = {.broken = 0};
    struct tlog_hash before;
    if (!e->event.canonical.p) {
        x->mistake = "it is larger than an event may be";
        return;
    }
    if (e->event.sequence > 1) {
        if (!log_writer_before(x->run, e, &before)) {
            x->late = e->late;
            x->mistake = "an event is missing before it";
            return;
        }
        check.tail.sequence = e->event.sequence - 1;
        check.tail.hash = log_checkpoint_hash(a, &before);
    }
    if (!event_check(a, &check, e->intent_id, &e->event))
        x->mistake = check.reason;
    else if (!log_checkpoint_hash_read(a, e->event.hash, &x->hash))
        x->mistake = "its hash cannot be read";
}

/* Why the log cannot take this event; reason p NULL: it can. */
static struct tlogs_fault log_writer_fault(const struct log_writer_run *r,
                                           const struct tlogs_event *e,
                                           struct tlog_hash *out)
{
    struct log_writer_check x = {.run = r, .e = e};
    if (!arena_try(r->check, log_writer_try, &x))
        x.mistake = "its check needs more memory than there is";
    arena_reset(r->check);
    *out = x.hash;
    return (struct tlogs_fault){.intent_id = e->intent_id,
                                .sequence = e->event.sequence,
                                .late = x.late,
                                .reason =
                                    x.mistake ? str_of(x.mistake) : STR_NONE};
}

/* One fault of an intent in a batch: what follows it breaks too. */
static void log_writer_refuse(struct log_writer_run *r,
                              const struct tlogs_fault *f)
{
    if (r->faults_n > 0 &&
        str_eq(r->faults[r->faults_n - 1].intent_id, f->intent_id))
        return;
    r->faults[r->faults_n++] = *f;
    if (!f->late && ++r->told <= FAULTS_TOLD)
        log_line(LOG_ERR,
                 "seal: intent %.*s, event %lld: %.*s; nothing of this "
                 "intent is signed",
                 STR_FMT(f->intent_id), (long long)f->sequence,
                 STR_FMT(f->reason));
}

static void log_writer_full(void *own, unsigned level, int64_t number,
                            const struct tlog_hash tile[TLOG_TILE])
{
    const struct log_writer_run *r = own;
    tlogs_queue_tile(r->clock->pg, r->clock->arena, r->end.epoch, level,
                     number, tile, TLOG_TILE);
}

/* The tiles that the batch has begun or that have grown. */
static void log_writer_tiles(struct log_writer_run *r, int64_t from)
{
    const struct tlog_edge *e = &r->w->edge;
    for (unsigned level = 0; level < TLOG_LEVELS; level++) {
        const unsigned shift = level * TLOG_TILE_HEIGHT;
        const size_t n = tlog_edge_n(e, level);
        if (from >> shift == e->size >> shift)
            break;
        if (n > 0)
            tlogs_queue_tile(r->clock->pg, r->clock->arena, r->end.epoch,
                             level, e->size >> (shift + TLOG_TILE_HEIGHT),
                             e->tile[level], n);
    }
}

/* The events that hold, in memory and into the batch of statements. */
static const struct err *log_writer_append(struct log_writer_run *r,
                                           const struct tlogs_events *events)
{
    struct pg *pg = r->clock->pg;
    struct arena *a = r->clock->arena;
    const struct tlogs_end before = r->end;
    const size_t from = r->n;
    r->faults = arena_many(a, events->n, struct tlogs_fault);
    r->faults_n = r->told = 0;
    r->check = arena_within(a);
    for (size_t i = 0; i < events->n; i++) {
        const struct tlogs_event *e = &events->v[i];
        struct tlogs_leaf *l = &r->leaves[r->n];
        if (e->logged)
            continue;
        const struct tlogs_fault f = log_writer_fault(r, e, &l->hash);
        if (f.reason.p && !e->faulty)
            log_writer_refuse(r, &f);
        if (f.reason.p)
            continue;
        l->intent_id = e->intent_id;
        l->sequence = e->event.sequence;
        if (!tlog_append(&r->w->edge, &l->hash, log_writer_full, r))
            return ERROR(ERR_INTERNAL, "internal", "The log is full.");
        r->n++;
    }
    arena_free(r->check);
    if (r->told > FAULTS_TOLD)
        log_line(LOG_ERR, "seal: %zu other intents are broken",
                 r->told - FAULTS_TOLD);
    if (r->faults_n > 0)
        tlogs_queue_faults(pg, a, r->faults, r->faults_n, r->clock->now);
    r->end.size = r->w->edge.size;
    if (r->n > from)
        tlogs_queue_leaves(pg, a, &before, r->leaves + from, r->n - from);
    log_writer_tiles(r, before.size);
    return NULL;
}

/* The next events in the order over all. */
static const struct err *log_writer_next(struct log_writer_run *r)
{
    struct pg *pg = r->clock->pg;
    struct arena *a = r->clock->arena;
    TRY(tlogs_next(pg, a, &r->end, r->w->page, &r->events));
    r->more = r->events.more;
    if (r->events.n == 0)
        return NULL;
    r->leaves = arena_many(a, r->events.n, struct tlogs_leaf);
    TRY(log_writer_append(r, &r->events));
    const struct tlogs_event *last = &r->events.v[r->events.last];
    r->end.xid = last->xid;
    r->end.intent_id = last->intent_id;
    r->end.sequence = last->event.sequence;
    tlogs_queue_end(pg, a, &r->end);
    return pg_run(pg, a, NULL);
}

/* The events of an intent that were late, or whose chain was restored: they
 * follow those that came in the meantime. The fault ends with the last of
 * them. */
static const struct err *log_writer_mend(struct log_writer_run *r,
                                         const struct tlogs_fault *f)
{
    struct pg *pg = r->clock->pg;
    struct arena *a = r->clock->arena;
    struct tlogs_events events;
    TRY(tlogs_next_of(pg, a, r->end.epoch, f->intent_id, r->w->page, &events));
    struct tlogs_leaf *grown =
        arena_many(a, r->n + events.n + 1, struct tlogs_leaf);
    if (r->n)
        memcpy(grown, r->leaves, r->n * sizeof *grown);
    r->leaves = grown;
    r->more = r->more || events.more;
    if (!events.more)
        tlogs_queue_fault_end(pg, a, f->intent_id);
    TRY(log_writer_append(r, &events));
    tlogs_queue_end(pg, a, &r->end);
    TRY(pg_run(pg, a, NULL));
    if (!events.more && r->faults_n == 0 && !f->late)
        log_line(LOG_NOTICE, "seal: intent %.*s: its chain holds again",
                 STR_FMT(f->intent_id));
    return NULL;
}

/* Does the first event that the log does not have hold by now? An event that
 * was late for too long is broken. */
static const struct err *log_writer_mended(struct log_writer_run *r,
                                           const struct tlogs_fault *f,
                                           bool *mended)
{
    struct pg *pg = r->clock->pg;
    struct arena *a = arena_within(r->clock->arena);
    struct tlogs_events events;
    struct tlogs_fault left = {.sequence = 0};
    struct tlog_hash h;
    TRY(tlogs_next_of(pg, a, r->end.epoch, f->intent_id, 1, &events));
    r->check = arena_within(a);
    if (events.n > 0)
        left = log_writer_fault(r, &events.v[0], &h);
    *mended = !left.reason.p;
    if (left.reason.p && f->late && r->clock->now > f->found_at + LATE_MAX) {
        r->faults = &left;
        r->faults_n = r->told = 0;
        log_writer_refuse(r, &left);
        tlogs_queue_faults(pg, a, &left, 1, r->clock->now);
        TRY(pg_run(pg, a, NULL));
    }
    arena_free(a);
    return NULL;
}

/* Those that are late with each batch, and all once a minute, from where the
 * batch before ended. */
static const struct err *log_writer_faults(struct log_writer_run *r)
{
    struct log_writer *w = r->w;
    const bool all = clock_mono() >= w->faults_at;
    struct arena *a = r->clock->arena;
    struct tlogs_fault *v = NULL;
    size_t n = 0, i = 0;
    bool any = false;
    TRY(tlogs_faults(r->clock->pg, a, all ? TLOGS_ALL : TLOGS_LATE,
                     all && w->fault[0] ? str_of(w->fault) : STR_NONE,
                     FAULTS_MAX, &v, &n));
    for (; i < n && (i == 0 || arena_used(a) < FAULTS_BYTES); i++) {
        bool mended = false;
        TRY(log_writer_mended(r, &v[i], &mended));
        if (mended)
            TRY(log_writer_mend(r, &v[i]));
        any = any || mended;
    }
    const bool end = i == n && n < FAULTS_MAX;
    /* Where none of those that are late could be mended, a moment is needed. */
    r->more = r->more || (!end && (all || any));
    if (!all)
        return NULL;
    if (end || !str_copy(w->fault, sizeof w->fault, v[i - 1].intent_id))
        w->fault[0] = '\0';
    if (end)
        w->faults_at = clock_mono() + FAULTS_EVERY;
    return NULL;
}

/* ---- heads and checkpoints ------------------------------------------ */

/* At most one in a second, and only of a tree that has grown. */
static void log_writer_head(struct log_writer_run *r)
{
    struct log_writer *w = r->w;
    struct arena *a = r->clock->arena;
    if (w->edge.size <= w->head_size || clock_mono() < w->head_at)
        return;
    const struct note_head head = {
        .origin = log_writer_origin(a, r->clock->conf, r->end.epoch),
        .size = w->edge.size,
        .root = tlog_edge_root(&w->edge)};
    const struct str note = note_sign(a, note_head_text(a, &head), head.origin,
                                      r->keys->v, r->keys->n);
    tlogs_queue_head(r->clock->pg, a, r->end.epoch, &head, note, r->time++);
    w->head_size = head.size;
    w->head_at = clock_mono() + HEAD_EVERY;
}

bool log_writer_due(const struct log_writer *w, int64_t now)
{
    const int64_t mono = clock_mono();
    return !w->loaded || mono >= w->faults_at || log_writer_head_in(w) == 0 ||
           (now >= w->server_at && w->edge.size > w->server_size);
}

int64_t log_writer_head_in(const struct log_writer *w)
{
    const int64_t left = w->head_at - clock_mono();
    if (!w->loaded || w->edge.size <= w->head_size)
        return -1;
    return left > 0 ? left : 0;
}

static const struct err *log_writer_checkpoint(struct log_writer_run *r,
                                               struct str intent_id,
                                               int64_t first, int64_t last,
                                               struct str *id)
{
    struct tlog_hash *v = NULL;
    struct pg *pg = r->clock->pg;
    struct arena *a = r->clock->arena, *page = arena_within(a);
    TRY(tlogs_hashes(pg, page, r->end.epoch, intent_id, first, last, &v));
    const struct log_batch batch = {.intent_id = intent_id,
                                    .epoch = r->end.epoch,
                                    .first = first,
                                    .last = last,
                                    .v = v};
    const struct log_checkpoint c =
        log_checkpoint_make(a, &batch, &r->keys->v[0], r->time++);
    arena_free(page);
    log_checkpoints_queue(pg, a, &c);
    *id = c.id;
    return pg_run(pg, a, NULL);
}

/* Of each of these intents that has enough events, or has ended. */
static const struct err *log_writer_intents(struct log_writer_run *r)
{
    struct log_checkpoints_open *v = NULL;
    struct arena *a = r->clock->arena;
    struct str *ids = arena_many(a, r->n + 1, struct str), id;
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        ids[i] = r->leaves[i].intent_id;
    TRY(log_checkpoints_of(r->clock->pg, a, r->end.epoch, ids, r->n, &v, &n));
    for (size_t i = 0; i < n; i++) {
        int64_t first = v[i].first;
        for (; v[i].last - first + 1 >= LOG_CHECKPOINT_EVENTS;
             first += LOG_CHECKPOINT_EVENTS)
            TRY(log_writer_checkpoint(r, v[i].intent_id, first,
                                      first + LOG_CHECKPOINT_EVENTS - 1, &id));
        if (v[i].ended && first <= v[i].last)
            TRY(log_writer_checkpoint(r, v[i].intent_id, first, v[i].last,
                                      &id));
    }
    return NULL;
}

/* Of all events since the last one of the server; *id p NULL: there are
 * none. */
static const struct err *log_writer_server(struct log_writer_run *r,
                                           bool wanted, struct str *id)
{
    struct log_writer *w = r->w;
    int64_t last = 0, at = 0;
    *id = STR_NONE;
    if (!wanted && (r->time < w->server_at || r->end.size <= w->server_size))
        return NULL;
    TRY(log_checkpoints_server(r->clock->pg, r->clock->arena, r->end.epoch,
                               &last, &at));
    if (wanted || r->time >= at + SERVER_EVERY) {
        while (last < r->end.size) {
            const int64_t first = last + 1;
            last += MERKLE_EVENTS_MAX;
            if (last > r->end.size)
                last = r->end.size;
            at = r->time;
            TRY(log_writer_checkpoint(r, STR_NONE, first, last, id));
        }
    }
    w->server_size = last;
    w->server_at = at + SERVER_EVERY;
    return NULL;
}

/* Those that somebody asked for. They were read before the events, so the log
 * has all that was there when somebody asked, once it is at its end. */
static const struct err *log_writer_requests(struct log_writer_run *r)
{
    struct pg *pg = r->clock->pg;
    struct arena *a = r->clock->arena;
    const struct tlogs_request *v = r->requests;
    for (size_t i = 0; i < r->requests_n; i++) {
        struct log_checkpoints_open *open = NULL;
        struct str id = STR_NONE;
        size_t open_n = 0;
        if (!v[i].intent_id.p) {
            TRY(log_writer_server(r, true, &id));
        } else {
            TRY(log_checkpoints_of(pg, a, r->end.epoch, &v[i].intent_id, 1,
                                   &open, &open_n));
            if (open_n > 0)
                TRY(log_writer_checkpoint(r, v[i].intent_id, open->first,
                                          open->last, &id));
        }
        tlogs_queue_request_end(pg, a, v[i].id, id, r->clock->now);
        TRY(pg_run(pg, a, NULL));
    }
    return NULL;
}

/* ---- the batch ------------------------------------------------------ */

static const struct err *log_writer_write(struct log_writer_run *r)
{
    struct str id;
    TRY(log_writer_load(r));
    TRY(tlogs_requests(r->clock->pg, r->clock->arena, &r->requests,
                       &r->requests_n));
    TRY(log_writer_next(r));
    TRY(log_writer_faults(r));
    if (r->n > 0)
        TRY(log_writer_intents(r));
    TRY(log_writer_server(r, false, &id));
    if (!r->more)
        TRY(log_writer_requests(r));
    log_writer_head(r);
    pg_queue(r->clock->pg, NULL, SQL_COMMIT, NULL);
    TRY(pg_run(r->clock->pg, r->clock->arena, NULL));
    for (size_t i = 0; !r->more && i < r->requests_n; i++)
        wake_changed(r->requests[i].id, 1, STR_NONE);
    return NULL;
}

void log_writer_failed(struct log_writer *w)
{
    /* The memory may have what the database does not. */
    w->loaded = false;
    w->page = w->page > 4 ? w->page / 4 : 1;
}

const struct err *log_writer_batch(struct log_writer *w,
                                   const struct work *clock,
                                   const struct log_writer_keys *keys,
                                   bool *more)
{
    struct log_writer_run r = {.w = w, .clock = clock, .keys = keys};
    bool taken = false;
    *more = false;
    if (w->page == 0)
        w->page = TLOGS_PAGE;
    pg_queue(clock->pg, NULL, SQL_BEGIN, NULL);
    TRY(pg_run(clock->pg, clock->arena, NULL));
    const struct err *e = tlogs_take(clock->pg, clock->arena,
                                     tables_restore().epoch, &r.end, &taken);
    r.time = clock->now > r.end.latest ? clock->now : r.end.latest + 1;
    if (!e && taken)
        e = log_writer_write(&r);
    if (e)
        log_writer_failed(w);
    if (e || !taken) {
        pg_rollback(clock->pg);
        return e;
    }
    w->page = 2 * w->page < TLOGS_PAGE ? 2 * w->page : TLOGS_PAGE;
    *more = r.more;
    return NULL;
}

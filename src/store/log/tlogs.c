/* The log over all events in the database. Decides nothing. */
#include "store/log/tlogs.h"

#include "store/rows.h"

/* Before every intent. */
#define TLOGS_NOBODY "00000000-0000-0000-0000-000000000000"

const char tlogs_inconsistent[] = "log.inconsistent";

enum { SIZE, XID, INTENT, SEQUENCE };
enum {
    E_XID,
    E_INTENT,
    E_SEQUENCE,
    E_ID,
    E_TYPE,
    E_CREATED_AT,
    E_CANONICAL,
    E_HASH,
    E_PREVIOUS,
    E_BEFORE,
    E_LOGGED,
    E_FAULTY,
    E_LATE,
    E_LAST,
    E_RULE
};

/* ---- digests as texts ----------------------------------------------- */

static struct str tlogs_hex(struct arena *a, const struct tlog_hash *v,
                            size_t n)
{
    return crypt_hex(a, (struct str){(const char *)v, n * sizeof *v});
}

bool tlogs_unhex(struct str text, struct tlog_hash *out, size_t n)
{
    uint8_t *to = (uint8_t *)out;
    if (text.n != 2 * n * sizeof *out)
        return false;
    for (size_t i = 0; i < text.n; i += 2) {
        const int high = str_hex(text.p[i]), low = str_hex(text.p[i + 1]);
        if (high < 0 || low < 0)
            return false;
        to[i / 2] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* ---- the end, and what follows -------------------------------------- */

const struct err *tlogs_take(struct pg *pg, struct arena *a, int64_t epoch,
                             struct tlogs_end *out, bool *taken)
{
    struct pg_rows *r[3] = {NULL};
    pg_queue(pg, a, SQL_TLOG_BEGIN, PG(pg_number(epoch)));
    pg_queue(pg, a, SQL_TLOG_TAKE, PG(pg_number(epoch)));
    /* After the lock: what the process signed that had it before is there. */
    pg_queue(pg, a, SQL_TLOG_NEWEST, PG(pg_number(epoch)));
    TRY(pg_run(pg, a, r));
    *taken = pg_count(r[1]) > 0;
    *out = (struct tlogs_end){.epoch = epoch};
    if (*taken)
        *out = (struct tlogs_end){.epoch = epoch,
                                  .size = pg_int(r[1], 0, SIZE),
                                  .xid = pg_str(r[1], 0, XID),
                                  .intent_id = pg_str(r[1], 0, INTENT),
                                  .sequence = pg_int(r[1], 0, SEQUENCE),
                                  .head_size = pg_int(r[2], 0, 0),
                                  .latest = pg_int(r[2], 0, 1)};
    return NULL;
}

const struct err *tlogs_waiting(struct pg *pg, struct arena *a, int64_t epoch,
                                struct tlogs_waiting *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_TLOG_WAITING, PG(pg_number(epoch)), &r));
    *out = (struct tlogs_waiting){.since = pg_int(r, 0, 0),
                                  .events = pg_bool(r, 0, 1),
                                  .decisions = pg_bool(r, 0, 2),
                                  .requests = pg_bool(r, 0, 3),
                                  .broken = pg_int(r, 0, 4)};
    for (int i = 1; i <= 3; i++)
        out->held = out->held || (pg_str(r, 0, i).p && !pg_bool(r, 0, i));
    return NULL;
}

static const struct err *tlogs_read_events(struct pg *pg, struct arena *a,
                                           int statement,
                                           const struct pg_args *args,
                                           size_t max,
                                           struct tlogs_events *out)
{
    struct pg_rows *r = NULL;
    size_t bytes = 0;
    TRY(pg_query(pg, a, statement, args, &r));
    *out = (struct tlogs_events){.n = pg_count(r)};
    out->v = arena_many(a, out->n + 1, struct tlogs_event);
    for (size_t i = 0; i < out->n; i++) {
        struct tlogs_event *e = &out->v[i];
        *e = (struct tlogs_event){
            .event = {.sequence = pg_int(r, i, E_SEQUENCE),
                      .id = pg_str(r, i, E_ID),
                      .type = pg_str(r, i, E_TYPE),
                      .created_at = pg_int(r, i, E_CREATED_AT),
                      .canonical = pg_str(r, i, E_CANONICAL),
                      .hash = pg_str(r, i, E_HASH),
                      .previous = pg_str(r, i, E_PREVIOUS),
                      .rule = pg_str(r, i, E_RULE)},
            .intent_id = pg_str(r, i, E_INTENT),
            .xid = pg_str(r, i, E_XID),
            .logged = pg_bool(r, i, E_LOGGED),
            .faulty = pg_bool(r, i, E_FAULTY),
            .late = pg_bool(r, i, E_LATE)};
        e->known = tlogs_unhex(pg_str(r, i, E_BEFORE), &e->before, 1);
        if (pg_bool(r, i, E_LAST))
            out->last = i;
        if (!e->event.canonical.p)
            out->more = true;
        bytes += e->event.canonical.n;
    }
    out->more = out->more || out->n == max || bytes >= TLOGS_PAGE_BYTES;
    return NULL;
}

const struct err *tlogs_next(struct pg *pg, struct arena *a,
                             const struct tlogs_end *end, size_t max,
                             struct tlogs_events *out)
{
    return tlogs_read_events(
        pg, a, SQL_TLOG_EVENTS,
        PG(pg_number(end->epoch), pg_text(end->xid), pg_text(end->intent_id),
           pg_number(end->sequence), pg_number((int64_t)max),
           pg_number((int64_t)TLOGS_PAGE_BYTES)),
        max, out);
}

const struct err *tlogs_next_of(struct pg *pg, struct arena *a, int64_t epoch,
                                struct str intent_id, size_t max,
                                struct tlogs_events *out)
{
    return tlogs_read_events(pg, a, SQL_TLOG_EVENTS_OF,
                             PG(pg_number(epoch), pg_text(intent_id),
                                pg_number((int64_t)max),
                                pg_number((int64_t)TLOGS_PAGE_BYTES)),
                             max, out);
}

/* ---- writing -------------------------------------------------------- */

void tlogs_queue_leaves(struct pg *pg, struct arena *a,
                        const struct tlogs_end *end,
                        const struct tlogs_leaf *v, size_t n)
{
    struct str *ids = arena_many(a, n, struct str);
    struct str *sequences = arena_many(a, n, struct str);
    struct str *hashes = arena_many(a, n, struct str);
    for (size_t i = 0; i < n; i++) {
        ids[i] = v[i].intent_id;
        sequences[i] = arena_number(a, v[i].sequence);
        hashes[i] = tlogs_hex(a, &v[i].hash, 1);
    }
    pg_queue(pg, a, SQL_TLOG_APPEND,
             PG(pg_number(end->epoch), pg_number(end->size), pg_texts(ids, n),
                pg_texts(sequences, n), pg_texts(hashes, n)));
}

void tlogs_queue_tile(struct pg *pg, struct arena *a, int64_t epoch,
                      unsigned level, int64_t number,
                      const struct tlog_hash *v, size_t n)
{
    pg_queue(pg, a, SQL_TLOG_TILE_PUT,
             PG(pg_number(epoch), pg_number(level), pg_number(number),
                pg_text(tlogs_hex(a, v, n))));
}

void tlogs_queue_end(struct pg *pg, struct arena *a,
                     const struct tlogs_end *end)
{
    pg_queue(pg, a, SQL_TLOG_END,
             PG(pg_number(end->epoch), pg_number(end->size), pg_text(end->xid),
                pg_text(end->intent_id), pg_number(end->sequence)));
}

void tlogs_queue_head(struct pg *pg, struct arena *a, int64_t epoch,
                      const struct note_head *head, struct str note,
                      int64_t now)
{
    pg_queue(pg, a, SQL_TLOG_HEAD_PUT,
             PG(pg_number(epoch), pg_number(head->size),
                pg_text(tlogs_hex(a, &head->root, 1)), pg_text(note),
                pg_moment(now)));
}

void tlogs_queue_faults(struct pg *pg, struct arena *a,
                        const struct tlogs_fault *v, size_t n, int64_t now)
{
    struct str *ids = arena_many(a, n, struct str);
    struct str *sequences = arena_many(a, n, struct str);
    struct str *lates = arena_many(a, n, struct str);
    struct str *reasons = arena_many(a, n, struct str);
    for (size_t i = 0; i < n; i++) {
        ids[i] = v[i].intent_id;
        sequences[i] = arena_number(a, v[i].sequence);
        lates[i] = v[i].late ? STR("t") : STR("f");
        reasons[i] = v[i].reason;
    }
    pg_queue(pg, a, SQL_TLOG_FAULT_PUT,
             PG(pg_texts(ids, n), pg_texts(sequences, n), pg_texts(lates, n),
                pg_texts(reasons, n), pg_moment(now)));
}

void tlogs_queue_fault_end(struct pg *pg, struct arena *a,
                           struct str intent_id)
{
    pg_queue(pg, a, SQL_TLOG_FAULT_END, PG(pg_text(intent_id)));
}

void tlogs_queue_request_end(struct pg *pg, struct arena *a, struct str id,
                             struct str checkpoint_id, int64_t now)
{
    pg_queue(pg, a, SQL_TLOG_REQUEST_END,
             PG(pg_text(id), pg_moment(now), pg_text(checkpoint_id)));
}

/* ---- reading -------------------------------------------------------- */

const struct err *tlogs_faults(struct pg *pg, struct arena *a,
                               enum tlogs_which which, struct str after,
                               size_t max, struct tlogs_fault **out, size_t *n)
{
    static const char *const words[] = {
        [TLOGS_ALL] = "all", [TLOGS_LATE] = "late", [TLOGS_BROKEN] = "broken"};
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_TLOG_FAULTS,
                 PG(pg_text(after.p ? after : STR(TLOGS_NOBODY)),
                    pg_text(str_of(words[which])), pg_number((int64_t)max)),
                 &r));
    *n = pg_count(r);
    *out = arena_many(a, *n + 1, struct tlogs_fault);
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = (struct tlogs_fault){.intent_id = pg_str(r, i, 0),
                                         .sequence = pg_int(r, i, 1),
                                         .late = pg_bool(r, i, 2),
                                         .reason = pg_str(r, i, 3),
                                         .found_at = pg_int(r, i, 4)};
    return NULL;
}

const struct err *tlogs_requests(struct pg *pg, struct arena *a,
                                 struct tlogs_request **out, size_t *n)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_TLOG_REQUESTS, NULL, &r));
    *n = pg_count(r);
    *out = arena_many(a, *n + 1, struct tlogs_request);
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = (struct tlogs_request){.id = pg_str(r, i, 0),
                                           .intent_id = pg_str(r, i, 1)};
    return NULL;
}

const struct err *tlogs_edge(struct pg *pg, struct arena *a, int64_t epoch,
                             int64_t size, struct tlog_edge *out)
{
    struct pg_rows *r = NULL;
    unsigned found = 0, wanted = 0;
    *out = (struct tlog_edge){.size = size};
    TRY(pg_query(pg, a, SQL_TLOG_EDGE, PG(pg_number(epoch), pg_number(size)),
                 &r));
    for (size_t i = 0; i < pg_count(r); i++) {
        const unsigned level = (unsigned)pg_int(r, i, 0);
        const struct str hashes = pg_str(r, i, 1);
        const size_t n = tlog_edge_n(out, level) * sizeof(struct tlog_hash);
        /* A tile that has grown since has more than the edge needs. */
        if (n > 0 && hashes.n >= 2 * n &&
            tlogs_unhex(str_sub(hashes, 0, 2 * n), out->tile[level],
                        tlog_edge_n(out, level)))
            found |= 1U << level;
    }
    for (unsigned level = 0; level < TLOG_LEVELS; level++)
        wanted |= tlog_edge_n(out, level) ? 1U << level : 0;
    return found == wanted ? NULL
                           : ERROR(ERR_INTERNAL, tlogs_inconsistent,
                                   "A tile of the log is missing.");
}

bool tlogs_head_row(const struct pg_rows *r, size_t i, struct tlogs_head *out)
{
    *out = (struct tlogs_head){.head.size = pg_int(r, i, 0),
                               .note = pg_str(r, i, 2),
                               .signed_at = pg_int(r, i, 3)};
    if (tlogs_unhex(pg_str(r, i, 1), &out->head.root, 1))
        return true;
    out->head.root = (struct tlog_hash){{0}};
    return false;
}

static const struct err *tlogs_head_read(struct pg *pg, struct arena *a,
                                         int statement,
                                         const struct pg_args *args,
                                         struct tlogs_head *out)
{
    struct pg_rows *r = NULL;
    *out = (struct tlogs_head){.signed_at = 0};
    TRY(pg_query(pg, a, statement, args, &r));
    if (pg_count(r) == 0)
        return NULL;
    return tlogs_head_row(r, 0, out) ? NULL
                                     : ERROR(ERR_INTERNAL, tlogs_inconsistent,
                                             "A head has no root.");
}

const struct err *tlogs_head(struct pg *pg, struct arena *a, int64_t epoch,
                             struct tlogs_head *out)
{
    return tlogs_head_read(pg, a, SQL_TLOG_HEAD, PG(pg_number(epoch)), out);
}

const struct err *tlogs_head_of(struct pg *pg, struct arena *a, int64_t epoch,
                                int64_t size, struct tlogs_head *out)
{
    return tlogs_head_read(pg, a, SQL_TLOG_HEAD_OF,
                           PG(pg_number(epoch), pg_number(size)), out);
}

const struct err *tlogs_head_cosigned(struct pg *pg, struct arena *a,
                                      int64_t epoch, struct tlogs_head *out)
{
    return tlogs_head_read(pg, a, SQL_TLOG_HEAD_COSIGNED,
                           PG(pg_number(epoch)), out);
}

const struct err *tlogs_cosignatures(struct pg *pg, struct arena *a,
                                     int64_t epoch, int64_t size,
                                     struct str *out)
{
    return rows_text(pg, a, SQL_TLOG_COSIGNATURES,
                     PG(pg_number(epoch), pg_number(size)), out);
}

void tlogs_queue_cosignature(struct pg *pg, struct arena *a,
                             const struct tlogs_cosignature *c)
{
    pg_queue(pg, a, SQL_TLOG_COSIGNATURE_PUT,
             PG(pg_number(c->epoch), pg_number(c->size), pg_text(c->key),
                pg_text(c->line), pg_text(c->by), pg_moment(c->at)));
}

const struct err *tlogs_position(struct pg *pg, struct arena *a, int64_t epoch,
                                 struct str intent_id, int64_t sequence,
                                 int64_t *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_TLOG_POSITION,
                 PG(pg_number(epoch), pg_text(intent_id), pg_number(sequence)),
                 &r));
    *out = pg_count(r) ? pg_int(r, 0, 0) : -1;
    return NULL;
}

const struct err *tlogs_tile(struct pg *pg, struct arena *a, int64_t epoch,
                             unsigned level, int64_t number,
                             struct tlog_hash **out, size_t *n)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_TLOG_TILE,
                 PG(pg_number(epoch), pg_number(level), pg_number(number)),
                 &r));
    const struct str text = pg_count(r) ? pg_str(r, 0, 0) : STR_NONE;
    *n = text.n / (2 * sizeof **out);
    *out = arena_many(a, *n + 1, struct tlog_hash);
    return tlogs_unhex(text, *out, *n)
               ? NULL
               : ERROR(ERR_INTERNAL, tlogs_inconsistent,
                       "A tile of the log cannot be read.");
}

static const struct err *tlogs_tile_read(struct tlogs_source *s,
                                         const struct tlog_place *p, size_t at)
{
    TRY(tlogs_tile(s->pg, s->arena, s->epoch, p->level, p->tile,
                   &s->tile[at].v, &s->tile[at].n));
    s->tile[at].level = p->level;
    s->tile[at].number = p->tile;
    return NULL;
}

static const struct err *tlogs_hash(void *own, unsigned level, int64_t index,
                                    struct tlog_hash *out)
{
    struct tlogs_source *s = own;
    const struct tlog_place p = tlog_place(level, index);
    size_t at = 0;
    while (at < countof(s->tile) &&
           !(s->tile[at].v && s->tile[at].level == p.level &&
             s->tile[at].number == p.tile))
        at++;
    if (at == countof(s->tile)) {
        at = s->next++ % countof(s->tile);
        TRY(tlogs_tile_read(s, &p, at));
    }
    if (s->tile[at].n < p.from + p.n)
        return ERROR(ERR_INTERNAL, tlogs_inconsistent,
                     "A tile of the log is missing.");
    *out = tlog_of_tile(s->tile[at].v + p.from, p.n);
    return NULL;
}

struct tlog_source tlogs_source(struct tlogs_source *s)
{
    return (struct tlog_source){.hash = tlogs_hash, .own = s};
}

const struct err *tlogs_hashes(struct pg *pg, struct arena *a, int64_t epoch,
                               struct str intent_id, int64_t first,
                               int64_t last, struct tlog_hash **out)
{
    struct pg_rows *r = NULL;
    const size_t n = (size_t)(last - first + 1);
    bool fine = true;
    TRY(intent_id.p ? pg_query(pg, a, SQL_TLOG_OF_INTENT,
                               PG(pg_number(epoch), pg_text(intent_id),
                                  pg_number(first), pg_number(last)),
                               &r)
                    : pg_query(pg, a, SQL_TLOG_LEAVES,
                               PG(pg_number(epoch), pg_number(first - 1),
                                  pg_number(last)),
                               &r));
    *out = arena_many(a, n, struct tlog_hash);
    for (size_t i = 0; i < n; i++)
        fine = fine && i < pg_count(r) &&
               tlogs_unhex(pg_str(r, i, 0), &(*out)[i], 1);
    return fine ? NULL
                : ERROR(ERR_INTERNAL, tlogs_inconsistent,
                        "An event is missing in the log.");
}

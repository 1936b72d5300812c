/* Checks the log in the database. */
#include "work/log/log_check.h"

#include "store/tables.h"
#include "work/log/log_writer.h"

#define LOG_CHECK_PAGE (2 * TLOG_TILE) /* leaves */
#define LOG_CHECK_ROWS 20              /* that a hint names */

/* A kept head of this log. */
struct log_check_head {
    struct str name;
    struct note note;
    struct note_head head;
    int64_t epoch;
};

struct log_check_run {
    struct log_check *c;
    struct arena *a, *page, *head_page;
    const struct err *e; /* of a callback */
    struct log_checks_end at;
    struct tlog_edge *edge;
    struct {
        int64_t number;
        struct tlog_hash *v; /* NULL: none is read */
        size_t n;
        bool said;
    } tile; /* of level 0, that is compared */
    struct log_checks_heads heads;
    size_t head; /* the next of them */
    struct log_check_head *kept;
    size_t kept_n, kept_at;
    bool differs; /* a head did not fit: larger ones cannot either */
    int64_t fits; /* the size of the last stored head that fits */
    /* The same of heads by the key that signed the kept ones. */
    const struct signing_key *anchor;
    int64_t anchored;
};

static void log_check_fault(const struct log_check_run *r, struct str what,
                            struct str why)
{
    r->c->report.fault(r->c->report.own, what, why);
}

static struct str log_check_row(struct arena *a, struct str intent_id,
                                int64_t sequence, int64_t position)
{
    return arena_join(a, STR("event "), arena_number(a, sequence),
                      STR(" of intent "), intent_id, STR(" (position "),
                      arena_number(a, position), STR(")"));
}

/* Names the events among which the log was changed first. */
static const struct err *log_check_among(struct log_check_run *r, int64_t from,
                                         int64_t to)
{
    struct arena *a = arena_within(r->page);
    struct log_checks_rows rows;
    const struct log_check_report *say = &r->c->report;
    TRY(log_checks_written(r->c->pg, a, r->at.end.epoch, from, to, &rows));
    const bool some =
        rows.n > 0 && rows.v[0].again && !rows.v[rows.n - 1].again;
    say->hint(say->own,
              arena_join(a,
                         STR("the first change is at one of the positions "),
                         arena_number(a, from), STR(" to "),
                         arena_number(a, to - 1)));
    for (size_t i = 0; i < rows.n && i < LOG_CHECK_ROWS; i++) {
        const struct log_checks_row *row = &rows.v[i];
        if (some && !row->again)
            break;
        say->hint(say->own,
                  arena_join(a,
                             log_check_row(a, row->intent_id, row->sequence,
                                           row->position),
                             some ? STR(": its row was written again after "
                                        "the event was added")
                                  : STR("")));
    }
    if (!some && rows.n > LOG_CHECK_ROWS)
        say->hint(say->own, STR("and others"));
    arena_free(a);
    return NULL;
}

/* ---- leaves and tiles ----------------------------------------------- */

static struct str log_check_tile_name(struct arena *a, unsigned level,
                                      int64_t number)
{
    return arena_join(a, STR("tile "), arena_number(a, level), STR("/"),
                      arena_number(a, number));
}

/* The tile of level 0 with this position. */
static const struct err *log_check_tile(struct log_check_run *r, int64_t at)
{
    const int64_t number = at / TLOG_TILE;
    const int64_t rest = r->at.end.size - number * TLOG_TILE;
    if (r->tile.v && r->tile.number == number)
        return NULL;
    r->tile.number = number;
    r->tile.said = false;
    TRY(tlogs_tile(r->c->pg, r->page, r->at.end.epoch, 0, number, &r->tile.v,
                   &r->tile.n));
    if ((int64_t)r->tile.n >= TLOG_TILE || (int64_t)r->tile.n >= rest)
        return NULL;
    r->tile.said = true;
    log_check_fault(r, log_check_tile_name(r->page, 0, number),
                    r->tile.n ? STR("some of its hashes are missing")
                              : STR("it is missing"));
    return NULL;
}

/* A tile has one fault, however many of its hashes were changed. */
static void log_check_in_tile(struct log_check_run *r,
                              const struct tlog_hash *tile,
                              const struct tlog_hash *leaf, struct str name)
{
    if (!tile || tlog_equal(tile, leaf) || r->tile.said)
        return;
    r->tile.said = true;
    log_check_fault(
        r, log_check_tile_name(r->page, 0, r->tile.number),
        arena_join(r->page, STR("its hash of "), name, STR(" was changed")));
}

/* The hash of the leaf at a position: of the leaf, the event and the tile two
 * agree where one was changed alone. row: NULL: the leaf is missing. */
static struct tlog_hash log_check_leaf(struct log_check_run *r, int64_t at,
                                       const struct log_checks_leaf *row)
{
    struct arena *a = r->page;
    const struct log_check_report *say = &r->c->report;
    const size_t in = (size_t)(at % TLOG_TILE);
    const struct tlog_hash *tile = in < r->tile.n ? &r->tile.v[in] : NULL;
    const struct str leaf = arena_join(a, STR("leaf "), arena_number(a, at));
    if (!row) {
        log_check_fault(r, leaf, STR("it is missing"));
        return tile ? *tile : (struct tlog_hash){{0}};
    }
    const struct tlog_hash own = tlog_leaf(&row->hash),
                           event = tlog_leaf(&row->event);
    const struct str name =
        log_check_row(a, row->intent_id, row->sequence, at);
    if (row->has_event && tlog_equal(&own, &event)) {
        log_check_in_tile(r, tile, &own, name);
    } else if (row->has_event && tile && tlog_equal(tile, &event)) {
        log_check_fault(r, leaf,
                        arena_join(a, STR("its hash is not that of "), name));
        return event;
    } else if (say->first(say->own, row->intent_id, row->sequence)) {
        log_check_fault(r, name,
                        row->has_event
                            ? STR("it was changed after the log had it: its "
                                  "hash is not that of its leaf")
                            : STR("the log has it, and it is missing"));
    }
    return own;
}

/* A tile above the first level, against the one that was computed. */
static void log_check_computed(void *own, unsigned level, int64_t number,
                               const struct tlog_hash tile[TLOG_TILE],
                               size_t n)
{
    struct log_check_run *r = own;
    struct arena *a = arena_within(r->page);
    struct tlog_hash *v = NULL;
    size_t stored = 0;
    if (!r->e)
        r->e = tlogs_tile(r->c->pg, a, r->at.end.epoch, level, number, &v,
                          &stored);
    if (!r->e && stored < n)
        log_check_fault(r, log_check_tile_name(a, level, number),
                        STR("it is missing, or some of its hashes are"));
    else if (!r->e && memcmp(v, tile, n * sizeof *v) != 0)
        log_check_fault(r, log_check_tile_name(a, level, number),
                        STR("its hashes are not those of the tiles below"));
    arena_free(a);
}

static void log_check_full(void *own, unsigned level, int64_t number,
                           const struct tlog_hash tile[TLOG_TILE])
{
    if (level > 0)
        log_check_computed(own, level, number, tile, TLOG_TILE);
}

/* ---- heads ---------------------------------------------------------- */

/* The key that signed the note and was valid then; at 0: ever. NULL: none. */
static const struct signing_key *
log_check_signer(const struct log_check_run *r, const struct note *n,
                 struct str origin, int64_t at)
{
    int64_t cosigned;
    for (size_t i = 0; i < r->c->keys.n; i++) {
        const struct signing_key *row = &r->c->keys.v[i];
        struct note_key key = {.name = origin, .algorithm = NOTE_ED25519};
        if (signing_key_public(r->page, row, &key.key) &&
            (at == 0 || signing_key_valid(row, at, SIGNING_KEY_HEADS)) &&
            note_signed(r->page, n, &key, &cosigned))
            return row;
    }
    return NULL;
}

static bool log_check_anchored(const struct log_check_run *r,
                               const struct note *n, struct str origin)
{
    struct note_key key = {.name = origin, .algorithm = NOTE_ED25519};
    int64_t cosigned;
    return r->anchor && signing_key_public(r->page, r->anchor, &key.key) &&
           note_signed(r->page, n, &key, &cosigned);
}

/* A stored head; the edge has its size. */
static const struct err *log_check_head(struct log_check_run *r,
                                        const struct tlogs_head *stored)
{
    struct arena *a = r->page;
    struct note *n = arena_new(a, struct note);
    struct note_head h;
    const struct str name =
        arena_join(a, STR("head of "), arena_number(a, stored->head.size),
                   STR(" events"));
    const struct tlog_hash root = tlog_edge_root(r->edge);
    const char *why = note_read(a, stored->note, n);
    if (!why)
        why = note_head_read(a, n->text, &h);
    if (!why && (h.size != stored->head.size ||
                 !tlog_equal(&h.root, &stored->head.root)))
        why = "its size and root are not those of its note";
    if (!why && !log_check_signer(r, n, h.origin, stored->signed_at))
        why = "no key of the log of that time signed it";
    if (why) {
        log_check_fault(r, name, str_of(why));
        return NULL;
    }
    r->c->heads++;
    const bool fits = tlog_equal(&root, &h.root);
    if (fits && !r->differs && log_check_anchored(r, n, h.origin))
        r->anchored = h.size;
    if (fits)
        r->fits = h.size;
    if (fits || r->differs)
        return NULL;
    r->differs = true;
    log_check_fault(r, name, STR("its root is not that of the events"));
    return log_check_among(r, r->fits, h.size);
}

/* A head that was kept elsewhere has to begin the log. */
static const struct err *log_check_kept(struct log_check_run *r,
                                        const struct log_check_head *k)
{
    const struct tlog_hash root = tlog_edge_root(r->edge);
    if (tlog_equal(&root, &k->head.root)) {
        r->anchored = k->head.size;
        return NULL;
    }
    log_check_fault(r, k->name,
                    STR("it does not begin this log: the log was rewritten"));
    return log_check_among(r, r->anchored, k->head.size);
}

/* Those of the size that the edge has now. */
static const struct err *log_check_heads(struct log_check_run *r)
{
    while (r->head < r->heads.n &&
           r->heads.v[r->head].head.size == r->edge->size)
        TRY(log_check_head(r, &r->heads.v[r->head++]));
    if (r->head == r->heads.n && r->heads.n > 0) {
        const int64_t last = r->heads.v[r->heads.n - 1].head.size;
        arena_reset(r->head_page);
        TRY(log_checks_heads(r->c->pg, r->head_page, r->at.end.epoch, last,
                             r->at.end.size, &r->heads));
        r->head = 0;
    }
    for (; r->kept_at < r->kept_n &&
           r->kept[r->kept_at].head.size <= r->edge->size;
         r->kept_at++) {
        const struct log_check_head *k = &r->kept[r->kept_at];
        if (k->epoch == r->at.end.epoch && k->head.size == r->edge->size)
            TRY(log_check_kept(r, k));
    }
    return NULL;
}

/* The tiles at the point from which the log is checked. Its stored heads vouch
 * for them, and a kept head of fewer events has to begin them. */
static const struct err *log_check_begin(struct log_check_run *r, int64_t from)
{
    struct tlogs_source stored = {
        .pg = r->c->pg, .arena = r->a, .epoch = r->at.end.epoch};
    const struct tlog_source source = tlogs_source(&stored);
    TRY(tlogs_edge(r->c->pg, r->a, r->at.end.epoch, from, r->edge));
    const struct tlog_hash root = tlog_edge_root(r->edge);
    for (size_t i = 0; i < r->kept_n; i++) {
        const struct log_check_head *k = &r->kept[i];
        struct tlog_proof proof;
        if (k->epoch != r->at.end.epoch)
            return err_at(r->a, ERR_INVALID, "field.value", k->name,
                          "%.*s is a head of an older log, and --since checks "
                          "the newest alone.",
                          STR_FMT(k->name));
        if (k->head.size >= from)
            continue;
        TRY(tlog_consistency(&source, k->head.size, from, &proof));
        if (!tlog_consistent(&proof, k->head.size, from, &k->head.root, &root))
            log_check_fault(r, k->name,
                            STR("it does not begin this log: the log was "
                                "rewritten"));
    }
    return log_check_heads(r);
}

/* ---- a log ---------------------------------------------------------- */

/* The number of tiles that a log of this size has. */
static int64_t log_check_tiles(int64_t size)
{
    int64_t n = 0;
    for (unsigned level = 0; level < TLOG_LEVELS; level++)
        n +=
            ((size >> (level * TLOG_TILE_HEIGHT)) + TLOG_TILE - 1) / TLOG_TILE;
    return n;
}

static const struct err *log_check_end(struct log_check_run *r, int64_t from)
{
    struct arena *a = r->page;
    const struct log_checks_end *at = &r->at;
    struct log_checks_rows rows;
    for (unsigned level = 1; level < TLOG_LEVELS; level++) {
        const size_t n = tlog_edge_n(r->edge, level);
        if (n > 0)
            log_check_computed(
                r, level, at->end.size >> ((level + 1) * TLOG_TILE_HEIGHT),
                r->edge->tile[level], n);
    }
    const struct str name =
        arena_join(a, STR("log "), arena_number(a, at->end.epoch));
    if (at->leaves > at->end.size - from)
        log_check_fault(r, name, STR("it has leaves behind its end"));
    if (at->tiles > log_check_tiles(at->end.size))
        log_check_fault(r, name, STR("it has tiles behind its end"));
    if (at->head > at->end.size)
        log_check_fault(r, name,
                        STR("it ends before its newest head: it was cut"));
    for (size_t i = 0; i < r->kept_n; i++) {
        const struct log_check_head *k = &r->kept[i];
        if (k->epoch == at->end.epoch && k->head.size > at->end.size)
            log_check_fault(r, k->name,
                            arena_join(a, STR("the log was cut: it has "),
                                       arena_number(a, at->end.size),
                                       STR(" events, and the head "),
                                       arena_number(a, k->head.size)));
    }
    TRY(log_checks_unlogged(r->c->pg, a, &at->end,
                            r->c->since ? r->c->since->xid : STR("0"), &rows));
    for (size_t i = 0; i < rows.n; i++)
        log_check_fault(r,
                        arena_join(a, STR("event "),
                                   arena_number(a, rows.v[i].sequence),
                                   STR(" of intent "), rows.v[i].intent_id),
                        STR("the log does not have it"));
    return r->e;
}

/* The position from which the log is checked. */
static int64_t log_check_from(const struct log_check *c)
{
    return c->since ? c->since->checkpoint.last_sequence : 0;
}

static const struct err *log_check_log(struct log_check_run *r)
{
    const int64_t size = r->at.end.size, begin = log_check_from(r->c);
    *r->edge = (struct tlog_edge){.size = 0};
    r->tile.v = NULL;
    r->head = r->kept_at = 0;
    r->differs = false;
    r->fits = r->anchored = 0;
    arena_reset(r->head_page);
    TRY(log_checks_heads(r->c->pg, r->head_page, r->at.end.epoch,
                         begin > 0 ? begin - 1 : 0, size, &r->heads));
    if (begin > 0)
        TRY(log_check_begin(r, begin));
    for (int64_t from = begin; from < size; from += LOG_CHECK_PAGE) {
        struct log_checks_leaves page;
        size_t i = 0;
        const int64_t to =
            from + LOG_CHECK_PAGE < size ? from + LOG_CHECK_PAGE : size;
        arena_reset(r->page);
        r->tile.v = NULL;
        TRY(log_checks_leaves(r->c->pg, r->page, r->at.end.epoch, STR_NONE,
                              from, to, &page));
        for (int64_t at = from; at < to; at++) {
            const bool here = i < page.n && page.v[i].position == at;
            TRY(log_check_tile(r, at));
            const struct tlog_hash leaf =
                log_check_leaf(r, at, here ? &page.v[i++] : NULL);
            if (!tlog_append_leaf(r->edge, &leaf, log_check_full, r))
                return ERROR(ERR_INTERNAL, "internal", "The log is full.");
            TRY(log_check_heads(r));
            r->c->leaves++;
        }
    }
    arena_reset(r->page);
    return log_check_end(r, begin);
}

/* ---- checkpoints ---------------------------------------------------- */

/* Has the batch this root, by its leaves or by its events? Where one was
 * changed alone, that was found there. */
static const struct err *log_check_batch(struct log_check_run *r,
                                         const struct log_checkpoint *c,
                                         bool *out)
{
    struct arena *a = r->page;
    struct log_checks_leaves rows;
    struct tlog_hash root, found;
    const int64_t from = c->first_sequence - !c->intent_id.p;
    TRY(log_checks_leaves(r->c->pg, a, c->epoch, c->intent_id, from,
                          from + c->event_count, &rows));
    *out = (int64_t)rows.n == c->event_count &&
           log_checkpoint_hash_read(a, c->merkle_root, &root);
    if (!*out)
        return NULL;
    struct tlog_hash *v = arena_many(a, rows.n, struct tlog_hash);
    for (int events = 0; events < 2; events++) {
        for (size_t i = 0; i < rows.n; i++)
            v[i] = events ? rows.v[i].event : rows.v[i].hash;
        found = merkle_root(a, v, rows.n);
        *out = tlog_equal(&found, &root);
        if (*out)
            return NULL;
    }
    return NULL;
}

static bool log_check_checkpoint_signed(struct log_check_run *r,
                                        const struct log_checkpoint *c)
{
    const struct json *o = record_object(r->page, &log_checkpoint_record, c);
    struct signer_public key;
    for (size_t i = 0; i < r->c->keys.n; i++) {
        const struct signing_key *row = &r->c->keys.v[i];
        if (str_eq(row->did, c->signed_by) &&
            signing_key_valid(row, c->created_at, 0) &&
            signing_key_public(r->page, row, &key) &&
            log_checkpoint_ok(r->page, o, &key))
            return true;
    }
    return false;
}

static const struct err *log_check_checkpoint(struct log_check_run *r,
                                              const struct log_checkpoint *c,
                                              int64_t before)
{
    const struct str name = arena_join(r->page, STR("checkpoint "), c->id);
    bool holds = false;
    r->c->checkpoints++;
    if (!log_check_checkpoint_signed(r, c)) {
        log_check_fault(r, name,
                        STR("no key of the log of that time signed it"));
        return NULL;
    }
    if (c->first_sequence != before + 1) {
        log_check_fault(r, name, STR("it does not follow the one before it"));
        return NULL;
    }
    TRY(log_check_batch(r, c, &holds));
    if (!holds)
        log_check_fault(r, name, STR("its root is not that of its events"));
    return NULL;
}

static const struct err *log_check_checkpoints(struct log_check_run *r)
{
    struct arena *rows = arena_within(r->a);
    struct log_checks_checkpoints page = {.n = 1};
    const struct log_checks_point *since = r->c->since;
    struct str id = since ? since->checkpoint.id : STR("");
    int64_t at = since ? since->checkpoint.created_at : 0;
    while (page.n > 0) {
        TRY(log_checks_checkpoints(r->c->pg, rows, at, id, &page));
        for (size_t i = 0; i < page.n; i++) {
            arena_reset(r->page);
            TRY(log_check_checkpoint(r, &page.v[i], page.before[i]));
        }
        if (page.n > 0) {
            at = page.v[page.n - 1].created_at;
            id = arena_str(r->a, page.v[page.n - 1].id);
        }
        arena_reset(rows);
    }
    return NULL;
}

/* ---- all of it ------------------------------------------------------ */

/* The epoch of the log of this origin, here or lost by a restore; -1: it is
 * none of this address. */
static int64_t log_check_epoch(const struct log_check_run *r, struct str origin)
{
    int64_t epoch = 0;
    size_t at = origin.n;
    while (at > 0 && origin.p[at - 1] != '/')
        at--;
    (void)str_int(str_sub(origin, at, origin.n), 1, tables_restore().epoch,
                  &epoch);
    return str_eq(origin, log_writer_origin(r->a, r->c->conf, epoch)) ? epoch
                                                                      : -1;
}

/* Reads the heads that were kept, by their size. */
static const struct err *log_check_read(struct log_check_run *r)
{
    struct log_check *c = r->c;
    struct arena *a = r->a;
    r->kept = arena_many(a, c->kept_n + 1, struct log_check_head);
    for (size_t i = 0; i < c->kept_n; i++) {
        struct log_check_head k = {.name = c->kept[i].name};
        const char *why = note_read(a, c->kept[i].note, &k.note);
        if (!why)
            why = note_head_read(a, k.note.text, &k.head);
        if (why || k.head.size < 1)
            return err_at(a, ERR_INVALID, "field.value", k.name,
                          "%.*s is no head of a log.", STR_FMT(k.name));
        k.epoch = log_check_epoch(r, k.head.origin);
        if (k.epoch < 0)
            TRY(log_checks_epoch(c->pg, a, k.head.origin, &k.epoch));
        if (k.epoch < 0)
            return err_at(a, ERR_INVALID, "field.value", k.name,
                          "%.*s is a head of another log, %.*s.",
                          STR_FMT(k.name), STR_FMT(k.head.origin));
        const struct signing_key *key =
            log_check_signer(r, &k.note, k.head.origin, 0);
        if (key)
            r->anchor = key;
        else
            log_check_fault(r, k.name,
                            STR("no key of the log signed it: the keys were "
                                "changed, or the head is forged"));
        size_t at = r->kept_n++;
        for (; at > 0 && r->kept[at - 1].head.size > k.head.size; at--)
            r->kept[at] = r->kept[at - 1];
        r->kept[at] = k;
    }
    return NULL;
}

const struct err *log_check_point(struct log_check *c, struct arena *a)
{
    struct log_check_run r = {.c = c, .a = a, .page = arena_within(a)};
    TRY(log_check_checkpoint(&r, &c->since->checkpoint, c->since->before));
    arena_free(r.page);
    return NULL;
}

const struct err *log_check(struct log_check *c, struct arena *a)
{
    struct log_check_run r = {
        .c = c, .a = a, .page = arena_within(a), .head_page = arena_within(a)};
    struct log_checks_ends logs;
    r.edge = arena_new(a, struct tlog_edge);
    TRY(log_checks_ends(c->pg, a, log_check_from(c), &logs));
    TRY(log_check_read(&r));
    for (size_t i = c->since && logs.n > 0 ? logs.n - 1 : 0; i < logs.n; i++) {
        r.at = logs.v[i];
        TRY(log_check_log(&r));
    }
    for (size_t i = 0; i < r.kept_n; i++) {
        size_t n = 0;
        while (n < logs.n && logs.v[n].end.epoch != r.kept[i].epoch)
            n++;
        if (n == logs.n)
            log_check_fault(&r, r.kept[i].name,
                            STR("its log is not there: it was deleted"));
    }
    TRY(log_check_checkpoints(&r));
    arena_free(r.page);
    return NULL;
}

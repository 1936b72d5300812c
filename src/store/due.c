/* Work that is due by time. Claims and stores; decides nothing. */
#include "store/due.h"

#include "base/clock_text.h"
#include "store/deliveries.h"
#include "store/intents.h"
#include "store/sql.gen.h"
#include "store/suspensions.h"

const struct err *due_next(struct pg *pg, struct arena *a, int64_t *out)
{
    struct pg_rows *rows[2] = {NULL};
    pg_queue(pg, SQL_DUE_IN_ORDER, NULL);
    pg_queue(pg, SQL_DUE_NEXT, NULL);
    TRY(pg_run(pg, a, rows));
    *out = pg_count(rows[1]) > 0 ? pg_int(rows[1], 0, 0) : 0;
    return NULL;
}

/* ---- questions ------------------------------------------------------ */

static struct work unit(struct pg *pg, struct arena *a, int64_t now,
                        const struct pg_rows *intents, size_t i)
{
    return (struct work){
        .arena = a,
        .pg = pg,
        .now = now,
        .intent = intents_row(intents, i),
        .dependencies_done = pg_bool(intents, i, INTENTS_DEPENDENCIES_DONE)};
}

/* The first of the locked ones, as many as one transaction may have. */
static size_t choose(const struct pg_rows *taken, size_t limit,
                     struct str ids[static DUE_BATCH])
{
    size_t bytes = 0, n = 0;
    for (size_t i = 0; i < pg_count(taken) && n < limit && n < DUE_BATCH;
         i++) {
        bytes += (size_t)pg_int(taken, i, 1);
        if (n > 0 && bytes > DUE_BYTES)
            break;
        ids[n++] = pg_str(taken, i, 0);
    }
    return n;
}

/* The units in the order of ids. A unit that another process has finished is no
 * longer pending, and left out. */
static void pair(const struct work *all, size_t n,
                 const struct suspension_rows *questions,
                 struct due_batch *out)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < questions->n; k++) {
            if (!str_eq(questions->v[k].intent_id, all[i].intent.id))
                continue;
            struct work *w = &out->v[out->n++].work;
            *w = all[i];
            w->suspension = questions->v[k];
            w->has_suspension = true;
        }
    }
}

static void order(struct pg *pg, struct arena *a, int64_t now,
                  const struct str *ids, size_t n,
                  const struct pg_rows *intents, struct work *out)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < pg_count(intents); k++) {
            if (str_eq(pg_str(intents, k, 0), ids[i]))
                out[i] = unit(pg, a, now, intents, k);
        }
    }
}

const struct err *due_take(struct pg *pg, struct arena *a,
                           const struct due_wanted *wanted,
                           struct due_batch *out)
{
    struct str ids[DUE_BATCH];
    struct pg_rows *taken[2] = {NULL}, *rows[4] = {NULL};
    struct pg_args args = pg_args(a), locked = pg_args(a);
    *out = (struct due_batch){.n = 0};
    pg_arg_time(&args, wanted->now);
    pg_arg_texts(&args, wanted->skip, wanted->skip_n);
    pg_queue(pg, SQL_BEGIN, NULL);
    pg_queue(pg, SQL_DUE_TAKE, &args);
    TRY(pg_run(pg, a, taken));
    const size_t n = choose(taken[1], wanted->limit, ids);
    if (n > 0) {
        out->chosen = n;
        out->first = pg_str(taken[1], 0, 2);
        pg_arg_texts(&locked, ids, n);
        pg_queue(pg, SQL_DUE_INTENTS, &locked);
        pg_queue(pg, SQL_DUE_SUSPENSIONS, &locked);
        pg_queue(pg, SQL_DELIVERY_HOLD, NULL);
        pg_queue(pg, SQL_DELIVERY_TOLD, NULL);
        TRY(pg_run(pg, a, rows));
        struct work *all = arena_many(a, n, struct work);
        out->v = arena_many(a, n, struct due_unit);
        out->told = pg_bool(rows[3], 0, 0);
        order(pg, a, wanted->now, ids, n, rows[0], all);
        const struct suspension_rows questions = suspensions_rows(a, rows[1]);
        pair(all, n, &questions, out);
    }
    if (out->n == 0)
        pg_rollback(pg);
    return NULL;
}

/* ---- writing -------------------------------------------------------- */

#define COLUMNS_MAX 11

/* Rows for a statement that takes an array for each column. */
struct table {
    struct arena *arena;
    struct str *cell[COLUMNS_MAX];
    size_t columns, rows;
};

static struct table table(struct arena *a, size_t columns, size_t max)
{
    struct table t = {.arena = a, .columns = columns};
    for (size_t i = 0; i < columns; i++)
        t.cell[i] = arena_many(a, max + 1, struct str);
    return t;
}

/* As many cells as there are columns. */
static void add(struct table *t, const struct str *cells)
{
    for (size_t i = 0; i < t->columns; i++)
        t->cell[i][t->rows] = cells[i];
    t->rows++;
}

static void queue(struct pg *pg, int statement, const struct table *t)
{
    struct pg_args args = pg_args(t->arena);
    if (t->rows == 0)
        return;
    for (size_t i = 0; i < t->columns; i++)
        pg_arg_texts(&args, t->cell[i], t->rows);
    pg_queue(pg, statement, &args);
}

static struct str number(struct arena *a, int64_t v)
{
    struct buf b = buf_make(a, 24);
    buf_int(&b, v);
    return buf_text(&b);
}

static void queue_intents(struct pg *pg, struct arena *a,
                          const struct due_batch *b)
{
    struct table t = table(a, 7, b->n);
    for (size_t k = 0; k < b->n; k++) {
        const struct intent *i = &b->v[k].work.intent;
        add(&t, (struct str[]){i->id,
                               str_of(vocabulary_intent_status(i->status)
                                          ->wire),
                               i->state, number(a, i->version),
                               clock_rfc3339(a, i->updated_at),
                               number(a, i->tail.sequence), i->tail.hash});
    }
    queue(pg, SQL_DUE_INTENTS_UPDATE, &t);
}

static void queue_questions(struct pg *pg, struct arena *a,
                            const struct due_batch *b)
{
    struct table ended = table(a, 11, b->n), reminded = table(a, 4, b->n);
    struct table permits = table(a, 3, b->n);
    for (size_t k = 0; k < b->n; k++) {
        const struct suspension *s = &b->v[k].work.suspension;
        if (b->v[k].work.suspension_decided)
            add(&permits, (struct str[]){s->id, s->responded_by,
                                         clock_rfc3339(a, s->responded_at)});
        if (b->v[k].work.suspension_decided)
            add(&ended,
                (struct str[]){s->id,
                               str_of(vocabulary_suspension_state(s->state)
                                          ->wire),
                               str_of(vocabulary_outcome(s->outcome)->wire),
                               s->response, s->responded_by,
                               str_of(vocabulary_via(s->responded_via)->wire),
                               clock_rfc3339(a, s->responded_at),
                               s->audit_summary, s->constraints,
                               s->approved_subject, s->approved_sha256});
        else
            add(&reminded,
                (struct str[]){s->id, number(a, s->attempt),
                               s->next_attempt_at
                                   ? clock_rfc3339(a, s->next_attempt_at)
                                   : STR(""),
                               s->channel_hint});
    }
    queue(pg, SQL_DUE_EXPIRE, &ended);
    queue(pg, SQL_DUE_PERMITS, &permits);
    queue(pg, SQL_DUE_REMIND, &reminded);
}

static void queue_events(struct pg *pg, struct arena *a,
                         const struct due_batch *b)
{
    struct table t = table(a, 8, b->n * EVENTS_AT_ONCE);
    for (size_t k = 0; k < b->n; k++) {
        const struct work *w = &b->v[k].work;
        for (size_t i = 0; i < w->events.n; i++) {
            const struct event *e = &w->events.v[i];
            add(&t, (struct str[]){w->intent.id, number(a, e->sequence), e->id,
                                   e->type, clock_rfc3339(a, e->created_at),
                                   e->canonical, e->hash, e->previous});
        }
    }
    queue(pg, SQL_DUE_EVENTS_INSERT, &t);
}

void due_queue(struct pg *pg, struct arena *a, const struct due_batch *b)
{
    queue_intents(pg, a, b);
    queue_questions(pg, a, b);
    queue_events(pg, a, b);
    for (size_t k = 0; k < b->n && b->told; k++) {
        const struct work *w = &b->v[k].work;
        const struct deliveries_news news = {
            .intent = &w->intent,
            .decided = w->suspension_decided ? &w->suspension : NULL,
            .events = &w->events,
            .now = w->now};
        deliveries_queue(pg, a, &news);
    }
}

/* ---- leases --------------------------------------------------------- */

static void move(struct due_place *place, const struct pg_rows *lapsed,
                 size_t i)
{
    struct due_place next = {.at = pg_int(lapsed, i, 2)};
    if (str_copy(next.id, sizeof next.id, pg_str(lapsed, i, 0)))
        *place = next;
}

/* The intents of expired leases that may be ended, each once, as many as one
 * transaction may have. Moves the place past the rows it read. */
static size_t candidates(const struct pg_rows *lapsed, struct due_place *place,
                         struct str ids[static DUE_LEASES_BATCH])
{
    size_t n = 0;
    for (size_t i = 0; i < pg_count(lapsed); i++) {
        const struct str id = pg_str(lapsed, i, 1);
        size_t k = 0;
        while (k < n && !str_eq(ids[k], id))
            k++;
        if (k == DUE_LEASES_BATCH)
            break;
        if (k == n && !pg_bool(lapsed, i, 3))
            ids[n++] = id;
        move(place, lapsed, i);
    }
    return n;
}

static const struct err *lock_intents(struct pg *pg, struct arena *a,
                                      const struct str *ids, size_t n,
                                      struct pg_rows **out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *rows[2] = {NULL};
    pg_arg_texts(&args, ids, n);
    pg_queue(pg, SQL_BEGIN, NULL);
    pg_queue(pg, SQL_DUE_LEASE_INTENTS, &args);
    TRY(pg_run(pg, a, rows));
    *out = rows[1];
    return NULL;
}

static const struct err *load_leases(struct pg *pg, struct arena *a,
                                     int64_t now, const struct pg_rows *locked,
                                     struct due_leases *out)
{
    struct str ids[DUE_LEASES_BATCH];
    struct pg_args args = pg_args(a), until = pg_args(a);
    struct pg_rows *rows[2] = {NULL};
    out->n = pg_count(locked);
    for (size_t i = 0; i < out->n; i++)
        ids[i] = pg_str(locked, i, 0);
    pg_arg_texts(&args, ids, out->n);
    pg_arg_texts(&until, ids, out->n);
    pg_arg_time(&until, now);
    pg_queue(pg, SQL_DUE_INTENTS, &args);
    pg_queue(pg, SQL_DUE_LEASES, &until);
    TRY(pg_run(pg, a, rows));
    out->v = arena_many(a, out->n, struct work);
    order(pg, a, now, ids, out->n, rows[0], out->v);
    out->leases = leases_rows(a, rows[1]);
    return NULL;
}

const struct err *due_leases(struct pg *pg, struct arena *a, int64_t now,
                             struct due_place *place, struct due_leases *out)
{
    struct str ids[DUE_LEASES_BATCH];
    struct pg_args args = pg_args(a);
    struct pg_rows *lapsed = NULL, *locked = NULL;
    const struct due_place before = *place;
    *out = (struct due_leases){.n = 0};
    pg_arg_time(&args, now);
    pg_arg_time(&args, place->at ? place->at : 1);
    pg_arg(&args, place->at ? str_of(place->id)
                            : STR("00000000-0000-0000-0000-000000000000"));
    TRY(pg_query(pg, a, SQL_DUE_LAPSED, &args, &lapsed));
    const size_t n = candidates(lapsed, place, ids);
    out->end = pg_count(lapsed) == 0;
    if (n == 0)
        return NULL;
    TRY(lock_intents(pg, a, ids, n, &locked));
    if (pg_count(locked) == 0) {
        pg_rollback(pg);
        return NULL;
    }
    TRY(load_leases(pg, a, now, locked, out));
    if (out->leases.n == DUE_LEASES_MAX)
        *place = before; /* some of the same intents are left */
    return NULL;
}

/* ---- rows past their retention --------------------------------------- */

const struct err *due_delete(struct pg *pg, struct arena *a, enum due_old what,
                             int64_t before, size_t *out)
{
    static const int statements[DUE_OLD__MAX] = {
        [DUE_IDEMPOTENCY] = SQL_DUE_IDEMPOTENCY_DELETE,
        [DUE_SESSION] = SQL_DUE_SESSION_DELETE,
        [DUE_DELIVERY] = SQL_DUE_DELIVERY_DELETE,
        [DUE_SUBSCRIPTION] = SQL_DUE_SUBSCRIPTION_DELETE,
        [DUE_KNOWN_BROWSER] = SQL_DUE_KNOWN_BROWSER_DELETE,
        [DUE_SIGN_IN_FAILURE] = SQL_DUE_SIGN_IN_FAILURE_DELETE,
        [DUE_STORED] = SQL_DUE_STORED_DELETE,
        [DUE_SECRET] = SQL_DUE_SECRET_DELETE,
        [DUE_INITIATION] = SQL_DUE_INITIATION_DELETE,
        [DUE_DPOP_PROOF] = SQL_DUE_DPOP_PROOF_DELETE,
        [DUE_PERMIT_TOKEN] = SQL_DUE_PERMIT_TOKEN_DELETE};
    struct pg_args args = pg_args(a);
    struct pg_rows *rows = NULL;
    pg_arg_time(&args, before);
    TRY(pg_query(pg, a, statements[what], &args, &rows));
    *out = pg_affected(rows);
    return NULL;
}

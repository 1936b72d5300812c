/* Work that is due by time. Claims and stores; decides nothing. */
#include "work/clock/due.h"

#include "base/clock_text.h"
#include "base/shared/clock_watch.h"
#include "domain/search/search.h"
#include "domain/question/side_question.h"
#include "store/intent/intents.h"
#include "store/plan/portfolios.h"
#include "store/plan/tasks.h"
#include "store/question/suspensions.h"
#include "store/rows.h"
#include "store/sending/deliveries.h"
#include "world/wake.h"

const struct err *due_next(struct pg *pg, struct arena *a, int64_t *out)
{
    const int64_t before = clock_host();
    struct pg_rows *rows[2];
    pg_queue(pg, NULL, SQL_DUE_IN_ORDER, NULL);
    pg_queue(pg, NULL, SQL_DUE_NEXT, NULL);
    TRY(pg_run(pg, a, rows));
    *out = pg_int(rows[1], 0, 0);
    clock_watch_database(before, pg_time(rows[1], 0, 1), clock_host());
    return NULL;
}

/* The intents and their questions. */
struct chosen {
    struct str intents[DUE_BATCH], questions[DUE_BATCH];
    size_t n;
};

/* The first of the locked ones, as many as one transaction may have, and one
 * of each intent. */
static void due_choose(const struct pg_rows *taken, size_t limit,
                       struct chosen *out)
{
    size_t bytes = 0;
    out->n = 0;
    for (size_t i = 0;
         i < pg_count(taken) && out->n < limit && out->n < DUE_BATCH; i++) {
        size_t k = 0;
        while (k < out->n && !str_eq(out->intents[k], pg_str(taken, i, 0)))
            k++;
        if (k < out->n)
            continue;
        bytes += (size_t)pg_int(taken, i, 1);
        if (out->n > 0 && bytes > DUE_BYTES)
            break;
        out->intents[out->n] = pg_str(taken, i, 0);
        out->questions[out->n++] = pg_str(taken, i, 2);
    }
}

/* The units in the order of ids. A unit that another process has finished is
 * no longer pending, and left out. */
static void due_pair(struct arena *a, const struct work *all, size_t n,
                     const struct pg_rows *r, struct due_batch *out)
{
    const struct suspension_rows rows = suspensions_rows(a, r);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < rows.n; k++) {
            if (!str_eq(rows.v[k].intent_id, all[i].intent.id))
                continue;
            struct work *w = &out->v[out->n++].work;
            *w = all[i];
            w->suspension = rows.v[k];
            w->suspension.traceparent = pg_str(r, k, pg_columns(r) - 2);
            w->has_suspension = true;
            w->now += pg_int(r, k, pg_columns(r) - 1); /* of a test's clock */
        }
    }
}

static void due_order(const struct work *clock, const struct str *ids,
                      size_t n, const struct pg_rows *intents,
                      struct work *out)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < pg_count(intents); k++) {
            if (!str_eq(pg_str(intents, k, 0), ids[i]))
                continue;
            out[i] = *clock;
            out[i].intent = intents_row(intents, k);
            out[i].status_before = out[i].intent.status;
            out[i].dependencies_done =
                pg_bool(intents, k, INTENTS_DEPENDENCIES_DONE);
            out[i].has_listeners = true;
        }
    }
}

/* May a portfolio's deadline end its question? */
static bool due_by_portfolio(const struct work *w)
{
    return (w->intent.containers & INTENT_IN_PORTFOLIO) &&
           !side_question(&w->suspension);
}

/* The deadlines of portfolios that are over. Where none is any more, because
 * the portfolio has ended or the intent has left it, the right one is written
 * and the question goes on. */
static const struct err *due_deadlines(struct pg *pg, struct arena *a,
                                       int64_t now, struct due_batch *b)
{
    struct portfolios_overs over = {.n = 0};
    struct str ids[DUE_BATCH];
    size_t n = 0, left = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (due_by_portfolio(&b->v[i].work))
            ids[n++] = b->v[i].work.intent.id;
    }
    if (n == 0)
        return NULL;
    TRY(portfolios_over(pg, a, ids, n, now, &over));
    for (size_t i = 0; i < b->n; i++) {
        struct work *w = &b->v[i].work;
        if (!due_by_portfolio(w))
            continue;
        for (size_t k = 0; k < over.n; k++) {
            if (str_eq(over.v[k].intent_id, w->intent.id))
                w->deadline = (struct resolve_deadline){over.v[k].portfolio_id,
                                                        over.v[k].at};
        }
        if (!w->deadline.portfolio_id.p)
            ids[left++] = w->intent.id;
    }
    portfolios_queue_deadlines(pg, a, ids, left);
    return left ? pg_run(pg, a, NULL) : NULL;
}

const struct err *due_take(const struct work *clock,
                           const struct due_wanted *wanted,
                           struct due_batch *out)
{
    struct pg *pg = clock->pg;
    struct arena *a = clock->arena;
    struct chosen chosen;
    struct pg_rows *taken[2] = {NULL}, *rows[4] = {NULL};
    *out = (struct due_batch){.n = 0};
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(
        pg, a, SQL_DUE_TAKE,
        PG(pg_moment(clock->now), pg_texts(wanted->skip, wanted->skip_n)));
    TRY(pg_run(pg, a, taken));
    due_choose(taken[1], wanted->limit, &chosen);
    const size_t n = chosen.n;
    if (n > 0) {
        out->chosen = n;
        out->first = chosen.questions[0];
        pg_queue(pg, a, SQL_DUE_INTENTS, PG(pg_texts(chosen.intents, n)));
        pg_queue(pg, a, SQL_DUE_SUSPENSIONS,
                 PG(pg_texts(chosen.questions, n)));
        pg_queue(pg, NULL, SQL_DELIVERY_HOLD, NULL);
        pg_queue(pg, NULL, SQL_DELIVERY_TOLD, NULL);
        TRY(pg_run(pg, a, rows));
        struct work *all = arena_many(a, n, struct work);
        out->v = arena_many(a, n, struct due_unit);
        out->has_listeners = pg_bool(rows[3], 0, 0);
        due_order(clock, chosen.intents, n, rows[0], all);
        due_pair(a, all, n, rows[1], out);
        TRY(due_deadlines(pg, a, clock->now, out));
    }
    if (out->n == 0)
        pg_rollback(pg);
    return NULL;
}

/* ---- writing -------------------------------------------------------- */

#define COLUMNS_MAX 12

/* Rows for a statement that takes an array for each column. */
struct table {
    struct arena *arena;
    struct str *cell[COLUMNS_MAX];
    size_t columns, rows;
};

static struct table due_table(struct arena *a, size_t columns, size_t max)
{
    struct table t = {.arena = a, .columns = columns};
    for (size_t i = 0; i < columns; i++)
        t.cell[i] = arena_many(a, max + 1, struct str);
    return t;
}

/* As many cells as there are columns. */
static void due_add(struct table *t, const struct str *cells)
{
    for (size_t i = 0; i < t->columns; i++)
        t->cell[i][t->rows] = cells[i];
    t->rows++;
}

static void due_queue_table(struct pg *pg, int statement,
                            const struct table *t)
{
    struct pg_list args = {0};
    if (t->rows == 0)
        return;
    for (size_t i = 0; i < t->columns; i++)
        pg_add(&args, pg_texts(t->cell[i], t->rows));
    pg_queue(pg, t->arena, statement, PG_ALL(&args));
}

static void due_queue_intents(struct pg *pg, struct arena *a,
                              const struct due_batch *b)
{
    struct table t = due_table(a, 7, b->n);
    for (size_t k = 0; k < b->n; k++) {
        const struct intent *i = &b->v[k].work.intent;
        due_add(&t, (struct str[]){
                        i->id, vocabulary_intent_status(i->status)->wire,
                        i->state, arena_number(a, i->version),
                        clock_rfc3339(a, i->updated_at),
                        arena_number(a, i->tail.sequence), i->tail.hash});
    }
    due_queue_table(pg, SQL_DUE_INTENTS_UPDATE, &t);
}

static void due_queue_questions(struct pg *pg, struct arena *a,
                                const struct due_batch *b)
{
    struct table ended = due_table(a, 12, b->n),
                 reminded = due_table(a, 4, b->n);
    struct table permits = due_table(a, 3, b->n);
    for (size_t k = 0; k < b->n; k++) {
        const struct suspension *s = &b->v[k].work.suspension;
        if (b->v[k].work.suspension_decided)
            due_add(&permits,
                    (struct str[]){s->id, s->responded_by,
                                   clock_rfc3339(a, s->responded_at)});
        if (b->v[k].work.suspension_decided)
            due_add(
                &ended,
                (struct str[]){
                    s->id, vocabulary_suspension_state(s->state)->wire,
                    vocabulary_outcome(s->outcome)->wire, s->response,
                    s->responded_by, vocabulary_via(s->responded_via)->wire,
                    clock_rfc3339(a, s->responded_at), s->audit_summary,
                    s->constraints, s->approved_subject, s->approved_sha256,
                    search_ended(a, s)});
        else
            due_add(&reminded,
                    (struct str[]){s->id, arena_number(a, s->attempt),
                                   s->next_attempt_at
                                       ? clock_rfc3339(a, s->next_attempt_at)
                                       : STR(""),
                                   s->channel_hint});
    }
    due_queue_table(pg, SQL_DUE_EXPIRE, &ended);
    due_queue_table(pg, SQL_DUE_PERMITS, &permits);
    due_queue_table(pg, SQL_DUE_REMIND, &reminded);
}

static void due_queue_events(struct pg *pg, struct arena *a,
                             const struct due_batch *b)
{
    struct table t = due_table(a, 8, b->n * EVENTS_AT_ONCE);
    for (size_t k = 0; k < b->n; k++) {
        const struct work *w = &b->v[k].work;
        for (size_t i = 0; i < w->events.n; i++) {
            const struct event *e = &w->events.v[i];
            due_add(&t, (struct str[]){
                            w->intent.id, arena_number(a, e->sequence), e->id,
                            e->type, clock_rfc3339(a, e->created_at),
                            e->canonical, e->hash, e->previous});
        }
    }
    due_queue_table(pg, SQL_DUE_EVENTS_INSERT, &t);
}

/* Their tasks and plans: in round trips of their own, because a batch has an
 * end. */
static const struct err *due_write_plans(struct pg *pg, struct arena *a,
                                         const struct due_batch *b)
{
    for (size_t k = 0; k < b->n; k++) {
        if (!b->v[k].work.plans)
            continue;
        tasks_queue_write(pg, b->v[k].work.plans);
        if (pg_queued(pg) > 0)
            TRY(pg_run(pg, a, NULL));
    }
    return NULL;
}

/* Intents whose question ended them leave no other question open. One
 * statement for those with the same clock: a test has its own. */
static void due_end_beside(struct pg *pg, struct arena *a,
                           const struct due_batch *b)
{
    struct str *ended = arena_many(a, b->n + 1, struct str);
    size_t n = 0;
    for (size_t k = 0; k < b->n; k++) {
        const struct work *w = &b->v[k].work;
        if (intent_ended(w->intent.status))
            ended[n++] = w->intent.id;
        if (n == 0 || (k + 1 < b->n && b->v[k + 1].work.now == w->now))
            continue;
        suspensions_queue_end_beside(pg, a, ended, n, w->now);
        ended += n;
        n = 0;
    }
}

const struct err *due_queue(const struct work *clock,
                            const struct due_batch *b)
{
    struct pg *pg = clock->pg;
    struct arena *a = clock->arena;
    due_queue_intents(pg, a, b);
    due_queue_questions(pg, a, b);
    TRY(due_write_plans(pg, a, b));
    due_end_beside(pg, a, b);
    due_queue_events(pg, a, b);
    for (size_t k = 0; k < b->n && b->has_listeners; k++) {
        const struct work *w = &b->v[k].work;
        const struct deliveries_news news = {
            .intent = &w->intent,
            .decided = w->suspension_decided ? &w->suspension : NULL,
            .events = &w->events,
            .now = w->now};
        deliveries_queue(pg, a, &news);
    }
    return NULL;
}

/* ---- leases --------------------------------------------------------- */

/* The intents of expired leases that may be ended, each once, as many as one
 * transaction may have. Moves the place past the rows it read. */
static size_t due_candidates(const struct pg_rows *lapsed,
                             struct due_place *place,
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
        struct due_place next = {.at = pg_int(lapsed, i, 2)};
        if (str_copy(next.id, sizeof next.id, pg_str(lapsed, i, 0)))
            *place = next;
    }
    return n;
}

static const struct err *due_lock(struct pg *pg, struct arena *a,
                                  int statement, const struct str *ids,
                                  size_t n, struct pg_rows **out)
{
    struct pg_rows *rows[2] = {NULL};
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, statement, PG(pg_texts(ids, n)));
    TRY(pg_run(pg, a, rows));
    *out = rows[1];
    return NULL;
}

/* Reads the locked intents, and what is due of them by a statement. */
static const struct err *due_load(const struct work *clock,
                                  const struct pg_rows *locked, int statement,
                                  struct work **works, struct pg_rows **due)
{
    struct str ids[DUE_LEASES_BATCH];
    struct pg_rows *rows[2] = {NULL};
    const size_t n = pg_count(locked);
    for (size_t i = 0; i < n; i++)
        ids[i] = pg_str(locked, i, 0);
    pg_queue(clock->pg, clock->arena, SQL_DUE_INTENTS, PG(pg_texts(ids, n)));
    pg_queue(clock->pg, clock->arena, statement,
             PG(pg_texts(ids, n), pg_moment(clock->now)));
    TRY(pg_run(clock->pg, clock->arena, rows));
    *works = arena_many(clock->arena, n, struct work);
    due_order(clock, ids, n, rows[0], *works);
    *due = rows[1];
    return NULL;
}

const struct err *due_leases(const struct work *clock, struct due_place *place,
                             struct due_leases *out)
{
    struct pg *pg = clock->pg;
    struct arena *a = clock->arena;
    struct str ids[DUE_LEASES_BATCH];
    struct pg_rows *lapsed = NULL, *locked = NULL;
    const struct due_place before = *place;
    *out = (struct due_leases){.n = 0};
    TRY(pg_query(
        pg, a, SQL_DUE_LAPSED,
        PG(pg_moment(clock->now), pg_moment(place->at ? place->at : 1),
           pg_text(place->at ? str_of(place->id)
                             : STR("00000000-0000-0000-0000-000000000000"))),
        &lapsed));
    const size_t n = due_candidates(lapsed, place, ids);
    out->end = pg_count(lapsed) == 0;
    if (n == 0)
        return NULL;
    TRY(due_lock(pg, a, SQL_DUE_LEASE_INTENTS, ids, n, &locked));
    if (pg_count(locked) == 0) {
        pg_rollback(pg);
        return NULL;
    }
    out->n = pg_count(locked);
    TRY(due_load(clock, locked, SQL_DUE_LEASES, &out->v, &lapsed));
    out->leases = (struct lease_rows){.v = rows_all(a, &lease_record, lapsed),
                                      .n = pg_count(lapsed)};
    if (out->leases.n == DUE_LEASES_MAX)
        *place = before; /* some of the same intents are left */
    return NULL;
}

/* ---- rows of a few intents --------------------------------------------- */

const struct err *due_commit(const struct work *clock, const struct work *v,
                             size_t n)
{
    pg_queue(clock->pg, NULL, SQL_COMMIT, NULL);
    TRY(pg_run(clock->pg, clock->arena, NULL));
    for (size_t i = 0; i < n; i++)
        work_tell(&v[i]);
    wake_deliver();
    return NULL;
}

const struct err *
due_each(const struct work *clock, const struct due_kind *kind,
         const struct err *(*step)(struct work *w, void *rows, size_t n),
         bool *more)
{
    const size_t size = kind->record->size;
    struct str ids[DUE_LEASES_BATCH], id;
    struct pg_rows *due = NULL, *locked = NULL;
    struct work *works = NULL;
    size_t n = 0;
    *more = false;
    TRY(pg_query(clock->pg, clock->arena, kind->find,
                 PG(pg_moment(clock->now)), &due));
    for (; n < pg_count(due) && n < DUE_LEASES_BATCH; n++)
        ids[n] = pg_str(due, n, 0);
    if (n == 0)
        return NULL;
    TRY(due_lock(clock->pg, clock->arena, SQL_DUE_LOCK_INTENTS, ids, n,
                 &locked));
    if (pg_count(locked) == 0) {
        pg_rollback(clock->pg);
        return NULL;
    }
    TRY(due_load(clock, locked, kind->read, &works, &due));
    for (size_t i = 0; i < pg_count(locked); i++) {
        char *rows = arena_array(clock->arena, pg_count(due) + 1, size);
        n = 0;
        for (size_t k = 0; k < pg_count(due); k++) {
            rows_read(kind->record, due, k, rows + n * size);
            memcpy(&id, rows + n * size + kind->intent_id, sizeof id);
            n += str_eq(id, works[i].intent.id);
        }
        if (n > 0)
            TRY(step(&works[i], rows, n));
    }
    *more = true;
    return due_commit(clock, works, pg_count(locked));
}

/* The search for questions in the database. Decides nothing. */
#include "store/question/searches.h"

#include "store/rows.h"

#define READ 50 /* questions that are read at once, with all that they say */

/* ---- what is searched for ---------------------------------------------- */

const struct err *searches_people(struct pg *pg, struct arena *a,
                                  struct search_query *q)
{
    struct str parts[SEARCH_TERMS_MAX];
    size_t of[SEARCH_TERMS_MAX], n = 0;
    struct pg_rows *r = NULL;
    for (size_t i = 0; i < q->n; i++) {
        if (q->terms[i].part.p) {
            of[n] = i;
            parts[n++] = q->terms[i].part;
        }
    }
    if (n == 0)
        return NULL;
    TRY(pg_query(pg, a, SQL_SEARCH_PEOPLE, PG(pg_texts(parts, n)), &r));
    for (size_t i = 0; i < pg_count(r); i++)
        search_add_person(a, q, of[pg_int(r, i, 0) - 1], pg_str(r, i, 1));
    return NULL;
}

void searches_args(struct pg_list *args, struct arena *a,
                   const struct search_query *q)
{
    const struct search_places p = search_places(a, q);
    struct str *v = arena_many(a, p.n * 3 + 1, struct str);
    for (size_t i = 0; i < p.n; i++) {
        v[i] = arena_number(a, (int64_t)p.v[i].term);
        v[p.n + i] = arena_number(a, (int64_t)p.v[i].slice);
        v[p.n * 2 + i] = p.v[i].bits;
    }
    pg_add(args, pg_text(search_text_of(a, q)));
    pg_add(args, pg_texts(v, p.n));
    pg_add(args, pg_texts(v + p.n, p.n));
    pg_add(args, pg_texts(v + p.n * 2, p.n));
}

/* ---- lists to choose from ---------------------------------------------- */

static struct searches_names searches_names_of(struct arena *a,
                                               const struct pg_rows *r)
{
    struct searches_names of = {.n = pg_count(r)};
    of.v = arena_many(a, of.n + 1, struct searches_name);
    for (size_t i = 0; i < of.n; i++)
        of.v[i] = (struct searches_name){
            pg_str(r, i, 0), pg_columns(r) > 1 ? pg_str(r, i, 1) : STR_NONE};
    return of;
}

const struct err *searches_page(struct pg *pg, struct arena *a,
                                const struct str *first, size_t n,
                                struct searches_page *out)
{
    enum { AGENTS, PERSONS, FILLING, SEARCHES_PAGE_N };
    struct pg_rows *r[SEARCHES_PAGE_N];
    pg_queue(pg, NULL, SQL_SEARCH_AGENTS, NULL);
    pg_queue(pg, a, SQL_SEARCH_PERSONS, PG(pg_texts(first, n)));
    pg_queue(pg, NULL, SQL_SEARCH_FILLING, NULL);
    TRY(pg_run(pg, a, r));
    *out = (struct searches_page){
        searches_names_of(a, r[AGENTS]), searches_names_of(a, r[PERSONS]),
        pg_count(r[FILLING]) > 0 ? pg_int(r[FILLING], 0, 0) : 0};
    return NULL;
}

/* ---- the clock: words --------------------------------------------------- */

/* ids, words, amounts, units. */
static void searches_words(struct pg *pg, struct arena *a, int statement,
                           const struct suspension_rows *rows, bool ended)
{
    struct str *v = arena_many(a, rows->n * 4 + 1, struct str);
    for (size_t i = 0; i < rows->n; i++) {
        struct arena *own = arena_within(a);
        const struct suspension *s = &rows->v[i];
        const struct json *final = suspension_final(own, s);
        const struct suspensions_amount m =
            suspensions_amount(own, s->kind, final);
        v[i] = s->id;
        v[rows->n + i] = arena_str(
            a, ended ? arena_join(own, search_asked(own, s), STR(" "),
                                  search_ended(own, s))
                     : search_asked(own, s));
        v[rows->n * 2 + i] = arena_join(a, m.value.text);
        v[rows->n * 3 + i] = arena_join(a, m.unit.text);
        arena_free(own);
    }
    pg_queue(pg, a, statement,
             PG(pg_texts(v, rows->n), pg_texts(v + rows->n, rows->n),
                pg_texts(v + rows->n * 2, rows->n),
                pg_texts(v + rows->n * 3, rows->n)));
}

const struct err *searches_read(struct pg *pg, struct arena *a, bool *more)
{
    struct pg_rows *r = NULL;
    int64_t filling = 0;
    TRY(pg_query(pg, a, SQL_SEARCH_UNREAD_OPEN, PG(pg_number(READ)), &r));
    struct suspension_rows rows = suspensions_rows(a, r);
    *more = rows.n > 0;
    if (rows.n > 0) {
        searches_words(pg, a, SQL_SEARCH_READ_OPEN, &rows, false);
        return pg_run(pg, a, NULL);
    }
    TRY(rows_number(pg, a, SQL_SEARCH_FILLING, NULL, &filling));
    if (!filling)
        return NULL;
    TRY(pg_query(pg, a, SQL_SEARCH_UNREAD_ENDED, PG(pg_number(READ)), &r));
    rows = suspensions_rows(a, r);
    *more = rows.n > 0;
    if (rows.n > 0) {
        searches_words(pg, a, SQL_SEARCH_READ_ENDED, &rows, true);
        pg_queue(pg, a, SQL_SEARCH_FILL_MOVE,
                 PG(pg_text(rows.v[rows.n - 1].id)));
    } else {
        pg_queue(pg, NULL, SQL_SEARCH_FILL_END, NULL);
    }
    return pg_run(pg, a, NULL);
}

/* ---- the clock: parts ---------------------------------------------------- */

/* Those that are made together. */
struct searches_batch {
    bool open;
    int64_t before;
    struct str at, id; /* of the last row before them */
    struct str to_at[SEARCHES_AT_ONCE], to_id[SEARCHES_AT_ONCE];
    struct str rows[SEARCHES_AT_ONCE];
    size_t n;
    /* Of all their slices. */
    struct str number[SEARCHES_AT_ONCE * SEARCH_SLICES];
    struct str slice[SEARCHES_AT_ONCE * SEARCH_SLICES];
    struct str bits[SEARCHES_AT_ONCE * SEARCH_SLICES];
    size_t slices;
};

static void searches_slices(struct arena *a, struct searches_batch *b,
                            const struct search_summary *m)
{
    for (size_t i = 0; i < SEARCH_SLICES; i++) {
        const struct str bits = search_slice(a, m, i);
        if (!bits.p)
            continue;
        b->number[b->slices] = arena_number(a, (int64_t)b->n);
        b->slice[b->slices] = arena_number(a, (int64_t)i);
        b->bits[b->slices++] = bits;
    }
}

/* Adds a part of the next rows. One is full sooner where its questions have
 * many words. */
static const struct err *searches_next(struct pg *pg, struct arena *a,
                                       struct searches_batch *b)
{
    struct arena *own = arena_within(a);
    struct search_summary *m = arena_new(own, struct search_summary);
    const bool first = b->n == 0;
    struct pg_rows *r = NULL;
    size_t n = 0;
    TRY(pg_query(pg, own,
                 b->open ? SQL_SEARCH_NEXT_OPEN : SQL_SEARCH_NEXT_ENDED,
                 PG(pg_moment(b->before),
                    pg_text(first ? b->at : b->to_at[b->n - 1]),
                    pg_text(first ? b->id : b->to_id[b->n - 1]),
                    pg_number(SEARCHES_PART)),
                 &r));
    for (; n < pg_count(r) && !search_full(m); n++)
        search_sum(own, m, pg_str(r, n, 2), pg_str(r, n, 3), pg_str(r, n, 4));
    if (n > 0) {
        b->to_at[b->n] = arena_str(a, pg_str(r, n - 1, 0));
        b->to_id[b->n] = arena_str(a, pg_str(r, n - 1, 1));
        b->rows[b->n++] = arena_number(a, (int64_t)n);
        searches_slices(a, b, m);
    }
    arena_free(own);
    return NULL;
}

const struct err *searches_parts(struct pg *pg, struct arena *a, bool open,
                                 int64_t before, bool *more)
{
    const int64_t enough = SEARCHES_PART * SEARCHES_AT_ONCE;
    struct searches_batch *b = arena_new(a, struct searches_batch);
    struct pg_rows *r = NULL;
    *more = false;
    TRY(pg_query(pg, a,
                 open ? SQL_SEARCH_PENDING_OPEN : SQL_SEARCH_PENDING_ENDED,
                 PG(pg_moment(before), pg_number(enough)), &r));
    if (pg_count(r) == 0 || pg_int(r, 0, 2) < enough)
        return NULL;
    *more = true;
    b->open = open;
    b->before = before;
    b->at = pg_str(r, 0, 0);
    b->id = pg_str(r, 0, 1);
    for (size_t i = 0; i < SEARCHES_AT_ONCE; i++)
        TRY(searches_next(pg, a, b));
    return pg_query(pg, a, SQL_SEARCH_PART_INSERT,
                    PG(pg_flag(open), pg_text(b->at), pg_text(b->id),
                       pg_texts(b->to_at, b->n), pg_texts(b->to_id, b->n),
                       pg_texts(b->rows, b->n), pg_texts(b->number, b->slices),
                       pg_texts(b->slice, b->slices),
                       pg_texts(b->bits, b->slices)),
                    &r);
}

const struct err *searches_part_end(struct pg *pg, struct arena *a)
{
    struct pg_rows *done = NULL;
    return pg_query(pg, a, SQL_SEARCH_PART_END, NULL, &done);
}

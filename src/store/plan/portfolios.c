/* Portfolios in the database: struct in, struct out. Decides nothing. */
#include "store/plan/portfolios.h"

#include "base/id.h"
#include "store/rows.h"

static struct portfolio_rows portfolios_page_of(struct arena *a,
                                                const struct pg_rows *r,
                                                int64_t limit)
{
    struct portfolio_rows out = {.v = rows_all(a, &portfolio_record, r),
                                 .n = pg_count(r)};
    out.more = out.n > (size_t)limit;
    if (out.more)
        out.n = (size_t)limit;
    return out;
}

/* ---- reading --------------------------------------------------------- */

static const struct err *portfolios_read(struct pg *pg, struct arena *a,
                                         struct str id,
                                         const struct principal *who,
                                         bool lock, struct portfolio *out)
{
    struct pg_rows *rows[2] = {NULL};
    if (!id_uuid(id))
        return &portfolio_record.unknown;
    if (lock)
        pg_queue(pg, a, SQL_PORTFOLIO_TAKE, PG(pg_text(id)));
    pg_queue(pg, a, SQL_PORTFOLIO_GET,
             PG(pg_text(id), intents_reader(a, who), intents_now()));
    TRY(pg_run(pg, a, rows));
    if (pg_count(rows[lock]) == 0)
        return &portfolio_record.unknown;
    rows_read(&portfolio_record, rows[lock], 0, out);
    return NULL;
}

const struct err *portfolios_get(struct pg *pg, struct arena *a, struct str id,
                                 const struct principal *who,
                                 struct portfolio *out)
{
    return portfolios_read(pg, a, id, who, false, out);
}

const struct err *portfolios_take(struct pg *pg, struct arena *a,
                                  struct str id, const struct principal *who,
                                  struct portfolio *out)
{
    return portfolios_read(pg, a, id, who, true, out);
}

const struct err *portfolios_list(struct pg *pg, struct arena *a,
                                  const struct portfolios_page *page,
                                  struct portfolio_rows *out)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_LIST,
                 PG(pg_number(page->limit + 1), intents_reader(a, page->who),
                    intents_now(), pg_text(page->after),
                    pg_text(page->created_by), pg_text(page->status)),
                 &rows));
    *out = portfolios_page_of(a, rows, page->limit);
    return NULL;
}

const struct err *portfolios_of_intent(struct pg *pg, struct arena *a,
                                       struct str intent_id,
                                       struct portfolio_rows *out)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_OF_INTENT, PG(pg_text(intent_id)),
                 &rows));
    *out = portfolios_page_of(a, rows, PORTFOLIOS_OF_INTENT_MAX);
    return NULL;
}

/* ---- members --------------------------------------------------------- */

/* The columns of a node; those of the member follow. */
enum { NODE_ID, TITLE, STATUS, DEPENDS_ON, SUSPENSION, EXPIRES_AT,
       MEMBERSHIP };

const struct err *portfolios_members(struct pg *pg, struct arena *a,
                                     struct str id,
                                     const struct principal *who,
                                     struct portfolio_members *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_MEMBERS,
                 PG(pg_text(id), intents_reader(a, who), intents_now()), &r));
    const size_t n = pg_count(r);
    *out = (struct portfolio_members){
        .v = arena_many(a, n + 1, struct portfolio_member),
        .graph = {.v = arena_many(a, n + 1, struct graph_node), .n = n}};
    for (size_t i = 0; i < n; i++) {
        out->graph.v[i] = (struct graph_node){
            .id = pg_str(r, i, NODE_ID),
            .title = pg_str(r, i, TITLE),
            .status = vocabulary_intent_status_of(pg_str(r, i, STATUS)),
            .depends_on = pg_str(r, i, DEPENDS_ON),
            .suspension_id = pg_str(r, i, SUSPENSION),
            .expires_at = pg_int(r, i, EXPIRES_AT),
            .outside = !pg_str(r, i, MEMBERSHIP).p};
        if (!out->graph.v[i].outside)
            rows_part(&portfolio_member_record, IN_ROW | IN_JOIN, r, i,
                      MEMBERSHIP, &out->v[out->n++]);
    }
    return NULL;
}

const struct err *portfolios_intents(struct pg *pg, struct arena *a,
                                     const struct portfolios_intents *page,
                                     struct intent_rows *out)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_INTENTS,
                 PG(pg_text(page->id), intents_reader(a, page->who),
                    intents_now(), pg_number(INTENTS_PAGE_BYTES),
                    pg_number(page->limit + 1), pg_text(page->after)),
                 &rows));
    *out = intents_page_of(a, rows, page->limit);
    return NULL;
}

const struct err *portfolios_questions(struct pg *pg, struct arena *a,
                                       struct str id, int64_t most,
                                       struct portfolios_questions *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_QUESTIONS,
                 PG(pg_text(id), pg_number(most)), &r));
    *out = (struct portfolios_questions){
        .rows = suspensions_rows(a, r),
        .found = pg_count(r) ? pg_int(r, 0, pg_columns(r) - 1) : 0};
    return NULL;
}

const struct err *portfolios_open(struct pg *pg, struct arena *a,
                                  struct str id, bool partial,
                                  struct intent_ids *out)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_OPEN, PG(pg_text(id), pg_flag(partial)),
                 &rows));
    out->n = pg_count(rows);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = pg_str(rows, i, 0);
    return NULL;
}

/* ---- writing --------------------------------------------------------- */

void portfolios_queue_insert(struct pg *pg, struct arena *a,
                             const struct portfolio *p)
{
    rows_queue(pg, a, SQL_PORTFOLIO_INSERT, NULL, &portfolio_record, IN_INSERT,
               p);
}

void portfolios_queue_update(struct pg *pg, struct arena *a,
                             const struct portfolio *p)
{
    rows_queue(pg, a, SQL_PORTFOLIO_UPDATE, PG(pg_text(p->id)),
               &portfolio_record, IN_UPDATE, p);
    if (p->status == PORTFOLIO_ACTIVE)
        return;
    pg_queue(pg, a, SQL_COORDINATOR_END_OF_PORTFOLIOS,
             PG(pg_texts(&p->id, 1), pg_moment(p->updated_at)));
}

const struct err *portfolios_place(struct pg *pg, struct arena *a,
                                   struct str id, struct str intent_id,
                                   struct portfolio_place *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_MEMBER,
                 PG(pg_text(id), pg_text(intent_id)), &r));
    *out = (struct portfolio_place){.members = 0};
    const int after = rows_part(&portfolio_member_record, IN_ROW, r, 0, 0,
                                &out->member);
    out->member.portfolio_id = id;
    out->member.intent_id = intent_id;
    out->members = pg_int(r, 0, after);
    out->portfolios = pg_int(r, 0, after + 1);
    out->primary = pg_bool(r, 0, after + 2);
    return NULL;
}

static void portfolios_queue_mark(struct pg *pg, struct arena *a,
                                  struct str intent_id)
{
    pg_queue(pg, a, SQL_PORTFOLIO_MARK, PG(pg_text(intent_id)));
}

void portfolios_queue_join(struct pg *pg, struct arena *a,
                           const struct portfolio_member *m)
{
    rows_queue(pg, a, SQL_PORTFOLIO_JOIN, NULL, &portfolio_member_record,
               IN_INSERT, m);
    portfolios_queue_mark(pg, a, m->intent_id);
}

void portfolios_queue_leave(struct pg *pg, struct arena *a,
                            const struct portfolio_member *m)
{
    pg_queue(pg, a, SQL_PORTFOLIO_LEAVE,
             PG(pg_text(m->portfolio_id), pg_text(m->intent_id)));
    portfolios_queue_mark(pg, a, m->intent_id);
}

/* ---- deadlines, and the questions that they can end --------------------- */

const struct err *portfolios_over(struct pg *pg, struct arena *a,
                                  const struct str *ids, size_t n, int64_t now,
                                  struct portfolios_overs *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_OVER,
                 PG(pg_texts(ids, n), pg_moment(now)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct portfolios_over);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct portfolios_over){.intent_id = pg_str(r, i, 0),
                                             .portfolio_id = pg_str(r, i, 1),
                                             .at = pg_int(r, i, 2)};
    return NULL;
}

void portfolios_queue_deadlines(struct pg *pg, struct arena *a,
                                const struct str *ids, size_t n)
{
    if (n == 0)
        return;
    pg_queue(pg, a, SQL_PORTFOLIO_DEADLINES, PG(pg_texts(ids, n)));
}

void portfolios_queue_asked(struct pg *pg, struct arena *a,
                            struct str intent_id)
{
    pg_queue(pg, a, SQL_PORTFOLIO_SHARE, PG(pg_text(intent_id)));
    portfolios_queue_deadlines(pg, a, &intent_id, 1);
}

const struct err *portfolios_waiting(struct pg *pg, struct arena *a,
                                     struct str id,
                                     struct portfolios_waiting *out)
{
    struct pg_rows *r = NULL;
    *out = (struct portfolios_waiting){.n = 0};
    if (id_uuid(id))
        TRY(pg_query(pg, a, SQL_PORTFOLIO_WAITING, PG(pg_text(id)), &r));
    out->n = r ? pg_count(r) : 0;
    out->v = arena_many(a, out->n + 1, struct str);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = pg_str(r, i, 0);
    return NULL;
}

const struct err *
portfolios_take_waiting(struct pg *pg, struct arena *a,
                        const struct portfolios_waiting *intents)
{
    return intents->n ? pg_query(pg, a, SQL_PORTFOLIO_TAKE_INTENTS,
                                 PG(pg_texts(intents->v, intents->n)), NULL)
                      : NULL;
}

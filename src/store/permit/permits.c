/* Permits in the database: struct in, struct out. Decides nothing. */
#include "store/permit/permits.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "store/intent/intents.h"
#include "store/permit/permit_tokens.h"
#include "store/rows.h"

struct permits_row permits_read(const struct pg_rows *r, size_t i)
{
    struct permits_row row = {.closed = false};
    const int column = rows_columns(&permit_record);
    rows_read(&permit_record, r, i, &row.permit);
    row.key_ended = pg_bool(r, i, column);
    row.resource_removed = pg_bool(r, i, column + 1);
    row.resource_id = pg_str(r, i, column + 2);
    row.require_dpop = pg_bool(r, i, column + 3);
    return row;
}

/* The column behind those. */
static int permits_column(void)
{
    return rows_columns(&permit_record) + 4;
}

static const struct err *permits_find(struct pg *pg, struct arena *a,
                                      int statement, struct str by,
                                      struct permits_row *out, bool *found)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, PG(pg_text(by)), &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = permits_read(r, 0);
    return NULL;
}

const struct err *permits_of_suspension(struct pg *pg, struct arena *a,
                                        struct str suspension_id,
                                        struct permits_row *out, bool *found)
{
    return permits_find(pg, a, SQL_PERMIT_OF_SUSPENSION, suspension_id, out,
                        found);
}

const struct err *permits_get(struct pg *pg, struct arena *a, struct str id,
                              struct permits_row *out)
{
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return &permit_record.unknown;
    TRY(pg_query(pg, a, SQL_PERMIT_GET,
                 PG(pg_text(id), pg_moment(clock_now())), &r));
    if (pg_count(r) == 0)
        return &permit_record.unknown;
    *out = permits_read(r, 0);
    out->access = intents_access(r, 0, permits_column());
    out->closed = pg_bool(r, 0, permits_column() + 1);
    return NULL;
}

const struct err *permits_live(struct pg *pg, struct arena *a,
                               const struct permits_live *query,
                               struct permits_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PERMIT_LIVE,
                 PG(pg_moment(query->now),
                    pg_moment(query->after ? query->after->created_at : 0),
                    pg_text(query->after ? query->after->id : STR_NONE),
                    pg_number(query->limit + 1), pg_text(query->initiator_id)),
                 &r));
    *out = (struct permits_rows){.n = pg_count(r)};
    out->more = out->n > (size_t)query->limit;
    if (out->more)
        out->n = (size_t)query->limit;
    out->v = arena_many(a, out->n + 1, struct permits_titled);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct permits_titled){permits_read(r, i),
                                            pg_str(r, i, permits_column())};
    return NULL;
}

const struct err *permits_of_intent(struct pg *pg, struct arena *a,
                                    struct str intent_id, int64_t now,
                                    int64_t limit,
                                    struct permits_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PERMIT_OF_INTENT,
                 PG(pg_text(intent_id), pg_moment(now), pg_number(limit + 1)),
                 &r));
    *out = (struct permits_rows){.n = pg_count(r)};
    out->more = out->n > (size_t)limit;
    if (out->more)
        out->n = (size_t)limit;
    out->v = arena_many(a, out->n + 1, struct permits_titled);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct permits_titled){.row = permits_read(r, i)};
    return NULL;
}

const struct err *permits_by_handle(struct pg *pg, struct arena *a,
                                    struct str handle,
                                    struct permits_row *out, bool *found)
{
    return permits_find(pg, a, SQL_PERMIT_BY_HANDLE, handle, out, found);
}

void permits_queue_insert(struct pg *pg, struct arena *a,
                          const struct permit *p, struct str key_id)
{
    rows_queue(pg, a, SQL_PERMIT_INSERT,
               PG(pg_text(p->terms.resource), pg_text(key_id)),
               &permit_record, IN_INSERT, p);
}

void permits_queue_update(struct pg *pg, struct arena *a,
                          const struct permit *p)
{
    rows_queue(pg, a, SQL_PERMIT_UPDATE, PG(pg_text(p->id)), &permit_record,
               IN_UPDATE, p);
    if (p->state == PERMIT_SPENT)
        permit_tokens_queue_end(pg, a, p->id, PERMIT_TOKENS_SPENT,
                                p->ended_at);
    if (p->state == PERMIT_REVOKED)
        permit_tokens_queue_end(pg, a, p->id, PERMIT_TOKENS_REVOKED,
                                p->ended_at);
}

void permits_queue_polled(struct pg *pg, struct arena *a, struct str id,
                          struct str jkt, int64_t poll_after)
{
    pg_queue(pg, a, SQL_PERMIT_POLLED,
             PG(pg_text(id), pg_text(jkt), pg_moment(poll_after)));
}

void permits_queue_refuse(struct pg *pg, struct arena *a,
                          const struct suspension *s)
{
    pg_queue(pg, a, SQL_PERMIT_REFUSE,
             PG(pg_text(s->id), pg_text(s->reason), pg_text(s->responded_by),
                pg_moment(s->responded_at)));
}

struct str permits_handle(struct arena *a)
{
    return arena_join(a, STR("sar_"), crypt_token(a, 20));
}

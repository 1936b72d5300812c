/* Rules of retention: struct in, struct out. Decides nothing. */
#include "store/retention/retentions.h"

#include "store/rows.h"

const struct err *retentions_list(struct pg *pg, struct arena *a, bool removed,
                                  struct retentions_rows *out)
{
    return rows_list(pg, a, SQL_RETENTION_RULES, PG(pg_flag(removed)),
                     &retention_record, &out->v, &out->n);
}

const struct err *retentions_get(struct pg *pg, struct arena *a,
                                 struct str name, struct retention *out)
{
    return rows_get(pg, a, SQL_RETENTION_GET, PG(pg_text(name)),
                    &retention_record, out);
}

const struct err *retentions_insert(struct pg *pg, struct arena *a,
                                    const struct retention *r)
{
    struct pg_rows *rows = NULL;
    rows_queue(pg, a, SQL_RETENTION_INSERT, NULL, &retention_record, IN_INSERT,
               r);
    TRY(pg_run(pg, a, &rows));
    return pg_affected(rows) > 0
               ? NULL
               : err_at(a, ERR_CONFLICT, "retention.taken", STR("name"),
                        "There is, or was, a rule with this name.");
}

const struct err *retentions_start(struct pg *pg, struct arena *a,
                                   struct str name, int64_t now, struct str by)
{
    struct retention r;
    bool done = false;
    TRY(rows_change(pg, a, SQL_RETENTION_START,
                    PG(pg_text(name), pg_moment(now), pg_text(by)), &done));
    if (done)
        return NULL;
    TRY(retentions_get(pg, a, name, &r));
    return r.removed_at ? &retention_record.unknown : NULL;
}

const struct err *retentions_remove(struct pg *pg, struct arena *a,
                                    struct str name, int64_t now,
                                    struct str by)
{
    return rows_must_change(pg, a, SQL_RETENTION_REMOVE,
                            PG(pg_text(name), pg_moment(now), pg_text(by)),
                            &retention_record.unknown);
}

const struct err *retentions_preview(struct pg *pg, struct arena *a,
                                     const struct retention *r, int64_t now,
                                     struct retentions_preview *out)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_RETENTION_PREVIEW,
                 PG(pg_number(r->days), pg_text(r->kind), pg_text(r->outcome),
                    pg_moment(now)),
                 &rows));
    out->n = pg_count(rows);
    out->v = arena_many(a, out->n + 1, struct retentions_part);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct retentions_part){.kind = pg_str(rows, i, 0),
                                             .outcome = pg_str(rows, i, 1),
                                             .n = pg_int(rows, i, 2),
                                             .unsealed = pg_int(rows, i, 3),
                                             .oldest = pg_int(rows, i, 4),
                                             .newest = pg_int(rows, i, 5)};
    return NULL;
}

const struct err *retentions_turn(struct pg *pg, struct arena *a, int64_t most,
                                  struct retentions_turn *out)
{
    struct pg_rows *r = NULL;
    *out = (struct retentions_turn){.questions = 0};
    TRY(rows_alone(pg, a, SQL_RETENTION_TURN, PG(pg_number(most)), &r));
    if (pg_count(r) > 0)
        *out = (struct retentions_turn){.rule = pg_str(r, 0, 0),
                                        .questions = pg_int(r, 0, 1)};
    return NULL;
}

const struct err *retentions_erase(struct pg *pg, struct arena *a,
                                   const struct retentions_turn *turn,
                                   struct retentions_batch *out)
{
    struct pg_rows *r = NULL;
    *out = (struct retentions_batch){.looked = 0};
    TRY(rows_alone(pg, a, SQL_RETENTION_ERASE,
                   PG(pg_text(turn->rule), pg_number(turn->questions)), &r));
    if (pg_count(r) > 0)
        *out = (struct retentions_batch){.looked = pg_int(r, 0, 0),
                                         .questions = pg_int(r, 0, 1),
                                         .intents = pg_int(r, 0, 2),
                                         .left_out = pg_str(r, 0, 3)};
    return NULL;
}

const struct err *retentions_again(struct pg *pg, struct arena *a)
{
    return pg_query(pg, a, SQL_RETENTION_AGAIN, NULL, NULL);
}

const struct err *retentions_hold(struct pg *pg, struct arena *a)
{
    return pg_query(pg, a, SQL_RETENTION_HOLD, NULL, NULL);
}

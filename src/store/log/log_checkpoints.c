/* Checkpoints of the log, and the signing keys, in the database. */
#include "store/log/log_checkpoints.h"

#include "store/rows.h"

const struct err *log_checkpoints_get(struct pg *pg, struct arena *a,
                                      struct str id,
                                      struct log_checkpoint *out)
{
    return rows_get(pg, a, SQL_LOG_CHECKPOINT_GET, PG(pg_text(id)),
                    &log_checkpoint_record, out);
}

void log_checkpoints_queue(struct pg *pg, struct arena *a,
                           const struct log_checkpoint *c)
{
    rows_queue(pg, a, SQL_LOG_CHECKPOINT_INSERT, NULL, &log_checkpoint_record,
               IN_INSERT, c);
}

const struct err *log_checkpoints_of(struct pg *pg, struct arena *a,
                                     int64_t epoch, const struct str *ids,
                                     size_t n,
                                     struct log_checkpoints_open **out,
                                     size_t *out_n)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECKPOINT_OPEN,
                 PG(pg_number(epoch), pg_texts(ids, n)), &r));
    *out_n = pg_count(r);
    *out = arena_many(a, *out_n + 1, struct log_checkpoints_open);
    for (size_t i = 0; i < *out_n; i++)
        (*out)[i] = (struct log_checkpoints_open){
            .intent_id = pg_str(r, i, 0),
            .first = pg_int(r, i, 1),
            .last = pg_int(r, i, 2),
            .ended = pg_bool(r, i, 3)};
    return NULL;
}

const struct err *log_checkpoints_server(struct pg *pg, struct arena *a,
                                         int64_t epoch, int64_t *last,
                                         int64_t *at)
{
    struct pg_rows *r = NULL;
    *last = *at = 0;
    TRY(pg_query(pg, a, SQL_LOG_CHECKPOINT_SERVER, PG(pg_number(epoch)), &r));
    if (pg_count(r) > 0) {
        *last = pg_int(r, 0, 0);
        *at = pg_int(r, 0, 1);
    }
    return NULL;
}

const struct err *signing_keys_list(struct pg *pg, struct arena *a,
                                    struct signing_key_rows *out)
{
    return rows_list(pg, a, SQL_SIGNING_KEY_LIST, NULL, &signing_key_record,
                     &out->v, &out->n);
}

const struct err *signing_keys_insert(struct pg *pg, struct arena *a,
                                      const struct signing_key *k)
{
    rows_queue(pg, a, SQL_SIGNING_KEY_INSERT, NULL, &signing_key_record,
               IN_INSERT, k);
    return pg_run(pg, a, NULL);
}

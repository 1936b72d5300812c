/* Checkpoints of the log that are to be stamped, in the database. */
#include "store/log/log_anchors.h"

#include "store/rows.h"

const struct err *log_anchors_ask(struct pg *pg, struct arena *a,
                                  const struct log_checkpoint *c,
                                  int64_t now)
{
    return pg_query(
        pg, a, SQL_LOG_ANCHOR_ASK,
        PG(pg_text(c->id), pg_text(c->intent_id), pg_moment(now)), NULL);
}

const struct err *log_anchors_failure(struct pg *pg, struct arena *a,
                                      struct str checkpoint_id,
                                      struct str *out)
{
    return rows_text(pg, a, SQL_LOG_ANCHOR_FAILURE,
                     PG(pg_text(checkpoint_id)), out);
}

const struct err *log_anchors_take(struct pg *pg, struct arena *a, int64_t now,
                                   int64_t again, struct log_anchors_item *out)
{
    struct pg_rows *r = NULL;
    *out = (struct log_anchors_item){.checkpoint_id = STR_NONE};
    TRY(pg_query(pg, a, SQL_LOG_ANCHOR_TAKE,
                 PG(pg_moment(now), pg_moment(again)), &r));
    if (pg_count(r) > 0) {
        out->checkpoint_id = pg_str(r, 0, 0);
        out->merkle_root = pg_str(r, 0, 1);
        out->tries = pg_int(r, 0, 2);
    }
    return NULL;
}

const struct err *log_anchors_end(struct pg *pg, struct arena *a,
                                  const struct log_anchors_try *t)
{
    return pg_query(pg, a, SQL_LOG_ANCHOR_END,
                    PG(pg_text(t->checkpoint_id), pg_text(t->failure),
                       pg_text(t->anchor), pg_moment(t->next_at)),
                    NULL);
}

const struct err *log_anchors_done(struct pg *pg, struct arena *a,
                                   struct str **ids, size_t *n)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_DUE_ANCHORS_DONE, NULL, &r));
    *n = pg_count(r);
    *ids = arena_many(a, *n + 1, struct str);
    for (size_t i = 0; i < *n; i++)
        (*ids)[i] = pg_str(r, i, 0);
    return NULL;
}

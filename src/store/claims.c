/* Claims about what a restore lost, in the database: struct in, struct out.
 * Decides nothing. */
#include "store/claims.h"

#include "store/sql.gen.h"
#include "store/tables.h"

static struct claims rows(const struct pg_rows *r)
{
    struct claims out = {.n = pg_count(r)};
    if (out.n > CLAIMS_MAX)
        out.n = CLAIMS_MAX;
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = (struct claim){.said = pg_str(r, i, 0),
                                  .said_sha256 = pg_str(r, i, 1),
                                  .by = pg_str(r, i, 2),
                                  .at = pg_int(r, i, 3)};
    return out;
}

const struct err *claims_list(struct pg *pg, struct arena *a,
                              const struct suspension *s, struct claims *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    *out = (struct claims){.n = 0};
    if (tables_restore().epoch == 0 ||
        s->suspended_at > tables_restore().open_until)
        return NULL;
    pg_arg(&args, s->id);
    TRY(pg_query(pg, a, SQL_CLAIM_LIST, &args, &r));
    *out = rows(r);
    return NULL;
}

const struct err *claims_begin(struct pg *pg, struct arena *a,
                               const struct suspension *s, bool *lost,
                               struct claims *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r[3] = {NULL};
    pg_arg(&args, s->id);
    pg_queue(pg, SQL_INTENT_TAKE_OF_SUSPENSION, &args);
    pg_queue(pg, SQL_CLAIM_LOSS, &args);
    pg_queue(pg, SQL_CLAIM_LIST, &args);
    TRY(pg_run(pg, a, r));
    *lost = pg_bool(r[1], 0, 0);
    *out = rows(r[2]);
    return NULL;
}

void claims_queue_insert(struct pg *pg, struct arena *a, struct str id,
                         const struct claim *c, size_t n, struct str key_id)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, id);
    pg_arg_int(&args, (int64_t)n);
    pg_arg(&args, c->said);
    pg_arg(&args, c->said_sha256);
    pg_arg(&args, c->by);
    pg_arg(&args, key_id);
    pg_arg_time(&args, c->at);
    pg_queue(pg, SQL_CLAIM_INSERT, &args);
}

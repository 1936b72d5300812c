/* The signing keys of the log in the database. */
#include "store/log/signing_keys.h"

#include "store/rows.h"

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

const struct signing_key *signing_keys_in(const struct signing_key_rows *rows,
                                          enum signing_key_state state)
{
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->v[i].state == state)
            return &rows->v[i];
    }
    return NULL;
}

const struct err *signing_keys_succeed(struct pg *pg, struct arena *a,
                                       struct str kid, struct str statement)
{
    return pg_query(pg, a, SQL_SIGNING_KEY_SUCCEED,
                    PG(pg_text(kid), pg_text(statement)), NULL);
}

const struct err *signing_keys_turn(struct pg *pg, struct arena *a,
                                    int64_t now)
{
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, SQL_SIGNING_KEY_REST, PG(pg_moment(now)));
    pg_queue(pg, a, SQL_SIGNING_KEY_TURN, PG(pg_moment(now)));
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    return pg_run(pg, a, NULL);
}

const struct err *signing_keys_end(struct pg *pg, struct arena *a,
                                   struct str kid,
                                   enum signing_key_state state, int64_t now,
                                   bool *found)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_SIGNING_KEY_END,
                 PG(pg_text(kid),
                    pg_text(vocabulary_signing_key_state(state)->wire),
                    pg_moment(now)),
                 &r));
    *found = pg_affected(r) > 0;
    return NULL;
}

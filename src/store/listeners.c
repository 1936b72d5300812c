/* Who listens to streams, and whether they still may.
 *
 * Entered by the process that holds streams, every some seconds. Changes
 * nothing: a stream does not keep a session from growing idle. */
#include "store/listeners.h"

#include "store/principals.h"
#include "store/sql.gen.h"

static void ids_arg(struct pg_args *args, struct arena *a,
                    const struct listener *v, size_t n, bool session)
{
    struct str *ids = arena_many(a, n + 1, struct str);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i].session == session)
            ids[k++] = v[i].id;
    pg_arg_texts(args, ids, k);
}

static void mark(struct listener *v, size_t n, bool session,
                 const struct pg_rows *rows)
{
    for (size_t r = 0; r < pg_count(rows); r++)
        for (size_t i = 0; i < n; i++)
            if (v[i].session == session &&
                str_eq(v[i].id, pg_str(rows, r, 0)))
                v[i].may = true;
}

const struct err *listeners_check(struct pg *pg, struct arena *a,
                                  struct listener *v, size_t n, int64_t now)
{
    struct pg_args keys = pg_args(a), sessions = pg_args(a);
    struct pg_rows *rows[2] = {NULL};
    if (n > LISTENERS_MAX)
        return ERROR(ERR_INTERNAL, "internal", "Too many listeners at once.");
    ids_arg(&keys, a, v, n, false);
    pg_arg_time(&keys, now);
    ids_arg(&sessions, a, v, n, true);
    pg_arg_time(&sessions, now);
    pg_arg_time(&sessions, now - PRINCIPALS_SESSION_IDLE);
    pg_queue(pg, SQL_LISTENER_KEYS, &keys);
    pg_queue(pg, SQL_LISTENER_SESSIONS, &sessions);
    TRY(pg_run(pg, a, rows));
    mark(v, n, false, rows[0]);
    mark(v, n, true, rows[1]);
    return NULL;
}

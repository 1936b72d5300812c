/* The owners of streams, and their current rights.
 *
 * Called every few seconds by the process that holds streams. Changes nothing:
 * a stream does not extend an idle session. */
#include "store/sending/stream_access.h"

#include "store/person/sessions.h"
#include "store/sql.gen.h"

static struct str stream_access_or_empty(struct str s)
{
    return s.p ? s : STR("");
}

/* By index: one key may have streams of several intents. */
static void stream_access_keys_arg(struct pg_list *args, struct arena *a,
                                   struct listener **v, size_t n)
{
    struct str *texts[3];
    for (size_t c = 0; c < countof(texts); c++)
        texts[c] = arena_many(a, n + 1, struct str);
    for (size_t i = 0; i < n; i++) {
        texts[0][i] = v[i]->id;
        texts[1][i] = stream_access_or_empty(v[i]->agent);
        texts[2][i] = stream_access_or_empty(v[i]->intent_id);
    }
    for (size_t c = 0; c < countof(texts); c++)
        pg_add(args, pg_texts(texts[c], n));
}

static void stream_access_sessions_arg(struct pg_list *args, struct arena *a,
                                       struct listener **v, size_t n)
{
    struct str *ids = arena_many(a, n + 1, struct str);
    for (size_t i = 0; i < n; i++)
        ids[i] = v[i]->id;
    pg_add(args, pg_texts(ids, n));
}

/* Those of one kind; returns the number. */
static size_t stream_access_pick(struct listener **out, struct listener *v,
                                 size_t n, bool session)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i].session == session)
            out[k++] = &v[i];
    return k;
}

const struct err *stream_access_check(struct pg *pg, struct arena *a,
                                      struct listener *v, size_t n,
                                      int64_t now)
{
    struct pg_list keys = {0}, sessions = {0};
    struct pg_rows *rows[2] = {NULL};
    if (n > STREAM_ACCESS_MAX)
        return ERROR(ERR_INTERNAL, "internal", "There are too many listeners "
                                               "at once.");
    struct listener **key = arena_many(a, n + 1, struct listener *);
    struct listener **person = arena_many(a, n + 1, struct listener *);
    const size_t n_key = stream_access_pick(key, v, n, false);
    const size_t n_person = stream_access_pick(person, v, n, true);
    stream_access_keys_arg(&keys, a, key, n_key);
    pg_add(&keys, pg_moment(now));
    stream_access_sessions_arg(&sessions, a, person, n_person);
    pg_add(&sessions, pg_moment(now));
    pg_add(&sessions, pg_moment(now - SESSIONS_IDLE));
    pg_queue(pg, a, SQL_LISTENER_KEYS, PG_ALL(&keys));
    pg_queue(pg, a, SQL_LISTENER_SESSIONS, PG_ALL(&sessions));
    TRY(pg_run(pg, a, rows));
    for (size_t r = 0; r < pg_count(rows[0]); r++) {
        const int64_t place = pg_int(rows[0], r, 0);
        if (place >= 1 && (size_t)place <= n_key)
            key[place - 1]->may = true;
    }
    for (size_t r = 0; r < pg_count(rows[1]); r++)
        for (size_t i = 0; i < n_person; i++)
            if (str_eq(person[i]->id, pg_str(rows[1], r, 0)))
                person[i]->may = true;
    return NULL;
}

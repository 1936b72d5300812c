/* The owners of streams, and their current rights.
 *
 * Called every few seconds by the process that holds streams. Changes nothing:
 * a stream does not extend an idle session. */
#include "store/sending/stream_access.h"

#include "store/person/sessions.h"
#include "store/sql.gen.h"

/* The listeners of one kind, and the texts of the statement about them. */
struct stream_access {
    struct listener **v;
    struct str *ids, *agents, *intents;
    size_t n;
};

static struct stream_access stream_access_pick(struct arena *a,
                                               struct listener *v, size_t n,
                                               bool session)
{
    struct stream_access out = {.v = arena_many(a, n + 1, struct listener *),
                                .ids = arena_many(a, n + 1, struct str),
                                .agents = arena_many(a, n + 1, struct str),
                                .intents = arena_many(a, n + 1, struct str)};
    for (size_t i = 0; i < n; i++) {
        if (v[i].session != session)
            continue;
        out.v[out.n] = &v[i];
        out.ids[out.n] = v[i].id;
        out.agents[out.n] = v[i].agent.p ? v[i].agent : STR("");
        out.intents[out.n++] = v[i].intent_id.p ? v[i].intent_id : STR("");
    }
    return out;
}

const struct err *stream_access_check(struct pg *pg, struct arena *a,
                                      struct listener *v, size_t n,
                                      int64_t now)
{
    struct pg_rows *rows[2] = {NULL};
    if (n > STREAM_ACCESS_MAX)
        return ERROR(ERR_INTERNAL, "internal", "There are too many listeners "
                                               "at once.");
    const struct stream_access keys = stream_access_pick(a, v, n, false);
    const struct stream_access people = stream_access_pick(a, v, n, true);
    pg_queue(pg, a, SQL_LISTENER_KEYS,
             PG(pg_texts(keys.ids, keys.n), pg_texts(keys.agents, keys.n),
                pg_texts(keys.intents, keys.n), pg_moment(now)));
    pg_queue(pg, a, SQL_LISTENER_SESSIONS,
             PG(pg_texts(people.ids, people.n), pg_moment(now),
                pg_moment(now - SESSIONS_IDLE)));
    TRY(pg_run(pg, a, rows));
    /* By position: one key may have streams of several intents. */
    for (size_t r = 0; r < pg_count(rows[0]); r++) {
        const int64_t place = pg_int(rows[0], r, 0);
        if (place >= 1 && (size_t)place <= keys.n)
            keys.v[place - 1]->may = true;
    }
    for (size_t r = 0; r < pg_count(rows[1]); r++) {
        for (size_t i = 0; i < people.n; i++) {
            if (str_eq(people.ids[i], pg_str(rows[1], r, 0)))
                people.v[i]->may = true;
        }
    }
    return NULL;
}

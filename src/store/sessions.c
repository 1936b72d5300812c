/* Active sessions, and ending them. A session is named by the digest of its
 * cookie, which gives no access. */
#include "store/sessions.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "store/principals.h"
#include "store/sql.gen.h"

const struct err *sessions_list(struct pg *pg, struct arena *a,
                                struct str person, struct session_rows *out)
{
    struct pg_rows *r = NULL;
    const int64_t now = clock_now();
    TRY(pg_query(pg, a, SQL_SESSION_LIST,
                 PG(pg_number(SESSIONS_MAX + 1), pg_text(person),
                    pg_moment(now - PRINCIPALS_SESSION_IDLE), pg_moment(now)),
                 &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct session_row);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct session_row){.id = pg_str(r, i, 0),
                                         .person_id = pg_str(r, i, 1),
                                         .name = pg_str(r, i, 2),
                                         .email = pg_str(r, i, 3),
                                         .created_at = pg_int(r, i, 4),
                                         .seen_at = pg_int(r, i, 5)};
    return NULL;
}

const struct err *sessions_end(struct pg *pg, struct arena *a, struct str id,
                               struct str person, struct str *email)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_SESSION_END,
                 PG(pg_text(id), pg_text(person), pg_moment(clock_now())),
                 &r));
    *email = pg_count(r) > 0 ? pg_str(r, 0, 0) : STR_NONE;
    return NULL;
}

const struct err *sessions_end_all(struct pg *pg, struct arena *a,
                                   struct str person, struct str cookie)
{
    return pg_query(
        pg, a, SQL_SESSION_END_ALL,
        PG(pg_text(person),
           pg_text(cookie.p ? crypt_sha256_hex(a, cookie) : STR_NONE),
           pg_moment(clock_now())),
        NULL);
}

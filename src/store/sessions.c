/* Active sessions, and ending them. A session is named by the digest of its
 * cookie, which gives no access. */
#include "store/sessions.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "store/principals.h"
#include "store/rows.h"

static const struct record_field session_fields[] = {
    {RECORD_TEXT(session, id, IN_ROW), .column = "id_sha256"},
    {RECORD_TEXT(session, person_id, IN_ROW), .column = "principal_id"},
    {RECORD_TIME(session, created_at, IN_ROW)},
    {RECORD_TIME(session, seen_at, IN_ROW)},
    {RECORD_TEXT(session, name, IN_JOIN)},
    {RECORD_TEXT(session, email, IN_JOIN)},
};
static const struct record session_record =
    RECORD(session, "session", "operator_session");

const struct err *sessions_list(struct pg *pg, struct arena *a,
                                struct str person, struct session_rows *out)
{
    const int64_t now = clock_now();
    return rows_list(pg, a, SQL_SESSION_LIST,
                     PG(pg_number(SESSIONS_MAX + 1), pg_text(person),
                        pg_moment(now - PRINCIPALS_SESSION_IDLE),
                        pg_moment(now)),
                     &session_record, &out->v, &out->n);
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

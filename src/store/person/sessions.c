/* Sessions: whose one is, the active ones, and ending them. A session is named
 * by the digest of its cookie, which gives no access. */
#include "store/person/sessions.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/shared/clock_watch.h"
#include "store/rows.h"

#define MINUTE (60 * CLOCK_SECOND)

static const struct record_field session_fields[] = {
    {RECORD_TEXT(session, id, IN_ROW), .column = "id_sha256"},
    {RECORD_TEXT(session, person_id, IN_ROW), .column = "principal_id"},
    {RECORD_TIME(session, created_at, IN_ROW)},
    {RECORD_TIME(session, seen_at, IN_ROW)},
    {RECORD_TEXT(session, browser, IN_ROW)},
    {RECORD_TEXT(session, os, IN_ROW)},
    {RECORD_TEXT(session, address, IN_ROW)},
    {RECORD_TEXT(session, name, IN_JOIN)},
    {RECORD_TEXT(session, email, IN_JOIN)},
};
static const struct record session_record =
    RECORD(session, "session", "operator_session");

const struct err *sessions_find(struct pg *pg, struct arena *a,
                                struct str cookie,
                                struct principal *out, bool *found)
{
    struct pg_rows *r = NULL;
    const struct str digest = crypt_sha256_hex(a, cookie);
    const int64_t now = clock_now();
    *found = false;
    TRY(pg_query(pg, a, SQL_SESSION_FIND, PG(pg_text(digest)), &r));
    if (pg_count(r) == 0)
        return NULL;
    const int after = rows_columns(&person_record);
    const int64_t seen_at = pg_time(r, 0, after);
    if (pg_time(r, 0, after + 1) <= clock_watch_latest(now) ||
        now - seen_at > SESSIONS_IDLE)
        return NULL;
    struct person p;
    rows_read(&person_record, r, 0, &p);
    *found = true;
    *out = (struct principal){.role = p.role,
                              .person = true,
                              .id = p.id,
                              .person_id = p.id,
                              .name = p.email,
                              .title = p.name,
                              .groups = p.groups,
                              .account = p};
    if (now - seen_at < MINUTE)
        return NULL;
    return pg_query(pg, a, SQL_SESSION_SEEN,
                    PG(pg_text(digest), pg_moment(now)), NULL);
}

const struct err *sessions_leave(struct pg *pg, struct arena *a,
                                 struct str cookie)
{
    return pg_query(
        pg, a, SQL_SESSION_REVOKE,
        PG(pg_text(crypt_sha256_hex(a, cookie)), pg_moment(clock_now())),
        NULL);
}

const struct err *sessions_list(struct pg *pg, struct arena *a,
                                struct str person, struct session_rows *out)
{
    const int64_t now = clock_now();
    return rows_list(pg, a, SQL_SESSION_LIST,
                     PG(pg_number(SESSIONS_MAX + 1), pg_text(person),
                        pg_moment(now - SESSIONS_IDLE),
                        pg_moment(now)),
                     &session_record, &out->v, &out->n);
}

const struct err *sessions_end(struct pg *pg, struct arena *a, struct str id,
                               struct str person, struct str *email)
{
    return rows_text(pg, a, SQL_SESSION_END,
                     PG(pg_text(id), pg_text(person), pg_moment(clock_now())),
                     email);
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

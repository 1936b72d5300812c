/* Who may call: keys, people and their sessions in the database.
 *
 * Secrets come in, only digests of them go to the database. */
#include "store/principals.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/json.h"
#include "store/sql.gen.h"

#define MINUTE (60 * CLOCK_SECOND)

static const struct err *run1(struct pg *pg, struct arena *a, int statement,
                              const struct pg_args *args,
                              struct pg_rows **rows)
{
    pg_queue(pg, statement, args);
    return pg_run(pg, a, rows);
}

/* ---- keys ----------------------------------------------------------- */

static const struct err *check_key(const struct pg_rows *r, int64_t now)
{
    if (pg_count(r) == 0)
        return ERROR(ERR_UNAUTHENTICATED, "key.unknown",
                     "The API key is not known.");
    if (!pg_null(r, 0, 5))
        return ERROR(ERR_UNAUTHENTICATED, "key.revoked",
                     "The API key was revoked.");
    if (!pg_null(r, 0, 4) && pg_int(r, 0, 4) <= now)
        return ERROR(ERR_UNAUTHENTICATED, "key.expired",
                     "The API key has expired.");
    return NULL;
}

static const struct err *speak(struct arena *a, const struct pg_rows *r,
                               struct str asked, struct principal *out)
{
    struct json *list = NULL;
    struct str names[PRINCIPAL_AGENTS_MAX];
    size_t n = 0;
    TRY(json_parse(a, pg_str(r, 0, 3), &list));
    for (; n < json_count(list) && n < countof(names); n++)
        names[n] = json_text(json_at(list, n));
    return principal_speak(names, n, asked, out->name, &out->agent);
}

static const struct err *note_use(struct pg *pg, struct arena *a,
                                  const struct pg_rows *r, int64_t now)
{
    if (now - pg_int(r, 0, 6) < MINUTE)
        return NULL;
    struct pg_args args = pg_args(a);
    pg_arg(&args, pg_str(r, 0, 0));
    pg_arg_time(&args, now);
    return run1(pg, a, SQL_KEY_USED, &args, NULL);
}

const struct err *principals_by_key(struct pg *pg, struct arena *a,
                                    struct str key, struct str agent,
                                    struct principal *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    const int64_t now = clock_now();
    pg_arg(&args, crypt_sha256_hex(a, key));
    TRY(run1(pg, a, SQL_KEY_FIND, &args, &r));
    TRY(check_key(r, now));
    *out = (struct principal){.role = principal_role(pg_str(r, 0, 1)),
                              .id = pg_str(r, 0, 0),
                              .name = pg_str(r, 0, 2),
                              .title = pg_str(r, 0, 2)};
    if (out->role == ROLE_AGENT)
        TRY(speak(a, r, agent, out));
    return note_use(pg, a, r, now);
}

/* ---- sessions ------------------------------------------------------- */

const struct err *principals_by_session(struct pg *pg, struct arena *a,
                                        struct str cookie,
                                        struct principal *out, bool *found)
{
    struct pg_args args = pg_args(a), seen = pg_args(a);
    struct pg_rows *r = NULL;
    const struct str digest = crypt_sha256_hex(a, cookie);
    const int64_t now = clock_now();
    *found = false;
    pg_arg(&args, digest);
    TRY(run1(pg, a, SQL_SESSION_FIND, &args, &r));
    if (pg_count(r) == 0 || pg_int(r, 0, 5) <= now ||
        now - pg_int(r, 0, 4) > PRINCIPALS_SESSION_IDLE)
        return NULL;
    *found = true;
    *out = (struct principal){.role = principal_role(pg_str(r, 0, 1)),
                              .person = true,
                              .id = pg_str(r, 0, 0),
                              .name = pg_str(r, 0, 2),
                              .title = pg_str(r, 0, 3)};
    if (now - pg_int(r, 0, 4) < MINUTE)
        return NULL;
    pg_arg(&seen, digest);
    pg_arg_time(&seen, now);
    return run1(pg, a, SQL_SESSION_SEEN, &seen, NULL);
}

const struct err *principals_login(struct pg *pg, struct arena *a,
                                   struct str email, struct login *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    *out = (struct login){.found = false};
    pg_arg(&args, email);
    TRY(run1(pg, a, SQL_OPERATOR_FIND, &args, &r));
    if (pg_count(r) == 0)
        return NULL;
    *out = (struct login){.found = true,
                          .id = pg_str(r, 0, 0),
                          .password_hash = pg_str(r, 0, 4),
                          .failures = pg_int(r, 0, 5),
                          .failed_at = pg_int(r, 0, 6),
                          .disabled = pg_bool(r, 0, 7)};
    return NULL;
}

const struct err *principals_failed(struct pg *pg, struct arena *a,
                                    struct str id)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, id);
    pg_arg_time(&args, clock_now());
    return run1(pg, a, SQL_OPERATOR_FAILED, &args, NULL);
}

const struct err *principals_enter(struct pg *pg, struct arena *a,
                                   struct str id, struct str *cookie)
{
    struct pg_args entered = pg_args(a), session = pg_args(a);
    const int64_t now = clock_now();
    *cookie = crypt_token(a, 32);
    pg_arg(&entered, id);
    pg_arg(&entered, STR_NONE);
    pg_arg(&session, crypt_sha256_hex(a, *cookie));
    pg_arg(&session, id);
    pg_arg_time(&session, now);
    pg_arg_time(&session, now + PRINCIPALS_SESSION_LIFE);
    pg_queue(pg, SQL_OPERATOR_ENTERED, &entered);
    return run1(pg, a, SQL_SESSION_INSERT, &session, NULL);
}

const struct err *principals_leave(struct pg *pg, struct arena *a,
                                   struct str cookie)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, crypt_sha256_hex(a, cookie));
    pg_arg_time(&args, clock_now());
    return run1(pg, a, SQL_SESSION_REVOKE, &args, NULL);
}

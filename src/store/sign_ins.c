/* Signing in, in the database. */
#include "store/sign_ins.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "store/principals.h"
#include "store/sql.gen.h"

static struct str digest(struct arena *a, struct str s)
{
    return s.p ? crypt_sha256_hex(a, s) : STR_NONE;
}

const struct err *sign_ins_find(struct pg *pg, struct arena *a,
                                const struct sign_ins_try *t,
                                struct sign_ins_found *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, t->email);
    pg_arg(&args, digest(a, t->browser));
    pg_arg(&args, digest(a, t->email));
    pg_arg(&args, t->network);
    pg_arg_time(&args, clock_now() - SIGN_INS_FORGOTTEN);
    TRY(pg_query(pg, a, SQL_SIGN_IN_FIND, &args, &r));
    *out = (struct sign_ins_found){.found = pg_str(r, 0, 0).p != NULL,
                                   .id = pg_str(r, 0, 0),
                                   .password_hash = pg_str(r, 0, 1),
                                   .disabled = pg_bool(r, 0, 2),
                                   .known = pg_bool(r, 0, 3),
                                   .failures = pg_int(r, 0, 4),
                                   .failed_at = pg_int(r, 0, 5)};
    return NULL;
}

const struct err *sign_ins_guesses(struct pg *pg, struct arena *a,
                                   struct str email, struct str person_id,
                                   struct sign_ins_guesses *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, digest(a, email));
    pg_arg(&args, person_id);
    pg_arg_time(&args, clock_now() - SIGN_INS_FORGOTTEN);
    TRY(pg_query(pg, a, SQL_SIGN_IN_GUESSES, &args, &r));
    *out = (struct sign_ins_guesses){.tries = pg_int(r, 0, 0),
                                     .networks = pg_int(r, 0, 1)};
    return NULL;
}

const struct err *sign_ins_failed(struct pg *pg, struct arena *a,
                                  const struct sign_ins_try *t,
                                  const struct sign_ins_found *found)
{
    struct pg_args args = pg_args(a);
    const int64_t now = clock_now();
    pg_arg(&args, digest(a, found->known ? t->browser : t->email));
    pg_arg(&args, found->known ? found->id : t->network);
    pg_arg_time(&args, now);
    pg_arg_time(&args, now - SIGN_INS_FORGOTTEN);
    return pg_query(pg, a,
                    found->known ? SQL_SIGN_IN_KNOWN_FAILED
                                 : SQL_SIGN_IN_FAILED,
                    &args, NULL);
}

const struct err *sign_ins_enter(struct pg *pg, struct arena *a,
                                 const struct sign_ins_try *t, struct str id,
                                 struct str browser, struct str *cookie)
{
    struct pg_args entered = pg_args(a), session = pg_args(a);
    struct pg_args known = pg_args(a), forgiven = pg_args(a);
    const int64_t now = clock_now();
    *cookie = crypt_token(a, 32);
    pg_arg(&entered, id);
    pg_arg_time(&entered, now);
    pg_queue(pg, SQL_OPERATOR_ENTERED, &entered);
    pg_arg(&known, digest(a, browser));
    pg_arg(&known, id);
    pg_arg_time(&known, now);
    pg_queue(pg, SQL_SIGN_IN_KNOWN, &known);
    pg_arg(&forgiven, digest(a, t->email));
    pg_arg(&forgiven, t->network);
    pg_queue(pg, SQL_SIGN_IN_FORGIVE, &forgiven);
    pg_arg(&session, digest(a, *cookie));
    pg_arg(&session, id);
    pg_arg_time(&session, now);
    pg_arg_time(&session,
                clock_watch_latest(now) + PRINCIPALS_SESSION_LIFE);
    pg_queue(pg, SQL_SESSION_INSERT, &session);
    pg_queue(pg, SQL_COMMIT, NULL);
    return pg_run(pg, a, NULL);
}

/* Signing in, in the database. */
#include "store/person/sign_ins.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/shared/clock_watch.h"
#include "store/person/sessions.h"
#include "store/sql.gen.h"

static struct str sign_ins_digest(struct arena *a, struct str s)
{
    return s.p ? crypt_sha256_hex(a, s) : STR_NONE;
}

const struct err *sign_ins_find(struct pg *pg, struct arena *a,
                                const struct sign_ins_try *t,
                                struct sign_ins_found *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_SIGN_IN_FIND,
                 PG(pg_text(t->email), pg_text(sign_ins_digest(a, t->browser)),
                    pg_text(sign_ins_digest(a, t->email)), pg_text(t->network),
                    pg_moment(clock_now() - SIGN_INS_FORGOTTEN)),
                 &r));
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
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_SIGN_IN_GUESSES,
                 PG(pg_text(sign_ins_digest(a, email)), pg_text(person_id),
                    pg_moment(clock_now() - SIGN_INS_FORGOTTEN)),
                 &r));
    *out = (struct sign_ins_guesses){.tries = pg_int(r, 0, 0),
                                     .networks = pg_int(r, 0, 1)};
    return NULL;
}

const struct err *sign_ins_failed(struct pg *pg, struct arena *a,
                                  const struct sign_ins_try *t,
                                  const struct sign_ins_found *found)
{
    const int64_t now = clock_now();
    return pg_query(
        pg, a, found->known ? SQL_SIGN_IN_KNOWN_FAILED : SQL_SIGN_IN_FAILED,
        PG(pg_text(sign_ins_digest(a, found->known ? t->browser : t->email)),
           pg_text(found->known ? found->id : t->network), pg_moment(now),
           pg_moment(now - SIGN_INS_FORGOTTEN)),
        NULL);
}

const struct err *sign_ins_enter(struct pg *pg, struct arena *a,
                                 const struct sign_ins_try *t, struct str id,
                                 struct str browser, struct str *cookie)
{
    const int64_t now = clock_now();
    *cookie = crypt_token(a, 32);
    pg_queue(pg, a, SQL_PERSON_SIGNED_IN, PG(pg_text(id), pg_moment(now)));
    pg_queue(
        pg, a, SQL_SIGN_IN_KNOWN,
        PG(pg_text(sign_ins_digest(a, browser)), pg_text(id), pg_moment(now)));
    pg_queue(pg, a, SQL_SIGN_IN_FORGIVE,
             PG(pg_text(sign_ins_digest(a, t->email)), pg_text(t->network)));
    pg_queue(pg, a, SQL_SESSION_INSERT,
             PG(pg_text(sign_ins_digest(a, *cookie)), pg_text(id),
                pg_moment(now),
                pg_moment(clock_watch_latest(now) + SESSIONS_LIFE),
                pg_text(t->browser_name), pg_text(t->os),
                pg_text(t->address)));
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    return pg_run(pg, a, NULL);
}

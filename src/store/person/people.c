/* People who may sign in, for the settings pages and commands.
 *
 * Struct in, struct out; their fields and changes are checked by
 * domain/intent/person.h. A password is passed as its hash. */
#include "store/person/people.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "store/question/suspensions.h"
#include "store/rows.h"
#include "world/pg/pg_error.h"

/* ---- reading -------------------------------------------------------- */

const struct err *people_list(struct pg *pg, struct arena *a, struct str name,
                              struct str email, struct person_rows *out)
{
    return rows_list(pg, a, SQL_PERSON_LIST,
                     PG(pg_number(PEOPLE_PAGE + 1), pg_text(name),
                        pg_text(email)),
                     &person_record, &out->v, &out->n);
}

const struct err *people_get(struct pg *pg, struct arena *a, struct str id,
                             struct person *out)
{
    return rows_by_id(pg, a, SQL_PERSON_GET, id, &person_record, out);
}

const struct err *people_groups(struct pg *pg, struct arena *a,
                                struct group_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(suspensions_in_order(
        pg, a, SQL_GROUP_LIST,
        PG(pg_number(PEOPLE_GROUPS_MAX), pg_moment(clock_now())), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct group);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct group){.name = pg_str(r, i, 0),
                                   .people_n = pg_int(r, i, 1),
                                   .people = pg_str(r, i, 2),
                                   .keys_n = pg_int(r, i, 3),
                                   .keys = pg_str(r, i, 4),
                                   .open = pg_int(r, i, 5)};
    return NULL;
}

/* ---- writing -------------------------------------------------------- */

const struct err *people_insert(struct pg *pg, struct arena *a,
                                const struct person *p,
                                struct str password_hash)
{
    struct person new = *p;
    new.password_hash = password_hash;
    rows_queue(pg, a, SQL_PERSON_INSERT, NULL, &person_record, IN_INSERT,
               &new);
    const struct err *e = pg_run(pg, a, NULL);
    return err_is(e, pg_error_conflict)
               ? err_at(a, ERR_CONFLICT, "person.taken", STR("email"),
                        "A person with this e-mail address already exists.")
               : e;
}

const struct err *people_lock(struct pg *pg, struct arena *a, struct str id,
                              struct str by, struct person_locked *out)
{
    struct pg_rows *r[2] = {NULL, NULL};
    bool there = false, may = false;
    if (!id_uuid(id))
        return &person_record.unknown;
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, SQL_PERSON_LOCK, PG(pg_text(id)));
    TRY(pg_run(pg, a, r));
    *out = (struct person_locked){.admins = 0};
    for (size_t i = 0; i < pg_count(r[1]); i++) {
        struct person p;
        rows_read(&person_record, r[1], i, &p);
        const bool admin = p.role == ROLE_ADMIN && !p.disabled_at;
        may = may || (admin && str_eq(p.id, by));
        if (str_eq(p.id, id)) {
            there = true;
            out->person = p;
        } else if (admin) {
            out->admins++;
        }
    }
    if (may && there)
        return NULL;
    pg_rollback(pg);
    return may ? &person_record.unknown
               : ERROR(ERR_FORBIDDEN, "role.forbidden",
                       "Your role does not allow this.");
}

const struct err *people_lock_email(struct pg *pg, struct arena *a,
                                    struct str email, struct person *out,
                                    bool *found)
{
    TRY(pg_query(pg, a, SQL_BEGIN, NULL, NULL));
    return rows_find(pg, a, SQL_PERSON_LOCK_EMAIL, PG(pg_text(email)),
                     &person_record, out, found);
}

const struct err *people_still(struct pg *pg, struct arena *a, struct str id,
                               struct str tried)
{
    struct pg_rows *r[2] = {NULL, NULL};
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, SQL_PERSON_STILL, PG(pg_text(id), pg_text(tried)));
    TRY(pg_run(pg, a, r));
    if (pg_count(r[1]) > 0)
        return NULL;
    pg_rollback(pg);
    return ERROR(ERR_CONFLICT, "person.changed",
                 "The account was changed at this moment. Sign in again.");
}

/* The session of the cookie stays; p NULL: none does. */
static void people_queue_end(struct pg *pg, struct arena *a, struct str id,
                             struct str cookie)
{
    const int64_t now = clock_now();
    const struct pg_args *timed = PG(pg_text(id), pg_moment(now));
    pg_queue(pg, a, SQL_SECRET_END, PG(pg_text(id)));
    pg_queue(pg, a, SQL_SESSION_END_ALL,
             PG(pg_text(id),
                pg_text(cookie.p ? crypt_sha256_hex(a, cookie) : STR_NONE),
                pg_moment(now)));
    pg_queue(pg, a, SQL_KEY_END_TOKENS, timed);
    pg_queue(pg, a, SQL_INITIATION_END, timed);
}

const struct err *people_update(struct pg *pg, struct arena *a,
                                const struct person *p)
{
    rows_queue(pg, a, SQL_PERSON_UPDATE, PG(pg_text(p->id)), &person_record,
               IN_UPDATE, p);
    if (p->disabled_at)
        people_queue_end(pg, a, p->id, STR_NONE);
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    return pg_run(pg, a, NULL);
}

const struct err *people_profile(struct pg *pg, struct arena *a,
                                 const struct person *p)
{
    rows_queue(pg, a, SQL_PERSON_PROFILE, PG(pg_text(p->id)), &person_record,
               IN_PART, p);
    return pg_run(pg, a, NULL);
}

const struct err *people_password(struct pg *pg, struct arena *a,
                                  struct str id, struct str password_hash,
                                  struct str cookie)
{
    if (!pg_in_transaction(pg))
        pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, SQL_PERSON_PASSWORD,
             PG(pg_text(id), pg_text(password_hash)));
    people_queue_end(pg, a, id, cookie);
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    return pg_run(pg, a, NULL);
}

/* ---- possible responders --------------------------------------------- */

const struct err *people_there(struct pg *pg, struct arena *a,
                               const struct people_wanted *who,
                               bool *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PERSON_THERE,
                 PG(pg_text(who->group), pg_text(who->name),
                    pg_moment(clock_now()), pg_flag(who->users)),
                 &r));
    *out = pg_count(r) > 0;
    return NULL;
}

const struct err *people_names(struct pg *pg, struct arena *a,
                               const struct str *ids, size_t n,
                               struct str *names, size_t *found)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PERSON_NAMES, PG(pg_texts(ids, n)), &r));
    *found = pg_count(r);
    for (size_t i = 0; i < *found; i++)
        names[i] = pg_str(r, i, 0);
    return NULL;
}

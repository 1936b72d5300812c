/* People who may sign in, for the settings pages and commands.
 *
 * Struct in, struct out; their fields and changes are checked by
 * domain/intent/person.h. A password is passed as its hash. */
#include "store/people.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "store/sql.gen.h"
#include "store/suspensions.h"
#include "world/pg/pg_error.h"

static const struct err *unknown(void)
{
    return ERROR(ERR_NOT_FOUND, "person.unknown",
                 "There is no person with this id.");
}

/* The columns of person_list, person_get and person_lock. */
enum { ID, EMAIL, NAME, ROLE, GROUPS, BULK, ZONE, THEME, CREATED, SIGNED_IN,
       DISABLED, SINGLE_KEY };

static struct person row(const struct pg_rows *r, size_t i)
{
    return (struct person){.id = pg_str(r, i, ID),
                           .email = pg_str(r, i, EMAIL),
                           .name = pg_str(r, i, NAME),
                           .role = principal_role(pg_str(r, i, ROLE)),
                           .groups = pg_str(r, i, GROUPS),
                           .bulk_limit =
                               vocabulary_severity_of(pg_str(r, i, BULK)),
                           .time_zone = pg_str(r, i, ZONE),
                           .theme = pg_str(r, i, THEME),
                           .created_at = pg_int(r, i, CREATED),
                           .signed_in_at = pg_int(r, i, SIGNED_IN),
                           .disabled_at = pg_int(r, i, DISABLED),
                           .single_key = pg_bool(r, i, SINGLE_KEY)};
}

/* ---- reading -------------------------------------------------------- */

const struct err *people_list(struct pg *pg, struct arena *a,
                              struct str after, struct person_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PERSON_LIST,
                 PG(pg_number(PEOPLE_PAGE + 1), pg_text(after)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct person);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = row(r, i);
    return NULL;
}

const struct err *people_get(struct pg *pg, struct arena *a, struct str id,
                             struct person *out)
{
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return unknown();
    TRY(pg_query(pg, a, SQL_PERSON_GET, PG(pg_text(id)), &r));
    if (pg_count(r) == 0)
        return unknown();
    *out = row(r, 0);
    return NULL;
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
    const struct err *e = pg_query(
        pg, a, SQL_PERSON_INSERT,
        PG(pg_text(p->id), pg_text(str_of(principal_role_word(p->role))),
           pg_text(p->email), pg_text(p->name), pg_text(password_hash),
           pg_moment(p->created_at), pg_text(p->groups),
           pg_text(vocabulary_severity(p->bulk_limit)->wire)),
        NULL);
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
        return unknown();
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, SQL_PERSON_LOCK, PG(pg_text(id)));
    TRY(pg_run(pg, a, r));
    *out = (struct person_locked){.admins = 0};
    for (size_t i = 0; i < pg_count(r[1]); i++) {
        const struct person p = row(r[1], i);
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
    return may ? unknown()
               : ERROR(ERR_FORBIDDEN, "role.forbidden",
                       "Your role does not allow this.");
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

void people_queue_end(struct pg *pg, struct arena *a, struct str id,
                      struct str cookie)
{
    struct pg_list timed = {0};
    const int64_t now = clock_now();
    pg_queue(pg, a, SQL_SECRET_END, PG(pg_text(id)));
    pg_queue(pg, a, SQL_SESSION_END_ALL,
             PG(pg_text(id),
                pg_text(cookie.p ? crypt_sha256_hex(a, cookie) : STR_NONE),
                pg_moment(now)));
    pg_add(&timed, pg_text(id));
    pg_add(&timed, pg_moment(now));
    pg_queue(pg, a, SQL_KEY_END_TOKENS, PG_ALL(&timed));
    pg_queue(pg, a, SQL_INITIATION_END, PG_ALL(&timed));
}

const struct err *people_update(struct pg *pg, struct arena *a,
                                const struct person *p)
{
    pg_queue(pg, a, SQL_PERSON_UPDATE,
             PG(pg_text(p->id), pg_text(str_of(principal_role_word(p->role))),
                pg_text(p->name), pg_text(p->groups),
                pg_text(vocabulary_severity(p->bulk_limit)->wire),
                pg_moment(p->disabled_at)));
    if (p->disabled_at)
        people_queue_end(pg, a, p->id, STR_NONE);
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    return pg_run(pg, a, NULL);
}

const struct err *people_profile(struct pg *pg, struct arena *a,
                                 const struct person *p)
{
    return pg_query(pg, a, SQL_PERSON_PROFILE,
                    PG(pg_text(p->id), pg_text(p->name), pg_text(p->time_zone),
                       pg_text(p->theme), pg_flag(p->single_key)),
                    NULL);
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

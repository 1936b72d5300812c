/* Browsers that subscribed to Web Push, in the database. */
#include "store/sending/person_pushes.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "store/person/sessions.h"
#include "store/rows.h"
#include "world/pg/pg_error.h"

/* Between two messages to one browser, which are empty. */
#define PAUSE (30 * CLOCK_SECOND)

const struct err *person_pushes_insert(struct pg *pg, struct arena *a,
                                       const struct person_push *p)
{
    struct pg_rows *r[4] = {NULL};
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, SQL_PERSON_PUSH_LOCK, PG(pg_text(p->person_id)));
    pg_queue(pg, a, SQL_PERSON_PUSH_DELETE,
             PG(pg_text(p->person_id), pg_text(p->address)));
    pg_queue(pg, a, SQL_PERSON_PUSH_INSERT,
             PG(pg_text(id_new(a)), pg_text(p->person_id),
                pg_text(crypt_sha256_hex(a, p->cookie)),
                pg_text(p->endpoint_id), pg_text(p->address),
                pg_text(vocabulary_severity(p->least)->wire), pg_flag(p->mine),
                pg_moment(p->now), pg_number(PERSON_PUSHES_MAX)));
    const struct err *e = pg_run(pg, a, r);
    if (err_is(e, pg_error_conflict))
        e = ERROR(ERR_CONFLICT, "push.taken",
                  "This browser has a subscription of somebody else.");
    else if (!e && pg_affected(r[3]) == 0)
        e = ERROR(ERR_CONFLICT, "push.too_many",
                  "You have as many browsers as are allowed. Turn off "
                  "another one first.");
    if (!e)
        return pg_query(pg, a, SQL_COMMIT, NULL, NULL);
    pg_rollback(pg);
    return e;
}

const struct err *person_pushes_delete(struct pg *pg, struct arena *a,
                                       struct str person_id,
                                       struct str address)
{
    return pg_query(pg, a, SQL_PERSON_PUSH_DELETE,
                    PG(pg_text(person_id), pg_text(address)), NULL);
}

const struct err *person_pushes_queue(struct pg *pg, struct arena *a,
                                      const struct str *ids, size_t n,
                                      int64_t now)
{
    return pg_query(pg, a, SQL_DUE_MAIL_PUSH,
                    PG(pg_texts(ids, n), pg_moment(now),
                       pg_moment(now - PAUSE), pg_moment(now - SESSIONS_IDLE)),
                    NULL);
}

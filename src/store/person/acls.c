/* The access control lists of intents in the database. */
#include "store/person/acls.h"

#include "store/rows.h"

/* ---- reading --------------------------------------------------------- */

const struct err *acls_list(struct pg *pg, struct arena *a,
                            struct str intent_id, int64_t now,
                            struct acl_rows *out)
{
    return rows_list(pg, a, SQL_ACL_LIST,
                     PG(pg_text(intent_id), pg_moment(now)), &acl_entry_record,
                     &out->v, &out->n);
}

const struct err *acls_all(struct pg *pg, struct arena *a,
                           struct str intent_id, struct acl_rows *out)
{
    return rows_list(pg, a, SQL_ACL_ALL, PG(pg_text(intent_id)),
                     &acl_entry_record, &out->v, &out->n);
}

const struct err *acls_ties(struct pg *pg, struct arena *a,
                            struct str intent_id, int64_t now,
                            struct acl_ties *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ACL_TIES, PG(pg_text(intent_id), pg_moment(now)),
                 &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct acl_tie);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct acl_tie){.agent = pg_str(r, i, 0),
                                     .access = (enum access)pg_int(r, i, 1),
                                     .until = pg_int(r, i, 2)};
    return NULL;
}

/* ---- changing -------------------------------------------------------- */

void acls_queue_put(struct pg *pg, struct arena *a, const struct acl_entry *e)
{
    rows_queue(pg, a, SQL_ACL_PUT, NULL, &acl_entry_record, IN_INSERT, e);
}

void acls_queue_remove(struct pg *pg, struct arena *a,
                       const struct acl_entry *v, size_t n)
{
    struct str *ids = arena_many(a, n + 1, struct str);
    for (size_t i = 0; i < n; i++)
        ids[i] = v[i].id;
    if (n > 0)
        pg_queue(pg, a, SQL_ACL_REMOVE, PG(pg_texts(ids, n)));
}

/* ---- requests --------------------------------------------------------- */

const struct err *acls_requests(struct pg *pg, struct arena *a,
                                struct str intent_id,
                                struct suspension_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ACL_REQUESTS, PG(pg_text(intent_id)), &r));
    *out = suspensions_rows(a, r);
    return NULL;
}

const struct err *acls_requested(struct pg *pg, struct arena *a,
                                 struct str intent_id,
                                 const struct suspension *s,
                                 struct acl_requested *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(
        pg, a, SQL_ACL_REQUESTED,
        PG(pg_text(intent_id), pg_text(s->asked_by), pg_text(s->title)), &r));
    *out = (struct acl_requested){.all = pg_int(r, 0, 0),
                                  .of_agent = pg_int(r, 0, 1),
                                  .open = pg_int(r, 0, 2),
                                  .open_of_agent = pg_int(r, 0, 3),
                                  .same = pg_bool(r, 0, 4)};
    return NULL;
}

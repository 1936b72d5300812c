/* The access control lists of intents in the database. */
#include "store/acls.h"

#include "domain/intent/reach.h"
#include "store/sql.gen.h"

enum { ID, AGENT, PERMISSION, REASON, BY, AT, UNTIL };

/* ---- reading --------------------------------------------------------- */

struct acl_entry acls_row(const struct pg_rows *r, size_t i)
{
    return (struct acl_entry){.id = pg_str(r, i, ID),
                              .agent = pg_str(r, i, AGENT),
                              .permission =
                                  reach_access_of(pg_str(r, i, PERMISSION)),
                              .reason = pg_str(r, i, REASON),
                              .granted_by = pg_str(r, i, BY),
                              .granted_at = pg_int(r, i, AT),
                              .expires_at = pg_int(r, i, UNTIL)};
}

static const struct err *entries(struct pg *pg, struct arena *a, int statement,
                                 const struct pg_args *args,
                                 struct acl_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, args, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct acl_entry);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = acls_row(r, i);
    return NULL;
}

const struct err *acls_list(struct pg *pg, struct arena *a,
                            struct str intent_id, int64_t now,
                            struct acl_rows *out)
{
    return entries(pg, a, SQL_ACL_LIST, PG(pg_text(intent_id), pg_moment(now)),
                   out);
}

const struct err *acls_all(struct pg *pg, struct arena *a,
                           struct str intent_id, struct acl_rows *out)
{
    return entries(pg, a, SQL_ACL_ALL, PG(pg_text(intent_id)), out);
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

void acls_queue_put(struct pg *pg, struct arena *a, struct str intent_id,
                    const struct acl_entry *e)
{
    pg_queue(pg, a, SQL_ACL_PUT,
             PG(pg_text(e->id), pg_text(intent_id), pg_text(e->agent),
                pg_text(vocabulary_access(e->permission)->wire),
                pg_text(e->reason), pg_text(e->granted_by),
                pg_moment(e->granted_at), pg_moment(e->expires_at)));
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

/* Leases and assignments in the database. Decides nothing. */
#include "store/leases.h"

#include "base/id.h"
#include "store/sql.gen.h"

enum { ID, INTENT_ID, AGENT, SCOPE, STATUS, ACQUIRED, EXPIRES, RELEASED };

static struct lease row(const struct pg_rows *r, size_t i)
{
    return (struct lease){.id = pg_str(r, i, ID),
                          .intent_id = pg_str(r, i, INTENT_ID),
                          .agent_id = pg_str(r, i, AGENT),
                          .scope = pg_str(r, i, SCOPE),
                          .status =
                              vocabulary_lease_status_of(pg_str(r, i, STATUS)),
                          .acquired_at = pg_int(r, i, ACQUIRED),
                          .expires_at = pg_int(r, i, EXPIRES),
                          .released_at = pg_int(r, i, RELEASED)};
}

struct lease_rows leases_rows(struct arena *a, const struct pg_rows *r)
{
    struct lease_rows out = {.n = pg_count(r)};
    out.v = arena_many(a, out.n + 1, struct lease);
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = row(r, i);
    return out;
}

const struct err *leases_list(struct pg *pg, struct arena *a,
                              struct str intent_id, struct lease_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LEASE_LIST, PG(pg_text(intent_id)), &r));
    *out = leases_rows(a, r);
    return NULL;
}

const struct err *leases_get(struct pg *pg, struct arena *a, struct str id,
                             struct str intent_id, struct lease *out)
{
    const struct err *unknown = ERROR(ERR_NOT_FOUND, "lease.unknown",
                                      "There is no lease with this id.");
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return unknown;
    TRY(pg_query(pg, a, SQL_LEASE_GET, PG(pg_text(id), pg_text(intent_id)),
                 &r));
    if (pg_count(r) == 0)
        return unknown;
    *out = row(r, 0);
    return NULL;
}

static const struct err *select_scope(struct pg *pg, struct arena *a,
                                      int statement,
                                      const struct pg_args *args,
                                      struct lease *out, bool *found)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, args, &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = row(r, 0);
    return NULL;
}

const struct err *leases_holder(struct pg *pg, struct arena *a,
                                struct str intent_id, struct str scope,
                                struct lease *out, bool *found)
{
    return select_scope(pg, a, SQL_LEASE_HOLDER,
                        PG(pg_text(intent_id), pg_text(scope)), out, found);
}

const struct err *leases_newest(struct pg *pg, struct arena *a,
                                struct str intent_id, struct str scope,
                                struct lease *out, bool *found)
{
    return select_scope(pg, a, SQL_LEASE_NEWEST,
                        PG(pg_text(intent_id), pg_text(scope)), out, found);
}

void leases_queue_insert(struct pg *pg, struct arena *a, const struct lease *l)
{
    pg_queue(pg, a, SQL_LEASE_INSERT,
             PG(pg_text(l->id), pg_text(l->intent_id), pg_text(l->agent_id),
                pg_text(l->scope), pg_moment(l->acquired_at),
                pg_moment(l->expires_at)));
}

void leases_queue_update(struct pg *pg, struct arena *a, const struct lease *l)
{
    pg_queue(pg, a, SQL_LEASE_UPDATE,
             PG(pg_text(l->id),
                pg_text(vocabulary_lease_status(l->status)->wire),
                pg_moment(l->expires_at), pg_moment(l->released_at)));
}

const struct err *leases_assignments(struct pg *pg, struct arena *a,
                                     struct str intent_id,
                                     struct assignment_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ASSIGNMENT_LIST, PG(pg_text(intent_id)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct assignment);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct assignment){.agent_id = pg_str(r, i, 0),
                                        .assigned_at = pg_int(r, i, 1),
                                        .assigned_by = pg_str(r, i, 2)};
    return NULL;
}

const struct err *leases_assigned(struct pg *pg, struct arena *a,
                                  struct str intent_id, struct str agent,
                                  bool *out)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_ASSIGNMENT_THERE,
                 PG(pg_text(intent_id), pg_text(agent)), &rows));
    *out = pg_bool(rows, 0, 0);
    return NULL;
}

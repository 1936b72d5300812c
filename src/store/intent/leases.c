/* Leases and assignments in the database. Decides nothing. */
#include "store/intent/leases.h"

#include "base/id.h"
#include "store/rows.h"

/* ---- leases ---------------------------------------------------------- */

const struct err *leases_list(struct pg *pg, struct arena *a,
                              struct str intent_id, struct lease_rows *out)
{
    return rows_list(pg, a, SQL_LEASE_LIST, PG(pg_text(intent_id)),
                     &lease_record, &out->v, &out->n);
}

const struct err *leases_get(struct pg *pg, struct arena *a, struct str id,
                             struct str intent_id, struct lease *out)
{
    if (!id_uuid(id))
        return &lease_record.unknown;
    return rows_get(pg, a, SQL_LEASE_GET, PG(pg_text(id), pg_text(intent_id)),
                    &lease_record, out);
}

const struct err *leases_holder(struct pg *pg, struct arena *a,
                                struct str intent_id, struct str scope,
                                struct lease *out, bool *found)
{
    return rows_find(pg, a, SQL_LEASE_HOLDER,
                     PG(pg_text(intent_id), pg_text(scope)), &lease_record,
                     out, found);
}

const struct err *leases_newest(struct pg *pg, struct arena *a,
                                struct str intent_id, struct str scope,
                                struct lease *out, bool *found)
{
    return rows_find(pg, a, SQL_LEASE_NEWEST,
                     PG(pg_text(intent_id), pg_text(scope)), &lease_record,
                     out, found);
}

void leases_queue_insert(struct pg *pg, struct arena *a, const struct lease *l)
{
    rows_queue(pg, a, SQL_LEASE_INSERT, NULL, &lease_record, IN_INSERT, l);
}

void leases_queue_update(struct pg *pg, struct arena *a, const struct lease *l)
{
    rows_queue(pg, a, SQL_LEASE_UPDATE, PG(pg_text(l->id)), &lease_record,
               IN_UPDATE, l);
}

/* ---- assignments ------------------------------------------------------ */

static const struct record_field assignment_fields[] = {
    {RECORD_TEXT(assignment, intent_id, IN_INSERT)},
    {RECORD_TEXT(assignment, agent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_NAIVE(assignment, assigned_at, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(assignment, assigned_by, IN_TABLE | IN_OBJECT)},
};
const struct record assignment_record =
    RECORD(assignment, "assignment", "assignment");

const struct err *leases_assignments(struct pg *pg, struct arena *a,
                                     struct str intent_id,
                                     struct assignment_rows *out)
{
    return rows_list(pg, a, SQL_ASSIGNMENT_LIST, PG(pg_text(intent_id)),
                     &assignment_record, &out->v, &out->n);
}

const struct err *leases_assigned(struct pg *pg, struct arena *a,
                                  struct str intent_id, struct str agent,
                                  bool *out)
{
    return rows_flag(pg, a, SQL_ASSIGNMENT_THERE,
                     PG(pg_text(intent_id), pg_text(agent)), out);
}

void leases_queue_assign(struct pg *pg, struct arena *a,
                         const struct assignment *x)
{
    rows_queue(pg, a, SQL_ASSIGNMENT_INSERT, NULL, &assignment_record,
               IN_INSERT, x);
}

/* Costs, attachments, failures and retry policies in the database. Decides
 * nothing. */
#include "store/intent/records.h"

#include "store/rows.h"

/* ---- costs ----------------------------------------------------------- */

const struct err *records_costs(struct pg *pg, struct arena *a,
                                struct str intent_id, struct cost_rows *out)
{
    return rows_list(pg, a, SQL_COST_LIST, PG(pg_text(intent_id)),
                     &cost_record, &out->v, &out->n);
}

const struct err *records_cost_total(struct pg *pg, struct arena *a,
                                     struct str intent_id,
                                     struct records_total *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_COST_TOTALS, PG(pg_text(intent_id)), &r));
    *out = (struct records_total){.n = pg_int(r, 0, 0)};
    if (!decimal_read(pg_str(r, 0, 1), &out->sum))
        out->sum.whole = 0;
    return NULL;
}

void records_queue_cost(struct pg *pg, struct arena *a, const struct cost *c)
{
    rows_queue(pg, a, SQL_COST_INSERT, NULL, &cost_record, IN_INSERT, c);
}

/* ---- attachments ----------------------------------------------------- */

const struct err *records_attachments(struct pg *pg, struct arena *a,
                                      struct str intent_id,
                                      struct attachment_rows *out)
{
    return rows_list(pg, a, SQL_ATTACHMENT_LIST, PG(pg_text(intent_id)),
                     &attachment_record, &out->v, &out->n);
}

void records_queue_attachment(struct pg *pg, struct arena *a,
                              const struct attachment *t)
{
    rows_queue(pg, a, SQL_ATTACHMENT_INSERT, NULL, &attachment_record,
               IN_INSERT, t);
}

void records_queue_attachment_delete(struct pg *pg, struct arena *a,
                                     const struct attachment *t)
{
    pg_queue(pg, a, SQL_ATTACHMENT_DELETE,
             PG(pg_text(t->id), pg_text(t->intent_id)));
}

/* ---- failures -------------------------------------------------------- */

const struct err *records_failures(struct pg *pg, struct arena *a,
                                   struct str intent_id,
                                   struct failure_rows *out)
{
    return rows_list(pg, a, SQL_FAILURE_LIST, PG(pg_text(intent_id)),
                     &failure_record, &out->v, &out->n);
}

const struct err *records_failure_counts(struct pg *pg, struct arena *a,
                                         struct str intent_id,
                                         struct str agent_id,
                                         struct failure_counts *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_FAILURE_COUNTS,
                 PG(pg_text(intent_id), pg_text(agent_id)), &r));
    *out = (struct failure_counts){.of_intent = pg_int(r, 0, 0),
                                   .of_agent = pg_int(r, 0, 1),
                                   .handed = pg_int(r, 0, 2)};
    return NULL;
}

void records_queue_failure(struct pg *pg, struct arena *a,
                           const struct failure *f, int64_t due_at)
{
    rows_queue(pg, a, SQL_FAILURE_INSERT, PG(pg_moment(due_at)),
               &failure_record, IN_INSERT, f);
}

/* ---- retry policies --------------------------------------------------- */

const struct err *records_policy(struct pg *pg, struct arena *a,
                                 struct str intent_id,
                                 struct failure_policy *out, bool *found)
{
    return rows_find(pg, a, SQL_FAILURE_POLICY_GET, PG(pg_text(intent_id)),
                     &failure_policy_record, out, found);
}

const struct err *records_policy_set(struct pg *pg, struct arena *a,
                                     struct failure_policy *p)
{
    struct pg_rows *rows = NULL;
    rows_queue(pg, a, SQL_FAILURE_POLICY_SET, NULL, &failure_policy_record,
               IN_INSERT, p);
    TRY(pg_run(pg, a, &rows));
    if (pg_count(rows) == 0)
        return &failure_policy_record.unknown;
    rows_read(&failure_policy_record, rows, 0, p);
    return NULL;
}

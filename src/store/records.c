/* Costs, attachments, failures and retry policies in the database. Decides
 * nothing. */
#include "store/records.h"

#include "store/sql.gen.h"

/* Runs a statement with an intent's id. */
static const struct err *of_intent(struct pg *pg, struct arena *a,
                                   int statement, struct str intent_id,
                                   struct pg_rows **out)
{
    return pg_query(pg, a, statement, PG(pg_text(intent_id)), out);
}

/* An amount that the database has passes. */
static struct decimal amount(const struct pg_rows *r, size_t i, int column)
{
    struct decimal d = {.whole = 0};
    if (!decimal_read(pg_str(r, i, column), &d))
        d.whole = 0;
    return d;
}

/* ---- costs ----------------------------------------------------------- */

const struct err *records_costs(struct pg *pg, struct arena *a,
                                struct str intent_id, struct cost_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(of_intent(pg, a, SQL_COST_LIST, intent_id, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct cost);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct cost){.id = pg_str(r, i, 0),
                                  .intent_id = pg_str(r, i, 1),
                                  .agent_id = pg_str(r, i, 2),
                                  .type = pg_str(r, i, 3),
                                  .amount = amount(r, i, 4),
                                  .unit = pg_str(r, i, 5),
                                  .provider = pg_str(r, i, 6),
                                  .metadata = pg_str(r, i, 7),
                                  .recorded_at = pg_int(r, i, 8)};
    return NULL;
}

const struct err *records_cost_total(struct pg *pg, struct arena *a,
                                     struct str intent_id,
                                     struct records_total *out)
{
    struct pg_rows *r = NULL;
    TRY(of_intent(pg, a, SQL_COST_TOTALS, intent_id, &r));
    *out = (struct records_total){.n = pg_int(r, 0, 0),
                                  .sum = amount(r, 0, 1)};
    return NULL;
}

void records_queue_cost(struct pg *pg, struct arena *a, const struct cost *c)
{
    pg_queue(pg, a, SQL_COST_INSERT,
             PG(pg_text(c->id), pg_text(c->intent_id), pg_text(c->agent_id),
                pg_text(c->type), pg_text(decimal_text(a, c->amount)),
                pg_text(c->unit), pg_text(c->provider), pg_text(c->metadata),
                pg_moment(c->recorded_at)));
}

/* ---- attachments ----------------------------------------------------- */

const struct err *records_attachments(struct pg *pg, struct arena *a,
                                      struct str intent_id,
                                      struct attachment_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(of_intent(pg, a, SQL_ATTACHMENT_LIST, intent_id, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct attachment);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct attachment){.id = pg_str(r, i, 0),
                                        .intent_id = pg_str(r, i, 1),
                                        .filename = pg_str(r, i, 2),
                                        .mime_type = pg_str(r, i, 3),
                                        .size = pg_int(r, i, 4),
                                        .storage_url = pg_str(r, i, 5),
                                        .metadata = pg_str(r, i, 6),
                                        .uploaded_by = pg_str(r, i, 7),
                                        .created_at = pg_int(r, i, 8)};
    return NULL;
}

void records_queue_attachment(struct pg *pg, struct arena *a,
                              const struct attachment *t)
{
    pg_queue(pg, a, SQL_ATTACHMENT_INSERT,
             PG(pg_text(t->id), pg_text(t->intent_id), pg_text(t->filename),
                pg_text(t->mime_type), pg_number(t->size),
                pg_text(t->storage_url), pg_text(t->metadata),
                pg_text(t->uploaded_by), pg_moment(t->created_at)));
}

void records_queue_attachment_delete(struct pg *pg, struct arena *a,
                                     const struct attachment *t)
{
    pg_queue(pg, a, SQL_ATTACHMENT_DELETE,
             PG(pg_text(t->id), pg_text(t->intent_id)));
}

/* ---- failures -------------------------------------------------------- */

struct failure records_failure(const struct pg_rows *r, size_t i)
{
    return (struct failure){
        .id = pg_str(r, i, 0),
        .intent_id = pg_str(r, i, 1),
        .agent_id = pg_str(r, i, 2),
        .attempt = pg_int(r, i, 3),
        .error_code = pg_str(r, i, 4),
        .error_message = pg_str(r, i, 5),
        .recoverable = pg_bool(r, i, 6),
        .next = vocabulary_failure_next_of(pg_str(r, i, 7)),
        .retry_at = pg_int(r, i, 8),
        .resolved_at = pg_int(r, i, 9),
        .metadata = pg_str(r, i, 10),
        .created_at = pg_int(r, i, 11),
        .key_id = pg_str(r, i, 12),
        .terms = principal_terms(pg_str(r, i, 13), pg_str(r, i, 14))};
}

const struct err *records_failures(struct pg *pg, struct arena *a,
                                   struct str intent_id,
                                   struct failure_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(of_intent(pg, a, SQL_FAILURE_LIST, intent_id, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct failure);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = records_failure(r, i);
    return NULL;
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
    pg_queue(pg, a, SQL_FAILURE_INSERT,
             PG(pg_text(f->id), pg_text(f->intent_id), pg_text(f->agent_id),
                pg_number(f->attempt), pg_text(f->error_code),
                pg_text(f->error_message), pg_flag(f->recoverable),
                pg_text(vocabulary_failure_next(f->next)->wire),
                pg_moment(f->retry_at), pg_moment(f->resolved_at),
                pg_moment(due_at), pg_text(f->metadata),
                pg_moment(f->created_at), pg_text(f->key_id)));
}

/* ---- retry policies --------------------------------------------------- */

static struct failure_policy policy_row(const struct pg_rows *r)
{
    return (struct failure_policy){
        .id = pg_str(r, 0, 0),
        .intent_id = pg_str(r, 0, 1),
        .strategy = vocabulary_failure_strategy_of(pg_str(r, 0, 2)),
        .max_retries = pg_int(r, 0, 3),
        .base_delay_ms = pg_int(r, 0, 4),
        .max_delay_ms = pg_int(r, 0, 5),
        .fallback_agent_id = pg_str(r, 0, 6),
        .failure_threshold = pg_int(r, 0, 7),
        .created_at = pg_int(r, 0, 8),
        .updated_at = pg_int(r, 0, 9)};
}

const struct err *records_policy(struct pg *pg, struct arena *a,
                                 struct str intent_id,
                                 struct failure_policy *out, bool *found)
{
    struct pg_rows *r = NULL;
    TRY(of_intent(pg, a, SQL_FAILURE_POLICY_GET, intent_id, &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = policy_row(r);
    return NULL;
}

const struct err *records_policy_set(struct pg *pg, struct arena *a,
                                     struct failure_policy *p)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_FAILURE_POLICY_SET,
                 PG(pg_text(p->id), pg_text(p->intent_id),
                    pg_text(vocabulary_failure_strategy(p->strategy)->wire),
                    pg_number(p->max_retries), pg_number(p->base_delay_ms),
                    pg_number(p->max_delay_ms), pg_text(p->fallback_agent_id),
                    pg_number(p->failure_threshold), pg_moment(p->updated_at)),
                 &r));
    *p = policy_row(r);
    return NULL;
}

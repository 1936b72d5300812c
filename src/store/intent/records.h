/* Costs, attachments, failures and retry policies in the database: struct in,
 * struct out. Decides nothing. */
#ifndef STORE_INTENT_RECORDS_H
#define STORE_INTENT_RECORDS_H

#include "domain/containers/attachment.h"
#include "domain/containers/cost.h"
#include "domain/containers/failure.h"
#include "world/pg/pg.h"

/* All of an intent, oldest first. */
const struct err *records_costs(struct pg *pg, struct arena *a,
                                struct str intent_id,
                                struct cost_rows *out) MUST;
/* Their number, and the sum of their amounts. */
struct records_total {
    int64_t n;
    struct decimal sum;
};
const struct err *records_cost_total(struct pg *pg, struct arena *a,
                                     struct str intent_id,
                                     struct records_total *out) MUST;
/* Puts an INSERT into the batch. */
void records_queue_cost(struct pg *pg, struct arena *a, const struct cost *c);

struct attachment_rows {
    struct attachment *v;
    size_t n;
};
/* All of an intent, oldest first. */
const struct err *records_attachments(struct pg *pg, struct arena *a,
                                      struct str intent_id,
                                      struct attachment_rows *out) MUST;
/* Put an INSERT or a DELETE into the batch. */
void records_queue_attachment(struct pg *pg, struct arena *a,
                              const struct attachment *t);
void records_queue_attachment_delete(struct pg *pg, struct arena *a,
                                     const struct attachment *t);

struct failure_rows {
    struct failure *v;
    size_t n;
};
/* All of an intent, oldest first. */
const struct err *records_failures(struct pg *pg, struct arena *a,
                                   struct str intent_id,
                                   struct failure_rows *out) MUST;
const struct err *records_failure_counts(struct pg *pg, struct arena *a,
                                         struct str intent_id,
                                         struct str agent_id,
                                         struct failure_counts *out) MUST;
/* Puts an INSERT into the batch. due_at: when the clock takes the next step; 0:
 * it has none. */
void records_queue_failure(struct pg *pg, struct arena *a,
                           const struct failure *f, int64_t due_at);

/* The intent's retry policy; *found: it has one. */
const struct err *records_policy(struct pg *pg, struct arena *a,
                                 struct str intent_id,
                                 struct failure_policy *out,
                                 bool *found) MUST;
/* Writes it, with created_at and updated_at; the id and created_at of one that
 * was there stay. p gets them. */
const struct err *records_policy_set(struct pg *pg, struct arena *a,
                                     struct failure_policy *p) MUST;

#endif

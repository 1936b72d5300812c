/* Intents in the database: struct in, struct out. Decides nothing. */
#ifndef STORE_INTENTS_H
#define STORE_INTENTS_H

#include "domain/intent.h"
#include "world/pg.h"

struct intent_rows {
    struct intent *v;
    size_t n;
    bool more; /* of a page: the list goes on behind it */
};
/* The bytes that end a page: with the row that reaches them. */
#define INTENTS_PAGE_BYTES ((size_t)12 << 20)

/* Columns behind those of intent_row in the statements that lock. */
enum { INTENTS_DEPENDENCIES_DONE = 22, INTENTS_CHILDREN_DONE = 23 };

/* Row i of a statement that selects from intent_row. */
struct intent intents_row(const struct pg_rows *r, size_t i);
/* All rows of it. */
struct intent_rows intents_rows(struct arena *a, const struct pg_rows *r);
/* ERR_NOT_FOUND intent.unknown; an id that is no UUID is unknown too. */
const struct err *intents_get(struct pg *pg, struct arena *a, struct str id,
                              struct intent *out) MUST;
/* What a page of intents wants, newest first. */
struct intents_page {
    struct str status; /* p NULL: any */
    int64_t limit, offset;
    int64_t after_created; /* 0: from the start, and then offset counts */
    struct str after_id;
};
const struct err *intents_list(struct pg *pg, struct arena *a,
                               const struct intents_page *page,
                               struct intent_rows *out) MUST;
/* A page of what is related to an intent, oldest first. */
enum intents_relation {
    INTENTS_CHILDREN, INTENTS_DEPENDENCIES, INTENTS_DEPENDENTS
};
struct intents_related {
    struct str id;
    enum intents_relation relation;
    int64_t limit;
    struct str after; /* the id that the page before ended with; p NULL */
};
/* ERR_NOT_FOUND intent.unknown; ERR_BAD_REQUEST request.query for an `after`
 * that is not among them. */
const struct err *intents_related(struct pg *pg, struct arena *a,
                                  const struct intents_related *page,
                                  struct intent_rows *out) MUST;
/* Looks up the status of each id, in their order. ERR_INVALID intent.unknown
 * with .at = what when one does not exist. */
const struct err *intents_statuses(struct pg *pg, struct arena *a,
                                   const struct intent_ids *ids,
                                   const char *what,
                                   enum intent_status *out) MUST;
/* Puts an INSERT or UPDATE into the batch. */
void intents_queue_insert(struct pg *pg, struct arena *a,
                          const struct intent *i);
void intents_queue_update(struct pg *pg, struct arena *a,
                          const struct intent *i);

#endif

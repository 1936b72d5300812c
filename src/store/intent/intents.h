/* Intents in the database: struct in, struct out. Decides nothing. */
#ifndef STORE_INTENT_INTENTS_H
#define STORE_INTENT_INTENTS_H

#include "domain/intent/intent.h"
#include "domain/intent/reach.h"
#include "world/pg/pg.h"

struct intent_rows {
    struct intent *v;
    size_t n;
    bool more; /* of a page: the list continues after it */
};
/* The size that ends a page: with the row that reaches it. */
#define INTENTS_PAGE_BYTES ((int64_t)12 << 20)

/* Columns after those of the table, in intent_taken and due_intents. */
enum {
    INTENTS_HAS_LISTENERS = 25,
    INTENTS_ACCESS,
    INTENTS_DEPENDENCIES_DONE = 25
};
/* The column acl of a closed intent. */
enum { INTENTS_CLOSED = 2 };

/* Row i of a statement that begins with the columns of the table. */
struct intent intents_row(const struct pg_rows *r, size_t i);
/* ERR_NOT_FOUND intent.unknown; an id that is not a UUID is unknown too. */
const struct err *intents_get(struct pg *pg, struct arena *a, struct str id,
                              struct intent *out) MUST;
/* The same, with the reader's access. */
const struct err *intents_get_for(struct pg *pg, struct arena *a,
                                  struct str id, const struct principal *who,
                                  struct intent *out) MUST;
/* The access in a column of a row. */
enum access intents_access(const struct pg_rows *r, size_t i, int column);
/* The second and third parameter of statements that return access. */
struct pg_value intents_reader(struct arena *a, const struct principal *who);
struct pg_value intents_now(void);
/* Is it next to an intent that is tied to the reader? */
const struct err *intents_kin(struct pg *pg, struct arena *a, struct str id,
                              const struct principal *who, bool *out) MUST;
/* Is it closed, and to this agent? Never to others. */
const struct err *intents_shut(struct pg *pg, struct arena *a, struct str id,
                               const struct principal *who, bool *out) MUST;
/* The page of at most limit rows, of a statement that was limited in bytes
 * and to one row more: its last column is the number of rows without the limit
 * of bytes. */
struct intent_rows intents_page_of(struct arena *a, const struct pg_rows *r,
                                   int64_t limit);
/* The filters of a page of intents, newest first: an agent gets those that it
 * reaches. */
struct intents_page {
    const struct principal *who;
    struct str status; /* p NULL: any */
    int64_t limit, offset;
    int64_t after_created; /* 0: from the start, and then offset counts */
    struct str after_id;
};
const struct err *intents_list(struct pg *pg, struct arena *a,
                               const struct intents_page *page,
                               struct intent_rows *out) MUST;
/* A page of the intents related to an intent, oldest first. Ready and waiting
 * ones are children that have not ended, without and with an open dependency;
 * descendants are breadth first, ancestors the nearest first, and these two
 * have one page. */
enum intents_relation {
    INTENTS_CHILDREN, INTENTS_READY, INTENTS_WAITING, INTENTS_DEPENDENCIES,
    INTENTS_DEPENDENTS, INTENTS_DESCENDANTS, INTENTS_ANCESTORS
};
struct intents_related {
    struct str id;
    const struct principal *who; /* has to reach it; NULL: not checked */
    enum intents_relation relation;
    int64_t limit;
    struct str after; /* the last id of the page before; p NULL */
};
/* ERR_NOT_FOUND intent.unknown; ERR_BAD_REQUEST request.query for an `after`
 * that is not in the list. */
const struct err *intents_related(struct pg *pg, struct arena *a,
                                  const struct intents_related *page,
                                  struct intent_rows *out) MUST;
/* The intents that another one may refer to: those with these ids, for who, by
 * .at. */
struct intents_refs {
    const struct intent_ids *ids;
    const struct principal *who;
    enum reach_act act;
    enum access needs;     /* of those that it has access to */
    enum err_kind missing; /* of the error */
    const char *what;
    const struct intent *joins; /* the one that refers to them, which they have
                                 * to be of one sort with; NULL: none */
};
/* Checks that each exists and may be referred to. An error intent.unknown of
 * the kind `missing` with .at = what otherwise; ERR_FORBIDDEN access.denied;
 * errors of reach_joins. */
const struct err *intents_check_refs(struct pg *pg, struct arena *a,
                                     const struct intents_refs *refs) MUST;
/* Puts an INSERT or UPDATE into the batch. */
void intents_queue_insert(struct pg *pg, struct arena *a,
                          const struct intent *i);
void intents_queue_update(struct pg *pg, struct arena *a,
                          const struct intent *i);
/* The UPDATE of its governance policy, which the one above leaves alone. */
void intents_queue_govern(struct pg *pg, struct arena *a,
                          const struct intent *i);

#endif

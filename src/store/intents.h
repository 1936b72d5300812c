/* Intents in the database: struct in, struct out. Decides nothing. */
#ifndef STORE_INTENTS_H
#define STORE_INTENTS_H

#include "domain/intent.h"
#include "domain/reach.h"
#include "world/pg.h"

struct intent_rows {
    struct intent *v;
    size_t n;
    bool more; /* of a page: the list goes on behind it */
};
/* The bytes that end a page: with the row that reaches them. */
#define INTENTS_PAGE_BYTES ((size_t)12 << 20)

/* Columns behind those of intent_row in the statements that lock. */
enum { INTENTS_DEPENDENCIES_DONE = 22, INTENTS_CHILDREN_DONE = 23,
       INTENTS_TIED = 24 };

/* Row i of a statement that selects from intent_row. */
struct intent intents_row(const struct pg_rows *r, size_t i);
/* ERR_NOT_FOUND intent.unknown; an id that is no UUID is unknown too. */
const struct err *intents_get(struct pg *pg, struct arena *a, struct str id,
                              struct intent *out) MUST;
/* The same, and whether it is tied to who reads. */
const struct err *intents_get_for(struct pg *pg, struct arena *a,
                                  struct str id, const struct principal *who,
                                  struct intent *out) MUST;
/* The second and third parameter of statements that say what is tied. */
void intents_reader(struct pg_args *args, const struct principal *who);
/* Does it stand around one that is tied to who reads? */
const struct err *intents_kin(struct pg *pg, struct arena *a, struct str id,
                              const struct principal *who, bool *out) MUST;
/* What a page of intents wants, newest first: of those that who reads is tied
 * to, where that one is kept apart. */
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
/* A page of what is related to an intent, oldest first. */
enum intents_relation {
    INTENTS_CHILDREN, INTENTS_DEPENDENCIES, INTENTS_DEPENDENTS
};
struct intents_related {
    struct str id;
    const struct principal *who; /* has to reach it; NULL: not asked */
    enum intents_relation relation;
    int64_t limit;
    struct str after; /* the id that the page before ended with; p NULL */
};
/* ERR_NOT_FOUND intent.unknown; ERR_BAD_REQUEST request.query for an `after`
 * that is not among them. */
const struct err *intents_related(struct pg *pg, struct arena *a,
                                  const struct intents_related *page,
                                  struct intent_rows *out) MUST;
/* What another intent may refer to: those of these ids, for who, by .at. */
struct intents_refs {
    const struct intent_ids *ids;
    const struct principal *who;
    enum reach_act act;
    const char *what;
};
/* Looks whether each exists and may be referred to. ERR_NOT_FOUND
 * intent.unknown with .at = what when one does not, or may not. */
const struct err *intents_check_refs(struct pg *pg, struct arena *a,
                                     const struct intents_refs *refs) MUST;
/* Puts an INSERT or UPDATE into the batch. */
void intents_queue_insert(struct pg *pg, struct arena *a,
                          const struct intent *i);
void intents_queue_update(struct pg *pg, struct arena *a,
                          const struct intent *i);

#endif

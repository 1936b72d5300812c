/* Suspensions in the database: struct in, struct out. Decides nothing. */
#ifndef STORE_SUSPENSIONS_H
#define STORE_SUSPENSIONS_H

#include "domain/suspension.h"
#include "world/pg.h"

#define SUSPENSIONS_OPEN_MAX 1000 /* counts are told up to here */

struct suspension_rows {
    struct suspension *v;
    size_t n;
};

/* Row i of a statement that selects from suspension_row. */
struct suspension suspensions_row(const struct pg_rows *r, size_t i);
struct suspension_rows suspensions_rows(struct arena *a,
                                        const struct pg_rows *r);
/* ERR_NOT_FOUND suspension.unknown. */
const struct err *suspensions_get(struct pg *pg, struct arena *a,
                                  struct str id, struct suspension *out) MUST;
/* The open ones in the inbox's order, behind the row with id after (p NULL:
 * from the start). */
const struct err *suspensions_inbox(struct pg *pg, struct arena *a,
                                    int64_t limit, struct str after,
                                    struct suspension_rows *out) MUST;
/* The decided ones, newest decision first, behind (at, id); at 0: from the
 * start. */
const struct err *suspensions_decided(struct pg *pg, struct arena *a,
                                      int64_t limit, int64_t at,
                                      struct str id,
                                      struct suspension_rows *out) MUST;
/* Newest question first. */
struct suspensions_page {
    struct str state; /* p NULL: any */
    struct str agent; /* p NULL: any */
    int64_t limit;
    int64_t after_at; /* 0: from the start */
    struct str after_id;
};
const struct err *suspensions_list(struct pg *pg, struct arena *a,
                                   const struct suspensions_page *page,
                                   struct suspension_rows *out) MUST;
/* All of one intent, newest first, at most 100. */
const struct err *suspensions_of_intent(struct pg *pg, struct arena *a,
                                        struct str intent_id,
                                        struct suspension_rows *out) MUST;
/* How many are open, at most SUSPENSIONS_OPEN_MAX + 1. */
const struct err *suspensions_open(struct pg *pg, struct arena *a,
                                   int64_t *out) MUST;
/* Open ones younger than 5 min, 1 h, 1 d, and older. */
const struct err *suspensions_ages(struct pg *pg, struct arena *a,
                                   int64_t out[static 4]) MUST;
void suspensions_queue_insert(struct pg *pg, struct arena *a,
                              const struct suspension *s);
void suspensions_queue_decide(struct pg *pg, struct arena *a,
                              const struct suspension *s);

#endif

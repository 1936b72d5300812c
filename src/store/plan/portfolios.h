/* Portfolios in the database: struct in, struct out. Decides nothing. */
#ifndef STORE_PLAN_PORTFOLIOS_H
#define STORE_PLAN_PORTFOLIOS_H

#include "domain/containers/portfolio.h"
#include "store/intent/intents.h"
#include "store/question/suspensions.h"
#include "world/pg/pg.h"

struct portfolio_rows {
    struct portfolio *v;
    size_t n;
    bool more; /* of a page: the list continues after it */
};

/* ERR_NOT_FOUND portfolio.unknown, also where the reader reaches neither the
 * portfolio nor one of its members. */
const struct err *portfolios_get(struct pg *pg, struct arena *a, struct str id,
                                 const struct principal *who,
                                 struct portfolio *out) MUST;
/* The same with its lock, within a transaction; after the locks of intents. */
const struct err *portfolios_take(struct pg *pg, struct arena *a,
                                  struct str id, const struct principal *who,
                                  struct portfolio *out) MUST;
/* A page of those that the reader reaches, newest first. */
struct portfolios_page {
    const struct principal *who;
    struct str created_by, status; /* p NULL: any */
    struct str after;              /* id; p NULL: from the start */
    int64_t limit;
};
const struct err *portfolios_list(struct pg *pg, struct arena *a,
                                  const struct portfolios_page *page,
                                  struct portfolio_rows *out) MUST;
/* The portfolios of an intent. */
const struct err *portfolios_of_intent(struct pg *pg, struct arena *a,
                                       struct str intent_id,
                                       struct portfolio_rows *out) MUST;
/* The members that the reader reaches. */
const struct err *portfolios_members(struct pg *pg, struct arena *a,
                                     struct str id,
                                     const struct principal *who,
                                     struct portfolio_members *out) MUST;
/* The open questions of all members, at most `most`, those that end first
 * before the others. */
struct portfolios_questions {
    struct suspension_rows rows;
    int64_t found; /* in all */
};
const struct err *portfolios_questions(struct pg *pg, struct arena *a,
                                       struct str id, int64_t most,
                                       struct portfolios_questions *out) MUST;
/* A page of these as whole intents, in their order. */
struct portfolios_intents {
    struct str id;
    const struct principal *who;
    struct str after; /* id of an intent; p NULL: from the start */
    int64_t limit;
};
const struct err *portfolios_intents(struct pg *pg, struct arena *a,
                                     const struct portfolios_intents *page,
                                     struct intent_rows *out) MUST;
/* At most 20 members that are in the way of its completion;
 * partial: abandoned ones are not. */
const struct err *portfolios_open(struct pg *pg, struct arena *a,
                                  struct str id, bool partial,
                                  struct intent_ids *out) MUST;

/* Puts an INSERT or UPDATE of the portfolio into the batch; that of one that
 * has ended ends its coordinator. */
void portfolios_queue_insert(struct pg *pg, struct arena *a,
                             const struct portfolio *p);
void portfolios_queue_update(struct pg *pg, struct arena *a,
                             const struct portfolio *p);

/* The place of an intent in it, under the locks of both. */
const struct err *portfolios_place(struct pg *pg, struct arena *a,
                                   struct str id, struct str intent_id,
                                   struct portfolio_place *out) MUST;
/* Puts a membership, new or changed, into the batch, or takes it away. */
void portfolios_queue_join(struct pg *pg, struct arena *a,
                           const struct portfolio_member *m);
void portfolios_queue_leave(struct pg *pg, struct arena *a,
                            const struct portfolio_member *m);

/* Of each of these intents, the first deadline of its active portfolios that is
 * over at now, if there is one. The intents are locked. */
struct portfolios_over {
    struct str intent_id, portfolio_id;
    int64_t at;
};
struct portfolios_overs {
    struct portfolios_over *v;
    size_t n;
};
const struct err *portfolios_over(struct pg *pg, struct arena *a,
                                  const struct str *ids, size_t n, int64_t now,
                                  struct portfolios_overs *out) MUST;
/* The clock finds the questions of these intents by the deadlines of their
 * portfolios as they are now: into the batch, after the intents' locks. */
void portfolios_queue_deadlines(struct pg *pg, struct arena *a,
                                const struct str *ids, size_t n);
/* The same for a new question, after its INSERT: nobody changes these deadlines
 * before it can be seen. */
void portfolios_queue_asked(struct pg *pg, struct arena *a,
                            struct str intent_id);
/* The members that wait for an answer. */
struct portfolios_waiting {
    struct str *v;
    size_t n;
};
const struct err *portfolios_waiting(struct pg *pg, struct arena *a,
                                     struct str id,
                                     struct portfolios_waiting *out) MUST;
/* Locks these intents, before any portfolio. */
const struct err *
portfolios_take_waiting(struct pg *pg, struct arena *a,
                        const struct portfolios_waiting *intents) MUST;


#endif

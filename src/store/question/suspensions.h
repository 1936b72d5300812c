/* Suspensions in the database: struct in, struct out. Decides nothing. */
#ifndef STORE_QUESTION_SUSPENSIONS_H
#define STORE_QUESTION_SUSPENSIONS_H

#include "domain/question/suspension.h"
#include "world/pg/pg.h"

struct suspension_rows {
    struct suspension *v;
    size_t n;
    bool more; /* of a page: the list continues after it */
};
/* The size that ends a page: with the question that reaches it. */
#define SUSPENSIONS_PAGE_BYTES ((size_t)8 << 20)

/* A question by its parts: the row of suspension_asked, without what moves. */
struct suspension suspensions_asked(struct arena *a, const struct pg_rows *r);
/* Adds what moves, from a statement suspension_open. false: it is not the open
 * question, and has a decision. */
bool suspensions_open(struct suspension *s, const struct pg_rows *r);
/* Adds the decision, from suspension_decided. */
void suspensions_decided(struct suspension *s, const struct pg_rows *r);
struct suspension_rows suspensions_rows(struct arena *a,
                                        const struct pg_rows *r);
/* Runs a statement of a list or a count, read in the order of its index even
 * when there are few rows. Not for a search. */
const struct err *suspensions_in_order(struct pg *pg, struct arena *a,
                                       int statement,
                                       const struct pg_args *args,
                                       struct pg_rows **out) MUST;
/* A text[] of the kind, as the column has it; KIND__MAX: of all of them. */
struct pg_value suspensions_kinds(struct arena *a, enum kind only);
/* ERR_NOT_FOUND suspension.unknown. */
const struct err *suspensions_get(struct pg *pg, struct arena *a,
                                  struct str id, struct suspension *out) MUST;
/* The existing ones of the ids, in one round trip; out[i] of ids[i], with id p
 * NULL where there is none. */
const struct err *suspensions_many(struct pg *pg, struct arena *a,
                                   const struct str *ids, size_t n,
                                   struct suspension *out) MUST;
struct suspensions_same {
    const struct str *digests, *ids;
    size_t digests_n, ids_n;
    int64_t most;
};
/* Open questions, other than those of ids, whose facts have one of the digests,
 * at most `most` of each: id, title, question (its start) and digest alone. */
const struct err *suspensions_same(struct pg *pg, struct arena *a,
                                   const struct suspensions_same *of,
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
/* Questions that have ended, in the order in which their ends became
 * visible. */
struct suspensions_feed {
    struct str agent;  /* that asked; p NULL: any */
    struct str key_id; /* whose names asked; p NULL: any */
    int64_t now;
    int64_t limit;
    uint64_t after_xid;
    struct str after_id; /* n 0: before all ends of that transaction */
};
struct suspensions_fed {
    struct suspension_rows rows; /* more: the feed goes on at once */
    uint64_t xid;   /* the position of the next read */
    struct str id;
    uint64_t below; /* every end below this transaction was searched, unless
                     * more */
};
/* Searches a bounded number of ends, so a page may be empty with more. */
const struct err *suspensions_feed(struct pg *pg, struct arena *a,
                                   const struct suspensions_feed *feed,
                                   struct suspensions_fed *out) MUST;
/* All of one intent, newest first, at most 100. */
const struct err *suspensions_of_intent(struct pg *pg, struct arena *a,
                                        struct str intent_id,
                                        struct suspension_rows *out) MUST;
/* The number of questions in the chain that it replaces, with itself; counted
 * up to 1000. */
const struct err *suspensions_revision(struct pg *pg, struct arena *a,
                                       struct str id, int64_t *out) MUST;
/* The newest of the questions that replace it; no row: none. */
const struct err *suspensions_replacing(struct pg *pg, struct arena *a,
                                        struct str id,
                                        struct suspension_rows *out) MUST;
/* Makes the open questions of a test key older by us microseconds. */
const struct err *suspensions_test_clock(struct pg *pg, struct arena *a,
                                         struct str key_id, int64_t us,
                                         int64_t *moved) MUST;
/* The numbers of open ones. */
struct suspensions_now {
    int64_t ages[4];    /* younger than 5 min, 1 h, 1 d, and older */
    int64_t late;       /* past their end for more than 10 s */
    int64_t severity[SEVERITY__MAX];
};
const struct err *suspensions_now(struct pg *pg, struct arena *a,
                                   struct suspensions_now *out) MUST;
/* The amount of the facts as the search has it, the unit in lower case; NULL
 * where there is none. */
struct suspensions_amount {
    struct pg_value value, unit;
};
struct suspensions_amount suspensions_amount(struct arena *a, enum kind kind,
                                             const struct json *subject);
void suspensions_queue_insert(struct pg *pg, struct arena *a,
                              const struct suspension *s);
void suspensions_queue_decide(struct pg *pg, struct arena *a,
                              const struct suspension *s);
/* Into the current batch: withdraws the side questions of intents that have
 * ended. */
void suspensions_queue_end_beside(struct pg *pg, struct arena *a,
                                  const struct str *intents, size_t n,
                                  int64_t now);
/* The same for questions with these ids; summary: why, for their record. */
void suspensions_queue_take_back(struct pg *pg, struct arena *a,
                                 const struct str *ids, size_t n,
                                 const char *summary, int64_t now);
struct suspensions_escalations {
    struct str intent_id;        /* p NULL: of all */
    const struct principal *who; /* has to reach the intent */
    bool any, open;              /* any: open and ended ones */
};
/* At most 100, the newest first; of all intents only the newest 10,000 are
 * searched. */
const struct err *
suspensions_escalations(struct pg *pg, struct arena *a,
                        const struct suspensions_escalations *query,
                        struct suspension_rows *out) MUST;
/* The id of the open arbitration of an intent that was asked for first; p
 * NULL: there is none. */
const struct err *suspensions_arbitration(struct pg *pg, struct arena *a,
                                          struct str intent_id,
                                          struct str *out) MUST;
/* How many side questions are open, which do not hold the intent. */
const struct err *suspensions_beside(struct pg *pg, struct arena *a,
                                     struct str intent_id,
                                     int64_t *out) MUST;
/* The number of open questions of the key, counted up to most. */
const struct err *suspensions_open_of(struct pg *pg, struct arena *a,
                                      struct str key_id, int64_t most,
                                      int64_t *out) MUST;

#endif

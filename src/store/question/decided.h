/* Lists of decided questions, newest decision first, narrowed by filters, in
 * pages by key. Decides nothing. */
#ifndef STORE_QUESTION_DECIDED_H
#define STORE_QUESTION_DECIDED_H

#include "store/question/suspensions.h"

/* Answers of one person or agent that are scanned for one page. */
#define DECIDED_LOOK_MAX 2000
#define DECIDED_COUNT_MAX 200 /* counts go up to here; decided.sql */

struct decided_query {
    enum kind kind;       /* KIND__MAX: any */
    enum outcome outcome; /* OUTCOME__MAX: any */
    enum via door;        /* VIA__MAX: any */
    struct str who, agent;   /* p NULL: any */
    int64_t from, until;     /* of the decision; 0: any */
    int64_t limit;
    int64_t after_at; /* 0: from the start */
    struct str after_id;
};

struct decided_rows {
    struct suspension_rows rows;
    bool further; /* not all was scanned: it continues after at, id */
    int64_t at;
    struct str id;
};

/* The newest first; a question that ended without an answer has OUTCOME_EXPIRED
 * or OUTCOME_WITHDRAWN. */
const struct err *decided_list(struct pg *pg, struct arena *a,
                               const struct decided_query *w,
                               struct decided_rows *out) MUST;

/* The counts of each kind with the chosen outcome and door, of each outcome
 * with the chosen kind and door, and so on; from the start of the list, each at
 * most DECIDED_COUNT_MAX + 1. part: they cover only the newest answers of one
 * person or agent, and there are more. */
struct decided_counts {
    int64_t kinds[KIND__MAX];
    int64_t outcomes[OUTCOME__MAX], doors[VIA__MAX];
    bool part;
};
const struct err *decided_count(struct pg *pg, struct arena *a,
                                const struct decided_query *w,
                                struct decided_counts *out) MUST;
/* Of one kind, outcome or door (the enum's __MAX: all); more than
 * DECIDED_COUNT_MAX means that many or more. */
int64_t decided_of_kind(const struct decided_counts *n, enum kind kind);
int64_t decided_of_outcome(const struct decided_counts *n,
                           enum outcome outcome);
int64_t decided_of_door(const struct decided_counts *n, enum via door);

#endif

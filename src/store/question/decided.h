/* Lists of decided questions, newest decision first, narrowed by filters, in
 * pages by key. Decides nothing. */
#ifndef STORE_QUESTION_DECIDED_H
#define STORE_QUESTION_DECIDED_H

#include "store/question/searches.h"

/* Answers of one person or agent that are scanned for counts. */
#define DECIDED_LOOK_MAX 2000
#define DECIDED_COUNT_MAX 200 /* counts go up to here; decided.sql */

struct decided_query {
    enum kind kind;         /* KIND__MAX: any */
    enum outcome outcome;   /* OUTCOME__MAX: any */
    enum via via;           /* VIA__MAX: any */
    enum severity severity; /* SEVERITY__MAX: any */
    struct str words, who, agent, tool; /* p NULL: any */
    bool priced;            /* an amount above over, of the unit (p NULL: of
                             * any), in lower case */
    struct decimal over;
    struct str unit;
    int64_t from, until;    /* of the decision; 0: any */
    int64_t limit;          /* of whole rows */
    int64_t found;          /* of those that are found; at least limit */
    int64_t after_at;       /* 0: from the start */
    struct str after_id;
    struct search_query search; /* of these; decided_prepare */
    bool people; /* who is more than one name, or a part of one */
};

/* Sets search. Once, then any number of pages can be read. */
const struct err *decided_prepare(struct pg *pg, struct arena *a,
                                  struct decided_query *w) MUST;

struct decided_found {
    struct str id;
    int64_t at;
    enum outcome ending; /* or OUTCOME_EXPIRED, OUTCOME_WITHDRAWN */
};
struct decided_rows {
    struct suspension_rows rows;
    struct decided_found *v; /* the same ones, and those after them */
    size_t n;
    bool further; /* not all was searched: it continues after at, id */
    int64_t at;
    struct str id;
};

/* The newest first. */
const struct err *decided_list(struct pg *pg, struct arena *a,
                               const struct decided_query *w,
                               struct decided_rows *out) MUST;

/* The counts of each kind with the chosen outcome and way, of each outcome
 * with the chosen kind and way, and so on; from the start of the list, each at
 * most DECIDED_COUNT_MAX + 1. part: they cover only the newest answers of one
 * person or agent, and there are more. none: with words, a tool, a risk or an
 * amount nothing is counted. */
struct decided_counts {
    int64_t kinds[KIND__MAX];
    int64_t outcomes[OUTCOME__MAX], vias[VIA__MAX];
    bool part, none;
};
const struct err *decided_count(struct pg *pg, struct arena *a,
                                const struct decided_query *w,
                                struct decided_counts *out) MUST;
/* Of one kind, outcome or way (the enum's __MAX: all); more than
 * DECIDED_COUNT_MAX means that many or more. */
int64_t decided_of_kind(const struct decided_counts *n, enum kind kind);
int64_t decided_of_outcome(const struct decided_counts *n,
                           enum outcome outcome);
int64_t decided_of_via(const struct decided_counts *n, enum via via);

#endif

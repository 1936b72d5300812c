/* The search for questions in the database: parameters of its statements, and
 * the clock's work for it. Decides nothing. */
#ifndef STORE_QUESTION_SEARCHES_H
#define STORE_QUESTION_SEARCHES_H

#include "domain/search/search.h"
#include "store/question/suspensions.h"

/* Questions that one search reads one by one; where it needs more, it says how
 * far it went. */
#define SEARCHES_LOOKS 30000
#define SEARCHES_PART 500  /* questions of one summary */
#define SEARCHES_AT_ONCE 16 /* summaries that are made together */

/* Adds to the terms the people whose names have what was typed. */
const struct err *searches_people(struct pg *pg, struct arena *a,
                                  struct search_query *q) MUST;
/* The four parameters of what is searched for. */
void searches_args(struct pg_list *args, struct arena *a,
                   const struct search_query *q);

/* A name, and how it is said. */
struct searches_name {
    struct str name, said; /* said p NULL: as it is */
};
struct searches_names {
    struct searches_name *v;
    size_t n;
};
/* The lists to choose from beside a search. */
struct searches_page {
    struct searches_names agents;  /* that asked what has ended, at most 100 */
    struct searches_names persons; /* who may answer, at most 200 */
    int64_t filling; /* questions that ended before were not read yet, and are
                      * not found; 0: all are read */
};
/* The persons with the addresses of `first` come first. */
const struct err *searches_page(struct pg *pg, struct arena *a,
                                const struct str *first, size_t n,
                                struct searches_page *out) MUST;

/* ---- the clock -------------------------------------------------------- */

/* Reads some questions that have no words yet: open ones, then those that have
 * ended, the newest first. *more: there are others. */
const struct err *searches_read(struct pg *pg, struct arena *a,
                                bool *more) MUST;
/* Makes the next parts of open questions, or of those that have ended, of what
 * is older than that time, where there are enough. *more: there may be
 * others. */
const struct err *searches_parts(struct pg *pg, struct arena *a, bool open,
                                int64_t before, bool *more) MUST;
/* Removes the parts of open questions that have all ended. */
const struct err *searches_part_end(struct pg *pg, struct arena *a) MUST;

#endif

/* Lists of open questions: of one audience, narrowed by filters, in pages by
 * key, and counted up to a ceiling. Decides nothing; the right to answer is
 * domain/kind/responder.h's, and the lists follow the same rule. */
#ifndef STORE_QUESTION_INBOX_H
#define STORE_QUESTION_INBOX_H

#include "domain/intent/principal.h"
#include "store/question/suspensions.h"

#define INBOX_COUNT_MAX 200  /* counts go up to here; inbox.sql */
#define INBOX_WORDS_MAX 2000 /* rows with the words that are scanned */
#define INBOX_OTHERS_MAX 200 /* people and groups for whom others wait */

struct inbox_query {
    const struct principal *reader;
    enum inbox_view view;
    enum kind kind;         /* KIND__MAX: any */
    enum severity severity; /* SEVERITY__MAX: any */
    struct str agent;       /* p NULL: any */
    struct str words;       /* p NULL: any */
    int64_t due;            /* ends before this time; 0: any, or never */
    bool by_deadline;       /* else by severity, then by deadline */
    int64_t limit;
    const struct suspension *after; /* NULL: from the start */
};

/* The view that a reader begins with: the questions that they may answer; for
 * auditors, who answer nothing, all. A user has no other one. */
enum inbox_view inbox_first(const struct principal *reader);

/* One page of it; with words, of the first INBOX_WORDS_MAX that have them. */
const struct err *inbox_list(struct pg *pg, struct arena *a,
                             const struct inbox_query *w,
                             struct suspension_rows *out) MUST;

/* The counts of each kind and severity in the list without these two filters,
 * each at most INBOX_COUNT_MAX + 1. looked: the number with the words, at most
 * INBOX_WORDS_MAX + 1; the lists scan INBOX_WORDS_MAX. */
struct inbox_counts {
    int64_t cell[KIND__MAX][SEVERITY__MAX];
    int64_t looked;
    bool cut; /* of the people and groups of INBOX_OTHERS only the first
               * INBOX_OTHERS_MAX by name are listed and counted */
};
const struct err *inbox_count(struct pg *pg, struct arena *a,
                              const struct inbox_query *w,
                              struct inbox_counts *out) MUST;

/* Of one kind and severity, or of all (KIND__MAX, SEVERITY__MAX); at most
 * INBOX_COUNT_MAX + 1. */
int64_t inbox_counted(const struct inbox_counts *n, enum kind kind,
                      enum severity severity);

/* The position of an open question, by severity and then by deadline: the
 * number of questions before it, at most INBOX_COUNT_MAX + 1, and its
 * neighbours (p NULL: none). */
struct inbox_place {
    int64_t before;
    struct str previous, next;
};
const struct err *inbox_place(struct pg *pg, struct arena *a,
                              const struct principal *reader,
                              enum inbox_view view,
                              const struct suspension *s,
                              struct inbox_place *out) MUST;

/* The counts of each view, at most INBOX_COUNT_MAX + 1; of what waits for
 * others 0 where all are more than INBOX_COUNT_MAX. */
const struct err *inbox_badges(struct pg *pg, struct arena *a,
                               const struct principal *reader,
                               int64_t out[static INBOX_VIEW__MAX]) MUST;

#endif

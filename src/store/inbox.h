/* The lists of what is open: whose questions, narrowed by filters, in pages by
 * key, and counted up to a ceiling. Decides nothing; who may answer is said by
 * domain/responder.h, and the lists keep to the same rule. */
#ifndef STORE_INBOX_H
#define STORE_INBOX_H

#include "domain/principal.h"
#include "store/suspensions.h"

#define INBOX_COUNT_MAX 200  /* counts are told up to here; inbox.sql */
#define INBOX_WORDS_MAX 2000 /* rows with the words, that are looked through */

struct inbox_wish {
    const struct principal *reader;
    enum inbox_view view;
    enum kind kind;         /* KIND__MAX: any */
    enum severity severity; /* SEVERITY__MAX: any */
    struct str agent;       /* p NULL: any */
    struct str words;       /* p NULL: any */
    int64_t due;            /* ends until then; 0: any, or never */
    bool by_deadline;       /* else by severity, then by deadline */
    int64_t limit;
    const struct suspension *after; /* NULL: from the start */
};

/* One page of it; where there are words, of INBOX_WORDS_MAX that have them. */
const struct err *inbox_list(struct pg *pg, struct arena *a,
                             const struct inbox_wish *w,
                             struct suspension_rows *out) MUST;

/* How many of each kind and severity the list has without these two filters,
 * each at most INBOX_COUNT_MAX + 1. looked: how many have the words, at most
 * INBOX_WORDS_MAX + 1; the lists look through INBOX_WORDS_MAX. */
struct inbox_counts {
    int64_t cell[KIND__MAX][SEVERITY__MAX];
    int64_t looked;
};
const struct err *inbox_count(struct pg *pg, struct arena *a,
                              const struct inbox_wish *w,
                              struct inbox_counts *out) MUST;

/* Where an open question stands, by severity and then by deadline: how many
 * come before it, at most INBOX_COUNT_MAX + 1, and its neighbours (p NULL:
 * none). */
struct inbox_place {
    int64_t before;
    struct str previous, next;
};
const struct err *inbox_place(struct pg *pg, struct arena *a,
                              const struct principal *reader,
                              enum inbox_view view,
                              const struct suspension *s,
                              struct inbox_place *out) MUST;

/* How many there are in each view, at most INBOX_COUNT_MAX + 1. */
const struct err *inbox_badges(struct pg *pg, struct arena *a,
                               const struct principal *reader,
                               int64_t out[static INBOX_VIEW__MAX]) MUST;

#endif

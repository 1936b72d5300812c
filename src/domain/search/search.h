/* The search for questions, open and ended: what a question is found by, what
 * somebody types, and a summary of many questions that says which words none
 * of them has.
 *
 * A question has words, by whose start it is found, and marks, which are found
 * whole: its agent, its tools, who answered it. Both are bounded, so that the
 * facts of a hostile agent cost no more than those of another one. Pure. */
#ifndef DOMAIN_SEARCH_SEARCH_H
#define DOMAIN_SEARCH_SEARCH_H

#include "domain/kind/amount.h"
#include "domain/question/suspension.h"

#define SEARCH_ASKED_MAX 160 /* words of what was asked */
#define SEARCH_ENDED_MAX 80  /* of how it ended */
#define SEARCH_BYTES_MAX ((size_t)1600) /* of either, about */
#define SEARCH_TERMS_MAX 16 /* that are searched for; others are passed over */
#define SEARCH_MARKS_MAX 64 /* of all of them */

enum search_mark {
    SEARCH_AGENT = 'a',
    SEARCH_FOR = 'f', /* the initiator */
    SEARCH_ID = 'i',  /* of the question, and of its intent */
    SEARCH_KIND = 'k',
    SEARCH_NOTHING = 'n', /* no question has it */
    SEARCH_OUTCOME = 'o',
    SEARCH_RISK = 'r',
    SEARCH_TOOL = 't',
    SEARCH_VIA = 'v',
    SEARCH_WHO = 'w' /* who answered */
};

/* The words and marks of what was asked, with a space between two: of title,
 * question, the facts' values, explanation and context, in this order. */
struct str search_asked(struct arena *a, const struct suspension *s);
/* Those that are added when it ends: of the comment, of who answered, of the
 * values that were given or changed. */
struct str search_ended(struct arena *a, const struct suspension *s);
/* Those of an end without an answer. */
struct str search_ended_by(struct arena *a, enum outcome outcome, enum via via,
                           struct str who);

/* ---- what is searched for --------------------------------------------- */

/* All terms have to be there: a word by its start, or one of the marks. */
struct search_term {
    struct str word; /* p NULL: only the marks count */
    struct str part; /* people whose names have it anywhere count as well; p
                      * NULL: none do */
    bool who;        /* only as those who answered */
    struct str marks[SEARCH_MARKS_MAX];
    size_t n;
};
struct search_query {
    struct search_term terms[SEARCH_TERMS_MAX];
    size_t n;
    size_t marks; /* of all terms */
    bool priced;  /* it has an amount above over, of the unit (p NULL: of any),
                   * in lower case */
    struct decimal over;
    struct str unit;
};
/* Adds what somebody typed. An id is found whole. Where it has neither a letter
 * nor a digit, nothing is found. */
void search_type(struct arena *a, struct search_query *q, struct str typed);
/* Adds the person who answered: an address, or parts of their name. */
void search_add_who(struct arena *a, struct search_query *q, struct str typed);
/* Adds a mark that has to be there. */
void search_add_mark(struct arena *a, struct search_query *q,
                     enum search_mark mark, struct str name);
/* Adds a person whose name has the part of term i. */
void search_add_person(struct arena *a, struct search_query *q, size_t i,
                       struct str name);
/* As a tsquery of PostgreSQL; p NULL: without any term. */
struct str search_text_of(struct arena *a, const struct search_query *q);

/* ---- summaries -------------------------------------------------------- */

/* The words of some hundred questions as bits: for each start of a word and
 * each mark, eight bits of one of the slices. A word of which one of these
 * bits is not set is in none of them. */
#define SEARCH_SLICES 128
#define SEARCH_SLICE 2048 /* bits */

struct search_summary {
    uint64_t bits[SEARCH_SLICES][SEARCH_SLICE / 64];
    size_t set; /* number of bits */
    uint64_t seen[4096]; /* hashes of words that were added, most of them */
};
/* Adds the words and marks of a question, and its amount (p NULL: none). */
void search_sum(struct arena *a, struct search_summary *m, struct str words,
                struct str amount, struct str unit);
/* So many are set that it says little. */
bool search_full(const struct search_summary *m);
/* A slice as PostgreSQL reads bits; p NULL: all are 0. */
struct str search_slice(struct arena *a, const struct search_summary *m,
                        size_t slice);
/* The bits that a summary has where it may hold what is searched for: of each
 * term those of one of its places, in a slice, as PostgreSQL reads them. Terms
 * are numbered from 1; one with many marks is left out, and so is one that does
 * not fit. */
#define SEARCH_PLACES_MAX 24
struct search_places {
    struct search_place {
        size_t term, slice;
        struct str bits;
    } v[SEARCH_PLACES_MAX];
    size_t n;
};
struct search_places search_places(struct arena *a,
                                   const struct search_query *q);

#endif

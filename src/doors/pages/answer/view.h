/* The views of the pages of one question, made from loaded records. Never
 * loads, never decides. */
#ifndef DOORS_PAGES_ANSWER_VIEW_H
#define DOORS_PAGES_ANSWER_VIEW_H

#include "doors/pages/answer/form.h"
#include "doors/pages/shell/answered.h"

/* All that a page shows of a question; NULL: it has none of it. */
struct answer_view_of {
    const struct suspension *s;
    const struct principal *reader;
    int64_t revision; /* from 1: it, and those that it replaces */
    const struct suspension *before, *after; /* replaced by it, replacing it */
    struct str checkpoint; /* that an open one decides; p NULL: none */
    struct json *timeline;
    int64_t closed;                /* sequence of its last event; 0: none */
    const struct suspension *next; /* in the reader's inbox */
    struct json *permit, *claims;  /* of question/permit.h and claims.h */
    struct json *place; /* of an open one in the inbox: {at, all, first,
                         * previous, next} */
    struct str looking; /* who else has it open (answer/looking.h); p NULL:
                         * nobody */
    struct page_answered_way way; /* on which the reader came to an open one */
    struct json *same;  /* open ones with the same facts: {suspension, others,
                         * single} */
};

/* The view of suspension.html. */
struct json *answer_view_open(struct page_view *v,
                              const struct answer_view_of *of,
                              const struct answer_form_of *form);
/* The view of answered.html. */
struct json *answer_view_closed(struct page_view *v,
                                const struct answer_view_of *of);
/* The view of question/erased.html: of one whose contents a rule erased. */
struct json *answer_view_erased(struct page_view *v,
                                const struct answer_view_of *of);
/* The view of receipt.html: the same details, not folded; receipt: its member
 * of that name. */
struct json *answer_view_receipt(struct page_view *v,
                                 const struct answer_view_of *of,
                                 struct json *receipt);
/* `next`: the next question; NULL for NULL. */
struct json *answer_view_next(struct page_view *v, const struct suspension *s);

#endif

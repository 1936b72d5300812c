/* A yes that allows less, or an approval of something else
 * (domain/question/amend.h), on a page: its fields, and then the difference.
 *
 * A change is shown as a difference before it counts: the page with the
 * difference carries its digest, and only a change with that digest is
 * decided. */
#ifndef DOORS_PAGES_ANSWER_AMEND_H
#define DOORS_PAGES_ANSWER_AMEND_H

#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"
#include "world/web/request.h"

/* The value of the posted choice: to decide it, to show it, or to continue
 * changing it; p NULL: none. */
struct str answer_amend_value(const struct pairs *posted);
/* Does the change have to be shown before the choice counts? after: the
 * question with the change. No, where the same change was shown, or where
 * nothing differs from the question. */
bool answer_amend_unseen(struct arena *a, const struct suspension *after,
                         const struct json *choice,
                         const struct pairs *posted);

/* The two as rows (pages/shell/difference.h), with the parts that go beyond
 * what was asked for, and `is_same`. */
struct json *answer_amend_difference(struct page_view *v,
                                     const struct suspension *s);
/* The change in a few words, where the answer allows something else; p NULL
 * where it does not. */
struct str answer_amend_brief(struct page_view *v, const struct suspension *s);

struct answer_amend_of {
    const struct suspension *s;
    const struct json *choice;
    const struct pairs *typed;      /* NULL: nothing yet */
    const struct err *error;        /* NULL: none */
    const struct suspension *after; /* to be shown; NULL: still being edited */
};
/* `confirm.amend`; NULL for a choice that takes nothing. */
struct json *answer_amend(struct page_view *v,
                          const struct answer_amend_of *of);
/* The mistakes, as {href, text} for each field. */
struct json *answer_amend_errors(struct page_view *v,
                                 const struct answer_amend_of *of);

#endif

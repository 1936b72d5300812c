/* The inputs by which a yes allows less, or an approval something else
 * (domain/question/amend.h): as fields of a page, and read back from a post.
 *
 * A change is shown as a difference before it counts: the page with the
 * difference carries its digest, and only a change with that digest is decided.
 * Checks no value beyond its form. */
#ifndef DOORS_PAGES_ANSWER_AMEND_H
#define DOORS_PAGES_ANSWER_AMEND_H

#include "domain/answer/resolve.h"
#include "doors/pages/shell/view.h"
#include "world/web/request.h"

#define ANSWER_AMEND_BYTES ((size_t)64 << 10) /* of a subject that can be edited
                                               * on a page */

/* Does the choice take any of the inputs of this file: limit, seconds,
 * constraints, subject? */
bool answer_amend_takes(const struct json *choice);
/* The value of the posted choice: to decide it, to show it, or to continue
 * changing it; p NULL: none. */
struct str answer_amend_value(const struct pairs *posted);
/* The posted inputs of this choice. ERR_INVALID amend.field with {"fields":
 * {key: sentence}} in more. */
const struct err *answer_amend_read(struct arena *a,
                                    const struct suspension *s,
                                    const struct json *choice,
                                    const struct pairs *posted,
                                    struct amend_sent *out) MUST;
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

/* The differences of two JSON values, as rows of a page: changed, added,
 * removed, each with the old and the new value. Never loads, never decides. */
#ifndef DOORS_PAGES_SHELL_DIFFERENCE_H
#define DOORS_PAGES_SHELL_DIFFERENCE_H

#include "domain/question/widening.h"
#include "doors/pages/shell/facts.h"

/* `rows[]` of {sign, word, path, before, after, type, beyond}, `more`, and the
 * heads of both sides, `was_head` and `now_head`. Equal parts have no row.
 * Each row has a mark where it goes beyond what was asked for, and their list
 * is in `beyond`; beyond NULL: none does. */
struct json *page_difference(struct page_view *v, const struct json *before,
                             const struct json *after,
                             const struct widening *beyond);
/* The first of them in a few words; "" where nothing differs. */
struct str page_difference_brief(struct page_view *v,
                                 const struct json *before,
                                 const struct json *after);
/* The same with a row for each value of two objects, within the limits: where
 * it is equal sign and word are "" and before is null. The same object twice:
 * its values. */
struct json *page_difference_whole(struct page_view *v,
                                   struct page_facts_room *room,
                                   const struct json *before,
                                   const struct json *after);

#endif

/* What differs between two JSON values, as rows of a page: changed, added,
 * removed, each with what was and what is. Never loads, never decides. */
#ifndef DOORS_PAGE_DIFFERENCE_H
#define DOORS_PAGE_DIFFERENCE_H

#include "doors/page_facts.h"

/* `rows[]` of {sign, word, path, before, after, type}, `more`, and the heads
 * of both sides, `was_head` and `now_head`. Equal parts have no row. */
struct json *page_difference(struct page_view *v, const struct json *before,
                             const struct json *after);
/* The same with a row for each value of two objects, within the room: where
 * it is equal sign and word are "" and before is null. The same object twice:
 * its values. */
struct json *page_difference_whole(struct page_view *v,
                                   struct page_facts_room *room,
                                   const struct json *before,
                                   const struct json *after);

#endif

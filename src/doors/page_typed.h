/* What a person types themselves before a grave permission counts: its target
 * (reference/ui.md 5.4). Binds the page alone; an answer through an API names
 * its question by hand anyway. Never decides. */
#ifndef DOORS_PAGE_TYPED_H
#define DOORS_PAGE_TYPED_H

#include "doors/page_view.h"
#include "domain/suspension.h"
#include "world/request.h"

/* The text to type before this choice counts; p NULL: none. Where the target
 * cannot well be typed it is the first eight digits of the facts' digest. */
struct str page_typed_word(struct arena *a, const struct suspension *s,
                           const struct json *choice);
/* ERR_INVALID typed.differs where what was posted as `typed` is another
 * text. */
const struct err *page_typed_check(struct arena *a, const struct suspension *s,
                                   const struct json *choice,
                                   const struct pairs *posted) MUST;
/* {word, value, error} for the choice; NULL where nothing has to be typed.
 * typed: what was posted, or NULL; error: what was wrong with it, or NULL. */
struct json *page_typed(struct page_view *v, const struct suspension *s,
                        const struct json *choice, const struct pairs *typed,
                        const struct err *error);

#endif

/* The field in which a person types the text that confirms a grave yes. The
 * rule is domain/question/risk.h's and holds at every door. Never decides. */
#ifndef DOORS_PAGES_ANSWER_TYPED_H
#define DOORS_PAGES_ANSWER_TYPED_H

#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"
#include "world/web/request.h"

/* The text typed to confirm the choice. While a change is only shown nothing
 * has to be typed. */
struct str answer_typed_read(struct arena *a, const struct suspension *s,
                             const struct json *choice,
                             const struct pairs *posted);
/* {word, value, error} for the choice; NULL where nothing has to be typed.
 * typed: the posted form, or NULL; error: its error, or NULL. */
struct json *answer_typed(struct page_view *v, const struct suspension *s,
                          const struct json *choice, const struct pairs *typed,
                          const struct err *error);

#endif

/* What a person types themselves before a grave yes counts. The rule is
 * domain/risk.h's and binds every door; this is its field. Never decides. */
#ifndef DOORS_PAGES_ANSWER_TYPED_H
#define DOORS_PAGES_ANSWER_TYPED_H

#include "domain/suspension.h"
#include "doors/pages/shell/view.h"
#include "world/request.h"

/* What was typed to confirm the choice. Where the change is only looked at
 * nothing counts yet, and nothing has to be typed. */
struct str answer_typed_read(struct arena *a, const struct suspension *s,
                             const struct json *choice,
                             const struct pairs *posted);
/* {word, value, error} for the choice; NULL where nothing has to be typed.
 * typed: what was posted, or NULL; error: what was wrong with it, or NULL. */
struct json *answer_typed(struct page_view *v, const struct suspension *s,
                          const struct json *choice, const struct pairs *typed,
                          const struct err *error);

#endif

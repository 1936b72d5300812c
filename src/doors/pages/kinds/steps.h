/* The steps of a plan, next to those of an earlier one. Never loads, never
 * decides. */
#ifndef DOORS_PAGES_KINDS_STEPS_H
#define DOORS_PAGES_KINDS_STEPS_H

#include "doors/pages/shell/view.h"

/* `steps`, a member of several views, as an agent sent them. before: its
 * earlier ones to compare with; NULL: none. */
struct json *kinds_steps(struct page_view *v, const struct json *steps,
                         const struct json *before);
/* The same for an approved plan next to the question's: always in its own
 * order, nothing folded, and a note that is not the agent's is a person's. */
struct json *kinds_steps_approved(struct page_view *v,
                                  const struct json *steps,
                                  const struct json *asked);
/* The steps of a question's plan, or of the approved one; NULL where it has
 * none. */
const struct json *kinds_steps_of(const struct json *subject);

#endif

/* What a yes allowed, where that is not what was asked for. Never loads, never
 * decides. */
#ifndef DOORS_PAGES_ANSWER_ALLOWED_H
#define DOORS_PAGES_ANSWER_ALLOWED_H

#include "domain/suspension.h"
#include "doors/pages/shell/view.h"

/* `allowed`; NULL where exactly what was asked for was allowed, or nothing. */
struct json *answer_allowed(struct page_view *v, const struct suspension *s);

#endif

/* What a yes allowed, where that is not what was asked for. Never loads, never
 * decides. */
#ifndef DOORS_PAGE_ALLOWED_H
#define DOORS_PAGE_ALLOWED_H

#include "doors/page_view.h"
#include "domain/suspension.h"

/* `allowed`; NULL where exactly what was asked for was allowed, or nothing. */
struct json *page_allowed(struct page_view *v, const struct suspension *s);

#endif

/* A cost confirmation as its page shows it: the estimate with its range, what
 * is spent, and the limit. Never loads, never decides. */
#ifndef DOORS_PAGE_KIND_COST_H
#define DOORS_PAGE_KIND_COST_H

#include "doors/page_kind.h"

/* `kind_view.cost`; NULL for another kind. */
struct json *page_kind_cost(struct page_view *v,
                            const struct page_kind_of *of);

#endif

/* A permission as its page shows it: what for, on what, how long, and what
 * comes of it. Never loads, never decides. */
#ifndef DOORS_PAGE_KIND_PERMISSION_H
#define DOORS_PAGE_KIND_PERMISSION_H

#include "doors/page_kind.h"

/* `kind_view.permission`; NULL for another kind. */
struct json *page_kind_permission(struct page_view *v,
                                  const struct page_kind_of *of);

#endif

/* An approval as its page shows it: all that will run, and what the agent
 * claims about it. Never loads, never decides. */
#ifndef DOORS_PAGE_KIND_APPROVAL_H
#define DOORS_PAGE_KIND_APPROVAL_H

#include "doors/page_kind.h"

/* `kind_view.approval`; NULL for another kind. */
struct json *page_kind_approval(struct page_view *v,
                                const struct page_kind_of *of);

#endif

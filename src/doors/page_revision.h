/* A question between the one that it replaces and the one that replaces it.
 * Loads these two; never decides. */
#ifndef DOORS_PAGE_REVISION_H
#define DOORS_PAGE_REVISION_H

#include "domain/suspension.h"
#include "doors/call/call.h"
#include "doors/page_view.h"

struct page_revision {
    int64_t n;                              /* from 1 */
    const struct suspension *before, *after; /* NULL: none */
};

/* Finds both. */
const struct err *page_revision_load(struct call *c,
                                     const struct suspension *s,
                                     struct page_revision *out) MUST;
/* `revision`; NULL for a question that replaces none and was not replaced. */
struct json *page_revision(struct arena *a, const struct page_revision *r);

#endif

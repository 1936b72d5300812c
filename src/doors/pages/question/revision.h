/* A question with the one that it replaces and the one that replaces it. Loads
 * these two; never decides. */
#ifndef DOORS_PAGES_QUESTION_REVISION_H
#define DOORS_PAGES_QUESTION_REVISION_H

#include "domain/question/suspension.h"
#include "doors/call/call.h"
#include "doors/pages/shell/view.h"

struct question_revision {
    int64_t n;                              /* from 1 */
    const struct suspension *before, *after; /* NULL: none */
};

/* Finds both. */
const struct err *question_revision_load(struct call *c,
                                         const struct suspension *s,
                                         struct question_revision *out) MUST;
/* `revision`; NULL for a question that replaces none and was not replaced. */
struct json *question_revision(struct arena *a,
                               const struct question_revision *r);

#endif

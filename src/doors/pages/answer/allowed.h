/* The changes of a yes, where it allowed something else than was asked for.
 * Never loads, never decides. */
#ifndef DOORS_PAGES_ANSWER_ALLOWED_H
#define DOORS_PAGES_ANSWER_ALLOWED_H

#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"

/* `allowed`; NULL where the answer allowed exactly the subject, or nothing. */
struct json *answer_allowed(struct page_view *v, const struct suspension *s);

#endif

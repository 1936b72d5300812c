/* The claims of an agent about an answer that a restore lost, on its question's
 * pages. */
#ifndef DOORS_PAGES_QUESTION_CLAIMS_H
#define DOORS_PAGES_QUESTION_CLAIMS_H

#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"
#include "work/restores.h"

/* `claims`; NULL for an empty list. */
struct json *question_claims_view(struct page_view *v,
                                  const struct suspension *s,
                                  const struct restores_claims *list);

#endif

/* The claims of an agent about an answer that a restore lost, on its question's
 * pages. */
#ifndef DOORS_PAGES_QUESTION_CLAIMS_H
#define DOORS_PAGES_QUESTION_CLAIMS_H

#include "domain/suspension.h"
#include "doors/call/call.h"
#include "doors/pages/shell/view.h"

/* `claims`; *out is NULL where the agent said nothing. */
const struct err *question_claims(struct call *c, struct page_view *v,
                                  const struct suspension *s,
                                  struct json **out) MUST;

#endif

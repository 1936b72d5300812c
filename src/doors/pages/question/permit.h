/* A question's permit, on its pages: what it allows, its uses, and the link to
 * revoke it. */
#ifndef DOORS_PAGES_QUESTION_PERMIT_H
#define DOORS_PAGES_QUESTION_PERMIT_H

#include "domain/permit/permit.h"
#include "doors/call/call.h"
#include "doors/pages/shell/view.h"

/* The tools of a permit's details in a few words: "shop.refund", "shop.refund
 * and 2 others"; "" where it allows no call of a tool. */
struct str question_permit_tools(struct arena *a, const struct permit *p);
/* "1 of 3" uses. */
struct str question_permit_used(struct arena *a, const struct permit *p);
/* `permit` of the page of an open question: what a yes allows. *out is NULL
 * where the question has none. */
const struct err *question_permit_asked(struct call *c, struct page_view *v,
                                        const struct suspension *s,
                                        struct json **out) MUST;
/* `permit` of the page of an answered one: what it allows, and its uses. */
const struct err *question_permit(struct call *c, struct page_view *v,
                                  const struct suspension *s,
                                  struct json **out) MUST;

#endif

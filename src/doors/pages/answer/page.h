/* The page of a question, and answering there. */
#ifndef DOORS_PAGES_ANSWER_PAGE_H
#define DOORS_PAGES_ANSWER_PAGE_H

#include "doors/call/call.h"

/* Rows of the route table. */
const struct err *answer_page(struct call *c) MUST;
/* Notes that the caller has the page open, and answers who else has, as JSON:
 * {"sentence"}. */
const struct err *answer_looking(struct call *c) MUST;
const struct err *answer_page_respond(struct call *c) MUST;
/* The receipt of a question that has ended; of an open one its page. */
const struct err *answer_receipt(struct call *c) MUST;
/* The question with the text typed before the session ended, to be sent again;
 * decides nothing. */
const struct err *answer_page_kept(struct call *c, struct str id,
                                   const struct pairs *typed) MUST;

#endif

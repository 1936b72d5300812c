/* Pages of what questions belong to: a handler for each row of the route
 * table. */
#ifndef DOORS_PAGES_QUESTION_QUESTION_H
#define DOORS_PAGES_QUESTION_QUESTION_H

#include "doors/call/call.h"

/* An intent: its questions, its plans, its portfolios and its events. */
const struct err *question_intent(struct call *c) MUST;
/* A portfolio: its members and their open questions. */
const struct err *question_portfolio(struct call *c) MUST;

#endif

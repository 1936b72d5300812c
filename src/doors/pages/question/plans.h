/* The plans of an intent on its page: their state, their steps in order, what a
 * step waits for, and their checkpoints. */
#ifndef DOORS_PAGES_QUESTION_PLANS_H
#define DOORS_PAGES_QUESTION_PLANS_H

#include "doors/call/call.h"
#include "doors/pages/shell/view.h"
#include "store/suspensions.h"

/* Sets `plans`, those that have not ended before the others, the newest first;
 * then steps of no plan. asked: the questions of the intent. */
const struct err *question_plans(struct call *c, struct page_view *v,
                                 struct json *view, struct intent *i,
                                 const struct suspension_rows *asked) MUST;

#endif

/* The plans of an intent on its page: their state, their steps in order, what a
 * step waits for, and their checkpoints. */
#ifndef DOORS_PAGES_QUESTION_PLANS_H
#define DOORS_PAGES_QUESTION_PLANS_H

#include "domain/plan/intent_plans.h"
#include "doors/call/call.h"
#include "doors/pages/shell/view.h"
#include "store/question/suspensions.h"

struct question_plans {
    struct intent *intent;
    const struct suspension_rows *asked; /* its questions */
    struct intent_plans *plans; /* is set; NULL where it has no steps */
};

/* Sets `plans`, those that have not ended before the others, the newest first;
 * then steps of no plan. */
const struct err *question_plans(struct call *c, struct page_view *v,
                                 struct json *view,
                                 struct question_plans *of) MUST;

#endif

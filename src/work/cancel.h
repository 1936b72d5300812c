/* Withdrawing a question. */
#ifndef WORK_CANCEL_H
#define WORK_CANCEL_H

#include "work/work.h"

/* Withdraws the work's question for the caller, who may see it; reason: p
 * NULL: none. Errors of resolve_cancel and ask_of_plans. */
const struct err *cancel(struct work *w, struct str reason) MUST;

#endif

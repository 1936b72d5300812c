/* Withdrawing a question. */
#ifndef WORK_CANCEL_H
#define WORK_CANCEL_H

#include "work/work.h"

/* Withdraws the work's question for the caller, who may see it; reason: p
 * NULL: none. Errors of resolve_cancel and ask_of_plans. */
const struct err *cancel(struct work *w, struct str reason) MUST;
/* The same of the question of an intent that the caller ends: it gets the
 * status to. Errors of resolve_cancel. */
const struct err *cancel_by_end(struct work *w, struct str reason,
                                enum intent_status to) MUST;

#endif

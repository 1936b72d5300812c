/* Answering a question: what the native door, the OpenIntent endpoint and the
 * browser share around domain/resolve.h. */
#ifndef DOORS_ANSWER_H
#define DOORS_ANSWER_H

#include "doors/call.h"

/* Decides the work's question; the caller commits. */
const struct err *answer_decide(struct call *c, struct work *w,
                                const struct answer *answer) MUST;

#endif

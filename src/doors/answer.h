/* Answering a question: what the native door, the OpenIntent endpoint and the
 * browser share around domain/resolve.h. */
#ifndef DOORS_ANSWER_H
#define DOORS_ANSWER_H

#include "doors/call.h"

/* Decides the work's question; the caller commits. When its time was over,
 * what expired is committed, and the error tells so (answer_too_late). */
const struct err *answer_decide(struct call *c, struct work *w,
                                const struct answer *answer) MUST;
/* Commits an expiry that was found at load; the conflict that tells of it. */
const struct err *answer_too_late(struct call *c, struct work *w) MUST;

#endif

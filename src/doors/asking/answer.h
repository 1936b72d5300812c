/* Answering a question: what the native door, the OpenIntent endpoint and the
 * browser share around domain/resolve.h. */
#ifndef DOORS_ASKING_ANSWER_H
#define DOORS_ASKING_ANSWER_H

#include "doors/call/call.h"

/* Before answer_decide: looks for a credential that the answer says is there,
 * outside of any transaction. *again: the work was rolled back for that, and
 * has to be begun once more. ERR_CONFLICT of probe_credential. */
const struct err *answer_look(struct call *c, struct work *w,
                              const struct answer *answer, bool *again) MUST;
/* Decides the work's question; the caller commits. */
const struct err *answer_decide(struct call *c, struct work *w,
                                const struct answer *answer) MUST;

#endif

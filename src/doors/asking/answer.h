/* Answering a question: the part around domain/answer/resolve.h that the
 * native API, the OpenIntent endpoint and the pages share. */
#ifndef DOORS_ASKING_ANSWER_H
#define DOORS_ASKING_ANSWER_H

#include "doors/call/call.h"

/* Before answer_decide: checks a credential that the answer reports as set up,
 * outside of any transaction. *again: the work was rolled back for the check
 * and has to be begun once more. ERR_CONFLICT of probe_credential. */
const struct err *answer_look(struct call *c, struct work *w,
                              const struct answer *answer, bool *again) MUST;
/* Decides the work's question; the caller commits. */
const struct err *answer_decide(struct call *c, struct work *w,
                                const struct answer *answer) MUST;

#endif

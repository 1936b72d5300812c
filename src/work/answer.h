/* Answering a question: the act around domain/answer/resolve.h. */
#ifndef WORK_ANSWER_H
#define WORK_ANSWER_H

#include "work/work.h"

/* Decides the work's question; the caller commits. A credential that the
 * answer reports as set up is checked first, outside of any transaction: the
 * work is rolled back for it and begun again. Where the same request was
 * answered meanwhile, w->answered is set, and nothing is decided. Errors of
 * resolve_respond, of work_again and, ERR_CONFLICT, of probe_credential. */
const struct err *answer_decide(struct work *w,
                                const struct answer *answer) MUST;

#endif

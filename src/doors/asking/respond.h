/* An answer that comes in a JSON body. */
#ifndef DOORS_ASKING_RESPOND_H
#define DOORS_ASKING_RESPOND_H

#include "doors/call/call.h"

/* answer_decide, with the member "restored" of the body: it counts at every
 * door. */
const struct err *respond_decide(struct call *c, struct work *w,
                                 const struct answer *answer) MUST;

#endif

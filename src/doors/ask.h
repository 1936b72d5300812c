/* Suspending an intent: what the native and the OpenIntent door share. */
#ifndef DOORS_ASK_H
#define DOORS_ASK_H

#include "doors/call.h"

/* Seals s as the question of the work's intent: times, digest, mirror, the
 * intent.suspended event. The intent has to be suspended by the caller.
 * ERR_CONFLICT suspension.open when one is open already. */
const struct err *ask_suspend(struct call *c, struct work *w,
                              struct suspension *s) MUST;

#endif

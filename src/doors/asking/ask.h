/* Suspending an intent: the part that the native API and OpenIntent share. */
#ifndef DOORS_ASKING_ASK_H
#define DOORS_ASKING_ASK_H

#include "doors/call/call.h"

/* Seals s as the question of the work's intent: times, digest, mirror, the
 * intent.suspended event. The intent has to be suspended by the caller. Notices
 * to people are queued with it. ERR_CONFLICT suspension.open when one is open
 * already; ERR_INVALID of retry_apply, retry_check_fallback, channel_check and
 * kind_check_places; responder.* where nobody could answer;
 * supersedes.other. */
const struct err *ask_suspend(struct call *c, struct work *w,
                              struct suspension *s) MUST;

#endif

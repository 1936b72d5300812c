/* A question as the native API takes it: the part that the API and the doors of
 * other protocols share. */
#ifndef DOORS_ASKING_QUESTION_H
#define DOORS_ASKING_QUESTION_H

#include "doors/call/call.h"

/* Asks the question of a body, in its intent or in a new one; text: the bytes
 * of the body. The caller commits, unless w->answered. ERR_INVALID of
 * suspension_read; ERR_NOT_FOUND intent.unknown; those of ask. */
const struct err *question_ask(struct call *c, struct work *w, struct str text,
                               const struct json *body) MUST;
/* Sets the key of a call (c->once) by a client that sends no Idempotency-Key,
 * from its session, its own id of the call and the text. Without an id (p
 * NULL) that of the request counts: one that is held comes back as the same
 * request. */
void question_once(struct call *c, struct str session, struct str id,
                   struct str text);
/* Its record for the one that asked: the suspension, with the status and the
 * version of the intent. */
struct json *question_asked(struct call *c, const struct work *w);
/* ERR_NOT_FOUND suspension.unknown unless the caller may see it; where its
 * intent is closed, an agent needs access to that (call_intent). */
const struct err *question_check(struct call *c, const struct suspension *s,
                                 bool closed) MUST;
/* One that the caller may see; ERR_NOT_FOUND suspension.unknown. */
const struct err *question_get(struct call *c, struct str id,
                               struct suspension *out) MUST;
/* Cancels it; reason: p NULL: none. The caller commits, unless w->answered.
 * ERR_NOT_FOUND suspension.unknown; those of cancel. */
const struct err *question_cancel(struct call *c, struct work *w,
                                  struct str id, struct str reason,
                                  const struct work_once *once) MUST;

#endif

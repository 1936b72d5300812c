/* A question as the native API takes it: the part that the API and the doors of
 * other protocols share. */
#ifndef DOORS_ASKING_QUESTION_H
#define DOORS_ASKING_QUESTION_H

#include "doors/call/call.h"

/* A question to ask, as it is read or as the door of another form fills it. */
struct question {
    struct str intent_id; /* p NULL: a new intent is made: */
    struct intent intent; /* without a title it has that of the question */
    struct suspension suspension;
};
/* Reads one from a body; text: its bytes. ERR_INVALID of suspension_read. */
const struct err *question_read(struct arena *a, const struct json *body,
                                struct str text, struct question *out) MUST;
/* Asks it, under a new id. The caller commits, unless w->answered.
 * ERR_NOT_FOUND intent.unknown; those of ask. */
const struct err *question_ask(struct call *c, struct work *w,
                               struct question *q) MUST;
/* Asks it once and commits: *out is the question as it is now, also where the
 * same call asked it before (c->once). */
const struct err *question_ask_once(struct call *c, struct question *q,
                                    struct suspension *out) MUST;
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

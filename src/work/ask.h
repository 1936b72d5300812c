/* Suspending an intent: the part that the native API and OpenIntent share. */
#ifndef WORK_ASK_H
#define WORK_ASK_H

#include "work/work.h"

/* A code that callers compare: responder.nobody. */
extern const char ask_nobody[];

/* Seals s as the question of the work's intent: times, digest, mirror, the
 * intent.suspended event. The intent has to be suspended by the caller. Notices
 * to people are queued with it. ERR_CONFLICT suspension.open when one is open
 * already; ERR_INVALID of retry_apply, retry_silence_check, channel_check and
 * kind_check_places and checkpoint_take; responder.* where nobody could
 * answer; supersedes.other. */
const struct err *ask_suspend(struct work *w, struct suspension *s) MUST;

/* Seals s as a question beside the one that holds the intent
 * (domain/question/beside.h), and queues notices to people. ERR_CONFLICT
 * intent.ended; question.too_many. */
const struct err *ask_beside(struct work *w, struct suspension *s) MUST;

/* A question that the work's board asks, if there is one: it counts as one of
 * the agent's key that led to it (ERR_RATE limit.open), and notices to people
 * are queued. */
const struct err *ask_tell(struct work *w) MUST;

/* Makes the work's permit of these details, asked for; terms: NULL: the
 * default. */
const struct err *ask_permit_make(struct work *w, const struct json *details,
                                  const struct permit_terms *terms) MUST;
/* Sets what every intent made for a question has, with this status, and its
 * intent_created event. The work is new (work_begin_new) and its intent has a
 * title. */
const struct err *ask_make_intent(struct work *w,
                                  enum intent_status status) MUST;
/* Moves an intent that exists to suspended; one with an open question is left
 * to ask_suspend. ERR_CONFLICT of intent_move. */
const struct err *ask_move(struct work *w) MUST;

#endif

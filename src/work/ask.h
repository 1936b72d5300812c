/* Asking a question: the one way, of all doors and of the clock. */
#ifndef WORK_ASK_H
#define WORK_ASK_H

#include "work/work.h"

/* A code that callers compare: responder.nobody. */
extern const char ask_nobody[];

/* The asker of a question. */
struct ask_by {
    struct str name;       /* goes on record */
    struct str key_id;     /* its open questions are limited */
    struct event_by event; /* of the event */
    struct terms terms;    /* of the server and of the key */
};
/* Seals s as a question of the work's intent: who asks, times, terms, digest,
 * the event, the notice to people. By its origin it holds the intent, which
 * the caller has suspended, and then has its mirror and its permit; or it is
 * one of those that the server words (domain/question/side_question.h).
 * ERR_CONFLICT suspension.open; intent.ended and question.too_many of the
 * others. ERR_RATE limit.open. Of one that holds the intent also ERR_INVALID
 * of retry_apply, retry_silence_check, channel_check, kind_check_places and
 * checkpoint_take; responder.* where nobody could answer; supersedes.other. */
const struct err *ask(struct work *w, struct suspension *s,
                      const struct ask_by *by) MUST;
/* The same, asked by the caller. */
const struct err *ask_by_caller(struct work *w, struct suspension *s) MUST;

/* The notice to people of a question that was asked. */
struct deliveries_notice *ask_notice(struct work *w,
                                     const struct suspension *s,
                                     const struct channels *all);
/* A question that the work's plans ask, if there is one: it counts as one of
 * the agent's key that led to it (ERR_RATE limit.open), and notices to people
 * are queued. */
const struct err *ask_of_plans(struct work *w) MUST;

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
 * to ask. ERR_CONFLICT of intent_move. */
const struct err *ask_move(struct work *w) MUST;

#endif

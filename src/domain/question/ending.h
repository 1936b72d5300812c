/* The event of the log that ended a question, and what follows from its reason.
 * Pure.
 *
 * Only the event's type and the member of its payload that names the question
 * count: other events of the same transaction have its id too, and so may any
 * text of an agent. */
#ifndef DOMAIN_QUESTION_ENDING_H
#define DOMAIN_QUESTION_ENDING_H

#include "domain/intent/event.h"
#include "domain/question/suspension.h"

enum ending {
    ENDING_NONE,  /* the event did not end the question */
    ENDING_OTHER, /* it did, but with another state or outcome than s has */
    ENDING_THIS
};

/* The types of such events, in a. */
size_t ending_list_types(struct arena *a, struct str **out);
/* Did the event, of the intent of s, end the question s? It names the
 * question; or it ended the intent at the moment when the question ended, and
 * with it all side questions that were open. Reads type, created_at and
 * canonical of e, and id, state, outcome, origin, suspended_at and
 * responded_at of s. */
enum ending ending_of(struct arena *a, const struct suspension *s,
                      const struct event *e);
/* The same for what a receipt says of s: all of that but the origin, and so
 * not whether it is a side question. The end of the intent ends each that was
 * open. */
enum ending ending_of_receipt(struct arena *a, const struct suspension *s,
                              const struct event *e);

/* An intent.suspension_expired with this reason stopped the task, whatever the
 * question's fallback says: the abandonment_reason of the intent's state. p
 * NULL: it did not. To agents such a question is "cancelled": with "expired"
 * the SDK's agent would go on with its fallback value. */
struct str ending_abandons(struct str reason);

#endif

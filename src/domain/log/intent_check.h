/* Does the row of an intent say what its events say: title, status and state?
 * Pure. A fact that no event has is not compared. */
#ifndef DOMAIN_LOG_INTENT_CHECK_H
#define DOMAIN_LOG_INTENT_CHECK_H

#include "domain/intent/intent.h"

/* The last word of the events on each; p NULL: they have none. */
struct intent_check {
    struct arena *arena; /* keeps the words */
    struct str title, status, state_sha256;
};

/* The next event of the chain. a: until it returns. */
void intent_check_event(struct arena *a, struct intent_check *c,
                        const struct event *e);
/* NULL, or why they differ, in words. i: as it was after the last event. */
const char *intent_check_row(struct arena *a, const struct intent_check *c,
                             const struct intent *i);

#endif

/* The meaning of an answer for a client that can only run a call or not, and
 * the words for its model: one rule for the doors of other protocols. Pure. */
#ifndef DOMAIN_ANSWER_VERDICT_H
#define DOMAIN_ANSWER_VERDICT_H

#include "domain/question/suspension.h"

enum verdict_way {
    VERDICT_WAIT,   /* nobody has answered yet */
    VERDICT_ALLOW,  /* the call may run, as the record of the answer says */
    VERDICT_DENY,   /* it may not */
    VERDICT_ANSWER, /* an answer that is neither: its value counts */
    VERDICT__MAX
};

struct verdict {
    enum verdict_way way;
    struct str text; /* a sentence or a few; never empty */
};

/* Silence is never an answer. A yes within limits is a no to the call as it
 * was shown, because such a client cannot carry limits: the text names them. */
struct verdict verdict_of(struct arena *a, const struct suspension *s);

#endif

/* The right to decide a question. Pure.
 *
 * The asking agent never has it; the responder that the question names has it,
 * else any operator. A page tells a reader with the same sentences why they may
 * not decide, and who can. */
#ifndef DOMAIN_RESPONDER_H
#define DOMAIN_RESPONDER_H

#include "domain/principal.h"
#include "domain/vocabulary.h"

struct responder {
    enum responder_mode mode;
    struct str who;     /* the group, name or agent; else p NULL */
    bool not_initiator; /* the person for whom the agent works may not */
};

/* The facts of a question that the rule needs. */
struct responder_case {
    struct responder rule;
    struct str asked_by, asked_by_key, initiated_by; /* p NULL: not known */
};

/* A code that callers compare: suspension.not_yours. */
extern const char responder_not_yours[];

/* NULL, or ERR_FORBIDDEN: suspension.own_question for the agent that asked,
 * suspension.initiator, suspension.not_yours for all others. The sentence gives
 * the reason. */
const struct err *responder_check(struct arena *a,
                                  const struct responder_case *c,
                                  const struct principal *p) MUST;
/* The people who can, as a sentence: "Operators of the group payments can." */
struct str responder_who(struct arena *a, const struct responder_case *c);

#endif

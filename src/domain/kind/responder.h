/* The right to decide a question. Pure.
 *
 * The asking agent never has it; the responder that the question names has it,
 * else any operator. A page shows a reader with the same sentences why they
 * may not decide, and who can. */
#ifndef DOMAIN_KIND_RESPONDER_H
#define DOMAIN_KIND_RESPONDER_H

#include "domain/intent/principal.h"
#include "domain/vocabulary.h"

struct responder {
    enum responder_mode mode;
    struct str who;     /* the group, name or agent; else p NULL */
    bool not_initiator; /* the person for whom the agent works may not */
};

/* The facts of a question that the rule needs. */
struct responder_case {
    struct responder rule;
    /* p NULL: not known */
    struct str asked_by, asked_by_key, initiated_by;
    struct str initiator_id; /* the person's, where that is proven */
    bool test; /* of a test intent: a script may answer what its test key asked
                * (principal.test), and no agent with a real key sees it */
};

/* A code that callers compare: suspension.not_yours. */
extern const char responder_not_yours[];

/* May p see the question at all? An agent sees its own questions and those that
 * it may answer, a user the questions of tasks that were started for them,
 * everybody else all. */
bool responder_sees(const struct responder_case *c,
                    const struct principal *p);
/* NULL, or ERR_FORBIDDEN: suspension.own_question for the agent that asked,
 * suspension.initiator, suspension.not_yours for all others. The sentence gives
 * the reason. */
const struct err *responder_check(struct arena *a,
                                  const struct responder_case *c,
                                  const struct principal *p) MUST;
/* The people who can, as a sentence: "Operators of the group payments can." */
struct str responder_who(struct arena *a, const struct responder_case *c);

#endif

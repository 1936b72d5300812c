/* Who may decide a question (reference/surfaces.md 4.4, 4.5). Pure.
 *
 * The asking agent never; whom the agent names, else any operator. A page says
 * with the same words why a reader may not, and who can. */
#ifndef DOMAIN_RESPONDER_H
#define DOMAIN_RESPONDER_H

#include "domain/principal.h"
#include "domain/vocabulary.h"

struct responder {
    enum responder_mode mode;
    struct str who;     /* the group, name or agent; else p NULL */
    bool not_initiator; /* the person for whom the agent works may not */
};

/* What a question says of itself that the rule needs. */
struct responder_case {
    struct responder rule;
    struct str asked_by, asked_by_key, initiated_by; /* p NULL: not known */
};

/* A code that others ask about: suspension.not_yours. */
extern const char responder_not_yours[];

/* NULL, or ERR_FORBIDDEN: suspension.own_question for who asked,
 * suspension.initiator, suspension.not_yours for all others. The words say
 * why. */
const struct err *responder_check(struct arena *a,
                                  const struct responder_case *c,
                                  const struct principal *p) MUST;
/* Who can, as a sentence: "Operators of the group payments can." */
struct str responder_who(struct arena *a, const struct responder_case *c);

#endif

/* Labels: what an agent calls the choices of its question.
 *
 * The word of an effect is the server's and leads, the label stands second.
 * What an agent writes there must not say the opposite of what the choice
 * does, and no two choices read alike. Pure. */
#ifndef DOMAIN_LABEL_H
#define DOMAIN_LABEL_H

#include "base/err.h"
#include "domain/effect.h"

/* A choice as it is named to people, in two parts. word: the server's, ""
 * where the choice has no effect. label: the agent's; p NULL where it says
 * nothing beyond the word. value: p NULL, but where no choice has an effect
 * and another has the same label. */
struct label {
    struct str word, label, value;
};
struct label label_of(struct arena *a, const struct json *choices,
                      const struct json *choice);
/* The same in one line: "Approve: Refund 499.99 EUR", "Approve", "Blue";
 * p NULL for no choice. */
struct str label_line(struct arena *a, const struct json *choice);
/* May these choices be called so? Only where one of them has an effect.
 * ERR_INVALID at choices[i].label: choice.label_equal, it reads like one before
 * it; choice.label_opposite, a yes that is called a no or the other way
 * round. */
const struct err *label_check(struct arena *a, const struct json *choices)
    MUST;

#endif

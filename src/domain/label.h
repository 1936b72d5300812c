/* The labels of the choices of a question.
 *
 * The server's word for the effect comes first, the agent's label second. A
 * label must not say the opposite of the choice's effect, and no two choices
 * may look alike. Pure. */
#ifndef DOMAIN_LABEL_H
#define DOMAIN_LABEL_H

#include "base/err.h"
#include "domain/effect.h"

/* A choice as it is shown to people, in two parts. word: the server's, "" where
 * the choice has no effect. label: the agent's; p NULL where it adds nothing to
 * the word. value: p NULL, unless no choice has an effect and another has the
 * same label. */
struct label {
    struct str word, label, value;
};
struct label label_of(struct arena *a, const struct json *choices,
                      const struct json *choice);
/* The same in one line: "Approve: Refund 499.99 EUR", "Approve", "Blue";
 * p NULL for no choice. */
struct str label_line(struct arena *a, const struct json *choice);
/* May these choices have these labels? Checked only where one of them has an
 * effect. ERR_INVALID at choices[i].label: choice.label_equal, it looks like an
 * earlier one; choice.label_opposite, a yes that is called a no or the other
 * way round. */
const struct err *label_check(struct arena *a, const struct json *choices)
    MUST;

#endif

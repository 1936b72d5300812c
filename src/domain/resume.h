/* The one endpoint of the tool-call API that ends a pause: reads an action as
 * an answer. An action that is not understood is never read as a no. Pure. */
#ifndef DOMAIN_RESUME_H
#define DOMAIN_RESUME_H

#include "domain/resolve.h"

#define RESUME_ACTION_MAX 200 /* characters */

/* The choice of s that an action stands for: the choice with that value, or
 * the only one that does what the word says (approve, reject, complete, accept,
 * decline). NULL where there is none, or more than one. */
const struct json *resume_choice(struct arena *a, const struct suspension *s,
                                 struct str action);
/* Fills the value and the choice of an answer from what was sent; value:
 * NULL where none was. The action "answer" takes the value as it is, for
 * questions that approve nothing. ERR_INVALID resume.action, with valid_actions
 * in more; resume.value where the action takes none, or needs one. */
const struct err *resume_read(struct arena *a, const struct suspension *s,
                              struct str action, const struct json *value,
                              struct answer *out) MUST;

#endif

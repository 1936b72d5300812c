/* Values typed before a session ended, on their way to a page of it. */
#ifndef DOORS_PAGES_ANSWER_KEPT_H
#define DOORS_PAGES_ANSWER_KEPT_H

#include "doors/call/call.h"

#define ANSWER_KEPT_ID ":id" /* the name of the question's id among them */

/* Puts the typed values into a cookie of the page at path, for five minutes and
 * for this session alone. false: they are too long for a cookie. */
bool answer_kept_put(struct call *c, struct str path,
                     const struct pairs *typed);
/* Those that this session typed for the question id; false: none. */
bool answer_kept_find(struct call *c, struct str id, struct pairs *typed);

#endif

/* The others who have the page of an open question open. */
#ifndef DOORS_PAGES_ANSWER_LOOKING_H
#define DOORS_PAGES_ANSWER_LOOKING_H

#include "doors/call/call.h"
#include "domain/question/suspension.h"

/* Notes that the caller has it open. *out: "Ines Roth is looking at this, 3
 * min", of the others who have; "" for none. */
const struct err *answer_looking_note(struct call *c,
                                      const struct suspension *s,
                                      struct str *out) MUST;

#endif

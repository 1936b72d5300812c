/* Where an open question stands in its reader's inbox, and its neighbours
 * there. Loads these; never decides. */
#ifndef DOORS_PAGES_QUESTION_POSITION_H
#define DOORS_PAGES_QUESTION_POSITION_H

#include "domain/suspension.h"
#include "doors/call/call.h"

/* `place`: among those that the reader may answer, or among all where this one
 * is not theirs to answer. */
const struct err *question_position(struct call *c, const struct suspension *s,
                                    struct json **out) MUST;

#endif

/* The position of an open question in its reader's inbox, and its neighbours
 * there. Loads these; never decides. */
#ifndef DOORS_PAGES_QUESTION_POSITION_H
#define DOORS_PAGES_QUESTION_POSITION_H

#include "domain/question/suspension.h"
#include "doors/call/call.h"

/* `place`: among the questions that the reader may answer, or among all where
 * they may not answer this one. */
const struct err *question_position(struct call *c, const struct suspension *s,
                                    struct json **out) MUST;

#endif

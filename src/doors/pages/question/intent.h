/* The page of an intent: its questions and its events. */
#ifndef DOORS_PAGES_QUESTION_INTENT_H
#define DOORS_PAGES_QUESTION_INTENT_H

#include "doors/call/call.h"

/* A row of the route table. */
const struct err *question_intent(struct call *c) MUST;

#endif

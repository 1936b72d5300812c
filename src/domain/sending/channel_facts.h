/* The facts of a question in a notice of a channel that shows all: the target,
 * the amount and the calls. Pure. */
#ifndef DOMAIN_SENDING_CHANNEL_FACTS_H
#define DOMAIN_SENDING_CHANNEL_FACTS_H

#include "domain/question/suspension.h"

#define CHANNEL_FACTS_CALLS 3   /* the first ones */
#define CHANNEL_FACTS_ARGS 8    /* of each call, the first ones */
#define CHANNEL_FACTS_VALUE 300 /* characters of a value */
#define CHANNEL_FACTS_NAME 80

/* Sets three members of data, null where the facts have none: target;
 * amount, "499.99 EUR", as amount_of reads it; calls, a list of {tool,
 * arguments: [{name, value}], left}: left is the number of further arguments,
 * and of the list calls_left that of further calls. A text that is cut ends in
 * "…". */
void channel_facts(struct arena *a, struct json *data,
                   const struct suspension *s);

#endif

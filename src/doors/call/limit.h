/* The limits of one key or session (429 limit.*): the requests and bytes that
 * a worker counts. Questions are counted in work/ask.c. Streams and held reads
 * are counted by the process that holds them, endpoints and subscriptions
 * where they are stored. */
#ifndef DOORS_CALL_LIMIT_H
#define DOORS_CALL_LIMIT_H

#include "doors/call/call.h"

/* Counts the request, once, and charges the size of its body; checks the bytes
 * that its key has stored today; takes the worker's seat where it is large or
 * long. Before the body is parsed. ERR_RATE limit.rate | limit.bytes |
 * limit.workers. */
const struct err *limit_enter(struct call *c) MUST;
/* Counts what the call has stored and what it sends, and gives the seat back.
 * Once, at the end of every request, also of a refused one. */
void limit_leave(struct call *c);

#endif

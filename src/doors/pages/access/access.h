/* The handlers of the pages about what agents may run: rules for tool calls,
 * permits, the gateways that use permits, and the end of a task. */
#ifndef DOORS_PAGES_ACCESS_ACCESS_H
#define DOORS_PAGES_ACCESS_ACCESS_H

#include "doors/call/call.h"

/* Each answers GET and POST. */
const struct err *access_rules(struct call *c) MUST;
const struct err *access_permits(struct call *c) MUST;
const struct err *access_resources(struct call *c) MUST;

/* Stopping a task: the page that asks for it, and the act. */
const struct err *access_stop(struct call *c) MUST;
const struct err *access_stop_post(struct call *c) MUST;

#endif

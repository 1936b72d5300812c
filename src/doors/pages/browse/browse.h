/* The handlers of the lists beside those of questions: agents, tasks,
 * portfolios; and the page of an agent. */
#ifndef DOORS_PAGES_BROWSE_BROWSE_H
#define DOORS_PAGES_BROWSE_BROWSE_H

#include "doors/call/call.h"

/* agents.c */
const struct err *browse_agents(struct call *c) MUST;

/* agent.c */
const struct err *browse_agent(struct call *c) MUST;

/* tasks.c */
const struct err *browse_tasks(struct call *c) MUST;
const struct err *browse_portfolios(struct call *c) MUST;

#endif

/* The handlers of the OpenIntent rows of the route table, one for each row;
 * route.c has the allowed roles and the input. */
#ifndef DOORS_OPENINTENT_OPENINTENT_H
#define DOORS_OPENINTENT_OPENINTENT_H

#include "doors/call/call.h"

/* openintent/openintent.c */
const struct err *openintent_discovery(struct call *c) MUST;
const struct err *openintent_config(struct call *c) MUST;
const struct err *openintent_respond(struct call *c) MUST;

/* openintent/unsupported.c */
const struct err *openintent_unsupported(struct call *c) MUST;

/* openintent/graph.c */
const struct err *openintent_graph_children(struct call *c) MUST;
const struct err *openintent_graph_dependencies(struct call *c) MUST;
const struct err *openintent_graph_dependents(struct call *c) MUST;
const struct err *openintent_graph_ready(struct call *c) MUST;
const struct err *openintent_graph_blocked(struct call *c) MUST;
const struct err *openintent_graph_descendants(struct call *c) MUST;
const struct err *openintent_graph_ancestors(struct call *c) MUST;
const struct err *openintent_graph_whole(struct call *c) MUST;
const struct err *openintent_graph_add(struct call *c) MUST;
const struct err *openintent_graph_remove(struct call *c) MUST;

#endif

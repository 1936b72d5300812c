/* Intents that wait for each other, in the database. */
#ifndef STORE_INTENT_GRAPHS_H
#define STORE_INTENT_GRAPHS_H

#include "domain/containers/graph.h"
#include "domain/intent/intent.h"
#include "domain/intent/principal.h"
#include "world/pg/pg.h"

/* A query for an intent with those below it that the reader reaches, and their
 * dependencies elsewhere. */
struct graphs_query {
    struct str id;
    const struct principal *who; /* NULL: reaches all */
    int64_t levels;              /* down to */
    size_t max;                  /* nodes */
};
/* The root is the first node. The caller checks that it may be read.
 * ERR_NOT_FOUND intent.unknown. */
const struct err *graphs_read(struct pg *pg, struct arena *a,
                              const struct graphs_query *query,
                              struct graph *out) MUST;

/* Would it close a ring if `id` had to end after each of others? A parent ends
 * after its children, a dependent after its dependencies. ERR_BAD_REQUEST
 * intent.cycle with .at; ERR_CONFLICT intent.graph_too_large when too many
 * intents wait for this one to search them. The caller holds the graph's lock
 * (work.h). */
const struct err *graphs_check_ring(struct pg *pg, struct arena *a,
                                    struct str id,
                                    const struct intent_ids *others,
                                    const char *at) MUST;
/* The dependencies of an intent, oldest first, with the members id, title,
 * status and expires_at. */
const struct err *graphs_dependencies(struct pg *pg, struct arena *a,
                                      struct str id, struct graph *out) MUST;
/* At most 20 dependencies and children that have to end before the intent. */
const struct err *graphs_open(struct pg *pg, struct arena *a, struct str id,
                              struct intent_ids *out) MUST;

#endif

/* Intents that wait for each other: parents for their children, dependents for
 * their dependencies (OpenIntent RFC-0002). */
#ifndef DOMAIN_CONTAINERS_GRAPH_H
#define DOMAIN_CONTAINERS_GRAPH_H

#include "domain/record.h"

#define GRAPH_NODES_MAX 1000 /* of an answer */

/* An intent as the graph shows it. */
struct graph_node {
    struct str id, title;
    enum intent_status status;
    int64_t expires_at; /* of its open question; 0: never */
    int64_t version;
    struct str parent_intent_id; /* p NULL: none */
    struct str depends_on;       /* JSON text, a list of ids */
    struct str suspension_id;    /* the open question; p NULL: none */
    bool outside; /* not below the root: a dependency of one that is */
};
/* A statement has all columns, or the first four. */
extern const struct record graph_node_record;
struct graph {
    struct graph_node *v; /* the root first */
    size_t n;
    bool truncated; /* there are more nodes */
};

/* The aggregate of the nodes that are not outside, without the first `skip`:
 * total, by_status with all six, completion_percentage (completed ones of all,
 * rounded down; 0 of none), blocking_intents (open dependencies, of the graph,
 * of those that have not ended) and ready_intents (drafts and active ones
 * without an open dependency). A dependency that is not in the graph counts as
 * open. */
struct json *graph_aggregate(struct arena *a, const struct graph *g,
                             size_t skip);
/* {"root_id", "nodes", "edges", "aggregate_status", "truncated"}: the root is
 * the first node and not counted. */
struct json *graph_json(struct arena *a, const struct graph *g);

#endif

/* Intents that wait for each other: what is said about many of them. Pure. */
#include "domain/containers/graph.h"

#include <stdlib.h>

#include "domain/intent/intent.h"

static const struct record_field graph_node_fields[] = {
    {RECORD_TEXT(graph_node, id, IN_JOIN | IN_OBJECT)},
    {RECORD_TEXT(graph_node, title, IN_JOIN | IN_OBJECT)},
    {RECORD_WORD(graph_node, status, IN_JOIN | IN_OBJECT,
                 vocabulary_intent_status_all)},
    {RECORD_NAIVE(graph_node, expires_at, IN_JOIN | IN_OBJECT)},
    {RECORD_NUMBER(graph_node, version, IN_JOIN | IN_OBJECT)},
    {RECORD_TEXT(graph_node, parent_intent_id, IN_JOIN | IN_OBJECT)},
    {RECORD_JSON(graph_node, depends_on, IN_JOIN | IN_OBJECT)},
    {RECORD_TEXT(graph_node, suspension_id, IN_JOIN | IN_OBJECT)},
    {RECORD_FLAG(graph_node, outside, IN_JOIN | IN_OBJECT)},
};
const struct record graph_node_record = RECORD(graph_node, "intent", "intent");

/* ---- looking nodes up ------------------------------------------------ */

static int graph_compare_ids(const void *x, const void *y)
{
    const struct graph_node *const *a = x, *const *b = y;
    return str_cmp((*a)->id, (*b)->id);
}

/* The nodes in the order of their ids. */
struct graph_index {
    const struct graph_node **v;
    size_t n;
};

static struct graph_index graph_index(struct arena *a, const struct graph *g)
{
    struct graph_index x = {arena_many(a, g->n + 1, const struct graph_node *),
                            g->n};
    for (size_t i = 0; i < g->n; i++)
        x.v[i] = &g->v[i];
    qsort(x.v, x.n, sizeof(*x.v), graph_compare_ids);
    return x;
}

static const struct graph_node *graph_find(const struct graph_index *x,
                                           struct str id)
{
    const struct graph_node wanted = {.id = id}, *key = &wanted;
    const struct graph_node **found =
        bsearch(&key, x->v, x->n, sizeof(*x->v), graph_compare_ids);
    return found ? *found : NULL;
}

/* ---- the aggregate --------------------------------------------------- */

struct graph_count {
    struct arena *a;
    const struct graph *graph;
    struct graph_index index;
    int64_t by_status[INTENT_STATUS__MAX];
    int64_t total;
    bool *blocks; /* of each node */
    struct json *ready;
};

/* Marks the open dependencies of a node; are there any? */
static bool graph_blocked(struct graph_count *k, const struct graph_node *n)
{
    const struct json *list = json_read(k->a, n->depends_on);
    bool open = false;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct graph_node *d =
            graph_find(&k->index, json_text(json_at(list, i)));
        if (d && d->status == INTENT_COMPLETED)
            continue;
        open = true;
        if (d)
            k->blocks[d - k->graph->v] = true;
    }
    return open;
}

struct json *graph_aggregate(struct arena *a, const struct graph *g,
                             size_t skip)
{
    struct graph_count k = {.a = a,
                            .graph = g,
                            .index = graph_index(a, g),
                            .blocks = arena_many(a, g->n + 1, bool),
                            .ready = json_array(a)};
    struct json *o = json_object(a), *by_status = json_object(a),
                *blocking = json_array(a);
    for (size_t i = skip; i < g->n; i++) {
        const struct graph_node *n = &g->v[i];
        if (n->outside)
            continue;
        if (n->status < INTENT_STATUS__MAX)
            k.by_status[n->status]++;
        k.total++;
        if (!intent_ended(n->status) && !graph_blocked(&k, n) &&
            (n->status == INTENT_DRAFT || n->status == INTENT_ACTIVE))
            json_add_text(k.ready, n->id);
    }
    for (size_t i = 0; i < g->n; i++) {
        if (k.blocks[i])
            json_add_text(blocking, g->v[i].id);
    }
    for (enum intent_status s = 0; s < INTENT_STATUS__MAX; s++)
        json_set_int(by_status, vocabulary_intent_status(s)->wire.p,
                     k.by_status[s]);
    json_set_int(o, "total", k.total);
    json_set_json(o, "by_status", by_status);
    json_set_int(o, "completion_percentage",
                 k.total ? k.by_status[INTENT_COMPLETED] * 100 / k.total : 0);
    json_set_json(o, "blocking_intents", blocking);
    json_set_json(o, "ready_intents", k.ready);
    return o;
}

/* ---- the whole graph ------------------------------------------------- */

static void graph_edge(struct arena *a, struct json *edges, struct str from,
                       struct str to, const char *type)
{
    struct json *o = json_object(a);
    json_set_text(o, "from", from);
    json_set_text(o, "to", to);
    json_set_text(o, "type", str_of(type));
    json_add_json(edges, o);
}

struct json *graph_json(struct arena *a, const struct graph *g)
{
    struct json *o = json_object(a), *edges = json_array(a);
    const struct graph_index x = graph_index(a, g);
    for (size_t i = 0; i < g->n; i++) { /* only between two of the nodes */
        const struct graph_node *n = &g->v[i];
        const struct json *list = json_read(a, n->depends_on);
        if (n->parent_intent_id.p && graph_find(&x, n->parent_intent_id))
            graph_edge(a, edges, n->parent_intent_id, n->id, "parent");
        for (size_t k = 0; k < json_count(list); k++) {
            const struct str id = json_text(json_at(list, k));
            if (graph_find(&x, id))
                graph_edge(a, edges, n->id, id, "dependency");
        }
    }
    json_set_text(o, "root_id", g->v[0].id);
    json_set_json(o, "nodes", record_list(a, &graph_node_record, g->v, g->n));
    json_set_json(o, "edges", edges);
    json_set_json(o, "aggregate_status", graph_aggregate(a, g, 1));
    json_set_bool(o, "truncated", g->truncated);
    return o;
}

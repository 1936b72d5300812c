#include "suite.h"

#include "domain/containers/graph.h"

SUITE(graph);

static struct graph_node node(const char *id, enum intent_status status,
                              const char *depends_on)
{
    return (struct graph_node){.id = str_of(id),
                               .title = STR("x"),
                               .status = status,
                               .version = 1,
                               .depends_on = str_of(depends_on)};
}

static struct str counted(struct graph_node *v, size_t n, size_t skip)
{
    const struct graph g = {.v = v, .n = n};
    return json_dump(a, graph_aggregate(a, &g, skip), 4096);
}

Test(graph, an_aggregate_of_nothing)
{
    struct graph_node root = node("r", INTENT_ACTIVE, "[]");
    cr_assert(str_is(
        counted(&root, 1, 1),
        "{\"total\":0,\"by_status\":{\"draft\":0,\"active\":0,\"blocked\":0,"
        "\"suspended_awaiting_input\":0,\"completed\":0,\"abandoned\":0},"
        "\"completion_percentage\":0,\"blocking_intents\":[],"
        "\"ready_intents\":[]}"));
}

/* A dependency is open unless it is completed, also outside of the graph; one
 * that has ended waits for nothing. */
Test(graph, what_is_ready_and_what_blocks)
{
    struct graph_node v[] = {
        node("a", INTENT_COMPLETED, "[]"),
        node("b", INTENT_ABANDONED, "[\"f\"]"),
        node("c", INTENT_DRAFT, "[\"a\"]"),
        node("d", INTENT_ACTIVE, "[\"a\",\"b\",\"c\"]"),
        node("e", INTENT_DRAFT, "[\"elsewhere\"]"),
        node("f", INTENT_SUSPENDED, "[]"),
        node("g", INTENT_DRAFT, "[]"),
    };
    v[6].outside = true;
    cr_assert(str_is(
        counted(v, countof(v), 0),
        "{\"total\":6,\"by_status\":{\"draft\":2,\"active\":1,\"blocked\":0,"
        "\"suspended_awaiting_input\":1,\"completed\":1,\"abandoned\":1},"
        "\"completion_percentage\":16,\"blocking_intents\":[\"b\",\"c\"],"
        "\"ready_intents\":[\"c\"]}"));
}

/* Intents that wait for each other: children, dependencies, dependents. */
#include "base/id.h"
#include "base/json/fields.h"
#include "doors/asking/view.h"
#include "doors/openintent/openintent.h"
#include "store/intent/graphs.h"
#include "store/intent/intents.h"
#include "store/sql.gen.h"
#include "work/policy.h"

#define CHILDREN_MAX 10000 /* of an aggregate */
#define LEVELS_MAX 1000

/* ---- lists ----------------------------------------------------------- */

/* A query for a page of related intents. */
static struct intents_related graph_query(const struct call *c,
                                         enum intents_relation relation)
{
    return (struct intents_related){.id = c->param[0],
                                    .who = &c->who,
                                    .relation = relation,
                                    .limit = call_query_int(c, "limit", 1000),
                                    .after = request_query(c->rq, "after")};
}

static const struct err *graph_find(struct call *c,
                                    const struct intents_related *page,
                                    struct intent_rows *out)
{
    TRY(intents_related(c->pg, c->a, page, out));
    for (size_t i = 0; i < out->n; i++) {
        if (out->v[i].access == ACCESS_NONE)
            TRY(suspension_drop_mirror(c->a, &out->v[i]));
    }
    return NULL;
}

/* whole: the list has no second page. */
static const struct err *graph_list(struct call *c,
                                    enum intents_relation relation,
                                    const char *name, bool whole)
{
    const struct intents_related page = graph_query(c, relation);
    struct buf b = buf_make(c->a, RESPONSE_BODY_MAX);
    struct intent_rows rows;
    TRY(graph_find(c, &page, &rows));
    if (whole && rows.more)
        return ERROR(ERR_TOO_LARGE, "response.too_large",
                     "The list has more than 1000 intents, or they are too "
                     "large for an answer. Read the graph, or the children of "
                     "each.");
    view_intents(&b, name, &rows);
    response_json_buf(c->rs, 200, &b);
    return NULL;
}

/* The page comes first: it checks the caller's reach. */
const struct err *openintent_graph_children(struct call *c)
{
    const struct intents_related page = graph_query(c, INTENTS_CHILDREN);
    const struct graphs_query all = {.id = c->param[0],
                                    .who = &c->who,
                                    .levels = 1,
                                    .max = CHILDREN_MAX};
    struct buf b = buf_make(c->a, RESPONSE_BODY_MAX);
    struct intent_rows rows;
    struct graph g;
    TRY(graph_find(c, &page, &rows));
    TRY(graphs_read(c->pg, c->a, &all, &g));
    view_intents(&b, "children", &rows);
    b.n--; /* the closing brace */
    buf_put(&b, ",\"aggregate_status\":");
    json_write(&b, graph_aggregate(c->a, &g, 1));
    buf_char(&b, '}');
    response_json_buf(c->rs, 200, &b);
    return NULL;
}

const struct err *openintent_graph_dependencies(struct call *c)
{
    return graph_list(c, INTENTS_DEPENDENCIES, "dependencies", false);
}

const struct err *openintent_graph_dependents(struct call *c)
{
    return graph_list(c, INTENTS_DEPENDENTS, "dependents", false);
}

const struct err *openintent_graph_ready(struct call *c)
{
    return graph_list(c, INTENTS_READY, "ready", false);
}

const struct err *openintent_graph_blocked(struct call *c)
{
    return graph_list(c, INTENTS_WAITING, "blocked", false);
}

const struct err *openintent_graph_descendants(struct call *c)
{
    return graph_list(c, INTENTS_DESCENDANTS, "descendants", true);
}

const struct err *openintent_graph_ancestors(struct call *c)
{
    return graph_list(c, INTENTS_ANCESTORS, "ancestors", true);
}

const struct err *openintent_graph_whole(struct call *c)
{
    const struct graphs_query all = {.id = c->param[0],
                                    .who = &c->who,
                                    .levels = LEVELS_MAX,
                                    .max = GRAPH_NODES_MAX};
    struct intent root;
    struct graph g;
    TRY(call_intent(c, c->param[0], REACH_USE, &root));
    TRY(graphs_read(c->pg, c->a, &all, &g));
    response_json(c->rs, 200, graph_json(c->a, &g));
    return NULL;
}

/* ---- dependencies --------------------------------------------------- */

/* The intent after a change of its dependencies: read again inside the
 * transaction, so that the list is the database's. */
static const struct err *graph_commit(struct call *c, struct work *w,
                                      int statement, struct str dependency)
{
    const bool adds = statement == SQL_INTENT_DEPENDENCY_INSERT;
    const char *event = adds ? "dependency_added" : "dependency_removed";
    struct json *p = json_object(c->a);
    const struct pg_value id = pg_text(w->intent.id), on = pg_text(dependency);
    const struct pg_args *of_intent = PG(id);
    struct pg_rows *rows[3] = {NULL};
    json_set_text(p, "dependency_id", dependency);
    TRY(work_event(w, event, event_by(&c->who), p));
    pg_queue(c->pg, c->a, statement,
             adds ? PG(id, on, pg_moment(w->now)) : PG(id, on));
    pg_queue(c->pg, c->a, SQL_INTENT_DEPENDS_ON, of_intent);
    pg_queue(c->pg, c->a, SQL_INTENT_EDGES, of_intent);
    TRY(pg_run(c->pg, c->a, rows));
    if (!adds && pg_affected(rows[0]) == 0)
        return ERROR(ERR_NOT_FOUND, "intent.no_dependency",
                     "The intent does not depend on this one.");
    w->dependencies_done = pg_bool(rows[2], 0, 0);
    w->intent.depends_on = pg_str(rows[2], 0, 2);
    /* A dependency that is not completed blocks an active intent, and the last
     * open one that goes frees a blocked one. */
    const enum intent_status from = w->intent.status;
    const enum intent_status to =
        w->dependencies_done ? INTENT_ACTIVE : INTENT_BLOCKED;
    if ((from == INTENT_ACTIVE || from == INTENT_BLOCKED) && from != to) {
        w->intent.status = to;
        TRY(work_event(w, "status_changed", event_by(&c->who),
                       intent_status_changed(c->a, from, to, str_of(event))));
    }
    work_touch(w);
    return call_commit_text(c, w, 200, view_intent_text(c->a, &w->intent),
                            true);
}

const struct err *openintent_graph_add(struct call *c)
{
    struct str dependency = STR_NONE;
    int64_t version = 0;
    struct work w = call_work(c);
    TRY(call_if_match(c, &version));
    TRY(call_body_once(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_need(&f, "dependency_id");
    fields_uuid(&f, "dependency_id", &dependency);
    TRY(fields_error(&f));
    const struct work_target target = {.intent_id = c->param[0],
                                       .who = &c->who,
                                       .take = SQL_INTENT_TAKE_TWO,
                                       .other = dependency,
                                       .graph = true};
    TRY(work_begin(&w, &target, &c->once));
    if (w.answered)
        return call_replay(c, &w);
    TRY(call_same_version(c, &w, version));
    TRY(intent_check_open(w.intent.status));
    /* It exists, the caller may read it, it is not there yet, and it does not
     * wait for this intent. */
    const struct intent_ids ids = {.v = {dependency}, .n = 1};
    const struct intents_refs refs = {
        &ids,        &c->who,         REACH_READ,        ACCESS_READ,
        ERR_INVALID, "dependency_id", .joins = &w.intent};
    TRY(intents_check_refs(c->pg, c->a, &refs));
    TRY(policy_tie(&w, dependency));
    if (json_lists_text(json_read(c->a, w.intent.depends_on), dependency))
        return err_at(c->a, ERR_BAD_REQUEST, "intent.dependency_exists",
                      STR("dependency_id"),
                      "The intent already depends on this one.");
    TRY(graphs_check_ring(c->pg, c->a, w.intent.id, &ids, "dependency_id"));
    return graph_commit(c, &w, SQL_INTENT_DEPENDENCY_INSERT, dependency);
}

const struct err *openintent_graph_remove(struct call *c)
{
    int64_t version = 0;
    struct work w;
    TRY(call_if_match(c, &version));
    if (!id_uuid(c->param[1]))
        return ERROR(ERR_NOT_FOUND, "intent.unknown",
                     "The intent named as a dependency does not exist.");
    TRY(call_begin(c, &w, c->param[0]));
    TRY(call_same_version(c, &w, version));
    return graph_commit(c, &w, SQL_INTENT_DEPENDENCY_DELETE, c->param[1]);
}

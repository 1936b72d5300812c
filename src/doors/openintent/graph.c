/* Intents that wait for each other: children, dependencies, dependents. */
#include "base/fields.h"
#include "base/id.h"
#include "doors/asking/view.h"
#include "doors/openintent/openintent.h"
#include "store/intents.h"
#include "store/sql.gen.h"

/* ---- reading -------------------------------------------------------- */

static const struct err *answer_list(struct call *c, const char *name,
                                     const struct intent_rows *rows)
{
    struct buf b = buf_make(c->a, RESPONSE_BODY_MAX);
    view_intents(&b, name, rows);
    response_json_buf(c->rs, 200, &b);
    return NULL;
}

static const struct err *related(struct call *c,
                                 enum intents_relation relation,
                                 const char *name)
{
    struct intents_related page = {.id = c->param[0],
                                   .who = &c->who,
                                   .relation = relation,
                                   .limit = call_query_int(c, "limit", 1000),
                                   .after = request_query(c->rq, "after")};
    struct intent_rows rows;
    TRY(intents_related(c->pg, c->a, &page, &rows));
    for (size_t i = 0; i < rows.n; i++) {
        if (!rows.v[i].tied)
            TRY(suspension_drop_mirror(c->a, &rows.v[i]));
    }
    return answer_list(c, name, &rows);
}

const struct err *openintent_graph_children(struct call *c)
{
    return related(c, INTENTS_CHILDREN, "children");
}

const struct err *openintent_graph_dependencies(struct call *c)
{
    return related(c, INTENTS_DEPENDENCIES, "dependencies");
}

const struct err *openintent_graph_dependents(struct call *c)
{
    return related(c, INTENTS_DEPENDENTS, "dependents");
}

/* ---- dependencies --------------------------------------------------- */

static const struct err *check_dependency(struct call *c, struct str id,
                                          struct str dependency,
                                          enum intent_status *status)
{
    struct pg_args args = pg_args(c->a);
    struct pg_rows *rows = NULL;
    const struct intent_ids ids = {.v = {dependency}, .n = 1};
    const struct intents_refs refs = {&ids, &c->who, REACH_READ,
                                      "dependency_id"};
    TRY(intents_check_refs(c->pg, c->a, &refs));
    pg_arg(&args, id);
    pg_arg(&args, dependency);
    TRY(pg_query(c->pg, c->a, SQL_INTENT_REACHES, &args, &rows));
    if (pg_bool(rows, 0, 0))
        return err_at(c->a, ERR_BAD_REQUEST, "intent.cycle",
                      STR("dependency_id"),
                      "An intent may not depend on itself, directly or through "
                      "others.");
    *status = vocabulary_intent_status_of(pg_str(rows, 0, 1));
    return NULL;
}

/* A dependency that is not completed blocks an active intent. */
static const struct err *intent_add(struct call *c, struct work *w,
                                    struct str dependency)
{
    enum intent_status status = INTENT_DRAFT;
    struct json *p = json_object(c->a);
    const struct event_by by = event_by(&c->who);
    TRY(check_dependency(c, w->intent.id, dependency, &status));
    json_set_text(p, "dependency_id", dependency);
    TRY(work_event(w, "dependency_added", by, p));
    if (status == INTENT_COMPLETED || w->intent.status != INTENT_ACTIVE)
        return NULL;
    w->intent.status = INTENT_BLOCKED;
    return work_event(w, "status_changed", by,
                      intent_status_changed(c->a, INTENT_ACTIVE,
                                            INTENT_BLOCKED,
                                            STR("dependency_added")));
}

/* Makes a blocked intent active when its last open dependency is removed. */
static const struct err *unblocked(struct call *c, struct work *w)
{
    w->intent.status = INTENT_ACTIVE;
    return work_event(w, "status_changed", event_by(&c->who),
                      intent_status_changed(c->a, INTENT_BLOCKED,
                                            INTENT_ACTIVE,
                                            STR("dependency_removed")));
}

/* The intent after a change of its dependencies: read again inside the
 * transaction, so that the list is the database's. */
static const struct err *commit_depends(struct call *c, struct work *w,
                                        int statement, struct str dependency)
{
    struct pg_args args = pg_args(c->a), get = pg_args(c->a),
                   taken = pg_args(c->a);
    struct pg_rows *rows[3] = {NULL};
    pg_arg(&args, w->intent.id);
    pg_arg(&args, dependency);
    if (statement == SQL_INTENT_DEPENDENCY_INSERT)
        pg_arg_time(&args, w->now);
    pg_arg(&get, w->intent.id);
    pg_queue(c->pg, statement, &args);
    pg_queue(c->pg, SQL_INTENT_DEPENDS_ON, &get);
    pg_arg(&taken, w->intent.id);
    intents_reader(&taken, NULL);
    pg_queue(c->pg, SQL_INTENT_TAKEN, &taken);
    TRY(pg_run(c->pg, c->a, rows));
    if (statement == SQL_INTENT_DEPENDENCY_DELETE &&
        pg_affected(rows[0]) == 0)
        return ERROR(ERR_NOT_FOUND, "intent.no_dependency",
                     "The intent does not depend on this one.");
    w->intent.depends_on = intents_row(rows[2], 0).depends_on;
    w->dependencies_done = pg_bool(rows[2], 0, INTENTS_DEPENDENCIES_DONE);
    if (w->intent.status == INTENT_BLOCKED && w->dependencies_done)
        TRY(unblocked(c, w));
    work_touch(w);
    return call_commit_text(c, w, 200, view_intent_text(c->a, &w->intent),
                            true);
}

const struct err *openintent_graph_add(struct call *c)
{
    struct str dependency = STR_NONE;
    struct work_once once;
    struct json *body = NULL;
    int64_t version = 0;
    struct work w;
    TRY(call_if_match(c, &version));
    TRY(call_body(c, &body));
    TRY(call_once(c, &once));
    struct fields f = fields(c->a, body, STR(""));
    fields_need(&f, "dependency_id");
    fields_uuid(&f, "dependency_id", &dependency);
    TRY(fields_error(&f));
    const struct work_target target = {.intent_id = c->param[0],
                                       .who = &c->who,
                                       .take = SQL_INTENT_TAKE_TWO,
                                       .other = dependency};
    TRY(work_begin(&w, c->pg, c->a, &target, &once));
    if (w.answered)
        return call_replay(c, &w);
    TRY(call_same_version(c, &w, version));
    TRY(intent_add(c, &w, dependency));
    return commit_depends(c, &w, SQL_INTENT_DEPENDENCY_INSERT, dependency);
}

const struct err *openintent_graph_remove(struct call *c)
{
    const struct work_once once = {.key = STR_NONE};
    struct json *p = json_object(c->a);
    int64_t version = 0;
    struct work w;
    TRY(call_if_match(c, &version));
    if (!id_uuid(c->param[1]))
        return ERROR(ERR_NOT_FOUND, "intent.unknown",
                     "The intent named as a dependency does not exist.");
    TRY(call_begin(c, &w, c->param[0], &once));
    TRY(call_same_version(c, &w, version));
    json_set_text(p, "dependency_id", c->param[1]);
    TRY(work_event(&w, "dependency_removed", event_by(&c->who), p));
    return commit_depends(c, &w, SQL_INTENT_DEPENDENCY_DELETE, c->param[1]);
}

/* Tasks of OpenIntent (RFC-0012): making, reading and changing them. */
#include "base/id.h"
#include "base/json/fields.h"
#include "domain/plan/task_change.h"
#include "doors/openintent/openintent.h"
#include "store/person/keys.h"
#include "store/plan/tasks.h"
#include "work/ask.h"
#include "work/policy.h"
#include "work/workflow_io.h"

static const struct call_made task_made = {"/api/v1/tasks/", "id"};

/* ---- reading ---------------------------------------------------------- */

const struct err *openintent_task_get(struct call *c)
{
    struct intent_plans *all = NULL;
    struct intent i;
    struct task t;
    TRY(tasks_get(c->pg, c->a, c->param[0], &t));
    TRY(err_not_found_as(call_intent(c, t.intent_id, REACH_USE, &i),
                         &task_record.unknown));
    TRY(tasks_with_plans(c->pg, c->a, &i, &all));
    response_json(c->rs, 200, intent_plans_task_json(all, &t));
    return NULL;
}

const struct err *openintent_task_list(struct call *c)
{
    const struct str status = request_query(c->rq, "status");
    struct tasks_page page = {.status = vocabulary_task_status_of(status),
                              .limit = call_query_int(c, "limit", 100),
                              .offset = call_query_int(c, "offset", 0)};
    struct intent_plans *all = NULL;
    struct task_rows rows;
    struct intent i;
    if (status.p && page.status == TASK_STATUS__MAX)
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("status"),
                      "\"status\" has to be a status of a task.");
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    page.intent_id = i.id;
    TRY(tasks_with_plans(c->pg, c->a, &i, &all));
    TRY(tasks_list(c->pg, c->a, &page, &rows));
    /* One object is made at a time: its tree may be many times larger than its
     * text. */
    struct buf text = buf_make(c->a, RESPONSE_BODY_MAX);
    struct intent_plans one = *all;
    one.arena = arena_within(c->a);
    buf_char(&text, '[');
    for (size_t k = 0; k < rows.n; k++) {
        buf_put(&text, k ? "," : "");
        json_write(&text, intent_plans_task_json(&one, &rows.v[k]));
        arena_reset(one.arena);
    }
    buf_char(&text, ']');
    arena_free(one.arena);
    response_json_buf(c->rs, 200, &text);
    return NULL;
}

/* ---- making one ------------------------------------------------------- */

const struct err *openintent_task_make(struct call *c)
{
    struct task t = {.id = id_new(c->a)};
    struct str intent_id = STR_NONE;
    struct work w;
    TRY(call_body_once(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_need(&f, "intent_id");
    fields_uuid(&f, "intent_id", &intent_id);
    TRY(fields_error(&f));
    TRY(task_read(c->a, c->body, &t));
    TRY(call_begin(c, &w, intent_id));
    if (w.answered)
        return call_replay_made(c, &w, &task_made);
    TRY(policy_write(&w));
    TRY(intent_check_open(w.intent.status));
    TRY(keys_joins(c->pg, c->a, t.assigned_agent, w.intent.test,
                   "assigned_agent"));
    TRY(work_plans_by_caller(&w));
    TRY(coordinators_supervisor(c->pg, c->a, &w.plans->guards));
    t.intent_id = w.intent.id;
    TRY(task_change_add(w.plans, &t, &c->who));
    TRY(ask_of_plans(&w));
    call_locate(c, &task_made, t.id);
    return call_commit(
        c, &w, 201,
        intent_plans_task_json(w.plans, intent_plans_task(w.plans, t.id)),
        false);
}

/* ---- changing one ----------------------------------------------------- */

/* A task has the inputs that it declares when it is taken, and its outputs when
 * it is completed. */
static const struct err *task_put_status(struct call *c, struct work *w,
                                         struct task *t,
                                         const struct task_change *change)
{
    const struct json *facts = json_read(c->a, t->facts);
    const struct json *io = json_get(facts, "input");
    const struct workflow_step step = {.id = t->id, .name = t->name};
    const enum task_status to = change->to;
    if (to == TASK_STATUS__MAX || to == t->status)
        return NULL;
    TRY(task_move(t, to));
    if (t->status == TASK_READY && (to == TASK_CLAIMED || to == TASK_RUNNING))
        TRY(workflow_io_claim(w, &step, io));
    if (to == TASK_COMPLETED)
        TRY(workflow_io_complete(w, &step, io, json_get(facts, "output")));
    return task_change_status(w->plans, t, to, change->agent, &c->who);
}

const struct err *openintent_task_change(struct call *c)
{
    struct task_change change;
    struct task was;
    int64_t version = 0;
    struct work w;
    TRY(call_must_match(c, &version));
    TRY(call_body(c));
    TRY(task_read_change(c->a, c->body, &change));
    TRY(tasks_get(c->pg, c->a, c->param[0], &was));
    TRY(err_not_found_as(call_begin(c, &w, was.intent_id),
                         &task_record.unknown));
    TRY(policy_write(&w));
    TRY(keys_joins(c->pg, c->a, change.agent, w.intent.test,
                   "assigned_agent"));
    /* Its facts as they are under the lock. */
    TRY(work_plans_by_caller(&w));
    TRY(tasks_get(c->pg, c->a, was.id, &was));
    struct task *t = intent_plans_task(w.plans, was.id);
    if (!t)
        return &task_record.unknown;
    t->facts = was.facts;
    TRY(call_check_version(
        c, version, was.version,
        ERROR(ERR_CONFLICT, "task.version",
              "The task has changed since you read it. Read it again.")));
    TRY(intent_check_open(w.intent.status));
    TRY(task_change_may(w.plans, t, &c->who));
    TRY(coordinators_supervisor(c->pg, c->a, &w.plans->guards));
    TRY(task_change_apply(w.plans, t, c->body, &change, &c->who));
    TRY(task_put_status(c, &w, t, &change));
    TRY(ask_of_plans(&w));
    return call_commit(c, &w, 200, intent_plans_task_json(w.plans, t), false);
}

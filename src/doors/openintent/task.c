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
    struct intent_plans *b = NULL;
    struct intent i;
    struct task t;
    TRY(tasks_get(c->pg, c->a, c->param[0], &t));
    const struct err *e = call_intent(c, t.intent_id, REACH_USE, &i);
    if (e)
        return e->kind == ERR_NOT_FOUND ? &task_record.unknown : e;
    TRY(tasks_with_plans(c->pg, c->a, &i, &b));
    response_json(c->rs, 200, intent_plans_task_json(b, &t));
    return NULL;
}

/* One object is made at a time: its tree may be many times larger than its
 * text. */
static void task_answer_list(struct call *c, const struct intent_plans *b,
                             const struct task_rows *rows)
{
    struct buf text = buf_make(c->a, RESPONSE_BODY_MAX);
    struct intent_plans one = *b;
    one.arena = arena_within(c->a);
    buf_char(&text, '[');
    for (size_t i = 0; i < rows->n; i++) {
        buf_put(&text, i ? "," : "");
        json_write(&text, intent_plans_task_json(&one, &rows->v[i]));
        arena_reset(one.arena);
    }
    buf_char(&text, ']');
    arena_free(one.arena);
    response_json_buf(c->rs, 200, &text);
}

const struct err *openintent_task_list(struct call *c)
{
    const struct str status = request_query(c->rq, "status");
    struct tasks_page page = {.status = vocabulary_task_status_of(status),
                              .limit = call_query_int(c, "limit", 100),
                              .offset = call_query_int(c, "offset", 0)};
    struct intent_plans *b = NULL;
    struct task_rows rows;
    struct intent i;
    if (status.p && page.status == TASK_STATUS__MAX)
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("status"),
                      "\"status\" has to be a status of a task.");
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    page.intent_id = i.id;
    TRY(tasks_with_plans(c->pg, c->a, &i, &b));
    TRY(tasks_list(c->pg, c->a, &page, &rows));
    task_answer_list(c, b, &rows);
    return NULL;
}

/* ---- making one ------------------------------------------------------- */

const struct err *openintent_task_make(struct call *c)
{
    struct task t = {.id = id_new(c->a)};
    struct str intent_id = STR_NONE;
    struct json *body = NULL;
    struct work w;
    TRY(call_body_once(c, &body));
    struct fields f = fields(c->a, body, STR(""));
    fields_need(&f, "intent_id");
    fields_uuid(&f, "intent_id", &intent_id);
    TRY(fields_error(&f));
    TRY(task_read(c->a, body, &t));
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

/* The task, with its facts as they are under the lock. */
static const struct err *task_find(struct call *c, struct work *w,
                                   struct str id, int64_t version,
                                   struct task **out)
{
    struct json *more = json_object(c->a);
    struct task now;
    TRY(work_plans_by_caller(w));
    TRY(tasks_get(c->pg, c->a, id, &now));
    *out = intent_plans_task(w->plans, now.id);
    if (!*out)
        return &task_record.unknown;
    (*out)->facts = now.facts;
    json_set_int(more, "current_version", now.version);
    if (now.version != version)
        return err_more(c->a,
                        ERROR(ERR_CONFLICT, "task.version",
                              "The task has changed since you read it. Read "
                              "it again."),
                        more);
    TRY(intent_check_open(w->intent.status));
    return task_change_may(w->plans, *out, &c->who);
}

/* The inputs that a task declares when it is taken, and its outputs when it is
 * completed. */
static const struct err *task_check_step(struct call *c, const struct work *w,
                                         const struct task *t,
                                         enum task_status to)
{
    const struct json *facts = json_read(c->a, t->facts);
    const struct json *io = json_get(facts, "input");
    const struct workflow_step step = {.id = t->id, .name = t->name};
    TRY(task_move(t, to));
    if (t->status == TASK_READY && (to == TASK_CLAIMED || to == TASK_RUNNING))
        return workflow_io_claim(w, &step, io);
    return to == TASK_COMPLETED
               ? workflow_io_complete(w, &step, io, json_get(facts, "output"))
               : NULL;
}

static const struct err *task_put_status(struct call *c, struct work *w,
                                         struct task *t,
                                         const struct task_change *change)
{
    if (change->to == TASK_STATUS__MAX || change->to == t->status)
        return NULL;
    TRY(task_check_step(c, w, t, change->to));
    return task_change_status(w->plans, t, change->to, change->agent, &c->who);
}

const struct err *openintent_task_change(struct call *c)
{
    struct json *body = NULL;
    struct task_change change;
    struct task *t = NULL, was;
    int64_t version = 0;
    struct work w;
    TRY(call_must_match(c, &version));
    TRY(call_body(c, &body));
    TRY(task_read_change(c->a, body, &change));
    TRY(tasks_get(c->pg, c->a, c->param[0], &was));
    const struct err *e = call_begin(c, &w, was.intent_id);
    if (e)
        return e->kind == ERR_NOT_FOUND ? &task_record.unknown : e;
    TRY(policy_write(&w));
    TRY(keys_joins(c->pg, c->a, change.agent, w.intent.test,
                   "assigned_agent"));
    TRY(task_find(c, &w, was.id, version, &t));
    TRY(coordinators_supervisor(c->pg, c->a, &w.plans->guards));
    TRY(task_change_apply(w.plans, t, body, &change, &c->who));
    TRY(task_put_status(c, &w, t, &change));
    TRY(ask_of_plans(&w));
    return call_commit(c, &w, 200, intent_plans_task_json(w.plans, t), false);
}

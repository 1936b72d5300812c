/* Tasks by calls: new ones, and changes of what they are about. Pure. */
#include "domain/plan/moves.h"

static const struct err *moves_room(const struct board *b, int64_t more)
{
    int64_t bytes = more;
    for (size_t i = 0; i < b->tasks_n; i++)
        bytes += b->tasks[i].facts_n;
    return bytes <= TASKS_FACTS_MAX
               ? NULL
               : ERROR(ERR_TOO_LARGE, "task.too_large",
                       "A task may have at most 128 kB, and all tasks of an "
                       "intent 4 MB.");
}

/* ---- new ones --------------------------------------------------------- */

const struct err *moves_new_task(struct board *b, struct task *t,
                                 const struct principal *who)
{
    struct plan *p = t->plan_id.p ? board_plan(b, t->plan_id) : NULL;
    struct json *o = json_object(b->arena);
    if (b->tasks_n >= TASKS_MAX)
        return ERROR(ERR_CONFLICT, "task.too_many",
                     "An intent may have at most 200 tasks.");
    TRY(moves_room(b, t->facts_n));
    if (t->plan_id.p && !p)
        return err_at(b->arena, ERR_INVALID, "plan.unknown", STR("plan_id"),
                      "The intent has no plan with this id.");
    if (p && plan_ended(p->state))
        return ERROR(ERR_CONFLICT, "plan.ended", "The plan has ended.");
    struct json *list = p ? json_read(b->arena, p->tasks) : NULL;
    if (p) {
        TRY(review_may_change(p, who));
        TRY(guardrails_check(b->arena, &b->guards.plan_tasks,
                             "max_tasks_per_plan",
                             (int64_t)json_count(list) + 1, who));
    }
    TRY(board_check_depends(b, t));
    t->fresh = true;
    t->status = board_waits(b, t) ? TASK_PENDING : TASK_READY;
    t->created_at = b->now;
    if (p) {
        if (!list)
            list = json_array(b->arena);
        json_add_text(list, t->id);
        p->tasks = json_dump(b->arena, list, PLAN_FACTS_MAX);
        board_change_plan(b, p);
    }
    b->tasks[b->tasks_n++] = *t;
    json_set_text(o, "task_id", t->id);
    json_set_text(o, "name", t->name);
    json_set_json(o, "capabilities_required",
                  json_get(json_read(b->arena, t->facts),
                           "capabilities_required"));
    TRY(board_event(b, "task.created", o));
    return p ? review_changed(b, p, who) : NULL;
}

/* ---- changes ---------------------------------------------------------- */

static const struct err *moves_put_members(struct board *b, struct task *t,
                                           const struct json *body,
                                           const struct task_change *change)
{
    const bool waiting = t->status == TASK_PENDING || t->status == TASK_READY;
    TRY(task_read_facts(b->arena, body, t));
    if (change->name.p)
        t->name = change->name;
    if (change->max_attempts >= t->attempt)
        t->max_attempts = change->max_attempts;
    if (change->depends_on.p && !waiting)
        return ERROR(
            ERR_CONFLICT, "task.transition",
            "The dependencies of a task cannot change after it was taken.");
    if (change->depends_on.p)
        t->depends_on = change->depends_on;
    if (change->agent.p && change->to == TASK_STATUS__MAX)
        t->assigned_agent = change->agent;
    return NULL;
}

const struct err *moves_change_task(struct board *b, struct task *t,
                                    const struct json *body,
                                    const struct task_change *change,
                                    const struct principal *who)
{
    const struct task was = *t;
    struct plan *p = t->plan_id.p ? board_plan(b, t->plan_id) : NULL;
    /* A failed one that may be tried again has not ended for good. */
    const bool ended = task_ended(was.status) &&
                       (was.status != TASK_FAILED || task_lost(&was));
    TRY(moves_put_members(b, t, body, change));
    const bool same = task_same_work(b->arena, &was, t);
    if (ended && !same)
        return ERROR(ERR_CONFLICT, "task.transition",
                     "A task cannot change after it has ended.");
    /* The question of a checkpoint shows the output. */
    if (!task_open(was.status) && !task_same_output(b->arena, &was, t))
        return ERROR(ERR_CONFLICT, "task.transition",
                     "The output of a task cannot change after it is done.");
    TRY(moves_room(b, 0));
    TRY(board_check_depends(b, t));
    board_change_task(t);
    if (t->status == TASK_READY && board_waits(b, t))
        t->status = TASK_PENDING;
    TRY(board_ready(b, NULL));
    if (same || !p)
        return NULL;
    /* People see the change before the task moves on. */
    TRY(review_may_change(p, who));
    TRY(review_changed(b, p, who));
    return b->has_asked && change->to != TASK_STATUS__MAX &&
                   change->to != t->status
               ? ERROR(ERR_CONFLICT, "plan.awaiting_approval",
                       "This change needs a review of the plan. Send it "
                       "without a status.")
               : NULL;
}

/* Tasks by calls: new ones, and changes of what they are about. Pure. */
#include "domain/plan/moves.h"

static const struct err *moves_room(const struct intent_plans *all,
                                    int64_t more)
{
    int64_t bytes = more;
    for (size_t i = 0; i < all->tasks_n; i++)
        bytes += all->tasks[i].facts_n;
    return bytes <= TASKS_FACTS_MAX
               ? NULL
               : ERROR(ERR_TOO_LARGE, "task.too_large",
                       "A task may have at most 128 kB, and all tasks of an "
                       "intent 4 MB.");
}

/* ---- new ones --------------------------------------------------------- */

const struct err *moves_new_task(struct intent_plans *all, struct task *t,
                                 const struct principal *who)
{
    struct plan *p = t->plan_id.p ? intent_plans_plan(all, t->plan_id) : NULL;
    struct json *o = json_object(all->arena);
    if (all->tasks_n >= TASKS_MAX)
        return ERROR(ERR_CONFLICT, "task.too_many",
                     "An intent may have at most 200 tasks.");
    TRY(moves_room(all, t->facts_n));
    if (t->plan_id.p && !p)
        return err_at(all->arena, ERR_INVALID, "plan.unknown", STR("plan_id"),
                      "The intent has no plan with this id.");
    if (p && plan_ended(p->state))
        return ERROR(ERR_CONFLICT, "plan.ended", "The plan has ended.");
    struct json *list = p ? json_read(all->arena, p->tasks) : NULL;
    if (p) {
        TRY(review_may_change(p, who));
        TRY(guardrails_check(all->arena, &all->guards.plan_tasks,
                             "max_tasks_per_plan",
                             (int64_t)json_count(list) + 1, who));
    }
    TRY(intent_plans_check_depends(all, t));
    t->fresh = true;
    t->status = intent_plans_waits(all, t) ? TASK_PENDING : TASK_READY;
    t->created_at = all->now;
    if (p) {
        if (!list)
            list = json_array(all->arena);
        json_add_text(list, t->id);
        p->tasks = json_dump(all->arena, list, PLAN_FACTS_MAX);
        plan_mark_changed(p, all->now);
    }
    all->tasks[all->tasks_n++] = *t;
    json_set_text(o, "task_id", t->id);
    json_set_text(o, "name", t->name);
    json_set_json(
        o, "capabilities_required",
        json_get(json_read(all->arena, t->facts), "capabilities_required"));
    TRY(intent_plans_event(all, "task.created", o));
    return p ? review_changed(all, p, who) : NULL;
}

/* ---- changes ---------------------------------------------------------- */

static const struct err *moves_put_members(struct intent_plans *all,
                                           struct task *t,
                                           const struct json *body,
                                           const struct task_change *change)
{
    const bool waiting = t->status == TASK_PENDING || t->status == TASK_READY;
    TRY(task_read_facts(all->arena, body, t));
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

const struct err *moves_change_task(struct intent_plans *all, struct task *t,
                                    const struct json *body,
                                    const struct task_change *change,
                                    const struct principal *who)
{
    const struct task was = *t;
    struct plan *p = t->plan_id.p ? intent_plans_plan(all, t->plan_id) : NULL;
    /* A failed one that may be tried again has not ended for good. */
    const bool ended = task_ended(was.status) &&
                       (was.status != TASK_FAILED || task_lost(&was));
    TRY(moves_put_members(all, t, body, change));
    const bool same = task_same_work(all->arena, &was, t);
    if (ended && !same)
        return ERROR(ERR_CONFLICT, "task.transition",
                     "A task cannot change after it has ended.");
    /* The question of a checkpoint shows the output. */
    if (!task_open(was.status) && !task_same_output(all->arena, &was, t))
        return ERROR(ERR_CONFLICT, "task.transition",
                     "The output of a task cannot change after it is done.");
    TRY(moves_room(all, 0));
    TRY(intent_plans_check_depends(all, t));
    task_mark_changed(t);
    if (t->status == TASK_READY && intent_plans_waits(all, t))
        t->status = TASK_PENDING;
    TRY(intent_plans_ready(all, NULL));
    if (same || !p)
        return NULL;
    /* People see the change before the task moves on. */
    TRY(review_may_change(p, who));
    TRY(review_changed(all, p, who));
    return all->has_asked && change->to != TASK_STATUS__MAX &&
                   change->to != t->status
               ? ERROR(ERR_CONFLICT, "plan.awaiting_approval",
                       "This change needs a review of the plan. Send it "
                       "without a status.")
               : NULL;
}

/* Changes of plans by calls. Pure. */
#include "domain/plan/plan_change.h"

/* ---- new plans -------------------------------------------------------- */

const struct err *plan_change_add(struct intent_plans *all, struct plan *p,
                                  struct plan **out)
{
    if (all->plans_n >= PLANS_MAX)
        return ERROR(ERR_CONFLICT, "plan.too_many",
                     "An intent may have at most 20 plans.");
    p->fresh = true;
    p->version = 1;
    p->tasks = STR("[]");
    p->created_at = p->updated_at = all->now;
    *out = &all->plans[all->plans_n];
    all->plans[all->plans_n++] = *p;
    return NULL;
}

/* ---- plans ------------------------------------------------------------ */

const struct err *plan_change_status(struct intent_plans *all, struct plan *p,
                                     enum plan_state to,
                                     const struct principal *who)
{
    const bool held = intent_plans_held(all, p);
    if ((held && (to == PLAN_ACTIVE || to == PLAN_COMPLETED)) ||
        (who->role == ROLE_AGENT && to == PLAN_COMPLETED &&
         intent_plans_unapproved(all, p)))
        return ERROR(ERR_CONFLICT, "plan.awaiting_approval",
                     "A checkpoint of the plan waits for an approval.");
    TRY(plan_move(p, to));
    if (to == PLAN_PAUSED)
        return checkpoint_pause(all, p, PLAN_PAUSE_NONE, STR_NONE);
    if (to != PLAN_ACTIVE)
        return intent_plans_end(all, p, &(struct plan_end){.state = to});
    if (who->role == ROLE_AGENT && review_needed(all, p))
        return review_ask(all, p);
    return checkpoint_activate(all, p, json_object(all->arena));
}

/* ---- the tasks of a plan ------------------------------------------------ */

static const struct err *plan_change_checkpoint_sealed(void)
{
    return ERROR(ERR_FORBIDDEN, "checkpoint.sealed",
                 "After a plan was activated, an agent may add checkpoints to "
                 "it, but not change or remove them.");
}

/* May the caller loosen the plan? */
static bool plan_change_may_loosen(const struct plan *p,
                                   const struct principal *who)
{
    return who->role != ROLE_AGENT || p->activated_at == 0;
}

const struct err *plan_change_tasks(struct intent_plans *all, struct plan *p,
                                    struct str tasks,
                                    const struct principal *who)
{
    const struct json *list = json_read(all->arena, tasks);
    TRY(review_may_change(p, who));
    for (size_t i = 0; i < json_count(list); i++) {
        const struct task *t =
            intent_plans_task(all, json_text(json_at(list, i)));
        if (!t)
            return err_at(all->arena, ERR_INVALID, "task.unknown",
                          STR("tasks"),
                          "Element %zu is not a task of this intent.", i);
        if (t->plan_id.p && !str_eq(t->plan_id, p->id))
            return err_at(all->arena, ERR_INVALID, "task.planned",
                          STR("tasks"), "Element %zu belongs to another plan.",
                          i);
    }
    TRY(guardrails_check(all->arena, &all->guards.plan_tasks,
                         "max_tasks_per_plan", (int64_t)json_count(list),
                         who));
    const struct checkpoint *c = NULL;
    while ((c = intent_plans_next(all, p, c))) {
        if (!json_lists_text(list, c->after_task) &&
            !plan_change_may_loosen(p, who))
            return plan_change_checkpoint_sealed();
    }
    for (size_t i = 0; i < all->tasks_n; i++) {
        struct task *t = &all->tasks[i];
        const bool in = json_lists_text(list, t->id),
                   was = str_eq(t->plan_id, p->id);
        if (in == was)
            continue;
        /* No new version: an agent makes tasks, then their plan, and goes on
         * with the tasks as it has them. */
        t->plan_id = in ? p->id : STR_NONE;
        t->changed = true;
    }
    p->tasks = tasks;
    plan_mark_changed(p, all->now);
    return NULL;
}

/* ---- the checkpoints of a plan ------------------------------------------ */

/* One that the plan has, as it is sent now; NULL: it is not. */
static const struct err *plan_change_checkpoint(struct plan *p,
                                                struct checkpoint *c,
                                                const struct checkpoint *now,
                                                const struct principal *who)
{
    const bool open = c->status == CHECKPOINT_PENDING, fresh = c->fresh;
    if ((!now && !open) || (!plan_change_may_loosen(p, who) &&
                            (!now || !plan_checkpoint_kept(c, now))))
        return plan_change_checkpoint_sealed();
    if (now && open) {
        *c = *now;
        c->plan_id = p->id;
        c->intent_id = p->intent_id;
        c->fresh = fresh;
    }
    c->changed = true;
    c->dropped = !now;
    if (now)
        c->place = now->place;
    return NULL;
}

const struct err *plan_change_checkpoints(struct intent_plans *all,
                                          struct plan *p,
                                          const struct checkpoints *sent,
                                          const struct principal *who)
{
    struct checkpoint *c = NULL;
    TRY(review_may_change(p, who));
    while ((c = intent_plans_next(all, p, c))) {
        size_t k = 0;
        while (k < sent->n && !str_eq(sent->v[k].id, c->id))
            k++;
        TRY(plan_change_checkpoint(p, c, k < sent->n ? &sent->v[k] : NULL,
                                   who));
    }
    for (size_t i = 0; i < sent->n; i++) {
        c = &all->checkpoints[all->checkpoints_n];
        if (intent_plans_checkpoint(all, p, sent->v[i].id))
            continue;
        *c = sent->v[i];
        c->plan_id = p->id;
        c->intent_id = p->intent_id;
        c->fresh = true;
        all->checkpoints_n++;
    }
    plan_mark_changed(p, all->now);
    return NULL;
}

const struct err *plan_change_check(const struct intent_plans *all,
                                    const struct plan *p)
{
    const struct json *list = json_read(all->arena, p->tasks);
    const struct checkpoint *c = NULL;
    while ((c = intent_plans_next(all, p, c))) {
        if (!json_lists_text(list, c->after_task))
            return err_at(all->arena, ERR_INVALID, "checkpoint.task",
                          STR("checkpoints"),
                          "A checkpoint has to come after a task of its "
                          "plan.");
    }
    return NULL;
}

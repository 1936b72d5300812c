/* Changes of tasks and plans by calls. Pure. */
#include "domain/plan/moves.h"

#include "base/id.h"

/* ---- tasks ------------------------------------------------------------ */

const struct err *moves_may(const struct intent_plans *all,
                            const struct task *t, const struct principal *who)
{
    const struct plan *p =
        t->plan_id.p ? intent_plans_plan(all, t->plan_id) : NULL;
    if (p && (t->status == TASK_PENDING || t->status == TASK_READY))
        TRY(review_may_change(p, who));
    if (who->role != ROLE_AGENT || !t->assigned_agent.p ||
        str_eq(t->assigned_agent, who->agent) ||
        guardrails_coordinates(&all->guards, who))
        return NULL;
    return ERROR(ERR_FORBIDDEN, "task.not_yours",
                 "Another agent has this task.");
}

static const struct err *moves_takeable(const struct intent_plans *all,
                                        const struct task *t)
{
    const struct plan *p =
        t->plan_id.p ? intent_plans_plan(all, t->plan_id) : NULL;
    if (all->intent->status == INTENT_SUSPENDED)
        return ERROR(ERR_CONFLICT, "intent.suspended",
                     "The intent waits for an answer. Its tasks can be taken "
                     "after the answer.");
    if (p && p->state == PLAN_PAUSED)
        return ERROR(
            ERR_CONFLICT, "plan.paused",
            "The plan is paused. Its tasks can be taken when it resumes.");
    if (p && plan_ended(p->state))
        return ERROR(ERR_CONFLICT, "plan.ended", "The plan has ended.");
    if (p && review_needed(all, p))
        return ERROR(ERR_CONFLICT, "plan.awaiting_approval",
                     "The plan has to be reviewed first.");
    return NULL;
}

static struct json *moves_about(struct intent_plans *all, const struct task *t)
{
    struct json *o = json_object(all->arena);
    json_set_text(o, "task_id", t->id);
    return o;
}

static const struct err *moves_tell_taken(struct intent_plans *all,
                                          const struct task *t,
                                          const char *type)
{
    struct json *o = moves_about(all, t);
    json_set_text(o, "agent_id", t->assigned_agent);
    return intent_plans_event(all, type, o);
}

/* Takes it for an agent. */
static const struct err *moves_take(struct intent_plans *all, struct task *t,
                                    struct str agent)
{
    TRY(moves_takeable(all, t));
    t->assigned_agent = agent;
    return moves_tell_taken(all, t, "task.claimed");
}

static const struct err *moves_run(struct intent_plans *all, struct task *t,
                                   enum task_status from, struct str agent)
{
    if (from == TASK_READY)
        TRY(moves_take(all, t, agent));
    else
        TRY(moves_takeable(all, t));
    if (from == TASK_BLOCKED) {
        struct json *o = moves_about(all, t);
        json_set_text(o, "resolution", STR("resumed"));
        return intent_plans_event(all, "task.unblocked", o);
    }
    t->started_at = all->now;
    return moves_tell_taken(all, t, "task.started");
}

static const struct err *moves_tell_completed(struct intent_plans *all,
                                              const struct task *t)
{
    const struct json *facts = json_read(all->arena, t->facts);
    const struct json *artifacts = json_get(facts, "artifacts");
    struct json *o = moves_about(all, t);
    json_set_json(o, "output", json_get(facts, "output"));
    json_set_json(o, "artifacts",
                  artifacts ? artifacts : json_array(all->arena));
    json_set_int(o, "duration_ms",
                 t->started_at ? (all->now - t->started_at) / 1000 : 0);
    return intent_plans_event(all, "task.completed", o);
}

static const struct err *moves_tell_reason(struct intent_plans *all,
                                           const struct task *t,
                                           const char *type)
{
    const struct json *facts = json_read(all->arena, t->facts);
    struct json *o = moves_about(all, t);
    json_set_text_or_null(o, "reason",
                          json_get_text(facts, "blocked_reason"));
    return intent_plans_event(all, type, o);
}

static const struct err *moves_retry(struct intent_plans *all, struct task *t)
{
    struct json *o = moves_about(all, t);
    t->status = TASK_READY;
    t->attempt++;
    t->started_at = t->completed_at = 0;
    json_set_int(o, "attempt", t->attempt);
    return intent_plans_event(all, "task.retrying", o);
}

/* Asks people about a task that failed for good. */
static const struct err *moves_escalate(struct intent_plans *all,
                                        const struct plan *p,
                                        const struct task *t,
                                        enum severity severity)
{
    struct json *sent = json_object(all->arena), *o = json_object(all->arena),
                *told = json_object(all->arena);
    struct suspension s = {.id = id_new(all->arena),
                           .origin = ORIGIN_ESCALATION,
                           .title = STR("A task of a plan failed"),
                           .question = STR("How should the agent continue?"),
                           .explanation = t->name,
                           .response_type = ANSWER_TEXT,
                           .choices = STR("[]"),
                           .severity = severity,
                           .severity_said = severity,
                           .fallback_policy = FALLBACK_CONTINUE};
    json_set_text(o, "plan_id", p->id);
    json_set_text(o, "task_id", t->id);
    json_set_text(o, "task", t->name);
    json_set_json(o, "error",
                  json_get(json_read(all->arena, t->facts), "error"));
    json_set_text(sent, "reason", s.title);
    json_set_text(sent, "priority", vocabulary_severity(severity)->wire);
    json_set_json(sent, "context", o);
    s.context = json_dump(all->arena, sent, SUSPENSION_RECORD_MAX);
    json_set_text(told, "request", vocabulary_origin(s.origin)->wire);
    json_set_text(told, "id", s.id);
    json_set_text(told, "reason", s.title);
    json_set_text(told, "task_id", t->id);
    return intent_plans_ask(all, p, &s, "arbitration_requested", told);
}

/* The effect of a task's failure on its plan. */
static const struct err *moves_effect_of_failure(struct intent_plans *all,
                                                 struct task *t,
                                                 struct plan *p)
{
    if (!p || plan_ended(p->state) || p->state == PLAN_DRAFT)
        return NULL;
    if (p->on_failure == PLAN_FAILURE_RETRY && !task_lost(t))
        return moves_retry(all, t);
    if (!task_lost(t))
        return NULL;
    if (p->on_failure == PLAN_FAILURE_FAIL)
        return intent_plans_end(all, p,
                                &(struct plan_end){.state = PLAN_FAILED,
                                                   .failed = t,
                                                   .why = STR("task_failed")});
    if (p->on_failure == PLAN_FAILURE_NOTIFY)
        return moves_escalate(all, p, t, SEVERITY_MEDIUM);
    if (p->state == PLAN_ACTIVE)
        TRY(checkpoint_pause(all, p, PLAN_PAUSE_FAILURE, STR_NONE));
    return moves_escalate(all, p, t, SEVERITY_HIGH);
}

static const struct err *moves_failed(struct intent_plans *all, struct task *t,
                                      struct plan *p)
{
    const int64_t limit = all->guards.failures;
    int64_t n = 0; /* failures of all attempts at the tasks of the plan */
    for (size_t i = 0; p && i < all->tasks_n; i++) {
        const struct task *one = &all->tasks[i];
        if (str_eq(one->plan_id, p->id))
            n += one->attempt - 1 + (one->status == TASK_FAILED);
    }
    const bool many =
        p && !plan_ended(p->state) && limit > p->told && n >= limit;
    if (many) { /* once for each limit, also for one that was lowered */
        p->told = limit;
        plan_mark_changed(p, all->now);
    }
    TRY(moves_effect_of_failure(all, t, p));
    return many && !all->has_asked && !plan_ended(p->state)
               ? moves_escalate(all, p, t, SEVERITY_HIGH)
               : NULL;
}

static const struct err *moves_tell_failed(struct intent_plans *all,
                                           const struct task *t)
{
    struct json *o = moves_about(all, t);
    json_set_json(o, "error",
                  json_get(json_read(all->arena, t->facts), "error"));
    json_set_int(o, "attempt", t->attempt);
    json_set_bool(o, "will_retry", !task_lost(t));
    return intent_plans_event(all, "task.failed", o);
}

/* The event of a move, and the task's own columns. */
static const struct err *moves_moved(struct intent_plans *all, struct task *t,
                                     enum task_status from, struct str agent)
{
    switch (t->status) {
    case TASK_CLAIMED:
        return moves_take(all, t, agent);
    case TASK_RUNNING:
        return moves_run(all, t, from, agent);
    case TASK_BLOCKED:
        return moves_tell_reason(all, t, "task.blocked");
    case TASK_COMPLETED:
        return moves_tell_completed(all, t);
    case TASK_FAILED:
        return moves_tell_failed(all, t);
    case TASK_CANCELLED:
        return moves_tell_reason(all, t, "task.cancelled");
    case TASK_SKIPPED:
        return moves_tell_reason(all, t, "task.skipped");
    case TASK_READY:
        if (from == TASK_FAILED)
            return moves_retry(all, t);
        if (from == TASK_CLAIMED)
            t->assigned_agent = STR_NONE; /* given back */
        return moves_tell_reason(all, t, "task.ready");
    case TASK_PENDING:
    case TASK_STATUS__MAX:
    default:
        return NULL;
    }
}

const struct err *moves_task(struct intent_plans *all, struct task *t,
                             enum task_status to, struct str agent,
                             const struct principal *who)
{
    struct plan *p = t->plan_id.p ? intent_plans_plan(all, t->plan_id) : NULL;
    const enum task_status from = t->status;
    TRY(task_move(t, to));
    if (from == TASK_READY && (to == TASK_CLAIMED || to == TASK_RUNNING)) {
        int64_t taken = 1; /* with this one */
        for (size_t i = 0; i < all->tasks_n; i++) {
            const enum task_status s = all->tasks[i].status;
            taken +=
                s == TASK_CLAIMED || s == TASK_RUNNING || s == TASK_BLOCKED;
        }
        TRY(guardrails_check(all->arena, &all->guards.concurrent_tasks,
                             "max_concurrent_tasks", taken, who));
    }
    if (from == TASK_PENDING && to == TASK_READY && intent_plans_waits(all, t))
        return ERROR(ERR_CONFLICT, "task.waiting",
                     "The task waits for others that it depends on.");
    t->status = to;
    task_time(all->arena, t, from, all->now);
    t->hold = TASK_HOLD_NONE;
    t->held_at = 0;
    if (task_ended(to))
        t->completed_at = all->now;
    task_mark_changed(t);
    if (!agent.p)
        agent = t->assigned_agent.p ? t->assigned_agent : principal_actor(who);
    TRY(moves_moved(all, t, from, agent));
    if (to == TASK_FAILED)
        TRY(moves_failed(all, t, p));
    TRY(intent_plans_ready(all, t));
    return p ? checkpoint_settle(all, p) : NULL;
}

/* ---- new plans -------------------------------------------------------- */

const struct err *moves_new_plan(struct intent_plans *all, struct plan *p,
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

const struct err *moves_plan(struct intent_plans *all, struct plan *p,
                             enum plan_state to, const struct principal *who)
{
    const bool held = intent_plans_held(all, p);
    const bool first = p->state == PLAN_DRAFT;
    struct json *o = json_object(all->arena);
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
    p->state = PLAN_ACTIVE;
    p->paused = PLAN_PAUSE_NONE;
    if (first)
        p->activated_at = all->now;
    plan_mark_changed(p, all->now);
    json_set_text(o, "plan_id", p->id);
    TRY(intent_plans_event(all, first ? "plan.activated" : "plan.resumed", o));
    return checkpoint_settle(all, p);
}

/* ---- the tasks of a plan ------------------------------------------------ */

static const struct err *moves_sealed(void)
{
    return ERROR(ERR_FORBIDDEN, "checkpoint.sealed",
                 "After a plan was activated, an agent may add checkpoints to "
                 "it, but not change or remove them.");
}

/* May the caller loosen the plan? */
static bool moves_loosens(const struct plan *p, const struct principal *who)
{
    return who->role != ROLE_AGENT || p->activated_at == 0;
}

const struct err *moves_plan_tasks(struct intent_plans *all, struct plan *p,
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
    for (size_t i = 0; i < all->checkpoints_n; i++) {
        const struct checkpoint *c = &all->checkpoints[i];
        if (!c->dropped && str_eq(c->plan_id, p->id) &&
            !json_lists_text(list, c->after_task) && !moves_loosens(p, who))
            return moves_sealed();
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
static const struct err *moves_put_again(struct plan *p, struct checkpoint *c,
                                         const struct checkpoint *now,
                                         const struct principal *who)
{
    const bool open = c->status == CHECKPOINT_PENDING;
    if (!moves_loosens(p, who) && (!now || !plan_checkpoint_kept(c, now)))
        return moves_sealed();
    c->changed = true;
    if (now)
        c->place = now->place;
    if (!open)
        return now ? NULL : moves_sealed();
    if (!now) {
        c->dropped = true;
        return NULL;
    }
    const struct checkpoint was = *c;
    *c = *now;
    c->plan_id = was.plan_id;
    c->intent_id = was.intent_id;
    c->fresh = was.fresh;
    c->changed = true;
    return NULL;
}

const struct err *moves_checkpoints(struct intent_plans *all, struct plan *p,
                                    const struct checkpoints *sent,
                                    const struct principal *who)
{
    const size_t before = all->checkpoints_n;
    TRY(review_may_change(p, who));
    for (size_t i = 0; i < before; i++) {
        struct checkpoint *c = &all->checkpoints[i];
        size_t k = 0;
        while (k < sent->n && !str_eq(sent->v[k].id, c->id))
            k++;
        if (str_eq(c->plan_id, p->id))
            TRY(moves_put_again(p, c, k < sent->n ? &sent->v[k] : NULL, who));
    }
    for (size_t i = 0; i < sent->n; i++) {
        struct checkpoint *c = &all->checkpoints[all->checkpoints_n];
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

const struct err *moves_check_checkpoints(const struct intent_plans *all,
                                          const struct plan *p)
{
    const struct json *list = json_read(all->arena, p->tasks);
    for (size_t i = 0; i < all->checkpoints_n; i++) {
        const struct checkpoint *c = &all->checkpoints[i];
        if (!c->dropped && str_eq(c->plan_id, p->id) &&
            !json_lists_text(list, c->after_task))
            return err_at(all->arena, ERR_INVALID, "checkpoint.task",
                          STR("checkpoints"),
                          "A checkpoint has to come after a task of its "
                          "plan.");
    }
    return NULL;
}

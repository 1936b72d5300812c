/* Changes of tasks by calls. Pure. */
#include "domain/plan/task_change.h"

#include "base/id.h"

/* ---- statuses --------------------------------------------------------- */

const struct err *task_change_may(const struct intent_plans *all,
                                  const struct task *t,
                                  const struct principal *who)
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

static const struct err *task_change_check_take(const struct intent_plans *all,
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

/* Appends the event of a status that the task has got. */
static const struct err *task_change_event(struct intent_plans *all,
                                           const struct task *t,
                                           enum task_status status)
{
    static const char *const types[TASK_STATUS__MAX] = {
        [TASK_PENDING] = "task.pending", [TASK_READY] = "task.ready",
        [TASK_CLAIMED] = "task.claimed", [TASK_RUNNING] = "task.started",
        [TASK_BLOCKED] = "task.blocked", [TASK_COMPLETED] = "task.completed",
        [TASK_FAILED] = "task.failed",   [TASK_CANCELLED] = "task.cancelled",
        [TASK_SKIPPED] = "task.skipped"};
    const struct json *facts = json_read(all->arena, t->facts);
    const struct json *artifacts = json_get(facts, "artifacts");
    struct json *o = json_object(all->arena);
    json_set_text(o, "task_id", t->id);
    if (status == TASK_CLAIMED || status == TASK_RUNNING) {
        json_set_text(o, "agent_id", t->assigned_agent);
    } else if (status == TASK_COMPLETED) {
        json_set_json(o, "output", json_get(facts, "output"));
        json_set_json(o, "artifacts",
                      artifacts ? artifacts : json_array(all->arena));
        json_set_int(o, "duration_ms",
                     t->started_at ? (all->now - t->started_at) / 1000 : 0);
    } else if (status == TASK_FAILED) {
        json_set_json(o, "error", json_get(facts, "error"));
        json_set_int(o, "attempt", t->attempt);
        json_set_bool(o, "will_retry", !task_lost(t));
    } else {
        json_set_text_or_null(o, "reason",
                              json_get_text(facts, "blocked_reason"));
    }
    return intent_plans_event(all, types[status], o);
}

static const struct err *task_change_retry(struct intent_plans *all,
                                           struct task *t)
{
    struct json *o = json_object(all->arena);
    json_set_text(o, "task_id", t->id);
    t->status = TASK_READY;
    t->attempt++;
    t->started_at = t->completed_at = 0;
    json_set_int(o, "attempt", t->attempt);
    return intent_plans_event(all, "task.retrying", o);
}

/* Asks people about a task that failed for good. */
static const struct err *task_change_escalate(struct intent_plans *all,
                                              const struct plan *p,
                                              const struct task *t,
                                              enum severity severity)
{
    struct json *sent = json_object(all->arena), *o = json_object(all->arena),
                *event = json_object(all->arena);
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
    json_set_text(event, "request", vocabulary_origin(s.origin)->wire);
    json_set_text(event, "id", s.id);
    json_set_text(event, "reason", s.title);
    json_set_text(event, "task_id", t->id);
    return intent_plans_ask(all, p, &s, "arbitration_requested", event);
}

/* The effect of a task's failure on its plan. */
static const struct err *task_change_fail_plan(struct intent_plans *all,
                                               struct task *t, struct plan *p)
{
    if (!p || plan_ended(p->state) || p->state == PLAN_DRAFT)
        return NULL;
    if (p->on_failure == PLAN_FAILURE_RETRY && !task_lost(t))
        return task_change_retry(all, t);
    if (!task_lost(t))
        return NULL;
    if (p->on_failure == PLAN_FAILURE_FAIL)
        return intent_plans_end(all, p,
                                &(struct plan_end){.state = PLAN_FAILED,
                                                   .failed = t,
                                                   .why = STR("task_failed")});
    if (p->on_failure == PLAN_FAILURE_NOTIFY)
        return task_change_escalate(all, p, t, SEVERITY_MEDIUM);
    if (p->state == PLAN_ACTIVE)
        TRY(checkpoint_pause(all, p, PLAN_PAUSE_FAILURE, STR_NONE));
    return task_change_escalate(all, p, t, SEVERITY_HIGH);
}

static const struct err *task_change_failed(struct intent_plans *all,
                                            struct task *t, struct plan *p)
{
    const int64_t limit = all->guards.failures;
    int64_t n = 0; /* failures of all attempts at the tasks of the plan */
    for (size_t i = 0; p && i < all->tasks_n; i++) {
        const struct task *one = &all->tasks[i];
        if (str_eq(one->plan_id, p->id))
            n += one->attempt - 1 + (one->status == TASK_FAILED);
    }
    const bool many = p && !plan_ended(p->state) &&
                      limit > p->failures_notified && n >= limit;
    if (many) { /* once for each limit, also for one that was lowered */
        p->failures_notified = limit;
        plan_mark_changed(p, all->now);
    }
    TRY(task_change_fail_plan(all, t, p));
    return many && !all->has_asked && !plan_ended(p->state)
               ? task_change_escalate(all, p, t, SEVERITY_HIGH)
               : NULL;
}

/* The events of a move, and the task's own columns. */
static const struct err *task_change_moved(struct intent_plans *all,
                                           struct task *t,
                                           enum task_status from,
                                           struct str agent)
{
    const enum task_status to = t->status;
    const bool takes = to == TASK_CLAIMED || to == TASK_RUNNING;
    struct json *o = json_object(all->arena);
    if (takes)
        TRY(task_change_check_take(all, t));
    if (takes && from == TASK_READY)
        t->assigned_agent = agent;
    if (to == TASK_RUNNING && from == TASK_READY)
        TRY(task_change_event(all, t, TASK_CLAIMED));
    if (to == TASK_RUNNING && from == TASK_BLOCKED) {
        json_set_text(o, "task_id", t->id);
        json_set_text(o, "resolution", STR("resumed"));
        return intent_plans_event(all, "task.unblocked", o);
    }
    if (to == TASK_RUNNING)
        t->started_at = all->now;
    if (to == TASK_READY && from == TASK_FAILED)
        return task_change_retry(all, t);
    if (to == TASK_READY && from == TASK_CLAIMED)
        t->assigned_agent = STR_NONE; /* given back */
    return task_change_event(all, t, to);
}

const struct err *task_change_status(struct intent_plans *all, struct task *t,
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
    TRY(task_change_moved(all, t, from, agent));
    if (to == TASK_FAILED)
        TRY(task_change_failed(all, t, p));
    TRY(intent_plans_ready(all, t));
    return p ? checkpoint_settle(all, p) : NULL;
}

static const struct err *task_change_check_room(const struct intent_plans *all,
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

/* ---- new tasks -------------------------------------------------------- */

const struct err *task_change_add(struct intent_plans *all, struct task *t,
                                  const struct principal *who)
{
    struct plan *p = t->plan_id.p ? intent_plans_plan(all, t->plan_id) : NULL;
    struct json *o = json_object(all->arena);
    if (all->tasks_n >= TASKS_MAX)
        return ERROR(ERR_CONFLICT, "task.too_many",
                     "An intent may have at most 200 tasks.");
    TRY(task_change_check_room(all, t->facts_n));
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

/* ---- members ---------------------------------------------------------- */

static const struct err *task_change_put(struct intent_plans *all,
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

const struct err *task_change_apply(struct intent_plans *all, struct task *t,
                                    const struct json *body,
                                    const struct task_change *change,
                                    const struct principal *who)
{
    const struct task was = *t;
    struct plan *p = t->plan_id.p ? intent_plans_plan(all, t->plan_id) : NULL;
    /* A failed one that may be tried again has not ended for good. */
    const bool ended = task_ended(was.status) &&
                       (was.status != TASK_FAILED || task_lost(&was));
    TRY(task_change_put(all, t, body, change));
    const bool same = task_same_work(all->arena, &was, t);
    if (ended && !same)
        return ERROR(ERR_CONFLICT, "task.transition",
                     "A task cannot change after it has ended.");
    /* The question of a checkpoint shows the output. */
    if (!task_open(was.status) && !task_same_output(all->arena, &was, t))
        return ERROR(ERR_CONFLICT, "task.transition",
                     "The output of a task cannot change after it is done.");
    TRY(task_change_check_room(all, 0));
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

/* The tasks, plans and checkpoints of one intent. Pure. */
#include "domain/plan/intent_plans.h"

#include "base/clock_text.h"
#include "domain/question/side_question.h"
#include "domain/question/risk.h"
#include "domain/question/suspension_seal.h"

/* ---- lookups ---------------------------------------------------------- */

struct task *intent_plans_task(const struct intent_plans *all, struct str id)
{
    for (size_t i = 0; i < all->tasks_n; i++) {
        if (str_eq(all->tasks[i].id, id))
            return &all->tasks[i];
    }
    return NULL;
}

struct plan *intent_plans_plan(const struct intent_plans *all, struct str id)
{
    for (size_t i = 0; i < all->plans_n; i++) {
        if (str_eq(all->plans[i].id, id))
            return &all->plans[i];
    }
    return NULL;
}

struct checkpoint *intent_plans_next(const struct intent_plans *all,
                                     const struct plan *p,
                                     const struct checkpoint *c)
{
    for (size_t i = c ? (size_t)(c - all->checkpoints) + 1 : 0;
         i < all->checkpoints_n; i++) {
        struct checkpoint *next = &all->checkpoints[i];
        if (!next->dropped && str_eq(next->plan_id, p->id))
            return next;
    }
    return NULL;
}

struct checkpoint *intent_plans_checkpoint(const struct intent_plans *all,
                                           const struct plan *p, struct str id)
{
    struct checkpoint *c = NULL;
    while ((c = intent_plans_next(all, p, c)) && !str_eq(c->id, id))
        ;
    return c;
}

struct checkpoint *intent_plans_asked(const struct intent_plans *all,
                                      struct str suspension_id)
{
    for (size_t i = 0; i < all->checkpoints_n; i++) {
        if (str_eq(all->checkpoints[i].suspension_id, suspension_id))
            return &all->checkpoints[i];
    }
    return NULL;
}

static bool plans_asks(const struct checkpoint *c)
{
    return c->status == CHECKPOINT_REACHED && c->suspension_id.p;
}

bool intent_plans_held(const struct intent_plans *all, const struct plan *p)
{
    const struct checkpoint *c = NULL;
    if (plan_in_review(p))
        return true;
    while ((c = intent_plans_next(all, p, c)) && !plans_asks(c))
        ;
    return c && !plan_ended(p->state);
}

bool intent_plans_any_held(const struct intent_plans *all)
{
    for (size_t i = 0; i < all->plans_n; i++) {
        if (intent_plans_held(all, &all->plans[i]))
            return true;
    }
    return false;
}

bool intent_plans_unapproved(const struct intent_plans *all,
                             const struct plan *p)
{
    const struct checkpoint *c = NULL;
    while ((c = intent_plans_next(all, p, c))) {
        if (c->requires_approval && c->status != CHECKPOINT_APPROVED)
            return true;
    }
    return false;
}

/* ---- dependencies ------------------------------------------------------ */

bool intent_plans_waits(const struct intent_plans *all, const struct task *t)
{
    const struct json *list = json_read(all->arena, t->depends_on);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct task *d =
            intent_plans_task(all, json_text(json_at(list, i)));
        if (d && task_open(d->status))
            return true;
    }
    return false;
}

/* Each task is visited once. */
static bool plans_reaches(const struct intent_plans *all,
                          const struct task *from, const struct task *to,
                          bool *seen)
{
    const struct json *list = json_read(all->arena, from->depends_on);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct task *d =
            intent_plans_task(all, json_text(json_at(list, i)));
        if (d == to)
            return true;
        if (!d || seen[d - all->tasks])
            continue;
        seen[d - all->tasks] = true;
        if (plans_reaches(all, d, to, seen))
            return true;
    }
    return false;
}

const struct err *intent_plans_check_depends(const struct intent_plans *all,
                                             const struct task *t)
{
    const struct json *list = json_read(all->arena, t->depends_on);
    bool *seen = arena_many(all->arena, all->tasks_n + 1, bool);
    for (size_t i = 0; i < json_count(list); i++) {
        if (!intent_plans_task(all, json_text(json_at(list, i))))
            return err_at(all->arena, ERR_INVALID, "task.unknown",
                          STR("depends_on"),
                          "Element %zu is not a task of this intent.", i);
    }
    for (size_t i = 0; i < all->tasks_n; i++)
        seen[i] = false;
    return plans_reaches(all, t, t, seen)
               ? err_at(all->arena, ERR_BAD_REQUEST, "task.cycle",
                        STR("depends_on"), "The task would wait for itself.")
               : NULL;
}

/* ---- events ------------------------------------------------------------ */

const struct err *intent_plans_event(struct intent_plans *all,
                                     const char *type,
                                     const struct json *payload)
{
    const struct event_draft draft = {.type = type,
                                      .by = all->by,
                                      .payload = payload,
                                      .decides = all->decides};
    return event_append(all->arena, all->intent->id, &draft, all->now,
                        &all->intent->tail, all->events);
}

/* {"task_id": the first, "task_ids": all} */
static struct json *plans_payload(struct intent_plans *all,
                                  const struct json *ids)
{
    struct json *p = json_object(all->arena);
    json_set_json(p, "task_id", json_at(ids, 0));
    json_set_json(p, "task_ids", ids);
    return p;
}

const struct err *intent_plans_ready(struct intent_plans *all,
                                     const struct task *done)
{
    struct json *ids = json_array(all->arena), *by = json_array(all->arena);
    for (size_t i = 0; i < all->tasks_n; i++) {
        struct task *t = &all->tasks[i];
        if (t->status != TASK_PENDING || intent_plans_waits(all, t))
            continue;
        t->status = TASK_READY;
        task_mark_changed(t);
        json_add_text(ids, t->id);
    }
    if (json_count(ids) == 0)
        return NULL;
    struct json *p = plans_payload(all, ids);
    if (done)
        json_add_text(by, done->id);
    json_set_json(p, "resolved_dependencies", by);
    return intent_plans_event(all, "task.ready", p);
}

void intent_plans_terms(struct intent_plans *all, const struct plan *p,
                        struct suspension *s)
{
    struct terms t = p->terms;
    s->initiator_id = all->intent->initiator_id;
    principal_terms_add(&t, &all->terms);
    risk_settle(all->arena, s, &t);
}

const struct err *intent_plans_ask(struct intent_plans *all,
                                   const struct plan *p, struct suspension *s,
                                   const char *type, struct json *payload)
{
    TRY(side_question_check_room(all->side_questions));
    s->intent_id = all->intent->id;
    s->seq = all->intent->tail.sequence + 1; /* of the event that reports it */
    s->asked_by = p->created_by;
    s->initiated_by = all->intent->initiated_by;
    intent_plans_terms(all, p, s);
    s->test = all->intent->test;
    s->record = STR("{}");
    if (!s->subject.p)
        s->subject = STR("{}");
    s->evidence = s->artifacts = STR("[]");
    TRY(suspension_seal(all->arena, s, all->now));
    json_set_text(payload, "asked_sha256",
                  suspension_asked_sha256(all->arena, s));
    TRY(intent_plans_event(all, type, payload));
    s->asked_sequence = all->intent->tail.sequence;
    all->asked = *s;
    all->has_asked = true;
    all->side_questions++;
    return NULL;
}

/* ---- ends -------------------------------------------------------------- */

static void plans_release(const struct intent_plans *all, struct task *t,
                          enum task_status to)
{
    const enum task_status from = t->status;
    t->status = to;
    task_time(all->arena, t, from, all->now);
    t->hold = TASK_HOLD_NONE;
    t->held_at = 0;
    task_mark_changed(t);
}

/* Those of one plan, or all where plan is NULL; one event for them. */
static const struct err *plans_cancel_tasks(struct intent_plans *all,
                                            const struct plan *plan,
                                            struct str reason)
{
    struct json *ids = json_array(all->arena);
    for (size_t i = 0; i < all->tasks_n; i++) {
        struct task *t = &all->tasks[i];
        if (task_ended(t->status) || (plan && !str_eq(t->plan_id, plan->id)))
            continue;
        plans_release(all, t, TASK_CANCELLED);
        t->completed_at = all->now;
        json_add_text(ids, t->id);
    }
    if (json_count(ids) == 0)
        return NULL;
    struct json *p = plans_payload(all, ids);
    json_set_text(p, "reason", reason);
    return intent_plans_event(all, "task.cancelled", p);
}

static void plans_count(const struct intent_plans *all,
                        const struct plan *plan,
                        int64_t counts[static TASK_STATUS__MAX])
{
    for (size_t i = 0; i < TASK_STATUS__MAX; i++)
        counts[i] = 0;
    for (size_t i = 0; i < all->tasks_n; i++) {
        if (str_eq(all->tasks[i].plan_id, plan->id))
            counts[all->tasks[i].status]++;
    }
}

const struct err *intent_plans_withdraw(struct intent_plans *all,
                                        struct str id, enum origin origin,
                                        struct str why)
{
    const struct suspension s = {.id = id, .origin = origin, .reason = why};
    struct json *payload = NULL;
    const char *type = side_question_withdrawn(all->arena, &s, &payload);
    const struct event_draft draft = {.type = type,
                                      .by = event_by_server(),
                                      .payload = payload,
                                      .decides = true};
    return event_append(all->arena, all->intent->id, &draft, all->now,
                        &all->intent->tail, all->events);
}

/* All questions of an intent that has ended are withdrawn with it. */
static const struct err *plans_take_back(struct intent_plans *all,
                                         struct str id, enum origin origin)
{
    if (intent_ended(all->intent->status) ||
        all->ended_n == countof(all->ended))
        return NULL;
    all->ended[all->ended_n++] = id;
    return intent_plans_withdraw(all, id, origin, STR(INTENT_PLANS_ENDED));
}

const struct err *intent_plans_end(struct intent_plans *all, struct plan *p,
                                   const struct plan_end *end)
{
    const struct checkpoint *c = NULL;
    while ((c = intent_plans_next(all, p, c))) {
        if (plans_asks(c) && !c->own)
            TRY(plans_take_back(all, c->suspension_id, ORIGIN_CHECKPOINT));
    }
    if (plan_in_review(p))
        TRY(plans_take_back(all, p->review_id, ORIGIN_PLAN_REVIEW));
    p->state = end->state;
    p->paused = PLAN_PAUSE_NONE;
    plan_mark_changed(p, all->now);
    TRY(plans_cancel_tasks(all, p, end->why.p ? end->why : STR("plan_ended")));
    struct json *o = json_object(all->arena);
    json_set_text(o, "plan_id", p->id);
    if (end->state == PLAN_COMPLETED) {
        const int64_t from = p->activated_at ? p->activated_at : p->created_at;
        int64_t counts[TASK_STATUS__MAX];
        plans_count(all, p, counts);
        json_set_int(o, "duration_ms", (all->now - from) / 1000);
        json_set_int(o, "tasks_completed", counts[TASK_COMPLETED]);
        json_set_int(o, "tasks_skipped", counts[TASK_SKIPPED]);
        return intent_plans_event(all, "plan.completed", o);
    }
    if (end->state != PLAN_FAILED)
        return NULL; /* OpenIntent has no event for it */
    json_set_text_or_null(o, "failed_task_id",
                          end->failed ? end->failed->id : STR_NONE);
    json_set_text_or_null(o, "error", end->why);
    return intent_plans_event(all, "plan.failed", o);
}

/* ---- the intent's status ----------------------------------------------- */

/* Blocks the running tasks of one agent; who.p NULL: of all. */
static const struct json *plans_hold(struct intent_plans *all, struct str who)
{
    struct json *ids = json_array(all->arena);
    for (size_t i = 0; i < all->tasks_n; i++) {
        struct task *t = &all->tasks[i];
        if (t->status != TASK_RUNNING ||
            (who.p && !str_eq(t->assigned_agent, who)))
            continue;
        t->status = TASK_BLOCKED;
        task_time(all->arena, t, TASK_RUNNING, all->now);
        t->hold = TASK_HOLD_SUSPENDED;
        t->held_at = all->now;
        task_mark_changed(t);
        json_add_text(ids, t->id);
    }
    return ids;
}

static const struct err *plans_blocked_event(struct intent_plans *all,
                                             const struct json *ids,
                                             enum task_hold hold,
                                             const struct suspension *s)
{
    const struct str id = all->intent->id;
    struct json *p = plans_payload(all, ids);
    if (json_count(ids) == 0)
        return NULL;
    json_set_text(p, "reason", vocabulary_task_hold(hold)->wire);
    json_set_text(p, "blocked_by", id);
    if (hold == TASK_HOLD_SUSPENDED)
        json_set_text(p, "suspended_intent_id", id);
    if (s && s->state == SUSPENSION_PENDING)
        json_set_text(p, "suspension_id", s->id);
    return intent_plans_event(all, "task.blocked", p);
}

static const struct err *plans_resume(struct intent_plans *all,
                                      const struct intent_plans_change *change)
{
    const bool runs = all->intent->status == INTENT_ACTIVE;
    struct json *ids = json_array(all->arena);
    for (size_t i = 0; i < all->tasks_n; i++) {
        struct task *t = &all->tasks[i];
        if (t->hold == TASK_HOLD_NONE)
            continue;
        if (runs) {
            plans_release(all, t, TASK_RUNNING);
        } else {
            t->hold = TASK_HOLD_DEPENDENCIES;
            task_mark_changed(t);
        }
        json_add_text(ids, t->id);
    }
    if (!runs)
        return plans_blocked_event(all, ids, TASK_HOLD_DEPENDENCIES, NULL);
    if (json_count(ids) == 0)
        return NULL;
    /* How the intent's question ended, as the events have it. */
    const struct suspension *s = change->suspension;
    struct json *p = plans_payload(all, ids);
    json_set_text(p, "resolution",
                  change->was != INTENT_SUSPENDED || !s
                      ? STR("dependencies_completed")
                  : s->state == SUSPENSION_RESOLVED ? STR("responded")
                  : s->state == SUSPENSION_EXPIRED  ? STR("fallback")
                                                    : STR("cancelled"));
    return intent_plans_event(all, "task.unblocked", p);
}

const struct err *intent_plans_follow(struct intent_plans *all,
                                      const struct intent_plans_change *change)
{
    const enum intent_status now = all->intent->status;
    all->by = event_by_server();
    all->decides = true;
    if (now == INTENT_SUSPENDED) {
        const struct json *ids = plans_hold(all, change->asker);
        if (json_count(ids) == 0)
            ids = plans_hold(all, STR_NONE);
        return plans_blocked_event(all, ids, TASK_HOLD_SUSPENDED,
                                   change->suspension);
    }
    if (intent_ended(now)) {
        const bool done = now == INTENT_COMPLETED;
        const struct plan_end end = {
            .state = done ? PLAN_CANCELLED : PLAN_FAILED,
            .why = done ? STR("intent_completed") : STR("intent_abandoned")};
        TRY(plans_cancel_tasks(all, NULL, end.why));
        for (size_t i = 0; i < all->plans_n; i++) {
            if (!plan_ended(all->plans[i].state))
                TRY(intent_plans_end(all, &all->plans[i], &end));
        }
        all->ended_n = 0; /* all questions of an ended intent are withdrawn */
        return NULL;
    }
    return now == INTENT_ACTIVE || change->was == INTENT_SUSPENDED
               ? plans_resume(all, change)
               : NULL;
}

/* ---- the objects ------------------------------------------------------ */

struct json *intent_plans_task_json(const struct intent_plans *all,
                                    const struct task *t)
{
    struct json *blocks = json_array(all->arena);
    for (size_t i = 0; i < all->tasks_n; i++) {
        if (str_search(all->tasks[i].depends_on, t->id) <
            all->tasks[i].depends_on.n)
            json_add_text(blocks, all->tasks[i].id);
    }
    return task_json(all->arena, t, blocks);
}

static struct json *plans_progress(const struct intent_plans *all,
                                   const struct plan *p, int64_t until)
{
    struct json *o = json_object(all->arena), *by = json_object(all->arena);
    int64_t counts[TASK_STATUS__MAX], total = 0;
    plans_count(all, p, counts);
    for (enum task_status s = TASK_PENDING; s < TASK_STATUS__MAX; s++) {
        json_set_int(by, vocabulary_task_status(s)->wire.p, counts[s]);
        total += counts[s];
    }
    const int64_t done = counts[TASK_COMPLETED] + counts[TASK_SKIPPED];
    json_set_int(o, "total", total);
    json_set_json(o, "by_status", by);
    json_set_int(o, "completion_percentage", total ? done * 100 / total : 0);
    struct json *suspended = json_array(all->arena);
    for (size_t i = 0; i < all->tasks_n; i++) {
        const struct task *t = &all->tasks[i];
        if (t->hold != TASK_HOLD_SUSPENDED || !str_eq(t->plan_id, p->id))
            continue;
        struct json *one = json_object(all->arena);
        json_set_text(one, "task_id", t->id);
        json_set_text(one, "intent_id", t->intent_id);
        json_set_text(one, "suspended_since",
                      clock_naive(all->arena, t->held_at));
        json_set_text_or_null(one, "expires_at",
                              clock_naive(all->arena, until));
        json_add_json(suspended, one);
    }
    json_set_json(o, "suspended_tasks", suspended);
    return o;
}

struct json *intent_plans_plan_json(const struct intent_plans *all,
                                    const struct plan *p, int64_t until)
{
    struct json *o = plan_json(all->arena, p);
    struct json *list = json_array(all->arena);
    for (int64_t place = 0; place < PLAN_CHECKPOINTS_MAX; place++) {
        const struct checkpoint *c = NULL;
        while ((c = intent_plans_next(all, p, c))) {
            if (c->place == place)
                json_add_json(list, plan_checkpoint_json(all->arena, c));
        }
    }
    json_set_json(o, "checkpoints", list);
    json_set_json(o, "progress", plans_progress(all, p, until));
    return o;
}

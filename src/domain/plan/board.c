/* The tasks, plans and checkpoints of one intent. Pure. */
#include "domain/plan/board.h"

#include "base/clock_text.h"
#include "base/id.h"
#include "domain/question/side_question.h"
#include "domain/question/risk.h"
#include "domain/question/suspension_seal.h"

/* ---- lookups ---------------------------------------------------------- */

struct task *board_task(const struct board *b, struct str id)
{
    for (size_t i = 0; i < b->tasks_n; i++) {
        if (str_eq(b->tasks[i].id, id))
            return &b->tasks[i];
    }
    return NULL;
}

struct plan *board_plan(const struct board *b, struct str id)
{
    for (size_t i = 0; i < b->plans_n; i++) {
        if (str_eq(b->plans[i].id, id))
            return &b->plans[i];
    }
    return NULL;
}

struct checkpoint *board_checkpoint(const struct board *b,
                                    const struct plan *p, struct str id)
{
    for (size_t i = 0; i < b->checkpoints_n; i++) {
        struct checkpoint *c = &b->checkpoints[i];
        if (!c->dropped && str_eq(c->plan_id, p->id) && str_eq(c->id, id))
            return c;
    }
    return NULL;
}

struct checkpoint *board_asked(const struct board *b, struct str suspension_id)
{
    for (size_t i = 0; i < b->checkpoints_n; i++) {
        if (str_eq(b->checkpoints[i].suspension_id, suspension_id))
            return &b->checkpoints[i];
    }
    return NULL;
}

static bool board_asks(const struct checkpoint *c)
{
    return !c->dropped && c->status == CHECKPOINT_REACHED && c->suspension_id.p;
}

bool board_held(const struct board *b, const struct plan *p)
{
    if (plan_in_review(p))
        return true;
    for (size_t i = 0; i < b->checkpoints_n; i++) {
        if (board_asks(&b->checkpoints[i]) &&
            str_eq(b->checkpoints[i].plan_id, p->id))
            return !plan_ended(p->state);
    }
    return false;
}

bool board_holds(const struct board *b)
{
    for (size_t i = 0; i < b->plans_n; i++) {
        if (board_held(b, &b->plans[i]))
            return true;
    }
    return false;
}

bool board_unapproved(const struct board *b, const struct plan *p)
{
    for (size_t i = 0; i < b->checkpoints_n; i++) {
        const struct checkpoint *c = &b->checkpoints[i];
        if (!c->dropped && str_eq(c->plan_id, p->id) && c->requires_approval &&
            c->status != CHECKPOINT_APPROVED)
            return true;
    }
    return false;
}

/* ---- dependencies ------------------------------------------------------ */

bool board_waits(const struct board *b, const struct task *t)
{
    const struct json *list = json_read(b->arena, t->depends_on);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct task *d = board_task(b, json_text(json_at(list, i)));
        if (d && task_open(d->status))
            return true;
    }
    return false;
}

/* Each task is visited once. */
static bool board_reaches(const struct board *b, const struct task *from,
                          const struct task *to, bool *seen)
{
    const struct json *list = json_read(b->arena, from->depends_on);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct task *d = board_task(b, json_text(json_at(list, i)));
        if (d == to)
            return true;
        if (!d || seen[d - b->tasks])
            continue;
        seen[d - b->tasks] = true;
        if (board_reaches(b, d, to, seen))
            return true;
    }
    return false;
}

const struct err *board_check_depends(const struct board *b,
                                      const struct task *t)
{
    const struct json *list = json_read(b->arena, t->depends_on);
    bool *seen = arena_many(b->arena, b->tasks_n + 1, bool);
    for (size_t i = 0; i < json_count(list); i++) {
        if (!board_task(b, json_text(json_at(list, i))))
            return err_at(b->arena, ERR_INVALID, "task.unknown",
                          STR("depends_on"),
                          "Element %zu is not a task of this intent.", i);
    }
    for (size_t i = 0; i < b->tasks_n; i++)
        seen[i] = false;
    return board_reaches(b, t, t, seen)
               ? err_at(b->arena, ERR_BAD_REQUEST, "task.cycle",
                        STR("depends_on"),
                        "The task would wait for itself.")
               : NULL;
}

/* ---- events ------------------------------------------------------------ */

void board_change_task(struct task *t)
{
    if (!t->changed && !t->fresh)
        t->version++;
    t->changed = true;
}

void board_change_plan(struct board *b, struct plan *p)
{
    if (!p->changed && !p->fresh)
        p->version++;
    p->changed = true;
    p->updated_at = b->now;
}

const struct err *board_event(struct board *b, const char *type,
                              const struct json *payload)
{
    const struct event_draft draft = {.type = type,
                                      .by = b->by,
                                      .payload = payload,
                                      .decides = b->decides};
    return event_append(b->arena, b->intent->id, &draft, b->now,
                        &b->intent->tail, b->events);
}

/* {"task_id": the first, "task_ids": all} */
static struct json *board_many(struct board *b, const struct json *ids)
{
    struct json *p = json_object(b->arena);
    json_set_json(p, "task_id", json_at(ids, 0));
    json_set_json(p, "task_ids", ids);
    return p;
}

const struct err *board_ready(struct board *b, const struct task *done)
{
    struct json *ids = json_array(b->arena), *by = json_array(b->arena);
    for (size_t i = 0; i < b->tasks_n; i++) {
        struct task *t = &b->tasks[i];
        if (t->status != TASK_PENDING || board_waits(b, t))
            continue;
        t->status = TASK_READY;
        board_change_task(t);
        json_add_text(ids, t->id);
    }
    if (json_count(ids) == 0)
        return NULL;
    struct json *p = board_many(b, ids);
    if (done)
        json_add_text(by, done->id);
    json_set_json(p, "resolved_dependencies", by);
    return board_event(b, "task.ready", p);
}

void board_terms(struct board *b, const struct plan *p, struct suspension *s)
{
    struct terms t = p->terms;
    s->initiator_id = b->intent->initiator_id;
    principal_terms_add(&t, &b->terms);
    risk_settle(b->arena, s, &t);
}

const struct err *board_ask(struct board *b, const struct plan *p,
                            struct suspension *s, const char *type,
                            const struct json *payload)
{
    if (b->side_questions >= SIDE_QUESTION_OPEN_MAX)
        return ERROR(ERR_CONFLICT, "question.too_many",
                     "20 approvals and other questions of this intent are "
                     "open. Wait for an answer.");
    s->intent_id = b->intent->id;
    s->seq = b->intent->tail.sequence + 1; /* of the event that reports it */
    s->asked_by = p->created_by;
    s->initiated_by = b->intent->initiated_by;
    board_terms(b, p, s);
    s->test = b->intent->test;
    s->record = STR("{}");
    if (!s->subject.p)
        s->subject = STR("{}");
    s->evidence = s->artifacts = STR("[]");
    TRY(suspension_seal(b->arena, s, b->now));
    TRY(board_event(b, type, payload));
    s->asked_sequence = b->intent->tail.sequence;
    b->asked = *s;
    b->has_asked = true;
    b->side_questions++;
    return NULL;
}

/* ---- ends -------------------------------------------------------------- */

static void board_release(const struct board *b, struct task *t,
                          enum task_status to)
{
    const enum task_status from = t->status;
    t->status = to;
    task_time(b->arena, t, from, b->now);
    t->hold = TASK_HOLD_NONE;
    t->held_at = 0;
    board_change_task(t);
}

/* Those of one plan, or all where plan is NULL; one event for them. */
static const struct err *board_cancel_tasks(struct board *b,
                                            const struct plan *plan,
                                            struct str reason)
{
    struct json *ids = json_array(b->arena);
    for (size_t i = 0; i < b->tasks_n; i++) {
        struct task *t = &b->tasks[i];
        if (task_ended(t->status) || (plan && !str_eq(t->plan_id, plan->id)))
            continue;
        board_release(b, t, TASK_CANCELLED);
        t->completed_at = b->now;
        json_add_text(ids, t->id);
    }
    if (json_count(ids) == 0)
        return NULL;
    struct json *p = board_many(b, ids);
    json_set_text(p, "reason", reason);
    return board_event(b, "task.cancelled", p);
}

static void board_count(const struct board *b, const struct plan *plan,
                        int64_t counts[static TASK_STATUS__MAX])
{
    for (size_t i = 0; i < TASK_STATUS__MAX; i++)
        counts[i] = 0;
    for (size_t i = 0; i < b->tasks_n; i++) {
        if (str_eq(b->tasks[i].plan_id, plan->id))
            counts[b->tasks[i].status]++;
    }
}

const struct err *board_end_plan(struct board *b, struct plan *p,
                                 const struct board_end *end)
{
    for (size_t i = 0; i < b->checkpoints_n; i++) {
        const struct checkpoint *c = &b->checkpoints[i];
        if (board_asks(c) && !c->own && str_eq(c->plan_id, p->id) &&
            b->ended_n < countof(b->ended))
            b->ended[b->ended_n++] = c->suspension_id;
    }
    if (plan_in_review(p) && b->ended_n < countof(b->ended))
        b->ended[b->ended_n++] = p->review_id;
    p->state = end->state;
    p->paused = PLAN_PAUSE_NONE;
    board_change_plan(b, p);
    TRY(board_cancel_tasks(b, p, end->why.p ? end->why : STR("plan_ended")));
    struct json *o = json_object(b->arena);
    json_set_text(o, "plan_id", p->id);
    if (end->state == PLAN_COMPLETED) {
        const int64_t from = p->activated_at ? p->activated_at : p->created_at;
        int64_t counts[TASK_STATUS__MAX];
        board_count(b, p, counts);
        json_set_int(o, "duration_ms", (b->now - from) / 1000);
        json_set_int(o, "tasks_completed", counts[TASK_COMPLETED]);
        json_set_int(o, "tasks_skipped", counts[TASK_SKIPPED]);
        return board_event(b, "plan.completed", o);
    }
    if (end->state != PLAN_FAILED)
        return NULL; /* OpenIntent has no event for it */
    json_set_text_or_null(o, "failed_task_id",
                          end->failed ? end->failed->id : STR_NONE);
    json_set_text_or_null(o, "error", end->why);
    return board_event(b, "plan.failed", o);
}

/* ---- the intent's status ----------------------------------------------- */

/* Blocks the running tasks of one agent; who.p NULL: of all. */
static const struct json *board_hold(struct board *b, struct str who)
{
    struct json *ids = json_array(b->arena);
    for (size_t i = 0; i < b->tasks_n; i++) {
        struct task *t = &b->tasks[i];
        if (t->status != TASK_RUNNING ||
            (who.p && !str_eq(t->assigned_agent, who)))
            continue;
        t->status = TASK_BLOCKED;
        task_time(b->arena, t, TASK_RUNNING, b->now);
        t->hold = TASK_HOLD_SUSPENDED;
        t->held_at = b->now;
        board_change_task(t);
        json_add_text(ids, t->id);
    }
    return ids;
}

static const struct err *board_tell_blocked(struct board *b,
                                            const struct json *ids,
                                            enum task_hold hold,
                                            const struct suspension *s)
{
    const struct str id = b->intent->id;
    struct json *p = board_many(b, ids);
    if (json_count(ids) == 0)
        return NULL;
    json_set_text(p, "reason", vocabulary_task_hold(hold)->wire);
    json_set_text(p, "blocked_by", id);
    if (hold == TASK_HOLD_SUSPENDED)
        json_set_text(p, "suspended_intent_id", id);
    if (s && s->state == SUSPENSION_PENDING)
        json_set_text(p, "suspension_id", s->id);
    return board_event(b, "task.blocked", p);
}

static const struct err *board_resume(struct board *b,
                                      const struct board_change *change)
{
    const bool runs = b->intent->status == INTENT_ACTIVE;
    struct json *ids = json_array(b->arena);
    for (size_t i = 0; i < b->tasks_n; i++) {
        struct task *t = &b->tasks[i];
        if (t->hold == TASK_HOLD_NONE)
            continue;
        if (runs) {
            board_release(b, t, TASK_RUNNING);
        } else {
            t->hold = TASK_HOLD_DEPENDENCIES;
            board_change_task(t);
        }
        json_add_text(ids, t->id);
    }
    if (!runs)
        return board_tell_blocked(b, ids, TASK_HOLD_DEPENDENCIES, NULL);
    if (json_count(ids) == 0)
        return NULL;
    /* How the intent's question ended, as the events have it. */
    const struct suspension *s = change->suspension;
    struct json *p = board_many(b, ids);
    json_set_text(p, "resolution",
                  change->was != INTENT_SUSPENDED || !s
                      ? STR("dependencies_completed")
                  : s->state == SUSPENSION_RESOLVED ? STR("responded")
                  : s->state == SUSPENSION_EXPIRED  ? STR("fallback")
                                                    : STR("cancelled"));
    return board_event(b, "task.unblocked", p);
}

static const struct err *board_end(struct board *b)
{
    const bool done = b->intent->status == INTENT_COMPLETED;
    const struct board_end end = {
        .state = done ? PLAN_CANCELLED : PLAN_FAILED,
        .why = done ? STR("intent_completed") : STR("intent_abandoned")};
    TRY(board_cancel_tasks(b, NULL, end.why));
    for (size_t i = 0; i < b->plans_n; i++) {
        if (!plan_ended(b->plans[i].state))
            TRY(board_end_plan(b, &b->plans[i], &end));
    }
    b->ended_n = 0; /* all questions of an ended intent are withdrawn */
    return NULL;
}

const struct err *board_follow(struct board *b,
                               const struct board_change *change)
{
    const enum intent_status now = b->intent->status;
    b->by = event_by_server();
    b->decides = true;
    if (now == INTENT_SUSPENDED) {
        const struct json *ids = board_hold(b, change->asker);
        if (json_count(ids) == 0)
            ids = board_hold(b, STR_NONE);
        return board_tell_blocked(b, ids, TASK_HOLD_SUSPENDED,
                                  change->suspension);
    }
    if (intent_ended(now))
        return board_end(b);
    return now == INTENT_ACTIVE || change->was == INTENT_SUSPENDED
               ? board_resume(b, change)
               : NULL;
}

/* ---- the objects ------------------------------------------------------ */

struct json *board_task_json(const struct board *b, const struct task *t)
{
    struct json *blocks = json_array(b->arena);
    for (size_t i = 0; i < b->tasks_n; i++) {
        if (str_search(b->tasks[i].depends_on, t->id) <
            b->tasks[i].depends_on.n)
            json_add_text(blocks, b->tasks[i].id);
    }
    return task_json(b->arena, t, blocks);
}

static struct json *board_progress(const struct board *b,
                                   const struct plan *p, int64_t until)
{
    struct json *o = json_object(b->arena), *by = json_object(b->arena);
    int64_t counts[TASK_STATUS__MAX], total = 0;
    board_count(b, p, counts);
    for (enum task_status s = TASK_PENDING; s < TASK_STATUS__MAX; s++) {
        json_set_int(by, vocabulary_task_status(s)->wire.p, counts[s]);
        total += counts[s];
    }
    const int64_t done = counts[TASK_COMPLETED] + counts[TASK_SKIPPED];
    json_set_int(o, "total", total);
    json_set_json(o, "by_status", by);
    json_set_int(o, "completion_percentage", total ? done * 100 / total : 0);
    struct json *suspended = json_array(b->arena);
    for (size_t i = 0; i < b->tasks_n; i++) {
        const struct task *t = &b->tasks[i];
        if (t->hold != TASK_HOLD_SUSPENDED || !str_eq(t->plan_id, p->id))
            continue;
        struct json *one = json_object(b->arena);
        json_set_text(one, "task_id", t->id);
        json_set_text(one, "intent_id", t->intent_id);
        json_set_text(one, "suspended_since",
                      clock_naive(b->arena, t->held_at));
        json_set_text_or_null(one, "expires_at", clock_naive(b->arena, until));
        json_add_json(suspended, one);
    }
    json_set_json(o, "suspended_tasks", suspended);
    return o;
}

struct json *board_plan_json(const struct board *b, const struct plan *p,
                             int64_t until)
{
    struct json *o = plan_json(b->arena, p);
    struct json *list = json_array(b->arena);
    for (int64_t place = 0; place < PLAN_CHECKPOINTS_MAX; place++) {
        for (size_t i = 0; i < b->checkpoints_n; i++) {
            const struct checkpoint *c = &b->checkpoints[i];
            if (!c->dropped && c->place == place && str_eq(c->plan_id, p->id))
                json_add_json(list, plan_checkpoint_json(b->arena, c));
        }
    }
    json_set_json(o, "checkpoints", list);
    json_set_json(o, "progress", board_progress(b, p, until));
    return o;
}

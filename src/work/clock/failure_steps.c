/* Part of the clock: the next step after a failure. An intent that is suspended
 * or blocked is looked at again after a while; a full log stops no step. */
#include "work/clock/failure_steps.h"

#include "base/clock.h"
#include "base/id.h"
#include "domain/plan/task_change.h"
#include "domain/question/side_question.h"
#include "domain/question/risk.h"
#include "store/sql.gen.h"
#include "work/ask.h"

#define AGAIN (5 * CLOCK_SECOND)
#define TASK_AGAIN (60 * CLOCK_SECOND)

static const struct err *failure_log(struct work *w, const char *type,
                                     const struct json *payload)
{
    const struct err *e = work_event(w, type, event_by_clock(), payload);
    return e && err_is(e, event_log_full) ? NULL : e;
}

static const struct err *
failure_assign(struct work *w, const struct due_failure *d, struct str agent)
{
    const struct failure *f = &d->failure;
    const bool again = f->next == FAILURE_RETRY;
    struct json *p = json_object(w->arena);
    leases_queue_assign(
        w->pg, w->arena,
        &(struct assignment){.intent_id = w->intent.id,
                             .agent_id = agent,
                             .assigned_at = w->now,
                             .assigned_by = event_by_clock().name});
    json_set_text(p, "agent_id", agent);
    json_set_text(p, "reason", vocabulary_failure_next(f->next)->wire);
    if (again)
        json_set_int(p, "retry_attempt", f->attempt);
    else
        json_set_text(p, "delegated_by", f->agent_id);
    json_set_text_or_null(p, "last_error",
                          f->error_message.p ? f->error_message
                                             : f->error_code);
    return failure_log(w, "agent_assigned", p);
}

/* The agent that failed gives back its leases and its assignment, but where a
 * quorum is of those assigned: no agent's failure makes it smaller. */
static const struct err *failure_dismiss(struct work *w, struct str agent,
                                         const struct governance *g)
{
    const struct due_agent who = {
        .intent_id = w->intent.id,
        .agent_id = agent,
        .now = w->now,
        .stays = g->completion == COMPLETION_QUORUM};
    struct due_dismissed end;
    struct json *p = json_object(w->arena);
    TRY(due_dismiss(w->pg, w->arena, &who, &end));
    for (size_t i = 0; i < end.leases.n; i++)
        TRY(failure_log(
            w, "lease_released",
            lease_payload(w->arena, &end.leases.v[i], "fallback")));
    json_set_text(p, "agent_id", agent);
    return end.assigned ? failure_log(w, "agent_unassigned", p) : NULL;
}

/* ---- people ---------------------------------------------------------- */

/* One escalation, as if the agent that failed had asked. Where people have too
 * much to do already, or the log is full, nobody is asked. */
static const struct err *failure_ask(struct work *w, struct failure *f)
{
    struct suspension s = {.id = id_new(w->arena)};
    struct ask_by by = {.name = f->agent_id,
                        .key_id = f->key_id,
                        .event = event_by_clock(),
                        .terms = risk_terms(w->conf, KIND_NONE)};
    principal_terms_add(&by.terms, &f->terms);
    TRY(side_question_read_escalation(w->arena,
                                      failure_escalation(w->arena, f), &s));
    const struct err *e = ask(w, &s, &by);
    f->next = e ? FAILURE_NOTHING : FAILURE_ESCALATION;
    return e && (e->kind == ERR_CONFLICT || e->kind == ERR_RATE) ? NULL : e;
}

/* ---- the step -------------------------------------------------------- */

static const struct err *failure_step(struct work *w, struct due_failure *d)
{
    const struct governance g =
        governance_stored(w->arena, w->intent.governance_policy);
    struct failure *f = &d->failure;
    if (intent_ended(w->intent.status)) {
        due_queue_failure(w->pg, w->arena, d, 0, 0);
    } else if (w->intent.status != INTENT_ACTIVE) {
        due_queue_failure(w->pg, w->arena, d, 0, w->now + AGAIN);
    } else {
        f->next = failure_now(f, d->fallback_agent_id, &g);
        if (f->next == FAILURE_ESCALATION) {
            TRY(failure_ask(w, f));
        } else if (f->next == FAILURE_RETRY) {
            TRY(failure_assign(w, d, f->agent_id));
        } else {
            TRY(failure_dismiss(w, f->agent_id, &g));
            TRY(failure_assign(w, d, d->fallback_agent_id));
        }
        due_queue_failure(w->pg, w->arena, d, w->now, 0);
        work_queue(w);
    }
    return pg_run(w->pg, w->arena, NULL);
}

const struct err *failure_steps_run(const struct work *clock, bool *more)
{
    struct due_failures due;
    *more = false;
    TRY(due_failures(clock, &due));
    if (due.n == 0)
        return NULL;
    for (size_t i = 0; i < due.n; i++) {
        for (size_t k = 0; k < due.failures_n; k++) {
            struct due_failure *d = &due.failures[k];
            if (str_eq(d->failure.intent_id, due.v[i].intent.id)) {
                TRY(failure_step(&due.v[i], d));
                break; /* one of an intent at a time */
            }
        }
    }
    TRY(due_commit(clock, due.v, due.n));
    *more = true;
    return NULL;
}

/* ---- tasks that run too long -------------------------------------------- */

static const struct err *failure_fail(struct work *w, const struct task *over)
{
    const struct terms terms = risk_terms(w->conf, KIND_NONE);
    const struct principal clock = {.name = event_by_clock().name};
    TRY(work_plans(w, event_by_clock(), &terms));
    struct task *t = intent_plans_task(w->plans, over->id);
    t->facts = task_overdue(w->arena, over);
    TRY(task_change_status(w->plans, t, TASK_FAILED, STR_NONE, &clock));
    return ask_of_plans(w);
}

/* One that cannot be failed now, because the log is full or people have too
 * much to do already, is looked at again later. */
static const struct err *failure_task(struct work *w, const struct task *over)
{
    const struct err *e = failure_fail(w, over);
    if (e && !pg_in_transaction(w->pg))
        return e;
    if (e)
        due_queue_task(w->pg, w->arena, over, w->now + TASK_AGAIN);
    else
        work_queue(w);
    return pg_run(w->pg, w->arena, NULL);
}

const struct err *failure_steps_tasks(const struct work *clock, bool *more)
{
    struct due_tasks due;
    *more = false;
    TRY(due_tasks(clock, &due));
    if (due.n == 0)
        return NULL;
    for (size_t i = 0; i < due.n; i++) {
        for (size_t k = 0; k < due.tasks_n; k++) {
            if (str_eq(due.tasks[k].intent_id, due.v[i].intent.id)) {
                TRY(failure_task(&due.v[i], &due.tasks[k]));
                break; /* one of an intent at a time */
            }
        }
    }
    TRY(due_commit(clock, due.v, due.n));
    *more = true;
    return NULL;
}

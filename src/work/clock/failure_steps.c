/* Part of the clock: the next step after a failure. An intent that is suspended
 * or blocked is looked at again after a while; a full log stops no step. */
#include "work/clock/failure_steps.h"

#include "base/clock.h"
#include "base/id.h"
#include "domain/intent/governance.h"
#include "domain/plan/task_change.h"
#include "domain/question/risk.h"
#include "domain/question/side_question.h"
#include "store/intent/leases.h"
#include "store/intent/records.h"
#include "store/rows.h"
#include "work/ask.h"

#define AGAIN (5 * CLOCK_SECOND)
#define TASK_AGAIN (60 * CLOCK_SECOND)

static const struct err *
failure_assign(struct work *w, const struct failure *f, struct str agent)
{
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
    return work_event_optional(w, "agent_assigned", event_by_clock(), p);
}

/* The agent that failed gives back its leases, at most 20, and its assignment,
 * but where a quorum is of those assigned: no agent's failure makes it
 * smaller. */
static const struct err *failure_dismiss(struct work *w, struct str agent,
                                         const struct governance *g)
{
    const bool stays = g->completion == COMPLETION_QUORUM;
    struct pg_rows *rows[2] = {NULL};
    struct json *p = json_object(w->arena);
    pg_queue(w->pg, w->arena, SQL_DUE_LEASES_OF,
             PG(pg_text(w->intent.id), pg_text(agent), pg_moment(w->now)));
    pg_queue(w->pg, w->arena, SQL_DUE_UNASSIGN,
             PG(pg_text(w->intent.id), pg_text(stays ? STR_NONE : agent)));
    TRY(pg_run(w->pg, w->arena, rows));
    const struct lease *leases = rows_all(w->arena, &lease_record, rows[0]);
    for (size_t i = 0; i < pg_count(rows[0]); i++)
        TRY(work_event_optional(
            w, "lease_released", event_by_clock(),
            lease_payload(w->arena, &leases[i], "fallback")));
    json_set_text(p, "agent_id", agent);
    return pg_affected(rows[1]) > 0
               ? work_event_optional(w, "agent_unassigned", event_by_clock(),
                                     p)
               : NULL;
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

/* The step, f->next, was taken, or is due later; 0: none. */
static void failure_queue(struct work *w, const struct failure *f,
                          int64_t resolved_at, int64_t due_at)
{
    pg_queue(w->pg, w->arena, SQL_DUE_FAILURE_MOVED,
             PG(pg_text(f->id),
                pg_text(vocabulary_failure_next(f->next)->wire),
                pg_moment(resolved_at), pg_moment(due_at)));
}

/* One of an intent at a time. */
static const struct err *failure_step(struct work *w, void *rows, size_t n)
{
    const struct governance g =
        governance_stored(w->arena, w->intent.governance_policy);
    struct failure *f = rows;
    (void)n;
    if (intent_ended(w->intent.status)) {
        failure_queue(w, f, 0, 0);
    } else if (w->intent.status != INTENT_ACTIVE) {
        failure_queue(w, f, 0, w->now + AGAIN);
    } else {
        f->next = failure_now(f, f->fallback_agent_id, &g);
        if (f->next == FAILURE_ESCALATION) {
            TRY(failure_ask(w, f));
        } else if (f->next == FAILURE_RETRY) {
            TRY(failure_assign(w, f, f->agent_id));
        } else {
            TRY(failure_dismiss(w, f->agent_id, &g));
            TRY(failure_assign(w, f, f->fallback_agent_id));
        }
        failure_queue(w, f, w->now, 0);
        work_queue(w);
    }
    return pg_run(w->pg, w->arena, NULL);
}

const struct err *failure_steps_run(const struct work *clock, bool *more)
{
    static const struct due_kind kind = {SQL_DUE_FAILURES,
                                         SQL_DUE_FAILURES_DUE, &failure_record,
                                         offsetof(struct failure, intent_id)};
    return due_each(clock, &kind, failure_step, more);
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

/* One of an intent at a time. One that cannot be failed now, because the log is
 * full or people have too much to do already, is looked at again later. */
static const struct err *failure_task(struct work *w, void *rows, size_t n)
{
    const struct task *over = rows;
    const struct err *e = failure_fail(w, over);
    (void)n;
    if (e && !pg_in_transaction(w->pg))
        return e;
    if (e)
        pg_queue(w->pg, w->arena, SQL_DUE_TASK_LATER,
                 PG(pg_text(over->id), pg_moment(w->now + TASK_AGAIN)));
    else
        work_queue(w);
    return pg_run(w->pg, w->arena, NULL);
}

const struct err *failure_steps_tasks(const struct work *clock, bool *more)
{
    static const struct due_kind kind = {SQL_DUE_TASKS, SQL_DUE_TASKS_OF,
                                         &task_record,
                                         offsetof(struct task, intent_id)};
    return due_each(clock, &kind, failure_task, more);
}

/* Changing the status of the work's intent. */
#include "work/task/status.h"

#include "store/intent/graphs.h"
#include "work/policy.h"
#include "work/workflow_io.h"

/* The move, or an error that names the intents in the way of its end. */
static const struct err *status_move(const struct work *w,
                                     const struct intent_move *m,
                                     enum intent_status *to)
{
    struct intent_ids open;
    const struct err *e = intent_move(m, to);
    if (!e || m->to != INTENT_COMPLETED ||
        (m->dependencies_done && m->children_done))
        return e;
    TRY(graphs_open(w->pg, w->arena, w->intent.id, &open));
    return err_more(w->arena, e, intent_ids_open(w->arena, &open));
}

/* Not while one of its plans waits for people. */
static const struct err *status_check_plans(struct work *w)
{
    if (!(w->intent.containers & INTENT_HAS_TASKS))
        return NULL;
    TRY(work_plans_by_caller(w));
    return intent_plans_any_held(w->plans)
               ? ERROR(ERR_CONFLICT, "plan.awaiting_approval",
                       "A checkpoint of a plan waits for an approval.")
               : NULL;
}

/* The question of an abandoned intent is withdrawn with it: a caller who may
 * end the intent may end its question. */
static const struct err *status_withdraw(struct work *w,
                                         const struct status_wanted *wanted)
{
    struct decision d = work_decision(w);
    struct principal who = *w->who;
    if (who.role == ROLE_OPERATOR)
        who.role = ROLE_ADMIN;
    TRY(resolve_cancel(w->arena, &d, &who, wanted->reason, wanted->to));
    w->suspension_decided = true;
    w->suspension.responded_via = wanted->via;
    return NULL;
}

const struct err *status_set(struct work *w,
                             const struct status_wanted *wanted)
{
    const bool open =
        w->has_suspension && w->suspension.state == SUSPENSION_PENDING;
    const struct intent_move m = {.from = w->intent.status,
                                  .to = wanted->to,
                                  .role = w->who->role,
                                  .question_open = open,
                                  .dependencies_done = w->dependencies_done,
                                  .children_done = w->children_done};
    enum intent_status to = wanted->to;
    TRY(policy_status(w, to, wanted->reason));
    TRY(status_move(w, &m, &to));
    if (to == m.from)
        return NULL;
    if (to == INTENT_COMPLETED) {
        TRY(status_check_plans(w));
        TRY(policy_complete(w));
        TRY(workflow_io_complete_intent(w));
    }
    work_touch(w);
    if (open && to == INTENT_ABANDONED)
        return status_withdraw(w, wanted);
    /* The record of the last question must not be read as the answer of the
     * next one; the rows keep the history. */
    if (to == INTENT_SUSPENDED)
        TRY(suspension_drop_mirror(w->arena, &w->intent));
    w->intent.status = to;
    TRY(work_event(w, "status_changed", event_by(w->who),
                   intent_status_changed(w->arena, m.from, to,
                                         wanted->reason)));
    return to == INTENT_COMPLETED ? work_unblock(w) : NULL;
}

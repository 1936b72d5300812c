/* Answering a question: the act around domain/answer/resolve.h. */
#include "work/answer.h"

#include "domain/question/side_question.h"
#include "domain/question/risk.h"
#include "work/access.h"
#include "work/ask.h"
#include "work/probe.h"

/* A yes to a request for access gives it. */
static const struct err *answer_access(struct work *w,
                                       const struct answer *answer)
{
    const struct suspension *s = &w->suspension;
    struct acl_entry e = {.agent = side_question_principal(w->arena, s),
                          .permission = side_question_granted(w->arena, s),
                          .reason = s->reason,
                          .expires_at = answer->access_until};
    return e.permission == ACCESS_NONE ? NULL
                                       : access_grant(w, event_by(w->who), &e);
}

const struct err *answer_decide(struct work *w, const struct answer *answer)
{
    if (w->has_suspension && probe_wanted(w, &w->suspension, answer)) {
        const struct suspension s = w->suspension;
        pg_rollback(w->pg);
        TRY(probe_credential(w, &s));
        TRY(work_again(w));
        if (w->answered)
            return NULL;
        if (!str_eq(w->suspension.id, s.id))
            return ERROR(ERR_CONFLICT, "suspension.not_active",
                         "This is not the intent's active suspension.");
    }
    /* Asked again here: the person may be of role user, or the configuration
     * stricter, only since the question was asked. */
    if (w->who->role == ROLE_USER && risk_claimed(w->conf, &w->suspension))
        return ERROR(ERR_FORBIDDEN, responder_not_yours,
                     "You cannot answer this request: its risk is too high "
                     "for a person who is only claimed to have started the "
                     "task.");
    w->has_permit = w->permit_found;
    if (side_question_or_plan(&w->suspension))
        TRY(work_plans_by_caller(w));
    struct decision d = work_decision(w);
    TRY(resolve_respond(w->arena, &d, answer, w->who));
    w->suspension_decided = true;
    w->suspension.task_id = w->intent.task_id;
    if (!side_question(&w->suspension))
        work_touch(w);
    if (w->suspension.origin == ORIGIN_ACCESS)
        TRY(answer_access(w, answer));
    return ask_of_plans(w);
}

/* Withdrawing a question. */
#include "work/cancel.h"

#include "domain/question/side_question.h"
#include "work/ask.h"

const struct err *cancel(struct work *w, struct str reason)
{
    if (side_question_or_plan(&w->suspension))
        TRY(work_plans_by_caller(w));
    struct decision d = work_decision(w);
    TRY(resolve_cancel(w->arena, &d, w->who, reason, INTENT_ACTIVE));
    w->suspension_decided = true;
    w->suspension.task_id = w->intent.task_id;
    if (!side_question(&w->suspension))
        work_touch(w);
    return ask_of_plans(w);
}

const struct err *cancel_by_end(struct work *w, struct str reason,
                                enum intent_status to)
{
    struct decision d = work_decision(w);
    struct principal who = *w->who;
    /* A caller who may end the intent may end its question with it. */
    if (who.role == ROLE_OPERATOR)
        who.role = ROLE_ADMIN;
    TRY(resolve_cancel(w->arena, &d, &who, reason, to));
    w->suspension_decided = true;
    return NULL;
}

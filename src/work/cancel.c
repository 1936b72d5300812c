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

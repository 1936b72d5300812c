/* Withdrawing a question. */
#include "work/cancel.h"

#include "domain/question/beside.h"
#include "work/ask.h"

const struct err *cancel(struct work *w, struct str reason)
{
    if (beside_or_plan(&w->suspension))
        TRY(work_board_by_caller(w));
    struct decision d = work_decision(w);
    TRY(resolve_cancel(w->arena, &d, w->who, reason, INTENT_ACTIVE));
    w->suspension_decided = true;
    w->suspension.task_id = w->intent.task_id;
    if (!beside(&w->suspension))
        work_touch(w);
    return ask_of_board(w);
}

/* Answering a question: the part around domain/resolve.h that all doors
 * share. */
#include "doors/asking/answer.h"

#include "domain/beside.h"
#include "doors/asking/ask.h"
#include "doors/asking/probe.h"

const struct err *answer_look(struct call *c, struct work *w,
                              const struct answer *answer, bool *again)
{
    const struct suspension s = w->suspension;
    *again = w->has_suspension && probe_wanted(c, &s, answer);
    if (!*again)
        return NULL;
    pg_rollback(c->pg);
    return probe_credential(c, &s);
}

const struct err *answer_decide(struct call *c, struct work *w,
                                const struct answer *answer)
{
    w->has_permit = w->permit_found;
    if (beside_of_plan(&w->suspension))
        TRY(work_board(w, event_by(&c->who)));
    struct decision d = work_decision(w);
    TRY(resolve_respond(c->a, &d, answer, &c->who));
    w->suspension_decided = true;
    if (!beside(&w->suspension))
        work_touch(w);
    return ask_tell(c, w);
}

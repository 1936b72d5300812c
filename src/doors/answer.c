/* Answering a question: what three doors share around domain/resolve.h. */
#include "doors/answer.h"

const struct err *answer_decide(struct call *c, struct work *w,
                                const struct answer *answer)
{
    struct decision d = work_decision(w);
    TRY(resolve_respond(c->a, &d, answer, &c->who));
    w->suspension_decided = true;
    work_touch(w);
    return NULL;
}

/* Answering a question: what three doors share around domain/resolve.h. */
#include "doors/answer.h"

const struct err *answer_too_late(struct call *c, struct work *w)
{
    const struct err *late = resolve_decided(c->a, &w->suspension);
    const struct work_answer none = {.body = STR("")};
    w->once.key = STR_NONE; /* a refusal is no answer to be remembered */
    TRY(work_commit(w, &none));
    return late;
}

const struct err *answer_decide(struct call *c, struct work *w,
                                const struct answer *answer)
{
    if (w->expired)
        return answer_too_late(c, w);
    struct decision d = work_decision(w);
    TRY(resolve_respond(c->a, &d, answer, &c->who));
    w->suspension_decided = true;
    work_touch(w);
    return NULL;
}

/* An answer that comes in a JSON body. */
#include "doors/asking/respond.h"

#include "work/answer.h"

const struct err *respond_decide(struct call *c, struct work *w,
                                 const struct answer *answer)
{
    struct answer sent = *answer;
    struct json *body = NULL;
    if (w->suspension.restored_from && !json_parse(c->a, c->rq->body, &body))
        sent.restored = json_bool(json_get(body, "restored"));
    return answer_decide(w, &sent);
}

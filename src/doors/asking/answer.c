/* Answering a question: the part around domain/resolve.h that all doors
 * share. */
#include "doors/asking/answer.h"

#include "domain/beside.h"
#include "doors/asking/ask.h"
#include "doors/asking/probe.h"
#include "store/acls.h"

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

/* A yes to a request for access gives it. */
static const struct err *give_access(struct call *c, struct work *w,
                                     const struct answer *answer)
{
    const struct suspension *s = &w->suspension;
    struct acl_entry e = {.agent = beside_principal(c->a, s),
                          .permission = beside_granted(c->a, s),
                          .reason = s->reason,
                          .expires_at = answer->access_until};
    return e.permission == ACCESS_NONE
               ? NULL
               : acls_grant(w, event_by(&c->who), &e);
}

/* The member "restored" of the body, at every door that takes a JSON body. */
static bool says_restored(struct call *c, const struct suspension *s)
{
    struct json *body = NULL;
    return s->restored_from && !json_parse(c->a, c->rq->body, &body) &&
           json_bool(json_get(body, "restored"));
}

const struct err *answer_decide(struct call *c, struct work *w,
                                const struct answer *answer)
{
    w->has_permit = w->permit_found;
    if (beside_or_plan(&w->suspension))
        TRY(call_board(c, w));
    struct decision d = work_decision(w);
    struct answer sent = *answer;
    sent.restored = answer->restored || says_restored(c, &w->suspension);
    TRY(resolve_respond(c->a, &d, &sent, &c->who));
    w->suspension_decided = true;
    w->suspension.task_id = w->intent.task_id;
    if (!beside(&w->suspension))
        work_touch(w);
    if (w->suspension.origin == ORIGIN_ACCESS)
        TRY(give_access(c, w, answer));
    return ask_tell(c, w);
}

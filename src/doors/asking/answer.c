/* Answering a question: the part around domain/answer/resolve.h that all doors
 * share. */
#include "doors/asking/answer.h"

#include "domain/question/beside.h"
#include "domain/question/risk.h"
#include "doors/asking/ask.h"
#include "doors/asking/probe.h"
#include "work/access.h"

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
               : access_grant(w, event_by(&c->who), &e);
}

/* The member "restored" of the body, at every door that takes a JSON body. */
static bool says_restored(struct call *c, const struct suspension *s)
{
    struct json *body = NULL;
    return s->restored_from && !json_parse(c->a, c->rq->body, &body) &&
           json_bool(json_get(body, "restored"));
}

/* Asked again here: the person may be of role user, or the configuration
 * stricter, only since the question was asked. */
static const struct err *check_claimed(const struct call *c,
                                       const struct suspension *s)
{
    return c->who.role == ROLE_USER && risk_claimed(c->serve->conf, s)
               ? ERROR(ERR_FORBIDDEN, responder_not_yours,
                       "You cannot answer this request: its risk is too high "
                       "for a person who is only claimed to have started the "
                       "task.")
               : NULL;
}

const struct err *answer_decide(struct call *c, struct work *w,
                                const struct answer *answer)
{
    TRY(check_claimed(c, &w->suspension));
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

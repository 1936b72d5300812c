/* Failures of agents on an intent, and the policy for trying again. */
#include "domain/containers/failure.h"

#include "base/id.h"
#include "domain/question/side_question.h"
#include "doors/openintent/openintent.h"
#include "store/intent/records.h"
#include "work/ask.h"
#include "work/policy.h"

/* ---- the policy ------------------------------------------------------ */

const struct err *openintent_failure_policy(struct call *c)
{
    struct failure_policy p;
    bool found = false;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(records_policy(c->pg, c->a, i.id, &p, &found));
    if (!found)
        return ERROR(ERR_NOT_FOUND, "retry.no_policy",
                     "The intent has no retry policy.");
    response_json(c->rs, 200,
                  record_object(c->a, &failure_policy_record, &p));
    return NULL;
}

const struct err *openintent_failure_policy_set(struct call *c)
{
    struct failure_policy p;
    struct work w;
    TRY(call_body(c));
    TRY(failure_policy_read(c->a, c->body, &p));
    TRY(call_begin(c, &w, c->param[0]));
    TRY(intent_check_open(w.intent.status));
    TRY(policy_write(&w));
    if (p.fallback_agent_id.p)
        TRY(policy_assign(&w, p.fallback_agent_id, "fallback_agent_id"));
    p.id = id_new(c->a);
    p.intent_id = w.intent.id;
    p.created_at = p.updated_at = w.now;
    TRY(records_policy_set(c->pg, c->a, &p));
    return call_commit(c, &w, 200,
                       record_object(c->a, &failure_policy_record, &p), false);
}

/* ---- failures -------------------------------------------------------- */

const struct err *openintent_failure_list(struct call *c)
{
    struct json *o = json_object(c->a);
    struct failure_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(records_failures(c->pg, c->a, i.id, &rows));
    json_set_json(o, "failures",
                  record_list(c->a, &failure_record, rows.v, rows.n));
    response_json(c->rs, 200, o);
    return NULL;
}

/* Where people have too much to do already, the failure alone is recorded. */
static const struct err *failure_escalate(struct call *c, struct work *w,
                                          struct failure *f)
{
    struct suspension s = {.id = id_new(c->a)};
    TRY(side_question_read_escalation(c->a, failure_escalation(c->a, f), &s));
    const struct err *e = ask_by_caller(w, &s);
    if (e && (e->kind == ERR_CONFLICT || e->kind == ERR_RATE)) {
        f->next = FAILURE_NOTHING;
        return NULL;
    }
    f->resolved_at = w->now;
    return e;
}

const struct err *openintent_failure_record(struct call *c)
{
    struct failure f = {.attempt = 0};
    struct failure_counts before;
    struct failure_policy p;
    bool found = false;
    struct work w;
    TRY(call_body_once(c));
    TRY(failure_read(c->a, c->body, &f));
    TRY(call_begin(c, &w, c->param[0]));
    if (w.answered)
        return call_replay(c, &w);
    TRY(policy_write(&w));
    f.id = id_new(c->a);
    f.intent_id = w.intent.id;
    f.agent_id = principal_actor(&c->who);
    f.key_id = principal_agent_key(&c->who);
    f.created_at = w.now;
    TRY(records_failure_counts(c->pg, c->a, w.intent.id, f.agent_id, &before));
    if (before.of_intent >= FAILURES_OF_INTENT_MAX)
        return ERROR(ERR_CONFLICT, "failure.too_many",
                     "The intent has 1000 failures. Continue in a new "
                     "intent.");
    TRY(records_policy(c->pg, c->a, w.intent.id, &p, &found));
    found = found && !intent_ended(w.intent.status);
    const struct governance governance =
        governance_stored(c->a, w.intent.governance_policy);
    failure_settle(found ? &p : NULL, &governance, &before, &f);
    TRY(work_event(&w, "failure_recorded", event_by(&c->who),
                   failure_payload(c->a, &f)));
    if (f.next == FAILURE_ESCALATION)
        TRY(failure_escalate(c, &w, &f));
    records_queue_failure(c->pg, c->a, &f, failure_due_at(&f));
    return call_commit(c, &w, 201, record_object(c->a, &failure_record, &f),
                       false);
}

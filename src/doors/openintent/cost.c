/* Costs that agents record on an intent. */
#include "domain/containers/cost.h"

#include "base/id.h"
#include "doors/openintent/openintent.h"
#include "store/intent/records.h"
#include "work/policy.h"

const struct err *openintent_cost_list(struct call *c)
{
    struct cost_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(records_costs(c->pg, c->a, i.id, &rows));
    response_json(c->rs, 200, cost_report(c->a, &rows));
    return NULL;
}

const struct err *openintent_cost_record(struct call *c)
{
    struct cost cost = {.provider = STR_NONE};
    struct records_total total;
    struct work w;
    TRY(call_body_once(c));
    TRY(record_body(c->a, c->body, &cost_record, &cost));
    TRY(call_begin(c, &w, c->param[0]));
    if (w.answered)
        return call_replay(c, &w);
    TRY(policy_write(&w));
    /* The number is bounded, and so is the sum where the policy says so. */
    TRY(records_cost_total(c->pg, c->a, w.intent.id, &total));
    if (total.n >= COSTS_OF_INTENT_MAX)
        return ERROR(ERR_CONFLICT, "cost.too_many",
                     "The intent has 1000 costs. Continue in a new intent.");
    if (!decimal_add(total.sum, cost.amount, &total.sum))
        return err_at(c->a, ERR_INVALID, "field.range", STR("amount"),
                      "The sum of the intent's costs would be too large.");
    TRY(policy_cost(&w, total.sum));
    cost.id = id_new(c->a);
    cost.intent_id = w.intent.id;
    cost.agent_id = principal_actor(&c->who);
    cost.recorded_at = w.now;
    records_queue_cost(c->pg, c->a, &cost);
    return call_commit(c, &w, 201, record_object(c->a, &cost_record, &cost),
                       false);
}

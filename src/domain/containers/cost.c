/* Costs: reading them, and their sums. Pure. */
#include "domain/containers/cost.h"

static const struct record_field cost_fields[] = {
    {RECORD_TEXT(cost, id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(cost, intent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(cost, agent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(cost, cost_type, IN_TABLE | IN_OBJECT | IN_NEED), .max = 120},
    {RECORD_DECIMAL(cost, amount, IN_TABLE | IN_OBJECT | IN_NEED)},
    {RECORD_TEXT(cost, unit, IN_TABLE | IN_OBJECT | IN_NEED), .max = 120},
    {RECORD_TEXT(cost, provider, IN_TABLE | IN_OBJECT | IN_BODY), .max = 120},
    {RECORD_OBJECT(cost, metadata, IN_TABLE | IN_OBJECT | IN_BODY),
     .max = 4 << 10},
    {RECORD_NAIVE(cost, recorded_at, IN_TABLE | IN_OBJECT),
     .alias = "recordedAt"},
};
const struct record cost_record = RECORD(cost, "cost", "intent_cost");

/* A sum of 1000 amounts is below 10^18 and may be too long for a decimal; it
 * then stays at the greatest that was reached. */
static void cost_add(struct arena *a, struct json *sums, struct str key,
                     struct decimal amount)
{
    struct decimal sum = {.whole = 0};
    const struct json *before = json_get_str(sums, key);
    if (before && !decimal_read(json_dump(a, before, 64), &sum))
        return;
    if (decimal_add(sum, amount, &sum))
        json_set_key(sums, key, json_read(a, decimal_text(a, sum)));
}

struct json *cost_report(struct arena *a, const struct cost_rows *rows)
{
    struct json *o = json_object(a), *list = json_array(a);
    struct json *summary = json_object(a), *types = json_object(a),
                *agents = json_object(a);
    json_set_int(summary, "total", 0);
    for (size_t i = 0; i < rows->n; i++) {
        const struct cost *c = &rows->v[i];
        json_add_json(list, record_object(a, &cost_record, c));
        cost_add(a, summary, STR("total"), c->amount);
        cost_add(a, types, c->cost_type, c->amount);
        cost_add(a, agents, c->agent_id, c->amount);
    }
    json_set_json(summary, "by_type", types);
    json_set_json(summary, "by_agent", agents);
    json_set_json(o, "costs", list);
    json_set_json(o, "summary", summary);
    return o;
}

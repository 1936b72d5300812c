/* Costs: reading them, and their sums. Pure. */
#include "domain/containers/cost.h"

#include "base/clock_text.h"
#include "base/json/fields.h"

#define COST_WORD_MAX 120
#define COST_AMOUNT_MAX 1e15
#define COST_JSON_MAX ((size_t)4 << 10)

/* ---- reading --------------------------------------------------------- */

/* A double such as 0.30000000000000004 is rounded; a number of at most six
 * digits after the point is exact. */
static void cost_amount(struct fields *f, struct cost *out)
{
    const struct json *v = json_get(f->obj, "amount");
    struct buf b = buf_make(f->arena, 64);
    fields_need(f, "amount");
    if (f->e || (v && decimal_read(json_dump(f->arena, v, 64), &out->amount)))
        return;
    if (json_is_number(v) && json_double(v) >= 0 &&
        json_double(v) < COST_AMOUNT_MAX) {
        buf_printf(&b, "%.6f", json_double(v));
        if (decimal_read(buf_text(&b), &out->amount))
            return;
    }
    fields_wrong(f, "amount", "field.value",
                 "\"amount\" has to be a number from 0 on, below 10^15.");
}

const struct err *cost_read(struct arena *a, const struct json *body,
                            struct cost *out)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *metadata = NULL;
    fields_need(&f, "cost_type");
    fields_text(&f, "cost_type", COST_WORD_MAX, &out->type);
    cost_amount(&f, out);
    fields_need(&f, "unit");
    fields_text(&f, "unit", COST_WORD_MAX, &out->unit);
    fields_text(&f, "provider", COST_WORD_MAX, &out->provider);
    fields_json(&f, "metadata", JSON_OBJECT, &metadata);
    out->metadata = metadata ? json_dump(a, metadata, COST_JSON_MAX)
                             : STR("{}");
    if (!out->metadata.p)
        fields_wrong(&f, "metadata", "field.too_long",
                     "\"metadata\" may have at most 4 kB.");
    return fields_error(&f);
}

/* ---- what clients read ------------------------------------------------ */

struct json *cost_object(struct arena *a, const struct cost *c)
{
    const struct str at = clock_naive(a, c->recorded_at);
    struct json *o = json_object(a);
    json_set_text(o, "id", c->id);
    json_set_text(o, "intent_id", c->intent_id);
    json_set_text(o, "agent_id", c->agent_id);
    json_set_text(o, "cost_type", c->type);
    json_set_read(a, o, "amount", decimal_text(a, c->amount));
    json_set_text(o, "unit", c->unit);
    json_set_text_or_null(o, "provider", c->provider);
    json_set_read(a, o, "metadata", c->metadata);
    json_set_text(o, "recorded_at", at);
    json_set_text(o, "recordedAt", at);
    return o;
}

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
        json_add_json(list, cost_object(a, c));
        cost_add(a, summary, STR("total"), c->amount);
        cost_add(a, types, c->type, c->amount);
        cost_add(a, agents, c->agent_id, c->amount);
    }
    json_set_json(summary, "by_type", types);
    json_set_json(summary, "by_agent", agents);
    json_set_json(o, "costs", list);
    json_set_json(o, "summary", summary);
    return o;
}

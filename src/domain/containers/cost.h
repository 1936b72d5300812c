/* Costs that agents record on an intent (OpenIntent RFC-0009). Pure. */
#ifndef DOMAIN_CONTAINERS_COST_H
#define DOMAIN_CONTAINERS_COST_H

#include "domain/record.h"

#define COSTS_OF_INTENT_MAX 1000

struct cost {
    struct str id, intent_id, agent_id, cost_type;
    struct decimal amount;
    struct str unit;
    struct str provider; /* p NULL: none */
    struct str metadata; /* JSON text, an object */
    int64_t recorded_at;
};
struct cost_rows {
    struct cost *v;
    size_t n;
};

extern const struct record cost_record;

/* All of an intent, and their sums: {"costs", "summary": {total, by_type,
 * by_agent}}. */
struct json *cost_report(struct arena *a, const struct cost_rows *rows);

#endif

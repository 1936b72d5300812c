/* Guardrails: the limits of a coordinator (OpenIntent RFC-0013) that the server
 * enforces on the plans and tasks below it. Pure. */
#ifndef DOMAIN_PLAN_GUARDRAILS_H
#define DOMAIN_PLAN_GUARDRAILS_H

#include "base/json/json.h"
#include "domain/intent/principal.h"

#define GUARDRAILS_COORDINATORS_MAX 13

/* Those of all coordinators that answer for an intent, the strictest of each;
 * all zero: none. */
struct guardrails {
    struct guardrails_limit {
        bool set;
        int64_t most;
    } plan_tasks, concurrent_tasks;
    bool plan_review, replan_review;
    int64_t failures;           /* 0: none */
    int64_t checkpoint_seconds; /* 0: none */
    bool of_person;             /* a person granted one of them */
    struct str supervisor;      /* p NULL: any operator */
    bool of_group, known;       /* the supervisor is a group, or is there */
    struct str agents[GUARDRAILS_COORDINATORS_MAX]; /* the coordinators */
    size_t agents_n;
};

/* The terms of one coordinator. */
struct guardrails_terms {
    struct str agent;
    struct str supervisor; /* p NULL: any operator */
    bool of_person;        /* a person set them, not the agent itself */
    struct str text;       /* its guardrails: JSON, checked when it was made */
};
/* Adds a coordinator's. The supervisor is that of the first one that has any;
 * where people granted some, of the first of these. */
void guardrails_add(struct arena *a, struct guardrails *g,
                    const struct guardrails_terms *t);
/* The names of the members of this text that the server enforces, a list. */
struct json *guardrails_enforced(struct arena *a, struct str text);
/* Is it one of the coordinators? */
bool guardrails_coordinates(const struct guardrails *g,
                            const struct principal *who);
/* ERR_FORBIDDEN guardrail.violation where an agent wants more than the limit;
 * name: of the guardrail. */
const struct err *guardrails_check(struct arena *a,
                                   const struct guardrails_limit *limit,
                                   const char *name, int64_t wanted,
                                   const struct principal *who) MUST;

#endif

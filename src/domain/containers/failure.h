/* Failures of agents on an intent, and the policy for trying again (OpenIntent
 * RFC-0010). Pure. */
#ifndef DOMAIN_CONTAINERS_FAILURE_H
#define DOMAIN_CONTAINERS_FAILURE_H

#include "domain/intent/governance.h"
#include "domain/intent/principal.h"
#include "domain/record.h"

#define FAILURES_OF_INTENT_MAX 1000

struct failure_policy {
    struct str id, intent_id;
    enum failure_strategy strategy;
    int64_t max_retries, base_delay_ms, max_delay_ms;
    struct str fallback_agent_id; /* p NULL: none */
    int64_t failure_threshold;
    int64_t created_at, updated_at;
};
struct failure {
    struct str id, intent_id, agent_id;
    int64_t attempt; /* 0: not sent; failure_settle sets it */
    struct str error_code, error_message; /* p NULL: none */
    bool recoverable;
    enum failure_next next;
    int64_t retry_at; /* 0: none */
    int64_t resolved_at; /* 0: the next step has not been taken */
    struct str metadata; /* JSON text, an object */
    int64_t created_at;
    struct str key_id;  /* of the agent's key; p NULL: none */
    struct terms terms; /* of that key, as they are now */
    struct str fallback_agent_id; /* of the policy now; p NULL: none */
};

/* Reads the body of PUT .../retry-policy. ERR_INVALID names the member. */
const struct err *failure_policy_read(struct arena *a, const struct json *body,
                                      struct failure_policy *out) MUST;
extern const struct record failure_policy_record;
extern const struct record failure_record;

/* Reads the body of a new failure, with the members of either client:
 * error_code, or error_type and recoverable. ERR_INVALID names the member. */
const struct err *failure_read(struct arena *a, const struct json *body,
                               struct failure *out) MUST;
/* The failures that were recorded before. */
struct failure_counts {
    int64_t of_intent, of_agent;
    int64_t handed; /* of the agent: to another one, or to people */
};
/* Sets attempt, next and retry_at by the policy (NULL: none): another try, or,
 * when the tries are used up, once another agent or people. An agent that the
 * governance policy does not allow takes nothing over. */
void failure_settle(const struct failure_policy *policy,
                    const struct governance *governance,
                    const struct failure_counts *before, struct failure *f);
/* The step that is taken now, in the place of f->next, where the policies have
 * changed since: no agent is assigned that the governance policy does not
 * allow. fallback: the retry policy's agent, p NULL: none. */
enum failure_next failure_now(const struct failure *f, struct str fallback,
                              const struct governance *governance);
/* When the clock takes the next step; 0: it has none. */
int64_t failure_due_at(const struct failure *f);
/* The delay before try n, in milliseconds. */
int64_t failure_delay_ms(const struct failure_policy *p, int64_t n);
/* The payload of failure_recorded. */
struct json *failure_payload(struct arena *a, const struct failure *f);
/* The body of the escalation to people. */
struct json *failure_escalation(struct arena *a, const struct failure *f);

#endif

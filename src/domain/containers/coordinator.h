/* Coordinators: the agent that answers for an intent and those below it, or for
 * a portfolio and its members (OpenIntent RFC-0013, RFC-0026 section 3).
 * Pure. */
#ifndef DOMAIN_CONTAINERS_COORDINATOR_H
#define DOMAIN_CONTAINERS_COORDINATOR_H

#include "domain/intent/event.h"
#include "domain/question/suspension.h"
#include "domain/record.h"

#define COORDINATORS_OF_INTENT_MAX 100 /* ended ones too */
#define COORDINATORS_OVER_MAX 13 /* of an intent, its ancestors and its
                                  * portfolios */
#define COORDINATOR_HEARTBEATS 2 /* missed ones that make it unresponsive */

struct coordinator {
    struct str id, agent_id, role;
    struct str intent_id, portfolio_id; /* one of them is p NULL */
    struct str supervisor_id; /* p NULL: any operator */
    struct str granted_by; /* the person who set the terms; p NULL: its agent */
    enum coordinator_type type;
    enum coordinator_policy policy; /* suspension_policy on the wire */
    struct str guardrails, metadata; /* JSON texts, objects */
    int64_t heartbeat_seconds;
    int64_t heartbeat_at, granted_at;
    int64_t ended_at; /* 0: it is the coordinator */
    int64_t version;
    enum coordinator_status status; /* of coordinator_object alone */
};
extern const struct record coordinator_record;

/* Reads the body of POST /coordinators: intent_id or portfolio_id, agent_id and
 * the terms. The rest of *out stays as it is. ERR_INVALID names the member.
 * Guardrails are kept as sent; those that are enforced have to be of their type
 * (domain/plan/guardrails.h). */
const struct err *coordinator_read(struct arena *a, const struct json *body,
                                   struct coordinator *out) MUST;
/* Two missed heartbeats read unresponsive. */
enum coordinator_status coordinator_status(const struct coordinator *c,
                                           int64_t now);
/* The time from which on it is unresponsive. */
int64_t coordinator_lapses_at(const struct coordinator *c);
/* The object that OpenIntent's client reads. Times are naive UTC. */
struct json *coordinator_object(struct arena *a, const struct coordinator *c,
                                int64_t now);
/* The answer to a heartbeat. */
struct json *coordinator_beat(struct arena *a, const struct coordinator *c);

/* The payload of coordinator.unresponsive. */
struct json *coordinator_lapsed(struct arena *a, const struct coordinator *c,
                                int64_t now);
/* The notice to its supervisor, in the place of a question: it has no id. */
struct suspension coordinator_lapsed_notice(struct arena *a,
                                            const struct coordinator *c,
                                            struct str intent_title);
/* The payload of coordinator.stalled: the question waits in that intent.
 * agent_id names the coordinator's agent, to whose stream it goes. */
struct json *coordinator_stalled(struct arena *a, const struct coordinator *c,
                                 struct str intent_id,
                                 struct str suspension_id);
/* Does an intent take an input from the one of that title? inputs and phases:
 * its _io_inputs and _io_dep_title_to_name (domain/containers/workflow.h), JSON
 * texts of any form, or p NULL. */
bool coordinator_takes_input(struct arena *a, struct str inputs,
                             struct str phases, struct str title);

/* A decision record. */
struct coordinator_decided {
    struct str coordinator_id, intent_id;
    enum coordinator_decision type;
    struct str summary, rationale;
    const struct json *confidence;   /* 0 to 1; NULL: none */
    const struct json *alternatives; /* a list of objects; NULL: none */
};
/* Reads the body of POST /decisions. */
const struct err *coordinator_decided_read(struct arena *a,
                                          const struct json *body,
                                          struct coordinator_decided *out) MUST;
/* The payload of coordinator.decision. */
struct json *coordinator_decided_payload(struct arena *a,
                                        const struct coordinator_decided *r);
/* The record of such an event. */
struct json *coordinator_decided_object(struct arena *a,
                                       const struct event *e);

#endif

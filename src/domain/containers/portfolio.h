/* Portfolios: intents that are watched, and may be ended, together (OpenIntent
 * RFC-0004, RFC-0007). Pure. */
#ifndef DOMAIN_CONTAINERS_PORTFOLIO_H
#define DOMAIN_CONTAINERS_PORTFOLIO_H

#include "domain/containers/graph.h"
#include "domain/intent/intent.h"
#include "domain/intent/principal.h"
#include "domain/record.h"

#define PORTFOLIO_NAME_MAX 200
#define PORTFOLIO_TEXT_MAX ((size_t)64 << 10) /* bytes of a JSON text */
#define PORTFOLIO_MEMBERS_MAX 1000
#define PORTFOLIOS_OF_INTENT_MAX 5

struct portfolio {
    struct str id;
    struct str name;
    struct str description; /* p NULL: none */
    struct str created_by;
    struct str coordinator; /* its agent; p NULL: none */
    struct str granted_by;  /* the person who granted it; p NULL: nobody */
    enum portfolio_status status;
    struct str status_by; /* p NULL: it is as it was made */
    int64_t status_at;
    struct str governance_policy, metadata; /* JSON texts, objects */
    int64_t deadline;    /* the earlier one of its policy; 0: none */
    int64_t threshold;   /* percentage of completed members; 0: none */
    int64_t version;
    int64_t created_at, updated_at;
    bool test; /* a test key made it (reach.h) */
};
/* Objects have their times in two spellings, because the SDK reads those of a
 * portfolio in camel case alone. */
extern const struct record portfolio_record;

/* The part of a governance policy that the server enforces. */
struct portfolio_policy {
    int64_t deadline;      /* 0: none */
    int64_t timeout;       /* microseconds from its creation; 0: none */
    bool all;              /* a completion needs all members completed, */
    bool partial;          /* but for the abandoned ones */
    int64_t threshold;     /* 0: none */
    struct json *enforced; /* the names of its members, a list */
};

/* The stored one of a portfolio. */
struct portfolio_policy portfolio_policy_of(struct arena *a,
                                            const struct portfolio *p);

/* Reads a new portfolio from a body: name, description, governance_policy (or
 * governance) and metadata. Unknown members are ignored, because newer
 * OpenIntent clients send more. created_at is the caller's. */
const struct err *portfolio_read(struct arena *a, const struct json *body,
                                 int64_t now, struct portfolio *out) MUST;
/* Reads changes of name, description and deadline into a portfolio; null takes
 * the last two away. */
const struct err *portfolio_read_changes(struct arena *a,
                                         const struct json *body,
                                         struct portfolio *p) MUST;

/* ERR_FORBIDDEN portfolio.not_yours unless the caller may change the portfolio
 * and its members: the agent that made it, its coordinator, an operator, an
 * admin. */
const struct err *portfolio_check_changer(const struct portfolio *p,
                                          const struct principal *who) MUST;
/* May the caller take the members out of its coordinator's guardrails?
 * ERR_FORBIDDEN coordinator.not_yours for an agent, where a person set them. */
const struct err *portfolio_check_keeper(const struct portfolio *p,
                                         const struct principal *who) MUST;
/* ERR_CONFLICT portfolio.ended unless it is active. */
const struct err *portfolio_check_active(const struct portfolio *p) MUST;

/* An intent in a portfolio. */
struct portfolio_member {
    struct str id; /* of the membership */
    struct str portfolio_id, intent_id;
    enum member_role role;
    int64_t priority;
    int64_t added_at;
    int64_t suspended_since; /* 0: the intent is not suspended */
};
extern const struct record portfolio_member_record;

/* The members of a portfolio. Node i of the graph is the intent of member i;
 * the intents elsewhere that they depend on follow. */
struct portfolio_members {
    struct portfolio_member *v;
    size_t n;
    struct graph graph;
};
/* The place of an intent in a portfolio. */
struct portfolio_place {
    struct portfolio_member member; /* id p NULL: it is not a member */
    int64_t members;                /* of the portfolio */
    int64_t portfolios;             /* of the intent */
    bool primary; /* another intent is the primary one */
};
/* ERR_FORBIDDEN portfolio.not_yours where an agent would add another's intent:
 * the portfolio's deadline can end it. */
const struct err *portfolio_check_adder(const struct principal *who,
                                        const struct intent *i) MUST;
/* May the intent be there, in this role? ERR_CONFLICT
 * portfolio.second_primary | portfolio.full | portfolio.too_many. */
const struct err *portfolio_check_room(const struct portfolio_place *at,
                                       enum member_role role) MUST;
/* The object with its members, and what is derived from them. */
struct json *portfolio_object(struct arena *a, const struct portfolio *p,
                              const struct portfolio_members *members);
/* The aggregate of the members: graph_aggregate, and status: completed when all
 * are, failed when one is abandoned, else in_progress. */
struct json *portfolio_aggregate(struct arena *a,
                                 const struct portfolio_members *members);

#endif

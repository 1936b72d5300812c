/* Plans and their checkpoints (OpenIntent RFC-0012). One plan alone; all of an
 * intent are domain/plan/intent_plans.h. Pure. */
#ifndef DOMAIN_PLAN_PLAN_H
#define DOMAIN_PLAN_PLAN_H

#include "domain/intent/principal.h"
#include "domain/record.h"

#define PLANS_MAX 20 /* of an intent */
#define PLAN_CHECKPOINTS_MAX 20
#define PLAN_APPROVERS_MAX 20
#define PLAN_FACTS_MAX ((size_t)128 << 10) /* bytes of JSON text */

struct plan {
    struct str id, intent_id;
    int64_t version;
    enum plan_state state;
    enum plan_failure on_failure;
    enum plan_pause paused;
    struct str tasks; /* JSON text, a list of ids in the plan's order */
    struct str facts; /* JSON text, an object */
    struct str review_id;     /* of the question of its newest review, and */
    struct str review_reason; /* of its answer; p NULL: none */
    struct str created_by;
    struct str key_id;  /* of the agent's key that made it; p NULL: none */
    struct terms terms; /* of that key, as they are now */
    int64_t failures_notified; /* the limit of failures that people were
                                * notified of; 0: none */
    int64_t created_at, updated_at, activated_at; /* 0: not yet */
    bool fresh, changed; /* to be written */
};
extern const struct record plan_record;

/* A step of a plan that waits for people. */
struct checkpoint {
    struct str plan_id, intent_id;
    struct str id; /* the agent's own */
    int64_t place; /* in the plan, from 0 */
    struct str name;
    struct str after_task; /* its id */
    bool requires_approval;
    struct str approvers;     /* JSON text, a list of names */
    bool of_group;            /* the one approver is a group */
    struct str timeout_hours; /* JSON text, a number; p NULL: none */
    enum checkpoint_timeout on_timeout;
    bool silence_approves; /* the server lets it */
    enum checkpoint_reject on_reject;
    enum severity severity;
    enum checkpoint_status status;
    struct str decided_by; /* p NULL: not decided */
    int64_t decided_at;
    struct str suspension_id;    /* of its question; p NULL: none */
    bool own; /* the question is an agent's, and holds the intent too */
    bool fresh, changed, dropped; /* to be written */
};
extern const struct record checkpoint_record;
struct checkpoints {
    struct checkpoint v[PLAN_CHECKPOINTS_MAX];
    size_t n;
};

/* Marks it as changed, with a new version the first time. */
void plan_mark_changed(struct plan *p, int64_t now);
/* The members of a body over those that the plan has: on_failure and facts. A
 * body's state is the caller's. ERR_INVALID names the member; ERR_TOO_LARGE
 * plan.too_large. */
const struct err *plan_read(struct arena *a, const struct json *body,
                            struct plan *p) MUST;
/* The checkpoints of a body; *sent: it has some. Members that only the server
 * writes are left out. ERR_INVALID names the member. */
const struct err *plan_read_checkpoints(struct arena *a,
                                        const struct json *body,
                                        struct checkpoints *out,
                                        bool *sent) MUST;
/* Is b at least as strict as a: the same, or with an approval more? */
bool plan_checkpoint_kept(const struct checkpoint *a,
                          const struct checkpoint *b);
/* The time to answer in seconds; 0: it has none. */
int64_t plan_checkpoint_seconds(struct arena *a, const struct checkpoint *c);
/* Is it ended for good? */
bool plan_ended(enum plan_state state);
/* Does a review hold it (domain/plan/review.h)? */
bool plan_in_review(const struct plan *p);
/* May a call move it so? ERR_CONFLICT plan.transition. */
const struct err *plan_move(const struct plan *p, enum plan_state to) MUST;
/* The members of the object for clients that are the plan's own. */
struct json *plan_json(struct arena *a, const struct plan *p);
struct json *plan_checkpoint_json(struct arena *a,
                                  const struct checkpoint *c);

#endif

/* The tasks, plans and checkpoints of one intent, together: lookups, what waits
 * for what, and what follows for them from a change of the intent. Read under
 * the intent's lock; the caller writes what has changed. Pure. */
#ifndef DOMAIN_PLAN_INTENT_PLANS_H
#define DOMAIN_PLAN_INTENT_PLANS_H

#include "domain/plan/guardrails.h"
#include "domain/plan/plan.h"
#include "domain/plan/task.h"
#include "domain/question/suspension.h"

struct intent_plans {
    struct arena *arena;
    struct intent *intent;
    bool marked; /* the intent is known to have tasks */
    struct task *tasks; /* in the order of their making; room for one more */
    size_t tasks_n;
    struct plan *plans; /* the same */
    size_t plans_n;
    struct checkpoint *checkpoints; /* room for those of one more plan, twice */
    size_t checkpoints_n;
    int64_t side_questions;   /* that are open */
    struct guardrails guards; /* of those who answer for the intent */
    struct terms terms; /* of the server, and of the key at hand */
    int64_t now;
    struct event_list *events; /* what happens is appended here, */
    struct event_by by;        /* as done by */
    bool decides; /* it follows from an answer: allowed even in a full log */
    struct suspension asked; /* a question that the server asks */
    bool has_asked;
    struct str ended[PLANS_MAX]; /* ids of questions that are withdrawn */
    size_t ended_n;
    struct str replaced; /* id of one that an agent's own takes the place of */
};

/* NULL where there is none. */
struct task *intent_plans_task(const struct intent_plans *all, struct str id);
struct plan *intent_plans_plan(const struct intent_plans *all, struct str id);
struct checkpoint *intent_plans_checkpoint(const struct intent_plans *all,
                                           const struct plan *p,
                                           struct str id);
/* The checkpoint of the plan after c, of those that are not dropped; c NULL:
 * the first. NULL: there are no more. */
struct checkpoint *intent_plans_next(const struct intent_plans *all,
                                     const struct plan *p,
                                     const struct checkpoint *c);
/* The checkpoint that this question is about, or NULL. */
struct checkpoint *intent_plans_asked(const struct intent_plans *all,
                                      struct str suspension_id);
/* Does a question hold the plan? */
bool intent_plans_held(const struct intent_plans *all, const struct plan *p);
/* Does a question hold any of them? */
bool intent_plans_any_held(const struct intent_plans *all);
/* Is its approval of this plan still to come? */
bool intent_plans_unapproved(const struct intent_plans *all,
                             const struct plan *p);

/* Does the task wait for another one? */
bool intent_plans_waits(const struct intent_plans *all, const struct task *t);
/* ERR_INVALID task.unknown where it depends on no task of the intent;
 * ERR_BAD_REQUEST task.cycle where one of them waits for it. */
const struct err *intent_plans_check_depends(const struct intent_plans *all,
                                             const struct task *t) MUST;
/* Makes the tasks ready that no longer wait for another one; done: the one
 * whose end did it, NULL: none. */
const struct err *intent_plans_ready(struct intent_plans *all,
                                     const struct task *done) MUST;

/* Appends an event. */
const struct err *intent_plans_event(struct intent_plans *all,
                                     const char *type,
                                     const struct json *payload) MUST;
/* The terms of the plan's own key, and those of all, applied to its
 * question. */
void intent_plans_terms(struct intent_plans *all, const struct plan *p,
                        struct suspension *s);
/* Seals s as a side question of the server, which does not hold the intent,
 * for the maker of the plan, with the event that reports it: payload, which
 * gets the digest of the question. ERR_CONFLICT question.too_many. */
const struct err *intent_plans_ask(struct intent_plans *all,
                                   const struct plan *p, struct suspension *s,
                                   const char *type,
                                   struct json *payload) MUST;
/* Why the server takes a question of a plan back. */
#define INTENT_PLANS_ENDED "The plan ended before anybody answered."
#define INTENT_PLANS_REPLACED "Superseded by a request of the agent."
/* Appends the event that says so of the question id, of this origin. */
const struct err *intent_plans_withdraw(struct intent_plans *all,
                                        struct str id, enum origin origin,
                                        struct str why) MUST;
/* Ends a plan in this state, with its tasks and its question; failed: the task
 * that failed, or NULL. */
struct plan_end {
    enum plan_state state;
    const struct task *failed;
    struct str why;
};
const struct err *intent_plans_end(struct intent_plans *all, struct plan *p,
                                   const struct plan_end *end) MUST;

/* A change of the intent's status. */
struct intent_plans_change {
    enum intent_status was;
    struct str asker; /* the agent that suspends it; p NULL: no agent */
    const struct suspension *suspension; /* the newest; NULL: none */
};
/* Running tasks of the asking agent (all, where none is its own) are blocked
 * while the intent is suspended, and run again when it goes on; tasks and plans
 * end with it. */
const struct err *
intent_plans_follow(struct intent_plans *all,
                    const struct intent_plans_change *change) MUST;

/* The objects for clients. until: when the intent's question ends; 0: never. */
struct json *intent_plans_task_json(const struct intent_plans *all,
                                    const struct task *t);
struct json *intent_plans_plan_json(const struct intent_plans *all,
                                    const struct plan *p, int64_t until);

#endif

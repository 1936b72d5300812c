/* A unit of work: one transaction on one intent, in two round trips.
 *
 * The first batch begins, locks the intent and then its newest suspension (in
 * this order everywhere), and checks whether this request was answered before.
 * A decision, a permit or open dependencies are read in one more.
 * Then the domain decides in memory, in the structs here. The second batch
 * writes the changes, stores the answer, and commits. A caller that returns an
 * error in between has written nothing. */
#ifndef WORK_WORK_H
#define WORK_WORK_H

#include "base/conf.h"
#include "base/shared/quota.h"
#include "domain/answer/resolve.h"
#include "domain/plan/intent_plans.h"
#include "domain/question/artifact.h"
#include "store/sending/deliveries.h"
#include "work/follow.h"
#include "world/pg/pg.h"

/* The error where the clock of this host is not to be trusted
 * (clock_watch_held): ERR_BUSY clock.differs. */
const struct err *work_clock_differs(void) MUST;
/* e; but that error where e has this code, which says that a time is over, and
 * the clock is not to be trusted. */
const struct err *work_clock_over(const struct err *e, const char *code) MUST;

/* A request that carries an Idempotency-Key; NULL in the place of its address:
 * it carries none. */
struct work_once {
    struct str principal;
    struct str key; /* p NULL: none */
    struct str request_sha256;
};

struct work_answer {
    int status;
    struct str etag; /* p NULL: none */
    struct str body;
};

struct work {
    struct arena *arena;
    struct pg *pg;
    const struct conf *conf;
    const struct principal *who; /* the caller; NULL: the clock */
    struct quota *quota;         /* counts the caller's; NULL for the clock */
    struct outbound *outbound;   /* for a request of its own; NULL: none */
    struct str traceparent; /* of the request, as a question keeps it */
    struct terms terms; /* of the caller's key; rules about what it asks add to
                         * them */
    int64_t now;   /* the later of two clocks that differ: no time is shorter */
    int64_t wall;  /* clock_now when it began */
    int64_t host;  /* clock_host of the same moment */
    int64_t there; /* the database's time, a little later */
    const struct work_begin *begun; /* for work_again; private */
    struct work_once once;
    bool answered; /* the same request was answered before: */
    struct work_answer before;
    struct intent intent;
    enum intent_status status_before; /* its status when the work began */
    struct suspension suspension; /* the newest, or the one asked for */
    bool has_suspension;
    struct permit permit; /* of the open question */
    bool permit_none;     /* it was looked for and has none */
    bool permit_found;    /* it has one */
    bool has_permit;      /* the work grants, refuses or makes it */
    bool permit_new;
    const struct push_revocation *revoked; /* NULL: no permit was revoked */
    struct artifact_rows artifacts;        /* of the new question */
    struct str permit_key; /* id of the key that asks for a new one */
    const struct permit_terms *permit_terms; /* of a new one; NULL: default */
    struct resolve_deadline deadline; /* of a portfolio, if one is over */
    struct str asker; /* the agent that begins it; p NULL: no agent */
    struct intent_plans
        *plans; /* the intent's tasks and plans; NULL: not read */
    bool dependencies_done;
    bool children_done; /* where the target ends it; else false */
    bool parent_ended; /* of a new intent */
    bool has_listeners; /* an agent's endpoint may want its events */
    struct event_list events;
    const struct intent_ids *depends; /* of a new intent; NULL: none */
    const struct deliveries_notice *notice; /* to people; NULL: none */
    struct follow_supervisors supervisors; /* of the new question */
    /* To be announced after the commit; NULL: none. */
    const struct status_change_other *changed_intents;
    bool intent_new, suspension_new, suspension_decided;
    bool touched; /* the version has been incremented */
    bool expired; /* this call expired a question */
    struct {
        size_t from, to; /* statements of the batch that may insert
                          * deliveries */
        bool any;        /* false: there are certainly none */
    } deliveries;
};

/* The target of the work, and its caller. Where the work changes more intents
 * than its own, one statement takes all locks, in the order of their ids. */
struct work_target {
    struct str intent_id;
    const struct principal *who; /* its access has to do; NULL: any */
    int take;                    /* SQL_INTENT_TAKE or a variant of it */
    struct str other; /* its second parameter; p NULL: it has none */
    bool answers;     /* the open question: its permit is read too */
    bool graph; /* adds a dependency: the graph's lock first */
    bool ends;  /* the intent may be completed: children_done is read */
};
/* Begins on an intent. The members of w up to terms have been set; all
 * others are set here. ERR_NOT_FOUND intent.unknown, also where it is out of
 * reach; ERR_FORBIDDEN access.denied; ERR_CONFLICT idempotency.other_request
 * when the key came with other bytes before, with the suspension_id of the
 * first answer, if it had one. When answered is set, only before
 * may be used. An open question whose time is over is expired first, in a
 * transaction of its own, and expired is set; where this host's clock is not
 * to be trusted it ends nothing, and that is ERR_BUSY clock.differs. */
const struct err *work_begin(struct work *w, const struct work_target *target,
                             const struct work_once *once) MUST;
/* The same, by an intent's id, for whoever calls. */
const struct err *work_begin_by_caller(struct work *w, struct str intent_id,
                                       const struct work_once *once) MUST;
/* The same, by the id of a suspension, with its permit; the caller checks who
 * may see it.
 * ERR_NOT_FOUND suspension.unknown. */
const struct err *work_begin_suspension(struct work *w, struct str id,
                                        const struct work_once *once) MUST;
/* The same, for a new intent with the members of given; its id, version and
 * times are set here. Its parent is locked, so that it cannot end before the
 * new one is there. graph: takes the graph's lock first, for a child with
 * dependencies. */
const struct err *work_begin_new(struct work *w, const struct intent *given,
                                 bool graph,
                                 const struct work_once *once) MUST;
/* After work_begin_new, when the parent may be known to the caller.
 * ERR_CONFLICT parent.ended. */
const struct err *work_check_parent(const struct work *w) MUST;
/* Begins again on the same intent or question, after pg_rollback. The same
 * errors. */
const struct err *work_again(struct work *w) MUST;
/* The same for work without an intent: begins, and checks whether this request
 * was answered before. work_commit_bare stores the answer and commits, and
 * nothing else. */
const struct err *work_begin_bare(struct work *w,
                                  const struct work_once *once) MUST;
const struct err *work_commit_bare(struct work *w,
                                   const struct work_answer *answer) MUST;
/* The terms of a question of this kind that follows from the work: those of
 * the server, and of the work. */
struct terms work_terms(const struct work *w, enum kind kind);
/* work_plans, changed by the caller. */
const struct err *work_plans_by_caller(struct work *w) MUST;
/* Reads the intent's tasks and plans, once; what changes there is written with
 * the rest. by: who changes them; terms: of questions that follow from it, of
 * the server and of the key at hand (NULL: none are known). */
const struct err *work_plans(struct work *w, struct event_by by,
                             const struct terms *terms) MUST;
/* The objects that resolve_* changes. */
struct decision work_decision(struct work *w);
/* Appends an event to the intent's log. */
const struct err *work_event(struct work *w, const char *type,
                             struct event_by by,
                             const struct json *payload) MUST;
/* The same; a full log leaves it out, which is not an error. */
const struct err *work_event_optional(struct work *w, const char *type,
                                      struct event_by by,
                                      const struct json *payload) MUST;
/* Increments the version, once for one unit of work. */
void work_touch(struct work *w);
/* Is the time of its open question over, or that of a portfolio? */
bool work_due(const struct work *w);
/* Expires its question, in memory. terms: as for work_plans. */
const struct err *work_expire(struct work *w,
                              const struct terms *terms) MUST;
/* The intent is being completed: dependents without another open dependency
 * become active, each with an event of its own. Written at once, in the current
 * transaction, with their deliveries; their waiters are notified after the
 * commit. SQL_INTENT_TAKE_DEPENDENTS has their locks. */
const struct err *work_unblock(struct work *w) MUST;
/* After the decision and before anything is written: the containers of the
 * intent follow a change of its status. For a caller that commits several units
 * at once; work_commit does it. */
const struct err *work_follow(struct work *w) MUST;
/* Into the current batch: all that the work has changed, its events and its
 * deliveries. For a caller that commits several units at once; work_commit
 * does it. */
void work_queue(struct work *w);
/* The same for its events and deliveries alone. */
void work_queue_events(struct work *w);
/* After a commit: notifies the waiters. For a caller that commits several units
 * at once. */
void work_tell(const struct work *w);
/* Writes everything, queues the deliveries, stores the answer where the request
 * had a key, commits, and then notifies the waiters. Statements that the caller
 * queued before run first. answer NULL: the request cannot have a key. */
const struct err *work_commit(struct work *w,
                              const struct work_answer *answer) MUST;

#endif

/* A unit of work: one transaction on one intent, in two round trips.
 *
 * The first batch begins, locks the intent and then its newest suspension (in
 * this order everywhere), and looks whether this request was answered before.
 * Then the domain decides in memory, in the structs here. The second batch
 * writes what changed, remembers the answer, and commits. Whoever returns in
 * between with an error has written nothing. */
#ifndef STORE_WORK_H
#define STORE_WORK_H

#include "domain/resolve.h"
#include "store/deliveries.h"
#include "world/pg.h"

/* A request that carries an Idempotency-Key. */
struct work_once {
    struct str principal;
    struct str key; /* p NULL: none was sent */
    struct str request_sha256;
};

struct work_answer {
    int status;
    struct str etag; /* p NULL: none */
    struct str body;
};

/* Another intent that the same transaction changed. */
struct work_other {
    struct str intent_id;
    int64_t version;
    const struct work_other *next;
};

struct work {
    struct arena *arena;
    struct pg *pg;
    int64_t now;
    struct work_once once;
    bool answered; /* the same request was answered before: */
    struct work_answer before;
    struct intent intent;
    struct suspension suspension; /* the newest, or the one asked for */
    bool has_suspension;
    bool dependencies_done, children_done;
    struct event_list events;
    const struct intent_ids *depends; /* of a new intent; NULL: none */
    const struct deliveries_notice *notice; /* to people; NULL: none */
    const struct work_other *others; /* to be told of; NULL: none */
    bool intent_new, suspension_new, suspension_decided;
    bool touched; /* the version has been counted up */
    size_t stored; /* bytes that the commit wrote, about */
    bool expired; /* this call found a question's time to be over */
    struct {
        size_t from, to; /* statements of the batch that may write some */
        bool any;        /* false: there are none for sure */
    } deliveries;
};

/* What to work on, and for whom. Where the work touches more intents than its
 * own, one statement takes all locks, in the order of their ids. */
struct work_target {
    struct str intent_id;
    const struct principal *who; /* has to reach the intent */
    int take;                    /* SQL_INTENT_TAKE or one of its kin */
    struct str other; /* its second parameter; p NULL: it has none */
};
/* Begins on an intent. ERR_NOT_FOUND intent.unknown, also where it is out of
 * reach; ERR_CONFLICT idempotency.other_request when the key came with other
 * bytes before. When answered is set, only before is of use. An open question
 * whose time is over is expired first, in a transaction of its own, and
 * expired is set. */
const struct err *work_begin(struct work *w, struct pg *pg, struct arena *a,
                             const struct work_target *target,
                             const struct work_once *once) MUST;
/* The same, by the id of a suspension; whether the caller may see it is the
 * caller's to know. ERR_NOT_FOUND suspension.unknown. */
const struct err *work_begin_suspension(struct work *w, struct pg *pg,
                                        struct arena *a, struct str id,
                                        const struct work_once *once) MUST;
/* The same, for an intent that is yet to be made. */
const struct err *work_begin_new(struct work *w, struct pg *pg,
                                 struct arena *a,
                                 const struct work_once *once) MUST;
/* The same for what concerns no intent: begins, and looks whether this request
 * was answered before. work_commit_bare remembers answer and commits, and
 * nothing else. */
const struct err *work_begin_bare(struct work *w, struct pg *pg,
                                  struct arena *a,
                                  const struct work_once *once) MUST;
const struct err *work_commit_bare(struct work *w,
                                   const struct work_answer *answer) MUST;
/* What resolve_* works on. */
struct decision work_decision(struct work *w);
/* Appends an event to the intent's log. */
const struct err *work_event(struct work *w, const char *type,
                             struct event_by by,
                             const struct json *payload) MUST;
/* Counts the version up, once for one unit of work. */
void work_touch(struct work *w);
/* Its question's time is over: decides that, in memory. */
const struct err *work_expire(struct work *w) MUST;
/* The intent is being completed: those that waited for it alone become active,
 * each with an event of its own, all of them. Written at once, in the
 * transaction at hand, with what is to be delivered; who waits for them is told
 * after the commit. SQL_INTENT_TAKE_DEPENDENTS has their locks. */
const struct err *work_unblock(struct work *w) MUST;
/* After a commit: tells who waits. For who commits several units at once. */
void work_tell(const struct work *w);
/* Writes everything, queues what is to be delivered, remembers answer where
 * the request had a key, commits, and then wakes who waits.
 * Statements that the caller queued before run first. */
const struct err *work_commit(struct work *w,
                              const struct work_answer *answer) MUST;

#endif

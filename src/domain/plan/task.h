/* Tasks: the pieces of work of an intent (OpenIntent RFC-0012). One task alone;
 * all of an intent are domain/plan/intent_plans.h. Pure. */
#ifndef DOMAIN_PLAN_TASK_H
#define DOMAIN_PLAN_TASK_H

#include "domain/record.h"

#define TASKS_MAX 200 /* of an intent */
#define TASK_NAME_MAX 200
#define TASK_ATTEMPTS_MAX 100
#define TASK_FACTS_MAX ((size_t)128 << 10) /* bytes of JSON text */
#define TASKS_FACTS_MAX ((int64_t)4 << 20) /* of all tasks of an intent */

struct task {
    struct str id, intent_id, name;
    struct str plan_id; /* p NULL: none */
    int64_t version;
    enum task_status status;
    enum task_hold hold;
    int64_t held_at;           /* 0: the server does not hold it */
    struct str assigned_agent; /* p NULL: none */
    struct str depends_on;     /* JSON text, a list of ids */
    int64_t attempt, max_attempts;
    int64_t created_at, started_at, completed_at; /* 0: not yet */
    int64_t runs_until; /* the clock fails it then; 0: it has no timeout */
    int64_t time_left;  /* of it, while it is blocked */
    struct str facts; /* JSON text, an object; p NULL: not read */
    int64_t facts_n;  /* its bytes */
    bool fresh, changed; /* to be written */
};
/* IN_PART: what moves. */
extern const struct record task_record;

/* A call's change of a task, without its facts. */
struct task_change {
    enum task_status to; /* TASK_STATUS__MAX: it is not moved */
    struct str agent, name, depends_on; /* p NULL: as it is */
    int64_t max_attempts;               /* 0: as it is */
};

/* Marks it as changed, with a new version the first time. */
void task_mark_changed(struct task *t);

/* The members of a body that its agents alone write, over the facts that it
 * has. ERR_INVALID names the member; ERR_TOO_LARGE task.too_large. */
const struct err *task_read_facts(struct arena *a, const struct json *body,
                                  struct task *t) MUST;
/* Reads a new task's body: its name, depends_on, max_attempts, assigned_agent,
 * plan_id and facts. */
const struct err *task_read(struct arena *a, const struct json *body,
                            struct task *out) MUST;
/* Reads a change. ERR_INVALID names the member. */
const struct err *task_read_change(struct arena *a, const struct json *body,
                                   struct task_change *out) MUST;
/* A member's list of ids, as JSON text; p NULL: absent. ERR_INVALID where one
 * is not a UUID or there twice. */
const struct err *task_read_ids(struct arena *a, const struct json *body,
                                const char *member, struct str *out) MUST;
/* Do both mean the same work by the same agent? Not what an agent reports of
 * it: status, output and artifacts, errors, metadata. Their facts have been
 * read. */
bool task_same_work(struct arena *a, const struct task *x,
                    const struct task *y);
bool task_same_output(struct arena *a, const struct task *x,
                      const struct task *y);
/* Is it completed, cancelled or skipped, or failed? The first three are
 * final. */
bool task_ended(enum task_status status);
/* Does a task that depends on one of this status have to wait? */
bool task_open(enum task_status status);
/* Has it failed, with no attempt left? */
bool task_lost(const struct task *t);
/* After a move from that status: its timeout runs while it does, and not while
 * it is blocked. The facts of one that is started have been read. */
void task_time(struct arena *a, struct task *t, enum task_status from,
               int64_t now);
/* The facts of a task whose timeout is over, with the error. */
struct str task_overdue(struct arena *a, const struct task *t);
/* May a call move it so? Without the rules of its plan and intent.
 * ERR_CONFLICT task.transition; task.suspended where the server holds it. */
const struct err *task_move(const struct task *t, enum task_status to) MUST;
/* The object for clients; blocks: a list of ids. */
struct json *task_json(struct arena *a, const struct task *t,
                       const struct json *blocks);

#endif

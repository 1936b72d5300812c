/* Plans and their checkpoints in the database. Decides nothing. */
#include "store/plans.h"

#include "base/id.h"
#include "store/sql.gen.h"

enum { ID, INTENT, VERSION, STATE, ON_FAILURE, PAUSED, TASKS, FACTS, CREATED_BY,
       CREATED, UPDATED, ACTIVATED, REVIEW, REVIEW_REASON, KEY, TOLD, FLOOR,
       BY };
enum { OF_PLAN, OF_INTENT, OWN_ID, PLACE, NAME, AFTER, REQUIRES, APPROVERS,
       OF_GROUP, HOURS, ON_TIMEOUT, SILENCE, ON_REJECT, SEVERITY, STATUS,
       DECIDED_BY, DECIDED, QUESTION, OWN };

/* ---- reading ---------------------------------------------------------- */

static struct plan plan_row(const struct pg_rows *r, size_t i)
{
    return (struct plan){
        .id = pg_str(r, i, ID),
        .intent_id = pg_str(r, i, INTENT),
        .version = pg_int(r, i, VERSION),
        .state = vocabulary_plan_state_of(pg_str(r, i, STATE)),
        .on_failure = vocabulary_plan_failure_of(pg_str(r, i, ON_FAILURE)),
        .paused = vocabulary_plan_pause_of(pg_str(r, i, PAUSED)),
        .tasks = pg_str(r, i, TASKS),
        .facts = pg_str(r, i, FACTS),
        .created_by = pg_str(r, i, CREATED_BY),
        .created_at = pg_int(r, i, CREATED),
        .updated_at = pg_int(r, i, UPDATED),
        .activated_at = pg_int(r, i, ACTIVATED),
        .review_id = pg_str(r, i, REVIEW),
        .review_reason = pg_str(r, i, REVIEW_REASON),
        .key_id = pg_str(r, i, KEY),
        .told = pg_int(r, i, TOLD),
        .terms = principal_terms(pg_str(r, i, FLOOR), pg_str(r, i, BY))};
}

static struct checkpoint checkpoint_row(const struct pg_rows *r, size_t i)
{
    return (struct checkpoint){
        .plan_id = pg_str(r, i, OF_PLAN),
        .intent_id = pg_str(r, i, OF_INTENT),
        .id = pg_str(r, i, OWN_ID),
        .place = pg_int(r, i, PLACE),
        .name = pg_str(r, i, NAME),
        .after_task = pg_str(r, i, AFTER),
        .requires_approval = pg_bool(r, i, REQUIRES),
        .approvers = pg_str(r, i, APPROVERS),
        .of_group = pg_bool(r, i, OF_GROUP),
        .timeout_hours = pg_str(r, i, HOURS),
        .on_timeout = vocabulary_checkpoint_timeout_of(
            pg_str(r, i, ON_TIMEOUT)),
        .silence_approves = pg_bool(r, i, SILENCE),
        .on_reject = vocabulary_checkpoint_reject_of(pg_str(r, i, ON_REJECT)),
        .severity = vocabulary_severity_of(pg_str(r, i, SEVERITY)),
        .status = vocabulary_checkpoint_status_of(pg_str(r, i, STATUS)),
        .decided_by = pg_str(r, i, DECIDED_BY),
        .decided_at = pg_int(r, i, DECIDED),
        .suspension_id = pg_str(r, i, QUESTION),
        .own = pg_bool(r, i, OWN)};
}

void plans_queue_read(struct pg *pg, struct arena *a, struct str intent_id)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, intent_id);
    pg_queue(pg, SQL_PLAN_BOARD, &args);
    pg_queue(pg, SQL_PLAN_CHECKPOINTS, &args);
}

void plans_take(struct board *b, struct pg_rows *const rows[static 2])
{
    b->plans_n = pg_count(rows[0]);
    b->plans = arena_many(b->arena, b->plans_n + 1, struct plan);
    for (size_t i = 0; i < b->plans_n; i++)
        b->plans[i] = plan_row(rows[0], i);
    b->checkpoints_n = pg_count(rows[1]);
    b->checkpoints = arena_many(
        b->arena, b->checkpoints_n + PLAN_CHECKPOINTS_MAX, struct checkpoint);
    for (size_t i = 0; i < b->checkpoints_n; i++)
        b->checkpoints[i] = checkpoint_row(rows[1], i);
}

static const struct err *one(struct pg *pg, int statement,
                             const struct pg_args *args, struct str *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, args->arena, statement, args, &r));
    *out = pg_count(r) ? pg_str(r, 0, 0) : STR_NONE;
    return NULL;
}

const struct err *plans_intent(struct pg *pg, struct arena *a, struct str id,
                               struct str *intent_id)
{
    struct pg_args args = pg_args(a);
    *intent_id = STR_NONE;
    pg_arg(&args, id);
    if (id_uuid(id))
        TRY(one(pg, SQL_PLAN_GET, &args, intent_id));
    return intent_id->p ? NULL
                        : ERROR(ERR_NOT_FOUND, "plan.unknown",
                                "There is no plan with this id.");
}

const struct err *plans_question(struct pg *pg, struct arena *a,
                                 struct str plan_id, struct str checkpoint_id,
                                 struct str *suspension_id)
{
    struct pg_args args = pg_args(a);
    *suspension_id = STR_NONE;
    pg_arg(&args, plan_id);
    pg_arg(&args, checkpoint_id);
    if (id_uuid(plan_id) && id_token(checkpoint_id))
        TRY(one(pg, SQL_PLAN_QUESTION, &args, suspension_id));
    return suspension_id->p
               ? NULL
               : ERROR(ERR_NOT_FOUND, "checkpoint.unknown",
                       "The plan has no checkpoint with this id that asks for "
                       "an approval now.");
}

const struct err *plans_asked(struct pg *pg, struct arena *a,
                              struct str suspension_id, struct str *name)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, suspension_id);
    return one(pg, SQL_PLAN_ASKED, &args, name);
}

const struct err *plans_until(struct pg *pg, struct arena *a,
                              struct str intent_id, int64_t *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, intent_id);
    TRY(pg_query(pg, a, SQL_PLAN_UNTIL, &args, &r));
    *out = pg_count(r) ? pg_int(r, 0, 0) : 0;
    return NULL;
}

/* ---- writing ---------------------------------------------------------- */

static void arg_word(struct pg_args *args, const struct vocabulary_word *word)
{
    pg_arg(args, str_of(word->wire));
}

static void queue_plan(struct pg *pg, struct arena *a, const struct plan *p)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, p->id);
    if (p->fresh)
        pg_arg(&args, p->intent_id);
    pg_arg_int(&args, p->version);
    arg_word(&args, vocabulary_plan_state(p->state));
    arg_word(&args, vocabulary_plan_failure(p->on_failure));
    arg_word(&args, vocabulary_plan_pause(p->paused));
    pg_arg(&args, p->tasks);
    pg_arg(&args, p->facts);
    if (p->fresh) {
        pg_arg(&args, p->created_by);
        pg_arg_time(&args, p->created_at);
    }
    pg_arg_time(&args, p->updated_at);
    pg_arg_time(&args, p->activated_at);
    pg_arg(&args, p->review_id);
    pg_arg(&args, p->review_reason);
    pg_arg_int(&args, p->told);
    if (p->fresh)
        pg_arg(&args, p->key_id);
    pg_queue(pg, p->fresh ? SQL_PLAN_INSERT : SQL_PLAN_UPDATE, &args);
}

static void queue_checkpoint(struct pg *pg, struct arena *a,
                             const struct checkpoint *c)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, c->plan_id);
    pg_arg(&args, c->id);
    if (c->fresh)
        pg_arg(&args, c->intent_id);
    pg_arg_int(&args, c->place);
    pg_arg(&args, c->name);
    pg_arg(&args, c->after_task);
    pg_arg_bool(&args, c->requires_approval);
    pg_arg(&args, c->approvers);
    pg_arg_bool(&args, c->of_group);
    pg_arg(&args, c->timeout_hours);
    arg_word(&args, vocabulary_checkpoint_timeout(c->on_timeout));
    pg_arg_bool(&args, c->silence_approves);
    arg_word(&args, vocabulary_checkpoint_reject(c->on_reject));
    arg_word(&args, vocabulary_severity(c->severity));
    arg_word(&args, vocabulary_checkpoint_status(c->status));
    pg_arg(&args, c->decided_by);
    pg_arg_time(&args, c->decided_at);
    pg_arg(&args, c->suspension_id);
    pg_queue(pg, c->fresh ? SQL_PLAN_CHECKPOINT_INSERT
                          : SQL_PLAN_CHECKPOINT_UPDATE,
             &args);
}

static void queue_drop(struct pg *pg, struct arena *a,
                       const struct checkpoint *c)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, c->plan_id);
    pg_arg(&args, c->id);
    pg_queue(pg, SQL_PLAN_CHECKPOINT_DELETE, &args);
}

void plans_queue_write(struct pg *pg, const struct board *b)
{
    for (size_t i = 0; i < b->plans_n; i++) {
        if (b->plans[i].fresh || b->plans[i].changed)
            queue_plan(pg, b->arena, &b->plans[i]);
    }
    for (size_t i = 0; i < b->checkpoints_n; i++) {
        const struct checkpoint *c = &b->checkpoints[i];
        if (c->dropped && !c->fresh)
            queue_drop(pg, b->arena, c);
        else if (!c->dropped && (c->fresh || c->changed))
            queue_checkpoint(pg, b->arena, c);
    }
}

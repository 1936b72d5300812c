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
    struct pg_list args = {0};
    pg_add(&args, pg_text(intent_id));
    pg_queue(pg, a, SQL_PLAN_BOARD, PG_ALL(&args));
    pg_queue(pg, a, SQL_PLAN_CHECKPOINTS, PG_ALL(&args));
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

static const struct err *one(struct pg *pg, struct arena *a, int statement,
                             const struct pg_args *args, struct str *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, args, &r));
    *out = pg_count(r) ? pg_str(r, 0, 0) : STR_NONE;
    return NULL;
}

const struct err *plans_intent(struct pg *pg, struct arena *a, struct str id,
                               struct str *intent_id)
{
    *intent_id = STR_NONE;
    if (id_uuid(id))
        TRY(one(pg, a, SQL_PLAN_GET, PG(pg_text(id)), intent_id));
    return intent_id->p ? NULL
                        : ERROR(ERR_NOT_FOUND, "plan.unknown",
                                "There is no plan with this id.");
}

const struct err *plans_question(struct pg *pg, struct arena *a,
                                 struct str plan_id, struct str checkpoint_id,
                                 struct str *suspension_id)
{
    *suspension_id = STR_NONE;
    if (id_uuid(plan_id) && id_token(checkpoint_id))
        TRY(one(pg, a, SQL_PLAN_QUESTION,
                PG(pg_text(plan_id), pg_text(checkpoint_id)), suspension_id));
    return suspension_id->p
               ? NULL
               : ERROR(ERR_NOT_FOUND, "checkpoint.unknown",
                       "The plan has no checkpoint with this id that asks for "
                       "an approval now.");
}

const struct err *plans_asked(struct pg *pg, struct arena *a,
                              struct str suspension_id, struct str *name)
{
    return one(pg, a, SQL_PLAN_ASKED, PG(pg_text(suspension_id)), name);
}

const struct err *plans_until(struct pg *pg, struct arena *a,
                              struct str intent_id, int64_t *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PLAN_UNTIL, PG(pg_text(intent_id)), &r));
    *out = pg_count(r) ? pg_int(r, 0, 0) : 0;
    return NULL;
}

/* ---- writing ---------------------------------------------------------- */

static struct pg_value word(const struct vocabulary_word *word)
{
    return pg_text(word->wire);
}

static void queue_plan(struct pg *pg, struct arena *a, const struct plan *p)
{
    struct pg_list args = {0};
    pg_add(&args, pg_text(p->id));
    if (p->fresh)
        pg_add(&args, pg_text(p->intent_id));
    pg_add(&args, pg_number(p->version));
    pg_add(&args, word(vocabulary_plan_state(p->state)));
    pg_add(&args, word(vocabulary_plan_failure(p->on_failure)));
    pg_add(&args, word(vocabulary_plan_pause(p->paused)));
    pg_add(&args, pg_text(p->tasks));
    pg_add(&args, pg_text(p->facts));
    if (p->fresh) {
        pg_add(&args, pg_text(p->created_by));
        pg_add(&args, pg_moment(p->created_at));
    }
    pg_add(&args, pg_moment(p->updated_at));
    pg_add(&args, pg_moment(p->activated_at));
    pg_add(&args, pg_text(p->review_id));
    pg_add(&args, pg_text(p->review_reason));
    pg_add(&args, pg_number(p->told));
    if (p->fresh)
        pg_add(&args, pg_text(p->key_id));
    pg_queue(pg, a, p->fresh ? SQL_PLAN_INSERT : SQL_PLAN_UPDATE,
             PG_ALL(&args));
}

static void queue_checkpoint(struct pg *pg, struct arena *a,
                             const struct checkpoint *c)
{
    struct pg_list args = {0};
    pg_add(&args, pg_text(c->plan_id));
    pg_add(&args, pg_text(c->id));
    if (c->fresh)
        pg_add(&args, pg_text(c->intent_id));
    pg_add(&args, pg_number(c->place));
    pg_add(&args, pg_text(c->name));
    pg_add(&args, pg_text(c->after_task));
    pg_add(&args, pg_flag(c->requires_approval));
    pg_add(&args, pg_text(c->approvers));
    pg_add(&args, pg_flag(c->of_group));
    pg_add(&args, pg_text(c->timeout_hours));
    pg_add(&args, word(vocabulary_checkpoint_timeout(c->on_timeout)));
    pg_add(&args, pg_flag(c->silence_approves));
    pg_add(&args, word(vocabulary_checkpoint_reject(c->on_reject)));
    pg_add(&args, word(vocabulary_severity(c->severity)));
    pg_add(&args, word(vocabulary_checkpoint_status(c->status)));
    pg_add(&args, pg_text(c->decided_by));
    pg_add(&args, pg_moment(c->decided_at));
    pg_add(&args, pg_text(c->suspension_id));
    pg_queue(pg, a,
             c->fresh ? SQL_PLAN_CHECKPOINT_INSERT
                      : SQL_PLAN_CHECKPOINT_UPDATE,
             PG_ALL(&args));
}

static void queue_drop(struct pg *pg, struct arena *a,
                       const struct checkpoint *c)
{
    pg_queue(pg, a, SQL_PLAN_CHECKPOINT_DELETE,
             PG(pg_text(c->plan_id), pg_text(c->id)));
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

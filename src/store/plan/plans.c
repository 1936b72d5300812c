/* Plans and their checkpoints in the database. Decides nothing. */
#include "store/plan/plans.h"

#include "base/id.h"
#include "store/rows.h"

/* ---- reading ---------------------------------------------------------- */

void plans_queue_read(struct pg *pg, struct arena *a, struct str intent_id)
{
    struct pg_list args = {0};
    pg_add(&args, pg_text(intent_id));
    pg_queue(pg, a, SQL_PLAN_OF_INTENT, PG_ALL(&args));
    pg_queue(pg, a, SQL_PLAN_CHECKPOINTS, PG_ALL(&args));
}

void plans_take(struct intent_plans *all, struct pg_rows *const rows[static 2])
{
    all->plans_n = pg_count(rows[0]);
    all->plans = rows_all(all->arena, &plan_record, rows[0]);
    all->checkpoints_n = pg_count(rows[1]);
    all->checkpoints =
        arena_many(all->arena, all->checkpoints_n + PLAN_CHECKPOINTS_MAX,
                   struct checkpoint);
    for (size_t i = 0; i < all->checkpoints_n; i++)
        rows_read(&checkpoint_record, rows[1], i, &all->checkpoints[i]);
}

static const struct err *plans_one(struct pg *pg, struct arena *a,
                                   int statement, const struct pg_args *args,
                                   struct str *out)
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
        TRY(plans_one(pg, a, SQL_PLAN_GET, PG(pg_text(id)), intent_id));
    return intent_id->p ? NULL : &plan_record.unknown;
}

const struct err *plans_question(struct pg *pg, struct arena *a,
                                 struct str plan_id, struct str checkpoint_id,
                                 struct str *suspension_id)
{
    *suspension_id = STR_NONE;
    if (id_uuid(plan_id) && id_token(checkpoint_id))
        TRY(plans_one(pg, a, SQL_PLAN_QUESTION,
                      PG(pg_text(plan_id), pg_text(checkpoint_id)),
                      suspension_id));
    return suspension_id->p
               ? NULL
               : ERROR(ERR_NOT_FOUND, "checkpoint.unknown",
                       "The plan has no checkpoint with this id that asks for "
                       "an approval now.");
}

const struct err *plans_asked(struct pg *pg, struct arena *a,
                              struct str suspension_id, struct str *name)
{
    return plans_one(pg, a, SQL_PLAN_ASKED, PG(pg_text(suspension_id)), name);
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

void plans_queue_write(struct pg *pg, const struct intent_plans *all)
{
    struct arena *a = all->arena;
    for (size_t i = 0; i < all->plans_n; i++) {
        const struct plan *p = &all->plans[i];
        if (p->fresh)
            rows_queue(pg, a, SQL_PLAN_INSERT, NULL, &plan_record, IN_INSERT,
                       p);
        else if (p->changed)
            rows_queue(pg, a, SQL_PLAN_UPDATE, PG(pg_text(p->id)),
                       &plan_record, IN_UPDATE, p);
    }
    for (size_t i = 0; i < all->checkpoints_n; i++) {
        const struct checkpoint *c = &all->checkpoints[i];
        const struct pg_args *id = PG(pg_text(c->plan_id), pg_text(c->id));
        if (c->dropped && !c->fresh)
            pg_queue(pg, a, SQL_PLAN_CHECKPOINT_DELETE, id);
        else if (!c->dropped && c->fresh)
            rows_queue(pg, a, SQL_PLAN_CHECKPOINT_INSERT, NULL,
                       &checkpoint_record, IN_INSERT, c);
        else if (!c->dropped && c->changed)
            rows_queue(pg, a, SQL_PLAN_CHECKPOINT_UPDATE, id,
                       &checkpoint_record, IN_UPDATE, c);
    }
}

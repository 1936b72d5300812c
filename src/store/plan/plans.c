/* Plans and their checkpoints in the database. Decides nothing. */
#include "store/plan/plans.h"

#include "base/id.h"
#include "store/rows.h"

/* ---- reading ---------------------------------------------------------- */

const struct err *plans_intent(struct pg *pg, struct arena *a, struct str id,
                               struct str *intent_id)
{
    *intent_id = STR_NONE;
    if (id_uuid(id))
        TRY(rows_text(pg, a, SQL_PLAN_GET, PG(pg_text(id)), intent_id));
    return intent_id->p ? NULL : &plan_record.unknown;
}

const struct err *plans_question(struct pg *pg, struct arena *a,
                                 struct str plan_id, struct str checkpoint_id,
                                 struct str *suspension_id)
{
    *suspension_id = STR_NONE;
    if (id_uuid(plan_id) && id_token(checkpoint_id))
        TRY(rows_text(pg, a, SQL_PLAN_QUESTION,
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
    return rows_text(pg, a, SQL_PLAN_ASKED, PG(pg_text(suspension_id)), name);
}

const struct err *plans_until(struct pg *pg, struct arena *a,
                              struct str intent_id, int64_t *out)
{
    return rows_number(pg, a, SQL_PLAN_UNTIL, PG(pg_text(intent_id)), out);
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

/* Coordinators in the database. */
#include "store/plan/coordinators.h"

#include "store/person/people.h"
#include "store/rows.h"

#define COORDINATORS_BELOW_MAX 10000 /* as in coordinator_below */

/* ---- reading --------------------------------------------------------- */

const struct err *coordinators_get(struct pg *pg, struct arena *a,
                                   struct str id, struct coordinator *out)
{
    return rows_by_id(pg, a, SQL_COORDINATOR_GET, id, &coordinator_record,
                      out);
}

const struct err *coordinators_active(struct pg *pg, struct arena *a,
                                      const struct coordinator *like,
                                      struct coordinator *out, bool *found)
{
    const bool of_portfolio = like->portfolio_id.p;
    return rows_find(
        pg, a,
        of_portfolio ? SQL_COORDINATOR_ACTIVE_OF_PORTFOLIO
                     : SQL_COORDINATOR_ACTIVE,
        PG(pg_text(of_portfolio ? like->portfolio_id : like->intent_id)),
        &coordinator_record, out, found);
}

const struct err *coordinators_list(struct pg *pg, struct arena *a,
                                    const struct coordinator *like,
                                    struct coordinator_rows *out)
{
    const bool of_portfolio = like->portfolio_id.p;
    return rows_list(
        pg, a,
        of_portfolio ? SQL_COORDINATOR_LIST_OF_PORTFOLIO
                     : SQL_COORDINATOR_LIST,
        PG(pg_text(of_portfolio ? like->portfolio_id : like->intent_id),
           pg_number(COORDINATORS_OF_INTENT_MAX)),
        &coordinator_record, &out->v, &out->n);
}

/* member: the intent whose portfolios count; p NULL: none do. */
const struct err *coordinators_over(struct pg *pg, struct arena *a,
                                    struct str intent_id, struct str member,
                                    struct coordinator_rows *out)
{
    return rows_list(pg, a, SQL_COORDINATOR_OVER,
                     PG(pg_text(intent_id), pg_number(COORDINATORS_OVER_MAX),
                        pg_text(member)),
                     &coordinator_record, &out->v, &out->n);
}

const struct err *coordinators_supervisor(struct pg *pg, struct arena *a,
                                          struct guardrails *g)
{
    const struct people_wanted group = {.group = g->supervisor},
                               person = {.name = g->supervisor};
    if (!g->supervisor.p || !(g->plan_review || g->replan_review))
        return NULL;
    if (person_group_name(g->supervisor))
        TRY(people_there(pg, a, &group, &g->of_group));
    g->known = g->of_group;
    return g->known ? NULL : people_there(pg, a, &person, &g->known);
}

const struct err *coordinators_guard(struct pg *pg, struct arena *a,
                                     const struct intent *i,
                                     struct guardrails *out)
{
    struct coordinator_rows over = {.n = 0};
    *out = (struct guardrails){.agents_n = 0};
    if (!(i->containers & (INTENT_COORDINATED | INTENT_IN_PORTFOLIO)))
        return NULL;
    TRY(coordinators_over(pg, a, i->id, i->id, &over));
    for (size_t k = 0; k < over.n; k++)
        guardrails_add(a, out,
                       &(struct guardrails_terms){
                           .agent = over.v[k].agent_id,
                           .supervisor = over.v[k].supervisor_id,
                           .of_person = over.v[k].granted_by.p,
                           .text = over.v[k].guardrails});
    return NULL;
}

/* ---- writing --------------------------------------------------------- */

/* An ended one does not lapse. */
static struct pg_value coordinators_lapse(const struct coordinator *c)
{
    return pg_moment(c->ended_at ? 0 : coordinator_lapses_at(c));
}

const struct err *coordinators_insert(struct pg *pg, struct arena *a,
                                      const struct coordinator *c)
{
    struct pg_list args = {0};
    struct pg_rows *r = NULL;
    struct coordinator_rows before;
    if (c->intent_id.p) {
        TRY(pg_query(pg, a, SQL_COORDINATOR_BELOW, PG(pg_text(c->intent_id)),
                     &r));
        if (pg_int(r, 0, 0) > COORDINATORS_BELOW_MAX)
            return ERROR(ERR_CONFLICT, "intent.graph_too_large",
                         "More than 10000 intents are below this one.");
    }
    TRY(coordinators_list(pg, a, c, &before));
    if (before.n >= COORDINATORS_OF_INTENT_MAX)
        return ERROR(ERR_CONFLICT, "coordinator.too_many",
                     "There have been 100 coordinators. Continue in a new "
                     "intent or portfolio.");
    /* A child that was being made while its parent's lock was awaited is found
     * by the next turn: the last one finds none. */
    for (bool more = c->intent_id.p; more; more = pg_affected(r) > 0)
        TRY(pg_query(pg, a, SQL_COORDINATOR_MARK, PG(pg_text(c->intent_id)),
                     &r));
    pg_add(&args, coordinators_lapse(c));
    rows_args(&args, a, &coordinator_record, IN_INSERT, c);
    return pg_query(pg, a, SQL_COORDINATOR_INSERT, PG_ALL(&args), NULL);
}

void coordinators_queue_update(struct pg *pg, struct arena *a,
                               const struct coordinator *c)
{
    rows_queue(pg, a, SQL_COORDINATOR_UPDATE,
               PG(pg_text(c->id), coordinators_lapse(c)), &coordinator_record,
               IN_UPDATE, c);
}

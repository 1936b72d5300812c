/* Coordinators in the database. */
#include "store/coordinators.h"

#include "base/id.h"
#include "store/principals.h"
#include "store/sql.gen.h"

#define BELOW_MAX 10000 /* as in coordinator_below */

enum {
    ID, INTENT_ID, AGENT, ROLE, SUPERVISOR, TYPE, POLICY, GUARDRAILS, METADATA,
    SECONDS, HEARTBEAT, GRANTED, ENDED, VERSION, PORTFOLIO, GRANTED_BY
};

static struct coordinator row(const struct pg_rows *r, size_t i)
{
    return (struct coordinator){
        .id = pg_str(r, i, ID),
        .intent_id = pg_str(r, i, INTENT_ID),
        .portfolio_id = pg_str(r, i, PORTFOLIO),
        .agent_id = pg_str(r, i, AGENT),
        .role = pg_str(r, i, ROLE),
        .supervisor_id = pg_str(r, i, SUPERVISOR),
        .granted_by = pg_str(r, i, GRANTED_BY),
        .type = vocabulary_coordinator_type_of(pg_str(r, i, TYPE)),
        .policy = vocabulary_coordinator_policy_of(pg_str(r, i, POLICY)),
        .guardrails = pg_str(r, i, GUARDRAILS),
        .metadata = pg_str(r, i, METADATA),
        .heartbeat_seconds = pg_int(r, i, SECONDS),
        .heartbeat_at = pg_int(r, i, HEARTBEAT),
        .granted_at = pg_int(r, i, GRANTED),
        .ended_at = pg_int(r, i, ENDED),
        .version = pg_int(r, i, VERSION)};
}

struct coordinator_rows coordinators_rows(struct arena *a,
                                          const struct pg_rows *r)
{
    struct coordinator_rows out = {.n = pg_count(r)};
    out.v = arena_many(a, out.n + 1, struct coordinator);
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = row(r, i);
    return out;
}

/* ---- reading --------------------------------------------------------- */

const struct err *coordinators_get(struct pg *pg, struct arena *a,
                                   struct str id, struct coordinator *out)
{
    const struct err *unknown =
        ERROR(ERR_NOT_FOUND, "coordinator.unknown",
              "There is no coordinator with this id.");
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return unknown;
    TRY(pg_query(pg, a, SQL_COORDINATOR_GET, PG(pg_text(id)), &r));
    if (pg_count(r) == 0)
        return unknown;
    *out = row(r, 0);
    return NULL;
}

const struct err *coordinators_active(struct pg *pg, struct arena *a,
                                      const struct coordinator *like,
                                      struct coordinator *out, bool *found)
{
    const bool of_portfolio = like->portfolio_id.p;
    struct pg_rows *r = NULL;
    TRY(pg_query(
        pg, a,
        of_portfolio ? SQL_COORDINATOR_ACTIVE_OF_PORTFOLIO
                     : SQL_COORDINATOR_ACTIVE,
        PG(pg_text(of_portfolio ? like->portfolio_id : like->intent_id)), &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = row(r, 0);
    return NULL;
}

const struct err *coordinators_list(struct pg *pg, struct arena *a,
                                    const struct coordinator *like,
                                    struct coordinator_rows *out)
{
    const bool of_portfolio = like->portfolio_id.p;
    struct pg_rows *r = NULL;
    TRY(pg_query(
        pg, a,
        of_portfolio ? SQL_COORDINATOR_LIST_OF_PORTFOLIO
                     : SQL_COORDINATOR_LIST,
        PG(pg_text(of_portfolio ? like->portfolio_id : like->intent_id),
           pg_number(COORDINATORS_OF_INTENT_MAX)),
        &r));
    *out = coordinators_rows(a, r);
    return NULL;
}

/* member: the intent whose portfolios count; p NULL: none do. */
const struct err *coordinators_over(struct pg *pg, struct arena *a,
                                    struct str intent_id, struct str member,
                                    struct coordinator_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_COORDINATOR_OVER,
                 PG(pg_text(intent_id), pg_number(COORDINATORS_OVER_MAX),
                    pg_text(member)),
                 &r));
    *out = coordinators_rows(a, r);
    return NULL;
}

const struct err *coordinators_supervisor(struct pg *pg, struct arena *a,
                                          struct guardrails *g)
{
    const struct principals_wanted group = {.group = g->supervisor},
                                   person = {.name = g->supervisor};
    if (!g->supervisor.p || !(g->plan_review || g->replan_review))
        return NULL;
    if (person_group_name(g->supervisor))
        TRY(principals_there(pg, a, &group, &g->of_group));
    g->known = g->of_group;
    return g->known ? NULL : principals_there(pg, a, &person, &g->known);
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

static const struct err *check_below(struct pg *pg, struct arena *a,
                                     struct str intent_id)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_COORDINATOR_BELOW, PG(pg_text(intent_id)), &r));
    if (pg_int(r, 0, 0) > BELOW_MAX)
        return ERROR(ERR_CONFLICT, "intent.graph_too_large",
                     "More than 10000 intents are below this one.");
    return NULL;
}

static const struct err *check_count(struct pg *pg, struct arena *a,
                                     const struct coordinator *c)
{
    struct coordinator_rows before;
    TRY(coordinators_list(pg, a, c, &before));
    if (before.n >= COORDINATORS_OF_INTENT_MAX)
        return ERROR(ERR_CONFLICT, "coordinator.too_many",
                     "There have been 100 coordinators. Continue in a new "
                     "intent or portfolio.");
    return NULL;
}

/* A child that was being made while its parent's lock was awaited is found by
 * the next turn: the last one finds none. */
static const struct err *mark(struct pg *pg, struct arena *a,
                              struct str intent_id)
{
    struct pg_rows *r = NULL;
    do
        TRY(pg_query(pg, a, SQL_COORDINATOR_MARK, PG(pg_text(intent_id)), &r));
    while (pg_affected(r) > 0);
    return NULL;
}

/* The columns that a new one and a changed one have in common. */
static void put(struct pg_list *args, const struct coordinator *c)
{
    pg_add(args, pg_text(c->id));
    pg_add(args, pg_text(c->role));
    pg_add(args, pg_text(c->supervisor_id));
    pg_add(args, pg_text(vocabulary_coordinator_type(c->type)->wire));
    pg_add(args, pg_text(vocabulary_coordinator_policy(c->policy)->wire));
    pg_add(args, pg_text(c->guardrails));
    pg_add(args, pg_text(c->metadata));
    pg_add(args, pg_number(c->heartbeat_seconds));
    pg_add(args, pg_moment(c->heartbeat_at));
    pg_add(args, pg_moment(c->ended_at ? 0 : coordinator_lapses_at(c)));
    pg_add(args, pg_number(c->version));
    pg_add(args, pg_text(c->granted_by));
}

const struct err *coordinators_insert(struct pg *pg, struct arena *a,
                                      const struct coordinator *c)
{
    struct pg_list args = {0};
    if (c->intent_id.p)
        TRY(check_below(pg, a, c->intent_id));
    TRY(check_count(pg, a, c));
    if (c->intent_id.p)
        TRY(mark(pg, a, c->intent_id));
    put(&args, c);
    pg_add(&args, pg_text(c->intent_id));
    pg_add(&args, pg_text(c->agent_id));
    pg_add(&args, pg_moment(c->granted_at));
    pg_add(&args, pg_text(c->portfolio_id));
    return pg_query(pg, a, SQL_COORDINATOR_INSERT, PG_ALL(&args), NULL);
}

void coordinators_queue_update(struct pg *pg, struct arena *a,
                               const struct coordinator *c)
{
    struct pg_list args = {0};
    put(&args, c);
    pg_add(&args, pg_moment(c->ended_at));
    pg_queue(pg, a, SQL_COORDINATOR_UPDATE, PG_ALL(&args));
}

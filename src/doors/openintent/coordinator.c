/* Coordinators of OpenIntent (RFC-0013): one agent that answers for an intent
 * and those below it, or for a portfolio, and the records of its decisions. */
#include "base/clock.h"
#include "base/id.h"
#include "doors/openintent/openintent.h"
#include "store/intent/events.h"
#include "store/person/keys.h"
#include "store/plan/coordinators.h"
#include "store/plan/portfolios.h"
#include "store/sql.gen.h"
#include "work/policy.h"

#define RECORDED "coordinator.decision"

static bool coordinator_mine(const struct call *c, const struct coordinator *k)
{
    return c->who.role == ROLE_AGENT && str_eq(c->who.agent, k->agent_id);
}

/* Guardrails that a person set are not the agent's to loosen. */
static const struct err *coordinator_check_terms(const struct call *c,
                                                 const struct coordinator *k)
{
    return c->who.role == ROLE_AGENT && k->granted_by.p
               ? ERROR(ERR_FORBIDDEN, "coordinator.not_yours",
                       "A person granted this coordinator lease. Only a "
                       "person may change or end it.")
               : NULL;
}

/* ---- reading --------------------------------------------------------- */

const struct err *openintent_coordinator_get(struct call *c)
{
    struct coordinator k;
    struct portfolio p;
    struct intent i;
    TRY(coordinators_get(c->pg, c->a, c->param[0], &k));
    /* An intent or a portfolio out of reach hides its coordinator. */
    TRY(err_not_found_as(
        k.portfolio_id.p
            ? portfolios_get(c->pg, c->a, k.portfolio_id, &c->who, &p)
            : call_intent(c, k.intent_id, REACH_USE, &i),
        &coordinator_record.unknown));
    response_json(c->rs, 200, coordinator_object(c->a, &k, clock_now()));
    return NULL;
}

static const struct err *
coordinator_answer_list(struct call *c, const struct coordinator *like)
{
    struct json *list = json_array(c->a);
    const int64_t now = clock_now();
    struct coordinator_rows rows;
    TRY(coordinators_list(c->pg, c->a, like, &rows));
    for (size_t n = 0; n < rows.n; n++)
        json_add_json(list, coordinator_object(c->a, &rows.v[n], now));
    response_json(c->rs, 200, list);
    return NULL;
}

const struct err *openintent_coordinator_list(struct call *c)
{
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    return coordinator_answer_list(c,
                                   &(struct coordinator){.intent_id = i.id});
}

const struct err *openintent_coordinator_list_of_portfolio(struct call *c)
{
    struct portfolio p;
    TRY(portfolios_get(c->pg, c->a, c->param[0], &c->who, &p));
    return coordinator_answer_list(
        c, &(struct coordinator){.portfolio_id = p.id});
}

/* ---- changing, under the lock of its intent or portfolio ---------------- */

static const struct err *coordinator_take(struct call *c, struct work *w,
                                          const struct coordinator *k,
                                          struct portfolio *p)
{
    const struct work_target target = {.intent_id = k->intent_id,
                                       .who = &c->who,
                                       .take = SQL_INTENT_TAKE_DESCENDANTS};
    *w = call_work(c);
    if (k->intent_id.p)
        return work_begin(w, &target, &c->once);
    TRY(work_begin_bare(w, &c->once));
    return w->answered ? NULL
                       : portfolios_take(c->pg, c->a, k->portfolio_id, &c->who,
                                         p);
}

static const struct err *coordinator_commit(struct call *c, struct work *w,
                                            int status,
                                            const struct coordinator *k,
                                            const struct json *answer)
{
    return k->intent_id.p ? call_commit(c, w, status, answer, false)
                          : call_commit_bare(c, w, status, answer);
}

/* ---- making ---------------------------------------------------------- */

/* The same agent's own takes the new terms. */
static const struct err *coordinator_grant(struct call *c, struct work *w,
                                           struct coordinator *k)
{
    struct json *more = json_object(c->a);
    struct coordinator old;
    bool found = false;
    k->heartbeat_at = w->now;
    TRY(coordinators_active(c->pg, c->a, k, &old, &found));
    if (found && !str_eq(old.agent_id, k->agent_id)) {
        json_set_json(more, "existing_lease",
                      coordinator_object(c->a, &old, clock_now()));
        return err_more(c->a,
                        ERROR(ERR_LEASE, "lease.coordinated",
                              "Another agent has this coordinator lease."),
                        more);
    }
    if (found)
        TRY(coordinator_check_terms(c, &old));
    k->id = found ? old.id : id_new(c->a);
    k->granted_at = found ? old.granted_at : w->now;
    k->version = found ? old.version + 1 : 1;
    if (found)
        coordinators_queue_update(c->pg, c->a, k);
    else
        TRY(coordinators_insert(c->pg, c->a, k));
    return coordinator_commit(c, w, found ? 200 : 201, k,
                              coordinator_object(c->a, k, w->now));
}

const struct err *openintent_coordinator_create(struct call *c)
{
    struct coordinator k = {.ended_at = 0};
    struct portfolio p;
    struct work w;
    TRY(call_body_once(c));
    TRY(coordinator_read(c->a, c->body, &k));
    if (c->who.role == ROLE_AGENT && !coordinator_mine(c, &k))
        return ERROR(ERR_FORBIDDEN, "coordinator.not_yours",
                     "An agent can make only itself the coordinator.");
    if (c->who.role != ROLE_AGENT)
        k.granted_by = principal_actor(&c->who);
    TRY(coordinator_take(c, &w, &k, &p));
    if (w.answered)
        return call_replay(c, &w);
    /* A coordinator may change the portfolio: so only the agent that may
     * already makes itself its coordinator. */
    TRY(k.intent_id.p ? intent_check_open(w.intent.status)
                      : portfolio_check_changer(&p, &c->who));
    if (k.portfolio_id.p)
        TRY(portfolio_check_active(&p));
    TRY(keys_joins(c->pg, c->a, k.agent_id,
                   k.intent_id.p ? w.intent.test : p.test, "agent_id"));
    struct policy_gift gift = {
        .agent = k.agent_id, .access = ACCESS_ADMIN, .lasts = true};
    if (k.intent_id.p && !w.intent.closed)
        TRY(policy_give(&w, &gift));
    else if (k.intent_id.p) /* it gives none, until the intent is opened */
        TRY(policy_tie(&w, k.intent_id));
    return coordinator_grant(c, &w, &k);
}

/* ---- its life -------------------------------------------------------- */

/* The coordinator, under its lock. */
static const struct err *coordinator_begin(struct call *c, struct work *w,
                                           struct coordinator *k)
{
    struct portfolio p;
    TRY(coordinators_get(c->pg, c->a, c->param[0], k));
    TRY(err_not_found_as(k->intent_id.p ? call_begin(c, w, k->intent_id)
                                        : coordinator_take(c, w, k, &p),
                         &coordinator_record.unknown));
    return coordinators_get(c->pg, c->a, k->id, k);
}

const struct err *openintent_coordinator_heartbeat(struct call *c)
{
    struct coordinator k;
    struct work w;
    TRY(call_body_if_any(c)); /* of any members */
    TRY(coordinator_begin(c, &w, &k));
    if (!coordinator_mine(c, &k))
        return ERROR(ERR_FORBIDDEN, "coordinator.not_yours",
                     "Only the coordinator's agent may send its heartbeat.");
    if (k.ended_at)
        return ERROR(ERR_LEASE, "lease.ended",
                     "The coordinator lease has ended. Create a new one.");
    k.heartbeat_at = w.now;
    coordinators_queue_update(c->pg, c->a, &k);
    return coordinator_commit(c, &w, 200, &k, coordinator_beat(c->a, &k));
}

const struct err *openintent_coordinator_end(struct call *c)
{
    struct coordinator k;
    struct work w;
    TRY(coordinator_begin(c, &w, &k));
    TRY(coordinator_check_terms(c, &k));
    if (c->who.role != ROLE_ADMIN && !coordinator_mine(c, &k) &&
        !k.granted_by.p)
        return ERROR(ERR_FORBIDDEN, "coordinator.not_yours",
                     "Only the coordinator's agent or an admin may end it.");
    if (!k.ended_at) {
        k.ended_at = w.now;
        k.version++;
        coordinators_queue_update(c->pg, c->a, &k);
    }
    return coordinator_commit(c, &w, 200, &k,
                              coordinator_object(c->a, &k, w.now));
}

/* ---- decision records ------------------------------------------------ */

const struct err *openintent_coordinator_decide(struct call *c)
{
    struct coordinator_decided r;
    struct coordinator_rows over;
    struct work w;
    size_t n = 0;
    TRY(call_body_once(c));
    TRY(coordinator_decided_read(c->a, c->body, &r));
    TRY(call_begin(c, &w, r.intent_id));
    if (w.answered)
        return call_replay(c, &w);
    TRY(coordinators_over(c->pg, c->a, r.intent_id, r.intent_id, &over));
    while (n < over.n && !str_eq(over.v[n].id, r.coordinator_id))
        n++;
    if (n == over.n)
        return err_at(c->a, ERR_INVALID, "coordinator.unknown",
                      STR("coordinator_id"),
                      "The intent has no active coordinator with this id.");
    if (c->who.role == ROLE_AGENT && !coordinator_mine(c, &over.v[n]))
        return ERROR(ERR_FORBIDDEN, "coordinator.not_yours",
                     "Only the coordinator's agent or a person may record its "
                     "decisions.");
    TRY(work_event(&w, RECORDED, event_by(&c->who),
                   coordinator_decided_payload(c->a, &r)));
    return call_commit(c, &w, 201,
                       coordinator_decided_object(
                           c->a, &w.events.v[w.events.n - 1]),
                       false);
}

const struct err *openintent_coordinator_decisions(struct call *c)
{
    struct json *list = json_array(c->a);
    struct event_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    const struct events_page page = {.intent_id = i.id,
                                     .type = STR(RECORDED),
                                     .limit = call_query_int(c, "limit", 50)};
    TRY(events_list(c->pg, c->a, &page, &rows));
    for (size_t n = 0; n < rows.n; n++)
        json_add_json(list, coordinator_decided_object(c->a, &rows.v[n]));
    response_json(c->rs, 200, list);
    return NULL;
}

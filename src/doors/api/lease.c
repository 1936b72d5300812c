/* Leases and the agents assigned to an intent. */
#include "base/id.h"
#include "base/json/fields.h"
#include "base/shared/clock_watch.h"
#include "doors/api/api.h"
#include "store/intent/leases.h"
#include "store/sql.gen.h"
#include "work/policy.h"
#include "work/workflow_io.h"

const struct err *api_lease_list(struct call *c)
{
    struct json *o = json_object(c->a);
    struct lease_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(leases_list(c->pg, c->a, i.id, &rows));
    for (size_t k = 0; k < rows.n; k++)
        rows.v[k].status = lease_status(
            &rows.v[k], i.status == INTENT_SUSPENDED, clock_now());
    json_set_json(o, "leases",
                  record_list(c->a, &lease_record, rows.v, rows.n));
    response_json(c->rs, 200, o);
    return NULL;
}

/* ---- acquiring ------------------------------------------------------ */

/* Closes an expired lease, so that another agent can get the scope. */
static const struct err *lease_free_scope(struct call *c, struct work *w,
                                          struct str scope)
{
    struct json *more = json_object(c->a);
    struct lease old;
    bool found = false;
    TRY(leases_holder(c->pg, c->a, w->intent.id, scope, &old, &found));
    if (!found)
        return NULL;
    if (lease_status(&old, w->intent.status == INTENT_SUSPENDED, w->now) ==
        LEASE_ACTIVE) {
        json_set_json(more, "existing_lease",
                      record_object(c->a, &lease_record, &old));
        return err_more(c->a,
                        ERROR(ERR_LEASE, "lease.held",
                              "Another lease on this scope is active."),
                        more);
    }
    if (clock_watch_held())
        return work_clock_differs();
    old.status = LEASE_EXPIRED;
    leases_queue_update(c->pg, c->a, &old);
    return work_event(w, "lease_released", event_by_clock(),
                      lease_payload(c->a, &old, "expired"));
}

const struct err *api_lease_acquire(struct call *c)
{
    struct lease l = {.id = id_new(c->a), .status = LEASE_ACTIVE};
    int64_t seconds = LEASE_SECONDS_DEFAULT;
    struct work w;
    TRY(call_body_once(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_need(&f, "scope");
    fields_text(&f, "scope", LEASE_SCOPE_MAX, &l.scope);
    fields_int(&f, "duration_seconds", 1, LEASE_SECONDS_MAX, &seconds);
    if (!f.e && l.scope.n == 0)
        fields_wrong(&f, "scope", "field.empty", "A scope is needed.");
    TRY(fields_error(&f));
    TRY(call_begin(c, &w, c->param[0]));
    if (w.answered)
        return call_replay(c, &w);
    TRY(intent_check_open(w.intent.status));
    TRY(policy_write(&w));
    TRY(workflow_io_claim_intent(&w));
    TRY(lease_free_scope(c, &w, l.scope));
    l.intent_id = w.intent.id;
    l.agent_id = principal_actor(&c->who);
    l.acquired_at = w.now;
    l.expires_at = w.now + seconds * CLOCK_SECOND;
    leases_queue_insert(c->pg, c->a, &l);
    TRY(work_event(&w, "lease_acquired", event_by(&c->who),
                   lease_payload(c->a, &l, NULL)));
    return call_commit(c, &w, 201, record_object(c->a, &lease_record, &l),
                       false);
}

/* ---- renewing and releasing ----------------------------------------- */

/* Renewing works while the intent is suspended (RFC-0025 2), and for an expired
 * lease as long as nobody else took the scope. OpenIntent has no event type for
 * it, so none is written; but after an event of the lease's end another event
 * says that it is active again. */
const struct err *api_lease_renew(struct call *c)
{
    int64_t seconds = LEASE_SECONDS_DEFAULT;
    struct lease l, newest = {.id = STR_NONE};
    bool found = false;
    struct work w;
    TRY(call_body(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_int(&f, "duration_seconds", 1, LEASE_SECONDS_MAX, &seconds);
    TRY(fields_error(&f));
    TRY(call_begin(c, &w, c->param[0]));
    TRY(leases_get(c->pg, c->a, c->param[1], w.intent.id, &l));
    TRY(intent_check_open(w.intent.status));
    TRY(leases_newest(c->pg, c->a, w.intent.id, l.scope, &newest, &found));
    TRY(lease_renew(&l, &newest, principal_actor(&c->who)));
    const bool ended = l.status == LEASE_EXPIRED;
    l.status = LEASE_ACTIVE;
    l.expires_at = w.now + seconds * CLOCK_SECOND;
    if (ended)
        TRY(work_event(&w, "lease_acquired", event_by(&c->who),
                       lease_payload(c->a, &l, NULL)));
    leases_queue_update(c->pg, c->a, &l);
    return call_commit(c, &w, 200, record_object(c->a, &lease_record, &l),
                       false);
}

const struct err *api_lease_release(struct call *c)
{
    const bool admin = c->who.role == ROLE_ADMIN;
    struct lease l;
    struct work w;
    TRY(call_begin(c, &w, c->param[0]));
    TRY(leases_get(c->pg, c->a, c->param[1], w.intent.id, &l));
    if (!admin && !str_eq(l.agent_id, principal_actor(&c->who)))
        return ERROR(ERR_FORBIDDEN, "lease.not_holder",
                     "Only the agent that holds the lease may release it.");
    if (l.status == LEASE_ACTIVE) { /* else it was released before */
        l.status = admin ? LEASE_REVOKED : LEASE_RELEASED;
        l.released_at = w.now;
        leases_queue_update(c->pg, c->a, &l);
        TRY(work_event(&w, "lease_released", event_by(&c->who),
                       lease_payload(c->a, &l, NULL)));
    }
    return call_commit(c, &w, 200, record_object(c->a, &lease_record, &l),
                       false);
}

/* ---- agents --------------------------------------------------------- */

const struct err *api_agent_list(struct call *c)
{
    struct json *o = json_object(c->a);
    struct assignment_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(leases_assignments(c->pg, c->a, i.id, &rows));
    json_set_json(o, "agents",
                  record_list(c->a, &assignment_record, rows.v, rows.n));
    response_json(c->rs, 200, o);
    return NULL;
}

static const struct err *lease_change_agent(struct call *c, struct work *w,
                                            struct str agent, bool assign)
{
    struct json *p = json_object(c->a), *o = json_object(c->a);
    const struct event_by by = event_by(&c->who);
    struct pg_rows *rows = NULL;
    if (assign)
        leases_queue_assign(c->pg, c->a,
                            &(struct assignment){.intent_id = w->intent.id,
                                                 .agent_id = agent,
                                                 .assigned_at = w->now,
                                                 .assigned_by = by.name});
    else
        pg_queue(c->pg, c->a, SQL_ASSIGNMENT_DELETE,
                 PG(pg_text(w->intent.id), pg_text(agent)));
    TRY(pg_run(c->pg, c->a, &rows));
    if (!assign && pg_affected(rows) == 0)
        return ERROR(ERR_NOT_FOUND, "agent.not_assigned",
                     "The agent is not assigned to the intent.");
    json_set_text(p, "agent_id", agent);
    if (pg_affected(rows) > 0)
        TRY(work_event(w, assign ? "agent_assigned" : "agent_unassigned", by,
                       p));
    json_set_text(o, "intent_id", w->intent.id);
    json_set_text(o, "agent_id", agent);
    json_set_bool(o, "assigned", assign);
    return call_commit(c, w, 200, o, false);
}

const struct err *api_agent_assign(struct call *c)
{
    struct str agent = STR_NONE;
    struct work w;
    TRY(call_body_once(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_need(&f, "agent_id");
    fields_text(&f, "agent_id", PRINCIPAL_AGENT_NAME_MAX, &agent);
    if (!f.e && !principal_agent_name_new(agent))
        fields_wrong(&f, "agent_id", "agent.name",
                     "This is not a valid agent name.");
    TRY(fields_error(&f));
    TRY(call_begin(c, &w, c->param[0]));
    if (w.answered)
        return call_replay(c, &w);
    TRY(intent_check_open(w.intent.status));
    TRY(policy_assign(&w, agent, "agent_id"));
    return lease_change_agent(c, &w, agent, true);
}

const struct err *api_agent_unassign(struct call *c)
{
    struct work w;
    TRY(call_begin(c, &w, c->param[0]));
    TRY(policy_assign(&w, c->param[1], NULL));
    return lease_change_agent(c, &w, c->param[1], false);
}

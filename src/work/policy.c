/* An intent's governance policy in the calls that write to it. */
#include "work/policy.h"

#include "base/clock_text.h"
#include "base/id.h"
#include "base/shared/clock_watch.h"
#include "domain/intent/governance.h"
#include "domain/intent/reach.h"
#include "store/intent/events.h"
#include "store/intent/leases.h"
#include "store/person/keys.h"
#include "store/question/approvals.h"
#include "store/rows.h"

#define VIOLATION "governance.violation"
#define TOLD_MAX 20 /* violations that are looked through for the same one */

/* ---- refusing -------------------------------------------------------- */

struct refusal {
    const char *rule;
    const char *mode; /* NULL: none */
    const char *say;
};

/* Did an event report it already? */
static const struct err *policy_find_logged(const struct work *w,
                                            const char *rule, bool *out)
{
    const struct events_page page = {.intent_id = w->intent.id,
                                     .type = STR(VIOLATION),
                                     .limit = TOLD_MAX};
    const struct str by = principal_actor(w->who);
    struct event_rows rows;
    TRY(events_list(w->pg, w->arena, &page, &rows));
    for (size_t i = 0; i < rows.n && !*out; i++) {
        const struct json *event = json_read(w->arena, rows.v[i].canonical);
        *out = str_eq(json_get_text(event, "actor"), by) &&
               governance_violation_told(json_get(event, "payload"), rule,
                                         w->intent.version);
    }
    return NULL;
}

/* Reported by an event in a transaction of its own. */
const struct err *policy_refuse(const struct work *w, const char *rule,
                                const struct err *why)
{
    struct work own = *w;
    bool told = false;
    pg_rollback(w->pg);
    TRY(work_begin_by_caller(&own, w->intent.id, NULL));
    TRY(policy_find_logged(&own, rule, &told));
    if (told) {
        pg_rollback(w->pg);
        return why;
    }
    const struct err *e =
        work_event(&own, VIOLATION, event_by(w->who),
                   governance_violation_payload(w->arena, rule,
                                                own.intent.version, why->say));
    if (!e)
        e = work_commit(&own, NULL);
    return e && !err_is(e, event_log_full) ? e : why;
}

static const struct err *policy_refuse_by(const struct work *w,
                                          const struct refusal *r)
{
    return policy_refuse(
        w, r->rule, governance_violation(w->arena, r->rule, r->mode, r->say));
}

/* ---- the rules ------------------------------------------------------- */

/* Is the caller bound by a policy? Then it is in *g. */
static bool policy_binds(const struct work *w, struct governance *g)
{
    if (w->who->role != ROLE_AGENT || !w->intent.governance_policy.p)
        return false;
    *g = governance_stored(w->arena, w->intent.governance_policy);
    return true;
}

const struct err *policy_write(const struct work *w)
{
    static const struct refusal agents = {
        .rule = "allowed_agents",
        .say = "The intent's policy does not name this agent."};
    static const struct refusal scope = {
        .rule = "write_scope",
        .say = "Only agents that are assigned to the intent may write to it."};
    struct governance g;
    bool assigned = true;
    if (!policy_binds(w, &g))
        return NULL;
    if (!governance_agent(&g, w->who->agent))
        return policy_refuse_by(w, &agents);
    if (g.scope != WRITE_ANY)
        TRY(leases_assigned(w->pg, w->arena, w->intent.id, w->who->agent,
                            &assigned));
    return assigned ? NULL : policy_refuse_by(w, &scope);
}

const struct err *policy_status(const struct work *w, enum intent_status to,
                                struct str reason)
{
    static const struct refusal silent = {
        .rule = "require_status_reason",
        .say = "The intent's policy asks for a reason with each change of the "
               "status."};
    struct governance g;
    TRY(policy_write(w));
    if (to == INTENT_SUSPENDED || str_trim(reason).n > 0 ||
        !policy_binds(w, &g))
        return NULL;
    return g.reason ? policy_refuse_by(w, &silent) : NULL;
}

const struct err *policy_cost(const struct work *w, struct decimal sum)
{
    static const struct refusal cost = {
        .rule = "max_cost",
        .say = "The recorded costs would exceed the limit of the intent's "
               "policy."};
    struct governance g;
    if (!policy_binds(w, &g) || !g.has_max_cost ||
        decimal_compare(sum, g.max_cost) <= 0)
        return NULL;
    return policy_refuse_by(w, &cost);
}

/* ---- giving access --------------------------------------------------- */

static const struct err *policy_own(void)
{
    return ERROR(ERR_FORBIDDEN, "acl.own",
                 "An agent cannot give access to itself or to another name of "
                 "its key. Ask for it: POST .../access-requests.");
}

static const struct err *policy_longer(const struct work *w, int64_t until)
{
    struct json *more = json_object(w->arena);
    json_set_text_or_null(more, "expires_at", clock_naive(w->arena, until));
    return err_more(
        w->arena,
        ERROR(ERR_FORBIDDEN, "acl.longer",
              "An agent cannot give more access than it has, or for longer."),
        more);
}

/* May it give all access, because its own is not lent: as a person, or as the
 * agent that made or owns the intent? */
static bool policy_may_all(const struct principal *p, const struct intent *i)
{
    return p->role != ROLE_AGENT || str_eq(p->agent, i->created_by) ||
           str_eq(p->agent, i->owner);
}

/* The access of an agent to an intent that it neither made nor owns. */
struct giver {
    bool assigned; /* to the intent, which is open */
    bool same;     /* the other agent is a name of one of its keys */
    bool reaches;  /* one of its keys reaches all that is open */
    bool has;      /* it has as much access as it gives, */
    int64_t until; /* up to then; 0: without end */
};

static const struct err *policy_giver(const struct work *w,
                                      const struct policy_gift *g,
                                      struct giver *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(w->pg, w->arena, SQL_ACL_GIVER,
                 PG(pg_text(w->intent.id), pg_text(w->who->agent),
                    pg_text(w->who->id), pg_text(g->agent),
                    pg_number(g->access), pg_moment(w->now)),
                 &r));
    *out = (struct giver){.assigned = pg_bool(r, 0, 0),
                          .same = pg_bool(r, 0, 1),
                          .reaches = pg_bool(r, 0, 2),
                          .has = pg_bool(r, 0, 3),
                          .until = pg_int(r, 0, 4)};
    return NULL;
}

const struct err *policy_give(const struct work *w, struct policy_gift *g)
{
    const struct principal *p = w->who;
    struct giver own;
    if (policy_may_all(p, &w->intent) || (!reach_own(p) && !w->intent.closed))
        return NULL;
    TRY(policy_giver(w, g, &own));
    if (own.assigned)
        return NULL;
    if (own.same)
        return policy_own();
    if (own.has && !g->until && !g->lasts)
        g->until = own.until;
    const bool fits = own.until == 0 || (g->until && g->until <= own.until);
    return own.has && fits ? NULL : policy_longer(w, own.has ? own.until : 0);
}

const struct err *policy_open(const struct work *w)
{
    const struct policy_gift all = {.agent = w->who->agent,
                                    .access = ACCESS_ADMIN};
    struct giver own;
    if (!w->intent.closed || policy_may_all(w->who, &w->intent))
        return NULL;
    TRY(policy_giver(w, &all, &own));
    if (own.reaches)
        return policy_own();
    return own.has && own.until == 0 ? NULL : policy_longer(w, own.until);
}

const struct err *policy_tie(const struct work *w, struct str intent_id)
{
    int64_t until = 0;
    if (!reach_own(w->who) || !id_uuid(intent_id))
        return NULL;
    TRY(rows_number(w->pg, w->arena, SQL_ACL_BORROWED,
                    PG(pg_text(id_lower(w->arena, intent_id)),
                       pg_text(w->who->agent),
                       pg_moment(clock_watch_latest(clock_now()))),
                    &until));
    return until == 0 ? NULL : policy_longer(w, until);
}

/* ---- assigning ------------------------------------------------------- */

/* Where only assigned agents write, assigning is for the creator and the
 * owner. A quorum is of those assigned, so no agent makes them fewer. */
const struct err *policy_assign(const struct work *w, struct str agent,
                                const char *at)
{
    const bool assign = at != NULL;
    static const struct refusal agents = {
        .rule = "allowed_agents",
        .say = "The intent's policy does not name the agent."};
    static const struct refusal scope = {
        .rule = "write_scope",
        .say = "Only the creator and the owner of the intent may assign its "
               "agents."};
    static const struct refusal fewer = {
        .rule = "completion_mode",
        .mode = "quorum",
        .say = "With a quorum, only people may end assignments."};
    const struct str by = w->who->agent;
    struct governance g;
    struct policy_gift gift = {.agent = agent,
                               .access = w->intent.closed ? ACCESS_WRITE
                                                          : ACCESS_ADMIN,
                               .lasts = true};
    if (assign) {
        TRY(keys_joins(w->pg, w->arena, agent, w->intent.test, at));
        TRY(policy_give(w, &gift));
    }
    if (!policy_binds(w, &g))
        return NULL;
    if (!assign && g.completion == COMPLETION_QUORUM)
        return policy_refuse_by(w, &fewer);
    if (assign && !governance_agent(&g, agent))
        return policy_refuse_by(w, &agents);
    if (g.scope == WRITE_ANY || str_eq(by, w->intent.created_by) ||
        str_eq(by, w->intent.owner))
        return NULL;
    return policy_refuse_by(w, &scope);
}

/* ---- completion ------------------------------------------------------ */

const struct err *policy_complete(struct work *w)
{
    struct governance_approvals approvals = {.ids = json_array(w->arena)};
    struct refusal gate = {.rule = "completion_mode"};
    struct json *p = json_object(w->arena);
    const struct governance g =
        governance_stored(w->arena, w->intent.governance_policy);
    if (g.completion == COMPLETION_AUTO)
        return NULL;
    const struct str mode = vocabulary_completion_mode(g.completion)->wire;
    if (w->who->role == ROLE_AGENT) {
        gate.mode = mode.p;
        TRY(approvals_of_completion(w->pg, w->arena, w->intent.id,
                                    w->intent.state, &approvals));
        if (!governance_completes(&g, &approvals, &gate.say))
            return policy_refuse_by(w, &gate);
    }
    json_set_text(p, "mode", mode);
    json_set_json(p, "approval_ids", approvals.ids);
    if (w->who->role != ROLE_AGENT)
        json_set_text(p, "by", principal_actor(w->who));
    return work_event(w, "governance.approval_enforced", event_by(w->who), p);
}

/* An intent's governance policy in the calls that write to it. */
#include "doors/asking/govern.h"

#include "domain/governance.h"
#include "domain/reach.h"
#include "store/approvals.h"
#include "store/events.h"
#include "store/leases.h"
#include "store/sql.gen.h"

#define VIOLATION "governance.violation"
#define TOLD_MAX 20 /* violations that are looked through for the same one */

/* ---- refusing -------------------------------------------------------- */

struct refusal {
    const char *rule;
    const char *mode; /* NULL: none */
    const char *say;
};

/* Did an event tell of it already? */
static const struct err *find_told(struct call *c, const struct work *w,
                                   const char *rule, bool *out)
{
    const struct events_page page = {.intent_id = w->intent.id,
                                     .type = STR(VIOLATION),
                                     .limit = TOLD_MAX};
    const struct str by = principal_actor(&c->who);
    struct event_rows rows;
    TRY(events_list(c->pg, c->a, &page, &rows));
    for (size_t i = 0; i < rows.n && !*out; i++) {
        const struct json *event = json_read(c->a, rows.v[i].canonical);
        *out = str_eq(json_get_text(event, "actor"), by) &&
               governance_violation_told(json_get(event, "payload"), rule,
                                         w->intent.version);
    }
    return NULL;
}

static const struct err *tell(struct call *c, struct str intent_id,
                              const char *rule, struct str say)
{
    const struct work_once once = {.key = STR_NONE};
    const struct work_answer none = {.body = STR("")};
    bool told = false;
    struct work w;
    TRY(call_begin(c, &w, intent_id, &once));
    TRY(find_told(c, &w, rule, &told));
    if (told) {
        pg_rollback(c->pg);
        return NULL;
    }
    TRY(work_event(&w, VIOLATION, event_by(&c->who),
                   governance_violation_payload(c->a, rule, w.intent.version,
                                                say)));
    return work_commit(&w, &none);
}

const struct err *govern_refuse(struct call *c, const struct work *w,
                                const char *rule, const struct err *why)
{
    pg_rollback(c->pg);
    const struct err *e = tell(c, w->intent.id, rule, why->say);
    return e && !err_is(e, event_log_full) ? e : why;
}

static const struct err *refuse(struct call *c, const struct work *w,
                                const struct refusal *r)
{
    return govern_refuse(
        c, w, r->rule,
        governance_violation(c->a, r->rule, r->mode, r->say));
}

/* ---- the rules ------------------------------------------------------- */

/* Is the caller bound by a policy? Then it is in *g. */
static bool bound(const struct call *c, const struct work *w,
                  struct governance *g)
{
    if (c->who.role != ROLE_AGENT || !w->intent.governance_policy.p)
        return false;
    *g = governance_stored(c->a, w->intent.governance_policy);
    return true;
}

/* Has the caller been assigned? Looked up only where the scope asks. */
static const struct err *in_scope(struct call *c, const struct work *w,
                                  const struct governance *g, bool *out)
{
    *out = true;
    if (g->scope == WRITE_ANY)
        return NULL;
    return leases_assigned(c->pg, c->a, w->intent.id, c->who.agent, out);
}

const struct err *govern_write(struct call *c, const struct work *w)
{
    static const struct refusal agents = {
        .rule = "allowed_agents",
        .say = "The intent's policy does not name this agent."};
    static const struct refusal scope = {
        .rule = "write_scope",
        .say = "Only agents that are assigned to the intent may write to it."};
    struct governance g;
    bool assigned = true;
    if (!bound(c, w, &g))
        return NULL;
    if (!governance_agent(&g, c->who.agent))
        return refuse(c, w, &agents);
    TRY(in_scope(c, w, &g, &assigned));
    return assigned ? NULL : refuse(c, w, &scope);
}

const struct err *govern_status(struct call *c, const struct work *w,
                                enum intent_status to, struct str reason)
{
    static const struct refusal silent = {
        .rule = "require_status_reason",
        .say = "The intent's policy asks for a reason with each change of the "
               "status."};
    struct governance g;
    TRY(govern_write(c, w));
    if (to == INTENT_SUSPENDED || str_trim(reason).n > 0 || !bound(c, w, &g))
        return NULL;
    return g.reason ? refuse(c, w, &silent) : NULL;
}

const struct err *govern_cost(struct call *c, const struct work *w,
                              struct decimal sum)
{
    static const struct refusal cost = {
        .rule = "max_cost",
        .say = "The recorded costs would exceed the limit of the intent's "
               "policy."};
    struct governance g;
    if (!bound(c, w, &g) || !g.has_max_cost ||
        decimal_compare(sum, g.max_cost) <= 0)
        return NULL;
    return refuse(c, w, &cost);
}

const struct err *govern_own(struct call *c, const struct work *w,
                             struct str agent)
{
    const struct principal *p = &c->who;
    const struct intent *i = &w->intent;
    struct pg_args args = pg_args(c->a);
    struct pg_rows *r = NULL;
    if (p->role != ROLE_AGENT || !str_eq(p->agent, agent) ||
        str_eq(agent, i->created_by) || str_eq(agent, i->owner) ||
        (!reach_own(p) && !i->closed))
        return NULL;
    pg_arg(&args, i->id);
    pg_arg(&args, agent);
    TRY(pg_query(c->pg, c->a, SQL_ASSIGNMENT_THERE, &args, &r));
    return pg_bool(r, 0, 0)
               ? NULL
               : ERROR(ERR_FORBIDDEN, "acl.own",
                       "An agent cannot give access to itself. Ask for it: "
                       "POST .../access-requests.");
}

/* Where only assigned agents write, assigning is for the creator and the
 * owner. */
const struct err *govern_assign(struct call *c, const struct work *w,
                                struct str agent, bool assign)
{
    static const struct refusal agents = {
        .rule = "allowed_agents",
        .say = "The intent's policy does not name the agent."};
    static const struct refusal scope = {
        .rule = "write_scope",
        .say = "Only the creator and the owner of the intent assign its "
               "agents."};
    const struct str by = c->who.agent;
    struct governance g;
    if (assign)
        TRY(govern_own(c, w, agent));
    if (!bound(c, w, &g))
        return NULL;
    if (assign && !governance_agent(&g, agent))
        return refuse(c, w, &agents);
    if (g.scope == WRITE_ANY || str_eq(by, w->intent.created_by) ||
        str_eq(by, w->intent.owner))
        return NULL;
    return refuse(c, w, &scope);
}

/* ---- completion ------------------------------------------------------ */

static const struct err *enforced(struct call *c, struct work *w,
                                  const struct governance *g,
                                  const struct json *ids)
{
    struct json *p = json_object(c->a);
    json_set_text(p, "mode",
                  str_of(vocabulary_completion_mode(g->completion)->wire));
    json_set_json(p, "approval_ids", ids);
    if (c->who.role != ROLE_AGENT)
        json_set_text(p, "by", principal_actor(&c->who));
    return work_event(w, "governance.approval_enforced", event_by(&c->who), p);
}

const struct err *govern_complete(struct call *c, struct work *w)
{
    struct governance_approvals approvals = {.ids = json_array(c->a)};
    struct refusal gate = {.rule = "completion_mode"};
    const struct governance g =
        governance_stored(c->a, w->intent.governance_policy);
    if (g.completion == COMPLETION_AUTO)
        return NULL;
    if (c->who.role == ROLE_AGENT) {
        gate.mode = vocabulary_completion_mode(g.completion)->wire;
        TRY(approvals_of_completion(c->pg, c->a, w->intent.id,
                                    w->intent.state, &approvals));
        if (!governance_completes(&g, &approvals, &gate.say))
            return refuse(c, w, &gate);
    }
    return enforced(c, w, &g, approvals.ids);
}

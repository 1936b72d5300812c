/* An intent's governance policy in the calls that write to it. */
#include "doors/asking/govern.h"

#include "base/clock_text.h"
#include "base/id.h"
#include "base/shared/clock_watch.h"
#include "domain/intent/governance.h"
#include "domain/intent/reach.h"
#include "store/approvals.h"
#include "store/events.h"
#include "store/leases.h"
#include "store/principals.h"
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

/* ---- giving access --------------------------------------------------- */

static const struct err *to_itself(void)
{
    return ERROR(ERR_FORBIDDEN, "acl.own",
                 "An agent cannot give access to itself, nor to another name "
                 "of its key. Ask for it: POST .../access-requests.");
}

static const struct err *longer(struct call *c, int64_t until)
{
    struct json *more = json_object(c->a);
    json_set_text_or_null(more, "expires_at", clock_naive(c->a, until));
    return err_more(c->a,
                    ERROR(ERR_FORBIDDEN, "acl.longer",
                          "An agent gives no more access than it has, and not "
                          "for longer."),
                    more);
}

/* May it give all access, because its own is not lent: as a person, or as the
 * agent that made or owns the intent? */
static bool may_all(const struct principal *p, const struct intent *i)
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

static const struct err *find_giver(struct call *c, const struct work *w,
                                    const struct govern_gift *g,
                                    struct giver *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(c->pg, c->a, SQL_ACL_GIVER,
                 PG(pg_text(w->intent.id), pg_text(c->who.agent),
                    pg_text(c->who.id), pg_text(g->agent),
                    pg_number(g->access), pg_moment(w->now)),
                 &r));
    *out = (struct giver){.assigned = pg_bool(r, 0, 0),
                          .same = pg_bool(r, 0, 1),
                          .reaches = pg_bool(r, 0, 2),
                          .has = pg_bool(r, 0, 3),
                          .until = pg_int(r, 0, 4)};
    return NULL;
}

const struct err *govern_give(struct call *c, const struct work *w,
                              struct govern_gift *g)
{
    const struct principal *p = &c->who;
    struct giver own;
    if (may_all(p, &w->intent) || (!reach_own(p) && !w->intent.closed))
        return NULL;
    TRY(find_giver(c, w, g, &own));
    if (own.assigned)
        return NULL;
    if (own.same)
        return to_itself();
    if (own.has && !g->until && !g->lasts)
        g->until = own.until;
    const bool fits = own.until == 0 || (g->until && g->until <= own.until);
    return own.has && fits ? NULL : longer(c, own.has ? own.until : 0);
}

const struct err *govern_open(struct call *c, const struct work *w)
{
    const struct govern_gift all = {.agent = c->who.agent,
                                    .access = ACCESS_ADMIN};
    struct giver own;
    if (!w->intent.closed || may_all(&c->who, &w->intent))
        return NULL;
    TRY(find_giver(c, w, &all, &own));
    if (own.reaches)
        return to_itself();
    return own.has && own.until == 0 ? NULL : longer(c, own.until);
}

const struct err *govern_tie(struct call *c, struct str intent_id)
{
    struct pg_rows *r = NULL;
    if (!reach_own(&c->who) || !id_uuid(intent_id))
        return NULL;
    TRY(pg_query(c->pg, c->a, SQL_ACL_BORROWED,
                 PG(pg_text(id_lower(c->a, intent_id)), pg_text(c->who.agent),
                    pg_moment(clock_watch_latest(clock_now()))),
                 &r));
    const int64_t until = pg_int(r, 0, 0);
    return until == 0 ? NULL : longer(c, until);
}

/* ---- assigning ------------------------------------------------------- */

/* Where only assigned agents write, assigning is for the creator and the
 * owner. A quorum is of those assigned, so no agent makes them fewer. */
const struct err *govern_assign(struct call *c, const struct work *w,
                                struct str agent, const char *at)
{
    const bool assign = at != NULL;
    static const struct refusal agents = {
        .rule = "allowed_agents",
        .say = "The intent's policy does not name the agent."};
    static const struct refusal scope = {
        .rule = "write_scope",
        .say = "Only the creator and the owner of the intent assign its "
               "agents."};
    static const struct refusal fewer = {
        .rule = "completion_mode",
        .mode = "quorum",
        .say = "Under a quorum, only people end assignments."};
    const struct str by = c->who.agent;
    struct governance g;
    struct govern_gift gift = {
        .agent = agent,
        .access = w->intent.closed ? ACCESS_WRITE : ACCESS_ADMIN,
        .lasts = true};
    if (assign) {
        TRY(principals_joins(c->pg, c->a, agent, w->intent.test, at));
        TRY(govern_give(c, w, &gift));
    }
    if (!bound(c, w, &g))
        return NULL;
    if (!assign && g.completion == COMPLETION_QUORUM)
        return refuse(c, w, &fewer);
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
    json_set_text(p, "mode", vocabulary_completion_mode(g->completion)->wire);
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
        gate.mode = vocabulary_completion_mode(g.completion)->wire.p;
        TRY(approvals_of_completion(c->pg, c->a, w->intent.id,
                                    w->intent.state, &approvals));
        if (!governance_completes(&g, &approvals, &gate.say))
            return refuse(c, w, &gate);
    }
    return enforced(c, w, &g, approvals.ids);
}

/* Portfolios: their fields, their policy, their aggregate, the object for
 * clients. Pure: the time is an argument. */
#include "domain/containers/portfolio.h"

#include "base/clock_text.h"

#define PORTFOLIO_TIME_MAX 64
#define PORTFOLIO_HOURS_MAX 87840 /* ten years */
#define PORTFOLIO_DESCRIPTION_MAX 4000
/* Of a JSON text as it is read, more than a body has: one that is too long is
 * ERR_TOO_LARGE. */
#define PORTFOLIO_SENT_MAX (8 << 20)
#define PORTFOLIO_PRIORITY_MAX 1000000

/* ---- fields ---------------------------------------------------------- */

static void portfolio_name(struct fields *f, const char *key,
                           const void *portfolio)
{
    const struct portfolio *p = portfolio;
    if (!f->e && str_trim(p->name).n == 0)
        fields_wrong(f, key, "field.empty", "A portfolio needs a name.");
}

static const struct json *portfolio_enforced(struct arena *a,
                                             const void *portfolio)
{
    return portfolio_policy_of(a, portfolio).enforced;
}

static const struct record_field portfolio_fields[] = {
    {RECORD_TEXT(portfolio, id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(portfolio, name, IN_TABLE | IN_UPDATE | IN_OBJECT | IN_NEED),
     .max = PORTFOLIO_NAME_MAX, .check = portfolio_name},
    {RECORD_TEXT(portfolio, description,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .max = PORTFOLIO_DESCRIPTION_MAX},
    {RECORD_TEXT(portfolio, created_by, IN_TABLE | IN_OBJECT)},
    {RECORD_WORD(portfolio, status, IN_TABLE | IN_UPDATE | IN_OBJECT,
                 vocabulary_portfolio_status_all)},
    {RECORD_TEXT(portfolio, status_by, IN_ROW | IN_UPDATE | IN_OBJECT)},
    {RECORD_NAIVE(portfolio, status_at, IN_ROW | IN_UPDATE | IN_OBJECT)},
    {RECORD_OBJECT(portfolio, governance_policy,
                   IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .other = "governance", .max = PORTFOLIO_SENT_MAX},
    {RECORD_SHOWN(portfolio, enforced_policy, IN_OBJECT, portfolio_enforced)},
    {RECORD_OBJECT(portfolio, metadata, IN_TABLE | IN_OBJECT | IN_BODY),
     .max = PORTFOLIO_SENT_MAX},
    {RECORD_NAIVE(portfolio, deadline, IN_TABLE | IN_UPDATE | IN_OBJECT),
     .none = "infinity"},
    {RECORD_COUNT(portfolio, threshold, IN_TABLE)},
    {RECORD_NUMBER(portfolio, version, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_NAIVE(portfolio, created_at, IN_TABLE | IN_OBJECT),
     .alias = "createdAt"},
    {RECORD_NAIVE(portfolio, updated_at, IN_TABLE | IN_UPDATE | IN_OBJECT),
     .alias = "updatedAt"},
    {RECORD_FLAG(portfolio, test, IN_TABLE | IN_OBJECT | IN_GIVEN)},
    {RECORD_TEXT(portfolio, coordinator, IN_JOIN)},
    {RECORD_TEXT(portfolio, granted_by, IN_JOIN)},
};
const struct record portfolio_record =
    RECORD(portfolio, "portfolio", "portfolio");

static const struct record_field portfolio_member_fields[] = {
    {RECORD_TEXT(portfolio_member, id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(portfolio_member, portfolio_id,
                 IN_TABLE | IN_OBJECT | IN_EVENT)},
    {RECORD_UUID(portfolio_member, intent_id,
                 IN_TABLE | IN_OBJECT | IN_PART | IN_NEED)},
    {RECORD_WORD(portfolio_member, role,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_PART | IN_EVENT |
                     IN_BODY,
                 vocabulary_member_role_all)},
    {RECORD_NUMBER(portfolio_member, priority,
                   IN_TABLE | IN_UPDATE | IN_OBJECT | IN_PART | IN_EVENT |
                       IN_BODY),
     .min = -PORTFOLIO_PRIORITY_MAX, .max = PORTFOLIO_PRIORITY_MAX},
    {RECORD_NAIVE(portfolio_member, added_at, IN_TABLE | IN_OBJECT | IN_PART),
     .alias = "addedAt"},
    {RECORD_NAIVE(portfolio_member, suspended_since, IN_JOIN)},
};
const struct record portfolio_member_record =
    RECORD(portfolio_member, "member", "portfolio_member");

/* ---- policy ---------------------------------------------------------- */

static void portfolio_time(struct fields *f, const char *key, int64_t *out)
{
    struct str text = STR_NONE;
    fields_text(f, key, PORTFOLIO_TIME_MAX, &text);
    if (!f->e && text.p && !clock_parse(text, out))
        fields_wrong(f, key, "field.time",
                     "This has to be a time like 2026-11-20T09:26:13.510233.");
}

static void portfolio_hours(struct fields *f, const char *key, int64_t *out)
{
    const struct json *v = json_get(f->obj, key);
    const double hours = json_double(v);
    if (f->e || !v)
        return;
    if (!json_is_number(v) || hours < 0.001 || hours > PORTFOLIO_HOURS_MAX)
        fields_wrong(f, key, "field.range",
                     "\"%s\" has to be a number from 0.001 to %d.", key,
                     PORTFOLIO_HOURS_MAX);
    else
        *out = (int64_t)(hours * 3600 * (double)CLOCK_SECOND);
}

/* Reads a policy. Members of other names are left alone. ERR_INVALID names the
 * member. */
static const struct err *portfolio_policy_read(struct arena *a,
                                               const struct json *policy,
                                               struct portfolio_policy *out)
{
    static const char *const names[] = {
        "deadline", "timeout_hours", "require_all_completed",
        "allow_partial_completion", "auto_complete_threshold"};
    *out = (struct portfolio_policy){.all = true, .enforced = json_array(a)};
    struct fields f = fields(a, policy, STR("governance_policy"));
    portfolio_time(&f, "deadline", &out->deadline);
    portfolio_hours(&f, "timeout_hours", &out->timeout);
    fields_bool(&f, "require_all_completed", &out->all);
    fields_bool(&f, "allow_partial_completion", &out->partial);
    fields_int(&f, "auto_complete_threshold", 1, 100, &out->threshold);
    TRY(fields_error(&f));
    for (size_t i = 0; i < countof(names); i++) {
        if (json_get(policy, names[i]))
            json_add_text(out->enforced, str_of(names[i]));
    }
    return NULL;
}

struct portfolio_policy portfolio_policy_of(struct arena *a,
                                            const struct portfolio *p)
{
    struct portfolio_policy policy;
    if (portfolio_policy_read(a, json_read(a, p->governance_policy), &policy))
        policy = (struct portfolio_policy){.all = true,
                                           .enforced = json_array(a)};
    return policy;
}

/* Takes from its policy the threshold, and the earlier one of its deadlines. */
static const struct err *portfolio_govern(struct arena *a,
                                          struct portfolio *p)
{
    struct portfolio_policy read;
    TRY(portfolio_policy_read(a, json_read(a, p->governance_policy), &read));
    p->threshold = read.threshold;
    p->deadline = read.deadline;
    const int64_t until = p->created_at + read.timeout;
    if (read.timeout && (!p->deadline || until < p->deadline))
        p->deadline = until;
    return p->governance_policy.n <= PORTFOLIO_TEXT_MAX
               ? NULL
               : err_at(a, ERR_TOO_LARGE, "field.too_long",
                        STR("governance_policy"),
                        "A policy may have at most 64 kB.");
}

/* ---- reading --------------------------------------------------------- */

const struct err *portfolio_read(struct arena *a, const struct json *body,
                                 int64_t now, struct portfolio *out)
{
    TRY(record_body(a, body, &portfolio_record, out));
    out->status = PORTFOLIO_ACTIVE;
    out->version = 1;
    out->created_at = out->updated_at = now;
    if (out->metadata.n > PORTFOLIO_TEXT_MAX)
        return err_at(a, ERR_TOO_LARGE, "field.too_long", STR("metadata"),
                      "The metadata may have at most 64 kB.");
    return portfolio_govern(a, out);
}

const struct err *portfolio_read_changes(struct arena *a,
                                         const struct json *body,
                                         struct portfolio *p)
{
    struct json *policy = json_read(a, p->governance_policy);
    struct fields f = fields(a, body, STR(""));
    int64_t unused = 0;
    if (json_has(body, "name")) {
        fields_text(&f, "name", PORTFOLIO_NAME_MAX, &p->name);
        portfolio_name(&f, "name", p);
    }
    if (json_has(body, "description"))
        fields_text(&f, "description", PORTFOLIO_DESCRIPTION_MAX,
                    &p->description);
    portfolio_time(&f, "deadline", &unused);
    TRY(fields_error(&f));
    if (!json_has(body, "deadline"))
        return NULL;
    json_unset(policy, STR("deadline"));
    if (json_get(body, "deadline"))
        json_set_json(policy, "deadline", json_get(body, "deadline"));
    p->governance_policy = json_dump(a, policy, PORTFOLIO_SENT_MAX);
    return portfolio_govern(a, p);
}

/* ---- rights ---------------------------------------------------------- */

const struct err *portfolio_check_changer(const struct portfolio *p,
                                          const struct principal *who)
{
    if (who->role == ROLE_OPERATOR || who->role == ROLE_ADMIN ||
        str_eq(principal_actor(who), p->created_by) ||
        (p->coordinator.p && str_eq(who->agent, p->coordinator)))
        return NULL;
    return ERROR(ERR_FORBIDDEN, "portfolio.not_yours",
                 "Only the agent that made the portfolio, its coordinator, an "
                 "operator or an admin may change it.");
}

const struct err *portfolio_check_keeper(const struct portfolio *p,
                                         const struct principal *who)
{
    return p->granted_by.p && who->role == ROLE_AGENT
               ? ERROR(ERR_FORBIDDEN, "coordinator.not_yours",
                       "A person coordinates this portfolio. Only a person "
                       "may remove intents from it, or end it.")
               : NULL;
}

const struct err *portfolio_check_active(const struct portfolio *p)
{
    if (p->status == PORTFOLIO_ACTIVE)
        return NULL;
    return ERROR(ERR_CONFLICT, "portfolio.ended",
                 "The portfolio has ended. It can no longer be changed.");
}

const struct err *portfolio_check_adder(const struct principal *who,
                                        const struct intent *i)
{
    if (who->role != ROLE_AGENT || str_eq(who->agent, i->created_by) ||
        str_eq(who->agent, i->owner))
        return NULL;
    return ERROR(ERR_FORBIDDEN, "portfolio.not_yours",
                 "An agent may add only intents that it created or owns.");
}

const struct err *portfolio_check_room(const struct portfolio_place *at,
                                       enum member_role role)
{
    if (role == MEMBER_PRIMARY && at->primary)
        return ERROR(ERR_CONFLICT, "portfolio.second_primary",
                     "The portfolio already has another primary intent.");
    if (at->member.id.p)
        return NULL;
    if (at->members >= PORTFOLIO_MEMBERS_MAX)
        return ERROR(ERR_CONFLICT, "portfolio.full",
                     "A portfolio may have at most 1000 members.");
    if (at->portfolios >= PORTFOLIOS_OF_INTENT_MAX)
        return ERROR(ERR_CONFLICT, "portfolio.too_many",
                     "An intent may be in at most 5 portfolios.");
    return NULL;
}

/* ---- aggregate ------------------------------------------------------- */

struct json *portfolio_aggregate(struct arena *a,
                                 const struct portfolio_members *members)
{
    struct json *o = graph_aggregate(a, &members->graph, 0);
    bool completed = members->n > 0, failed = false;
    for (size_t i = 0; i < members->n; i++) {
        const enum intent_status s = members->graph.v[i].status;
        completed = completed && s == INTENT_COMPLETED;
        failed = failed || s == INTENT_ABANDONED;
    }
    json_set_text(o, "status",
                  completed ? STR("completed")
                  : failed  ? STR("failed")
                            : STR("in_progress"));
    return o;
}

struct json *portfolio_object(struct arena *a, const struct portfolio *p,
                              const struct portfolio_members *members)
{
    struct json *o = record_object(a, &portfolio_record, p),
                *list = json_array(a), *progress = json_object(a),
                *phases = json_array(a);
    for (size_t i = 0; i < members->n; i++) {
        const struct portfolio_member *m = &members->v[i];
        const struct graph_node *n = &members->graph.v[i];
        struct json *one = json_object(a), *phase = json_object(a);
        record_show(a, one, &portfolio_member_record, IN_PART, m);
        json_set_text(one, "status",
                      vocabulary_intent_status(n->status)->wire);
        json_add_json(list, one);
        if (!m->suspended_since)
            continue;
        json_set_text(phase, "phase_name", n->title);
        json_set_text(phase, "intent_id", m->intent_id);
        json_set_text(phase, "suspended_since",
                      clock_naive(a, m->suspended_since));
        json_set_text_or_null(phase, "expires_at",
                              clock_naive(a, n->expires_at));
        json_add_json(phases, phase);
    }
    json_set_json(o, "aggregate_status", portfolio_aggregate(a, members));
    json_set_bool(o, "has_suspended_members", json_count(phases) > 0);
    json_set_int(o, "suspended_member_count", (int64_t)json_count(phases));
    json_set_json(o, "members", list);
    json_set_json(progress, "suspended_phases", phases);
    json_set_json(o, "progress", progress);
    return o;
}

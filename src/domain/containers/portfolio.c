/* Portfolios: reading them, their policy, their aggregate, the object for
 * clients. Pure: the time is an argument. */
#include "domain/containers/portfolio.h"

#include "base/clock_text.h"
#include "base/json/fields.h"

#define TIME_MAX 64
#define TIMEOUT_HOURS_MAX 87840 /* ten years */

/* ---- policy ---------------------------------------------------------- */

static void portfolio_time(struct fields *f, const char *key, int64_t *out)
{
    struct str text = STR_NONE;
    fields_text(f, key, TIME_MAX, &text);
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
    if (!json_is_number(v) || hours < 0.001 || hours > TIMEOUT_HOURS_MAX)
        fields_wrong(f, key, "field.range",
                     "\"%s\" has to be a number from 0.001 to %d.", key,
                     TIMEOUT_HOURS_MAX);
    else
        *out = (int64_t)(hours * 3600 * (double)CLOCK_SECOND);
}

static struct json *enforced(struct arena *a, const struct json *policy)
{
    static const char *const names[] = {
        "deadline", "timeout_hours", "require_all_completed",
        "allow_partial_completion", "auto_complete_threshold"};
    struct json *list = json_array(a);
    for (size_t i = 0; i < countof(names); i++) {
        if (json_get(policy, names[i]))
            json_add_text(list, str_of(names[i]));
    }
    return list;
}

const struct err *portfolio_policy_read(struct arena *a,
                                        const struct json *policy,
                                        struct portfolio_policy *out)
{
    *out = (struct portfolio_policy){.all = true};
    struct fields f = fields(a, policy, STR("governance_policy"));
    portfolio_time(&f, "deadline", &out->deadline);
    portfolio_hours(&f, "timeout_hours", &out->timeout);
    fields_bool(&f, "require_all_completed", &out->all);
    fields_bool(&f, "allow_partial_completion", &out->partial);
    fields_int(&f, "auto_complete_threshold", 1, 100, &out->threshold);
    TRY(fields_error(&f));
    out->enforced = enforced(a, policy);
    return NULL;
}

struct portfolio_policy portfolio_policy_of(struct arena *a,
                                            const struct portfolio *p)
{
    struct portfolio_policy policy;
    if (portfolio_policy_read(a, json_read(a, p->policy), &policy))
        policy = (struct portfolio_policy){.all = true,
                                           .enforced = json_array(a)};
    return policy;
}

/* Stores the policy, and the earlier one of its deadlines. */
static const struct err *portfolio_govern(struct arena *a,
                                          const struct json *policy,
                                          struct portfolio *p)
{
    struct portfolio_policy read;
    TRY(portfolio_policy_read(a, policy, &read));
    p->policy = json_dump(a, policy, PORTFOLIO_TEXT_MAX);
    p->threshold = read.threshold;
    p->deadline = read.deadline;
    const int64_t until = p->created_at + read.timeout;
    if (read.timeout && (!p->deadline || until < p->deadline))
        p->deadline = until;
    return p->policy.p ? NULL
                       : err_at(a, ERR_TOO_LARGE, "field.too_long",
                                STR("governance_policy"),
                                "A policy may have at most 64 kB.");
}

/* ---- reading --------------------------------------------------------- */

static void portfolio_name(struct fields *f, struct portfolio *p)
{
    fields_text(f, "name", PORTFOLIO_NAME_MAX, &p->name);
    if (!f->e && str_trim(p->name).n == 0)
        fields_wrong(f, "name", "field.empty", "A portfolio needs a name.");
}

const struct err *portfolio_read(struct arena *a, const struct json *body,
                                 int64_t now, struct portfolio *out)
{
    const struct json *policy = NULL, *other = NULL, *metadata = NULL;
    struct fields f = fields(a, body, STR(""));
    fields_need(&f, "name");
    portfolio_name(&f, out);
    fields_text(&f, "description", PORTFOLIO_DESCRIPTION_MAX,
                &out->description);
    fields_json(&f, "governance_policy", JSON_OBJECT, &policy);
    fields_json(&f, "governance", JSON_OBJECT, &other);
    fields_json(&f, "metadata", JSON_OBJECT, &metadata);
    TRY(fields_error(&f));
    out->status = PORTFOLIO_ACTIVE;
    out->version = 1;
    out->created_at = out->updated_at = now;
    out->metadata = metadata ? json_dump(a, metadata, PORTFOLIO_TEXT_MAX)
                             : STR("{}");
    if (!out->metadata.p)
        return err_at(a, ERR_TOO_LARGE, "field.too_long", STR("metadata"),
                      "The metadata may have at most 64 kB.");
    return portfolio_govern(a,
                            policy  ? policy
                            : other ? other
                                    : json_object(a),
                            out);
}

const struct err *portfolio_read_changes(struct arena *a,
                                         const struct json *body,
                                         struct portfolio *p)
{
    struct json *policy = json_read(a, p->policy);
    struct fields f = fields(a, body, STR(""));
    int64_t unused = 0;
    if (json_has(body, "name"))
        portfolio_name(&f, p);
    if (json_has(body, "description")) {
        p->description = STR_NONE;
        fields_text(&f, "description", PORTFOLIO_DESCRIPTION_MAX,
                    &p->description);
    }
    portfolio_time(&f, "deadline", &unused);
    TRY(fields_error(&f));
    if (!json_has(body, "deadline"))
        return NULL;
    json_unset(policy, STR("deadline"));
    if (json_get(body, "deadline"))
        json_set_json(policy, "deadline", json_get(body, "deadline"));
    return portfolio_govern(a, policy, p);
}

const struct err *portfolio_member_read(struct arena *a,
                                        const struct json *body,
                                        struct portfolio_member *out)
{
    struct fields f = fields(a, body, STR(""));
    fields_need(&f, "intent_id");
    fields_uuid(&f, "intent_id", &out->intent_id);
    out->role = vocabulary_member_role_read(&f, "role");
    fields_int(&f, "priority", -PORTFOLIO_PRIORITY_MAX, PORTFOLIO_PRIORITY_MAX,
               &out->priority);
    if (out->role == MEMBER_ROLE__MAX)
        out->role = MEMBER_PLAIN;
    return fields_error(&f);
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
                       "takes intents out of it, or ends it.")
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
                     "Another intent is the portfolio's primary one.");
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

static void portfolio_set_members(struct arena *a, struct json *o,
                                  const struct portfolio_members *members)
{
    struct json *list = json_array(a), *progress = json_object(a),
                *phases = json_array(a);
    for (size_t i = 0; i < members->n; i++) {
        const struct portfolio_member *m = &members->v[i];
        const struct graph_node *n = &members->graph.v[i];
        struct json *one = json_object(a), *phase = json_object(a);
        json_set_text(one, "intent_id", m->intent_id);
        json_set_text(one, "role", vocabulary_member_role(m->role)->wire);
        json_set_int(one, "priority", m->priority);
        json_set_text(one, "status",
                      vocabulary_intent_status(n->status)->wire);
        json_set_text(one, "added_at", clock_naive(a, m->added_at));
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
}

/* ---- objects --------------------------------------------------------- */

struct json *portfolio_json(struct arena *a, const struct portfolio *p,
                            const struct portfolio_members *members)
{
    const struct portfolio_policy policy = portfolio_policy_of(a, p);
    struct json *o = json_object(a);
    json_set_text(o, "id", p->id);
    json_set_text(o, "name", p->name);
    json_set_text_or_null(o, "description", p->description);
    json_set_text(o, "created_by", p->created_by);
    if (p->test)
        json_set_bool(o, "test", true);
    json_set_text(o, "status", vocabulary_portfolio_status(p->status)->wire);
    json_set_text_or_null(o, "status_by", p->status_by);
    json_set_text_or_null(o, "status_at", clock_naive(a, p->status_at));
    json_set_read(a, o, "governance_policy", p->policy);
    json_set_json(o, "enforced_policy", policy.enforced);
    json_set_read(a, o, "metadata", p->metadata);
    json_set_text_or_null(o, "deadline", clock_naive(a, p->deadline));
    if (members)
        portfolio_set_members(a, o, members);
    json_set_int(o, "version", p->version);
    json_set_text_or_null(o, "created_at", clock_naive(a, p->created_at));
    json_set_text_or_null(o, "updated_at", clock_naive(a, p->updated_at));
    json_set_text_or_null(o, "createdAt", clock_naive(a, p->created_at));
    json_set_text_or_null(o, "updatedAt", clock_naive(a, p->updated_at));
    return o;
}

struct json *portfolio_member_json(struct arena *a,
                                   const struct portfolio_member *m)
{
    struct json *o = json_object(a);
    json_set_text(o, "id", m->id);
    json_set_text(o, "portfolio_id", m->portfolio_id);
    json_set_text(o, "intent_id", m->intent_id);
    json_set_text(o, "role", vocabulary_member_role(m->role)->wire);
    json_set_int(o, "priority", m->priority);
    json_set_text_or_null(o, "added_at", clock_naive(a, m->added_at));
    json_set_text_or_null(o, "addedAt", clock_naive(a, m->added_at));
    return o;
}

struct json *portfolio_member_payload(struct arena *a,
                                      const struct portfolio_member *m)
{
    struct json *o = json_object(a);
    json_set_text(o, "portfolio_id", m->portfolio_id);
    json_set_text(o, "role", vocabulary_member_role(m->role)->wire);
    json_set_int(o, "priority", m->priority);
    return o;
}

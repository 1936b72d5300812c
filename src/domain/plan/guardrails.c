/* Guardrails: adding up those of several coordinators. Pure. */
#include "domain/plan/guardrails.h"

#define HOUR INT64_C(3600)
#define HOURS_MAX INT64_C(8784) /* 366 days, as of a checkpoint */

static void guardrails_limit(struct guardrails_limit *limit,
                             const struct json *v)
{
    if (!v || (limit->set && limit->most <= json_int(v)))
        return;
    limit->set = true;
    limit->most = json_int(v);
}

/* The lower one of two numbers, of which 0 says nothing. */
static int64_t guardrails_lower(int64_t old, int64_t now)
{
    return now > 0 && (old == 0 || now < old) ? now : old;
}

void guardrails_add(struct arena *a, struct guardrails *g,
                    const struct guardrails_terms *t)
{
    const struct json *v = json_read(a, t->text);
    int64_t hours = json_int(json_get(v, "checkpoint_timeout_hours"));
    if (hours > HOURS_MAX)
        hours = HOURS_MAX;
    guardrails_limit(&g->plan_tasks, json_get(v, "max_tasks_per_plan"));
    guardrails_limit(&g->concurrent_tasks,
                     json_get(v, "max_concurrent_tasks"));
    g->plan_review |= json_bool(json_get(v, "requires_plan_review"));
    g->replan_review |= json_bool(json_get(v, "requires_replan_review"));
    g->failures = guardrails_lower(
        g->failures, json_int(json_get(v, "auto_escalate_after_failures")));
    g->checkpoint_seconds =
        guardrails_lower(g->checkpoint_seconds, hours * HOUR);
    /* An agent neither replaces nor narrows what people chose. */
    if (t->of_person && !g->of_person)
        g->supervisor = STR_NONE;
    g->of_person |= t->of_person;
    if (!g->supervisor.p && t->of_person == g->of_person)
        g->supervisor = t->supervisor;
    if (g->agents_n < countof(g->agents))
        g->agents[g->agents_n++] = t->agent;
}

struct json *guardrails_enforced(struct arena *a, struct str text)
{
    static const char *const names[] = {
        "max_tasks_per_plan",     "max_concurrent_tasks",
        "requires_plan_review",   "requires_replan_review",
        "checkpoint_timeout_hours", "auto_escalate_after_failures"};
    const struct json *v = json_read(a, text);
    struct json *list = json_array(a);
    for (size_t i = 0; i < countof(names); i++) {
        if (json_get(v, names[i]))
            json_add_text(list, str_of(names[i]));
    }
    return list;
}

bool guardrails_coordinates(const struct guardrails *g,
                            const struct principal *who)
{
    for (size_t i = 0; i < g->agents_n; i++) {
        if (who->role == ROLE_AGENT && str_eq(g->agents[i], who->agent))
            return true;
    }
    return false;
}

const struct err *guardrails_check(struct arena *a,
                                   const struct guardrails_limit *limit,
                                   const char *name, int64_t wanted,
                                   const struct principal *who)
{
    struct json *more = json_object(a);
    if (!limit->set || wanted <= limit->most || who->role != ROLE_AGENT)
        return NULL;
    json_set_text(more, "error", STR("guardrail_violation"));
    json_set_text(more, "guardrail", str_of(name));
    json_set_int(more, "limit", limit->most);
    return err_more(a,
                    ERROR(ERR_FORBIDDEN, "guardrail.violation",
                          "A guardrail of the coordinator does not allow it."),
                    more);
}

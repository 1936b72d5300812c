/* The governance policy of an intent: setting, reading and removing it. */
#include "domain/intent/governance.h"

#include "doors/asking/view.h"
#include "doors/openintent/openintent.h"
#include "store/intent/intents.h"
#include "work/policy.h"

const struct err *openintent_governance_read(struct call *c)
{
    struct json *o = json_object(c->a);
    struct governance g;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    g = governance_stored(c->a, i.governance_policy);
    json_set_text(o, "intent_id", i.id);
    json_set_read(c->a, o, "governance_policy", i.governance_policy);
    json_set_json(o, "effective_policy", governance_effective(c->a, &g));
    response_json(c->rs, 200, o);
    return NULL;
}

/* policy: p NULL removes it. */
static const struct err *governance_change(struct call *c, struct str policy,
                                           const struct governance *now)
{
    struct json *p = json_object(c->a);
    const char *type = policy.p ? "governance.policy_set"
                                : "governance.policy_removed";
    int64_t version = 0;
    struct work w;
    TRY(call_if_match(c, &version));
    TRY(call_begin(c, &w, c->param[0]));
    TRY(call_same_version(c, &w, version));
    TRY(intent_check_open(w.intent.status));
    TRY(policy_write(&w));
    const struct governance old =
        governance_stored(c->a, w.intent.governance_policy);
    if (c->who.role == ROLE_AGENT && !governance_tightens(&old, now))
        return ERROR(ERR_FORBIDDEN, "governance.tighten_only",
                     "An agent may make the policy stricter. Only a person "
                     "may loosen or remove it.");
    w.intent.governance_policy = policy;
    work_touch(&w);
    if (policy.p)
        json_set_read(c->a, p, "governance_policy", policy);
    json_set_int(p, "version", w.intent.version);
    TRY(work_event(&w, type, event_by(&c->who), p));
    intents_queue_govern(c->pg, c->a, &w.intent);
    return call_commit_text(c, &w, 200, view_intent_text(c->a, &w.intent),
                            true);
}

const struct err *openintent_governance_set(struct call *c)
{
    struct governance now;
    TRY(call_body(c));
    TRY(governance_read(c->a, c->body, STR(""), &now));
    return governance_change(c, json_dump(c->a, c->body, INTENT_STATE_MAX),
                             &now);
}

const struct err *openintent_governance_remove(struct call *c)
{
    struct governance none;
    TRY(governance_read(c->a, NULL, STR(""), &none));
    return governance_change(c, STR_NONE, &none);
}

/* Governance policies: reading, comparing, the words of a violation. Pure. */
#include "domain/intent/governance.h"

#include "base/json/fields.h"

#define GOVERNANCE_NAME_MAX 120

static const struct governance governance_defaults = {
    .completion = COMPLETION_AUTO,
    .scope = WRITE_ANY,
    .quorum = {.millionths = 600000}};

/* ---- reading --------------------------------------------------------- */

/* A number of a member; false: absent. */
static bool governance_number(struct fields *f, const char *key,
                              struct decimal *out)
{
    const struct json *v = json_get(f->obj, key);
    if (f->e || !v || json_is(v, JSON_NULL))
        return false;
    if (!decimal_read(json_dump(f->arena, v, 64), out))
        fields_wrong(f, key, "field.value",
                     "\"%s\" has to be a number from 0 on, with at most six "
                     "digits after the point.",
                     key);
    return true;
}

static void governance_agents(struct fields *f, struct governance *out)
{
    const struct json *list = NULL;
    fields_json(f, "allowed_agents", JSON_ARRAY, &list);
    if (json_count(list) > GOVERNANCE_AGENTS_MAX) {
        fields_wrong(f, "allowed_agents", "field.too_many",
                     "The list may have at most %d agents.",
                     GOVERNANCE_AGENTS_MAX);
        return;
    }
    for (size_t i = 0; i < json_count(list); i++) {
        const struct str name = json_text(json_at(list, i));
        if (name.n == 0 || str_runes(name) > GOVERNANCE_NAME_MAX)
            fields_wrong(f, "allowed_agents", "field.value",
                         "Element %zu has to be an agent's name.", i);
        out->agents[out->agents_n++] = name;
    }
}

const struct err *governance_read(struct arena *a, const struct json *policy,
                                  struct str path, struct governance *out)
{
    *out = governance_defaults;
    if (!policy)
        return NULL;
    struct fields f = fields(a, policy, path);
    const enum completion_mode completion =
        vocabulary_completion_mode_read(&f, "completion_mode");
    const enum write_scope scope =
        vocabulary_write_scope_read(&f, "write_scope");
    if (governance_number(&f, "quorum_threshold", &out->quorum) && !f.e &&
        (decimal_zero(out->quorum) ||
         decimal_compare(out->quorum, (struct decimal){.whole = 1}) > 0))
        fields_wrong(&f, "quorum_threshold", "field.value",
                     "\"quorum_threshold\" has to be above 0 and at most 1.");
    out->has_max_cost = governance_number(&f, "max_cost", &out->max_cost);
    governance_agents(&f, out);
    fields_bool(&f, "require_status_reason", &out->reason);
    TRY(fields_error(&f));
    if (completion != COMPLETION_MODE__MAX)
        out->completion = completion;
    if (scope != WRITE_SCOPE__MAX)
        out->scope = scope;
    return NULL;
}

struct governance governance_stored(struct arena *a, struct str policy)
{
    struct governance g;
    if (!policy.p ||
        governance_read(a, json_read(a, policy), STR(""), &g))
        return governance_defaults;
    return g;
}

struct json *governance_effective(struct arena *a, const struct governance *g)
{
    struct json *o = json_object(a), *agents = json_array(a);
    for (size_t i = 0; i < g->agents_n; i++)
        json_add_text(agents, g->agents[i]);
    json_set_text(o, "completion_mode",
                  vocabulary_completion_mode(g->completion)->wire);
    json_set_text(o, "write_scope", vocabulary_write_scope(g->scope)->wire);
    json_set_read(a, o, "quorum_threshold", decimal_text(a, g->quorum));
    json_set_json(o, "allowed_agents", agents);
    json_set_json(o, "max_cost", NULL);
    if (g->has_max_cost)
        json_set_read(a, o, "max_cost", decimal_text(a, g->max_cost));
    json_set_bool(o, "require_status_reason", g->reason);
    return o;
}

/* ---- comparing ------------------------------------------------------- */

bool governance_agent(const struct governance *g, struct str agent)
{
    for (size_t i = 0; i < g->agents_n; i++) {
        if (str_eq(g->agents[i], agent))
            return true;
    }
    return g->agents_n == 0;
}

/* Does the new list allow nobody whom the old one forbade? */
static bool governance_fewer(const struct governance *old,
                             const struct governance *now)
{
    if (old->agents_n == 0)
        return true;
    for (size_t i = 0; i < now->agents_n; i++) {
        if (!governance_agent(old, now->agents[i]))
            return false;
    }
    return now->agents_n > 0;
}

/* The modes and scopes stand in the order of their strictness. */
bool governance_tightens(const struct governance *old,
                         const struct governance *now)
{
    const bool quorum = now->completion != COMPLETION_QUORUM ||
                        old->completion != COMPLETION_QUORUM ||
                        decimal_compare(now->quorum, old->quorum) >= 0;
    const bool cost =
        !old->has_max_cost ||
        (now->has_max_cost &&
         decimal_compare(now->max_cost, old->max_cost) <= 0);
    return now->completion >= old->completion && now->scope >= old->scope &&
           quorum && cost && (now->reason || !old->reason) &&
           governance_fewer(old, now);
}

int64_t governance_quorum(const struct governance *g, int64_t assigned)
{
    const int64_t share =
        g->quorum.whole * 1000000 + g->quorum.millionths;
    const int64_t needed = (share * assigned + 999999) / 1000000;
    return needed > 1 ? needed : 1;
}

/* ---- completion ------------------------------------------------------ */

struct str governance_completion(struct arena *a, struct str state)
{
    struct json *o = json_object(a), *own = json_read(a, state);
    struct buf b = buf_make(a, GOVERNANCE_SUBJECT_MAX);
    json_unset(own, STR("_suspension"));
    json_set_json(o, "state", own);
    json_write_canonical(&b, o);
    return b.over ? STR_NONE : buf_text(&b);
}

bool governance_completes(const struct governance *g,
                          const struct governance_approvals *approvals,
                          const char **say)
{
    *say = NULL;
    if (g->completion == COMPLETION_APPROVAL && json_count(approvals->ids) == 0)
        *say = "A person has to approve the completion first: request an "
               "approval of the action \"complete\". A change of the state "
               "needs a new one.";
    if (g->completion == COMPLETION_QUORUM && approvals->assigned == 0)
        *say = "A quorum of the assigned agents is needed, and no agent is "
               "assigned.";
    else if (g->completion == COMPLETION_QUORUM &&
             approvals->of_assigned <
                 governance_quorum(g, approvals->assigned))
        *say = "Each agent of the quorum needs an approval of the action "
               "\"complete\", for the current state.";
    return !*say;
}

/* ---- violations ------------------------------------------------------ */

const struct err *governance_violation(struct arena *a, const char *rule,
                                       const char *mode, const char *say)
{
    struct json *more = json_object(a);
    json_set_text(more, "error", STR("governance_violation"));
    json_set_text(more, "rule", str_of(rule));
    if (mode)
        json_set_text(more, "mode", str_of(mode));
    return err_more(a,
                    err_at(a, ERR_FORBIDDEN, "governance.violation", STR(""),
                           "%s", say),
                    more);
}

struct json *governance_violation_payload(struct arena *a, const char *rule,
                                          int64_t version, struct str say)
{
    struct json *o = json_object(a), *detail = json_object(a);
    json_set_text(detail, "message", say);
    json_set_int(detail, "version", version);
    json_set_text(o, "rule", str_of(rule));
    json_set_json(o, "detail", detail);
    return o;
}

bool governance_violation_told(const struct json *payload, const char *rule,
                               int64_t version)
{
    const struct json *detail = json_get(payload, "detail");
    return str_is(json_get_text(payload, "rule"), rule) &&
           json_int(json_get(detail, "version")) == version;
}

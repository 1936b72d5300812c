/* Intents: statuses, moves between them, and reading a new one.
 *
 * Pure. Patching the state document is in intent_patch.c. */
#include "domain/intent/intent.h"

#include "base/id.h"
#include "base/json/fields.h"
#include "domain/intent/governance.h"

/* ---- moves ---------------------------------------------------------- */

/* The moves that a status call may ask for. Moves by answers, expiry and
 * dependencies do not use this table. */
static const bool allowed[INTENT_STATUS__MAX][INTENT_STATUS__MAX] = {
    [INTENT_DRAFT] = {[INTENT_ACTIVE] = true,
                      [INTENT_SUSPENDED] = true,
                      [INTENT_ABANDONED] = true},
    [INTENT_ACTIVE] = {[INTENT_BLOCKED] = true,
                       [INTENT_SUSPENDED] = true,
                       [INTENT_COMPLETED] = true,
                       [INTENT_ABANDONED] = true},
    [INTENT_BLOCKED] = {[INTENT_ACTIVE] = true, [INTENT_ABANDONED] = true},
    [INTENT_SUSPENDED] = {[INTENT_ACTIVE] = true, [INTENT_ABANDONED] = true},
};

bool intent_ended(enum intent_status status)
{
    return status == INTENT_COMPLETED || status == INTENT_ABANDONED;
}

const struct err *intent_check_open(enum intent_status status)
{
    return intent_ended(status)
               ? ERROR(ERR_CONFLICT, "intent.ended", "The intent has ended.")
               : NULL;
}

const struct err *intent_move(const struct intent_move *m,
                              enum intent_status *to)
{
    *to = m->to;
    if (m->from == m->to && intent_ended(m->to))
        return NULL;
    if (m->from >= INTENT_STATUS__MAX || m->to >= INTENT_STATUS__MAX ||
        !allowed[m->from][m->to])
        return ERROR(ERR_CONFLICT, "intent.transition",
                     "The intent's status does not allow this change.");
    if (m->from == INTENT_SUSPENDED && m->to == INTENT_ACTIVE) {
        if (m->role == ROLE_AGENT)
            return ERROR(ERR_FORBIDDEN, "intent.resume_forbidden",
                         "Only an answer resumes a suspended intent.");
        if (m->question_open)
            return ERROR(ERR_CONFLICT, "intent.question_open",
                         "The open question has to be answered or cancelled.");
    }
    if (m->to == INTENT_COMPLETED && !m->dependencies_done)
        return ERROR(ERR_CONFLICT, "intent.dependencies_open",
                     "An intent can be completed only after all its "
                     "dependencies.");
    if (m->to == INTENT_COMPLETED && !m->children_done)
        return ERROR(ERR_CONFLICT, "intent.children_open",
                     "An intent can be completed only after all its children.");
    if (m->to == INTENT_ACTIVE && !m->dependencies_done) {
        if (m->from == INTENT_BLOCKED)
            return ERROR(ERR_CONFLICT, "intent.dependencies_open",
                         "The intent stays blocked until all its dependencies "
                         "are completed.");
        *to = INTENT_BLOCKED;
    }
    return NULL;
}

struct json *intent_status_changed(struct arena *a, enum intent_status from,
                                   enum intent_status to, struct str reason)
{
    struct json *p = json_object(a);
    json_set_text(p, "old_status", vocabulary_intent_status(from)->wire);
    json_set_text(p, "new_status", vocabulary_intent_status(to)->wire);
    if (reason.n)
        json_set_text(p, "reason", reason);
    return p;
}

/* ---- a new one ------------------------------------------------------ */

static void intent_read_ids(struct fields *f, struct intent_ids *out)
{
    const struct json *list = NULL;
    fields_json(f, "depends_on", JSON_ARRAY, &list);
    if (json_count(list) > INTENT_DEPENDENCIES_MAX) {
        fields_wrong(f, "depends_on", "field.too_many",
                     "The list may have at most %d dependencies.",
                     INTENT_DEPENDENCIES_MAX);
        return;
    }
    for (size_t i = 0; i < json_count(list); i++) {
        const struct str id = json_text(json_at(list, i));
        if (!id_uuid(id)) {
            fields_wrong(f, "depends_on", "field.uuid",
                         "Element %zu has to be a UUID.", i);
            return;
        }
        const struct str known = id_lower(f->arena, id);
        size_t k = 0;
        while (k < out->n && !str_eq(out->v[k], known))
            k++;
        if (k == out->n)
            out->v[out->n++] = known;
    }
}

const struct err *intent_read(struct arena *a, const struct json *body,
                              struct intent *out, struct intent_ids *depends)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *constraints = NULL, *state = NULL, *policy = NULL;
    struct governance rules;
    fields_need(&f, "title");
    fields_text(&f, "title", INTENT_TITLE_MAX, &out->title);
    fields_text(&f, "description", INTENT_DESCRIPTION_MAX, &out->description);
    /* Constraints are an object; the SDK also accepts the older list. */
    constraints = f.e ? NULL : json_get(body, "constraints");
    if (constraints && !json_is(constraints, JSON_OBJECT) &&
        !json_is(constraints, JSON_ARRAY))
        fields_wrong(&f, "constraints", "field.type",
                     "\"constraints\" has to be an object.");
    fields_json(&f, "state", JSON_OBJECT, &state);
    fields_json(&f, "governance_policy", JSON_OBJECT, &policy);
    fields_uuid(&f, "parent_intent_id", &out->parent_intent_id);
    fields_int(&f, "confidence", 0, 100, &out->confidence);
    intent_read_ids(&f, depends);
    if (!f.e && str_trim(out->title).n == 0)
        fields_wrong(&f, "title", "field.empty", "A title is needed.");
    if (!f.e && json_has(state, "_suspension"))
        fields_wrong(&f, "state._suspension", "suspension.sealed",
                     "The state may not have a question. Suspend the intent to "
                     "ask one.");
    TRY(fields_error(&f));
    TRY(governance_read(a, policy, STR("governance_policy"), &rules));
    out->constraints = constraints
                           ? json_dump(a, constraints, INTENT_STATE_MAX)
                           : STR("{}");
    out->state = state ? json_dump(a, state, INTENT_STATE_MAX) : STR("{}");
    out->governance_policy =
        policy ? json_dump(a, policy, INTENT_STATE_MAX) : STR_NONE;
    if (!out->state.p || !out->constraints.p ||
        (policy && !out->governance_policy.p))
        return ERROR(ERR_TOO_LARGE, "intent.state_too_large",
                     "The intent's state may have at most 512 kB.");
    return NULL;
}

struct json *intent_ids_open(struct arena *a, const struct intent_ids *ids)
{
    struct json *o = json_object(a), *list = json_array(a);
    for (size_t i = 0; i < ids->n; i++)
        json_add_text(list, ids->v[i]);
    json_set_json(o, "open", list);
    return o;
}

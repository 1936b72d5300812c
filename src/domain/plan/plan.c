/* Plans and their checkpoints: reading them, their moves, their objects.
 * Pure. */
#include "domain/plan/plan.h"

#include "base/clock_text.h"
#include "base/id.h"
#include "base/json/fields.h"

#define PLAN_NAME_MAX 200
#define PLAN_WORD_MAX 200
#define PLAN_HOURS_MAX 8784.0 /* 366 days */

/* ---- reading a plan --------------------------------------------------- */

/* Conditions are stored and never evaluated. */
static void plan_facts(struct fields *f, struct json *facts)
{
    const struct json *conditions = NULL, *metadata = NULL;
    struct str on_complete = STR_NONE;
    fields_json(f, "conditions", JSON_ARRAY, &conditions);
    fields_json(f, "metadata", JSON_OBJECT, &metadata);
    fields_text(f, "on_complete", PLAN_WORD_MAX, &on_complete);
    if (f->e)
        return;
    if (conditions)
        json_set_json(facts, "conditions", conditions);
    if (metadata)
        json_set_json(facts, "metadata", metadata);
    if (on_complete.p)
        json_set_text(facts, "on_complete", on_complete);
}

const struct err *plan_read(struct arena *a, const struct json *body,
                            struct plan *p)
{
    struct fields f = fields(a, body, STR(""));
    struct json *facts = json_read(a, p->facts);
    const enum plan_failure failure =
        vocabulary_plan_failure_read(&f, "on_failure");
    if (!facts)
        facts = json_object(a);
    plan_facts(&f, facts);
    TRY(fields_error(&f));
    if (failure != PLAN_FAILURE__MAX)
        p->on_failure = failure;
    p->facts = json_dump(a, facts, PLAN_FACTS_MAX);
    return p->facts.p ? NULL
                      : ERROR(ERR_TOO_LARGE, "plan.too_large",
                              "A plan may have at most 128 kB.");
}

/* ---- reading checkpoints ---------------------------------------------- */

static void plan_approvers(struct fields *f, struct checkpoint *c)
{
    const struct json *sent = NULL;
    struct json *list = json_array(f->arena);
    fields_json(f, "approvers", JSON_ARRAY, &sent);
    if (json_count(sent) > PLAN_APPROVERS_MAX)
        fields_wrong(f, "approvers", "field.too_many",
                     "There may be at most %d approvers.", PLAN_APPROVERS_MAX);
    for (size_t i = 0; i < json_count(sent) && !f->e; i++) {
        const struct str name = json_text(json_at(sent, i));
        if (str_trim(name).n == 0 || str_runes(name) > PLAN_NAME_MAX)
            fields_wrong(f, "approvers", "field.value",
                         "Element %zu has to be a name.", i);
        json_add_text(list, name);
    }
    c->approvers = json_dump(f->arena, list, PLAN_FACTS_MAX);
}

static void plan_hours(struct fields *f, struct checkpoint *c)
{
    const struct json *v = json_get(f->obj, "timeout_hours");
    if (!v || f->e)
        return;
    c->timeout_hours = json_dump(f->arena, v, 64);
    if (!json_is_number(v) || plan_checkpoint_seconds(f->arena, c) < 1)
        fields_wrong(f, "timeout_hours", "field.value",
                     "\"timeout_hours\" has to be a number of hours, from one "
                     "second to 366 days.");
}

/* The task may come under its older name. */
static void plan_after(struct fields *f, struct checkpoint *c)
{
    const char *key = json_has(f->obj, "after_task") ? "after_task" : "after";
    if (!json_has(f->obj, key))
        fields_need(f, "after_task");
    fields_uuid(f, key, &c->after_task);
}

static void plan_checkpoint_words(struct fields *f, struct checkpoint *c)
{
    const enum checkpoint_timeout timeout =
        vocabulary_checkpoint_timeout_read(f, "on_timeout");
    const enum checkpoint_reject reject =
        vocabulary_checkpoint_reject_read(f, "on_reject");
    const enum severity severity = vocabulary_severity_read(f, "severity");
    if (timeout != CHECKPOINT_TIMEOUT__MAX)
        c->on_timeout = timeout;
    if (reject != CHECKPOINT_REJECT__MAX)
        c->on_reject = reject;
    if (severity != SEVERITY__MAX)
        c->severity = severity;
}

static const struct err *plan_checkpoint(struct arena *a,
                                         const struct json *v,
                                         struct str path,
                                         struct checkpoint *c)
{
    struct fields f = fields(a, v, path);
    *c = (struct checkpoint){.requires_approval = true};
    fields_text(&f, "id", 64, &c->id);
    fields_need(&f, "name");
    fields_text(&f, "name", PLAN_NAME_MAX, &c->name);
    plan_after(&f, c);
    fields_bool(&f, "requires_approval", &c->requires_approval);
    plan_approvers(&f, c);
    plan_hours(&f, c);
    plan_checkpoint_words(&f, c);
    if (!f.e && c->id.p && !id_token(c->id))
        fields_wrong(&f, "id", "field.value",
                     "An id has letters, digits and . _ ~ - only.");
    if (!f.e && str_trim(c->name).n == 0)
        fields_wrong(&f, "name", "field.empty", "A name is needed.");
    if (!c->id.p)
        c->id = id_new(a);
    return fields_error(&f);
}

const struct err *plan_read_checkpoints(struct arena *a,
                                        const struct json *body,
                                        struct checkpoints *out, bool *sent)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *list = NULL;
    fields_json(&f, "checkpoints", JSON_ARRAY, &list);
    if (json_count(list) > PLAN_CHECKPOINTS_MAX)
        fields_wrong(&f, "checkpoints", "field.too_many",
                     "A plan may have at most %d checkpoints.",
                     PLAN_CHECKPOINTS_MAX);
    TRY(fields_error(&f));
    out->n = json_count(list);
    *sent = list != NULL;
    for (size_t i = 0; i < out->n; i++) {
        const struct str path = fields_element(a, STR("checkpoints"), i);
        TRY(plan_checkpoint(a, json_at(list, i), path, &out->v[i]));
        out->v[i].place = (int64_t)i;
        for (size_t k = 0; k < i; k++) {
            if (str_eq(out->v[k].id, out->v[i].id))
                return err_at(a, ERR_INVALID, "field.value",
                              fields_path(a, path, "id"),
                              "Two checkpoints have this id.");
        }
    }
    return NULL;
}

bool plan_checkpoint_kept(const struct checkpoint *a,
                          const struct checkpoint *b)
{
    return str_eq(a->name, b->name) && str_eq(a->after_task, b->after_task) &&
           a->requires_approval <= b->requires_approval &&
           str_eq(a->approvers, b->approvers) &&
           str_eq(a->timeout_hours, b->timeout_hours) &&
           a->on_timeout == b->on_timeout && a->on_reject == b->on_reject &&
           a->severity <= b->severity;
}

int64_t plan_checkpoint_seconds(struct arena *a, const struct checkpoint *c)
{
    const double seconds = json_double(json_read(a, c->timeout_hours)) * 3600;
    return seconds >= 1 && seconds <= PLAN_HOURS_MAX * 3600 ? (int64_t)seconds
                                                            : 0;
}

/* ---- moves ----------------------------------------------------------- */

bool plan_ended(enum plan_state state)
{
    return state == PLAN_COMPLETED || state == PLAN_FAILED ||
           state == PLAN_CANCELLED;
}

bool plan_in_review(const struct plan *p)
{
    return p->state == PLAN_PAUSED && p->paused == PLAN_PAUSE_REVIEW;
}

static bool plan_may(enum plan_state from, enum plan_state to)
{
    switch (to) {
    case PLAN_ACTIVE:
        return from == PLAN_DRAFT || from == PLAN_PAUSED;
    case PLAN_PAUSED:
    case PLAN_COMPLETED:
        return from == PLAN_ACTIVE;
    case PLAN_FAILED:
        return from == PLAN_ACTIVE || from == PLAN_PAUSED;
    case PLAN_CANCELLED:
        return !plan_ended(from);
    case PLAN_DRAFT:
    case PLAN_STATE__MAX:
    default:
        return false;
    }
}

const struct err *plan_move(const struct plan *p, enum plan_state to)
{
    return plan_may(p->state, to)
               ? NULL
               : ERROR(ERR_CONFLICT, "plan.transition",
                       "A plan of this state cannot be moved so.");
}

/* ---- the objects ------------------------------------------------------ */

struct json *plan_json(struct arena *a, const struct plan *p)
{
    const struct json *facts = json_read(a, p->facts);
    const struct json *conditions = json_get(facts, "conditions");
    const struct json *metadata = json_get(facts, "metadata");
    const struct str on_complete = json_get_text(facts, "on_complete");
    struct json *o = json_object(a);
    json_set_text(o, "id", p->id);
    json_set_text(o, "intent_id", p->intent_id);
    json_set_int(o, "version", p->version);
    json_set_text(o, "state", vocabulary_plan_state(p->state)->wire);
    json_set_json(o, "tasks", json_read(a, p->tasks));
    json_set_json(o, "conditions", conditions ? conditions : json_array(a));
    json_set_text(o, "on_failure",
                  vocabulary_plan_failure(p->on_failure)->wire);
    json_set_text(o, "on_complete",
                  on_complete.p ? on_complete : STR("notify"));
    json_set_json(o, "metadata", metadata ? metadata : json_object(a));
    json_set_text_or_null(o, "paused_reason",
                          vocabulary_plan_pause(p->paused)->wire);
    json_set_text_or_null(o, "review_suspension_id", p->review_id);
    json_set_text_or_null(o, "review_reason", p->review_reason);
    json_set_text(o, "created_by", p->created_by);
    json_set_text(o, "created_at", clock_naive(a, p->created_at));
    json_set_text(o, "updated_at", clock_naive(a, p->updated_at));
    return o;
}

struct json *plan_checkpoint_json(struct arena *a,
                                  const struct checkpoint *c)
{
    const bool escalates =
        c->on_timeout == CHECKPOINT_TIMEOUT_APPROVE && !c->silence_approves;
    const bool approved = c->status == CHECKPOINT_APPROVED;
    struct json *o = json_object(a);
    json_set_text(o, "id", c->id);
    json_set_text(o, "name", c->name);
    json_set_text(o, "after_task", c->after_task);
    json_set_bool(o, "requires_approval", c->requires_approval);
    json_set_json(o, "approvers", json_read(a, c->approvers));
    json_set_read(a, o, "timeout_hours", c->timeout_hours);
    json_set_text(o, "on_timeout",
                  vocabulary_checkpoint_timeout(c->on_timeout)->wire);
    json_set_text(o, "on_timeout_enforced",
                  vocabulary_checkpoint_timeout(
                      escalates ? CHECKPOINT_TIMEOUT_ESCALATE : c->on_timeout)
                      ->wire);
    json_set_text(o, "on_reject",
                  vocabulary_checkpoint_reject(c->on_reject)->wire);
    json_set_text(o, "status", vocabulary_checkpoint_status(c->status)->wire);
    json_set_text_or_null(o, "approved_by",
                          approved ? c->decided_by : STR_NONE);
    json_set_text_or_null(o, "approved_at",
                          approved ? clock_naive(a, c->decided_at)
                                   : STR_NONE);
    json_set_text_or_null(o, "suspension_id", c->suspension_id);
    json_set_text_or_null(o, "severity",
                          vocabulary_severity(c->severity)->wire);
    return o;
}

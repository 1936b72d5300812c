/* Plans and their checkpoints: reading them, their moves, their objects.
 * Pure. */
#include "domain/plan/plan.h"

#include "base/id.h"

#define PLAN_NAME_MAX 200
#define PLAN_WORD_MAX 200
#define PLAN_HOURS_MAX 8784.0 /* 366 days */
#define PLAN_HOURS_DIGITS 64

static const struct record_field plan_fields[] = {
    {RECORD_TEXT(plan, id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(plan, intent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_NUMBER(plan, version, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_WORD(plan, state, IN_TABLE | IN_UPDATE | IN_OBJECT,
                 vocabulary_plan_state_all)},
    {RECORD_WORD(plan, on_failure, IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY,
                 vocabulary_plan_failure_all)},
    {RECORD_WORD(plan, paused, IN_TABLE | IN_UPDATE | IN_OBJECT,
                 vocabulary_plan_pause_all),
     .column = "paused_reason"},
    {RECORD_JSON(plan, tasks, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_JSON(plan, facts, IN_TABLE | IN_UPDATE)},
    {RECORD_TEXT(plan, review_id, IN_TABLE | IN_UPDATE | IN_OBJECT),
     .member = "review_suspension_id"},
    {RECORD_TEXT(plan, review_reason, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_TEXT(plan, created_by, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(plan, key_id, IN_TABLE)},
    {RECORD_NUMBER(plan, failures_notified, IN_TABLE | IN_UPDATE),
     .column = "told"},
    {RECORD_NAIVE(plan, created_at, IN_TABLE | IN_OBJECT)},
    {RECORD_NAIVE(plan, updated_at, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_TIME(plan, activated_at, IN_TABLE | IN_UPDATE)},
    {RECORD_WORD(plan, terms.floor, IN_JOIN, vocabulary_severity_all),
     .column = "severity_floor"},
    {RECORD_OWN(plan, terms.by, IN_JOIN, principal_by_column,
                principal_by_take),
     .column = "decides"},
};
const struct record plan_record = RECORD(plan, "plan", "plan");

/* ---- reading a plan --------------------------------------------------- */

const struct err *plan_read(struct arena *a, const struct json *body,
                            struct plan *p)
{
    struct fields f = fields(a, body, STR(""));
    struct json *facts = json_read(a, p->facts);
    const struct json *conditions = NULL, *metadata = NULL;
    struct str on_complete = STR_NONE;
    if (!facts)
        facts = json_object(a);
    record_read(&f, &plan_record, p);
    /* Conditions are stored and never evaluated. */
    fields_json(&f, "conditions", JSON_ARRAY, &conditions);
    fields_json(&f, "metadata", JSON_OBJECT, &metadata);
    fields_text(&f, "on_complete", PLAN_WORD_MAX, &on_complete);
    TRY(fields_error(&f));
    if (conditions)
        json_set_json(facts, "conditions", conditions);
    if (metadata)
        json_set_json(facts, "metadata", metadata);
    json_set_text_given(facts, "on_complete", on_complete);
    p->facts = json_dump(a, facts, PLAN_FACTS_MAX);
    return p->facts.p ? NULL
                      : ERROR(ERR_TOO_LARGE, "plan.too_large",
                              "A plan may have at most 128 kB.");
}

/* ---- reading checkpoints ---------------------------------------------- */

static void plan_checkpoint_id(struct fields *f, const char *key,
                               const void *checkpoint)
{
    const struct checkpoint *c = checkpoint;
    if (!id_token(c->id))
        fields_wrong(f, key, "field.value",
                     "An id has letters, digits and . _ ~ - only.");
}

static void plan_checkpoint_name(struct fields *f, const char *key,
                                 const void *checkpoint)
{
    const struct checkpoint *c = checkpoint;
    if (str_trim(c->name).n == 0)
        fields_wrong(f, key, "field.empty", "A name is needed.");
}

static void plan_checkpoint_approvers(struct fields *f, const char *key,
                                      const void *checkpoint)
{
    const struct checkpoint *c = checkpoint;
    const struct json *list = json_read(f->arena, c->approvers);
    if (json_count(list) > PLAN_APPROVERS_MAX)
        fields_wrong(f, key, "field.too_many",
                     "There may be at most %d approvers.", PLAN_APPROVERS_MAX);
    for (size_t i = 0; i < json_count(list) && !f->e; i++) {
        const struct str name = json_text(json_at(list, i));
        if (str_trim(name).n == 0 || str_runes(name) > PLAN_NAME_MAX)
            fields_wrong(f, key, "field.value",
                         "Element %zu has to be a name.", i);
    }
}

static void plan_checkpoint_hours(struct fields *f, const char *key,
                                  const void *checkpoint)
{
    const struct checkpoint *c = checkpoint;
    if (!json_is_number(json_get(f->obj, key)) ||
        c->timeout_hours.n > PLAN_HOURS_DIGITS ||
        plan_checkpoint_seconds(f->arena, c) < 1)
        fields_wrong(f, key, "field.value",
                     "\"timeout_hours\" has to be a number of hours, from one "
                     "second to 366 days.");
}

/* The task has an older name in bodies. */
static const struct record_field checkpoint_fields[] = {
    {RECORD_TEXT(checkpoint, plan_id, IN_TABLE)},
    {RECORD_TEXT(checkpoint, id, IN_TABLE | IN_OBJECT | IN_BODY), .max = 64,
     .check = plan_checkpoint_id},
    {RECORD_TEXT(checkpoint, intent_id, IN_TABLE)},
    {RECORD_NUMBER(checkpoint, place, IN_TABLE | IN_UPDATE)},
    {RECORD_TEXT(checkpoint, name, IN_TABLE | IN_UPDATE | IN_OBJECT | IN_NEED),
     .max = PLAN_NAME_MAX, .check = plan_checkpoint_name},
    {RECORD_UUID(checkpoint, after_task,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_NEED),
     .other = "after"},
    {RECORD_FLAG(checkpoint, requires_approval,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY)},
    {RECORD_JSON(checkpoint, approvers,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .shape = JSON_ARRAY, .none = "[]", .max = PLAN_FACTS_MAX,
     .check = plan_checkpoint_approvers},
    {RECORD_FLAG(checkpoint, of_group, IN_TABLE | IN_UPDATE)},
    {RECORD_JSON(checkpoint, timeout_hours,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY),
     .max = PLAN_FACTS_MAX, .check = plan_checkpoint_hours},
    {RECORD_WORD(checkpoint, on_timeout,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY,
                 vocabulary_checkpoint_timeout_all)},
    {RECORD_FLAG(checkpoint, silence_approves, IN_TABLE | IN_UPDATE)},
    {RECORD_WORD(checkpoint, on_reject,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY,
                 vocabulary_checkpoint_reject_all)},
    {RECORD_WORD(checkpoint, severity,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY,
                 vocabulary_severity_all)},
    {RECORD_WORD(checkpoint, status, IN_TABLE | IN_UPDATE | IN_OBJECT,
                 vocabulary_checkpoint_status_all)},
    {RECORD_TEXT(checkpoint, decided_by, IN_TABLE | IN_UPDATE | IN_OBJECT),
     .member = "approved_by"},
    {RECORD_NAIVE(checkpoint, decided_at, IN_TABLE | IN_UPDATE | IN_OBJECT),
     .member = "approved_at"},
    {RECORD_TEXT(checkpoint, suspension_id, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_FLAG(checkpoint, own, IN_JOIN)},
};
const struct record checkpoint_record =
    RECORD(checkpoint, "checkpoint", "plan_checkpoint");

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
        struct checkpoint *c = &out->v[i];
        *c = (struct checkpoint){.place = (int64_t)i,
                                 .requires_approval = true};
        f = fields(a, json_at(list, i), path);
        record_read(&f, &checkpoint_record, c);
        TRY(fields_error(&f));
        if (!c->id.p)
            c->id = id_new(a);
        for (size_t k = 0; k < i; k++) {
            if (str_eq(out->v[k].id, c->id))
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

void plan_mark_changed(struct plan *p, int64_t now)
{
    if (!p->changed && !p->fresh)
        p->version++;
    p->changed = true;
    p->updated_at = now;
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

#define FROM(state_) (1U << PLAN_##state_)
/* The states from which a call may move a plan to each. */
static const unsigned plan_from[PLAN_STATE__MAX] = {
    [PLAN_ACTIVE] = FROM(DRAFT) | FROM(PAUSED),
    [PLAN_PAUSED] = FROM(ACTIVE),
    [PLAN_COMPLETED] = FROM(ACTIVE),
    [PLAN_FAILED] = FROM(ACTIVE) | FROM(PAUSED),
    [PLAN_CANCELLED] = FROM(DRAFT) | FROM(ACTIVE) | FROM(PAUSED),
};

const struct err *plan_move(const struct plan *p, enum plan_state to)
{
    return to < PLAN_STATE__MAX && plan_from[to] >> p->state & 1
               ? NULL
               : ERROR(ERR_CONFLICT, "plan.transition",
                       "A plan in this state cannot change to that state.");
}

/* ---- the objects ------------------------------------------------------ */

struct json *plan_json(struct arena *a, const struct plan *p)
{
    const struct json *facts = json_read(a, p->facts);
    const struct json *conditions = json_get(facts, "conditions");
    const struct json *metadata = json_get(facts, "metadata");
    const struct str on_complete = json_get_text(facts, "on_complete");
    struct json *o = record_object(a, &plan_record, p);
    json_set_json(o, "conditions", conditions ? conditions : json_array(a));
    json_set_text(o, "on_complete",
                  on_complete.p ? on_complete : STR("notify"));
    json_set_json(o, "metadata", metadata ? metadata : json_object(a));
    return o;
}

struct json *plan_checkpoint_json(struct arena *a,
                                  const struct checkpoint *c)
{
    const bool escalates =
        c->on_timeout == CHECKPOINT_TIMEOUT_APPROVE && !c->silence_approves;
    struct json *o = record_object(a, &checkpoint_record, c);
    json_set_text(o, "on_timeout_enforced",
                  vocabulary_checkpoint_timeout(
                      escalates ? CHECKPOINT_TIMEOUT_ESCALATE : c->on_timeout)
                      ->wire);
    if (c->status != CHECKPOINT_APPROVED) { /* somebody rejected it */
        json_set_json(o, "approved_by", NULL);
        json_set_json(o, "approved_at", NULL);
    }
    return o;
}

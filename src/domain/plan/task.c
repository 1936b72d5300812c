/* Tasks: reading them, their moves, and their object. Pure. */
#include "domain/plan/task.h"

#include "base/clock.h"
#include "base/id.h"
#include "domain/intent/principal.h"

#define TASK_TEXT_MAX 20000
#define TASK_SECONDS_MAX (INT64_C(366) * 24 * 3600)

static const struct record_field task_fields[] = {
    {RECORD_TEXT(task, id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(task, intent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(task, plan_id, IN_TABLE | IN_PART | IN_OBJECT)},
    {RECORD_TEXT(task, name, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_NUMBER(task, version, IN_TABLE | IN_PART | IN_OBJECT)},
    {RECORD_WORD(task, status, IN_TABLE | IN_PART | IN_OBJECT,
                 vocabulary_task_status_all)},
    {RECORD_WORD(task, hold, IN_ROW | IN_PART, vocabulary_task_hold_all)},
    {RECORD_TIME(task, held_at, IN_ROW | IN_PART)},
    {RECORD_TEXT(task, assigned_agent, IN_TABLE | IN_PART | IN_OBJECT)},
    {RECORD_JSON(task, depends_on, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_NUMBER(task, attempt, IN_TABLE | IN_PART | IN_OBJECT)},
    {RECORD_NUMBER(task, max_attempts, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_NAIVE(task, created_at, IN_TABLE | IN_OBJECT)},
    {RECORD_NAIVE(task, started_at, IN_ROW | IN_PART | IN_OBJECT)},
    {RECORD_NAIVE(task, completed_at, IN_ROW | IN_PART | IN_OBJECT)},
    {RECORD_TIME(task, runs_until, IN_ROW | IN_PART)},
    {RECORD_COUNT(task, time_left, IN_ROW | IN_PART)},
    {RECORD_NUMBER(task, facts_n, IN_JOIN)},
    {RECORD_JSON(task, facts, IN_JOIN | IN_INSERT | IN_UPDATE)},
};
const struct record task_record = RECORD(task, "task", "task");

void task_mark_changed(struct task *t)
{
    if (!t->changed && !t->fresh)
        t->version++;
    t->changed = true;
}

/* ---- facts ----------------------------------------------------------- */

/* The members that only agents write and read. Absent or null, one has the
 * default: {}, [], null, or the word. */
static const struct task_fact {
    const char *member;
    enum json_type type; /* JSON__MAX: any */
    bool null;           /* the default is null */
    const char *word;
} task_facts[] = {
    {"description", JSON_STRING, true, NULL},
    {"priority", JSON_STRING, false, "normal"},
    {"input", JSON_OBJECT, false, NULL},
    {"output", JSON_OBJECT, true, NULL},
    {"artifacts", JSON_ARRAY, false, NULL},
    {"lease_id", JSON_STRING, true, NULL},
    {"capabilities_required", JSON_ARRAY, false, NULL},
    {"parent_task_id", JSON_STRING, true, NULL},
    {"retry_policy", JSON__MAX, true, NULL},
    {"timeout_seconds", JSON_INT, true, NULL},
    {"permissions", JSON__MAX, false, "inherit"},
    {"memory_policy", JSON_OBJECT, true, NULL},
    {"requires_tools", JSON_ARRAY, false, NULL},
    {"blocked_reason", JSON_STRING, true, NULL},
    {"error", JSON__MAX, true, NULL},
    {"metadata", JSON_OBJECT, false, NULL},
};

static void task_fact(struct fields *f, const struct task_fact *fact,
                      struct json *facts)
{
    const struct json *v = NULL;
    struct str text = STR_NONE;
    int64_t seconds = 0;
    if (!json_has(f->obj, fact->member))
        return;
    if (fact->type == JSON__MAX)
        v = json_get(f->obj, fact->member);
    else if (fact->type == JSON_STRING)
        fields_text(f, fact->member, TASK_TEXT_MAX, &text);
    else if (fact->type == JSON_INT)
        fields_int(f, fact->member, 1, TASK_SECONDS_MAX, &seconds);
    else
        fields_json(f, fact->member, fact->type, &v);
    if (text.p || seconds)
        v = json_get(f->obj, fact->member);
    if (v)
        json_set_json(facts, fact->member, v);
    else
        json_unset(facts, str_of(fact->member));
}

const struct err *task_read_facts(struct arena *a, const struct json *body,
                                  struct task *t)
{
    struct fields f = fields(a, body, STR(""));
    struct json *facts = json_read(a, t->facts);
    if (!facts)
        facts = json_object(a);
    for (size_t i = 0; i < countof(task_facts); i++)
        task_fact(&f, &task_facts[i], facts);
    TRY(fields_error(&f));
    t->facts = json_dump(a, facts, TASK_FACTS_MAX);
    t->facts_n = (int64_t)t->facts.n;
    return t->facts.p ? NULL
                      : ERROR(ERR_TOO_LARGE, "task.too_large",
                              "A task may have at most 128 kB, and all tasks "
                              "of an intent 4 MB.");
}

/* ---- reading --------------------------------------------------------- */

const struct err *task_read_ids(struct arena *a, const struct json *body,
                                const char *member, struct str *out)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *sent = NULL;
    struct json *list = json_array(a);
    *out = STR_NONE;
    fields_json(&f, member, JSON_ARRAY, &sent);
    TRY(fields_error(&f));
    if (json_count(sent) > TASKS_MAX)
        fields_wrong(&f, member, "field.too_many",
                     "The list may have at most %d tasks.", TASKS_MAX);
    for (size_t i = 0; i < json_count(sent) && !f.e; i++) {
        const struct str id = json_text(json_at(sent, i));
        if (!id_uuid(id) || json_lists_text(list, id_lower(a, id)))
            fields_wrong(&f, member, "field.value",
                         "Element %zu has to be another task's id.", i);
        else
            json_add_text(list, id_lower(a, id));
    }
    if (sent)
        *out = json_dump(a, list, TASK_FACTS_MAX);
    return fields_error(&f);
}

/* The members that a new task and a change have in common. */
static const struct err *task_members(struct arena *a,
                                      const struct json *body, bool fresh,
                                      struct task_change *out)
{
    struct fields f = fields(a, body, STR(""));
    if (fresh)
        fields_need(&f, "name");
    fields_text(&f, "name", TASK_NAME_MAX, &out->name);
    fields_text(&f, "assigned_agent", PRINCIPAL_AGENT_NAME_MAX, &out->agent);
    fields_int(&f, "max_attempts", 1, TASK_ATTEMPTS_MAX, &out->max_attempts);
    if (!f.e && out->name.p && str_trim(out->name).n == 0)
        fields_wrong(&f, "name", "field.empty", "A name is needed.");
    if (!f.e && out->agent.p && !principal_agent_name(out->agent))
        fields_wrong(&f, "assigned_agent", "field.value",
                     "This is not the name of an agent.");
    TRY(fields_error(&f));
    return task_read_ids(a, body, "depends_on", &out->depends_on);
}

const struct err *task_read(struct arena *a, const struct json *body,
                            struct task *out)
{
    struct fields f = fields(a, body, STR(""));
    struct task_change set = {.max_attempts = 3};
    fields_uuid(&f, "plan_id", &out->plan_id);
    TRY(fields_error(&f));
    TRY(task_members(a, body, true, &set));
    out->version = 1;
    out->attempt = 1;
    out->max_attempts = set.max_attempts;
    out->name = set.name;
    out->assigned_agent = set.agent;
    out->depends_on = set.depends_on.p ? set.depends_on : STR("[]");
    return task_read_facts(a, body, out);
}

const struct err *task_read_change(struct arena *a, const struct json *body,
                                   struct task_change *out)
{
    struct fields f = fields(a, body, STR(""));
    *out = (struct task_change){.name = STR_NONE};
    out->to = vocabulary_task_status_read(&f, "status");
    TRY(fields_error(&f));
    return task_members(a, body, false, out);
}

/* ---- moves ----------------------------------------------------------- */

bool task_ended(enum task_status status)
{
    return status == TASK_COMPLETED || status == TASK_FAILED ||
           status == TASK_CANCELLED || status == TASK_SKIPPED;
}

bool task_open(enum task_status status)
{
    return status != TASK_COMPLETED && status != TASK_SKIPPED;
}

bool task_lost(const struct task *t)
{
    return t->status == TASK_FAILED && t->attempt >= t->max_attempts;
}

#define FROM(status_) (1U << TASK_##status_)
/* The statuses from which a call may move a task to each. */
static const unsigned task_from[TASK_STATUS__MAX] = {
    [TASK_READY] = FROM(PENDING) | FROM(CLAIMED) | FROM(FAILED),
    [TASK_CLAIMED] = FROM(READY),
    [TASK_RUNNING] = FROM(READY) | FROM(CLAIMED) | FROM(BLOCKED),
    [TASK_BLOCKED] = FROM(RUNNING),
    [TASK_COMPLETED] = FROM(RUNNING),
    [TASK_FAILED] = FROM(RUNNING),
    [TASK_CANCELLED] = FROM(PENDING) | FROM(READY) | FROM(CLAIMED) |
                       FROM(RUNNING) | FROM(BLOCKED) | FROM(FAILED),
    [TASK_SKIPPED] = FROM(PENDING) | FROM(READY),
};

const struct err *task_move(const struct task *t, enum task_status to)
{
    if (t->hold != TASK_HOLD_NONE && to == TASK_RUNNING)
        return ERROR(ERR_CONFLICT, "task.suspended",
                     "The task is blocked until its intent resumes. Then it "
                     "runs again automatically.");
    const bool may = to < TASK_STATUS__MAX && task_from[to] >> t->status & 1 &&
                     !(to == TASK_READY && task_lost(t));
    return may ? NULL
               : ERROR(ERR_CONFLICT, "task.transition",
                       "A task in this status cannot change to that status.");
}

/* ---- the timeout ------------------------------------------------------ */

void task_time(struct arena *a, struct task *t, enum task_status from,
               int64_t now)
{
    if (t->status == TASK_RUNNING && from != TASK_RUNNING) {
        const struct json *facts = json_read(a, t->facts);
        const int64_t most =
            json_int(json_get(facts, "timeout_seconds")) * CLOCK_SECOND;
        const int64_t left = t->time_left ? t->time_left : most;
        t->runs_until = left ? now + left : 0;
        t->time_left = 0;
    } else if (t->status == TASK_BLOCKED && from == TASK_RUNNING) {
        const int64_t left = t->runs_until - now;
        t->time_left = t->runs_until ? (left > 0 ? left : 1) : 0;
        t->runs_until = 0;
    } else if (t->status != TASK_RUNNING && t->status != TASK_BLOCKED) {
        t->runs_until = t->time_left = 0;
    }
}

struct str task_overdue(struct arena *a, const struct task *t)
{
    struct json *facts = json_read(a, t->facts), *error = json_object(a);
    json_set_text(error, "code", STR("timeout"));
    json_set_text(error, "message",
                  STR("The task ran longer than its timeout_seconds."));
    json_set_json(facts, "error", error);
    return json_dump(a, facts, 2 * TASK_FACTS_MAX);
}

/* ---- the facts, with their defaults ----------------------------------- */

static void task_put_facts(struct arena *a, struct json *o,
                           const struct json *facts)
{
    for (size_t i = 0; i < countof(task_facts); i++) {
        const struct task_fact *fact = &task_facts[i];
        const struct json *v = json_get(facts, fact->member);
        if (!v && fact->word)
            v = json_string(a, str_of(fact->word));
        else if (!v && !fact->null)
            v = fact->type == JSON_ARRAY ? json_array(a) : json_object(a);
        json_set_json(o, fact->member, v);
    }
}

static struct json *task_work(struct arena *a, const struct task *t)
{
    static const char *const reported[] = {
        "output", "artifacts", "lease_id", "blocked_reason", "error",
        "metadata"};
    struct json *o = json_object(a);
    task_put_facts(a, o, json_read(a, t->facts));
    for (size_t i = 0; i < countof(reported); i++)
        json_unset(o, str_of(reported[i]));
    return o;
}

bool task_same_work(struct arena *a, const struct task *x,
                    const struct task *y)
{
    return str_eq(x->name, y->name) &&
           str_eq(x->assigned_agent, y->assigned_agent) &&
           str_eq(x->depends_on, y->depends_on) &&
           json_equal(task_work(a, x), task_work(a, y));
}

bool task_same_output(struct arena *a, const struct task *x,
                      const struct task *y)
{
    return json_equal(json_get(json_read(a, x->facts), "output"),
                      json_get(json_read(a, y->facts), "output"));
}

/* ---- the object ------------------------------------------------------- */

struct json *task_json(struct arena *a, const struct task *t,
                       const struct json *blocks)
{
    struct json *o = record_object(a, &task_record, t);
    task_put_facts(a, o, json_read(a, t->facts));
    json_set_json(o, "blocks", blocks);
    if (t->hold != TASK_HOLD_NONE)
        json_set_text(o, "blocked_reason",
                      vocabulary_task_hold(t->hold)->wire);
    else if (t->status != TASK_BLOCKED)
        json_set_json(o, "blocked_reason", NULL);
    json_set_text_or_null(o, "suspended_intent_id",
                          t->hold == TASK_HOLD_SUSPENDED ? t->intent_id
                                                         : STR_NONE);
    return o;
}

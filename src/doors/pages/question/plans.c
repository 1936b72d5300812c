/* The plans of an intent on its page. On pages a plan's task is a step. */
#include "doors/pages/question/plans.h"

#include "domain/question/side_question.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/list.h"
#include "store/plan/tasks.h"

#define ROWS_OPEN 30              /* of a plan; the others are folded */
#define WAITS_SHOWN 3             /* steps that one step waits for */
#define TOLD_MAX ((size_t)16 << 10) /* bytes that are parsed */

struct plans {
    struct call *c;
    struct page_view *v;
    const struct intent_plans *plans;
    const struct suspension *holds; /* the question that holds the intent; NULL:
                                     * none */
    struct task_rows stuck; /* steps whose agents have said why they wait or
                            * failed */
};

/* The rows of one plan while they are built. */
struct plans_rows {
    struct json *shown, *rest;
    bool attention; /* one of the rest needs it */
};

static void plans_add_row(struct plans_rows *rows, const struct json *row,
                          bool attention)
{
    const bool fits = json_count(rows->shown) < ROWS_OPEN;
    json_add_json(fits ? rows->shown : rows->rest, row);
    rows->attention = rows->attention || (!fits && attention);
}

/* A row with all members, of a step or a checkpoint. */
static struct json *plans_row(struct plans *p, struct str name)
{
    static const char *const later[] = {
        "n",          "suspension_id", "state", "agent",
        "attempt",    "attempts",      "note",  "decided_by",
        "decided_at", "waits",         "hold",  "waits_more"};
    struct json *o = json_object(p->v->a);
    for (size_t i = 0; i < countof(later); i++)
        json_set_json(o, later[i], NULL);
    json_set_text(o, "name", name);
    json_set_bool(o, "checkpoint", false);
    return o;
}

/* ---- steps ------------------------------------------------------------ */

/* The open steps that it waits for. */
static void plans_set_waits(struct plans *p, struct json *o,
                            const struct task *t)
{
    struct arena *a = p->v->a;
    const struct json *ids = json_read(a, t->depends_on);
    struct json *list = json_array(a);
    size_t n = 0;
    for (size_t i = 0; i < json_count(ids); i++) {
        const struct task *d =
            intent_plans_task(p->plans, json_text(json_at(ids, i)));
        if (!d || !task_open(d->status) || n++ >= WAITS_SHOWN)
            continue;
        struct json *one = json_object(a);
        json_set_bool(one, "first", n == 1);
        json_set_text(one, "name", d->name);
        json_add_json(list, one);
    }
    json_set_json(o, "waits", list);
    page_view_set_count(o, "waits_more", n > WAITS_SHOWN ? n - WAITS_SHOWN : 0);
}

/* The words of its agent about a step that is blocked or has failed. */
static struct str plans_told(struct plans *p, const struct task *t)
{
    struct arena *a = p->v->a;
    const char *member =
        t->status == TASK_BLOCKED ? "blocked_reason" : "error";
    struct json *value = NULL;
    for (size_t i = 0; i < p->stuck.n; i++) {
        if (!str_eq(p->stuck.v[i].id, t->id))
            continue;
        const struct str raw =
            json_raw_member(a, p->stuck.v[i].facts, str_of(member));
        if (!raw.p || raw.n > TOLD_MAX || json_parse(a, raw, &value))
            return STR("");
        return words_line(a, page_facts_value(a, value), PAGE_VIEW_ROW);
    }
    return STR("");
}

static bool plans_tells(const struct task *t)
{
    return t->status == TASK_FAILED ||
           (t->status == TASK_BLOCKED && t->hold == TASK_HOLD_NONE);
}

static void plans_add_step(struct plans *p, struct plans_rows *rows,
                           const struct task *t, size_t n)
{
    struct arena *a = p->v->a;
    struct json *o = plans_row(p, t->name);
    page_view_set_count(o, "n", n);
    json_set_json(o, "state",
                  page_badge(a, vocabulary_task_status(t->status)));
    json_set_text(o, "agent", t->assigned_agent);
    if (t->attempt > 1) {
        json_set_int(o, "attempt", t->attempt);
        json_set_int(o, "attempts", t->max_attempts);
    }
    if (t->status == TASK_PENDING)
        plans_set_waits(p, o, t);
    if (t->hold != TASK_HOLD_NONE) { /* the server holds it */
        struct json *hold = json_object(a);
        json_set_text(hold, "word",
                      str_of(vocabulary_task_hold(t->hold)->label));
        json_set_bool(hold, "suspended", t->hold == TASK_HOLD_SUSPENDED);
        json_set_text(hold, "by", p->holds ? p->holds->id : STR_NONE);
        json_set_json(o, "hold", hold);
    }
    if (plans_tells(t))
        json_set_text(o, "note", plans_told(p, t));
    plans_add_row(rows, o,
                  t->status == TASK_BLOCKED || t->status == TASK_FAILED ||
                      t->status == TASK_RUNNING);
}

/* ---- checkpoints ------------------------------------------------------ */

static void plans_add_checkpoint(struct plans *p, struct plans_rows *rows,
                                 const struct plan *plan,
                                 const struct checkpoint *c)
{
    static const struct vocabulary_word waiting = {
        .label = "Waiting for approval", .icon = "clock", .tone = "medium"};
    struct arena *a = p->v->a;
    struct json *o = plans_row(p, c->name);
    /* A question of an ended plan was withdrawn with it. */
    const bool asked = c->status == CHECKPOINT_REACHED && c->suspension_id.p;
    const bool open = asked && !plan_ended(plan->state);
    json_set_bool(o, "checkpoint", true);
    json_set_json(
        o, "state",
        page_badge(a, open    ? &waiting
                      : asked ? vocabulary_outcome(OUTCOME_WITHDRAWN)
                              : vocabulary_checkpoint_status(c->status)));
    if (c->decided_by.p) {
        json_set_text(o, "decided_by",
                      page_badge_name(&p->c->who, c->decided_by));
        json_set_int(o, "decided_at", c->decided_at);
    }
    json_set_text(o, "note",
                  c->requires_approval ? STR("") : STR("No approval needed"));
    json_set_text(o, "suspension_id", c->suspension_id);
    plans_add_row(rows, o, open);
}

/* Those after one step; t NULL: those of no step of the plan. */
static void plans_add_checkpoints(struct plans *p, struct plans_rows *rows,
                                  const struct plan *plan,
                                  const struct task *t)
{
    const struct intent_plans *b = p->plans;
    for (size_t i = 0; i < b->checkpoints_n; i++) {
        const struct checkpoint *c = &b->checkpoints[i];
        const struct task *after = intent_plans_task(b, c->after_task);
        const bool placed = after && str_eq(after->plan_id, c->plan_id);
        if (str_eq(c->plan_id, plan->id) &&
            (t ? placed && after == t : !placed))
            plans_add_checkpoint(p, rows, plan, c);
    }
}

/* ---- plans ------------------------------------------------------------ */

/* Its steps in the plan's order; plan NULL: those of no plan, in the order of
 * their making. Returns how many are done, and *all. */
static int64_t plans_add_steps(struct plans *p, struct plans_rows *rows,
                               const struct plan *plan, size_t *all)
{
    const struct intent_plans *b = p->plans;
    const struct json *ids = plan ? json_read(p->v->a, plan->tasks) : NULL;
    const size_t n = plan ? json_count(ids) : b->tasks_n;
    int64_t finished = 0;
    for (size_t i = 0; i < n; i++) {
        const struct task *t =
            plan ? intent_plans_task(b, json_text(json_at(ids, i)))
                 : &b->tasks[i];
        if (!t || (plan ? !str_eq(t->plan_id, plan->id) : t->plan_id.p != NULL))
            continue;
        plans_add_step(p, rows, t, ++*all);
        finished += t->status == TASK_COMPLETED || t->status == TASK_SKIPPED;
        if (plan)
            plans_add_checkpoints(p, rows, plan, t);
    }
    return finished;
}

/* number: of its place on the page. */
static struct json *plans_view(struct plans *p, const struct plan *plan,
                               size_t number)
{
    struct arena *a = p->v->a;
    struct json *o = json_object(a), *rest = json_object(a);
    struct plans_rows rows = {.shown = json_array(a), .rest = json_array(a)};
    size_t all = 0;
    const int64_t finished = plans_add_steps(p, &rows, plan, &all);
    if (!plan && all == 0)
        return NULL;
    if (plan)
        plans_add_checkpoints(p, &rows, plan, NULL);
    page_view_set_count(o, "number", number);
    json_set_text(o, "heading", plan         ? STR("Plan")
                                : number > 1 ? STR("Other steps")
                                             : STR("Steps"));
    json_set_json(o, "state",
                  plan ? page_badge(a, vocabulary_plan_state(plan->state))
                       : NULL);
    json_set_text(o, "paused",
                  plan && plan->state == PLAN_PAUSED
                      ? str_of(vocabulary_plan_pause(plan->paused)->label)
                      : STR(""));
    json_set_int(o, "done", finished);
    json_set_int(o, "all", (int64_t)all);
    json_set_text(o, "created_by", plan ? plan->created_by : STR_NONE);
    page_view_set_time(o, "created_at", plan ? plan->created_at : 0);
    json_set_bool(o, "folded",
                  plan && number > 1 && plan_ended(plan->state));
    json_set_json(o, "rows", rows.shown);
    json_set_bool(rest, "open", rows.attention);
    json_set_json(rest, "rows", rows.rest);
    json_set_json(o, "rest", json_count(rows.rest) > 0 ? rest : NULL);
    return o;
}

/* In memory of its own: the lists of ids that it is read from. */
static void plans_add(struct plans *p, struct json *list,
                      const struct plan *plan)
{
    struct page_list_row row;
    struct plans one = *p;
    page_list_row_begin(&row, p->c, p->v);
    one.c = &row.call;
    one.v = &row.view;
    const struct json *built = plans_view(&one, plan, json_count(list) + 1);
    const struct json *kept = page_list_row_end(&row, built);
    if (kept)
        json_add_json(list, kept);
}

const struct err *question_plans(struct call *c, struct page_view *v,
                                 struct json *view, struct question_plans *of)
{
    struct plans p = {.c = c, .v = v};
    struct json *list = json_array(c->a);
    struct intent_plans *b = NULL;
    json_set_json(view, "plans", list);
    if (!(of->intent->containers & INTENT_HAS_TASKS))
        return NULL;
    for (size_t i = 0; i < of->asked->n && !p.holds; i++) {
        const struct suspension *s = &of->asked->v[i];
        if (s->state == SUSPENSION_PENDING && !side_question(s))
            p.holds = s;
    }
    TRY(tasks_with_plans(c->pg, c->a, of->intent, &b));
    of->plans = b;
    p.plans = b;
    /* The words are large, and read only where a step shows some. */
    bool tells = false;
    for (size_t i = 0; i < b->tasks_n && !tells; i++)
        tells = plans_tells(&b->tasks[i]);
    if (tells)
        TRY(tasks_stuck(c->pg, c->a, of->intent->id, &p.stuck));
    for (int ended = 0; ended < 2; ended++) {
        for (size_t k = b->plans_n; k > 0; k--) {
            if (plan_ended(b->plans[k - 1].state) == (ended == 1))
                plans_add(&p, list, &b->plans[k - 1]);
        }
    }
    plans_add(&p, list, NULL);
    return NULL;
}

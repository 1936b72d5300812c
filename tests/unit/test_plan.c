/* Plans: reading them and their checkpoints, their moves, and what happens on
 * all plans of an intent. */
#include "base/clock.h"
#include "domain/plan/plan_change.h"
#include "domain/plan/task_change.h"

#include "suite.h"

SUITE(plan);

#define ONE "11111111-2222-4333-8444-555555555555"
#define TWO "22222222-2222-4333-8444-555555555555"
#define NOW INT64_C(1795166773510233)

static const char *code(const struct err *e)
{
    return e ? e->code : "";
}

/* ---- reading ---------------------------------------------------------- */

Test(plan, checkpoints_that_are_refused)
{
    static const struct {
        const char *one, *code, *at;
    } cases[] = {
        {"'x'", "body.not_object", "checkpoints[0]"},
        {"{}", "field.missing", "checkpoints[0].name"},
        {"{'name':'x'}", "field.missing", "checkpoints[0].after_task"},
        {"{'name':'x','after':'x'}", "field.uuid", "checkpoints[0].after"},
        {"{'name':'x','after':'" ONE "','id':'a b'}", "field.value",
         "checkpoints[0].id"},
        {"{'name':'x','after':'" ONE "','timeout_hours':0}", "field.value",
         "checkpoints[0].timeout_hours"},
        {"{'name':'x','after':'" ONE "','timeout_hours':'1'}", "field.value",
         "checkpoints[0].timeout_hours"},
        {"{'name':'x','after':'" ONE "','approvers':[1]}", "field.value",
         "checkpoints[0].approvers"},
        {"{'name':'x','after':'" ONE "','on_timeout':'weep'}", "field.value",
         "checkpoints[0].on_timeout"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct checkpoints *list = arena_new(a, struct checkpoints);
        struct json *body = json_object(a), *v = json_array(a);
        bool sent = false;
        json_add_json(v, tree(cases[i].one));
        json_set_json(body, "checkpoints", v);
        const struct err *e = plan_read_checkpoints(a, body, list, &sent);
        cr_assert_str_eq(code(e), cases[i].code, "%s", cases[i].one);
        cr_assert(str_is(e->at, cases[i].at), "%s: %.*s", cases[i].one,
                  STR_FMT(e->at));
    }
}

static struct checkpoint checkpoint_of(const char *text)
{
    struct checkpoints *list = arena_new(a, struct checkpoints);
    struct json *body = json_object(a), *v = json_array(a);
    bool sent = false;
    json_add_json(v, tree(text));
    json_set_json(body, "checkpoints", v);
    cr_assert_null(plan_read_checkpoints(a, body, list, &sent), "%s", text);
    cr_assert(sent && list->n == 1);
    return list->v[0];
}

Test(plan, only_a_stricter_checkpoint_is_kept)
{
    static const struct {
        const char *now;
        bool kept;
    } cases[] = {
        {"'requires_approval':true", true},
        {"'requires_approval':false", true},
        {"'requires_approval':true,'severity':'high'", true},
        {"'on_timeout':'fail'", false},
        {"'on_reject':'retry'", false},
        {"'timeout_hours':2", false},
        {"'approvers':['a']", false},
    };
    const char *was = "{'id':'c','name':'x','after':'" ONE "',"
                      "'requires_approval':false}";
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf b = buf_make(a, 1000);
        buf_put(&b, "{'id':'c','name':'x','after':'" ONE "',");
        buf_put(&b, cases[i].now);
        buf_put(&b, "}");
        buf_char(&b, '\0');
        const struct checkpoint before = checkpoint_of(was),
                                after = checkpoint_of(b.p);
        cr_assert(plan_checkpoint_kept(&before, &after) == cases[i].kept,
                  "%s", cases[i].now);
    }
    const struct checkpoint strict =
        checkpoint_of("{'id':'c','name':'x','after':'" ONE "'}");
    const struct checkpoint loose = checkpoint_of(was);
    cr_assert_not(plan_checkpoint_kept(&strict, &loose));
}

Test(plan, hours)
{
    struct checkpoint c =
        checkpoint_of("{'name':'x','after':'" ONE "','timeout_hours':0.5}");
    cr_assert_eq(plan_checkpoint_seconds(a, &c), 1800);
    c.timeout_hours = STR_NONE;
    cr_assert_eq(plan_checkpoint_seconds(a, &c), 0);
}

Test(plan, moves)
{
    static const struct {
        enum plan_state from;
        const char *to;
    } cases[] = {
        {PLAN_DRAFT, "active cancelled"},
        {PLAN_ACTIVE, "paused completed failed cancelled"},
        {PLAN_PAUSED, "active failed cancelled"},
        {PLAN_COMPLETED, ""},
        {PLAN_FAILED, ""},
        {PLAN_CANCELLED, ""},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct plan p = {.state = cases[i].from};
        for (enum plan_state to = PLAN_DRAFT; to < PLAN_STATE__MAX; to++) {
            const char *word = vocabulary_plan_state(to)->wire.p;
            const bool may = str_listed(str_of(cases[i].to), str_of(word));
            cr_assert_str_eq(code(plan_move(&p, to)),
                             may ? "" : "plan.transition", "%d to %s",
                             (int)cases[i].from, word);
        }
    }
}

/* ---- all plans of an intent --------------------------------------------------------- */

static const struct principal agent = {.role = ROLE_AGENT,
                                       .agent = {"worker", 6}};

struct scene {
    struct intent intent;
    struct event_list events;
    struct intent_plans b;
};

/* An active plan of two tasks; the second depends on the first. */
static struct scene *scene(void)
{
    struct scene *s = arena_new(a, struct scene);
    struct intent_plans *b = &s->b;
    *s = (struct scene){.intent = {.id = STR(ONE), .status = INTENT_ACTIVE}};
    *b = (struct intent_plans){.arena = a,
                               .intent = &s->intent,
                               .now = NOW,
                               .events = &s->events,
                               .by = event_by(&agent)};
    b->tasks = arena_many(a, 3, struct task);
    b->plans = arena_many(a, 2, struct plan);
    b->checkpoints = arena_many(a, 40, struct checkpoint);
    b->tasks_n = 2;
    b->tasks[0] = (struct task){.id = STR(ONE),
                                .intent_id = STR(ONE),
                                .plan_id = STR(TWO),
                                .status = TASK_RUNNING,
                                .assigned_agent = STR("worker"),
                                .depends_on = STR("[]"),
                                .version = 1,
                                .attempt = 1,
                                .max_attempts = 1,
                                .facts = STR("{}")};
    b->tasks[1] = b->tasks[0];
    b->tasks[1].id = STR(TWO);
    b->tasks[1].status = TASK_PENDING;
    b->tasks[1].assigned_agent = STR_NONE;
    b->tasks[1].depends_on = STR("[\"" ONE "\"]");
    b->plans_n = 1;
    b->plans[0] = (struct plan){.id = STR(TWO),
                                .intent_id = STR(ONE),
                                .version = 1,
                                .state = PLAN_ACTIVE,
                                .tasks = STR("[\"" ONE "\",\"" TWO "\"]"),
                                .facts = STR("{}"),
                                .created_by = STR("maker"),
                                .activated_at = NOW - CLOCK_SECOND};
    return s;
}

static void gate(struct scene *s)
{
    struct checkpoint *c = &s->b.checkpoints[s->b.checkpoints_n++];
    *c = checkpoint_of("{'id':'c','name':'Look','after':'" ONE "'}");
    c->plan_id = STR(TWO);
    c->intent_id = STR(ONE);
}

static void told(const struct scene *s, const char *types)
{
    struct buf b = buf_make(a, 4096);
    for (size_t i = 0; i < s->events.n; i++) {
        buf_put(&b, i ? " " : "");
        buf_str(&b, s->events.v[i].type);
    }
    cr_assert(str_is(buf_text(&b), types), "%.*s", STR_FMT(buf_text(&b)));
}

Test(plan, the_last_task_completes_it)
{
    struct scene *s = scene();
    struct task *t = s->b.tasks;
    cr_assert_null(
        task_change_status(&s->b, &t[0], TASK_COMPLETED, STR_NONE, &agent));
    cr_assert_eq(t[1].status, TASK_READY);
    cr_assert_null(
        task_change_status(&s->b, &t[1], TASK_SKIPPED, STR_NONE, &agent));
    cr_assert_eq(s->b.plans[0].state, PLAN_COMPLETED);
    cr_assert_eq(s->b.plans[0].version, 2);
    told(s, "task.completed task.ready task.skipped plan.completed");
}

Test(plan, a_checkpoint_pauses_it_and_asks)
{
    struct scene *s = scene();
    gate(s);
    cr_assert_null(task_change_status(&s->b, &s->b.tasks[0], TASK_COMPLETED,
                                      STR_NONE, &agent));
    const struct suspension *q = &s->b.asked;
    cr_assert(s->b.has_asked && q->origin == ORIGIN_CHECKPOINT);
    cr_assert(str_is(q->asked_by, "maker") && str_is(q->title, "Look"));
    cr_assert_eq(q->responder.mode, RESPONDER_OPERATORS);
    cr_assert(q->expires_at == 0 && q->next_attempt_at == 0);
    cr_assert(intent_plans_held(&s->b, &s->b.plans[0]) &&
              intent_plans_any_held(&s->b));
    cr_assert_eq(s->b.plans[0].paused, PLAN_PAUSE_CHECKPOINT);
    told(s, "task.completed task.ready plan.checkpoint_reached plan.paused");
    cr_assert_str_eq(
        code(plan_change_status(&s->b, &s->b.plans[0], PLAN_ACTIVE, &agent)),
        "plan.awaiting_approval");
    cr_assert_str_eq(code(task_change_status(&s->b, &s->b.tasks[1],
                                             TASK_CLAIMED, STR_NONE, &agent)),
                     "plan.paused");
}

static struct suspension decided(const struct scene *s, enum outcome outcome)
{
    struct suspension q = s->b.asked;
    q.state = SUSPENSION_RESOLVED;
    q.outcome = outcome;
    q.responded_by = STR("alice");
    return q;
}

Test(plan, its_answer_lets_it_go_on_or_ends_it)
{
    static const struct {
        enum outcome outcome;
        enum plan_state state;
        enum task_status second;
    } cases[] = {{OUTCOME_AUTHORIZED, PLAN_ACTIVE, TASK_READY},
                 {OUTCOME_VETOED, PLAN_FAILED, TASK_CANCELLED}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct scene *s = scene();
        gate(s);
        cr_assert_null(task_change_status(&s->b, &s->b.tasks[0],
                                          TASK_COMPLETED, STR_NONE, &agent));
        struct suspension q = decided(s, cases[i].outcome);
        s->b.has_asked = false;
        cr_assert_null(checkpoint_decided(&s->b, &q, event_by_clock()));
        cr_assert_eq(s->b.plans[0].state, cases[i].state);
        cr_assert_eq(s->b.tasks[1].status, cases[i].second);
        cr_assert_eq(s->b.ended_n, 0);
        cr_assert_str_eq(code(checkpoint_decided(&s->b, &q,
                                                 event_by_clock())),
                         i ? "internal" : "");
    }
}

Test(plan, silence_as_the_checkpoint_has_it)
{
    static const struct {
        const char *more;
        bool approves;
        int64_t expires, next; /* seconds after */
        enum fallback_policy policy;
        const char *said;
    } cases[] = {
        {"'on_timeout':'fail'", false, 3600, 0, FALLBACK_FAIL, "is rejected."},
        {"'on_timeout':'escalate'", false, 0, 3600, FALLBACK_FAIL,
         "answers it."},
        {"'on_timeout':'auto_approve'", false, 0, 3600, FALLBACK_FAIL,
         "answers it."},
        {"'on_timeout':'auto_approve'", true, 3600, 0, FALLBACK_COMPLETE,
         "is approved."},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct scene *s = scene();
        struct buf b = buf_make(a, 1000);
        buf_put(&b, "{'name':'x','after':'" ONE "','timeout_hours':1,");
        buf_put(&b, cases[i].more);
        buf_put(&b, "}");
        buf_char(&b, '\0');
        gate(s);
        struct checkpoint *c = s->b.checkpoints;
        *c = checkpoint_of(b.p);
        c->plan_id = STR(TWO);
        c->silence_approves = cases[i].approves;
        cr_assert_null(task_change_status(&s->b, &s->b.tasks[0],
                                          TASK_COMPLETED, STR_NONE, &agent));
        const struct suspension *q = &s->b.asked;
        const int64_t expires = cases[i].expires, next = cases[i].next;
        cr_assert_eq(q->expires_at,
                     expires ? NOW + expires * CLOCK_SECOND : 0);
        cr_assert_eq(q->next_attempt_at,
                     next ? NOW + next * CLOCK_SECOND : 0);
        cr_assert_eq(q->fallback_policy, cases[i].policy);
        cr_assert(str_ends(suspension_on_expiry(a, q),
                           str_of(cases[i].said)));
    }
}

Test(plan, one_of_several_approvers)
{
    const struct suspension q = {.id = STR("q"),
                                 .origin = ORIGIN_CHECKPOINT},
                            other = {.id = STR("o")};
    struct checkpoint c = {
        .suspension_id = q.id,
        .approvers = STR("[\"alice\",\"payments\"]")};
    const struct intent_plans b = {
        .arena = a, .checkpoints = &c, .checkpoints_n = 1};
    const struct principal alice = {.role = ROLE_OPERATOR,
                                    .name = STR("alice")},
                           bob = {.role = ROLE_OPERATOR,
                                  .name = STR("bob"),
                                  .groups = STR("other payments")},
                           carol = {.role = ROLE_ADMIN, .name = STR("carol")};
    cr_assert_null(checkpoint_may(&b, &q, &alice));
    cr_assert_null(checkpoint_may(&b, &q, &bob));
    cr_assert_str_eq(code(checkpoint_may(&b, &q, &carol)),
                     "suspension.not_yours");
    cr_assert_null(checkpoint_may(&b, &other, &carol));
    cr_assert_null(checkpoint_may(NULL, &other, &carol));
}

Test(plan, a_suspension_holds_the_tasks_of_who_asks)
{
    static const struct {
        const char *asker;
        enum task_status first, second;
    } cases[] = {{"worker", TASK_BLOCKED, TASK_RUNNING},
                 {"other", TASK_RUNNING, TASK_BLOCKED},
                 {"third", TASK_BLOCKED, TASK_BLOCKED},
                 {NULL, TASK_BLOCKED, TASK_BLOCKED}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct scene *s = scene();
        struct task *t = s->b.tasks;
        struct intent_plans_change change = {.was = INTENT_ACTIVE,
                                             .asker = str_of(cases[i].asker)};
        t[1].status = TASK_RUNNING;
        t[1].assigned_agent = STR("other");
        s->intent.status = INTENT_SUSPENDED;
        cr_assert_null(intent_plans_follow(&s->b, &change));
        cr_assert_eq(t[0].status, cases[i].first);
        cr_assert_eq(t[1].status, cases[i].second);
        told(s, "task.blocked");
        change.was = INTENT_SUSPENDED;
        s->intent.status = INTENT_BLOCKED;
        cr_assert_null(intent_plans_follow(&s->b, &change));
        s->intent.status = INTENT_ACTIVE;
        change.was = INTENT_BLOCKED;
        cr_assert_null(intent_plans_follow(&s->b, &change));
        cr_assert_eq(t[0].status, TASK_RUNNING);
        cr_assert_eq(t[1].status, TASK_RUNNING);
        cr_assert(t[0].held_at == 0 && t[1].hold == TASK_HOLD_NONE);
        told(s, "task.blocked task.blocked task.unblocked");
    }
}

Test(plan, all_end_with_the_intent)
{
    struct scene *s = scene();
    const struct intent_plans_change change = {.was = INTENT_ACTIVE};
    s->intent.status = INTENT_ABANDONED;
    cr_assert_null(intent_plans_follow(&s->b, &change));
    cr_assert_eq(s->b.tasks[0].status, TASK_CANCELLED);
    cr_assert_eq(s->b.plans[0].state, PLAN_FAILED);
    told(s, "task.cancelled plan.failed");
}

Test(plan, a_ring_of_tasks)
{
    struct scene *s = scene();
    struct task *t = s->b.tasks;
    cr_assert_null(intent_plans_check_depends(&s->b, &t[1]));
    t[0].depends_on = STR("[\"" TWO "\"]");
    cr_assert_str_eq(code(intent_plans_check_depends(&s->b, &t[0])),
                     "task.cycle");
    t[0].depends_on = STR("[\"33333333-2222-4333-8444-555555555555\"]");
    cr_assert_str_eq(code(intent_plans_check_depends(&s->b, &t[0])),
                     "task.unknown");
}

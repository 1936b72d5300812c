/* Tasks: reading them, and their moves. */
#include "domain/plan/task.h"

#include "suite.h"

SUITE(task);

#define ONE "11111111-2222-4333-8444-555555555555"

static const char *code(const struct err *e)
{
    return e ? e->code : "";
}

Test(task, the_defaults_are_filled_in)
{
    struct task t = {.id = STR("t"), .intent_id = STR("i")};
    cr_assert_null(task_read(a, tree("{'name':'Collect'}"), &t));
    const struct json *o = task_json(a, &t, json_array(a));
    cr_assert(json_equal(json_get(o, "input"), json_object(a)));
    cr_assert(json_equal(json_get(o, "metadata"), json_object(a)));
    cr_assert(json_equal(json_get(o, "artifacts"), json_array(a)));
    cr_assert(json_equal(json_get(o, "requires_tools"), json_array(a)));
    cr_assert(str_is(json_get_text(o, "priority"), "normal"));
    cr_assert(str_is(json_get_text(o, "permissions"), "inherit"));
    cr_assert(json_has(o, "output") && !json_get(o, "output"));
    cr_assert(json_int(json_get(o, "max_attempts")) == 3);
}

Test(task, a_change_keeps_the_other_facts)
{
    struct task t = {.facts = json_of("{'input':{'a':1},'error':'x'}")};
    cr_assert_null(task_read_facts(
        a, tree("{'output':{'b':2},'error':null,'other':1}"), &t));
    cr_assert(json_equal(json_read(a, t.facts),
                         tree("{'input':{'a':1},'output':{'b':2}}")));
    cr_assert(t.facts_n == (int64_t)t.facts.n);
}

Test(task, the_work_is_another_one)
{
    static const struct {
        const char *body;
        bool same;
    } cases[] = {
        {"{}", true},
        {"{'description':null,'priority':'normal','input':{'a':1.0}}", true},
        {"{'output':{},'artifacts':[1],'lease_id':'x','error':'x',"
         "'blocked_reason':'x','metadata':{'done':1}}", true},
        {"{'input':{'a':2}}", false},
        {"{'input':null}", false},
        {"{'description':'x'}", false},
        {"{'priority':'high'}", false},
        {"{'timeout_seconds':1}", false},
        {"{'permissions':{}}", false},
    };
    const struct task was = {.name = STR("x"),
                             .depends_on = STR("[]"),
                             .facts = json_of("{'input':{'a':1}}")};
    for (size_t i = 0; i < countof(cases); i++) {
        struct task t = was;
        cr_assert_null(task_read_facts(a, tree(cases[i].body), &t));
        cr_assert(task_same_work(a, &was, &t) == cases[i].same, "%s",
                  cases[i].body);
    }
    struct task t = was;
    t.name = STR("y");
    cr_assert(!task_same_work(a, &was, &t));
    cr_assert(task_same_output(a, &was, &t));
}

Test(task, bodies_that_are_refused)
{
    static const struct {
        const char *body, *code, *at;
    } cases[] = {
        {"{}", "field.missing", "name"},
        {"{'name':''}", "field.empty", "name"},
        {"{'name':'x','max_attempts':101}", "field.range", "max_attempts"},
        {"{'name':'x','timeout_seconds':0}", "field.range",
         "timeout_seconds"},
        {"{'name':'x','artifacts':{}}", "field.type", "artifacts"},
        {"{'name':'x','output':[]}", "field.type", "output"},
        {"{'name':'x','plan_id':'x'}", "field.uuid", "plan_id"},
        {"{'name':'x','assigned_agent':'a b'}", "field.value",
         "assigned_agent"},
        {"{'name':'x','depends_on':['x']}", "field.value", "depends_on"},
        {"{'name':'x','depends_on':['" ONE "','" ONE "']}", "field.value",
         "depends_on"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct task t = {.id = STR("t")};
        const struct err *e = task_read(a, tree(cases[i].body), &t);
        cr_assert_str_eq(code(e), cases[i].code, "%s", cases[i].body);
        cr_assert(str_is(e->at, cases[i].at), "%s", cases[i].body);
    }
}

/* Each row: the status, and the ones that a call may move it to. */
static const struct {
    enum task_status from;
    const char *to;
} moves[] = {
    {TASK_PENDING, "ready cancelled skipped"},
    {TASK_READY, "claimed running cancelled skipped"},
    {TASK_CLAIMED, "ready running cancelled"},
    {TASK_RUNNING, "blocked completed failed cancelled"},
    {TASK_BLOCKED, "running cancelled"},
    {TASK_COMPLETED, ""},
    {TASK_FAILED, "ready cancelled"},
    {TASK_CANCELLED, ""},
    {TASK_SKIPPED, ""},
};

Test(task, moves)
{
    for (size_t i = 0; i < countof(moves); i++) {
        const struct task t = {
            .status = moves[i].from, .attempt = 1, .max_attempts = 2};
        for (enum task_status to = TASK_PENDING; to < TASK_STATUS__MAX; to++) {
            const char *word = vocabulary_task_status(to)->wire.p;
            const bool may = str_listed(str_of(moves[i].to), str_of(word));
            cr_assert_str_eq(code(task_move(&t, to)),
                             may ? "" : "task.transition", "%d to %s",
                             (int)moves[i].from, word);
        }
    }
}

Test(task, a_lost_task_is_not_tried_again)
{
    const struct task t = {
        .status = TASK_FAILED, .attempt = 2, .max_attempts = 2};
    cr_assert(task_lost(&t));
    cr_assert_str_eq(code(task_move(&t, TASK_READY)), "task.transition");
}

Test(task, the_server_lets_go_of_what_it_holds)
{
    const struct task t = {.status = TASK_BLOCKED,
                           .hold = TASK_HOLD_SUSPENDED,
                           .id = STR("t"),
                           .intent_id = STR("i"),
                           .facts = json_of("{'blocked_reason':'mine'}")};
    cr_assert_str_eq(code(task_move(&t, TASK_RUNNING)), "task.suspended");
    cr_assert_null(task_move(&t, TASK_CANCELLED));
    const struct json *o = task_json(a, &t, json_array(a));
    cr_assert(str_is(json_get_text(o, "blocked_reason"), "intent_suspended"));
    cr_assert(str_is(json_get_text(o, "suspended_intent_id"), "i"));
}

/* Coordinators: reading them, their heartbeats, the phases of inputs. */
#include "base/clock.h"
#include "domain/containers/coordinator.h"

#include "suite.h"

SUITE(coordinator);

#define ID "11111111-2222-4333-8444-555555555555"
#define WHOSE "'intent_id':'" ID "','agent_id':'planner'"

static const struct err *read(const char *text, struct coordinator *out)
{
    *out = (struct coordinator){.ended_at = 0};
    return coordinator_read(a, tree(text), out);
}

Test(coordinator, the_defaults)
{
    struct coordinator c;
    cr_assert_null(read("{" WHOSE ",'anything':1}", &c));
    cr_assert(str_is(c.intent_id, ID));
    cr_assert(str_is(c.agent_id, "planner"));
    cr_assert(str_is(c.role, "coordinator"));
    cr_assert_null(c.supervisor_id.p);
    cr_assert_eq(c.type, COORDINATOR_LLM);
    cr_assert_eq(c.policy, COORDINATOR_ISOLATE);
    cr_assert(str_is(c.guardrails, "{}"));
    cr_assert(str_is(c.metadata, "{}"));
    cr_assert_eq(c.heartbeat_seconds, 60);
}

Test(coordinator, what_was_sent)
{
    struct coordinator c;
    cr_assert_null(read("{" WHOSE ",'type':'composite','role':'lead',"
                        "'supervisor_id':'eva@example.org',"
                        "'suspension_policy':'escalate',"
                        "'guardrails':{'on_exceed':'fail','more':[1]},"
                        "'metadata':{'k':1},"
                        "'heartbeat_interval_seconds':5}",
                        &c));
    cr_assert_eq(c.type, COORDINATOR_COMPOSITE);
    cr_assert_eq(c.policy, COORDINATOR_ESCALATE);
    cr_assert(str_is(c.supervisor_id, "eva@example.org"));
    cr_assert(str_eq(c.guardrails,
                     json_of("{'on_exceed':'fail','more':[1]}")));
    cr_assert_eq(c.heartbeat_seconds, 5);
    cr_assert_null(read("{" WHOSE ",'coordinator_type':'human'}", &c));
    cr_assert_eq(c.type, COORDINATOR_HUMAN);
}

Test(coordinator, what_cannot_be_read)
{
    static const struct {
        const char *text, *at, *code;
    } cases[] = {
        {"{}", "intent_id", "field.missing"},
        {"{'intent_id':'" ID "'}", "agent_id", "field.missing"},
        {"{'portfolio_id':'" ID "'}", "agent_id", "field.missing"},
        {"{" WHOSE ",'portfolio_id':'" ID "'}", "portfolio_id",
         "coordinator.portfolio"},
        {"{'intent_id':'" ID "','agent_id':'a b'}", "agent_id", "agent.name"},
        {"{" WHOSE ",'suspension_policy':'stop'}", "suspension_policy",
         "field.value"},
        {"{" WHOSE ",'coordinator_type':'robot'}", "coordinator_type",
         "field.value"},
        {"{" WHOSE ",'guardrails':[]}", "guardrails", "field.type"},
        {"{" WHOSE ",'guardrails':{'on_exceed':'x'}}", "guardrails.on_exceed",
         "field.value"},
        {"{" WHOSE ",'guardrails':{'max_tasks_per_plan':'x'}}",
         "guardrails.max_tasks_per_plan", NULL},
        {"{" WHOSE ",'guardrails':{'requires_plan_review':1}}",
         "guardrails.requires_plan_review", "field.type"},
        {"{" WHOSE ",'heartbeat_interval_seconds':0}",
         "heartbeat_interval_seconds", NULL},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct coordinator c;
        const struct err *e = read(cases[i].text, &c);
        cr_assert_not_null(e, "case %zu", i);
        cr_expect_eq(e->kind, ERR_INVALID, "case %zu", i);
        cr_expect(str_is(e->at, cases[i].at), "case %zu: %.*s", i,
                  STR_FMT(e->at));
        if (cases[i].code)
            cr_expect_str_eq(e->code, cases[i].code, "case %zu", i);
    }
}

Test(coordinator, two_missed_heartbeats)
{
    struct coordinator c = {.heartbeat_seconds = 60,
                            .heartbeat_at = 1000 * CLOCK_SECOND};
    const int64_t lapses = 1120 * CLOCK_SECOND;
    cr_assert_eq(coordinator_lapses_at(&c), lapses);
    cr_assert_eq(coordinator_status(&c, lapses - 1), COORDINATOR_ACTIVE);
    cr_assert_eq(coordinator_status(&c, lapses), COORDINATOR_UNRESPONSIVE);
    const struct json *p =
        coordinator_lapsed(a, &c, lapses + 70 * CLOCK_SECOND);
    cr_assert_eq(json_int(json_get(p, "missed_count")), 3);
    c.ended_at = lapses;
    cr_assert_eq(coordinator_status(&c, lapses + 1), COORDINATOR_COMPLETED);
}

Test(coordinator, inputs_of_a_phase)
{
    static const struct {
        const char *inputs, *phases;
        bool takes;
    } cases[] = {
        {"{'x':'research.findings'}", "{'Find out':'research'}", true},
        {"{'x':'Find out.findings'}", NULL, true},
        {"{'y':1,'x':'Find out.a'}", NULL, true},
        {"{'x':'Find out.a'}", "[]", false},
        {"{'x':'Find out.a'}", "{'Find out':'research'}", false},
        {"{'x':'research2.a'}", "{'Find out':'research'}", false},
        {"{'x':'research'}", "{'Find out':'research'}", false},
        {"{'x':'research.a'}", "{'Other':'research'}", false},
        {"['research.a']", "{'Find out':'research'}", false},
        {"{'x':['research.a']}", "{'Find out':'research'}", false},
        {"{'x':'Find out.a'}", "{'Find out':7}", true},
        {NULL, NULL, false},
    };
    for (size_t i = 0; i < countof(cases); i++)
        cr_expect_eq(coordinator_takes_input(a, json_of(cases[i].inputs),
                                             json_of(cases[i].phases),
                                             STR("Find out")),
                     cases[i].takes, "case %zu", i);
}

Test(coordinator, decision_records)
{
    static const struct {
        const char *more, *at;
    } cases[] = {
        {"", NULL},
        {",'confidence':0.8,'alternatives_considered':[{'a':1}]", NULL},
        {",'confidence':1.1", "confidence"},
        {",'confidence':'x'", "confidence"},
        {",'alternatives_considered':[1]", "alternatives_considered"},
        {",'alternatives_considered':{}", "alternatives_considered"},
        {",'decision_type':'guess'", "decision_type"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct coordinator_decided r;
        struct buf b = buf_make(a, 1000);
        buf_put(&b, "{'coordinator_id':'" ID "','intent_id':'" ID "',"
                    "'summary':'s','rationale':'r'");
        if (i < countof(cases) - 1)
            buf_put(&b, ",'decision_type':'plan_created'");
        buf_put(&b, cases[i].more);
        buf_put(&b, "}");
        const struct err *e =
            coordinator_decided_read(a, tree(arena_z(a, buf_text(&b))), &r);
        if (cases[i].at)
            cr_expect(e && str_is(e->at, cases[i].at), "case %zu", i);
        else
            cr_expect(!e, "case %zu: %s", i, e ? e->code : "");
    }
}

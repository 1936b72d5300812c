/* Costs, attachments and failures: reading them, and what follows. */
#include "base/clock.h"
#include "domain/containers/attachment.h"
#include "domain/containers/cost.h"
#include "domain/containers/failure.h"

#include "suite.h"

SUITE(records);

Test(records, amounts)
{
    static const struct {
        const char *amount, *text; /* NULL: refused */
    } cases[] = {
        {"0", "0"},
        {"12.5", "12.5"},
        {"0.000001", "0.000001"},
        {"0.30000000000000004", "0.3"},
        {"0.0000001", "0"},
        {"1e3", "1000"},
        {"999999999999999", "999999999999999"},
        {"999999999999999.5", "999999999999999.5"},
        {"1000000000000000", NULL},
        {"-1", NULL},
        {"-0.1", NULL},
        {"'5'", NULL},
        {"[]", NULL},
        {"null", NULL},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct cost c = {.provider = STR_NONE};
        struct buf b = buf_make(a, 200);
        buf_put(&b, "{'cost_type':'t','unit':'u','amount':");
        buf_put(&b, cases[i].amount);
        buf_put(&b, "}");
        const struct err *e =
            record_body(a, tree(arena_z(a, buf_text(&b))), &cost_record,
                        &c);
        cr_expect_eq(!e, cases[i].text != NULL, "case %zu", i);
        if (!e && cases[i].text)
            cr_expect(str_is(decimal_text(a, c.amount), cases[i].text),
                      "case %zu", i);
    }
}

Test(records, sums_are_exact)
{
    struct cost v[] = {
        {.cost_type = STR("t"), .agent_id = STR("a"), .metadata = STR("{}"),
         .amount = {.millionths = 100000}},
        {.cost_type = STR("t"), .agent_id = STR("b"), .metadata = STR("{}"),
         .amount = {.millionths = 200000}},
        {.cost_type = STR("total"), .agent_id = STR("a"), .metadata = STR("{}"),
         .amount = {.whole = 7}}};
    const struct cost_rows rows = {.v = v, .n = countof(v)};
    const struct json *s = json_get(cost_report(a, &rows), "summary");
    cr_assert(str_eq(json_dump(a, s, 1000),
                     json_of("{'total':7.3,'by_type':{'t':0.3,'total':7},"
                             "'by_agent':{'a':7.1,'b':0.2}}")));
}

Test(records, both_spellings_of_an_attachment)
{
    struct attachment t;
    cr_assert_null(record_body(
        a, tree("{'filename':'f','content_type':'m','url':'u',"
                "'size_bytes':7}"), &attachment_record, &t));
    cr_assert(str_is(t.mime_type, "m") && str_is(t.storage_url, "u"));
    cr_assert_eq(t.size, 7);
    cr_assert_null(record_body(
        a, tree("{'filename':'f','mime_type':'m','storage_url':'u',"
                "'size':8,'url':'v','content_type':'n','size_bytes':9}"),
        &attachment_record, &t));
    cr_assert(str_is(t.mime_type, "m") && str_is(t.storage_url, "u"));
    cr_assert_eq(t.size, 8);
    const struct err *e = record_body(a, tree("{'filename':'f'}"),
                                      &attachment_record, &t);
    cr_assert(e && str_is(e->at, "mime_type"));
}

Test(records, delays)
{
    static const struct {
        enum failure_strategy strategy;
        int64_t n, ms;
    } cases[] = {
        {FAILURE_FIXED, 1, 1000},       {FAILURE_FIXED, 9, 1000},
        {FAILURE_LINEAR, 3, 3000},      {FAILURE_LINEAR, 9, 5000},
        {FAILURE_EXPONENTIAL, 1, 1000}, {FAILURE_EXPONENTIAL, 3, 4000},
        {FAILURE_EXPONENTIAL, 4, 5000}, {FAILURE_EXPONENTIAL, 1000000, 5000},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct failure_policy p = {.strategy = cases[i].strategy,
                                         .base_delay_ms = 1000,
                                         .max_delay_ms = 5000};
        cr_expect_eq(failure_delay_ms(&p, cases[i].n), cases[i].ms,
                     "case %zu", i);
    }
    const struct failure_policy none = {.strategy = FAILURE_EXPONENTIAL,
                                        .max_delay_ms = 5000};
    cr_expect_eq(failure_delay_ms(&none, 1000000), 0);
}

Test(records, the_next_step)
{
    static const struct {
        enum failure_strategy strategy;
        int64_t retries, threshold;
        const char *fallback, *code;
        bool recoverable;
        int64_t attempt, of_agent, handed;
        enum failure_next next;
    } cases[] = {
        {FAILURE_FIXED, 3, 9, NULL, "X", true, 0, 0, 0, FAILURE_RETRY},
        {FAILURE_FIXED, 3, 9, NULL, "X", true, 3, 0, 0, FAILURE_RETRY},
        {FAILURE_FIXED, 3, 9, NULL, "X", true, 4, 0, 0, FAILURE_ESCALATION},
        {FAILURE_FIXED, 3, 9, "f", "X", true, 4, 0, 0, FAILURE_FALLBACK},
        {FAILURE_FIXED, 3, 9, "me", "X", true, 4, 0, 0, FAILURE_ESCALATION},
        {FAILURE_FIXED, 3, 9, "f", "X", true, 5, 4, 1, FAILURE_NOTHING},
        {FAILURE_FIXED, 9, 3, "f", "X", true, 0, 1, 0, FAILURE_RETRY},
        {FAILURE_FIXED, 9, 3, "f", "X", true, 0, 2, 0, FAILURE_FALLBACK},
        {FAILURE_FIXED, 9, 9, "f", "BUDGET_EXCEEDED", true, 1, 0, 0,
         FAILURE_FALLBACK},
        {FAILURE_FIXED, 9, 9, NULL, "PERMISSION_DENIED", true, 1, 0, 0,
         FAILURE_ESCALATION},
        {FAILURE_FIXED, 9, 9, "f", "X", false, 1, 0, 0, FAILURE_FALLBACK},
        {FAILURE_NO_RETRY, 9, 3, "f", "X", true, 0, 0, 0, FAILURE_NOTHING},
        {FAILURE_NO_RETRY, 0, 3, "f", "X", true, 0, 2, 0, FAILURE_FALLBACK},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct failure_policy p = {
            .strategy = cases[i].strategy,
            .max_retries = cases[i].retries,
            .base_delay_ms = 1000,
            .max_delay_ms = 9000,
            .fallback_agent_id = cases[i].fallback
                                     ? str_of(cases[i].fallback)
                                     : STR_NONE,
            .failure_threshold = cases[i].threshold};
        const struct failure_counts before = {.of_agent = cases[i].of_agent,
                                              .handed = cases[i].handed};
        struct failure f = {.agent_id = STR("me"),
                            .attempt = cases[i].attempt,
                            .error_code = str_of(cases[i].code),
                            .recoverable = cases[i].recoverable,
                            .created_at = 5 * CLOCK_SECOND};
        failure_settle(&p, &(struct governance){.agents_n = 0}, &before, &f);
        cr_expect_eq(f.next, cases[i].next, "case %zu: %d", i, (int)f.next);
        cr_expect_eq(f.retry_at, f.next == FAILURE_RETRY ? 6 * CLOCK_SECOND
                                                         : 0, "case %zu", i);
    }
    struct failure f = {.retry_at = 7, .recoverable = true};
    failure_settle(NULL, NULL, &(struct failure_counts){.of_agent = 4}, &f);
    cr_expect_eq(f.next, FAILURE_NOTHING);
    cr_expect_eq(f.attempt, 5);
    cr_expect_eq(f.retry_at, 7);
}

Test(records, no_agent_that_governance_forbids)
{
    const struct governance any = {.agents_n = 0},
                            two = {.agents = {STR("me"), STR("f")},
                                   .agents_n = 2},
                            other = {.agents = {STR("x")}, .agents_n = 1};
    const struct failure again = {.agent_id = STR("me"),
                                  .next = FAILURE_RETRY},
                         handed = {.agent_id = STR("me"),
                                   .next = FAILURE_FALLBACK};
    const struct failure_policy p = {.strategy = FAILURE_FIXED,
                                     .fallback_agent_id = STR("f"),
                                     .failure_threshold = 1};
    const struct failure_counts before = {.of_agent = 0};
    struct failure f = {.agent_id = STR("me"), .recoverable = true};
    cr_expect_eq(failure_now(&again, STR("f"), &any), FAILURE_RETRY);
    cr_expect_eq(failure_now(&again, STR("f"), &two), FAILURE_RETRY);
    cr_expect_eq(failure_now(&again, STR("x"), &other), FAILURE_FALLBACK);
    cr_expect_eq(failure_now(&again, STR("f"), &other), FAILURE_ESCALATION);
    cr_expect_eq(failure_now(&handed, STR("f"), &two), FAILURE_FALLBACK);
    cr_expect_eq(failure_now(&handed, STR("f"), &other), FAILURE_ESCALATION);
    cr_expect_eq(failure_now(&handed, STR_NONE, &any), FAILURE_ESCALATION);
    failure_settle(&p, &two, &before, &f);
    cr_expect_eq(f.next, FAILURE_FALLBACK);
    failure_settle(&p, &other, &before, &f);
    cr_expect_eq(f.next, FAILURE_ESCALATION);
}

/* The message to an agent's platform when a question has ended. */
#include "base/clock.h"
#include "base/crypt.h"
#include "domain/sending/push.h"

#include "suite.h"

SUITE(push);

/* 2026-11-20T09:26:13.510233Z */
#define NOW INT64_C(1795166773510233)

static const struct {
    enum suspension_state state;
    const char *outcome, *type;
} cases[] = {
    {SUSPENSION_RESOLVED, "authorized", "intent_authorized"},
    {SUSPENSION_RESOLVED, "vetoed", "intent_vetoed"},
    {SUSPENSION_RESOLVED, "changes_requested", "intent_changes_requested"},
    {SUSPENSION_RESOLVED, "answered", "intent_resumed"},
    {SUSPENSION_RESOLVED, "declined", "intent_resumed"},
    {SUSPENSION_RESOLVED, "accepted", "intent_resumed"},
    {SUSPENSION_RESOLVED, "none", "intent_resumed"},
    {SUSPENSION_EXPIRED, "none", "intent_suspension_expired"},
    {SUSPENSION_EXPIRED, "fallback", "intent_suspension_expired"},
    {SUSPENSION_CANCELLED, "none", "intent_suspension_cancelled"},
    /* How it ended goes before what it would have meant. */
    {SUSPENSION_EXPIRED, "authorized", "intent_suspension_expired"},
};

Test(push, type)
{
    for (size_t i = 0; i < countof(cases); i++) {
        const struct suspension s = {.state = cases[i].state,
                                     .outcome = vocabulary_outcome_of(
                                         str_of(cases[i].outcome))};
        cr_assert_str_eq(push_type(&s), cases[i].type, "case %zu", i);
        cr_assert(push_type_known(str_of(cases[i].type)));
    }
    cr_assert_not(push_type_known(STR("event")));
    cr_assert_not(push_type_known(STR("intent.resumed")));
    cr_assert_not(push_type_known(STR_NONE));
}

static struct intent intent(void)
{
    return (struct intent){.id = STR("i-1"),
                           .status = INTENT_ACTIVE,
                           .session_id = STR("sess"),
                           .tail = {.sequence = 7}};
}

static struct suspension answered(int64_t after)
{
    return (struct suspension){.id = STR("s-1"),
                               .intent_id = STR("i-1"),
                               .asked_by = STR("refunds-agent"),
                               .state = SUSPENSION_RESOLVED,
                               .outcome = OUTCOME_VETOED,
                               .response = STR("\"no\""),
                               .reason = STR("Too \"dear\""),
                               .responded_by = STR("eva@example.org"),
                               .suspended_at = NOW - after,
                               .responded_at = NOW};
}

static struct json *body(const struct suspension *s)
{
    const struct intent i = intent();
    struct json *v = NULL;
    const struct str text = push_body(a, &i, s, NULL);
    const struct err *e = json_parse(a, text, &v);
    cr_assert(e == NULL, "%.*s", STR_FMT(text));
    return v;
}

Test(push, body)
{
    const struct suspension s = answered(5 * CLOCK_SECOND + 999999);
    const struct str text = STR(
        "{\"type\":\"intent_vetoed\","
        "\"timestamp\":\"2026-11-20T09:26:13.510233Z\",\"data\":{"
        "\"event\":\"intent_vetoed\",\"intent_id\":\"i-1\","
        "\"suspension_id\":\"s-1\",\"request_id\":\"s-1\","
        "\"session_id\":\"sess\",\"task_id\":null,\"turn_id\":null,"
        "\"kind\":null,\"asked_by\":\"refunds-agent\",\"initiator\":null,"
        "\"outcome\":\"vetoed\",\"value\":\"no\",\"modified\":false,"
        "\"constraints\":null,\"approved_subject\":null,\"reason\":\"Too \\\"dear\\\"\","
        "\"responded_by\":\"eva@example.org\","
        "\"responded_at\":\"2026-11-20T09:26:13.510233Z\","
        "\"waited_seconds\":5,\"stale\":false,\"permit\":null,\"intent_status\":\"active\","
        "\"event_sequence\":7}}");
    cr_assert(json_equal(body(&s), tree_of(text)), "%s", text_of(body(&s)));
}

static bool stale(int64_t after)
{
    const struct suspension s = answered(after);
    return json_bool(json_get(json_get(body(&s), "data"), "stale"));
}

Test(push, stale_after_an_hour)
{
    cr_assert_not(stale(0));
    cr_assert_not(stale(PUSH_STALE_AFTER));
    cr_assert(stale(PUSH_STALE_AFTER + 1));
    cr_assert(stale(72 * PUSH_STALE_AFTER));
}

Test(push, nothing_was_answered)
{
    struct suspension s = answered(0);
    s.state = SUSPENSION_EXPIRED;
    s.response = s.reason = STR_NONE;
    const struct json *data = json_get(body(&s), "data");
    cr_assert(json_has(data, "value") && json_has(data, "reason"));
    cr_assert(json_is(json_get(data, "value"), JSON_NULL));
    cr_assert(json_is(json_get(data, "reason"), JSON_NULL));
}

Test(push, the_part_at_a_callback)
{
    struct suspension s = answered(0);
    const struct intent i = intent();
    s.callback_body = CALLBACK_MESSAGE;
    cr_assert(str_eq(push_callback(a, &i, &s, NULL),
                     push_body(a, &i, &s, NULL)));
    s.callback_body = CALLBACK_DATA;
    struct json *v = tree_of(push_callback(a, &i, &s, NULL));
    cr_assert(json_equal(v, json_get(body(&s), "data")));
    s.callback_body = CALLBACK_ANSWER;
    cr_assert(str_is(push_callback(a, &i, &s, NULL), "\"no\""));
    s.response = STR_NONE;
    cr_assert(str_is(push_callback(a, &i, &s, NULL), "null"));
}

/* The longest answer with the longest reason, each character escaped, and the
 * longest changes. */
Test(push, the_longest_fits)
{
    struct suspension s = answered(0);
    struct buf changes = buf_make(a, SUSPENSION_RECORD_MAX);
    buf_put(&changes, "{\"x\":\"");
    while (changes.n + 3 < SUSPENSION_RECORD_MAX)
        buf_char(&changes, 'x');
    buf_put(&changes, "\"}");
    s.constraints = s.approved_subject = buf_text(&changes);
    struct buf answer = buf_make(a, SUSPENSION_RESPONSE_MAX);
    struct buf reason = buf_make(a, 1 << 20);
    buf_char(&answer, '"');
    while (answer.n + 7 < SUSPENSION_RESPONSE_MAX)
        buf_put(&answer, "\\u0001");
    buf_char(&answer, '"');
    for (int i = 0; i < SUSPENSION_REASON_MAX; i++)
        buf_char(&reason, '\x01');
    s.response = buf_text(&answer);
    s.reason = buf_text(&reason);
    const struct json *data = json_get(body(&s), "data");
    cr_assert(str_eq(json_get_text(data, "reason"), s.reason));
    cr_assert_gt(json_get_text(data, "value").n, 21000);
}

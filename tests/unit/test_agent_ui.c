/* A question as an event of Agent UI: what the stored question says. */
#include "base/clock.h"
#include "base/crypt.h"
#include "domain/answer/agent_ui.h"
#include "domain/answer/resolve.h"
#include "domain/question/suspension_read.h"
#include "domain/question/suspension_seal.h"
#include "kinds.h"
#include "suite.h"

SUITE(agent_ui);

/* 2026-11-20T09:26:13.510233Z */
#define ASKED INT64_C(1795166773510233)

static struct intent goal(void)
{
    return (struct intent){.id = STR("i-1"),
                           .status = INTENT_SUSPENDED,
                           .state = STR("{}"),
                           .session_id = STR("session"),
                           .turn_id = STR("turn")};
}

static void question(enum kind k, const char *more, struct suspension *s)
{
    const char *subject = "{}";
    struct buf b = buf_make(a, 1 << 16);
    for (size_t i = 0; i < countof(kinds); i++)
        subject = kinds[i].kind == k ? kinds[i].subject : subject;
    buf_put(&b, "{'question':'Q?'");
    if (k != KIND_NONE)
        buf_printf(&b, ",'kind':'%s','subject':%s", kind_words(k)->wire.p,
                   subject);
    buf_printf(&b, "%s%s}", *more ? "," : "", more);
    const char *body = arena_z(a, buf_text(&b));
    *s = (struct suspension){.id = STR("s-1"), .asked_by = STR("bot")};
    const struct err *e = suspension_read(a, tree(body), json_of(body), s);
    cr_assert(!e, "%s: %s", body, e ? e->code : "");
    cr_assert(!suspension_seal(a, s, ASKED));
}

static void is(const struct json *o, const char *key, const char *wanted)
{
    cr_assert(str_is(json_get_text(o, key), wanted), "%s: %.*s", key,
              STR_FMT(json_get_text(o, key)));
}

Test(agent_ui, what_is_required)
{
    static const struct {
        enum kind kind;
        const char *more, *owner, *status, *control;
    } rows[] = {
        {KIND_NONE, "", "action", "needs_input", "['approve','reject']"},
        {KIND_NONE, "'choices':[{'value':'a','effect':'authorize'}]",
         "action", "needs_input", "['approve']"},
        {KIND_NONE, "'response_type':'text'", "action", "needs_input",
         "['answer']"},
        {KIND_APPROVAL, "'allow_edit':true", "action", "needs_input",
         "['reject','edit','approve']"},
        {KIND_PERMISSION, "", "policy", "needs_input",
         "['reject','edit','approve']"},
        {KIND_PLAN_REVIEW, "", "action", "plan_ready",
         "['reject','edit','approve']"},
        {KIND_ELICITATION, "", "action", "needs_input",
         "['reject','answer']"},
        {KIND_CREDENTIAL_NEEDED, "", "action", "needs_input",
         "['reject','answer']"},
        {KIND_COST_CONFIRMATION, "", "action", "needs_input",
         "['interrupt','reject','approve']"},
        {KIND_HANDOFF_ACCEPTANCE, "", "action", "needs_input",
         "['reject','approve']"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct suspension s;
        const struct intent g = goal();
        question(rows[i].kind, rows[i].more, &s);
        const struct json *o = agent_ui_event(a, &g, &s);
        is(o, "type", "action.required");
        is(o, "timestamp", "2026-11-20T09:26:13.510233Z");
        is(o, "sessionId", "session");
        is(o, "turnId", "turn");
        is(o, "taskId", "i-1");
        is(o, "agentId", "bot");
        is(o, "actionId", "s-1");
        is(o, "owner", rows[i].owner);
        is(o, "scope", "action_request");
        is(o, "surface", "hitl");
        is(o, "phase", "waiting");
        is(o, "persistence", "snapshot");
        is(o, "runtimeStatus", rows[i].status);
        cr_assert(json_equal(json_get(o, "control"), tree(rows[i].control)),
                  "%zu", i);
        const struct json *p = json_get(o, "payload");
        is(p, "prompt", "Q?");
        cr_assert_eq(json_has(p, "kind"), rows[i].kind != KIND_NONE);
        cr_assert(str_eq(json_get_text(p, "subjectSha256"),
                         s.subject_sha256));
        cr_assert(json_equal(json_get(p, "decisions"),
                             suspension_choices(a, &s)));
        cr_assert(!json_has(p, "outcome") && !json_has(p, "respondedBy"));
    }
}

Test(agent_ui, what_is_not_known_is_left_out)
{
    struct suspension s;
    const struct intent bare = {.id = STR("i-1")};
    question(KIND_NONE, "", &s);
    const struct json *o = agent_ui_event(a, &bare, &s);
    cr_assert(!json_has(o, "sessionId") && !json_has(o, "turnId"));
    const struct json *p = json_get(o, "payload");
    static const char *const absent[] = {"kind", "title", "explanation",
                                         "severity", "schema", "expiresAt"};
    for (size_t i = 0; i < countof(absent); i++)
        cr_assert(!json_has(p, absent[i]), "%s", absent[i]);
    cr_assert_eq(json_count(json_get(o, "refs")), 0);
}

Test(agent_ui, all_that_is_known_is_said)
{
    struct suspension s;
    const struct intent g = goal();
    question(KIND_ELICITATION,
             "'title':'T','explanation':'E','severity':'high',"
             "'timeout_seconds':60,'form':[{'key':'c'}],"
             "'evidence':[{'title':'Log','ref':'run:1'},"
             "{'title':'Mail','ref':'mail:2'}]",
             &s);
    const struct json *o = agent_ui_event(a, &g, &s);
    const struct json *p = json_get(o, "payload");
    is(p, "title", "T");
    is(p, "explanation", "E");
    is(p, "severity", "high");
    is(p, "responseType", "form");
    is(p, "expiresAt", "2026-11-20T09:27:13.510233Z");
    cr_assert(str_eq(json_get_text(p, "onExpiry"),
                     suspension_on_expiry(a, &s)));
    is(json_at(json_get(p, "schema"), 0), "key", "c");
    cr_assert(json_equal(json_get(p, "subject"),
                         tree("{'prompt':'Which colour?'}")));
    cr_assert(json_equal(json_get(o, "refs"), tree("['run:1','mail:2']")));
}

Test(agent_ui, what_is_resolved)
{
    static const struct principal ada = {.role = ROLE_OPERATOR,
                                         .person = true,
                                         .id = {"p-1", 3},
                                         .name = {"ada@example.com", 15}};
    struct suspension s;
    struct intent g = goal();
    struct event_list events = {.n = 0};
    question(KIND_COST_CONFIRMATION, "", &s);
    struct decision d = {.intent = &g, .suspension = &s, .events = &events,
                         .dependencies_done = true,
                         .now = ASKED + CLOCK_SECOND};
    const struct answer w = {.value = tree("'confirm'"),
                             .reason = STR("fine"), .via = VIA_NATIVE,
                             .amend = {.constraints = tree("{'limit':5}")}};
    cr_assert(!resolve_respond(a, &d, &w, &ada));
    const struct json *o = agent_ui_event(a, &g, &s);
    const struct json *p = json_get(o, "payload");
    is(o, "type", "action.resolved");
    is(o, "actionId", "s-1");
    is(o, "timestamp", "2026-11-20T09:26:14.510233Z");
    cr_assert(!json_has(o, "phase") && !json_has(o, "control"));
    cr_assert(!json_has(o, "runtimeStatus"));
    is(p, "kind", "cost_confirmation");
    is(p, "state", "resolved");
    is(p, "outcome", "authorized");
    is(p, "value", "confirm");
    is(p, "reason", "fine");
    is(p, "respondedBy", "ada@example.com");
    cr_assert(json_bool(json_get(p, "modified")));
    cr_assert(json_equal(json_get(p, "constraints"), tree("{'limit':5}")));
    cr_assert(str_eq(json_get_text(p, "auditSummary"), s.audit_summary));
    cr_assert(!json_has(p, "decisions") && !json_has(p, "approvedSha256"));
}

Test(agent_ui, silence_and_taking_back_are_resolved_too)
{
    struct suspension s;
    struct intent g = goal();
    struct event_list events = {.n = 0};
    struct decision d = {.intent = &g, .suspension = &s, .events = &events,
                         .dependencies_done = true,
                         .now = ASKED + 60 * CLOCK_SECOND};
    question(KIND_PERMISSION, "'timeout_seconds':60", &s);
    cr_assert(!resolve_expire(a, &d));
    const struct json *o = agent_ui_event(a, &g, &s);
    is(o, "type", "action.resolved");
    is(json_get(o, "payload"), "state", "expired");
    is(json_get(o, "payload"), "outcome", "none");
    is(json_get(o, "payload"), "respondedBy", "clock");
    cr_assert(!json_bool(json_get(json_get(o, "payload"), "modified")));
    const struct principal asker = {.role = ROLE_AGENT, .agent = STR("bot")};
    question(KIND_PERMISSION, "", &s);
    cr_assert(!resolve_cancel(a, &d, &asker, STR("no need"), INTENT_ACTIVE));
    o = agent_ui_event(a, &g, &s);
    is(o, "type", "action.resolved");
    is(json_get(o, "payload"), "state", "cancelled");
    is(json_get(o, "payload"), "reason", "no need");
}

Test(agent_ui, the_task_is_the_agents_own)
{
    struct suspension s;
    struct intent g = goal();
    question(KIND_APPROVAL, "", &s);
    is(agent_ui_event(a, &g, &s), "taskId", "i-1");
    g.task_id = STR("t-9");
    is(agent_ui_event(a, &g, &s), "taskId", "t-9");
}

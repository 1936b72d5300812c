/* The event that ended a question, among others that have its id. */
#include "domain/question/ending.h"
#include "domain/vocabulary.h"
#include "suite.h"

SUITE(ending);

#define INTENT "0190c2a4-7e1f-7abc-8def-000000000001"
#define NOW INT64_C(1795253504120931)

static struct event event_of(const char *type, const char *payload)
{
    struct event_list *list = arena_new(a, struct event_list);
    struct event_tail tail = {.sequence = 0};
    const struct event_draft draft = {
        .type = type, .by = event_by_server(), .payload = tree(payload)};
    cr_assert_null(event_append(a, STR(INTENT), &draft, NOW, &tail, list));
    return list->v[0];
}

static const struct {
    enum origin origin;
    enum suspension_state state;
    const char *type, *payload;
    enum { NOT, ENDS, ENDS_WITH_YES } ends;
} cases[] = {
    /* Those that hold the intent. */
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "intent.resumed",
     "{'suspension_id':'q1'}", ENDS},
    {ORIGIN_TOOL_CALL, SUSPENSION_EXPIRED, "intent.suspension_expired",
     "{'suspension_id':'q1','fallback_value':'q1'}", ENDS},
    {ORIGIN_AUTHORIZATION, SUSPENSION_CANCELLED, "status_changed",
     "{'suspension_id':'q1','new_status':'active'}", ENDS},
    {ORIGIN_OWN_CHECKPOINT, SUSPENSION_RESOLVED, "intent.resumed",
     "{'suspension_id':'q1'}", ENDS},
    /* Another end than the question has. */
    {ORIGIN_NONE, SUSPENSION_EXPIRED, "intent.resumed",
     "{'suspension_id':'q1'}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "intent.suspension_expired",
     "{'suspension_id':'q1'}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "status_changed",
     "{'suspension_id':'q1','new_status':'abandoned'}", NOT},
    {ORIGIN_NONE, SUSPENSION_PENDING, "intent.resumed",
     "{'suspension_id':'q1'}", NOT},
    /* Another question, whose text or answer has the id. */
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "intent.resumed",
     "{'suspension_id':'q2','reason':'q1'}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "intent.resumed",
     "{'suspension_id':'q2','value':{'suspension_id':'q1'}}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "intent.resumed",
     "{'suspension_id':'q2','value':'\\'suspension_id\\':\\'q1\\''}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "intent.resumed",
     "{'suspension_id':'q11'}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "intent.resumed",
     "{'suspension_id':['q1']}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "intent.resumed",
     "{'suspension_id':123}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "intent.resumed", "{}", NOT},
    /* Events of the same transaction, and those that agents post. */
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "comment",
     "{'suspension_id':'q1','event_type':'intent.resumed'}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "engagement.decision",
     "{'suspension_id':'q1'}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "intent.suspended",
     "{'suspension_id':'q1'}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "portfolio.member_resumed",
     "{'suspension_id':'q1'}", NOT},
    {ORIGIN_NONE, SUSPENSION_RESOLVED, "coordinator.handoff",
     "{'suspension_id':'q1'}", NOT},
    {ORIGIN_CHECKPOINT, SUSPENSION_CANCELLED, "plan.checkpoint_reached",
     "{'suspension_id':'q1'}", NOT},
    /* Side questions. */
    {ORIGIN_APPROVAL, SUSPENSION_RESOLVED, "governance.approval_granted",
     "{'approval_id':'q1'}", ENDS_WITH_YES},
    {ORIGIN_APPROVAL, SUSPENSION_RESOLVED, "governance.approval_denied",
     "{'approval_id':'q1'}", ENDS},
    {ORIGIN_APPROVAL, SUSPENSION_RESOLVED, "governance.approval_denied",
     "{'suspension_id':'q1'}", NOT},
    {ORIGIN_APPROVAL, SUSPENSION_CANCELLED, "decision_recorded",
     "{'request_id':'q1','outcome':'withdrawn'}", ENDS},
    {ORIGIN_APPROVAL, SUSPENSION_RESOLVED, "decision_recorded",
     "{'request_id':'q1','outcome':'withdrawn'}", NOT},
    {ORIGIN_ESCALATION, SUSPENSION_RESOLVED, "coordinator.escalation_resolved",
     "{'escalation_id':'q1'}", ENDS},
    {ORIGIN_ARBITRATION, SUSPENSION_RESOLVED, "decision_recorded",
     "{'arbitration_id':'q1'}", ENDS},
    {ORIGIN_ARBITRATION, SUSPENSION_RESOLVED, "decision_recorded",
     "{'arbitration_id':'q2','outcome':'q1'}", NOT},
    {ORIGIN_ACCESS, SUSPENSION_RESOLVED, "access_request_approved",
     "{'request_id':'q1'}", ENDS_WITH_YES},
    {ORIGIN_ACCESS, SUSPENSION_CANCELLED, "access_request_denied",
     "{'request_id':'q1'}", ENDS},
    {ORIGIN_CHECKPOINT, SUSPENSION_RESOLVED, "plan.checkpoint_approved",
     "{'suspension_id':'q1'}", ENDS_WITH_YES},
    {ORIGIN_CHECKPOINT, SUSPENSION_EXPIRED, "plan.checkpoint_rejected",
     "{'suspension_id':'q1'}", ENDS},
    {ORIGIN_PLAN_REVIEW, SUSPENSION_RESOLVED, "plan.activated",
     "{'suspension_id':'q1'}", ENDS_WITH_YES},
    {ORIGIN_PLAN_REVIEW, SUSPENSION_RESOLVED, "plan.resumed",
     "{'suspension_id':'q1'}", ENDS_WITH_YES},
    /* The end of the intent is that of its side questions. */
    {ORIGIN_ESCALATION, SUSPENSION_CANCELLED, "status_changed",
     "{'new_status':'completed'}", ENDS},
    {ORIGIN_CHECKPOINT, SUSPENSION_CANCELLED, "status_changed",
     "{'new_status':'abandoned','suspension_id':'q2'}", ENDS},
    {ORIGIN_ESCALATION, SUSPENSION_CANCELLED, "status_changed",
     "{'new_status':'active','reason':'completed'}", NOT},
    {ORIGIN_ESCALATION, SUSPENSION_RESOLVED, "status_changed",
     "{'new_status':'completed'}", NOT},
    {ORIGIN_NONE, SUSPENSION_CANCELLED, "status_changed",
     "{'new_status':'abandoned','suspension_id':'q2'}", NOT},
    {ORIGIN_ESCALATION, SUSPENSION_CANCELLED, "comment",
     "{'new_status':'completed'}", NOT}};

Test(ending, is_read_from_the_type_and_the_member_alone)
{
    for (size_t i = 0; i < countof(cases); i++) {
        const struct event e = event_of(cases[i].type, cases[i].payload);
        const struct suspension s = {.id = STR("q1"),
                                     .intent_id = STR(INTENT),
                                     .origin = cases[i].origin,
                                     .state = cases[i].state,
                                     .suspended_at = NOW - 1,
                                     .responded_at = NOW,
                                     .outcome = cases[i].ends == ENDS_WITH_YES
                                                    ? OUTCOME_AUTHORIZED
                                                    : OUTCOME_NONE};
        cr_expect_eq(ending_of(a, &s, &e) == ENDING_THIS, cases[i].ends != NOT,
                     "%zu: %s %s", i, cases[i].type, cases[i].payload);
    }
}

/* A side question ends at the moment of its intent's end: one that was taken
 * back before has another end. */
Test(ending, of_the_intent_at_another_moment)
{
    static const struct {
        int64_t asked, ended;
        bool ends;
    } times[] = {{NOW - 5, NOW, true},
                 {NOW - 5, NOW - 1, false},
                 {NOW - 5, NOW + 1, false},
                 {NOW - 5, NOW - 5, false},
                 {NOW, NOW, true},
                 {NOW + 5, NOW + 5, true}, /* the clock was set back */
                 {NOW + 5, NOW + 6, false}};
    const struct event e =
        event_of("status_changed", "{'new_status':'completed','reason':'q1'}");
    const struct event named = event_of(
        "decision_recorded", "{'request_id':'q1','outcome':'withdrawn'}");
    for (size_t i = 0; i < countof(times); i++) {
        const struct suspension s = {.id = STR("q1"),
                                     .origin = ORIGIN_CHECKPOINT,
                                     .state = SUSPENSION_CANCELLED,
                                     .suspended_at = times[i].asked,
                                     .responded_at = times[i].ended};
        cr_expect_eq(ending_of(a, &s, &e),
                     times[i].ends ? ENDING_THIS : ENDING_NONE, "%zu", i);
        cr_expect_eq(ending_of(a, &s, &named), ENDING_THIS, "%zu", i);
    }
}

/* The event names the question and says another end: its row was changed. */
Test(ending, of_another_state_or_outcome)
{
    static const struct {
        enum origin origin;
        enum suspension_state state;
        enum outcome outcome;
        const char *type, *payload;
    } others[] = {{ORIGIN_NONE, SUSPENSION_PENDING, OUTCOME_UNDECIDED,
                   "intent.resumed", "{'suspension_id':'q1'}"},
                  {ORIGIN_NONE, SUSPENSION_EXPIRED, OUTCOME_NONE,
                   "intent.resumed", "{'suspension_id':'q1'}"},
                  {ORIGIN_NONE, SUSPENSION_EXPIRED, OUTCOME_AUTHORIZED,
                   "intent.suspension_expired", "{'suspension_id':'q1'}"},
                  {ORIGIN_APPROVAL, SUSPENSION_RESOLVED, OUTCOME_AUTHORIZED,
                   "governance.approval_denied", "{'approval_id':'q1'}"},
                  {ORIGIN_CHECKPOINT, SUSPENSION_RESOLVED, OUTCOME_VETOED,
                   "plan.checkpoint_approved", "{'suspension_id':'q1'}"},
                  {ORIGIN_ACCESS, SUSPENSION_CANCELLED, OUTCOME_NONE,
                   "access_request_approved", "{'request_id':'q1'}"}};
    for (size_t i = 0; i < countof(others); i++) {
        const struct event e = event_of(others[i].type, others[i].payload);
        const struct suspension s = {.id = STR("q1"),
                                     .origin = others[i].origin,
                                     .state = others[i].state,
                                     .outcome = others[i].outcome};
        cr_expect_eq(ending_of(a, &s, &e), ENDING_OTHER, "%zu", i);
    }
}

Test(ending, has_only_types_of_the_server)
{
    struct str *types;
    const size_t n = ending_list_types(a, &types);
    for (size_t i = 0; i < n; i++) {
        cr_expect(event_type_known(types[i]));
        cr_expect_not(event_type_postable(types[i], ROLE_AGENT), "%.*s",
                      STR_FMT(types[i]));
        cr_expect_not(event_type_postable(types[i], ROLE_ADMIN), "%.*s",
                      STR_FMT(types[i]));
    }
}

/* Without bytes (an erased event) nothing is read. */
Test(ending, of_no_bytes)
{
    const struct suspension s = {.id = STR("q1"),
                                 .state = SUSPENSION_RESOLVED};
    const struct event e = {.type = STR("intent.resumed"),
                            .canonical = STR("")};
    cr_expect_eq(ending_of(a, &s, &e), ENDING_NONE);
}

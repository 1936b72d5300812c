/* The words of every vocabulary: the tables, and reading them. */
#include "domain/vocabulary.h"

#include <assert.h>

#include "base/json/fields.h"

#define NONE "none"
#define VOCABULARY_WORDS_MAX 24

/* ---- intents and questions ------------------------------------------ */

static const struct vocabulary_word intent_status_words[] = {
    [INTENT_DRAFT] = {.wire = WIRE("draft"), .label = "Draft",
                      .icon = "pencil", .tone = "plain"},
    [INTENT_ACTIVE] = {.wire = WIRE("active"), .label = "Active",
                       .icon = "right", .tone = "plain"},
    [INTENT_BLOCKED] = {.wire = WIRE("blocked"), .label = "Blocked",
                        .icon = "minus", .tone = "medium"},
    [INTENT_SUSPENDED] = {.wire = WIRE("suspended_awaiting_input"),
                          .label = "Waiting", .icon = "clock",
                          .tone = "medium"},
    [INTENT_COMPLETED] = {.wire = WIRE("completed"), .label = "Completed",
                          .icon = "check", .tone = "approved"},
    [INTENT_ABANDONED] = {.wire = WIRE("abandoned"), .label = "Stopped",
                          .icon = "cross", .tone = "rejected"},
};

static const struct vocabulary_word answer_type_words[] = {
    [ANSWER_CHOICE] = {.wire = WIRE("choice")},
    [ANSWER_CONFIRM] = {.wire = WIRE("confirm")},
    [ANSWER_TEXT] = {.wire = WIRE("text")},
    [ANSWER_FORM] = {.wire = WIRE("form")},
};

static const struct vocabulary_word suspension_state_words[] = {
    [SUSPENSION_PENDING] = {.wire = WIRE("pending")},
    [SUSPENSION_RESOLVED] = {.wire = WIRE("resolved")},
    [SUSPENSION_EXPIRED] = {.wire = WIRE("expired")},
    [SUSPENSION_CANCELLED] = {.wire = WIRE("cancelled")},
};

static const struct vocabulary_word fallback_policy_words[] = {
    [FALLBACK_FAIL] = {.wire = WIRE("fail")},
    [FALLBACK_COMPLETE] = {.wire = WIRE("complete_with_fallback")},
    [FALLBACK_CONTINUE] = {.wire = WIRE("use_default_and_continue")},
};

static const struct vocabulary_word severity_words[] = {
    [SEVERITY_UNSAID] = {.label = "Unrated"},
    [SEVERITY_LOW] = {.wire = WIRE("low"), .label = "Low"},
    [SEVERITY_MEDIUM] = {.wire = WIRE("medium"), .label = "Medium"},
    [SEVERITY_HIGH] = {.wire = WIRE("high"), .label = "High"},
    [SEVERITY_CRITICAL] = {.wire = WIRE("critical"), .label = "Critical"},
};

static const struct vocabulary_word responder_mode_words[] = {
    [RESPONDER_OPERATORS] = {.wire = WIRE("operators")},
    [RESPONDER_INITIATOR] = {.wire = WIRE("initiator")},
    [RESPONDER_GROUP] = {.wire = WIRE("group")},
    [RESPONDER_NAMED] = {.wire = WIRE("named")},
    [RESPONDER_AGENT] = {.wire = WIRE("agent")},
};

static const struct vocabulary_word on_reject_words[] = {
    [ON_REJECT_RESUME] = {.wire = WIRE("resume")},
    [ON_REJECT_ABANDON] = {.wire = WIRE("abandon")},
};

static const struct vocabulary_word callback_body_words[] = {
    [CALLBACK_MESSAGE] = {.wire = WIRE("message")},
    [CALLBACK_DATA] = {.wire = WIRE("data")},
    [CALLBACK_ANSWER] = {.wire = WIRE("answer")},
};

static const struct vocabulary_word origin_words[] = {
    [ORIGIN_NONE] = {.ours = false},
    [ORIGIN_TOOL_CALL] = {.wire = WIRE("tool_call")},
    [ORIGIN_AUTHORIZATION] = {.wire = WIRE("authorization")},
    [ORIGIN_APPROVAL] = {.wire = WIRE("approval"),
                         .label = "Approval request",
                         .past = "Approval requested",
                         .icon = "approval"},
    [ORIGIN_ESCALATION] = {.wire = WIRE("escalation"),
                           .label = "Escalation",
                           .past = "Escalated",
                           .icon = "alert"},
    [ORIGIN_ARBITRATION] = {.wire = WIRE("arbitration"),
                            .label = "Arbitration",
                            .past = "Arbitration requested",
                            .icon = "input"},
    [ORIGIN_CHECKPOINT] = {
        .wire = WIRE("checkpoint"), .label = "Checkpoint", .icon = "approval"},
    [ORIGIN_PLAN_REVIEW] = {
        .wire = WIRE("plan_review"), .label = "Plan review", .icon = "plan"},
    [ORIGIN_OWN_CHECKPOINT] = {
        .wire = WIRE("own_checkpoint"), .label = "Checkpoint",
        .icon = "approval"},
    [ORIGIN_ACCESS] = {.wire = WIRE("access"),
                       .label = "Access request",
                       .past = "Access requested",
                       .icon = "permission"},
};

static const struct vocabulary_word completion_mode_words[] = {
    [COMPLETION_AUTO] = {.wire = WIRE("auto")},
    [COMPLETION_QUORUM] = {.wire = WIRE("quorum")},
    [COMPLETION_APPROVAL] = {.wire = WIRE("require_approval")},
};

static const struct vocabulary_word write_scope_words[] = {
    [WRITE_ANY] = {.wire = WIRE("any")},
    [WRITE_ASSIGNED] = {.wire = WIRE("assigned_only")},
};

/* ---- coordinators ---------------------------------------------------- */

static const struct vocabulary_word coordinator_type_words[] = {
    [COORDINATOR_LLM] = {.wire = WIRE("llm")},
    [COORDINATOR_HUMAN] = {.wire = WIRE("human")},
    [COORDINATOR_COMPOSITE] = {.wire = WIRE("composite")},
    [COORDINATOR_SYSTEM] = {.wire = WIRE("system")},
};

static const struct vocabulary_word coordinator_status_words[] = {
    [COORDINATOR_ACTIVE] = {.wire = WIRE("active")},
    [COORDINATOR_UNRESPONSIVE] = {.wire = WIRE("unresponsive")},
    [COORDINATOR_COMPLETED] = {.wire = WIRE("completed")},
};

static const struct vocabulary_word coordinator_policy_words[] = {
    [COORDINATOR_ISOLATE] = {.wire = WIRE("isolate")},
    [COORDINATOR_BLOCK_DEPENDENTS] = {.wire = WIRE("block_dependents")},
    [COORDINATOR_ESCALATE] = {.wire = WIRE("escalate")},
};

static const struct vocabulary_word coordinator_exceed_words[] = {
    [COORDINATOR_EXCEED_PAUSE] = {.wire = WIRE("pause")},
    [COORDINATOR_EXCEED_ESCALATE] = {.wire = WIRE("escalate")},
    [COORDINATOR_EXCEED_BOTH] = {.wire = WIRE("pause_and_escalate")},
    [COORDINATOR_EXCEED_FAIL] = {.wire = WIRE("fail")},
};

static const struct vocabulary_word coordinator_decision_words[] = {
    [COORDINATOR_PLAN_CREATED] = {.wire = WIRE("plan_created")},
    [COORDINATOR_PLAN_MODIFIED] = {.wire = WIRE("plan_modified")},
    [COORDINATOR_TASK_ASSIGNED] = {.wire = WIRE("task_assigned")},
    [COORDINATOR_TASK_DELEGATED] = {.wire = WIRE("task_delegated")},
    [COORDINATOR_ESCALATION_INITIATED] = {.wire = WIRE("escalation_initiated")},
    [COORDINATOR_ESCALATION_RESOLVED] = {.wire = WIRE("escalation_resolved")},
    [COORDINATOR_CHECKPOINT_EVALUATED] = {.wire = WIRE("checkpoint_evaluated")},
    [COORDINATOR_FAILURE_HANDLED] = {.wire = WIRE("failure_handled")},
    [COORDINATOR_GUARDRAIL_APPROACHED] = {.wire = WIRE("guardrail_approached")},
    [COORDINATOR_HANDED_OFF] = {.wire = WIRE("coordinator_handoff")},
};

/* ---- failures -------------------------------------------------------- */

static const struct vocabulary_word failure_strategy_words[] = {
    [FAILURE_NO_RETRY] = {.wire = WIRE("none")},
    [FAILURE_FIXED] = {.wire = WIRE("fixed")},
    [FAILURE_EXPONENTIAL] = {.wire = WIRE("exponential")},
    [FAILURE_LINEAR] = {.wire = WIRE("linear")},
};

static const struct vocabulary_word failure_next_words[] = {
    [FAILURE_NOTHING] = {.wire = WIRE("nothing")},
    [FAILURE_RETRY] = {.wire = WIRE("retry")},
    [FAILURE_FALLBACK] = {.wire = WIRE("fallback")},
    [FAILURE_ESCALATION] = {.wire = WIRE("escalation")},
};

/* ---- choices and lists ----------------------------------------------- */

static const struct vocabulary_word takes_words[] = {
    [TAKES_NOTHING] = {.ours = false},
    [TAKES_LIMIT] = {.wire = WIRE("limit")},
    [TAKES_SECONDS] = {.wire = WIRE("seconds")},
    [TAKES_CONSTRAINTS] = {.wire = WIRE("constraints")},
    [TAKES_STEPS] = {.wire = WIRE("steps")},
    [TAKES_SUBJECT] = {.wire = WIRE("subject")},
};

static const struct vocabulary_word reason_need_words[] = {
    [REASON_NONE] = {.wire = WIRE("none")},
    [REASON_OPTIONAL] = {.wire = WIRE("optional")},
    [REASON_REQUIRED] = {.wire = WIRE("required")},
    [REASON_REQUIRED_HIGH] = {.ours = true},
};

static const struct vocabulary_word inbox_view_words[] = {
    [INBOX_MAY] = {.wire = WIRE("may"), .label = "Inbox"},
    [INBOX_MINE] = {.wire = WIRE("mine"), .label = "Mine"},
    [INBOX_GROUPS] = {.wire = WIRE("groups"), .label = "My groups"},
    [INBOX_ALL] = {.wire = WIRE("all"), .label = "All open"},
    [INBOX_OTHERS] = {.wire = WIRE("others"), .label = "Waiting for others"},
};

/* ---- answers -------------------------------------------------------- */

static const struct vocabulary_word effect_words[] = {
    [EFFECT_NONE] = {.wire = WIRE("none"), .label = ""},
    [EFFECT_AUTHORIZE] = {.wire = WIRE("authorize"), .label = "Approve"},
    [EFFECT_AUTHORIZE_MODIFIED] = {.wire = WIRE("authorize_modified"),
                                   .label = "Approve with changes",
                                   .ours = true},
    [EFFECT_VETO] = {.wire = WIRE("veto"), .label = "Reject"},
    [EFFECT_REQUEST_CHANGES] = {.wire = WIRE("request_changes"),
                                .label = "Request changes"},
    [EFFECT_ANSWER] = {.wire = WIRE("answer"), .label = "Answer"},
    [EFFECT_DECLINE] = {.wire = WIRE("decline"), .label = "Decline"},
    [EFFECT_ACCEPT] = {.wire = WIRE("accept"), .label = "Accept"},
    [EFFECT_ESCALATE] = {.wire = WIRE("escalate"), .label = "Escalate",
                         .ours = true},
    [EFFECT_STOP_TASK] = {.wire = WIRE("stop_task"), .label = "Stop the task"},
};

static const struct vocabulary_word outcome_words[] = {
    [OUTCOME_UNDECIDED] = {.ours = false},
    [OUTCOME_AUTHORIZED] = {.wire = WIRE("authorized"),
                            .label = "Approved",
                            .past = "approved this",
                            .icon = "check", .tone = "approved"},
    [OUTCOME_VETOED] = {.wire = WIRE("vetoed"),
                        .label = "Rejected",
                        .past = "rejected this",
                        .icon = "cross", .tone = "rejected"},
    [OUTCOME_CHANGES_REQUESTED] = {.wire = WIRE("changes_requested"),
                                   .label = "Changes requested",
                                   .past = "asked for changes",
                                   .icon = "pencil", .tone = "plain"},
    [OUTCOME_ANSWERED] = {.wire = WIRE("answered"),
                          .label = "Answered",
                          .past = "answered this",
                          .icon = "check", .tone = "plain"},
    [OUTCOME_ACCEPTED] = {.wire = WIRE("accepted"),
                          .label = "Accepted",
                          .past = "accepted this",
                          .icon = "check", .tone = "plain"},
    [OUTCOME_DECLINED] = {.wire = WIRE("declined"),
                          .label = "Declined",
                          .past = "declined this",
                          .icon = "minus", .tone = "plain"},
    [OUTCOME_FALLBACK] = {.wire = WIRE("fallback"),
                          .label = "Answered",
                          .past = "answered this",
                          .icon = "check", .tone = "plain"},
    [OUTCOME_NONE] = {.wire = WIRE("none"),
                      .label = "Other",
                      .past = "answered this",
                      .icon = "check", .tone = "plain"},
    [OUTCOME_EXPIRED] = {.wire = WIRE("expired"),
                         .label = "Expired",
                         .icon = "clock",
                         .tone = "plain", .ours = true},
    [OUTCOME_WITHDRAWN] = {.wire = WIRE("withdrawn"),
                           .label = "Withdrawn", .ours = true,
                           .icon = "undo", .tone = "plain"},
};

static const struct vocabulary_word via_words[] = {
    [VIA_NONE] = {.past = ""},
    [VIA_BROWSER] = {.wire = WIRE("browser"), .label = "Web",
                     .past = "in the browser"},
    [VIA_NATIVE] = {.wire = WIRE("native"), .label = "API",
                    .past = "via the API"},
    [VIA_OPENINTENT] = {.wire = WIRE("openintent"), .label = "OpenIntent",
                        .past = "via OpenIntent"},
    [VIA_TOOL_CALL] = {.wire = WIRE("tool_call"), .label = "Tool call",
                       .past = "via the tool-call API"},
    [VIA_CLOCK] = {.wire = WIRE("clock"), .label = "Timeout",
                   .past = "by timeout"},
};

/* ---- leases and messages -------------------------------------------- */

static const struct vocabulary_word lease_status_words[] = {
    [LEASE_ACTIVE] = {.wire = WIRE("active")},
    [LEASE_RELEASED] = {.wire = WIRE("released")},
    [LEASE_EXPIRED] = {.wire = WIRE("expired")},
    [LEASE_REVOKED] = {.wire = WIRE("revoked")},
};

static const struct vocabulary_word delivery_state_words[] = {
    [DELIVERY_DELIVERED] = {.wire = WIRE("delivered"), .label = "Delivered",
                            .icon = "check", .tone = "plain"},
    [DELIVERY_PENDING] = {.wire = WIRE("pending"), .label = "Pending",
                          .icon = "clock", .tone = "plain"},
    [DELIVERY_FAILED] = {.wire = WIRE("failed"), .label = "Failed",
                         .icon = "alert", .tone = "high"},
};

static const struct vocabulary_word endpoint_kind_words[] = {
    [ENDPOINT_MAIL] = {.wire = WIRE("mail"), .label = "Mail"},
    [ENDPOINT_SLACK] = {.wire = WIRE("slack"), .label = "Slack"},
    [ENDPOINT_WEBHOOK] = {.wire = WIRE("webhook"), .label = "Webhook"},
    [ENDPOINT_PUSH] = {.wire = WIRE("push"), .label = "Web Push"},
    [ENDPOINT_AGENT] = {.wire = WIRE("agent"), .label = "Agent"},
};

static const struct vocabulary_word channel_detail_words[] = {
    [CHANNEL_TITLE] = {.wire = WIRE("title")},
    [CHANNEL_SUMMARY] = {.wire = WIRE("summary")},
    [CHANNEL_ALL] = {.wire = WIRE("all")},
};

/* ---- tool calls and permits ----------------------------------------- */

static const struct vocabulary_word tool_effect_words[] = {
    [TOOL_ALLOW] = {.wire = WIRE("allow"), .label = "Allow"},
    [TOOL_ASK] = {.wire = WIRE("ask"), .label = "Ask"},
    [TOOL_DENY] = {.wire = WIRE("deny"), .label = "Deny"},
};

static const struct vocabulary_word permit_state_words[] = {
    [PERMIT_ASKED] = {.wire = WIRE("asked")},
    [PERMIT_ACTIVE] = {.wire = WIRE("active")},
    [PERMIT_SPENT] = {.wire = WIRE("spent")},
    [PERMIT_REFUSED] = {.wire = WIRE("refused")},
    [PERMIT_REVOKED] = {.wire = WIRE("revoked")},
};

static const struct vocabulary_word permit_view_words[] = {
    [PERMIT_VIEW_PENDING] = {.wire = WIRE("pending_veto"),
                             .label = "Waiting for an answer",
                             .icon = "clock", .tone = "plain"},
    [PERMIT_VIEW_AUTHORIZED] = {.wire = WIRE("authorized"),
                                .label = "Not used yet",
                                .icon = "check", .tone = "approved"},
    [PERMIT_VIEW_EXECUTING] = {.wire = WIRE("executing"),
                               .label = "In use, no result yet",
                               .icon = "clock", .tone = "plain"},
    [PERMIT_VIEW_COMPLETED] = {.wire = WIRE("completed"),
                               .label = "Completed",
                               .icon = "check", .tone = "plain"},
    [PERMIT_VIEW_FAILED] = {.wire = WIRE("failed"),
                            .label = "Failed",
                            .icon = "cross", .tone = "rejected"},
    [PERMIT_VIEW_VETOED] = {.wire = WIRE("vetoed"),
                            .label = "Not granted",
                            .icon = "cross", .tone = "plain"},
    [PERMIT_VIEW_EXPIRED] = {.wire = WIRE("expired"),
                             .label = "Not granted",
                             .icon = "clock", .tone = "plain"},
    [PERMIT_VIEW_REVOKED] = {.wire = WIRE("revoked"),
                             .label = "Revoked",
                             .icon = "cross", .tone = "rejected"},
    [PERMIT_VIEW_LAPSED] = {.wire = WIRE("lapsed"),
                            .label = "Ended",
                            .icon = "clock", .tone = "plain"},
};

static const struct vocabulary_word redemption_result_words[] = {
    [REDEMPTION_OPEN] = {.label = "No result yet"},
    [REDEMPTION_COMPLETED] = {.wire = WIRE("completed"), .label = "Completed"},
    [REDEMPTION_FAILED] = {.wire = WIRE("failed"), .label = "Failed"},
};

/* ---- tasks and plans ------------------------------------------------- */

static const struct vocabulary_word task_status_words[] = {
    [TASK_PENDING] = {.wire = WIRE("pending"), .label = "Pending",
                      .icon = "clock", .tone = "plain"},
    [TASK_READY] = {.wire = WIRE("ready"), .label = "Ready",
                    .icon = "low", .tone = "plain"},
    [TASK_CLAIMED] = {.wire = WIRE("claimed"), .label = "Claimed",
                      .icon = "handoff", .tone = "plain"},
    [TASK_RUNNING] = {.wire = WIRE("running"), .label = "Running",
                      .icon = "right", .tone = "plain"},
    [TASK_BLOCKED] = {.wire = WIRE("blocked"), .label = "Blocked",
                      .icon = "minus", .tone = "medium"},
    [TASK_COMPLETED] = {.wire = WIRE("completed"), .label = "Completed",
                        .icon = "check", .tone = "approved"},
    [TASK_FAILED] = {.wire = WIRE("failed"), .label = "Failed",
                     .icon = "cross", .tone = "rejected"},
    [TASK_CANCELLED] = {.wire = WIRE("cancelled"), .label = "Cancelled",
                        .icon = "cross", .tone = "plain"},
    [TASK_SKIPPED] = {.wire = WIRE("skipped"), .label = "Skipped",
                      .icon = "minus", .tone = "plain"},
};

static const struct vocabulary_word task_hold_words[] = {
    [TASK_HOLD_NONE] = {.ours = false},
    [TASK_HOLD_SUSPENDED] = {.wire = WIRE("intent_suspended"),
                             .label = "Waits for an answer"},
    [TASK_HOLD_DEPENDENCIES] = {.wire = WIRE("dependencies_open"),
                                .label = "Waits for other tasks"},
};

static const struct vocabulary_word plan_state_words[] = {
    [PLAN_DRAFT] = {.wire = WIRE("draft"), .label = "Draft",
                    .icon = "pencil", .tone = "plain"},
    [PLAN_ACTIVE] = {.wire = WIRE("active"), .label = "Active",
                     .icon = "right", .tone = "plain"},
    [PLAN_PAUSED] = {.wire = WIRE("paused"), .label = "Paused",
                     .icon = "minus", .tone = "medium"},
    [PLAN_COMPLETED] = {.wire = WIRE("completed"), .label = "Completed",
                        .icon = "check", .tone = "approved"},
    [PLAN_FAILED] = {.wire = WIRE("failed"), .label = "Failed",
                     .icon = "cross", .tone = "rejected"},
    [PLAN_CANCELLED] = {.wire = WIRE("cancelled"), .label = "Cancelled",
                        .icon = "cross", .tone = "plain"},
};

static const struct vocabulary_word plan_pause_words[] = {
    [PLAN_PAUSE_NONE] = {.label = "by its agent"},
    [PLAN_PAUSE_CHECKPOINT] = {.wire = WIRE("checkpoint"),
                               .label = "at a checkpoint"},
    [PLAN_PAUSE_FAILURE] = {.wire = WIRE("failure"),
                            .label = "after a step failed"},
    [PLAN_PAUSE_REVIEW] = {.wire = WIRE("plan_review"),
                           .label = "for a review"},
};

static const struct vocabulary_word plan_failure_words[] = {
    [PLAN_FAILURE_ESCALATE] = {.wire = WIRE("pause_and_escalate")},
    [PLAN_FAILURE_FAIL] = {.wire = WIRE("fail")},
    [PLAN_FAILURE_NOTIFY] = {.wire = WIRE("notify")},
    [PLAN_FAILURE_RETRY] = {.wire = WIRE("retry")},
};

static const struct vocabulary_word checkpoint_status_words[] = {
    [CHECKPOINT_PENDING] = {.wire = WIRE("pending"), .label = "Not reached",
                            .icon = "clock", .tone = "plain"},
    [CHECKPOINT_REACHED] = {.wire = WIRE("reached"), .label = "Reached",
                            .icon = "check", .tone = "plain"},
    [CHECKPOINT_APPROVED] = {.wire = WIRE("approved"), .label = "Approved",
                             .icon = "check", .tone = "approved"},
    [CHECKPOINT_REJECTED] = {.wire = WIRE("rejected"), .label = "Rejected",
                             .icon = "cross", .tone = "rejected"},
};

static const struct vocabulary_word checkpoint_timeout_words[] = {
    [CHECKPOINT_TIMEOUT_ESCALATE] = {.wire = WIRE("escalate")},
    [CHECKPOINT_TIMEOUT_APPROVE] = {.wire = WIRE("auto_approve")},
    [CHECKPOINT_TIMEOUT_FAIL] = {.wire = WIRE("fail")},
};

static const struct vocabulary_word checkpoint_reject_words[] = {
    [CHECKPOINT_REJECT_FAIL] = {.wire = WIRE("fail")},
    [CHECKPOINT_REJECT_RETRY] = {.wire = WIRE("retry")},
};

/* ---- access ---------------------------------------------------------- */

static const struct vocabulary_word reach_words[] = {
    [REACH_OWN] = {.wire = WIRE("own")},
    [REACH_ALL] = {.wire = WIRE("all")},
};

static const struct vocabulary_word access_words[] = {
    [ACCESS_NONE] = {.ours = false},
    [ACCESS_READ] = {.wire = WIRE("read")},
    [ACCESS_WRITE] = {.wire = WIRE("write")},
    [ACCESS_ADMIN] = {.wire = WIRE("admin")},
};

/* ---- portfolios ------------------------------------------------------ */

static const struct vocabulary_word portfolio_status_words[] = {
    [PORTFOLIO_ACTIVE] = {.wire = WIRE("active"), .label = "Active",
                          .icon = "right", .tone = "plain"},
    [PORTFOLIO_COMPLETED] = {.wire = WIRE("completed"), .label = "Completed",
                             .icon = "check", .tone = "approved"},
    [PORTFOLIO_ABANDONED] = {.wire = WIRE("abandoned"), .label = "Stopped",
                             .icon = "cross", .tone = "rejected"},
};

static const struct vocabulary_word member_role_words[] = {
    [MEMBER_PRIMARY] = {.wire = WIRE("primary"), .label = "Primary"},
    [MEMBER_PLAIN] = {.wire = WIRE("member"), .label = "Member"},
    [MEMBER_DEPENDENCY] = {.wire = WIRE("dependency"), .label = "Dependency"},
};

static const struct vocabulary_word log_scope_words[] = {
    [LOG_SCOPE_INTENT] = {.wire = WIRE("intent")},
    [LOG_SCOPE_SERVER] = {.wire = WIRE("server")},
};

static const struct vocabulary_word signing_key_state_words[] = {
    [SIGNING_KEY_NEXT] = {.wire = WIRE("next")},
    [SIGNING_KEY_CURRENT] = {.wire = WIRE("current")},
    [SIGNING_KEY_RETIRED] = {.wire = WIRE("retired")},
    [SIGNING_KEY_COMPROMISED] = {.wire = WIRE("compromised")},
};

/* ---- reading them --------------------------------------------------- */

unsigned vocabulary_value(const struct vocabulary *v, struct str word)
{
    unsigned i = 0;
    for (; i < v->n; i++) {
        const struct str wire = v->word(i)->wire;
        if (wire.p ? str_eq(word, wire) : word.p == NULL)
            break;
    }
    return i;
}

unsigned vocabulary_read(const struct vocabulary *v, struct fields *f,
                         const char *key)
{
    const char *sent[VOCABULARY_WORDS_MAX] = {NULL};
    for (unsigned i = 0; i < v->n; i++)
        sent[i] = v->word(i)->ours ? NULL : v->word(i)->wire.p;
    return (unsigned)fields_index(f, key, sent, v->n);
}

const char *vocabulary_list(struct arena *a, const struct vocabulary *v,
                            unsigned set)
{
    struct buf b = buf_make(a, 256);
    for (unsigned i = 0; i < v->n; i++) {
        if (set & (1U << i)) {
            buf_put(&b, b.n ? " " : "");
            buf_str(&b, v->word(i)->wire);
        }
    }
    return arena_z(a, buf_text(&b));
}

struct str vocabulary_key(const struct vocabulary_word *word)
{
    return word->wire.p ? word->wire : STR(NONE);
}

struct str vocabulary_of_key(struct str key)
{
    return str_is(key, NONE) ? STR_NONE : key;
}

/* The functions of an enum whose last value is max_. */
#define WORDS(name_, max_)                                                     \
    static_assert(countof(name_##_words) == (max_), "a row each");             \
    static_assert((max_) <= VOCABULARY_WORDS_MAX, "room to read them");        \
    const struct vocabulary_word *vocabulary_##name_(enum name_ value)         \
    {                                                                          \
        return value < (max_) ? &name_##_words[value] : &unknown;              \
    }                                                                          \
    const struct vocabulary vocabulary_##name_##_all = {vocabulary_##name_,    \
                                                        (max_)};               \
    enum name_ vocabulary_##name_##_of(struct str word)                        \
    {                                                                          \
        return (enum name_)vocabulary_value(&vocabulary_##name_##_all, word);  \
    }                                                                          \
    enum name_ vocabulary_##name_##_read(struct fields *f, const char *key)    \
    {                                                                          \
        return (enum name_)vocabulary_read(&vocabulary_##name_##_all, f, key); \
    }

static const struct vocabulary_word unknown;

WORDS(intent_status, INTENT_STATUS__MAX)
WORDS(answer_type, ANSWER_TYPE__MAX)
WORDS(suspension_state, SUSPENSION_STATE__MAX)
WORDS(fallback_policy, FALLBACK_POLICY__MAX)
WORDS(severity, SEVERITY__MAX)
WORDS(effect, EFFECT__MAX)
WORDS(outcome, OUTCOME__MAX)
WORDS(via, VIA__MAX)
WORDS(origin, ORIGIN__MAX)
WORDS(takes, TAKES__MAX)
WORDS(completion_mode, COMPLETION_MODE__MAX)
WORDS(write_scope, WRITE_SCOPE__MAX)
WORDS(coordinator_type, COORDINATOR_TYPE__MAX)
WORDS(coordinator_status, COORDINATOR_STATUS__MAX)
WORDS(coordinator_policy, COORDINATOR_POLICY__MAX)
WORDS(coordinator_exceed, COORDINATOR_EXCEED__MAX)
WORDS(coordinator_decision, COORDINATOR_DECISION__MAX)
WORDS(failure_strategy, FAILURE_STRATEGY__MAX)
WORDS(failure_next, FAILURE_NEXT__MAX)
WORDS(reason_need, REASON_NEED__MAX)
WORDS(responder_mode, RESPONDER_MODE__MAX)
WORDS(on_reject, ON_REJECT__MAX)
WORDS(callback_body, CALLBACK_BODY__MAX)
WORDS(lease_status, LEASE_STATUS__MAX)
WORDS(delivery_state, DELIVERY_STATE__MAX)
WORDS(endpoint_kind, ENDPOINT_KIND__MAX)
WORDS(channel_detail, CHANNEL_DETAIL__MAX)
WORDS(inbox_view, INBOX_VIEW__MAX)
WORDS(tool_effect, TOOL_EFFECT__MAX)
WORDS(permit_state, PERMIT_STATE__MAX)
WORDS(permit_view, PERMIT_VIEW__MAX)
WORDS(redemption_result, REDEMPTION_RESULT__MAX)
WORDS(task_status, TASK_STATUS__MAX)
WORDS(task_hold, TASK_HOLD__MAX)
WORDS(plan_state, PLAN_STATE__MAX)
WORDS(plan_pause, PLAN_PAUSE__MAX)
WORDS(plan_failure, PLAN_FAILURE__MAX)
WORDS(checkpoint_status, CHECKPOINT_STATUS__MAX)
WORDS(checkpoint_timeout, CHECKPOINT_TIMEOUT__MAX)
WORDS(checkpoint_reject, CHECKPOINT_REJECT__MAX)
WORDS(reach, REACH__MAX)
WORDS(access, ACCESS__MAX)
WORDS(portfolio_status, PORTFOLIO_STATUS__MAX)
WORDS(member_role, MEMBER_ROLE__MAX)
WORDS(log_scope, LOG_SCOPE__MAX)
WORDS(signing_key_state, SIGNING_KEY_STATE__MAX)

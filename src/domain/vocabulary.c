/* The words of every vocabulary: the tables, and reading them. */
#include "domain/vocabulary.h"

#include <assert.h>

#include "base/fields.h"

#define NONE "none"

/* ---- intents and questions ------------------------------------------ */

static const struct vocabulary_word intent_status_words[] = {
    [INTENT_DRAFT] = {.wire = "draft", .label = "Draft",
                      .icon = "pencil", .tone = "plain"},
    [INTENT_ACTIVE] = {.wire = "active", .label = "Active",
                       .icon = "right", .tone = "plain"},
    [INTENT_BLOCKED] = {.wire = "blocked", .label = "Blocked",
                        .icon = "minus", .tone = "medium"},
    [INTENT_SUSPENDED] = {.wire = "suspended_awaiting_input",
                          .label = "Waiting",
                          .icon = "clock", .tone = "medium"},
    [INTENT_COMPLETED] = {.wire = "completed", .label = "Completed",
                          .icon = "check", .tone = "approved"},
    [INTENT_ABANDONED] = {.wire = "abandoned", .label = "Stopped",
                          .icon = "cross", .tone = "rejected"},
};

static const struct vocabulary_word answer_type_words[] = {
    [ANSWER_CHOICE] = {.wire = "choice"},
    [ANSWER_CONFIRM] = {.wire = "confirm"},
    [ANSWER_TEXT] = {.wire = "text"},
    [ANSWER_FORM] = {.wire = "form"},
};

static const struct vocabulary_word suspension_state_words[] = {
    [SUSPENSION_PENDING] = {.wire = "pending"},
    [SUSPENSION_RESOLVED] = {.wire = "resolved"},
    [SUSPENSION_EXPIRED] = {.wire = "expired"},
    [SUSPENSION_CANCELLED] = {.wire = "cancelled"},
};

static const struct vocabulary_word fallback_policy_words[] = {
    [FALLBACK_FAIL] = {.wire = "fail"},
    [FALLBACK_COMPLETE] = {.wire = "complete_with_fallback"},
    [FALLBACK_CONTINUE] = {.wire = "use_default_and_continue"},
};

static const struct vocabulary_word severity_words[] = {
    [SEVERITY_UNSAID] = {.wire = NULL, .label = "Unrated"},
    [SEVERITY_LOW] = {.wire = "low", .label = "Low"},
    [SEVERITY_MEDIUM] = {.wire = "medium", .label = "Medium"},
    [SEVERITY_HIGH] = {.wire = "high", .label = "High"},
    [SEVERITY_CRITICAL] = {.wire = "critical", .label = "Critical"},
};

static const struct vocabulary_word responder_mode_words[] = {
    [RESPONDER_OPERATORS] = {.wire = "operators"},
    [RESPONDER_INITIATOR] = {.wire = "initiator"},
    [RESPONDER_GROUP] = {.wire = "group"},
    [RESPONDER_NAMED] = {.wire = "named"},
    [RESPONDER_AGENT] = {.wire = "agent"},
};

static const struct vocabulary_word on_reject_words[] = {
    [ON_REJECT_RESUME] = {.wire = "resume"},
    [ON_REJECT_ABANDON] = {.wire = "abandon"},
};

static const struct vocabulary_word callback_body_words[] = {
    [CALLBACK_MESSAGE] = {.wire = "message"},
    [CALLBACK_DATA] = {.wire = "data"},
    [CALLBACK_ANSWER] = {.wire = "answer"},
};

static const struct vocabulary_word origin_words[] = {
    [ORIGIN_NONE] = {.wire = NULL},
    [ORIGIN_TOOL_CALL] = {.wire = "tool_call"},
    [ORIGIN_AUTHORIZATION] = {.wire = "authorization"},
    [ORIGIN_APPROVAL] = {.wire = "approval",
                         .label = "Approval request",
                         .past = "Approval requested",
                         .icon = "approval"},
    [ORIGIN_ESCALATION] = {.wire = "escalation",
                           .label = "Escalation",
                           .past = "Escalated",
                           .icon = "alert"},
    [ORIGIN_ARBITRATION] = {.wire = "arbitration",
                            .label = "Arbitration",
                            .past = "Arbitration requested",
                            .icon = "input"},
    [ORIGIN_CHECKPOINT] = {
        .wire = "checkpoint", .label = "Checkpoint", .icon = "approval"},
    [ORIGIN_PLAN_REVIEW] = {
        .wire = "plan_review", .label = "Plan review", .icon = "plan"},
    [ORIGIN_OWN_CHECKPOINT] = {
        .wire = "own_checkpoint", .label = "Checkpoint", .icon = "approval"},
    [ORIGIN_ACCESS] = {.wire = "access",
                       .label = "Access request",
                       .past = "Access requested",
                       .icon = "permission"},
};

static const struct vocabulary_word completion_mode_words[] = {
    [COMPLETION_AUTO] = {.wire = "auto"},
    [COMPLETION_QUORUM] = {.wire = "quorum"},
    [COMPLETION_APPROVAL] = {.wire = "require_approval"},
};

static const struct vocabulary_word write_scope_words[] = {
    [WRITE_ANY] = {.wire = "any"},
    [WRITE_ASSIGNED] = {.wire = "assigned_only"},
};

/* ---- coordinators ---------------------------------------------------- */

static const struct vocabulary_word coordinator_type_words[] = {
    [COORDINATOR_LLM] = {.wire = "llm"},
    [COORDINATOR_HUMAN] = {.wire = "human"},
    [COORDINATOR_COMPOSITE] = {.wire = "composite"},
    [COORDINATOR_SYSTEM] = {.wire = "system"},
};

static const struct vocabulary_word coordinator_status_words[] = {
    [COORDINATOR_ACTIVE] = {.wire = "active"},
    [COORDINATOR_UNRESPONSIVE] = {.wire = "unresponsive"},
    [COORDINATOR_COMPLETED] = {.wire = "completed"},
};

static const struct vocabulary_word coordinator_policy_words[] = {
    [COORDINATOR_ISOLATE] = {.wire = "isolate"},
    [COORDINATOR_BLOCK_DEPENDENTS] = {.wire = "block_dependents"},
    [COORDINATOR_ESCALATE] = {.wire = "escalate"},
};

static const struct vocabulary_word coordinator_exceed_words[] = {
    [COORDINATOR_EXCEED_PAUSE] = {.wire = "pause"},
    [COORDINATOR_EXCEED_ESCALATE] = {.wire = "escalate"},
    [COORDINATOR_EXCEED_BOTH] = {.wire = "pause_and_escalate"},
    [COORDINATOR_EXCEED_FAIL] = {.wire = "fail"},
};

static const struct vocabulary_word coordinator_decision_words[] = {
    [COORDINATOR_PLAN_CREATED] = {.wire = "plan_created"},
    [COORDINATOR_PLAN_MODIFIED] = {.wire = "plan_modified"},
    [COORDINATOR_TASK_ASSIGNED] = {.wire = "task_assigned"},
    [COORDINATOR_TASK_DELEGATED] = {.wire = "task_delegated"},
    [COORDINATOR_ESCALATION_INITIATED] = {.wire = "escalation_initiated"},
    [COORDINATOR_ESCALATION_RESOLVED] = {.wire = "escalation_resolved"},
    [COORDINATOR_CHECKPOINT_EVALUATED] = {.wire = "checkpoint_evaluated"},
    [COORDINATOR_FAILURE_HANDLED] = {.wire = "failure_handled"},
    [COORDINATOR_GUARDRAIL_APPROACHED] = {.wire = "guardrail_approached"},
    [COORDINATOR_HANDED_OFF] = {.wire = "coordinator_handoff"},
};

/* ---- failures -------------------------------------------------------- */

static const struct vocabulary_word failure_strategy_words[] = {
    [FAILURE_NO_RETRY] = {.wire = "none"},
    [FAILURE_FIXED] = {.wire = "fixed"},
    [FAILURE_EXPONENTIAL] = {.wire = "exponential"},
    [FAILURE_LINEAR] = {.wire = "linear"},
};

static const struct vocabulary_word failure_next_words[] = {
    [FAILURE_NOTHING] = {.wire = "nothing"},
    [FAILURE_RETRY] = {.wire = "retry"},
    [FAILURE_FALLBACK] = {.wire = "fallback"},
    [FAILURE_ESCALATION] = {.wire = "escalation"},
};

/* ---- choices and lists ----------------------------------------------- */

static const struct vocabulary_word takes_words[] = {
    [TAKES_NOTHING] = {.wire = NULL},
    [TAKES_LIMIT] = {.wire = "limit"},
    [TAKES_SECONDS] = {.wire = "seconds"},
    [TAKES_CONSTRAINTS] = {.wire = "constraints"},
    [TAKES_STEPS] = {.wire = "steps"},
    [TAKES_SUBJECT] = {.wire = "subject"},
};

static const struct vocabulary_word reason_need_words[] = {
    [REASON_NONE] = {.wire = "none"},
    [REASON_OPTIONAL] = {.wire = "optional"},
    [REASON_REQUIRED] = {.wire = "required"},
    [REASON_REQUIRED_HIGH] = {.wire = NULL, .ours = true},
};

static const struct vocabulary_word inbox_view_words[] = {
    [INBOX_MAY] = {.wire = "may", .label = "Inbox"},
    [INBOX_MINE] = {.wire = "mine", .label = "Mine"},
    [INBOX_GROUPS] = {.wire = "groups", .label = "My groups"},
    [INBOX_ALL] = {.wire = "all", .label = "All open"},
};

/* ---- answers -------------------------------------------------------- */

static const struct vocabulary_word effect_words[] = {
    [EFFECT_NONE] = {.wire = "none", .label = ""},
    [EFFECT_AUTHORIZE] = {.wire = "authorize", .label = "Approve"},
    [EFFECT_AUTHORIZE_MODIFIED] = {.wire = "authorize_modified",
                                   .label = "Approve with changes",
                                   .ours = true},
    [EFFECT_VETO] = {.wire = "veto", .label = "Reject"},
    [EFFECT_REQUEST_CHANGES] = {.wire = "request_changes",
                                .label = "Request changes"},
    [EFFECT_ANSWER] = {.wire = "answer", .label = "Answer"},
    [EFFECT_DECLINE] = {.wire = "decline", .label = "Decline"},
    [EFFECT_ACCEPT] = {.wire = "accept", .label = "Accept"},
    [EFFECT_ESCALATE] = {.wire = "escalate", .label = "Escalate", .ours = true},
    [EFFECT_STOP_TASK] = {.wire = "stop_task", .label = "Stop the task"},
};

static const struct vocabulary_word outcome_words[] = {
    [OUTCOME_UNDECIDED] = {.wire = NULL},
    [OUTCOME_AUTHORIZED] = {.wire = "authorized",
                            .label = "Approved",
                            .past = "approved this",
                            .icon = "check",
                            .tone = "approved"},
    [OUTCOME_VETOED] = {.wire = "vetoed",
                        .label = "Rejected",
                        .past = "rejected this",
                        .icon = "cross",
                        .tone = "rejected"},
    [OUTCOME_CHANGES_REQUESTED] = {.wire = "changes_requested",
                                   .label = "Changes requested",
                                   .past = "asked for changes",
                                   .icon = "pencil",
                                   .tone = "plain"},
    [OUTCOME_ANSWERED] = {.wire = "answered",
                          .label = "Answered",
                          .past = "answered this",
                          .icon = "check",
                          .tone = "plain"},
    [OUTCOME_ACCEPTED] = {.wire = "accepted",
                          .label = "Accepted",
                          .past = "accepted this",
                          .icon = "check",
                          .tone = "plain"},
    [OUTCOME_DECLINED] = {.wire = "declined",
                          .label = "Declined",
                          .past = "declined this",
                          .icon = "minus",
                          .tone = "plain"},
    [OUTCOME_FALLBACK] = {.wire = "fallback",
                          .label = "Answered",
                          .past = "answered this",
                          .icon = "check",
                          .tone = "plain"},
    [OUTCOME_NONE] = {.wire = "none",
                      .label = "Other",
                      .past = "answered this",
                      .icon = "check",
                      .tone = "plain"},
    [OUTCOME_EXPIRED] = {.wire = "expired",
                         .label = "Expired",
                         .icon = "clock",
                         .tone = "plain", .ours = true},
    [OUTCOME_WITHDRAWN] = {.wire = "withdrawn",
                           .label = "Withdrawn", .ours = true,
                           .icon = "undo", .tone = "plain"},
};

static const struct vocabulary_word via_words[] = {
    [VIA_NONE] = {.past = ""},
    [VIA_BROWSER] = {.wire = "browser",
                     .label = "Web",
                     .past = "in the browser"},
    [VIA_NATIVE] = {.wire = "native",
                    .label = "API",
                    .past = "via the API"},
    [VIA_OPENINTENT] = {.wire = "openintent",
                        .label = "OpenIntent",
                        .past = "via OpenIntent"},
    [VIA_TOOL_CALL] = {.wire = "tool_call",
                       .label = "Tool call",
                       .past = "via the tool-call API"},
    [VIA_CLOCK] = {.wire = "clock", .label = "Timeout", .past = "by timeout"},
};

/* ---- leases and messages -------------------------------------------- */

static const struct vocabulary_word lease_status_words[] = {
    [LEASE_ACTIVE] = {.wire = "active"},
    [LEASE_RELEASED] = {.wire = "released"},
    [LEASE_EXPIRED] = {.wire = "expired"},
    [LEASE_REVOKED] = {.wire = "revoked"},
};

static const struct vocabulary_word delivery_state_words[] = {
    [DELIVERY_DELIVERED] = {.wire = "delivered",
                            .label = "Delivered",
                            .icon = "check",
                            .tone = "plain"},
    [DELIVERY_PENDING] = {.wire = "pending",
                          .label = "Pending",
                          .icon = "clock",
                          .tone = "plain"},
    [DELIVERY_FAILED] = {.wire = "failed",
                         .label = "Failed",
                         .icon = "alert",
                         .tone = "high"},
};

static const struct vocabulary_word endpoint_kind_words[] = {
    [ENDPOINT_MAIL] = {.wire = "mail", .label = "Mail"},
    [ENDPOINT_SLACK] = {.wire = "slack", .label = "Slack"},
    [ENDPOINT_WEBHOOK] = {.wire = "webhook", .label = "Webhook"},
    [ENDPOINT_AGENT] = {.wire = "agent", .label = "Agent"},
};

static const struct vocabulary_word channel_detail_words[] = {
    [CHANNEL_TITLE] = {.wire = "title"},
    [CHANNEL_SUMMARY] = {.wire = "summary"},
    [CHANNEL_ALL] = {.wire = "all"},
};

/* ---- tool calls and permits ----------------------------------------- */

static const struct vocabulary_word tool_effect_words[] = {
    [TOOL_ALLOW] = {.wire = "allow", .label = "Allow"},
    [TOOL_ASK] = {.wire = "ask", .label = "Ask"},
    [TOOL_DENY] = {.wire = "deny", .label = "Deny"},
};

static const struct vocabulary_word permit_state_words[] = {
    [PERMIT_ASKED] = {.wire = "asked"},
    [PERMIT_ACTIVE] = {.wire = "active"},
    [PERMIT_SPENT] = {.wire = "spent"},
    [PERMIT_REFUSED] = {.wire = "refused"},
    [PERMIT_REVOKED] = {.wire = "revoked"},
};

static const struct vocabulary_word permit_view_words[] = {
    [PERMIT_VIEW_PENDING] = {.wire = "pending_veto",
                             .label = "Waiting for an answer",
                             .icon = "clock",
                             .tone = "plain"},
    [PERMIT_VIEW_AUTHORIZED] = {.wire = "authorized",
                                .label = "Not used yet",
                                .icon = "check",
                                .tone = "approved"},
    [PERMIT_VIEW_EXECUTING] = {.wire = "executing",
                               .label = "In use, no result yet",
                               .icon = "clock",
                               .tone = "plain"},
    [PERMIT_VIEW_COMPLETED] = {.wire = "completed",
                               .label = "Completed",
                               .icon = "check",
                               .tone = "plain"},
    [PERMIT_VIEW_FAILED] = {.wire = "failed",
                            .label = "Failed",
                            .icon = "cross",
                            .tone = "rejected"},
    [PERMIT_VIEW_VETOED] = {.wire = "vetoed",
                            .label = "Not granted",
                            .icon = "cross",
                            .tone = "plain"},
    [PERMIT_VIEW_EXPIRED] = {.wire = "expired",
                             .label = "Not granted",
                             .icon = "clock",
                             .tone = "plain"},
    [PERMIT_VIEW_REVOKED] = {.wire = "revoked",
                             .label = "Revoked",
                             .icon = "cross",
                             .tone = "rejected"},
    [PERMIT_VIEW_LAPSED] = {.wire = "lapsed",
                            .label = "Ended",
                            .icon = "clock",
                            .tone = "plain"},
};

static const struct vocabulary_word redemption_result_words[] = {
    [REDEMPTION_OPEN] = {.wire = NULL, .label = "No result yet"},
    [REDEMPTION_COMPLETED] = {.wire = "completed", .label = "Completed"},
    [REDEMPTION_FAILED] = {.wire = "failed", .label = "Failed"},
};

/* ---- tasks and plans ------------------------------------------------- */

static const struct vocabulary_word task_status_words[] = {
    [TASK_PENDING] = {.wire = "pending", .label = "Pending",
                      .icon = "clock", .tone = "plain"},
    [TASK_READY] = {.wire = "ready", .label = "Ready",
                    .icon = "low", .tone = "plain"},
    [TASK_CLAIMED] = {.wire = "claimed", .label = "Claimed",
                      .icon = "handoff", .tone = "plain"},
    [TASK_RUNNING] = {.wire = "running", .label = "Running",
                      .icon = "right", .tone = "plain"},
    [TASK_BLOCKED] = {.wire = "blocked", .label = "Blocked",
                      .icon = "minus", .tone = "medium"},
    [TASK_COMPLETED] = {.wire = "completed", .label = "Completed",
                        .icon = "check", .tone = "approved"},
    [TASK_FAILED] = {.wire = "failed", .label = "Failed",
                     .icon = "cross", .tone = "rejected"},
    [TASK_CANCELLED] = {.wire = "cancelled", .label = "Cancelled",
                        .icon = "cross", .tone = "plain"},
    [TASK_SKIPPED] = {.wire = "skipped", .label = "Skipped",
                      .icon = "minus", .tone = "plain"},
};

static const struct vocabulary_word task_hold_words[] = {
    [TASK_HOLD_NONE] = {.wire = NULL},
    [TASK_HOLD_SUSPENDED] = {.wire = "intent_suspended",
                             .label = "Waits for an answer"},
    [TASK_HOLD_DEPENDENCIES] = {.wire = "dependencies_open",
                                .label = "Waits for other tasks"},
};

static const struct vocabulary_word plan_state_words[] = {
    [PLAN_DRAFT] = {.wire = "draft", .label = "Draft",
                    .icon = "pencil", .tone = "plain"},
    [PLAN_ACTIVE] = {.wire = "active", .label = "Active",
                     .icon = "right", .tone = "plain"},
    [PLAN_PAUSED] = {.wire = "paused", .label = "Paused",
                     .icon = "minus", .tone = "medium"},
    [PLAN_COMPLETED] = {.wire = "completed", .label = "Completed",
                        .icon = "check", .tone = "approved"},
    [PLAN_FAILED] = {.wire = "failed", .label = "Failed",
                     .icon = "cross", .tone = "rejected"},
    [PLAN_CANCELLED] = {.wire = "cancelled", .label = "Cancelled",
                        .icon = "cross", .tone = "plain"},
};

static const struct vocabulary_word plan_pause_words[] = {
    [PLAN_PAUSE_NONE] = {.wire = NULL,
                         .label = "by its agent"},
    [PLAN_PAUSE_CHECKPOINT] = {.wire = "checkpoint",
                               .label = "at a checkpoint"},
    [PLAN_PAUSE_FAILURE] = {.wire = "failure",
                            .label = "after a step failed"},
    [PLAN_PAUSE_REVIEW] = {.wire = "plan_review",
                           .label = "for a review"},
};

static const struct vocabulary_word plan_failure_words[] = {
    [PLAN_FAILURE_ESCALATE] = {.wire = "pause_and_escalate"},
    [PLAN_FAILURE_FAIL] = {.wire = "fail"},
    [PLAN_FAILURE_NOTIFY] = {.wire = "notify"},
    [PLAN_FAILURE_RETRY] = {.wire = "retry"},
};

static const struct vocabulary_word checkpoint_status_words[] = {
    [CHECKPOINT_PENDING] = {.wire = "pending", .label = "Not reached",
                            .icon = "clock", .tone = "plain"},
    [CHECKPOINT_REACHED] = {.wire = "reached", .label = "Reached",
                            .icon = "check", .tone = "plain"},
    [CHECKPOINT_APPROVED] = {.wire = "approved", .label = "Approved",
                             .icon = "check", .tone = "approved"},
    [CHECKPOINT_REJECTED] = {.wire = "rejected", .label = "Rejected",
                             .icon = "cross", .tone = "rejected"},
};

static const struct vocabulary_word checkpoint_timeout_words[] = {
    [CHECKPOINT_TIMEOUT_ESCALATE] = {.wire = "escalate"},
    [CHECKPOINT_TIMEOUT_APPROVE] = {.wire = "auto_approve"},
    [CHECKPOINT_TIMEOUT_FAIL] = {.wire = "fail"},
};

static const struct vocabulary_word checkpoint_reject_words[] = {
    [CHECKPOINT_REJECT_FAIL] = {.wire = "fail"},
    [CHECKPOINT_REJECT_RETRY] = {.wire = "retry"},
};

/* ---- portfolios ------------------------------------------------------ */

static const struct vocabulary_word portfolio_status_words[] = {
    [PORTFOLIO_ACTIVE] = {.wire = "active", .label = "Active",
                          .icon = "right", .tone = "plain"},
    [PORTFOLIO_COMPLETED] = {.wire = "completed", .label = "Completed",
                             .icon = "check", .tone = "approved"},
    [PORTFOLIO_ABANDONED] = {.wire = "abandoned", .label = "Stopped",
                             .icon = "cross", .tone = "rejected"},
};

static const struct vocabulary_word member_role_words[] = {
    [MEMBER_PRIMARY] = {.wire = "primary",
                        .label = "Primary"},
    [MEMBER_PLAIN] = {.wire = "member", .label = "Member"},
    [MEMBER_DEPENDENCY] = {.wire = "dependency",
                           .label = "Dependency"},
};

/* ---- reading them --------------------------------------------------- */

static size_t vocabulary_find(const struct vocabulary_word *words, size_t n,
                              struct str word)
{
    size_t i = 0;
    while (i < n && (words[i].wire ? !str_is(word, words[i].wire)
                                     : word.p != NULL))
        i++;
    return i;
}

const char *vocabulary_key(const struct vocabulary_word *word)
{
    return word->wire ? word->wire : NONE;
}

struct str vocabulary_of_key(struct str key)
{
    return str_is(key, NONE) ? STR_NONE : key;
}

/* The two functions of an enum whose last value is max_. */
#define VOCABULARY(name_, max_)                                                \
    static_assert(countof(name_##_words) == (max_), "a row each");             \
    const struct vocabulary_word *vocabulary_##name_(enum name_ value)         \
    {                                                                          \
        static const struct vocabulary_word unknown;                           \
        if (value < (max_))                                                    \
            return &name_##_words[value];                                      \
        return &unknown;              \
    }                                                                          \
    enum name_ vocabulary_##name_##_of(struct str word)                        \
    {                                                                          \
        return (enum name_)vocabulary_find(name_##_words, (max_), word);       \
    }

VOCABULARY(intent_status, INTENT_STATUS__MAX)
VOCABULARY(answer_type, ANSWER_TYPE__MAX)
VOCABULARY(suspension_state, SUSPENSION_STATE__MAX)
VOCABULARY(fallback_policy, FALLBACK_POLICY__MAX)
VOCABULARY(severity, SEVERITY__MAX)
VOCABULARY(effect, EFFECT__MAX)
VOCABULARY(outcome, OUTCOME__MAX)
VOCABULARY(via, VIA__MAX)
VOCABULARY(origin, ORIGIN__MAX)
VOCABULARY(takes, TAKES__MAX)
VOCABULARY(completion_mode, COMPLETION_MODE__MAX)
VOCABULARY(write_scope, WRITE_SCOPE__MAX)
VOCABULARY(coordinator_type, COORDINATOR_TYPE__MAX)
VOCABULARY(coordinator_status, COORDINATOR_STATUS__MAX)
VOCABULARY(coordinator_policy, COORDINATOR_POLICY__MAX)
VOCABULARY(coordinator_exceed, COORDINATOR_EXCEED__MAX)
VOCABULARY(coordinator_decision, COORDINATOR_DECISION__MAX)
VOCABULARY(failure_strategy, FAILURE_STRATEGY__MAX)
VOCABULARY(failure_next, FAILURE_NEXT__MAX)
VOCABULARY(reason_need, REASON_NEED__MAX)
VOCABULARY(responder_mode, RESPONDER_MODE__MAX)
VOCABULARY(on_reject, ON_REJECT__MAX)
VOCABULARY(callback_body, CALLBACK_BODY__MAX)
VOCABULARY(lease_status, LEASE_STATUS__MAX)
VOCABULARY(delivery_state, DELIVERY_STATE__MAX)
VOCABULARY(endpoint_kind, ENDPOINT_KIND__MAX)
VOCABULARY(channel_detail, CHANNEL_DETAIL__MAX)
VOCABULARY(inbox_view, INBOX_VIEW__MAX)
VOCABULARY(tool_effect, TOOL_EFFECT__MAX)
VOCABULARY(permit_state, PERMIT_STATE__MAX)
VOCABULARY(permit_view, PERMIT_VIEW__MAX)
VOCABULARY(redemption_result, REDEMPTION_RESULT__MAX)
VOCABULARY(task_status, TASK_STATUS__MAX)
VOCABULARY(task_hold, TASK_HOLD__MAX)
VOCABULARY(plan_state, PLAN_STATE__MAX)
VOCABULARY(plan_pause, PLAN_PAUSE__MAX)
VOCABULARY(plan_failure, PLAN_FAILURE__MAX)
VOCABULARY(checkpoint_status, CHECKPOINT_STATUS__MAX)
VOCABULARY(checkpoint_timeout, CHECKPOINT_TIMEOUT__MAX)
VOCABULARY(checkpoint_reject, CHECKPOINT_REJECT__MAX)
VOCABULARY(portfolio_status, PORTFOLIO_STATUS__MAX)
VOCABULARY(member_role, MEMBER_ROLE__MAX)

/* The words that an agent may send. */
#define VOCABULARY_READ(name_, max_)                                           \
    static const char *name_##_sent(size_t i)                                  \
    {                                                                          \
        return name_##_words[i].ours ? NULL : name_##_words[i].wire;           \
    }                                                                          \
    enum name_ vocabulary_##name_##_read(struct fields *f, const char *key)    \
    {                                                                          \
        return (enum name_)fields_index(f, key, name_##_sent, (max_));         \
    }

VOCABULARY_READ(intent_status, INTENT_STATUS__MAX)
VOCABULARY_READ(answer_type, ANSWER_TYPE__MAX)
VOCABULARY_READ(fallback_policy, FALLBACK_POLICY__MAX)
VOCABULARY_READ(severity, SEVERITY__MAX)
VOCABULARY_READ(effect, EFFECT__MAX)
VOCABULARY_READ(outcome, OUTCOME__MAX)
VOCABULARY_READ(reason_need, REASON_NEED__MAX)
VOCABULARY_READ(responder_mode, RESPONDER_MODE__MAX)
VOCABULARY_READ(on_reject, ON_REJECT__MAX)
VOCABULARY_READ(callback_body, CALLBACK_BODY__MAX)
VOCABULARY_READ(redemption_result, REDEMPTION_RESULT__MAX)
VOCABULARY_READ(completion_mode, COMPLETION_MODE__MAX)
VOCABULARY_READ(write_scope, WRITE_SCOPE__MAX)
VOCABULARY_READ(task_status, TASK_STATUS__MAX)
VOCABULARY_READ(plan_state, PLAN_STATE__MAX)
VOCABULARY_READ(plan_failure, PLAN_FAILURE__MAX)
VOCABULARY_READ(checkpoint_timeout, CHECKPOINT_TIMEOUT__MAX)
VOCABULARY_READ(checkpoint_reject, CHECKPOINT_REJECT__MAX)
VOCABULARY_READ(portfolio_status, PORTFOLIO_STATUS__MAX)
VOCABULARY_READ(member_role, MEMBER_ROLE__MAX)
VOCABULARY_READ(coordinator_type, COORDINATOR_TYPE__MAX)
VOCABULARY_READ(coordinator_policy, COORDINATOR_POLICY__MAX)
VOCABULARY_READ(coordinator_exceed, COORDINATOR_EXCEED__MAX)
VOCABULARY_READ(coordinator_decision, COORDINATOR_DECISION__MAX)
VOCABULARY_READ(failure_strategy, FAILURE_STRATEGY__MAX)

/* The words of every vocabulary: on the wire, in the database and for people.
 *
 * Each is an enum with one table, in vocabulary.c. A word is turned into its
 * value once, on input, and back on output; all code between compares the
 * enum. The kinds of question have a table of their own, domain/kind/kind.h,
 * and so have the events, domain/intent/event.h. Pure. */
#ifndef DOMAIN_VOCABULARY_H
#define DOMAIN_VOCABULARY_H

#include "base/str.h"

struct fields;

/* A word's wire in a table of words. */
#define WIRE(lit) {(lit), sizeof(lit) - 1}

struct vocabulary_word {
    struct str wire;   /* in JSON and in the database; p NULL: it has none */
    const char *label; /* for people, on a button or a filter: "Approve" */
    const char *past;  /* in a sentence, after a name: "approved this" */
    const char *icon;  /* a symbol of static/icons.svg */
    const char *tone;  /* of a badge */
    bool ours;         /* agents may not send it */
};

/* The status of an intent (RFC-0001, RFC-0025). */
enum intent_status {
    INTENT_DRAFT,
    INTENT_ACTIVE,
    INTENT_BLOCKED,
    INTENT_SUSPENDED,
    INTENT_COMPLETED,
    INTENT_ABANDONED,
    INTENT_STATUS__MAX
};

/* How a question is answered (RFC-0025). */
enum answer_type {
    ANSWER_CHOICE,
    ANSWER_CONFIRM,
    ANSWER_TEXT,
    ANSWER_FORM,
    ANSWER_TYPE__MAX
};

enum suspension_state {
    SUSPENSION_PENDING,
    SUSPENSION_RESOLVED,
    SUSPENSION_EXPIRED,
    SUSPENSION_CANCELLED,
    SUSPENSION_STATE__MAX
};

/* The effect of silence (RFC-0025). */
enum fallback_policy {
    FALLBACK_FAIL,
    FALLBACK_COMPLETE,
    FALLBACK_CONTINUE,
    FALLBACK_POLICY__MAX
};

/* How grave a question is; a greater value is graver. */
enum severity {
    SEVERITY_UNSAID, /* no word */
    SEVERITY_LOW,
    SEVERITY_MEDIUM,
    SEVERITY_HIGH,
    SEVERITY_CRITICAL,
    SEVERITY__MAX
};

/* The effect of one choice of a question. */
enum effect {
    EFFECT_NONE, /* the agent alone knows what the choice means */
    EFFECT_AUTHORIZE,
    EFFECT_AUTHORIZE_MODIFIED,
    EFFECT_VETO,
    EFFECT_REQUEST_CHANGES,
    EFFECT_ANSWER,
    EFFECT_DECLINE,
    EFFECT_ACCEPT,
    EFFECT_ESCALATE,
    EFFECT_STOP_TASK,
    EFFECT__MAX
};

/* The outcome of a question. */
enum outcome {
    OUTCOME_UNDECIDED, /* it is open; no word */
    OUTCOME_AUTHORIZED,
    OUTCOME_VETOED,
    OUTCOME_CHANGES_REQUESTED,
    OUTCOME_ANSWERED,
    OUTCOME_ACCEPTED,
    OUTCOME_DECLINED,
    OUTCOME_FALLBACK,
    OUTCOME_NONE,
    /* Only in lists and badges, which show the state in place of these two
     * outcomes' own words. */
    OUTCOME_EXPIRED,
    OUTCOME_WITHDRAWN,
    OUTCOME__MAX
};

/* The door that an answer came through. */
enum via {
    VIA_NONE, /* nobody answered, or it is open; no word */
    VIA_BROWSER,
    VIA_NATIVE,
    VIA_OPENINTENT,
    VIA_TOOL_CALL,
    VIA_CLOCK,
    VIA__MAX
};

/* The API that asked, where the server worded the question. */
enum origin {
    ORIGIN_NONE, /* the agent worded it; no word */
    ORIGIN_TOOL_CALL,
    ORIGIN_AUTHORIZATION,
    /* These do not hold the intent (domain/question/beside.h). */
    ORIGIN_APPROVAL,
    ORIGIN_ESCALATION,
    ORIGIN_ARBITRATION,
    ORIGIN_CHECKPOINT, /* of a plan; it holds the plan
                        * (domain/plan/checkpoint.h) */
    ORIGIN_PLAN_REVIEW, /* the same (domain/plan/review.h) */
    ORIGIN_OWN_CHECKPOINT, /* the agent worded it, in the place of the server's;
                              it holds the intent */
    ORIGIN_ACCESS, /* an agent wants to reach an intent
                    * (domain/question/beside.h) */
    ORIGIN__MAX
};

/* The needs of a completion, and the scope of writing to an intent; each later
 * word is stricter (domain/intent/governance.h). */
enum completion_mode {
    COMPLETION_AUTO,
    COMPLETION_QUORUM,
    COMPLETION_APPROVAL,
    COMPLETION_MODE__MAX
};
enum write_scope { WRITE_ANY, WRITE_ASSIGNED, WRITE_SCOPE__MAX };

/* Coordinators (domain/containers/coordinator.h). */
enum coordinator_type {
    COORDINATOR_LLM,
    COORDINATOR_HUMAN,
    COORDINATOR_COMPOSITE,
    COORDINATOR_SYSTEM,
    COORDINATOR_TYPE__MAX
};
enum coordinator_status {
    COORDINATOR_ACTIVE,
    COORDINATOR_UNRESPONSIVE,
    COORDINATOR_COMPLETED,
    COORDINATOR_STATUS__MAX
};
/* The effect of a question in an intent on the work around it. */
enum coordinator_policy {
    COORDINATOR_ISOLATE,
    COORDINATOR_BLOCK_DEPENDENTS,
    COORDINATOR_ESCALATE,
    COORDINATOR_POLICY__MAX
};
enum coordinator_exceed {
    COORDINATOR_EXCEED_PAUSE,
    COORDINATOR_EXCEED_ESCALATE,
    COORDINATOR_EXCEED_BOTH,
    COORDINATOR_EXCEED_FAIL,
    COORDINATOR_EXCEED__MAX
};
enum coordinator_decision {
    COORDINATOR_PLAN_CREATED,
    COORDINATOR_PLAN_MODIFIED,
    COORDINATOR_TASK_ASSIGNED,
    COORDINATOR_TASK_DELEGATED,
    COORDINATOR_ESCALATION_INITIATED,
    COORDINATOR_ESCALATION_RESOLVED,
    COORDINATOR_CHECKPOINT_EVALUATED,
    COORDINATOR_FAILURE_HANDLED,
    COORDINATOR_GUARDRAIL_APPROACHED,
    COORDINATOR_HANDED_OFF,
    COORDINATOR_DECISION__MAX
};

/* The time of another try after a failure, and the step that follows from one
 * (domain/containers/failure.h). */
enum failure_strategy {
    FAILURE_NO_RETRY,
    FAILURE_FIXED,
    FAILURE_EXPONENTIAL,
    FAILURE_LINEAR,
    FAILURE_STRATEGY__MAX
};
enum failure_next {
    FAILURE_NOTHING,
    FAILURE_RETRY,
    FAILURE_FALLBACK,
    FAILURE_ESCALATION,
    FAILURE_NEXT__MAX
};

/* The part of the question that a choice lets the answer change
 * (domain/question/amend.h). */
enum takes {
    TAKES_NOTHING, /* no word */
    TAKES_LIMIT,
    TAKES_SECONDS,
    TAKES_CONSTRAINTS,
    TAKES_STEPS,
    TAKES_SUBJECT,
    TAKES__MAX
};

/* Does a choice need a reason from the person who takes it? */
enum reason_need {
    REASON_NONE, /* it has none */
    REASON_OPTIONAL,
    REASON_REQUIRED,
    REASON_REQUIRED_HIGH, /* from the severity high on, else optional: in
                             kind.c alone */
    REASON_NEED__MAX
};

/* The principals whose answer counts. */
enum responder_mode {
    RESPONDER_OPERATORS, /* any operator or admin */
    RESPONDER_INITIATOR, /* the person for whom the agent works */
    RESPONDER_GROUP,     /* operators of a group */
    RESPONDER_NAMED,     /* one operator, by the name that goes on record */
    RESPONDER_AGENT,     /* another agent by its key: for a handoff */
    RESPONDER_MODE__MAX
};

/* The effect of a rejection on the intent. */
enum on_reject { ON_REJECT_RESUME, ON_REJECT_ABANDON, ON_REJECT__MAX };

/* The part of a message that is sent to the callback of a question. */
enum callback_body {
    CALLBACK_MESSAGE,
    CALLBACK_DATA,  /* its member "data" alone */
    CALLBACK_ANSWER, /* its value alone; null where there is none */
    CALLBACK_BODY__MAX
};

enum lease_status {
    LEASE_ACTIVE,
    LEASE_RELEASED,
    LEASE_EXPIRED,
    LEASE_REVOKED,
    LEASE_STATUS__MAX
};

enum delivery_state {
    DELIVERY_DELIVERED,
    DELIVERY_PENDING,
    DELIVERY_FAILED,
    DELIVERY_STATE__MAX
};

/* The target of messages: people through the first three, which are channels,
 * or an agent's platform. */
enum endpoint_kind {
    ENDPOINT_MAIL,
    ENDPOINT_SLACK,
    ENDPOINT_WEBHOOK,
    ENDPOINT_AGENT,
    ENDPOINT_KIND__MAX
};
/* The part of a question that a notice may have. */
enum channel_detail {
    CHANNEL_TITLE,
    CHANNEL_SUMMARY,
    CHANNEL_ALL,
    CHANNEL_DETAIL__MAX
};

/* Which open questions the inbox lists. */
enum inbox_view {
    INBOX_MAY,    /* that the reader may answer */
    INBOX_MINE,   /* that are meant for the reader alone */
    INBOX_GROUPS, /* for a group of the reader's */
    INBOX_ALL,
    INBOX_VIEW__MAX
};

/* The decision of a rule about a tool call (domain/permit/tool_rule.h). */
enum tool_effect { TOOL_ALLOW, TOOL_ASK, TOOL_DENY, TOOL_EFFECT__MAX };

/* The state of a permit (domain/permit/permit.h). */
enum permit_state {
    PERMIT_ASKED,
    PERMIT_ACTIVE,
    PERMIT_SPENT,
    PERMIT_REFUSED,
    PERMIT_REVOKED,
    PERMIT_STATE__MAX
};

/* A permit's state, time and uses in one word, for its readers. */
enum permit_view {
    PERMIT_VIEW_PENDING,
    PERMIT_VIEW_AUTHORIZED,
    PERMIT_VIEW_EXECUTING, /* a use has no result yet */
    PERMIT_VIEW_COMPLETED, /* the last use's result, as is the next */
    PERMIT_VIEW_FAILED,
    PERMIT_VIEW_VETOED,
    PERMIT_VIEW_EXPIRED, /* nobody answered */
    PERMIT_VIEW_REVOKED,
    PERMIT_VIEW_LAPSED, /* not used in time */
    PERMIT_VIEW__MAX
};

/* The result of one use of a permit. */
enum redemption_result {
    REDEMPTION_OPEN, /* not reported yet; no word */
    REDEMPTION_COMPLETED,
    REDEMPTION_FAILED,
    REDEMPTION_RESULT__MAX
};

/* Tasks and plans (domain/plan/task.h, domain/plan/plan.h). */
enum task_status {
    TASK_PENDING,
    TASK_READY,
    TASK_CLAIMED,
    TASK_RUNNING,
    TASK_BLOCKED,
    TASK_COMPLETED,
    TASK_FAILED,
    TASK_CANCELLED,
    TASK_SKIPPED,
    TASK_STATUS__MAX
};
/* The server's reason to hold a blocked task. */
enum task_hold {
    TASK_HOLD_NONE, /* its agent blocked it, or it is not blocked; no word */
    TASK_HOLD_SUSPENDED,
    TASK_HOLD_DEPENDENCIES, /* of its intent */
    TASK_HOLD__MAX
};
enum plan_state {
    PLAN_DRAFT,
    PLAN_ACTIVE,
    PLAN_PAUSED,
    PLAN_COMPLETED,
    PLAN_FAILED,
    PLAN_CANCELLED,
    PLAN_STATE__MAX
};
/* The server's reason to pause a plan. */
enum plan_pause {
    PLAN_PAUSE_NONE, /* its agent paused it, or it is not paused; no word */
    PLAN_PAUSE_CHECKPOINT,
    PLAN_PAUSE_FAILURE,
    PLAN_PAUSE_REVIEW,
    PLAN_PAUSE__MAX
};
/* The effect on a plan of a task that fails for good. */
enum plan_failure {
    PLAN_FAILURE_ESCALATE,
    PLAN_FAILURE_FAIL,
    PLAN_FAILURE_NOTIFY,
    PLAN_FAILURE_RETRY,
    PLAN_FAILURE__MAX
};
enum checkpoint_status {
    CHECKPOINT_PENDING,
    CHECKPOINT_REACHED,
    CHECKPOINT_APPROVED,
    CHECKPOINT_REJECTED,
    CHECKPOINT_STATUS__MAX
};
enum checkpoint_timeout {
    CHECKPOINT_TIMEOUT_ESCALATE,
    CHECKPOINT_TIMEOUT_APPROVE,
    CHECKPOINT_TIMEOUT_FAIL,
    CHECKPOINT_TIMEOUT__MAX
};
/* The effect of a checkpoint's rejection. */
enum checkpoint_reject {
    CHECKPOINT_REJECT_FAIL,  /* ends the plan */
    CHECKPOINT_REJECT_RETRY, /* the task is done again */
    CHECKPOINT_REJECT__MAX
};

/* The status of a portfolio, and the part of an intent in one (RFC-0004). */
enum portfolio_status {
    PORTFOLIO_ACTIVE,
    PORTFOLIO_COMPLETED,
    PORTFOLIO_ABANDONED,
    PORTFOLIO_STATUS__MAX
};
enum member_role {
    MEMBER_PRIMARY, /* at most one of a portfolio */
    MEMBER_PLAIN,
    MEMBER_DEPENDENCY,
    MEMBER_ROLE__MAX
};

/* The words of a value; never NULL: an enum's __MAX has a row without words. */
const struct vocabulary_word *
vocabulary_intent_status(enum intent_status value);
const struct vocabulary_word *vocabulary_answer_type(enum answer_type value);
const struct vocabulary_word *
vocabulary_suspension_state(enum suspension_state value);
const struct vocabulary_word *
vocabulary_fallback_policy(enum fallback_policy value);
const struct vocabulary_word *vocabulary_severity(enum severity value);
const struct vocabulary_word *vocabulary_effect(enum effect value);
const struct vocabulary_word *vocabulary_outcome(enum outcome value);
const struct vocabulary_word *vocabulary_via(enum via value);
const struct vocabulary_word *vocabulary_origin(enum origin value);
const struct vocabulary_word *
vocabulary_completion_mode(enum completion_mode value);
const struct vocabulary_word *vocabulary_write_scope(enum write_scope value);
const struct vocabulary_word *
vocabulary_coordinator_type(enum coordinator_type value);
const struct vocabulary_word *
vocabulary_coordinator_status(enum coordinator_status value);
const struct vocabulary_word *
vocabulary_coordinator_policy(enum coordinator_policy value);
const struct vocabulary_word *
vocabulary_coordinator_exceed(enum coordinator_exceed value);
const struct vocabulary_word *
vocabulary_coordinator_decision(enum coordinator_decision value);
const struct vocabulary_word *
vocabulary_failure_strategy(enum failure_strategy value);
const struct vocabulary_word *vocabulary_failure_next(enum failure_next value);
const struct vocabulary_word *vocabulary_takes(enum takes value);
const struct vocabulary_word *vocabulary_reason_need(enum reason_need value);
const struct vocabulary_word *
vocabulary_responder_mode(enum responder_mode value);
const struct vocabulary_word *vocabulary_on_reject(enum on_reject value);
const struct vocabulary_word *
vocabulary_callback_body(enum callback_body value);
const struct vocabulary_word *vocabulary_lease_status(enum lease_status value);
const struct vocabulary_word *
vocabulary_delivery_state(enum delivery_state value);
const struct vocabulary_word *
vocabulary_endpoint_kind(enum endpoint_kind value);
const struct vocabulary_word *
vocabulary_channel_detail(enum channel_detail value);
const struct vocabulary_word *vocabulary_inbox_view(enum inbox_view value);
const struct vocabulary_word *vocabulary_tool_effect(enum tool_effect value);
const struct vocabulary_word *vocabulary_permit_state(enum permit_state value);
const struct vocabulary_word *vocabulary_permit_view(enum permit_view value);
const struct vocabulary_word *
vocabulary_redemption_result(enum redemption_result value);
const struct vocabulary_word *vocabulary_task_status(enum task_status value);
const struct vocabulary_word *vocabulary_task_hold(enum task_hold value);
const struct vocabulary_word *vocabulary_plan_state(enum plan_state value);
const struct vocabulary_word *vocabulary_plan_pause(enum plan_pause value);
const struct vocabulary_word *vocabulary_plan_failure(enum plan_failure value);
const struct vocabulary_word *
vocabulary_checkpoint_status(enum checkpoint_status value);
const struct vocabulary_word *
vocabulary_checkpoint_timeout(enum checkpoint_timeout value);
const struct vocabulary_word *
vocabulary_checkpoint_reject(enum checkpoint_reject value);
const struct vocabulary_word *
vocabulary_portfolio_status(enum portfolio_status value);
const struct vocabulary_word *vocabulary_member_role(enum member_role value);

/* In lists and addresses "none" stands for a value without a word: the key of a
 * row, and p NULL for "none", else the word of a key. */
struct str vocabulary_key(const struct vocabulary_word *word);
struct str vocabulary_of_key(struct str key);

/* The value of a word on the wire; the enum's __MAX for an unknown one, and
 * for p NULL where every value has a word. */
enum intent_status vocabulary_intent_status_of(struct str word);
enum answer_type vocabulary_answer_type_of(struct str word);
enum suspension_state vocabulary_suspension_state_of(struct str word);
enum fallback_policy vocabulary_fallback_policy_of(struct str word);
enum severity vocabulary_severity_of(struct str word);
enum effect vocabulary_effect_of(struct str word);
enum outcome vocabulary_outcome_of(struct str word);
enum via vocabulary_via_of(struct str word);
enum origin vocabulary_origin_of(struct str word);
enum completion_mode vocabulary_completion_mode_of(struct str word);
enum write_scope vocabulary_write_scope_of(struct str word);
enum coordinator_type vocabulary_coordinator_type_of(struct str word);
enum coordinator_status vocabulary_coordinator_status_of(struct str word);
enum coordinator_policy vocabulary_coordinator_policy_of(struct str word);
enum coordinator_exceed vocabulary_coordinator_exceed_of(struct str word);
enum coordinator_decision vocabulary_coordinator_decision_of(struct str word);
enum failure_strategy vocabulary_failure_strategy_of(struct str word);
enum failure_next vocabulary_failure_next_of(struct str word);
enum takes vocabulary_takes_of(struct str word);
enum reason_need vocabulary_reason_need_of(struct str word);
enum responder_mode vocabulary_responder_mode_of(struct str word);
enum on_reject vocabulary_on_reject_of(struct str word);
enum callback_body vocabulary_callback_body_of(struct str word);
enum lease_status vocabulary_lease_status_of(struct str word);
enum delivery_state vocabulary_delivery_state_of(struct str word);
enum endpoint_kind vocabulary_endpoint_kind_of(struct str word);
enum channel_detail vocabulary_channel_detail_of(struct str word);
enum inbox_view vocabulary_inbox_view_of(struct str word);
enum tool_effect vocabulary_tool_effect_of(struct str word);
enum permit_state vocabulary_permit_state_of(struct str word);
enum permit_view vocabulary_permit_view_of(struct str word);
enum redemption_result vocabulary_redemption_result_of(struct str word);
enum task_status vocabulary_task_status_of(struct str word);
enum task_hold vocabulary_task_hold_of(struct str word);
enum plan_state vocabulary_plan_state_of(struct str word);
enum plan_pause vocabulary_plan_pause_of(struct str word);
enum plan_failure vocabulary_plan_failure_of(struct str word);
enum checkpoint_status vocabulary_checkpoint_status_of(struct str word);
enum checkpoint_timeout vocabulary_checkpoint_timeout_of(struct str word);
enum checkpoint_reject vocabulary_checkpoint_reject_of(struct str word);
enum portfolio_status vocabulary_portfolio_status_of(struct str word);
enum member_role vocabulary_member_role_of(struct str word);

/* Reads member key of what an agent sent, one of the words that it may send;
 * the enum's __MAX when absent. A mistake is recorded in f. */
enum intent_status vocabulary_intent_status_read(struct fields *f,
                                                 const char *key);
enum answer_type vocabulary_answer_type_read(struct fields *f, const char *key);
enum fallback_policy vocabulary_fallback_policy_read(struct fields *f,
                                                     const char *key);
enum severity vocabulary_severity_read(struct fields *f, const char *key);
enum effect vocabulary_effect_read(struct fields *f, const char *key);
enum outcome vocabulary_outcome_read(struct fields *f, const char *key);
enum reason_need vocabulary_reason_need_read(struct fields *f,
                                             const char *key);
enum responder_mode vocabulary_responder_mode_read(struct fields *f,
                                                   const char *key);
enum on_reject vocabulary_on_reject_read(struct fields *f, const char *key);
enum callback_body vocabulary_callback_body_read(struct fields *f,
                                                 const char *key);
enum completion_mode
vocabulary_completion_mode_read(struct fields *f, const char *key);
enum write_scope vocabulary_write_scope_read(struct fields *f,
                                             const char *key);
enum redemption_result vocabulary_redemption_result_read(struct fields *f,
                                                         const char *key);
enum task_status vocabulary_task_status_read(struct fields *f, const char *key);
enum plan_state vocabulary_plan_state_read(struct fields *f, const char *key);
enum plan_failure
vocabulary_plan_failure_read(struct fields *f, const char *key);
enum checkpoint_timeout
vocabulary_checkpoint_timeout_read(struct fields *f, const char *key);
enum checkpoint_reject
vocabulary_checkpoint_reject_read(struct fields *f, const char *key);
enum portfolio_status vocabulary_portfolio_status_read(struct fields *f,
                                                       const char *key);
enum member_role vocabulary_member_role_read(struct fields *f,
                                             const char *key);
enum failure_strategy vocabulary_failure_strategy_read(struct fields *f,
                                                       const char *key);
enum coordinator_type vocabulary_coordinator_type_read(struct fields *f,
                                                       const char *key);
enum coordinator_policy
vocabulary_coordinator_policy_read(struct fields *f, const char *key);
enum coordinator_exceed
vocabulary_coordinator_exceed_read(struct fields *f, const char *key);
enum coordinator_decision
vocabulary_coordinator_decision_read(struct fields *f, const char *key);

#endif

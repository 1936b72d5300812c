/* The words of every vocabulary: on the wire, in the database and for people.
 *
 * Each is an enum with one table, in vocabulary.c. A word is turned into its
 * value once, on input, and back on output; all code between compares the
 * enum. The kinds of question have a table of their own, domain/kind/kind.h,
 * and so have the events, domain/intent/event.h. Pure. */
#ifndef DOMAIN_VOCABULARY_H
#define DOMAIN_VOCABULARY_H

#include "base/str.h"

struct arena;
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
    /* These do not hold the intent (domain/question/side_question.h). */
    ORIGIN_APPROVAL,
    ORIGIN_ESCALATION,
    ORIGIN_ARBITRATION,
    ORIGIN_CHECKPOINT,     /* of a plan; it holds the plan
                            * (domain/plan/checkpoint.h) */
    ORIGIN_PLAN_REVIEW,    /* the same (domain/plan/review.h) */
    ORIGIN_OWN_CHECKPOINT, /* the agent worded it, in the place of the
                              server's; it holds the intent */
    ORIGIN_ACCESS,         /* an agent wants to reach an intent
                            * (domain/question/side_question.h) */
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
    ENDPOINT_PUSH, /* browsers, by their push services */
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
    INBOX_OTHERS, /* that the reader may not answer */
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

/* Which intents a key's agents reach (domain/intent/reach.h). */
enum reach { REACH_OWN, REACH_ALL, REACH__MAX };

/* The access of an agent to an intent (RFC-0011), each with all before it:
 * read; write (state, events, leases, questions, plans, records); admin
 * (status, access, governance, children, dependencies, membership). */
enum access {
    ACCESS_NONE, /* no word */
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_ADMIN,
    ACCESS__MAX
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

/* The events that a checkpoint of the log covers (RFC-0019). */
enum log_scope { LOG_SCOPE_INTENT, LOG_SCOPE_SERVER, LOG_SCOPE__MAX };
enum signing_key_state {
    SIGNING_KEY_NEXT,    /* published, and signs nothing yet */
    SIGNING_KEY_CURRENT, /* at most one */
    SIGNING_KEY_RETIRED,
    SIGNING_KEY_COMPROMISED, /* no longer published */
    SIGNING_KEY_STATE__MAX
};

/* The words of an enum, for code that does not know which: its values are
 * below n. */
struct vocabulary {
    const struct vocabulary_word *(*word)(unsigned value);
    unsigned n;
};
/* The value of a word on the wire; n for an unknown one, and for p NULL where
 * every value has a word. */
unsigned vocabulary_value(const struct vocabulary *v, struct str word);
/* Reads member key of what an agent sent, one of the words that it may send; n
 * when absent. A mistake is recorded in f. */
unsigned vocabulary_read(const struct vocabulary *v, struct fields *f,
                         const char *key);
/* The words of the values in a set, a space between: bit i is value i. */
const char *vocabulary_list(struct arena *a, const struct vocabulary *v,
                            unsigned set);

/* In lists and addresses "none" stands for a value without a word: the key of a
 * row, and p NULL for "none", else the word of a key. */
struct str vocabulary_key(const struct vocabulary_word *word);
struct str vocabulary_of_key(struct str key);

/* Of each enum: vocabulary_X(value), its words, never NULL (its __MAX has a row
 * without words); vocabulary_X_of(word) and vocabulary_X_read(f, key) as above,
 * with its __MAX for n; and vocabulary_X_all. */
#define VOCABULARY(name_)                                                      \
    const struct vocabulary_word *vocabulary_##name_(enum name_ value);        \
    enum name_ vocabulary_##name_##_of(struct str word);                       \
    enum name_ vocabulary_##name_##_read(struct fields *f, const char *key);   \
    extern const struct vocabulary vocabulary_##name_##_all
VOCABULARY(intent_status);
VOCABULARY(answer_type);
VOCABULARY(suspension_state);
VOCABULARY(fallback_policy);
VOCABULARY(severity);
VOCABULARY(effect);
VOCABULARY(outcome);
VOCABULARY(via);
VOCABULARY(origin);
VOCABULARY(takes);
VOCABULARY(completion_mode);
VOCABULARY(write_scope);
VOCABULARY(coordinator_type);
VOCABULARY(coordinator_status);
VOCABULARY(coordinator_policy);
VOCABULARY(coordinator_exceed);
VOCABULARY(coordinator_decision);
VOCABULARY(failure_strategy);
VOCABULARY(failure_next);
VOCABULARY(reason_need);
VOCABULARY(responder_mode);
VOCABULARY(on_reject);
VOCABULARY(callback_body);
VOCABULARY(lease_status);
VOCABULARY(delivery_state);
VOCABULARY(endpoint_kind);
VOCABULARY(channel_detail);
VOCABULARY(inbox_view);
VOCABULARY(tool_effect);
VOCABULARY(permit_state);
VOCABULARY(permit_view);
VOCABULARY(redemption_result);
VOCABULARY(task_status);
VOCABULARY(task_hold);
VOCABULARY(plan_state);
VOCABULARY(plan_pause);
VOCABULARY(plan_failure);
VOCABULARY(checkpoint_status);
VOCABULARY(checkpoint_timeout);
VOCABULARY(checkpoint_reject);
VOCABULARY(reach);
VOCABULARY(access);
VOCABULARY(portfolio_status);
VOCABULARY(member_role);
VOCABULARY(log_scope);
VOCABULARY(signing_key_state);

#endif

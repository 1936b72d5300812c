/* The words of every vocabulary: on the wire, in the database and for people.
 *
 * Each is an enum with one table, in vocabulary.c. A word is turned into its
 * value once, on input, and back on output; all code between compares the enum.
 * The kinds of question have a table of their own, domain/kind.h, and so have
 * the events, domain/event.h. Pure. */
#ifndef DOMAIN_VOCABULARY_H
#define DOMAIN_VOCABULARY_H

#include "base/str.h"

struct fields;

struct vocabulary_word {
    const char *wire;  /* in JSON and in the database; NULL: it has none */
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
    ORIGIN__MAX
};

/* The part of the question that a choice lets the answer change
 * (domain/amend.h). */
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

/* The decision of a rule about a tool call (domain/tool_rule.h). */
enum tool_effect { TOOL_ALLOW, TOOL_ASK, TOOL_DENY, TOOL_EFFECT__MAX };

/* The state of a permit (domain/permit.h). */
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
const struct vocabulary_word *vocabulary_takes(enum takes value);
const struct vocabulary_word *vocabulary_reason_need(enum reason_need value);
const struct vocabulary_word *
vocabulary_responder_mode(enum responder_mode value);
const struct vocabulary_word *vocabulary_on_reject(enum on_reject value);
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

/* In lists and addresses "none" stands for a value without a word: the key of a
 * row, and p NULL for "none", else the word of a key. */
const char *vocabulary_key(const struct vocabulary_word *word);
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
enum takes vocabulary_takes_of(struct str word);
enum reason_need vocabulary_reason_need_of(struct str word);
enum responder_mode vocabulary_responder_mode_of(struct str word);
enum on_reject vocabulary_on_reject_of(struct str word);
enum lease_status vocabulary_lease_status_of(struct str word);
enum delivery_state vocabulary_delivery_state_of(struct str word);
enum endpoint_kind vocabulary_endpoint_kind_of(struct str word);
enum channel_detail vocabulary_channel_detail_of(struct str word);
enum inbox_view vocabulary_inbox_view_of(struct str word);
enum tool_effect vocabulary_tool_effect_of(struct str word);
enum permit_state vocabulary_permit_state_of(struct str word);
enum permit_view vocabulary_permit_view_of(struct str word);
enum redemption_result vocabulary_redemption_result_of(struct str word);

/* Reads member key of what an agent sent, one of the words that it may send;
 * the enum's __MAX when absent. A mistake is recorded in f. */
enum intent_status vocabulary_intent_status_read(struct fields *f,
                                                 const char *key);
enum answer_type vocabulary_answer_type_read(struct fields *f, const char *key);
enum fallback_policy vocabulary_fallback_policy_read(struct fields *f,
                                                     const char *key);
enum severity vocabulary_severity_read(struct fields *f, const char *key);
enum effect vocabulary_effect_read(struct fields *f, const char *key);
enum reason_need vocabulary_reason_need_read(struct fields *f,
                                             const char *key);
enum responder_mode vocabulary_responder_mode_read(struct fields *f,
                                                   const char *key);
enum on_reject vocabulary_on_reject_read(struct fields *f, const char *key);
enum redemption_result vocabulary_redemption_result_read(struct fields *f,
                                                         const char *key);

#endif

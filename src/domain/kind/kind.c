/* The seven kinds of question: the table, and reading it.
 *
 * The table has the needed facts and the offered answers; it decides
 * nothing. */
#include "domain/kind/kind.h"

#include "base/json/fields.h"

#define F(path_, type_, need_) {path_, KIND_##type_, need_}
#define C(value_, label_, style_, effect_, reason_, takes_, offer_)            \
    {value_,          label_,         style_,       EFFECT_##effect_,          \
     REASON_##reason_, TAKES_##takes_, KIND_##offer_}
#define R KIND_NEEDED
#define H KIND_NEEDED_HIGH
#define O KIND_OPTIONAL

static const struct kind_fact approval_facts[] = {
    F("action", OBJECT, R),
    F("action.name", TEXT, R),
    F("action.provider", TEXT, O),
    F("target", TEXT, R),
    F("scope_summary", TEXT, R),
    F("consequence", TEXT, H),
    F("reversible", BOOLEAN, O),
    F("safe_input", OBJECT, O),
    F("calls", LIST, O),
    F("calls[].tool", TEXT, R),
    F("calls[].args", OBJECT, O),
    F("constraints", OBJECT, O),
    F("authorization_details", LIST, O),
};
static const struct kind_choice approval_choices[] = {
    C("reject", "Reject", "danger", VETO, REQUIRED_HIGH, NOTHING, ALWAYS),
    C("edit", "Edit the values", "default", AUTHORIZE_MODIFIED, OPTIONAL,
      SUBJECT, IF_EDIT),
    C("constrain", "Lower the limits", "default", AUTHORIZE_MODIFIED, OPTIONAL,
      CONSTRAINTS, IF_LIMITS),
    C("approve", "Approve", "primary", AUTHORIZE, OPTIONAL, NOTHING, ALWAYS),
};

static const struct kind_fact permission_facts[] = {
    F("capability", TEXT, R),
    F("target", TEXT, R),
    F("risk_text", TEXT, R),
    F("duration", OBJECT, R),
    F("duration.kind", TEXT, R),
    F("duration.seconds", NUMBER, O),
    F("consequence", TEXT, R),
    F("current_mode", TEXT, O),
    F("requested_mode", TEXT, O),
};
static const struct kind_choice permission_choices[] = {
    C("deny", "Reject", "danger", VETO, OPTIONAL, NOTHING, ALWAYS),
    C("allow_for", "Allow temporarily", "default", AUTHORIZE_MODIFIED, OPTIONAL,
      SECONDS, IF_SECONDS),
    C("allow_once", "Allow once", "primary", AUTHORIZE, OPTIONAL,
      NOTHING, ALWAYS),
};

static const struct kind_fact plan_facts[] = {
    F("plan", OBJECT, R),
    F("plan.version", NUMBER, O),
    F("plan.steps", LIST, R),
    F("plan.steps[].id", TEXT, R),
    F("plan.steps[].title", TEXT, R),
    F("plan.steps[].detail", TEXT, O),
    F("plan.steps[].tool", TEXT, O),
    F("plan.steps[].risk", TEXT, O),
    F("plan.scope", TEXT, R),
    F("plan.expected_outputs", LIST, R),
    F("plan.risk_summary", TEXT, R),
    F("plan.cost_summary", TEXT, O),
    F("plan_ref", TEXT, O),
};
static const struct kind_choice plan_choices[] = {
    C("reject", "Reject", "danger", VETO, REQUIRED, NOTHING, ALWAYS),
    C("request_changes", "Request changes", "default", REQUEST_CHANGES,
      REQUIRED, NOTHING, ALWAYS),
    C("approve_edited", "Edit the steps", "default", AUTHORIZE_MODIFIED,
      OPTIONAL, STEPS, ALWAYS),
    C("approve", "Approve", "primary", AUTHORIZE, OPTIONAL, NOTHING, ALWAYS),
};

static const struct kind_fact elicitation_facts[] = {
    F("prompt", TEXT, O),
};
static const struct kind_choice elicitation_choices[] = {
    C("decline", "Decline", "default", DECLINE, OPTIONAL, NOTHING, ALWAYS),
    C("submit", "Submit", "primary", ANSWER, NONE, NOTHING, ALWAYS),
};

static const struct kind_fact credential_facts[] = {
    F("provider", TEXT, R),
    F("credential_class", TEXT, R),
    F("scopes", LIST, O),
    F("settings_url", TEXT, R),
    F("draft_ref", TEXT, O),
    F("probe", TEXT, O),
};
static const struct kind_choice credential_choices[] = {
    C("decline", "Not now", "default", DECLINE, OPTIONAL, NOTHING, ALWAYS),
    C("configured", "I have set it up", "primary", ANSWER, NONE,
      NOTHING, ALWAYS),
};

static const struct kind_fact cost_facts[] = {
    F("purpose", TEXT, R),
    F("estimate", OBJECT, R),
    F("estimate.amount", NUMBER, R),
    F("estimate.unit", TEXT, R),
    F("estimate.low", NUMBER, O),
    F("estimate.high", NUMBER, O),
    F("limit", OBJECT, R),
    F("limit.amount", NUMBER, R),
    F("limit.unit", TEXT, R),
    F("spent_so_far", OBJECT, O),
    F("spent_so_far.amount", NUMBER, R),
    F("spent_so_far.unit", TEXT, R),
};
static const struct kind_choice cost_choices[] = {
    C("stop_task", "Stop the task", "danger", STOP_TASK, OPTIONAL,
      NOTHING, ALWAYS),
    C("cancel", "Do not spend", "default", VETO, OPTIONAL, NOTHING, ALWAYS),
    C("confirm", "Spend up to the limit", "primary", AUTHORIZE, OPTIONAL,
      LIMIT, ALWAYS),
};

static const struct kind_fact handoff_facts[] = {
    F("from", TEXT, R),
    F("to", TEXT, R),
    F("summary", TEXT, R),
    F("reason", TEXT, R),
    F("artifacts", LIST, R),
    F("artifacts[].title", TEXT, R),
    F("artifacts[].kind", TEXT, R),
    F("artifacts[].ref", TEXT, R),
    F("evidence", LIST, R),
    F("evidence[].title", TEXT, R),
    F("evidence[].ref", TEXT, R),
    F("resume_target", TEXT, O),
    F("context_boundary", TEXT, O),
};
static const struct kind_choice handoff_choices[] = {
    C("decline", "Decline", "default", DECLINE, REQUIRED, NOTHING, ALWAYS),
    C("accept", "Accept", "primary", ACCEPT, OPTIONAL, NOTHING, ALWAYS),
};

#define TABLE(name_)                                                           \
    .facts = name_##_facts, .facts_n = countof(name_##_facts),                 \
    .choices = name_##_choices, .choices_n = countof(name_##_choices)

#define A(type_) KIND_BIT(ANSWER_##type_)
#define E(effect_) KIND_BIT(EFFECT_##effect_)

static const struct vocabulary_word plain = {.label = "Question",
                                             .icon = "input"};
static const struct kind_rule rules[KIND__MAX] = {
    [KIND_APPROVAL] = {.words = {.wire = WIRE("approval"),
                                 .label = "Approval",
                                 .icon = "approval"},
                       .answers = A(CHOICE) | A(CONFIRM),
                       .effects = E(AUTHORIZE) | E(VETO) | E(REQUEST_CHANGES) |
                                  E(STOP_TASK),
                       .permits = true,
                       .yes = E(AUTHORIZE),
                       .no = E(VETO) | E(STOP_TASK),
                       .edits = true,
                       TABLE(approval)},
    [KIND_PERMISSION] = {.words = {.wire = WIRE("permission"),
                                   .label = "Permission",
                                   .icon = "permission"},
                         .answers = A(CHOICE),
                         .effects = E(AUTHORIZE) | E(VETO) | E(STOP_TASK),
                         .permits = true,
                         .yes = E(AUTHORIZE),
                         .no = E(VETO) | E(STOP_TASK),
                         .typed = true,
                         .agree = kind_check_duration,
                         TABLE(permission)},
    [KIND_PLAN_REVIEW] = {.words = {.wire = WIRE("plan_review"),
                                    .label = "Plan review",
                                    .icon = "plan"},
                          .answers = A(CHOICE),
                          .effects = E(AUTHORIZE) | E(VETO) |
                                     E(REQUEST_CHANGES) | E(STOP_TASK),
                          .permits = true,
                          .yes = E(AUTHORIZE),
                          .no = E(VETO) | E(STOP_TASK),
                          .agree = kind_check_steps,
                          TABLE(plan)},
    [KIND_ELICITATION] = {.words = {.wire = WIRE("elicitation"),
                                    .label = "Input",
                                    .icon = "input"},
                          .answer = ANSWER_TEXT,
                          .answers = A(CHOICE) | A(CONFIRM) | A(TEXT) | A(FORM),
                          .effects = E(ANSWER) | E(DECLINE),
                          .yes = E(ANSWER),
                          .no = E(DECLINE),
                          TABLE(elicitation)},
    [KIND_CREDENTIAL_NEEDED] = {.words = {.wire = WIRE("credential_needed"),
                                          .label = "Credential",
                                          .icon = "credential"},
                                .answers = A(CHOICE),
                                .effects = E(ANSWER) | E(DECLINE),
                                .yes = E(ANSWER),
                                .no = E(DECLINE),
                                TABLE(credential)},
    [KIND_COST_CONFIRMATION] = {.words = {.wire = WIRE("cost_confirmation"),
                                          .label = "Cost",
                                          .icon = "cost"},
                                .answers = A(CHOICE),
                                .effects =
                                    E(AUTHORIZE) | E(VETO) | E(STOP_TASK),
                                .permits = true,
                                .yes = E(AUTHORIZE),
                                .no = E(VETO) | E(STOP_TASK),
                                .agree = kind_check_cost,
                                TABLE(cost)},
    [KIND_HANDOFF_ACCEPTANCE] = {.words = {.wire = WIRE("handoff_acceptance"),
                                           .label = "Handoff",
                                           .icon = "handoff"},
                                 .answers = A(CHOICE) | A(CONFIRM),
                                 .effects = E(ACCEPT) | E(DECLINE),
                                 .yes = E(ACCEPT),
                                 .no = E(DECLINE),
                                 .hands_over = true,
                                 TABLE(handoff)},
};

const struct kind_rule *kind_rule(enum kind k)
{
    return k > KIND_NONE && k < KIND__MAX ? &rules[k] : NULL;
}

bool kind_typed(enum kind k, enum severity severity)
{
    return kind_rule(k) && rules[k].typed && severity >= SEVERITY_HIGH;
}

const struct vocabulary_word *kind_words(enum kind k)
{
    return kind_rule(k) ? &rules[k].words : &plain;
}

const struct vocabulary kind_all = {kind_words, KIND__MAX};

enum kind kind_of(struct str word)
{
    return (enum kind)vocabulary_value(&kind_all, word);
}

enum kind kind_read(struct fields *f)
{
    const unsigned k = vocabulary_read(&kind_all, f, "kind");
    return k < KIND__MAX ? (enum kind)k : KIND_NONE;
}

bool kind_answered_by(enum kind k, enum answer_type type)
{
    const struct kind_rule *rule = kind_rule(k);
    return rule ? (rule->answers & KIND_BIT(type)) != 0 : k == KIND_NONE;
}

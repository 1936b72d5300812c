/* The seven kinds of question: the table, and reading it.
 *
 * Says what is needed and what is offered; never decides an answer. */
#include "domain/kind.h"

#define F(path_, label_, type_, need_) {path_, label_, KIND_##type_, need_}
#define R KIND_NEEDED
#define H KIND_NEEDED_HIGH
#define O KIND_OPTIONAL

static const struct kind_fact approval_facts[] = {
    F("action", "Action", OBJECT, R),
    F("action.name", "Action", TEXT, R),
    F("action.provider", "Provider", TEXT, O),
    F("target", "Target", TEXT, R),
    F("scope_summary", "Scope", TEXT, R),
    F("consequence", "Consequence", TEXT, H),
    F("reversible", "Reversible", BOOLEAN, O),
    F("safe_input", "Input", OBJECT, O),
    F("calls", "Calls", LIST, O),
    F("calls[].tool", "Tool", TEXT, R),
    F("calls[].args", "Arguments", OBJECT, O),
    F("constraints", "Limits", OBJECT, O),
    F("authorization_details", "Authorization", LIST, O),
};
static const struct kind_choice approval_choices[] = {
    {"reject", "Reject", "danger", "veto", "required_high", NULL, KIND_ALWAYS},
    {"edit", "Edit the values", "default", "authorize_modified", "optional",
     "subject", KIND_IF_EDIT},
    {"constrain", "Lower the limits", "default", "authorize_modified",
     "optional", "constraints", KIND_IF_LIMITS},
    {"approve", "Approve", "primary", "authorize", "optional", NULL,
     KIND_ALWAYS},
};

static const struct kind_fact permission_facts[] = {
    F("capability", "Capability", TEXT, R),
    F("target", "Target", TEXT, R),
    F("risk_text", "Risk", TEXT, R),
    F("duration", "Duration", OBJECT, R),
    F("duration.kind", "Duration", TEXT, R),
    F("duration.seconds", "Seconds", NUMBER, O),
    F("consequence", "Consequence", TEXT, R),
    F("current_mode", "Mode now", TEXT, O),
    F("requested_mode", "Mode asked for", TEXT, O),
};
static const struct kind_choice permission_choices[] = {
    {"deny", "Reject", "danger", "veto", "optional", NULL, KIND_ALWAYS},
    {"allow_for", "Allow for a time", "default", "authorize_modified",
     "optional", "seconds", KIND_IF_SECONDS},
    {"allow_once", "Allow once", "primary", "authorize", "optional", NULL,
     KIND_ALWAYS},
};

static const struct kind_fact plan_facts[] = {
    F("plan", "Plan", OBJECT, R),
    F("plan.version", "Version", NUMBER, O),
    F("plan.steps", "Steps", LIST, R),
    F("plan.steps[].id", "Id", TEXT, R),
    F("plan.steps[].title", "Step", TEXT, R),
    F("plan.steps[].detail", "Detail", TEXT, O),
    F("plan.steps[].tool", "Tool", TEXT, O),
    F("plan.steps[].risk", "Risk", TEXT, O),
    F("plan.scope", "Scope", TEXT, R),
    F("plan.expected_outputs", "Expected outputs", LIST, R),
    F("plan.risk_summary", "Risk", TEXT, R),
    F("plan.cost_summary", "Cost", TEXT, O),
    F("plan_ref", "Saved plan", TEXT, O),
};
static const struct kind_choice plan_choices[] = {
    {"reject", "Reject", "danger", "veto", "required", NULL, KIND_ALWAYS},
    {"request_changes", "Request changes", "default", "request_changes",
     "required", NULL, KIND_ALWAYS},
    {"approve_edited", "Edit the steps", "default",
     "authorize_modified", "optional", "steps", KIND_ALWAYS},
    {"approve", "Approve", "primary", "authorize", "optional", NULL,
     KIND_ALWAYS},
};

static const struct kind_fact elicitation_facts[] = {
    F("prompt", "Question", TEXT, O),
};
static const struct kind_choice elicitation_choices[] = {
    {"decline", "Decline", "default", "decline", "optional", NULL,
     KIND_ALWAYS},
    {"submit", "Submit", "primary", "answer", "none", NULL, KIND_ALWAYS},
};

static const struct kind_fact credential_facts[] = {
    F("provider", "Provider", TEXT, R),
    F("credential_class", "What is needed", TEXT, R),
    F("scopes", "Scopes", LIST, O),
    F("settings_url", "Where to set it up", TEXT, R),
    F("draft_ref", "Draft", TEXT, O),
    F("probe", "Checked by", TEXT, O),
};
static const struct kind_choice credential_choices[] = {
    {"decline", "Not now", "default", "decline", "optional", NULL,
     KIND_ALWAYS},
    {"configured", "I have set it up", "primary", "answer", "none", NULL,
     KIND_ALWAYS},
};

static const struct kind_fact cost_facts[] = {
    F("purpose", "Purpose", TEXT, R),
    F("estimate", "Estimate", OBJECT, R),
    F("estimate.amount", "Estimate", NUMBER, R),
    F("estimate.unit", "Unit", TEXT, R),
    F("estimate.low", "At least", NUMBER, O),
    F("estimate.high", "At most", NUMBER, O),
    F("limit", "Limit", OBJECT, R),
    F("limit.amount", "Limit", NUMBER, R),
    F("limit.unit", "Unit", TEXT, R),
    F("spent_so_far", "Spent so far", OBJECT, O),
    F("spent_so_far.amount", "Spent so far", NUMBER, R),
    F("spent_so_far.unit", "Unit", TEXT, R),
};
static const struct kind_choice cost_choices[] = {
    {"stop_task", "Stop the task", "danger", "stop_task", "optional", NULL,
     KIND_ALWAYS},
    {"cancel", "Do not spend", "default", "veto", "optional", NULL,
     KIND_ALWAYS},
    {"confirm", "Spend up to the limit", "primary", "authorize", "optional",
     "limit", KIND_ALWAYS},
};

static const struct kind_fact handoff_facts[] = {
    F("from", "From", TEXT, R),
    F("to", "To", TEXT, R),
    F("summary", "Summary", TEXT, R),
    F("reason", "Reason", TEXT, R),
    F("artifacts", "Artifacts", LIST, R),
    F("artifacts[].title", "Title", TEXT, R),
    F("artifacts[].kind", "Kind", TEXT, R),
    F("artifacts[].ref", "Reference", TEXT, R),
    F("evidence", "Evidence", LIST, R),
    F("evidence[].title", "Title", TEXT, R),
    F("evidence[].ref", "Reference", TEXT, R),
    F("resume_target", "Goes on at", TEXT, O),
    F("context_boundary", "Context", TEXT, O),
};
static const struct kind_choice handoff_choices[] = {
    {"decline", "Decline", "default", "decline", "required", NULL,
     KIND_ALWAYS},
    {"accept", "Accept", "primary", "accept", "optional", NULL, KIND_ALWAYS},
};

#define TABLE(name_)                                                           \
    .facts = name_##_facts, .facts_n = countof(name_##_facts),                 \
    .choices = name_##_choices, .choices_n = countof(name_##_choices)

static const struct kind_rule rules[KIND__MAX] = {
    [KIND_APPROVAL] = {.word = "approval",
                       .answers = "choice confirm",
                       .effects = "authorize veto request_changes stop_task",
                       .yes = "authorize",
                       .no = "veto stop_task",
                       TABLE(approval)},
    [KIND_PERMISSION] = {.word = "permission",
                         .answers = "choice",
                         .effects = "authorize veto stop_task",
                         .yes = "authorize",
                         .no = "veto stop_task",
                         TABLE(permission)},
    [KIND_PLAN_REVIEW] = {.word = "plan_review",
                          .answers = "choice",
                          .effects = "authorize veto request_changes "
                                     "stop_task",
                          .yes = "authorize",
                          .no = "veto stop_task",
                          TABLE(plan)},
    [KIND_ELICITATION] = {.word = "elicitation",
                          .answers = "text form choice confirm",
                          .effects = "answer decline",
                          .yes = "answer",
                          .no = "decline",
                          TABLE(elicitation)},
    [KIND_CREDENTIAL_NEEDED] = {.word = "credential_needed",
                                .answers = "choice",
                                .effects = "answer decline",
                                .yes = "answer",
                                .no = "decline",
                                TABLE(credential)},
    [KIND_COST_CONFIRMATION] = {.word = "cost_confirmation",
                                .answers = "choice",
                                .effects = "authorize veto stop_task",
                                .yes = "authorize",
                                .no = "veto stop_task",
                                TABLE(cost)},
    [KIND_HANDOFF_ACCEPTANCE] = {.word = "handoff_acceptance",
                                 .answers = "choice confirm",
                                 .effects = "accept decline",
                                 .yes = "accept",
                                 .no = "decline",
                                 TABLE(handoff)},
};

const struct kind_rule *kind_rule(enum kind k)
{
    return k > KIND_NONE && k < KIND__MAX ? &rules[k] : NULL;
}

bool kind_typed(enum kind k, struct str severity)
{
    return k == KIND_PERMISSION && severity_grave(severity);
}

const char *kind_word(enum kind k)
{
    return kind_rule(k) ? kind_rule(k)->word : NULL;
}

enum kind kind_of(struct str word)
{
    enum kind k = KIND_APPROVAL;
    while (k < KIND__MAX && !str_is(word, rules[k].word))
        k++;
    return k;
}

const char *kind_key(enum kind k)
{
    return k == KIND_NONE ? "none" : kind_word(k);
}

enum kind kind_of_key(struct str key)
{
    return str_is(key, "none") ? KIND_NONE : kind_of(key);
}

bool kind_answered_by(enum kind k, struct str word)
{
    const struct kind_rule *rule = kind_rule(k);
    return rule ? str_listed(str_of(rule->answers), word) : k == KIND_NONE;
}

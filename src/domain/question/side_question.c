/* Questions that hold nothing: reading them, and what clients and the log show
 * of them. Pure. */
#include "domain/question/side_question.h"

#include "base/clock_text.h"
#include "base/json/fields.h"
#include "domain/intent/governance.h"
#include "domain/intent/reach.h"

#define SIDE_QUESTION_TEXT_MAX 20000
#define SIDE_QUESTION_NAME_MAX 200
#define SIDE_QUESTION_OPTIONS_MAX SUSPENSION_CHOICES_MAX

bool side_question_of_plan(const struct suspension *s)
{
    return s->origin == ORIGIN_CHECKPOINT || s->origin == ORIGIN_PLAN_REVIEW;
}

bool side_question_or_plan(const struct suspension *s)
{
    return side_question_of_plan(s) || s->origin == ORIGIN_OWN_CHECKPOINT;
}

const struct err *side_question_check_room(int64_t open)
{
    return open < SIDE_QUESTION_OPEN_MAX
               ? NULL
               : ERROR(ERR_CONFLICT, "question.too_many",
                       "20 approvals and other questions of this intent are "
                       "open. Wait for an answer.");
}

bool side_question(const struct suspension *s)
{
    return s->origin == ORIGIN_APPROVAL || s->origin == ORIGIN_ESCALATION ||
           s->origin == ORIGIN_ARBITRATION || s->origin == ORIGIN_ACCESS ||
           side_question_of_plan(s);
}

bool side_question_completes(const struct suspension *s)
{
    return s->origin == ORIGIN_APPROVAL &&
           str_is(s->title, GOVERNANCE_COMPLETE);
}

/* ---- reading --------------------------------------------------------- */

/* The members that all three have; what was sent is the context. */
static const struct err *
side_question_common(struct arena *a, struct fields *f, struct suspension *out)
{
    const struct json *context = NULL;
    struct str reason = STR_NONE;
    fields_need(f, "reason");
    fields_text(f, "reason", SIDE_QUESTION_TEXT_MAX, &reason);
    fields_json(f, "context", JSON_OBJECT, &context);
    TRY(fields_error(f));
    if (str_trim(reason).n > 0)
        out->explanation = reason;
    out->context = json_dump(a, f->obj, SUSPENSION_RECORD_MAX);
    if (!out->context.p)
        return suspension_too_large();
    out->record = STR("{}");
    out->subject = STR("{}");
    out->evidence = out->artifacts = STR("[]");
    out->responder.mode = RESPONDER_OPERATORS;
    out->fallback_policy = FALLBACK_CONTINUE;
    return NULL;
}

/* The first line of the reason, or the word where there is none. */
static struct str side_question_title(const struct suspension *s,
                                      const char *word)
{
    struct str rest = str_trim(s->explanation);
    const struct str line = str_trim(str_cut(&rest, '\n'));
    return line.n > 0 ? str_head(line, SUSPENSION_TITLE_MAX) : str_of(word);
}

const struct err *side_question_read_approval(struct arena *a,
                                              const struct json *body,
                                              struct suspension *out)
{
    struct fields f = fields(a, body, STR(""));
    struct json *choices = json_array(a);
    struct str requested_by = STR_NONE;
    fields_need(&f, "action");
    fields_text(&f, "action", SIDE_QUESTION_ACTION_MAX, &out->title);
    fields_text(&f, "requested_by", SIDE_QUESTION_NAME_MAX, &requested_by);
    TRY(side_question_common(a, &f, out));
    if (str_trim(out->title).n == 0)
        return err_at(a, ERR_INVALID, "field.empty", STR("action"),
                      "An action is needed.");
    suspension_add_choice(a, choices, "deny", "Deny", EFFECT_VETO);
    suspension_add_choice(a, choices, "approve", "Approve", EFFECT_AUTHORIZE);
    out->origin = ORIGIN_APPROVAL;
    out->question = STR("Approve this action?");
    out->response_type = ANSWER_CHOICE;
    suspension_offer(a, out, choices, SUSPENSION_CHOICES_TEXT);
    return NULL;
}

const struct err *side_question_read_escalation(struct arena *a,
                                                const struct json *body,
                                                struct suspension *out)
{
    struct fields f = fields(a, body, STR(""));
    struct str urgency = STR_NONE, by = STR_NONE;
    out->severity = vocabulary_severity_read(&f, "priority");
    if (out->severity == SEVERITY__MAX)
        out->severity = SEVERITY_UNSAID; /* none, or an error of f */
    out->severity_said = out->severity;
    fields_text(&f, "urgency", SIDE_QUESTION_NAME_MAX, &urgency);
    fields_text(&f, "escalated_by", SIDE_QUESTION_NAME_MAX, &by);
    TRY(side_question_common(a, &f, out));
    out->origin = ORIGIN_ESCALATION;
    out->title = side_question_title(out, "Escalation");
    out->question = STR("How should the agent continue?");
    out->response_type = ANSWER_TEXT;
    out->choices = STR("[]");
    return NULL;
}

/* The options of an arbitration as choices, each an answer. */
static const struct err *side_question_options(struct arena *a,
                                               const struct json *options,
                                               struct suspension *out)
{
    struct json *choices = json_array(a);
    if (json_count(options) > SIDE_QUESTION_OPTIONS_MAX)
        return err_at(a, ERR_INVALID, "field.too_many", STR("context.options"),
                      "There may be %d options.", SIDE_QUESTION_OPTIONS_MAX);
    for (size_t i = 0; i < json_count(options); i++) {
        const struct json *one = json_at(options, i);
        const struct str value = json_get_text(one, "value"),
                         label = json_get_text(one, "label");
        struct json *o = json_object(a);
        if (str_trim(value).n == 0 || (label.p && str_trim(label).n == 0))
            return err_at(a, ERR_INVALID, "field.empty",
                          STR("context.options"),
                          "Option %zu needs a value.", i);
        json_set_text(o, "value", value);
        json_set_text(o, "label", label.p ? label : value);
        json_set_text(o, "effect", vocabulary_effect(EFFECT_ANSWER)->wire);
        json_add_json(choices, o);
    }
    out->response_type = ANSWER_CHOICE;
    suspension_offer(a, out, choices, SUSPENSION_CHOICES_TEXT);
    return out->choices.p ? NULL
                          : err_at(a, ERR_INVALID, "field.too_long",
                                   STR("context.options"),
                                   "The options are too long.");
}

const struct err *side_question_read_arbitration(struct arena *a,
                                                 const struct json *body,
                                                 struct suspension *out)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *options =
        json_get(json_get(body, "context"), "options");
    TRY(side_question_common(a, &f, out));
    out->origin = ORIGIN_ARBITRATION;
    out->title = side_question_title(out, "Arbitration");
    out->question = STR("How is this decided?");
    out->response_type = ANSWER_TEXT;
    out->choices = STR("[]");
    return json_is(options, JSON_ARRAY) && json_count(options) > 0
               ? side_question_options(a, options, out)
               : NULL;
}

/* ---- access ----------------------------------------------------------- */

static const struct {
    const char *label, *does;
} side_question_accesses[ACCESS__MAX] = {
    [ACCESS_READ] = {"Read access",
                     "The agent can read the task, with its log, questions, "
                     "plans and records. It cannot change anything."},
    [ACCESS_WRITE] = {"Write access",
                      "The agent can read all of the task and work on it: "
                      "change its state, hold leases, ask questions, carry "
                      "out plans, record costs and failures. It cannot "
                      "complete or stop the task, or give others access."},
    [ACCESS_ADMIN] = {"Full access",
                      "The same access as the agent that created the task: "
                      "work on it, complete or stop it, assign agents, change "
                      "its policy, and give others access."}};

struct str side_question_access_words(struct str value)
{
    const char *does = side_question_accesses[reach_access_of(value)].does;
    return does ? str_of(does) : STR_NONE;
}

const struct err *side_question_read_access(struct arena *a,
                                            const struct json *body,
                                            struct suspension *out)
{
    struct fields f = fields(a, body, STR(""));
    struct str agent = STR_NONE, type = STR_NONE, word = STR_NONE;
    const struct json *capabilities = NULL;
    fields_need(&f, "principal_id");
    fields_text(&f, "principal_id", PRINCIPAL_AGENT_NAME_MAX, &agent);
    fields_text(&f, "principal_type", SIDE_QUESTION_NAME_MAX, &type);
    if (!f.e && type.p && role_of(type) != ROLE_AGENT)
        fields_wrong(&f, "principal_type", "acl.people",
                     "Entries are for agents. People reach every intent.");
    if (!f.e && !principal_agent_name(agent))
        fields_wrong(&f, "principal_id", "agent.name",
                     "This is not a valid agent name.");
    fields_need(&f, "requested_permission");
    fields_word(&f, "requested_permission", "read write admin", &word);
    fields_json(&f, "capabilities", JSON_ARRAY, &capabilities);
    TRY(side_question_common(a, &f, out));
    const enum access most = reach_access_of(word);
    const struct str said = most == ACCESS_ADMIN ? STR("full") : word;
    out->title = arena_join(a, agent, STR(": "), said, STR(" access"));
    out->question = arena_join(a, STR("Give the agent "), agent, STR(" "),
                               said, STR(" access to this task?"));
    out->origin = ORIGIN_ACCESS;
    out->response_type = ANSWER_CHOICE;
    struct json *choices = json_array(a);
    suspension_add_choice(a, choices, "deny", "Deny", EFFECT_VETO);
    /* As much as was asked for, or less. */
    for (enum access i = ACCESS_READ; i <= most; i++)
        suspension_add_choice(a, choices, vocabulary_access(i)->wire.p,
                              side_question_accesses[i].label,
                              EFFECT_AUTHORIZE);
    suspension_offer(a, out, choices, SUSPENSION_CHOICES_TEXT);
    return NULL;
}

struct str side_question_principal(struct arena *a, const struct suspension *s)
{
    return json_get_text(json_read(a, s->context), "principal_id");
}

enum access side_question_permission(struct arena *a,
                                     const struct suspension *s)
{
    return reach_access_of(
        json_get_text(json_read(a, s->context), "requested_permission"));
}

enum access side_question_granted(struct arena *a, const struct suspension *s)
{
    return s->outcome == OUTCOME_AUTHORIZED
               ? reach_access_of(json_text(json_read(a, s->response)))
               : ACCESS_NONE;
}

static void side_question_set_principal(struct arena *a,
                                        const struct suspension *s,
                                        struct json *o)
{
    const struct json *sent = json_read(a, s->context);
    const struct json *list = json_get(sent, "capabilities");
    json_set_text(o, "principal_id", side_question_principal(a, s));
    json_set_text(o, "principal_type", STR("agent"));
    json_set_text(o, "requested_permission",
                  vocabulary_access(side_question_permission(a, s))->wire);
    json_set_json(o, "capabilities", list ? list : json_array(a));
}

static const char *side_question_access_answered(struct arena *a,
                                                 const struct suspension *s,
                                                 struct json *o)
{
    const enum access given = side_question_granted(a, s);
    json_set_text(o, "request_id", s->id);
    json_set_text(o, "principal_id", side_question_principal(a, s));
    if (given != ACCESS_NONE)
        json_set_text(o, "permission", vocabulary_access(given)->wire);
    json_set_text_or_null(o, "reason", s->reason);
    return given != ACCESS_NONE ? "access_request_approved"
                                : "access_request_denied";
}

/* ---- the log --------------------------------------------------------- */

const char *side_question_asked_type(const struct suspension *s)
{
    return s->origin == ORIGIN_ACCESS ? "access_requested"
                                      : "arbitration_requested";
}

struct json *side_question_asked(struct arena *a, const struct suspension *s)
{
    struct json *o = json_object(a);
    if (s->origin == ORIGIN_ACCESS) {
        json_set_text(o, "request_id", s->id);
        json_set_text(o, "id", s->id);
        json_set_text(o, "intent_id", s->intent_id);
        side_question_set_principal(a, s, o);
        json_set_text(o, "reason",
                      s->explanation.p ? s->explanation : STR(""));
        return o;
    }
    json_set_text(o, "request", vocabulary_origin(s->origin)->wire);
    json_set_text(o, "id", s->id);
    if (s->origin == ORIGIN_APPROVAL)
        json_set_text(o, "action", s->title);
    json_set_text_or_null(o, "reason", s->explanation);
    if (s->origin == ORIGIN_ESCALATION && s->severity != SEVERITY_UNSAID)
        json_set_text(o, "priority", vocabulary_severity(s->severity)->wire);
    return o;
}

const char *side_question_answered(struct arena *a, const struct suspension *s,
                                   struct json **payload)
{
    struct json *o = json_object(a);
    *payload = o;
    if (s->origin == ORIGIN_APPROVAL) {
        const bool yes = s->outcome == OUTCOME_AUTHORIZED;
        json_set_text(o, "approval_id", s->id);
        json_set_text(o, "action", s->title);
        json_set_text(o, "decision", yes ? STR("approved") : STR("denied"));
        json_set_text_or_null(
            o, "requested_by",
            json_get_text(json_read(a, s->context), "requested_by"));
        json_set_text(o, "decided_by", s->responded_by);
        json_set_text(o, "decided_at", clock_naive(a, s->responded_at));
        return yes ? "governance.approval_granted"
                   : "governance.approval_denied";
    }
    if (s->origin == ORIGIN_ACCESS)
        return side_question_access_answered(a, s, o);
    if (s->origin == ORIGIN_ESCALATION) {
        json_set_text(o, "escalation_id", s->id);
        json_set_text(o, "resolved_by", s->responded_by);
        json_set_given(a, o, "resolution", s->response);
        return "coordinator.escalation_resolved";
    }
    json_set_text(o, "decision_type", STR("arbitration"));
    json_set_text(o, "arbitration_id", s->id);
    json_set_text(o, "decision_maker_id", s->responded_by);
    json_set_given(a, o, "outcome", s->response);
    json_set_text(o, "reasoning", s->reason.p ? s->reason : STR(""));
    return "decision_recorded";
}

const char *side_question_withdrawn(struct arena *a,
                                    const struct suspension *s,
                                    struct json **payload)
{
    struct json *o = json_object(a);
    *payload = o;
    if (s->origin == ORIGIN_ACCESS)
        return side_question_access_answered(a, s, o);
    json_set_text(o, "decision_type", vocabulary_origin(s->origin)->wire);
    json_set_text(o, "request_id", s->id);
    json_set_text(o, "outcome", STR("withdrawn"));
    json_set_text(o, "reasoning", s->reason.p ? s->reason : STR(""));
    return "decision_recorded";
}

/* ---- what clients read ------------------------------------------------ */

/* "pending", the word for an answer, or "expired". */
static struct str side_question_status(const struct suspension *s)
{
    if (s->state == SUSPENSION_PENDING)
        return STR("pending");
    if (s->state != SUSPENSION_RESOLVED)
        return s->origin == ORIGIN_ACCESS ? STR("denied") : STR("expired");
    if (s->origin == ORIGIN_ESCALATION)
        return STR("resolved");
    if (s->origin == ORIGIN_ARBITRATION)
        return STR("decided");
    return s->outcome == OUTCOME_AUTHORIZED ? STR("approved") : STR("denied");
}

static void side_question_approval(struct arena *a, const struct suspension *s,
                                   const struct json *sent, struct json *o)
{
    const struct str by = json_get_text(sent, "requested_by");
    json_set_text(o, "requested_by", by.p ? by : s->asked_by);
    json_set_text(o, "action", s->title);
    json_set_text_or_null(o, "decided_at", clock_naive(a, s->responded_at));
    json_set_text_or_null(o, "decided_by", s->responded_by);
    json_set_text_or_null(o, "decision_notes", s->reason);
}

static void side_question_escalation(struct arena *a,
                                     const struct suspension *s,
                                     const struct json *sent, struct json *o)
{
    const struct str by = json_get_text(sent, "escalated_by");
    json_set_text(o, "escalated_by", by.p ? by : s->asked_by);
    json_set_text_or_null(o, "priority", json_get_text(sent, "priority"));
    json_set_text_or_null(o, "urgency", json_get_text(sent, "urgency"));
    json_set_text_or_null(o, "resolved_at", clock_naive(a, s->responded_at));
    json_set_text_or_null(o, "resolved_by", s->responded_by);
    json_set_json(o, "resolution", NULL);
    json_set_given(a, o, "resolution", s->response);
    json_set_text_or_null(o, "resolution_notes", s->reason);
}

static void side_question_access(struct arena *a, const struct suspension *s,
                                 struct json *o)
{
    const enum access given = side_question_granted(a, s);
    side_question_set_principal(a, s, o);
    if (given != ACCESS_NONE)
        json_set_text(o, "permission", vocabulary_access(given)->wire);
    json_set_text_or_null(o, "decided_at", clock_naive(a, s->responded_at));
    json_set_text_or_null(o, "decided_by", s->responded_by);
    json_set_text_or_null(o, "decision_reason",
                          s->state == SUSPENSION_CANCELLED ? s->audit_summary
                                                           : s->reason);
}

struct json *side_question_object(struct arena *a, const struct suspension *s)
{
    const struct json *sent = json_read(a, s->context);
    struct json *o = json_object(a);
    json_set_text(o, "id", s->id);
    json_set_text(o, "intent_id", s->intent_id);
    if (s->test)
        json_set_bool(o, "test", true);
    json_set_text(o, "reason", json_get_text(sent, "reason"));
    json_set_json(o, "context", json_get(sent, "context"));
    json_set_text(o, "status", side_question_status(s));
    json_set_text_or_null(o, "created_at", clock_naive(a, s->suspended_at));
    if (s->origin == ORIGIN_APPROVAL)
        side_question_approval(a, s, sent, o);
    else if (s->origin == ORIGIN_ESCALATION)
        side_question_escalation(a, s, sent, o);
    else if (s->origin == ORIGIN_ACCESS)
        side_question_access(a, s, o);
    else
        json_set_text(o, "requester_id", s->asked_by);
    return o;
}

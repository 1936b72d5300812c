/* A question as an event of Agent UI. Pure. A member that the question does not
 * have is left out. */
#include "domain/answer/agent_ui.h"

#include "base/clock_text.h"
#include "domain/kind/effect.h"

/* The control of an effect. */
static const char *const control_of[EFFECT__MAX] = {
    [EFFECT_NONE] = "answer",
    [EFFECT_AUTHORIZE] = "approve",
    [EFFECT_AUTHORIZE_MODIFIED] = "edit",
    [EFFECT_VETO] = "reject",
    [EFFECT_REQUEST_CHANGES] = "reject",
    [EFFECT_ANSWER] = "answer",
    [EFFECT_DECLINE] = "reject",
    [EFFECT_ACCEPT] = "approve",
    [EFFECT_ESCALATE] = "answer",
    [EFFECT_STOP_TASK] = "interrupt",
};

static struct json *agent_ui_controls(struct arena *a,
                                      const struct json *choices)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < json_count(choices); i++) {
        const struct str word =
            str_of(control_of[effect_of_choice(json_at(choices, i))]);
        bool there = false;
        for (size_t k = 0; k < json_count(list); k++)
            there = there || str_eq(json_text(json_at(list, k)), word);
        if (!there)
            json_add_text(list, word);
    }
    if (json_count(list) == 0)
        json_add_text(list, STR("answer"));
    return list;
}

static struct json *agent_ui_required(struct arena *a,
                                      const struct suspension *s)
{
    struct json *p = json_object(a);
    json_set_text_given(p, "kind", kind_words(s->kind)->wire);
    json_set_text_given(p, "title", s->title);
    json_set_text(p, "prompt", s->question);
    json_set_text_given(p, "explanation", s->explanation);
    json_set_text_given(p, "severity",
                        vocabulary_severity(s->severity)->wire);
    json_set_text(p, "responseType",
                  vocabulary_answer_type(s->response_type)->wire);
    json_set_json(p, "decisions", suspension_choices(a, s));
    json_set_given(a, p, "schema", s->form);
    json_set_json(p, "subject", suspension_subject(a, s));
    json_set_text(p, "subjectSha256", s->subject_sha256);
    if (s->expires_at)
        json_set_text(p, "expiresAt", clock_rfc3339(a, s->expires_at));
    json_set_text(p, "onExpiry", suspension_on_expiry(a, s));
    return p;
}

static struct json *agent_ui_resolved(struct arena *a,
                                      const struct suspension *s)
{
    struct json *p = json_object(a);
    json_set_text_given(p, "kind", kind_words(s->kind)->wire);
    json_set_text(p, "state", vocabulary_suspension_state(s->state)->wire);
    json_set_text_given(p, "outcome", vocabulary_outcome(s->outcome)->wire);
    json_set_given(a, p, "value", s->response);
    json_set_text_given(p, "reason", s->reason);
    json_set_bool(p, "modified", suspension_modified(s));
    json_set_given(a, p, "constraints", s->constraints);
    json_set_text_given(p, "approvedSha256", s->approved_sha256);
    json_set_text_given(p, "respondedBy", s->responded_by);
    json_set_text_given(p, "auditSummary", s->audit_summary);
    return p;
}

struct json *agent_ui_event(struct arena *a, const struct intent *i,
                            const struct suspension *s)
{
    struct json *o = json_object(a);
    const struct json *evidence = json_read(a, s->evidence);
    const bool open = s->state == SUSPENSION_PENDING;
    json_set_text(o, "type",
                  open ? STR("action.required") : STR("action.resolved"));
    json_set_text(o, "timestamp",
                  clock_rfc3339(a, open ? s->suspended_at : s->responded_at));
    json_set_text_given(o, "sessionId", i->session_id);
    json_set_text_given(o, "turnId", i->turn_id);
    json_set_text(o, "taskId", i->task_id.p ? i->task_id : i->id);
    json_set_text(o, "agentId", s->asked_by);
    json_set_text(o, "actionId", s->id);
    json_set_text(o, "owner", s->kind == KIND_PERMISSION ? STR("policy")
                                                         : STR("action"));
    json_set_text(o, "scope", STR("action_request"));
    json_set_text(o, "surface", STR("hitl"));
    json_set_text(o, "persistence", STR("snapshot"));
    if (open) {
        json_set_text(o, "phase", STR("waiting"));
        json_set_text(o, "runtimeStatus", s->kind == KIND_PLAN_REVIEW
                                              ? STR("plan_ready")
                                              : STR("needs_input"));
        json_set_json(o, "control",
                      agent_ui_controls(a, suspension_choices(a, s)));
    }
    struct json *refs = json_array(a);
    for (size_t k = 0; k < json_count(evidence); k++)
        json_add_text(refs, json_get_text(json_at(evidence, k), "ref"));
    json_set_json(o, "refs", refs);
    struct json *payload =
        open ? agent_ui_required(a, s) : agent_ui_resolved(a, s);
    if (s->test)
        json_set_bool(payload, "test", true);
    json_set_json(o, "payload", payload);
    return o;
}

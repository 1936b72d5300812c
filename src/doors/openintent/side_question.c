/* Approvals, escalations and arbitrations of OpenIntent: asking for them,
 * reading them, and answering them with a key. */
#include "base/id.h"
#include "base/json/fields.h"
#include "domain/intent/governance.h"
#include "domain/question/side_question.h"
#include "doors/asking/respond.h"
#include "doors/asking/view.h"
#include "doors/openintent/openintent.h"
#include "store/question/suspensions.h"
#include "work/ask.h"

#define NOTES_MAX SUSPENSION_REASON_MAX

/* ---- reading -------------------------------------------------------- */

static const struct err *side_unknown(enum origin origin)
{
    if (origin == ORIGIN_APPROVAL)
        return ERROR(ERR_NOT_FOUND, "approval.unknown",
                     "There is no approval with this id.");
    return ERROR(ERR_NOT_FOUND, "escalation.unknown",
                 "There is no escalation with this id.");
}

/* One of this origin, in the intent where it is given. */
static bool side_is(const struct suspension *s, enum origin origin,
                    struct str intent_id)
{
    return s->origin == origin &&
           (!intent_id.p || str_eq(s->intent_id, intent_id));
}

const struct err *openintent_approval_get(struct call *c)
{
    struct suspension s;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(err_not_found_as(suspensions_get(c->pg, c->a, c->param[1], &s),
                         side_unknown(ORIGIN_APPROVAL)));
    if (!side_is(&s, ORIGIN_APPROVAL, i.id))
        return side_unknown(ORIGIN_APPROVAL);
    response_json(c->rs, 200, view_side_question(c, &s));
    return NULL;
}

const struct err *openintent_escalation_list(struct call *c)
{
    const struct str status = request_query(c->rq, "status");
    const enum suspension_state state = vocabulary_suspension_state_of(status);
    const struct suspensions_escalations query = {
        .intent_id = request_query(c->rq, "intent_id"),
        .who = &c->who,
        .any = !status.p,
        .open = state == SUSPENSION_PENDING};
    struct json *o = json_object(c->a), *list = json_array(c->a);
    struct suspension_rows rows;
    if (status.p && !query.open && state != SUSPENSION_RESOLVED)
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("status"),
                      "\"status\" has to be pending or resolved.");
    TRY(suspensions_escalations(c->pg, c->a, &query, &rows));
    for (size_t i = 0; i < rows.n; i++)
        json_add_json(list, view_side_question(c, &rows.v[i]));
    json_set_json(o, "escalations", list);
    response_json(c->rs, 200, o);
    return NULL;
}

/* ---- asking --------------------------------------------------------- */

static const struct err *
side_request(struct call *c, const struct err *(*read)(struct arena *a,
                                                       const struct json *body,
                                                       struct suspension *out))
{
    struct suspension s = {.id = id_new(c->a)};
    struct work w;
    TRY(call_body_once(c));
    TRY(read(c->a, c->body, &s));
    TRY(call_begin(c, &w, c->param[0]));
    if (w.answered)
        return call_replay(c, &w);
    if (side_question_completes(&s)) {
        /* It is about the state of the intent, as it is shown. */
        s.question = STR(
            "Approve the completion of the task with the state shown below?");
        s.subject = governance_completion(c->a, w.intent.state);
        if (!s.subject.p)
            return ERROR(ERR_TOO_LARGE, "suspension.too_large",
                         "The state is too large to be shown with the "
                         "question. A person can complete the task.");
    }
    TRY(ask_by_caller(&w, &s));
    return call_commit(c, &w, 201, view_side_question(c, &w.suspension),
                       false);
}

const struct err *openintent_approval_request(struct call *c)
{
    return side_request(c, side_question_read_approval);
}

const struct err *openintent_escalation_request(struct call *c)
{
    return side_request(c, side_question_read_escalation);
}

const struct err *openintent_arbitration_request(struct call *c)
{
    return side_request(c, side_question_read_arbitration);
}

/* ---- answering ------------------------------------------------------ */

/* The one path of all answers; the object is the answer's body. */
static const struct err *side_answer(struct call *c, struct str id,
                                     enum origin origin, struct str intent_id,
                                     const struct answer *answer)
{
    struct work w = call_work(c);
    TRY(call_once(c));
    TRY(err_not_found_as(work_begin_suspension(&w, id, &c->once),
                         side_unknown(origin)));
    if (w.answered)
        return call_replay(c, &w);
    if (!side_is(&w.suspension, origin, intent_id))
        return side_unknown(origin);
    TRY(respond_decide(c, &w, answer));
    return call_commit(c, &w, 200, view_side_question(c, &w.suspension),
                       false);
}

static const struct err *side_answer_approval(struct call *c,
                                              const char *value)
{
    struct answer answer = {.pressed = true, .via = VIA_OPENINTENT};
    TRY(call_body_if_any(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_text(&f, "notes", NOTES_MAX, &answer.reason);
    TRY(fields_error(&f));
    answer.value = json_string(c->a, str_of(value));
    return side_answer(c, c->param[1], ORIGIN_APPROVAL, c->param[0], &answer);
}

const struct err *openintent_approval_approve(struct call *c)
{
    return side_answer_approval(c, "approve");
}

const struct err *openintent_approval_deny(struct call *c)
{
    return side_answer_approval(c, "deny");
}

const struct err *openintent_escalation_resolve(struct call *c)
{
    struct answer answer = {.via = VIA_OPENINTENT};
    struct str resolution = STR_NONE;
    TRY(call_body(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_need(&f, "resolution");
    fields_text(&f, "resolution", NOTES_MAX, &resolution);
    fields_text(&f, "notes", NOTES_MAX, &answer.reason);
    fields_text(&f, "resolved_by", 200, &answer.claimed);
    TRY(fields_error(&f));
    answer.value = json_string(c->a, resolution);
    return side_answer(c, c->param[0], ORIGIN_ESCALATION, STR_NONE, &answer);
}

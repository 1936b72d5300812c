/* The one endpoint of the tool-call API that ends a pause: a person approves,
 * rejects, completes, declines or answers. A GET decides nothing and leads to
 * the page. */
#include "base/json/fields.h"
#include "domain/answer/resolve.h"
#include "domain/kind/label.h"
#include "domain/question/meant.h"
#include "doors/api/api.h"
#include "doors/asking/view.h"
#include "doors/asking/respond.h"

#define ACTION_MAX 200 /* characters */

/* The action stands in the body or in the address. A secret never passes
 * through here, and is not written down. */
static const struct err *resume_read_action(struct call *c,
                                            struct answer *answer,
                                            struct str *out)
{
    static const char *const secrets[] = {"code", "token", "access_token",
                                          "id_token", "secret"};
    const struct str query = request_query(c->rq, "action");
    struct fields f = fields(c->a, c->body, STR(""));
    *out = STR_NONE;
    for (size_t i = 0; i < countof(secrets); i++) {
        if (json_has(c->body, secrets[i]))
            return err_at(c->a, ERR_INVALID, "resume.secret",
                          str_of(secrets[i]),
                          "Never send a secret here. Store it where the "
                          "agent's platform keeps it, then send the action "
                          "\"complete\".");
    }
    fields_only(&f, "action reason subject_sha256 value restored");
    fields_text(&f, "action", ACTION_MAX, out);
    fields_text(&f, "reason", SUSPENSION_REASON_MAX, &answer->reason);
    fields_text(&f, "subject_sha256", 64, &answer->seen);
    fields_bool(&f, "restored", &answer->restored);
    TRY(fields_error(&f));
    if (query.p && out->p && !str_eq(query, *out))
        return err_at(c->a, ERR_INVALID, "resume.action", STR("action"),
                      "The body and the address name different actions.");
    if (!out->p)
        *out = query.p ? query : STR("");
    return NULL;
}

/* ---- the choice that is meant ---------------------------------------- */

static const char answer_word[] = "answer";

/* May the value itself be the answer? Not where a choice says what is allowed,
 * and not where a credential is to be set up. */
static bool resume_takes_answer(const struct json *choices,
                                const struct suspension *s)
{
    bool plain = s->kind != KIND_CREDENTIAL_NEEDED;
    for (size_t i = 0; i < json_count(choices); i++)
        plain = plain && effect_class(effect_of_choice(
                             json_at(choices, i))) != EFFECT_YES;
    return plain;
}

static const struct err *resume_wrong_action(struct arena *a,
                                             const struct suspension *s,
                                             const struct json *choices)
{
    struct json *more = json_object(a), *list = json_array(a);
    size_t n = 0;
    for (const struct label_word *w; (w = label_ours(n)); n++) {
        const struct json *c = meant_choice(
            a, s, choices, str_of(w->text), MEANT_SAID);
        if (c && effect_of_choice(c) == w->effect &&
            !json_lists_text(list, str_of(w->text)))
            json_add_text(list, str_of(w->text));
    }
    if (resume_takes_answer(choices, s))
        json_add_text(list, str_of(answer_word));
    for (size_t i = 0; i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        const struct str value = json_get_text(c, "value");
        if (meant_choice(a, s, choices, value, MEANT_SAID) == c &&
            !json_lists_text(list, value))
            json_add_text(list, value);
    }
    json_set_json(more, "valid_actions", list);
    return err_more(a,
                    err_at(a, ERR_INVALID, "resume.action", STR("action"),
                           "This question does not support that action."),
                    more);
}

/* Fills the value and the choice of an answer from what was sent; value: NULL
 * where none was. The action "answer" takes the value as it is, for questions
 * that approve nothing. ERR_INVALID resume.action, with valid_actions in more;
 * resume.value where the action takes none, or needs one. */
static const struct err *resume_read_choice(struct arena *a,
                                            const struct suspension *s,
                                            struct str action,
                                            const struct json *value,
                                            struct answer *out)
{
    const struct json *choices = suspension_choices(a, s);
    const struct json *choice = meant_choice(a, s, choices, action, MEANT_SAID);
    const bool by_value = !choice && str_is(action, answer_word) &&
                          resume_takes_answer(choices, s);
    if (!choice && !by_value)
        return resume_wrong_action(a, s, choices);
    if (by_value != (value != NULL))
        return err_at(a, ERR_INVALID, "resume.value", STR("value"),
                      by_value ? "The action \"answer\" needs a value."
                               : "This action does not take a value.");
    out->value = value;
    out->pressed = choice != NULL;
    if (!choice)
        return NULL;
    const struct str word = json_get_text(choice, "value");
    if (suspension_worded(s))
        out->choice = word;
    else
        out->value = json_string(a, word);
    return NULL;
}

/* ---- what is answered ----------------------------------------------- */

static struct json *resume_object(struct call *c, const struct work *w,
                                  struct str action)
{
    const struct suspension *s = &w->suspension;
    const struct intent *i = &w->intent;
    struct json *o = json_object(c->a);
    const struct json *calls = json_get(suspension_subject(c->a, s), "calls");
    json_set_text(o, "object",
                  s->outcome == OUTCOME_AUTHORIZED ? STR("tool_approval")
                  : s->outcome == OUTCOME_VETOED   ? STR("tool_rejection")
                                                   : STR("resume_result"));
    json_set_text(o, "request_id", s->id);
    json_set_text(o, "intent_id", s->intent_id);
    json_set_text_or_null(o, "task_id", i->task_id);
    json_set_text_or_null(o, "session_id", i->session_id);
    json_set_text(o, "action", action);
    json_set_text(o, "outcome", vocabulary_outcome(s->outcome)->wire);
    json_set_text(o, "status",
                  i->status == INTENT_ABANDONED ? STR("Canceled")
                                                : STR("Running"));
    json_set_text(o, "intent_status",
                  vocabulary_intent_status(i->status)->wire);
    if (s->outcome == OUTCOME_VETOED)
        json_set_text(o, "message", STR("Tool execution rejected."));
    if (s->outcome == OUTCOME_AUTHORIZED)
        json_set_int(o, "calls", (int64_t)json_count(calls));
    json_set_text_or_null(o, "reason", s->reason);
    json_set_text(o, "responded_by", s->responded_by);
    view_set_time(c->a, o, "responded_at", s->responded_at);
    view_set_receipt(c, o, s);
    return o;
}

/* ---- answering ------------------------------------------------------ */

const struct err *api_resume(struct call *c)
{
    struct answer answer = {.via = VIA_TOOL_CALL};
    struct str action;
    struct work w = call_work(c);
    TRY(call_body_if_any(c));
    TRY(call_once(c));
    TRY(resume_read_action(c, &answer, &action));
    TRY(work_begin_suspension(&w, c->param[0], &c->once));
    if (w.answered)
        return call_replay(c, &w);
    const struct responder_case about = suspension_case(&w.suspension);
    if (!responder_sees(&about, &c->who))
        return ERROR(ERR_NOT_FOUND, "suspension.unknown",
                     "There is no such suspension.");
    const struct err *e = resume_read_choice(
        c->a, &w.suspension, action, json_get(c->body, "value"), &answer);
    /* Too late, or not theirs to answer: that is reported first. */
    if (e && w.suspension.state == SUSPENSION_PENDING)
        return e;
    TRY(respond_decide(c, &w, &answer));
    if (w.answered)
        return call_replay(c, &w);
    return call_commit(c, &w, 200, resume_object(c, &w, action), false);
}

const struct err *api_resume_page(struct call *c)
{
    const struct str action = request_query(c->rq, "action");
    struct buf b = buf_make(c->a, 4096);
    buf_put(&b, "/suspensions/");
    buf_escape(&b, c->param[0]);
    if (action.n > 0 && action.n <= ACTION_MAX) {
        buf_put(&b, "?choice=");
        buf_escape(&b, action);
    }
    response_see_other(c->rs, buf_text(&b));
    return NULL;
}

/* The native API of questions: ask, read, answer, cancel. */
#include "base/clock.h"
#include "base/json/fields.h"
#include "domain/answer/agent_ui.h"
#include "domain/question/side_question.h"
#include "doors/api/api.h"
#include "doors/asking/question.h"
#include "doors/asking/respond.h"
#include "doors/asking/view.h"
#include "doors/call/hold.h"
#include "store/intent/intents.h"
#include "store/permit/permits.h"
#include "store/permit/tools.h"
#include "store/question/suspensions.h"
#include "work/permit/use.h"
#include "work/restores.h"

#define SHORT_MAX 200

/* ---- asking --------------------------------------------------------- */

static const struct call_made suspension_made = {"/api/v1/suspensions/",
                                                 "suspension_id"};

const struct err *api_suspension_ask(struct call *c)
{
    struct question q;
    struct work w;
    TRY(call_body_once(c));
    TRY(question_read(c->a, c->body, c->rq->body, &q));
    TRY(question_ask(c, &w, &q));
    if (w.answered)
        return call_replay_made(c, &w, &suspension_made);
    call_locate(c, &suspension_made, w.suspension.id);
    return call_commit(c, &w, 201, question_asked(c, &w), false);
}

/* ---- reading -------------------------------------------------------- */

static void suspension_set_permit(struct call *c, struct json *o,
                                  const struct permit *p)
{
    struct json *v = json_object(c->a);
    json_set_text(v, "id", p->id);
    json_set_text(v, "state", vocabulary_permit_state(p->state)->wire);
    json_set_int(v, "max_uses", p->terms.max_uses);
    json_set_int(v, "used", p->used);
    view_set_time(c->a, v, "not_after", p->not_after);
    json_set_text_or_null(v, "granted_sha256", p->granted_sha256);
    json_set_json(o, "permit", v);
}

/* The claims of its agent about an answer that a restore lost. */
static const struct err *suspension_set_claims(struct call *c, struct json *o,
                                               const struct suspension *s)
{
    struct json *list = json_array(c->a);
    struct restores_claims found;
    TRY(restores_claims(c->pg, c->a, s, &found));
    for (size_t i = 0; i < found.n; i++)
        json_add_json(list, claim_record(c->a, &found.v[i]));
    if (found.n > 0)
        json_set_json(o, "claims", list);
    return NULL;
}

/* A platform that kept nothing but the id runs exactly these calls. */
static const struct err *suspension_set_calls(struct call *c, struct json *o,
                                              const struct suspension *s)
{
    struct tools_sent sent;
    if (s->origin != ORIGIN_TOOL_CALL)
        return NULL;
    struct json *list = json_array(c->a);
    TRY(tools_calls(c->pg, c->a, s->id, &sent));
    for (size_t k = 0; k < sent.n; k++)
        json_add_json(list, json_read(c->a, sent.v[k]));
    json_set_text_or_null(o, "task_id", s->task_id);
    json_set_json(o, "tool_calls", list);
    return NULL;
}

const struct err *api_suspension_get(struct call *c)
{
    const struct err *why = NULL;
    struct suspension s;
    struct permits_row row;
    bool found = false;
    int64_t wait = 0;
    TRY(hold_wait(c, &wait));
    TRY(question_get(c, c->param[0], &s));
    if (s.state == SUSPENSION_PENDING && wait > 0) {
        hold_poll(c, &(struct hold_poll){.intent_id = s.intent_id,
                                         .suspension_id = s.id,
                                         .wait = wait});
        return NULL;
    }
    const struct work w = call_work(c);
    struct json *o = view_suspension(c, &s);
    TRY(use_read(&w, &s, 1, &why));
    view_set_usable(o, &s, why);
    if (permit_follows(&s))
        TRY(permits_of_suspension(c->pg, c->a, s.id, &row, &found));
    if (found)
        suspension_set_permit(c, o, &row.permit);
    TRY(suspension_set_claims(c, o, &s));
    TRY(suspension_set_calls(c, o, &s));
    response_json(c->rs, 200, o);
    if (s.state == SUSPENSION_PENDING && c->rq->unheld)
        response_header(c->rs, "Retry-After", STR("1"));
    return NULL;
}

const struct err *api_suspension_action(struct call *c)
{
    struct suspension s;
    struct intent i;
    TRY(question_get(c, c->param[0], &s));
    if (s.origin == ORIGIN_ACCESS) /* who asks knows only the id */
        i = (struct intent){.id = s.intent_id};
    else
        TRY(intents_get(c->pg, c->a, s.intent_id, &i));
    response_json(c->rs, 200, agent_ui_event(c->a, &i, &s));
    return NULL;
}

static const struct err *suspension_read_after(struct call *c,
                                               struct suspensions_page *page)
{
    const struct str after = request_query(c->rq, "after");
    struct suspension s;
    if (!after.p)
        return NULL;
    TRY(err_not_found_as(
        question_get(c, after, &s),
        err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("after"),
               "\"after\" has to be the last suspension_id of the previous "
               "page.")));
    page->after_at = s.suspended_at;
    page->after_id = s.id;
    return NULL;
}

static const struct err *suspension_feed_only(struct call *c, const char *key)
{
    return request_query(c->rq, key).p
               ? err_at(c->a, ERR_BAD_REQUEST, "request.query", str_of(key),
                        "\"%s\" needs \"ended_after\".", key)
               : NULL;
}

const struct err *api_suspension_list(struct call *c)
{
    struct suspensions_page page = {.limit = call_query_int(c, "limit", 50),
                                    .state = request_query(c->rq, "state")};
    struct suspension_rows rows;
    if (request_query(c->rq, "ended_after").p)
        return api_feed(c);
    TRY(suspension_feed_only(c, "agents"));
    TRY(suspension_feed_only(c, "wait"));
    if (page.state.p &&
        vocabulary_suspension_state_of(page.state) == SUSPENSION_STATE__MAX)
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("state"),
                      "\"state\" has to be one of pending, resolved, expired, "
                      "cancelled.");
    TRY(suspension_read_after(c, &page));
    page.agent = reach_name(c->a, &c->who);
    TRY(suspensions_list(c->pg, c->a, &page, &rows));
    struct buf b = buf_make(c->a, RESPONSE_BODY_MAX);
    TRY(view_suspensions(c, &b, &rows,
                         rows.more ? rows.v[rows.n - 1].id : STR_NONE));
    buf_char(&b, '}');
    response_json_buf(c->rs, 200, &b);
    return NULL;
}

/* ---- answering ------------------------------------------------------ */

#define ANSWER_MEMBERS                                                         \
    "value choice reason subject_sha256 constraints subject metadata "         \
    "responded_by typed restored"

/* id: of the question, where the body names it; NULL: the path does. */
static const struct err *suspension_read_answer(struct call *c,
                                                struct str *id,
                                                struct answer *out)
{
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, id ? ANSWER_MEMBERS " suspension_id" : ANSWER_MEMBERS);
    if (id) {
        fields_need(&f, "suspension_id");
        fields_text(&f, "suspension_id", SHORT_MAX, id);
    }
    fields_text(&f, "choice", SHORT_MAX, &out->choice);
    fields_json(&f, "constraints", JSON_OBJECT, &out->amend.constraints);
    fields_json(&f, "subject", JSON_OBJECT, &out->amend.subject);
    if (out->amend.subject)
        out->amend.subject_text =
            json_raw_member(c->a, c->rq->body, STR("subject"));
    fields_text(&f, "reason", SUSPENSION_REASON_MAX, &out->reason);
    fields_text(&f, "subject_sha256", 64, &out->seen);
    fields_text(&f, "responded_by", SHORT_MAX, &out->claimed);
    fields_text(&f, "typed", SHORT_MAX, &out->typed);
    fields_bool(&f, "restored", &out->restored);
    fields_json(&f, "metadata", JSON_OBJECT, &out->metadata);
    out->value = json_get(c->body, "value");
    out->via = VIA_NATIVE;
    return fields_error(&f);
}

/* A script answers what its own key asked, and nothing that the server asks. */
static const struct err *suspension_check_script(const struct call *c,
                                                 const struct suspension *s)
{
    return s->test && str_eq(s->asked_by_key, c->who.id) && !side_question(s)
               ? NULL
               : ERROR(ERR_NOT_FOUND, "suspension.unknown",
                       "This key asked no question with this id.");
}

static const struct err *suspension_respond(struct call *c, bool script)
{
    struct answer answer = {.value = NULL};
    struct str id = c->param[0];
    struct suspension s;
    struct work w = call_work(c);
    TRY(call_body_once(c));
    TRY(suspension_read_answer(c, script ? &id : NULL, &answer));
    TRY(work_begin_suspension(&w, id, &c->once));
    if (w.answered) {
        TRY(question_get(c, id, &s));
        return call_replay(c, &w);
    }
    TRY(script ? suspension_check_script(c, &w.suspension)
               : question_check(c, &w.suspension, w.intent.closed));
    TRY(respond_decide(c, &w, &answer));
    if (w.answered)
        return call_replay(c, &w);
    struct json *o = view_suspension(c, &w.suspension);
    if (w.has_permit && permit_follows(&w.suspension))
        suspension_set_permit(c, o, &w.permit);
    return call_commit(c, &w, 200, o, false);
}

const struct err *api_suspension_respond(struct call *c)
{
    return suspension_respond(c, false);
}

/* ---- tests ---------------------------------------------------------- */

static const struct err *suspension_check_test(const struct call *c)
{
    return c->who.test
               ? NULL
               : ERROR(ERR_FORBIDDEN, "key.no_test",
                       "This needs a test key: sayso key create --test.");
}

const struct err *api_suspension_test_answer(struct call *c)
{
    TRY(suspension_check_test(c));
    c->who.role = ROLE_OPERATOR;
    c->who.name = c->who.actor = STR("Test script");
    return suspension_respond(c, true);
}

const struct err *api_suspension_test_clock(struct call *c)
{
    int64_t seconds = 0, moved = 0;
    struct work w = call_work(c);
    TRY(suspension_check_test(c));
    TRY(call_body_once(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, "forward_seconds");
    fields_need(&f, "forward_seconds");
    fields_int(&f, "forward_seconds", 1, SUSPENSION_TIMEOUT_MAX, &seconds);
    TRY(fields_error(&f));
    TRY(work_begin_bare(&w, &c->once));
    if (w.answered)
        return call_replay(c, &w);
    TRY(suspensions_test_clock(c->pg, c->a, c->who.id,
                               seconds * CLOCK_SECOND, &moved));
    struct json *o = json_object(c->a);
    json_set_int(o, "moved", moved);
    return call_commit_bare(c, &w, 200, o);
}

/* ---- cancelling ----------------------------------------------------- */

const struct err *api_suspension_cancel(struct call *c)
{
    struct str reason = STR_NONE;
    struct work w;
    TRY(call_body_if_any(c));
    TRY(call_once(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, "reason");
    fields_text(&f, "reason", SUSPENSION_REASON_MAX, &reason);
    TRY(fields_error(&f));
    TRY(question_cancel(c, &w, c->param[0], reason, &c->once));
    return w.answered ? call_replay(c, &w)
                      : call_commit(c, &w, 200,
                                    view_suspension(c, &w.suspension), false);
}

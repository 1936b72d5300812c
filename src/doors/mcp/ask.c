/* The tools of the MCP door that ask people, as questions of the native API. */
#include "base/json/fields.h"
#include "domain/answer/verdict.h"
#include "domain/permit/tool_call.h"
#include "domain/permit/tool_title.h"
#include "domain/question/suspension_read.h"
#include "doors/asking/question.h"
#include "doors/asking/view.h"
#include "doors/call/hold.h"
#include "doors/hooks/hooks.h"
#include "doors/mcp/mcp.h"
#include "work/permit/use.h"

#define TEXT_MAX 4000

/* ---- the result ------------------------------------------------------ */

const struct err *mcp_ask_record(struct mcp *m, const struct suspension *s,
                                 struct json **out)
{
    static const char *const shown[] = {"suspension_id", "state", "outcome",
                                        "value",         "reason"};
    static const char *const changes[] = {"constraints", "approved_subject"};
    struct call *c = m->c;
    const struct json *all = view_suspension(c, s);
    struct json *o = json_object(c->a);
    const struct work w = call_work(c);
    const struct err *why = NULL;
    struct verdict v = verdict_of(c->a, s);
    TRY(use_read(&w, s, 1, &why));
    if (why && (v.way == VERDICT_ALLOW || v.way == VERDICT_ANSWER))
        v.text = why->say;
    for (size_t i = 0; i < countof(shown); i++)
        json_set_json(o, shown[i], json_get(all, shown[i]));
    for (size_t i = 0; i < countof(changes); i++)
        if (json_get(all, changes[i]))
            json_set_json(o, changes[i], json_get(all, changes[i]));
    view_set_usable(o, s, why);
    json_set_text(o, "message", v.text);
    json_set_json(o, "url", json_get(all, "url"));
    if (s->state == SUSPENSION_PENDING)
        json_set_text(o, "next",
                      STR("Call check_answer with this suspension_id. Until it "
                          "is resolved, do nothing that depends on it."));
    *out = o;
    return NULL;
}

static const struct err *ask_result(struct mcp *m, const struct suspension *s)
{
    struct json *o;
    TRY(mcp_ask_record(m, s, &o));
    mcp_answer_tool(m, o, false);
    return NULL;
}

/* An open question is a task of a client that has tasks; of another it is held
 * once, and the client then gets the state pending. */
static const struct err *ask_hold(struct mcp *m, const struct suspension *s,
                                  int64_t seconds)
{
    if (s->state != SUSPENSION_PENDING || m->c->rq->waited || seconds <= 0)
        return ask_result(m, s);
    if (mcp_has_tasks(m)) {
        mcp_task_make(m, s);
        return NULL;
    }
    hold_poll(m->c, &(struct hold_poll){.intent_id = s->intent_id,
                                        .suspension_id = s->id,
                                        .wait = seconds,
                                        .token = m->token});
    return NULL;
}

/* ---- asking ----------------------------------------------------------- */

/* The client's own name of its session; p NULL: none. */
static struct str ask_session(const struct mcp *m)
{
    const struct str id = json_get_text(m->meta, "sessionId");
    const struct str thread = json_get_text(m->meta, "threadId");
    return hooks_shorten(m->c->a, id.p ? id : thread);
}

/* Names the page of the question to a client that shows addresses to the
 * person at it. The client then calls again, with the id of this call as its
 * state: a state that it made up is another question. */
static void ask_show_page(struct mcp *m, const struct suspension *s,
                          struct str id)
{
    struct arena *a = m->c->a;
    struct json *o = json_object(a), *all = json_object(a);
    struct json *one = json_object(a), *params = json_object(a);
    json_set_text(params, "mode", STR("url"));
    json_set_text(params, "message",
                  STR("A person has to answer on this page, and signs in "
                      "there. The agent waits, whether you open it or not."));
    json_set_text(params, "url", call_url(m->c, "/suspensions/", s->id));
    json_set_text(one, "method", STR("elicitation/create"));
    json_set_json(one, "params", params);
    json_set_json(all, "page", one);
    json_set_text(o, "resultType", STR("input_required"));
    json_set_json(o, "inputRequests", all);
    json_set_text(o, "requestState", id);
    mcp_answer_result(m, o);
}

/* The id of the call. A client's own id that is unique within its session
 * alone does not count where the session is missing. */
static struct str ask_id(const struct mcp *m, struct str session)
{
    const struct str state = json_get_text(m->params, "requestState");
    const struct str claude = json_get_text(m->meta, "claudecode/toolUseId");
    const struct str call = json_get_text(m->meta, "callId");
    if (state.n > 0)
        return state;
    if (claude.n > 0)
        return claude;
    return session.n > 0 && call.n > 0 ? call : m->c->rq->id;
}

/* Asks the question. The same arguments in any order, with the same bytes of
 * what is stored as it was sent, are the same request. */
static const struct err *ask_question(struct mcp *m, const struct json *args,
                                      struct question *q)
{
    struct arena *a = m->c->a;
    const struct str session = ask_session(m);
    const struct str id = ask_id(m, session);
    const bool again = json_has(m->params, "requestState") ||
                       json_has(m->params, "inputResponses");
    struct buf same = buf_make(a, 8 * REQUEST_BODY_MAX);
    struct suspension s;
    json_write_canonical(&same, args);
    question_once(m->c, session, id,
                  arena_join(a, buf_text(&same), STR("\n"),
                             q->suspension.context, STR("\n"),
                             q->suspension.subject));
    q->intent.session_id = session;
    TRY(question_ask_once(m->c, q, &s));
    if (s.state != SUSPENSION_PENDING || again || !mcp_shows_pages(m))
        return ask_hold(m, &s, mcp_hold(m));
    ask_show_page(m, &s, id);
    return NULL;
}

const struct err *mcp_ask_human(struct mcp *m, const struct json *args)
{
    struct fields f = fields(m->c->a, args, STR(""));
    struct json *body = json_copy(m->c->a, args);
    struct question q = {.intent_id = STR_NONE};
    fields_only(&f, "question explanation context choices form severity "
                    "timeout_seconds");
    fields_need(&f, "question");
    TRY(fields_error(&f));
    if (!json_has(args, "choices") && !json_has(args, "form"))
        json_set_text(body, "response_type",
                      vocabulary_answer_type(ANSWER_TEXT)->wire);
    json_set_text(body, "fallback_policy",
                  vocabulary_fallback_policy(FALLBACK_FAIL)->wire);
    TRY(suspension_read(m->c->a, body, m->text, &q.suspension));
    return ask_question(m, args, &q);
}

/* The server's words ask; what the agent says is in the subject, byte for
 * byte. */
static struct str ask_subject(const struct mcp *m, const struct json *args)
{
    static const char *const sent[] = {"target", "scope_summary"};
    struct buf b = buf_make(m->c->a, 4 * REQUEST_BODY_MAX);
    const struct str action = json_get_text(args, "action");
    const struct str calls =
        json_raw_member(m->c->a, m->text, STR("arguments"));
    json_write_text(&b, "{\"action\":{\"name\":", action);
    buf_char(&b, '}');
    for (size_t i = 0; i < countof(sent); i++) {
        const struct str raw =
            json_raw_member(m->c->a, m->text, str_of(sent[i]));
        if (!raw.p)
            continue;
        buf_printf(&b, ",\"%s\":", sent[i]);
        buf_str(&b, raw);
    }
    json_write_text(&b, ",\"consequence\":",
                    tool_call_consequence(json_get_text(args, "consequence")));
    if (calls.p) {
        json_write_text(&b, ",\"calls\":[{\"tool\":", action);
        buf_put(&b, ",\"args\":");
        buf_str(&b, calls);
        buf_put(&b, "}]");
    }
    buf_char(&b, '}');
    return buf_text(&b);
}

const struct err *mcp_ask_approval(struct mcp *m, const struct json *args)
{
    struct arena *a = m->c->a;
    struct fields f = fields(a, args, STR(""));
    struct question q = {.intent_id = STR_NONE};
    struct suspension *s = &q.suspension;
    struct str action, consequence;
    const struct json *given = NULL;
    fields_only(&f, "action target scope_summary consequence arguments "
                    "explanation severity timeout_seconds");
    fields_need(&f, "action");
    fields_text(&f, "action", TOOL_CALL_NAME_MAX, &action);
    fields_text(&f, "consequence", TEXT_MAX, &consequence);
    fields_json(&f, "arguments", JSON_OBJECT, &given);
    suspension_read_members(&f, s);
    TRY(fields_error(&f));
    s->kind = KIND_APPROVAL;
    s->question = tool_call_question(a, action);
    s->subject = ask_subject(m, args);
    s->title = tool_title(a, suspension_subject(a, s));
    TRY(suspension_compose(a, tool_call_choices(a), NULL, s));
    return ask_question(m, args, &q);
}

/* ---- one that was asked ---------------------------------------------- */

const struct err *mcp_ask_check(struct mcp *m, const struct json *args)
{
    struct fields f = fields(m->c->a, args, STR(""));
    struct suspension s;
    int64_t seconds = mcp_hold(m);
    struct str id;
    fields_only(&f, "suspension_id wait_seconds");
    fields_need(&f, "suspension_id");
    fields_uuid(&f, "suspension_id", &id);
    fields_int(&f, "wait_seconds", 0, MCP_HOLD_MAX, &seconds);
    TRY(fields_error(&f));
    TRY(question_get(m->c, id, &s));
    if (seconds > mcp_hold(m))
        seconds = mcp_hold(m);
    return ask_hold(m, &s, seconds);
}

const struct err *mcp_ask_withdraw(struct mcp *m, const struct json *args)
{
    struct fields f = fields(m->c->a, args, STR(""));
    struct call *c = m->c;
    struct str id, reason;
    struct work w;
    fields_only(&f, "suspension_id reason");
    fields_need(&f, "suspension_id");
    fields_uuid(&f, "suspension_id", &id);
    fields_text(&f, "reason", SUSPENSION_REASON_MAX, &reason);
    TRY(fields_error(&f));
    TRY(question_cancel(c, &w, id, reason, NULL));
    TRY(call_commit(c, &w, 200, view_suspension(c, &w.suspension), false));
    return ask_result(m, &w.suspension);
}

/* The tools of the MCP door that ask people, as questions of the native API. */
#include "base/json/fields.h"
#include "domain/answer/verdict.h"
#include "domain/permit/tool_call.h"
#include "doors/asking/question.h"
#include "doors/asking/tool_request.h"
#include "doors/asking/view.h"
#include "doors/call/hold.h"
#include "doors/hooks/hooks.h"
#include "doors/mcp/mcp.h"
#include "work/permit/use.h"

#define TEXT_MAX 4000

/* ---- the result ------------------------------------------------------ */

/* A yes that has ended or was revoked is reported as a no. */
static const struct err *tell(struct mcp *m, const struct suspension *s)
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
    mcp_answer_tool(m, o, false);
    return NULL;
}

/* An open question is held once; the client then gets the state pending. */
static const struct err *hold_or_tell(struct mcp *m,
                                      const struct suspension *s,
                                      int64_t seconds)
{
    if (s->state != SUSPENSION_PENDING || m->c->rq->waited || seconds <= 0)
        return tell(m, s);
    hold_poll(m->c, &(struct hold_poll){.intent_id = s->intent_id,
                                        .suspension_id = s->id,
                                        .wait = seconds,
                                        .token = m->token});
    return NULL;
}

/* ---- asking ----------------------------------------------------------- */

/* The client's own name of its session; p NULL: none. */
static struct str session_of(const struct mcp *m)
{
    const struct str id = json_get_text(m->meta, "sessionId");
    const struct str thread = json_get_text(m->meta, "threadId");
    return hooks_named(m->c->a, id.p ? id : thread);
}

/* The client's own id of the call; p NULL: none. One that is unique within its
 * session alone says nothing where the session is missing. */
static struct str call_id(const struct mcp *m)
{
    const struct str claude = json_get_text(m->meta, "claudecode/toolUseId");
    if (claude.n > 0)
        return claude;
    return session_of(m).n > 0 ? json_get_text(m->meta, "callId") : STR_NONE;
}

static const struct err *ask(struct mcp *m, struct str text)
{
    struct call *c = m->c;
    const struct work_once once =
        question_once(c, session_of(m), call_id(m), text);
    struct json *body = NULL;
    struct suspension s;
    struct work w;
    TRY(json_parse(c->a, text, &body));
    TRY(question_ask(c, &w, text, body, &once));
    if (w.answered) {
        const struct json *before = json_read(c->a, w.before.body);
        TRY(question_get(c, json_get_text(before, "suspension_id"), &s));
    } else {
        TRY(call_commit(c, &w, 201, question_asked(c, &w), false));
        s = w.suspension;
    }
    return hold_or_tell(m, &s, mcp_hold(m));
}

/* Members as the client sent them, byte for byte. */
static void put_sent(const struct mcp *m, struct buf *b,
                     const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tool_request_put_sent(b, m->text, names[i], STR_NONE);
}

static struct buf begin(const struct mcp *m)
{
    const struct str session = session_of(m);
    struct buf b = buf_make(m->c->a, 2 * REQUEST_BODY_MAX);
    buf_put(&b, "{\"fallback_policy\":\"fail\"");
    if (session.p) {
        buf_put(&b, ",\"intent\":{\"session_id\":");
        json_write_string(&b, session);
        buf_char(&b, '}');
    }
    return b;
}

const struct err *mcp_ask_human(struct mcp *m, const struct json *args)
{
    static const char *const sent[] = {"question", "explanation", "context",
                                       "choices",  "form",        "severity",
                                       "timeout_seconds"};
    struct fields f = fields(m->c->a, args, STR(""));
    struct buf b = begin(m);
    fields_only(&f, "question explanation context choices form severity "
                    "timeout_seconds");
    fields_need(&f, "question");
    TRY(fields_error(&f));
    tool_request_put_text(&b, "response_type",
                          json_has(args, "choices") ? STR("choice")
                          : json_has(args, "form")  ? STR("form")
                                                    : STR("text"));
    put_sent(m, &b, sent, countof(sent));
    buf_char(&b, '}');
    return ask(m, buf_text(&b));
}

/* The server's words ask; what the agent says is in the subject. */
static void put_subject(const struct mcp *m, struct buf *b,
                        const struct json *args)
{
    static const char *const sent[] = {"target", "scope_summary"};
    const struct str action = json_get_text(args, "action");
    const struct str calls =
        json_raw_member(m->c->a, m->text, STR("arguments"));
    buf_put(b, ",\"subject\":{\"action\":{\"name\":");
    json_write_string(b, action);
    buf_char(b, '}');
    put_sent(m, b, sent, countof(sent));
    tool_request_put_text(
        b, "consequence",
        tool_call_consequence(json_get_text(args, "consequence")));
    if (calls.p) {
        buf_put(b, ",\"calls\":[{\"tool\":");
        json_write_string(b, action);
        buf_put(b, ",\"args\":");
        buf_str(b, calls);
        buf_put(b, "}]");
    }
    buf_char(b, '}');
}

const struct err *mcp_ask_approval(struct mcp *m, const struct json *args)
{
    static const char *const sent[] = {"explanation", "severity",
                                       "timeout_seconds"};
    struct fields f = fields(m->c->a, args, STR(""));
    struct buf b = begin(m);
    struct str action, consequence;
    const struct json *given = NULL;
    fields_only(&f, "action target scope_summary consequence arguments "
                    "explanation severity timeout_seconds");
    fields_need(&f, "action");
    fields_text(&f, "action", TOOL_CALL_NAME_MAX, &action);
    fields_text(&f, "consequence", TEXT_MAX, &consequence);
    fields_json(&f, "arguments", JSON_OBJECT, &given);
    TRY(fields_error(&f));
    buf_put(&b, ",\"kind\":\"approval\"");
    tool_request_put_text(&b, "question", tool_call_question(m->c->a, action));
    buf_put(&b, tool_request_choices);
    put_sent(m, &b, sent, countof(sent));
    put_subject(m, &b, args);
    buf_char(&b, '}');
    return ask(m, buf_text(&b));
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
    return hold_or_tell(m, &s, seconds);
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
    return tell(m, &w.suspension);
}

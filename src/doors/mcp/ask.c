/* The tools of the MCP door that ask people, as questions of the native API. */
#include "base/json/fields.h"
#include "domain/answer/verdict.h"
#include "domain/permit/tool_call.h"
#include "doors/asking/question.h"
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

/* Asks the question of a body. text: an object with the bytes of the member
 * that is stored as it was sent; kept: its name. The same body with the same
 * bytes is the same request. */
static const struct err *ask(struct mcp *m, const struct json *body,
                             const char *kept, struct str text)
{
    struct call *c = m->c;
    struct suspension s;
    struct work w;
    question_once(c, session_of(m), call_id(m),
                  arena_join(c->a, json_dump(c->a, body, 8 * REQUEST_BODY_MAX),
                             STR("\n"),
                             json_raw_member(c->a, text, str_of(kept))));
    TRY(question_ask(c, &w, text, body));
    if (w.answered) {
        const struct json *before = json_read(c->a, w.before.body);
        TRY(question_get(c, json_get_text(before, "suspension_id"), &s));
    } else {
        TRY(call_commit(c, &w, 201, question_asked(c, &w), false));
        s = w.suspension;
    }
    return hold_or_tell(m, &s, mcp_hold(m));
}

/* Members as the client sent them. */
static void set_sent(struct json *o, const struct json *args,
                     const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (json_has(args, names[i]))
            json_set_json(o, names[i], json_get(args, names[i]));
}

static struct json *begin(const struct mcp *m)
{
    const struct str session = session_of(m);
    struct json *o = json_object(m->c->a);
    json_set_text(o, "fallback_policy",
                  vocabulary_fallback_policy(FALLBACK_FAIL)->wire);
    if (session.p) {
        struct json *intent = json_object(m->c->a);
        json_set_text(intent, "session_id", session);
        json_set_json(o, "intent", intent);
    }
    return o;
}

const struct err *mcp_ask_human(struct mcp *m, const struct json *args)
{
    static const char *const sent[] = {"question", "explanation", "context",
                                       "choices",  "form",        "severity",
                                       "timeout_seconds"};
    struct fields f = fields(m->c->a, args, STR(""));
    struct json *o = begin(m);
    fields_only(&f, "question explanation context choices form severity "
                    "timeout_seconds");
    fields_need(&f, "question");
    TRY(fields_error(&f));
    const enum answer_type type = json_has(args, "choices") ? ANSWER_CHOICE
                                  : json_has(args, "form")  ? ANSWER_FORM
                                                            : ANSWER_TEXT;
    json_set_text(o, "response_type", vocabulary_answer_type(type)->wire);
    set_sent(o, args, sent, countof(sent));
    return ask(m, o, "context", m->text);
}

/* The server's words ask; what the agent says is in the subject, byte for
 * byte. */
static struct str subject_of(const struct mcp *m, const struct json *args)
{
    static const char *const sent[] = {"target", "scope_summary"};
    struct buf b = buf_make(m->c->a, 4 * REQUEST_BODY_MAX);
    const struct str action = json_get_text(args, "action");
    const struct str calls =
        json_raw_member(m->c->a, m->text, STR("arguments"));
    buf_put(&b, "{\"action\":{\"name\":");
    json_write_string(&b, action);
    buf_char(&b, '}');
    for (size_t i = 0; i < countof(sent); i++) {
        const struct str raw =
            json_raw_member(m->c->a, m->text, str_of(sent[i]));
        if (!raw.p)
            continue;
        buf_printf(&b, ",\"%s\":", sent[i]);
        buf_str(&b, raw);
    }
    buf_put(&b, ",\"consequence\":");
    json_write_string(
        &b, tool_call_consequence(json_get_text(args, "consequence")));
    if (calls.p) {
        buf_put(&b, ",\"calls\":[{\"tool\":");
        json_write_string(&b, action);
        buf_put(&b, ",\"args\":");
        buf_str(&b, calls);
        buf_put(&b, "}]");
    }
    buf_char(&b, '}');
    return buf_text(&b);
}

const struct err *mcp_ask_approval(struct mcp *m, const struct json *args)
{
    static const char *const sent[] = {"explanation", "severity",
                                       "timeout_seconds"};
    struct arena *a = m->c->a;
    struct fields f = fields(a, args, STR(""));
    struct json *o = begin(m), *subject = NULL;
    struct str action, consequence;
    const struct json *given = NULL;
    fields_only(&f, "action target scope_summary consequence arguments "
                    "explanation severity timeout_seconds");
    fields_need(&f, "action");
    fields_text(&f, "action", TOOL_CALL_NAME_MAX, &action);
    fields_text(&f, "consequence", TEXT_MAX, &consequence);
    fields_json(&f, "arguments", JSON_OBJECT, &given);
    TRY(fields_error(&f));
    const struct str text = subject_of(m, args);
    TRY(json_parse(a, text, &subject));
    json_set_text(o, "kind", kind_words(KIND_APPROVAL)->wire);
    json_set_text(o, "question", tool_call_question(a, action));
    json_set_json(o, "choices", tool_call_choices(a));
    set_sent(o, args, sent, countof(sent));
    json_set_json(o, "subject", subject);
    return ask(m, o, "subject",
               arena_join(a, STR("{\"subject\":"), text, STR("}")));
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

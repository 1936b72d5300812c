/* The hooks of coding agents: reading an event, and asking about its call. */
#include "doors/hooks/hooks.h"

#include "base/crypt.h"
#include "base/json/fields.h"
#include "domain/permit/tool_call.h"
#include "doors/asking/question.h"
#include "doors/asking/tool_gate.h"
#include "doors/asking/view.h"
#include "doors/call/hold.h"
#include "store/permit/tools.h"
#include "work/permit/tool_check.h"
#include "work/permit/use.h"

#define SHORT_MAX 200
#define HEAD_MAX (SHORT_MAX - 1 - 64) /* before an ellipsis and a digest */
#define CWD_MAX 10000 /* characters that are shown of the working directory */
#define TOOL_SENT_MAX 5000 /* and of the whole name of a tool */
#define TARGET_MAX 200
/* Bytes of the arguments of a call, because a file that is written is one of
 * them: the room of a question's subject, less that of its other facts. */
#define ARGUMENTS_MAX ((size_t)224 << 10)

/* ---- clients -------------------------------------------------------- */

static const struct hooks_client {
    const char *name, *title;
    const char *session; /* the member that names the session */
    int64_t hold; /* seconds: nine tenths of the client's own limit */
    bool edits;   /* it runs the arguments that the answer names */
    bool late;    /* it has words for "not yet"; a client that has none runs
                   * the tool when it gets one */
    bool bare;    /* as in struct hooks_call */
} clients[] = {
    {"claude", "Claude Code", "session_id", 540, .edits = true, .late = true},
    {"codex", "Codex", "session_id", 50, .bare = true},
    {"gemini", "Gemini CLI", "session_id", 50, .edits = true},
    {"cursor", "Cursor", "conversation_id", 50, .edits = false},
};

static const struct {
    const char *name; /* of the event */
    enum hooks_form form;
    const char *tool; /* of an event that names none */
} events[] = {
    {"PreToolUse", HOOKS_PRE_TOOL, NULL},
    {"PermissionRequest", HOOKS_PERMISSION, NULL},
    {"BeforeTool", HOOKS_GEMINI, NULL},
    {"beforeShellExecution", HOOKS_CURSOR, "Shell"},
    {"beforeMCPExecution", HOOKS_CURSOR, NULL},
    {"preToolUse", HOOKS_CURSOR, NULL},
};

/* ---- names ---------------------------------------------------------- */

/* A name in short: its head, and the digest of the whole. */
static struct str hooks_digest(struct arena *a, struct str head,
                               struct str whole)
{
    return arena_join(a, head, STR("\xE2\x80\xA6"),
                      crypt_sha256_hex(a, whole));
}

struct str hooks_shorten(struct arena *a, struct str s)
{
    return str_runes(s) <= SHORT_MAX
               ? s
               : hooks_digest(a, str_head(s, HEAD_MAX), s);
}

/* In the head of a tool's name, a space or a sign that nobody sees is "_". */
void hooks_set_names(struct hooks_call *h, struct str tool, struct str id,
                     struct str session)
{
    struct arena *a = h->c->a;
    struct buf b = buf_make(a, SHORT_MAX * 4);
    const struct str head = str_head(tool, HEAD_MAX);
    for (size_t at = 0, from = 0; at < head.n; from = at) {
        str_rune(head, &at);
        const struct str one = {head.p + from, at - from};
        buf_str(&b, tool_call_name(one) ? one : STR("_"));
    }
    h->tool_sent = tool;
    h->tool = tool.n == 0 || tool_call_name(tool)
                  ? tool
                  : hooks_digest(a, buf_text(&b), tool);
    h->id = id.n == 0 || tool_call_id(id) ? id : crypt_sha256_hex(a, id);
    h->session = hooks_shorten(a, session);
}

/* ---- reading -------------------------------------------------------- */

/* The tool's name and the input: an object as it was sent, or the text of one.
 * tool: of an event that names none, whose input is its command; else NULL. */
static struct str hooks_read_tool(struct hooks_call *h, struct fields *f,
                                  struct str text, const char *tool)
{
    const char *member = tool ? "command" : "tool_name";
    const struct json *v = json_get(f->obj, "tool_input");
    struct arena *a = f->arena;
    struct str name;
    fields_need(f, member);
    fields_text(f, member, REQUEST_BODY_MAX, &name);
    if (tool) {
        h->input =
            arena_join(a, STR("{\"command\":"),
                       json_raw_member(a, text, STR("command")), STR("}"));
        return str_of(tool);
    }
    h->input = json_is(v, JSON_OBJECT)
                   ? json_raw_member(a, text, STR("tool_input"))
                   : json_text(v);
    if (!h->input.p || json_check(a, h->input) ||
        !json_is(json_read(a, h->input), JSON_OBJECT))
        fields_wrong(f, "tool_input", "field.value",
                     "The input has to be an object, or the text of one.");
    return name;
}

const struct err *hooks_read(struct hooks_call *h, const struct json *body,
                             struct str text)
{
    struct fields f = fields(h->c->a, body, STR(""));
    struct str event;
    size_t i = 0;
    fields_need(&f, "hook_event_name");
    fields_text(&f, "hook_event_name", SHORT_MAX, &event);
    TRY(fields_error(&f));
    while (i < countof(events) && !str_is(event, events[i].name))
        i++;
    if (i == countof(events))
        return err_at(h->c->a, ERR_INVALID, "hook.event",
                      STR("hook_event_name"),
                      "This event does not ask for a decision about a tool.");
    struct str id, session;
    h->form = events[i].form;
    fields_text(&f, "tool_use_id", REQUEST_BODY_MAX, &id);
    fields_text(&f, "session_id", REQUEST_BODY_MAX, &session);
    fields_text(&f, "cwd", REQUEST_BODY_MAX, &h->cwd);
    const struct str tool = hooks_read_tool(h, &f, text, events[i].tool);
    TRY(fields_error(&f));
    hooks_set_names(h, tool, id, session);
    return NULL;
}

/* ---- asking --------------------------------------------------------- */

/* Does the tool's name in the question stand for another one? */
static bool hooks_renamed(const struct hooks_call *h)
{
    return !str_eq(h->tool, h->tool_sent);
}

static struct str hooks_explanation(const struct hooks_call *h)
{
    struct buf b = buf_make(h->c->a, (CWD_MAX + TOOL_SENT_MAX) * 4 + 64);
    if (h->cwd.n > 0) {
        buf_put(&b, "Working directory: ");
        buf_str(&b, str_head(h->cwd, CWD_MAX));
    }
    if (hooks_renamed(h)) {
        buf_put(&b, b.n ? "\n" : "");
        buf_put(&b, "The whole name of the tool: ");
        buf_str(&b, str_head(h->tool_sent, TOOL_SENT_MAX));
    }
    return b.n > 0 ? buf_text(&b) : STR_NONE;
}

/* The first line of a text, up to a length; where there is more, says so. */
static struct str hooks_first_line(struct arena *a, struct str text)
{
    struct str rest = text;
    const struct str line = str_head(str_cut(&rest, '\n'), TARGET_MAX);
    struct buf b = buf_make(a, line.n + 64);
    if (line.n == text.n)
        return text;
    buf_str(&b, line);
    buf_printf(&b, " ... (%zu characters)", str_runes(text));
    return buf_text(&b);
}

/* The file, address or command of a call; else, and for a patch, the working
 * directory. An argument that a person may change is not a target: it would be
 * wrong then. */
static struct str hooks_target(const struct hooks_call *h,
                               const struct json *input)
{
    static const char *const members[] = {
        "file_path", "notebook_path", "absolute_path", "path", "url",
        "command"};
    for (size_t i = 0; !h->edit && i < countof(members); i++) {
        const struct str text = str_trim(json_get_text(input, members[i]));
        if (text.n > 0 && !str_starts(text, STR("*** Begin Patch")))
            return hooks_first_line(h->c->a, text);
    }
    if (str_runes(h->cwd) > CWD_MAX)
        return hooks_first_line(h->c->a, h->cwd);
    return h->cwd.n > 0 ? h->cwd : STR_NONE;
}

/* The call in one text, for its identity. */
static struct str hooks_identity(const struct hooks_call *h)
{
    struct buf b = buf_make(h->c->a, 2 * REQUEST_BODY_MAX);
    json_write_text(&b, "[", h->session);
    json_write_text(&b, ",", h->id);
    json_write_text(&b, ",", h->cwd);
    json_write_text(&b, ",", h->tool_sent);
    buf_char(&b, ',');
    buf_str(&b, h->input);
    buf_char(&b, ']');
    return buf_text(&b);
}

/* A no by a rule. */
static struct verdict hooks_denied(struct str reason)
{
    return (struct verdict){
        .way = VERDICT_DENY,
        .text = reason.n > 0 ? reason : STR("A rule forbids it.")};
}

const struct err *hooks_deny(const struct hooks_call *h, struct str reason,
                             struct verdict *out)
{
    *out = hooks_denied(reason);
    return call_prove(h->c);
}

const struct err *hooks_rules(const struct hooks_call *h,
                              struct tool_rule_verdict *out)
{
    struct tool_check g = {.w = call_work(h->c),
                           .severity = SEVERITY_UNSAID,
                           .tools = &h->tool_sent,
                           .n = 1};
    TRY(tool_check_decide(&g));
    *out = g.verdict;
    return NULL;
}

void hooks_once(struct hooks_call *h, struct str text)
{
    const bool named = h->session.n > 0 || h->form == HOOKS_PROMPT;
    question_once(h->c, h->session, named ? h->id : STR_NONE, text);
    h->operation = h->c->once.key;
}

/* Of a name that stands for another the rules see the head, and one that allows
 * it would not know what it allows: a person decides. */
static const struct err *hooks_check_call(struct hooks_call *h,
                                          struct tool_gate_result *out)
{
    const struct tool_call call = {.id = h->id.n > 0 ? h->id : STR("hook"),
                                   .tool = h->tool,
                                   .raw = h->input};
    struct tool_gate g = {
        .c = h->c,
        .check = {.w = call_work(h->c),
                  .session_id = h->session.n > 0 ? h->session : STR_NONE,
                  .requires_approval = hooks_renamed(h)},
        .about = {.consequence = tool_call_consequence(STR_NONE),
                  .provider = h->client},
        .question = {.responder = {.mode = RESPONDER_OPERATORS},
                     .explanation = hooks_explanation(h)},
        .edit = h->edit};
    hooks_once(h, hooks_identity(h));
    TRY(tool_call_one(h->c->a, call, ARGUMENTS_MAX, &g.calls));
    g.about.target = hooks_target(h, g.calls.v[0].tree);
    return tool_gate_check(&g, out);
}

/* A call that no question can show is a no, with what is wrong with it: a
 * client takes an error for a hook that fails, and may go on. */
static const struct err *hooks_check(struct hooks_call *h,
                                     struct suspension *s, struct verdict *out)
{
    struct arena *a = h->c->a;
    struct tool_gate_result done = {.effect = TOOL_ASK};
    const struct err *e = hooks_check_call(h, &done);
    if (e && e->kind != ERR_INVALID)
        return e;
    *s = done.suspension;
    if (e)
        return hooks_deny(
            h, arena_join(a, e->say, STR(" Nobody was asked. Do not run it.")),
            out);
    if (done.effect == TOOL_ASK) {
        *out = verdict_of(a, s);
    } else if (done.effect == TOOL_ALLOW) {
        *out = (struct verdict){.way = VERDICT_ALLOW,
                                .text = STR("A rule allows it.")};
    } else {
        *out = hooks_denied(done.reason);
    }
    return NULL;
}

/* The arguments that a person approved in place of the sent ones: of the same
 * tool, or nothing runs. */
static void hooks_apply_edit(struct hooks_call *h, const struct suspension *s,
                             struct verdict *out)
{
    const struct json *calls =
        json_get(suspension_approved(h->c->a, s), "calls");
    const struct json *call = json_at(calls, 0);
    if (!s->approved_subject.p)
        return;
    h->updated = json_get(call, "args");
    if (h->edit && json_count(calls) == 1 && h->updated &&
        str_eq(json_get_text(call, "tool"), h->tool)) {
        out->text = STR("Approved with changed arguments.");
        return;
    }
    h->updated = NULL;
    out->way = VERDICT_DENY;
    out->text = STR("A different call was approved instead of this one.");
}

/* A person's yes is used up here, right before the client runs the call; a
 * rule's has no question. */
static const struct err *hooks_use_approval(struct hooks_call *h,
                                            const struct suspension *s,
                                            struct verdict *out)
{
    const struct work w = call_work(h->c);
    if (!h->updated)
        hooks_apply_edit(h, s, out);
    if (s->id.p && out->way == VERDICT_ALLOW) {
        bool kept = false;
        TRY(use_verdict(&w, s, h->operation, out, &kept));
        if (!kept)
            TRY(call_prove(h->c));
    }
    if (out->way != VERDICT_ALLOW)
        h->updated = NULL;
    return NULL;
}

/* ---- other calls of the session --------------------------------------- */

static const struct err *hooks_withdraw(struct call *c, struct str id,
                                        const char *why)
{
    struct work w;
    const struct err *e = question_cancel(c, &w, id, str_of(why), NULL);
    if (e && e->kind == ERR_CONFLICT) { /* it was answered meanwhile */
        pg_rollback(c->pg);
        return NULL;
    }
    TRY(e);
    return call_commit(c, &w, 200, view_suspension(c, &w.suspension), false);
}

/* The same call with other arguments is another question, and the old one is
 * nobody's. Of two calls that a client defers it remembers one, so only the
 * first is. */
static const struct err *hooks_withdraw_stale(struct hooks_call *h,
                                              const struct suspension *s,
                                              struct verdict *out)
{
    struct call *c = h->c;
    struct tools_open open = {.n = 0};
    bool first = true;
    if (h->session.n == 0 || h->id.n == 0)
        return NULL;
    TRY(tools_open_of_session(c->pg, c->a, reach_name(c->a, &c->who),
                              h->session, &open));
    for (size_t i = 0; i < open.n; i++) {
        const struct tools_open_call *other = &open.v[i];
        if (str_eq(other->suspension_id, s->id))
            continue;
        if (str_eq(other->call_id, h->id))
            TRY(hooks_withdraw(
                c, other->suspension_id,
                "The agent asked about this call again, with other "
                "arguments."));
        else
            first = first && str_cmp(other->suspension_id, s->id) > 0;
    }
    if (h->late != HOOKS_LATE_DEFER || first)
        return NULL;
    out->way = VERDICT_DENY;
    out->text =
        STR("Only one call of a session can wait. Ask for this one again.");
    return hooks_withdraw(c, s->id,
                          "Another call of the session is already waiting.");
}

const struct err *hooks_decide(struct hooks_call *h, int64_t seconds,
                               struct verdict *out, bool *held)
{
    struct call *c = h->c;
    struct suspension s;
    struct tool_rule_verdict rules;
    *held = false;
    if (hooks_renamed(h)) {
        TRY(hooks_rules(h, &rules));
        if (rules.effect == TOOL_DENY)
            return hooks_deny(h, rules.reason, out);
    }
    TRY(hooks_is_user_question(h) ? hooks_user_ask(h, &s, out)
                                  : hooks_check(h, &s, out));
    if (out->way == VERDICT_ALLOW)
        return hooks_use_approval(h, &s, out);
    if (out->way != VERDICT_WAIT)
        return NULL;
    out->text = arena_join(
        c->a,
        STR("Nobody has answered yet. Do not run it. A person can answer at "),
        call_url(c, "/suspensions/", s.id));
    TRY(hooks_withdraw_stale(h, &s, out));
    *held = out->way == VERDICT_WAIT && seconds > 0 && !c->rq->waited;
    if (*held)
        hold_poll(c, &(struct hold_poll){.intent_id = s.intent_id,
                                         .suspension_id = s.id,
                                         .wait = seconds,
                                         .token = h->token});
    return NULL;
}

/* ---- the door ------------------------------------------------------- */

static const struct err *hooks_read_late(struct call *c,
                                         const struct hooks_client *client,
                                         enum hooks_late *out)
{
    static const char *const words[HOOKS_LATE__MAX] = {
        [HOOKS_LATE_DENY] = "deny",
        [HOOKS_LATE_ASK] = "ask",
        [HOOKS_LATE_DEFER] = "defer"};
    const struct str sent = request_query(c->rq, "late");
    size_t i = 0;
    while (sent.p && i < countof(words) && !str_is(sent, words[i]))
        i++;
    if (i == countof(words))
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("late"),
                      "\"late\" has to be deny, ask or defer.");
    if (i != HOOKS_LATE_DENY && !client->late)
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("late"),
                      "\"late\" other than deny is supported for claude only. "
                      "%s runs the tool on any other answer.",
                      client->title);
    *out = (enum hooks_late)i;
    return NULL;
}

const struct err *hooks_post(struct call *c)
{
    const struct str edit = request_query(c->rq, "edit");
    struct hooks_call h = {.c = c};
    struct verdict v;
    size_t i = 0;
    bool held;
    TRY(call_body(c));
    while (i < countof(clients) && !str_is(c->param[0], clients[i].name))
        i++;
    if (i == countof(clients))
        return ERROR(ERR_NOT_FOUND, "hook.unknown",
                     "There are hooks for claude, codex, gemini and cursor.");
    h.client = str_of(clients[i].title);
    h.bare = clients[i].bare;
    TRY(hooks_read_late(c, &clients[i], &h.late));
    TRY(hooks_read(&h, c->body, c->rq->body));
    h.edit = str_is(edit, "yes") && clients[i].edits;
    if (edit.p && !h.edit && !str_is(edit, "no"))
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("edit"),
                      "\"edit\" has to be yes or no. Only claude and gemini "
                      "support yes.");
    if (!h.session.p)
        h.session =
            hooks_shorten(c->a, json_get_text(c->body, clients[i].session));
    const int64_t wait =
        h.late == HOOKS_LATE_DEFER ? 0 : clients[i].hold;
    TRY(hooks_decide(&h, call_query_int(c, "hold", wait), &v, &held));
    if (held)
        return NULL;
    response_json(c->rs, 200, hooks_output(&h, &v));
    response_header(c->rs, "Sayso-Decision", str_of(hooks_word(&h, v.way)));
    return NULL;
}

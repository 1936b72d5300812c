/* A gate before tools run. Rules allow or refuse the calls of one turn
 * together, or a person is asked about all of them. */
#include "doors/asking/tool_gate.h"

#include "base/id.h"
#include "domain/permit/tool_title.h"
#include "domain/question/suspension_read.h"
#include "doors/asking/question.h"
#include "doors/asking/tool_request.h"
#include "doors/asking/view.h"
#include "store/permit/tools.h"

/* ---- the question --------------------------------------------------- */

/* The server's words: what will run is in the subject. The body's members of
 * the question are read only here: a rule that allows the calls needs none. */
static const struct err *tool_gate_ask(struct tool_gate *g)
{
    struct arena *a = g->c->a;
    struct suspension *s = &g->question;
    const size_t n = g->calls.n;
    if (g->body) {
        struct fields f = fields(a, g->body, STR(""));
        suspension_read_members(&f, s);
        TRY(fields_error(&f));
        if (!json_has(g->body, "responder"))
            s->responder.mode = RESPONDER_INITIATOR;
    }
    if (n == 1)
        s->question = tool_call_question(a, g->calls.v[0].tool);
    else if (n > 1)
        s->question = arena_join(a, STR("Run "), arena_number(a, (int64_t)n),
                                 STR(" tool calls?"));
    else
        s->question = arena_join(a, STR("Sign in to "),
                                 g->calls.challenge.server_name, STR("?"));
    s->id = id_new(a);
    s->kind = n > 0 ? KIND_APPROVAL : KIND_CREDENTIAL_NEEDED;
    s->on_reject = ON_REJECT_ABANDON;
    s->allow_edit = n > 0 && g->edit;
    s->subject = tool_call_subject(a, &g->calls, &g->about);
    s->title = tool_title(a, suspension_subject(a, s));
    if (!s->title.p && str_trim(g->check.title).n > 0)
        s->title = g->check.title;
    TRY(suspension_compose(a, n > 0 ? tool_call_choices(a) : NULL, NULL, s));
    return tool_check_ask(&g->check, s, g->details ? &g->terms : NULL);
}

static struct json *tool_gate_paused(struct tool_gate *g)
{
    struct call *c = g->c;
    const struct suspension *s = &g->check.w.suspension;
    const struct intent *i = &g->check.w.intent;
    const struct str resume = call_url(c, "/api/v1/resume/", s->id);
    const struct str poll = call_url(c, "/api/v1/suspensions/", s->id);
    const bool calls = g->calls.n > 0;
    struct json *o = json_object(c->a);
    json_set_text(o, "object",
                  calls ? STR("tool_approval_request")
                        : STR("auth_challenge"));
    json_set_text(o, "decision", vocabulary_tool_effect(TOOL_ASK)->wire);
    json_set_text(o, "status", STR("Paused"));
    json_set_text(o, "request_id", s->id);
    json_set_text(o, "intent_id", i->id);
    json_set_text_or_null(o, "task_id", i->task_id);
    json_set_text_or_null(o, "session_id", i->session_id);
    json_set_text(o, "message",
                  STR("Human intervention required. End the turn; the answer "
                      "is pushed or read at `poll_url`."));
    if (calls) {
        json_set_text(o, "approval_url",
                      arena_join(c->a, resume, STR("?action=approve")));
        json_set_text(o, "rejection_url",
                      arena_join(c->a, resume, STR("?action=reject")));
    } else {
        json_set_text(o, "resume_url", resume);
    }
    json_set_text(o, "poll_url", arena_join(c->a, poll, STR("?wait=50")));
    json_set_text(o, "url", call_url(c, "/suspensions/", s->id));
    json_set_text(o, "subject_sha256", s->subject_sha256);
    view_set_time(c->a, o, "expires_at", s->expires_at);
    json_set_text(o, "on_expiry", suspension_on_expiry(c->a, s));
    json_set_text_or_null(o, "initiator", suspension_initiator(s));
    if (g->terms.resource.p)
        tool_request_set_permit(&g->check, o);
    return o;
}

/* The elements go back as they were sent, byte for byte. */
static const struct err *tool_gate_pause(struct tool_gate *g)
{
    static const struct call_made made = {"/api/v1/suspensions/",
                                          "request_id"};
    struct call *c = g->c;
    struct work *w = &g->check.w;
    struct buf b = buf_make(c->a, RESPONSE_BODY_MAX);
    TRY(tool_gate_ask(g));
    if (g->calls.n > 0)
        tools_queue_calls(c->pg, c->a, w->suspension.id, &g->calls,
                          g->check.verdict.matched);
    call_locate(c, &made, w->suspension.id);
    const struct str text =
        json_dump(c->a, tool_gate_paused(g), RESPONSE_BODY_MAX);
    buf_str(&b, str_sub(text, 0, text.n - 1));
    buf_put(&b, g->calls.n ? ",\"tool_calls\":[" : ",\"auth_challenges\":[");
    for (size_t i = 0; i < g->calls.n; i++) {
        buf_put(&b, i ? "," : "");
        buf_str(&b, g->calls.v[i].sent);
    }
    if (g->calls.n == 0)
        buf_str(&b, g->calls.challenge.sent);
    buf_put(&b, "]}");
    return call_commit_text(c, w, 202, buf_text(&b), false);
}

/* ---- without a person ----------------------------------------------- */

static struct json *tool_gate_calls(const struct tool_gate *g)
{
    struct arena *a = g->c->a;
    struct json *list = json_array(a);
    for (size_t i = 0; i < g->calls.n; i++) {
        const struct tool_rule *rule = g->check.verdict.matched[i];
        struct json *o = json_object(a);
        json_set_text(o, "id", g->calls.v[i].id);
        json_set_text(o, "tool", g->calls.v[i].tool);
        json_set_json(o, "rule", NULL);
        if (rule)
            json_set_int(o, "rule", rule->position);
        json_add_json(list, o);
    }
    return list;
}

/* The rules' decision about the calls of a task. */
static struct json *tool_gate_decision(const struct tool_gate *g,
                                       struct str intent_id,
                                       struct str task_id)
{
    const struct tool_rule_verdict *v = &g->check.verdict;
    struct json *o = json_object(g->c->a);
    json_set_text(o, "object", STR("tool_decision"));
    json_set_text(o, "decision", vocabulary_tool_effect(v->effect)->wire);
    json_set_text(o, "intent_id", intent_id);
    json_set_text_or_null(o, "task_id", task_id);
    if (v->effect == TOOL_DENY)
        json_set_text_or_null(o, "reason", v->reason);
    json_set_json(o, "calls", tool_gate_calls(g));
    if (g->check.w.has_permit)
        tool_request_set_permit(&g->check, o);
    return o;
}

static const struct err *tool_gate_deny(struct tool_gate *g)
{
    struct work *w = &g->check.w;
    TRY(tool_check_deny(&g->check, tool_gate_calls(g)));
    work_touch(w);
    return call_commit(g->c, w, 200,
                       tool_gate_decision(g, w->intent.id, w->intent.task_id),
                       false);
}

/* Nothing is stored but the intent of a new task, and a permit for a
 * resource. */
static const struct err *tool_gate_allow(struct tool_gate *g)
{
    struct work *w = &g->check.w;
    tool_check_queue(&g->check);
    if (g->terms.resource.p) {
        TRY(tool_check_permit(&g->check, g->details, &g->terms));
        work_touch(w);
    }
    const struct json *o =
        tool_gate_decision(g, w->intent.id, w->intent.task_id);
    return w->intent_new || w->has_permit ? call_commit(g->c, w, 200, o, false)
                                          : call_commit_bare(g->c, w, 200, o);
}

/* ---- the same check again -------------------------------------------- */

static enum tool_effect tool_gate_effect_before(const struct tool_gate *g)
{
    return vocabulary_tool_effect_of(
        json_get_text(json_read(g->c->a, g->check.w.before.body), "decision"));
}

/* The result of then, with the question as it is now, or the rules' decision of
 * now: the stricter one counts. */
static const struct err *tool_gate_replay(struct tool_gate *g,
                                          struct tool_gate_result *out)
{
    struct call *c = g->c;
    const struct json *o = json_read(c->a, g->check.w.before.body);
    const struct tool_rule_verdict *now = &g->check.verdict;
    const enum tool_effect then = tool_gate_effect_before(g);
    if (then != TOOL_DENY && now->effect == TOOL_DENY) {
        TRY(call_prove(c));
        *out = (struct tool_gate_result){.effect = TOOL_DENY,
                                         .reason = now->reason};
        response_json(c->rs, 200,
                      tool_gate_decision(g, json_get_text(o, "intent_id"),
                                         json_get_text(o, "task_id")));
        return NULL;
    }
    TRY(call_replay(c, &g->check.w));
    *out = (struct tool_gate_result){.effect = then,
                                     .reason = json_get_text(o, "reason")};
    return then == TOOL_ASK ? question_get(c, json_get_text(o, "request_id"),
                                           &out->suspension)
                            : NULL;
}

/* ---- all of it ------------------------------------------------------- */

const struct err *tool_gate_check(struct tool_gate *g,
                                  struct tool_gate_result *out)
{
    struct tool_check *check = &g->check;
    struct str *tools = arena_many(g->c->a, g->calls.n + 1, struct str);
    for (size_t i = 0; i < g->calls.n; i++)
        tools[i] = g->calls.v[i].tool;
    if (g->calls.n == 0)
        tools[0] = g->calls.challenge.server_name;
    check->tools = tools;
    check->n = g->calls.n;
    check->origin = ORIGIN_TOOL_CALL;
    TRY(tool_check_decide(check));
    TRY(tool_check_begin(check, &g->c->once));
    if (check->w.answered && tool_gate_effect_before(g) == TOOL_ALLOW)
        TRY(tool_check_begin_since(check, &g->c->once));
    if (check->w.answered)
        return tool_gate_replay(g, out);
    switch (check->verdict.effect) {
    case TOOL_ALLOW:
        TRY(tool_gate_allow(g));
        break;
    case TOOL_DENY:
        TRY(tool_gate_deny(g));
        break;
    case TOOL_ASK:
    case TOOL_EFFECT__MAX:
    default:
        TRY(tool_gate_pause(g));
    }
    *out = (struct tool_gate_result){.effect = check->verdict.effect,
                                     .reason = check->verdict.reason};
    if (out->effect == TOOL_ASK)
        out->suspension = check->w.suspension;
    return NULL;
}

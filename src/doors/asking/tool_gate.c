/* A gate before tools run. Rules allow or refuse the calls of one turn
 * together, or a person is asked about all of them. */
#include "doors/asking/tool_gate.h"

#include "base/id.h"
#include "domain/question/suspension_read.h"
#include "doors/asking/question.h"
#include "doors/asking/tool_request.h"
#include "doors/asking/view.h"
#include "store/permit/tools.h"

/* ---- asking --------------------------------------------------------- */

/* The server's words: what will run is in the subject. */
static struct str question_of(const struct tool_gate *k)
{
    struct buf b = buf_make(k->c->a, 2000);
    if (k->calls.n == 1)
        return tool_call_question(b.arena, k->calls.v[0].tool);
    if (k->calls.n == 0) {
        buf_put(&b, "Sign in to ");
        buf_str(&b, k->calls.challenge.server_name);
    } else {
        buf_printf(&b, "Run %zu tool calls", k->calls.n);
    }
    buf_char(&b, '?');
    return buf_text(&b);
}

/* Only what is asked is read: a rule that allows the calls needs none of it. */
static const struct err *check_read_question(struct tool_gate *k)
{
    struct fields f = fields(k->c->a, k->body, STR(""));
    suspension_read_members(&f, &k->question);
    if (!json_has(k->body, "responder"))
        k->question.responder.mode = RESPONDER_INITIATOR;
    return fields_error(&f);
}

static const struct err *check_ask(struct tool_gate *k)
{
    struct tool_check *g = &k->check;
    struct arena *a = k->c->a;
    struct suspension *s = &k->question;
    const bool calls = k->calls.n > 0;
    if (k->body)
        TRY(check_read_question(k));
    s->id = id_new(a);
    s->kind = calls ? KIND_APPROVAL : KIND_CREDENTIAL_NEEDED;
    s->question = question_of(k);
    s->title = str_trim(g->title).n > 0 ? g->title : STR_NONE;
    s->on_reject = ON_REJECT_ABANDON;
    s->allow_edit = calls && k->edit;
    s->subject = tool_call_subject(a, &k->calls, &k->about);
    TRY(suspension_compose(a, calls ? tool_call_choices(a) : NULL, s));
    return tool_check_ask(g, s, k->details ? &k->terms : NULL);
}

/* ---- the pause ------------------------------------------------------ */

static struct str with(struct arena *a, struct str url, const char *after)
{
    return arena_join(a, url, str_of(after));
}

static void set_urls(struct tool_gate *k, struct json *o,
                     const struct suspension *s)
{
    struct call *c = k->c;
    const struct str resume = call_url(c, "/api/v1/resume/", s->id);
    if (k->calls.n > 0) {
        json_set_text(o, "approval_url",
                      with(c->a, resume, "?action=approve"));
        json_set_text(o, "rejection_url",
                      with(c->a, resume, "?action=reject"));
    } else {
        json_set_text(o, "resume_url", resume);
    }
    json_set_text(o, "poll_url",
                  with(c->a, call_url(c, "/api/v1/suspensions/", s->id),
                       "?wait=50"));
    json_set_text(o, "url", call_url(c, "/suspensions/", s->id));
}

/* The elements as they were sent, byte for byte. */
static struct str with_sent(const struct tool_gate *k, const struct json *o)
{
    struct arena *a = k->c->a;
    const struct str text = json_dump(a, o, RESPONSE_BODY_MAX);
    struct buf b = buf_make(a, RESPONSE_BODY_MAX);
    buf_str(&b, str_sub(text, 0, text.n - 1));
    buf_put(&b, k->calls.n ? ",\"tool_calls\":[" : ",\"auth_challenges\":[");
    for (size_t i = 0; i < k->calls.n; i++) {
        buf_put(&b, i ? "," : "");
        buf_str(&b, k->calls.v[i].sent);
    }
    if (k->calls.n == 0)
        buf_str(&b, k->calls.challenge.sent);
    buf_put(&b, "]}");
    return buf_text(&b);
}

static struct str paused(struct tool_gate *k)
{
    struct call *c = k->c;
    const struct suspension *s = &k->check.w.suspension;
    const struct intent *i = &k->check.w.intent;
    struct json *o = json_object(c->a);
    json_set_text(o, "object", k->calls.n ? STR("tool_approval_request")
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
    set_urls(k, o, s);
    json_set_text(o, "subject_sha256", s->subject_sha256);
    view_set_time(c->a, o, "expires_at", s->expires_at);
    json_set_text(o, "on_expiry", suspension_on_expiry(c->a, s));
    json_set_text_or_null(o, "initiator", suspension_initiator(s));
    if (k->terms.resource.p)
        tool_request_set_permit(&k->check, o);
    return with_sent(k, o);
}

static const struct err *pause(struct tool_gate *k)
{
    static const struct call_made made = {"/api/v1/suspensions/",
                                          "request_id"};
    struct tool_check *g = &k->check;
    TRY(check_ask(k));
    if (k->calls.n > 0)
        tools_queue_calls(k->c->pg, k->c->a, g->w.suspension.id, &k->calls,
                          g->verdict.matched);
    call_locate(k->c, &made, g->w.suspension.id);
    return call_commit_text(k->c, &g->w, 202, paused(k), false);
}

/* ---- without a person ----------------------------------------------- */

static struct json *calls_of(const struct tool_gate *k)
{
    struct arena *a = k->c->a;
    struct json *list = json_array(a);
    for (size_t i = 0; i < k->calls.n; i++) {
        const struct tool_rule *rule = k->check.verdict.matched[i];
        struct json *o = json_object(a);
        json_set_text(o, "id", k->calls.v[i].id);
        json_set_text(o, "tool", k->calls.v[i].tool);
        json_set_json(o, "rule", NULL);
        if (rule)
            json_set_int(o, "rule", rule->position);
        json_add_json(list, o);
    }
    return list;
}

/* The rules' decision about the calls of a task. */
static struct json *decision_on(const struct tool_gate *k,
                                struct str intent_id, struct str task_id)
{
    const struct tool_check *g = &k->check;
    struct json *o = json_object(k->c->a);
    json_set_text(o, "object", STR("tool_decision"));
    json_set_text(o, "decision",
                  vocabulary_tool_effect(g->verdict.effect)->wire);
    json_set_text(o, "intent_id", intent_id);
    json_set_text_or_null(o, "task_id", task_id);
    if (g->verdict.effect == TOOL_DENY)
        json_set_text_or_null(o, "reason", g->verdict.reason);
    json_set_json(o, "calls", calls_of(k));
    if (g->w.has_permit)
        tool_request_set_permit(g, o);
    return o;
}

static struct json *decision_of(const struct tool_gate *k)
{
    const struct intent *i = &k->check.w.intent;
    return decision_on(k, i->id, i->task_id);
}

static const struct err *deny(struct tool_gate *k)
{
    struct tool_check *g = &k->check;
    TRY(tool_check_deny(g, calls_of(k)));
    work_touch(&g->w);
    return call_commit(k->c, &g->w, 200, decision_of(k), false);
}

/* Nothing is stored but the intent of a new task, and a permit for a
 * resource. */
static const struct err *allow(struct tool_gate *k)
{
    struct tool_check *g = &k->check;
    tool_check_queue(g);
    if (k->terms.resource.p) {
        TRY(tool_check_permit(g, k->details, &k->terms));
        work_touch(&g->w);
    }
    return g->w.intent_new || g->w.has_permit
               ? call_commit(k->c, &g->w, 200, decision_of(k), false)
               : call_commit_bare(k->c, &g->w, 200, decision_of(k));
}

static const struct err *decide(struct tool_gate *k)
{
    switch (k->check.verdict.effect) {
    case TOOL_ALLOW:
        return allow(k);
    case TOOL_DENY:
        return deny(k);
    case TOOL_ASK:
    case TOOL_EFFECT__MAX:
    default:
        return pause(k);
    }
}

/* ---- the result ----------------------------------------------------- */

static struct tool_gate_result result(const struct tool_gate *k)
{
    const struct tool_check *g = &k->check;
    struct tool_gate_result out = {.effect = g->verdict.effect,
                                   .reason = g->verdict.reason};
    if (out.effect == TOOL_ASK)
        out.suspension = g->w.suspension;
    return out;
}

/* ---- the same check again -------------------------------------------- */

/* The decision that the same check got before. */
static const struct json *answer_before(const struct tool_gate *k)
{
    return json_read(k->c->a, k->check.w.before.body);
}

static enum tool_effect effect_before(const struct tool_gate *k)
{
    return vocabulary_tool_effect_of(
        json_get_text(answer_before(k), "decision"));
}

/* The result of then, with the question as it is now, or the rules' decision of
 * now: the stricter one counts. */
static const struct err *replayed(struct tool_gate *k,
                                  struct tool_gate_result *out)
{
    struct call *c = k->c;
    const struct json *o = answer_before(k);
    const enum tool_effect then = effect_before(k);
    if (then != TOOL_DENY && k->check.verdict.effect == TOOL_DENY) {
        *out = (struct tool_gate_result){.effect = TOOL_DENY,
                                         .reason = k->check.verdict.reason};
        response_json(c->rs, 200,
                      decision_on(k, json_get_text(o, "intent_id"),
                                  json_get_text(o, "task_id")));
        return NULL;
    }
    TRY(call_replay(c, &k->check.w));
    *out = (struct tool_gate_result){.effect = then,
                                     .reason = json_get_text(o, "reason")};
    return then == TOOL_ASK ? question_get(c, json_get_text(o, "request_id"),
                                           &out->suspension)
                            : NULL;
}

static const struct err *begin(struct tool_gate *k)
{
    TRY(tool_check_begin(&k->check, &k->c->once));
    return k->check.w.answered && effect_before(k) == TOOL_ALLOW
               ? tool_check_begin_since(&k->check, &k->c->once)
               : NULL;
}

static void check_set_tools(struct tool_gate *k)
{
    struct str *tools = arena_many(k->c->a, k->calls.n + 1, struct str);
    for (size_t i = 0; i < k->calls.n; i++)
        tools[i] = k->calls.v[i].tool;
    if (k->calls.n == 0)
        tools[0] = k->calls.challenge.server_name;
    k->check.tools = tools;
    k->check.n = k->calls.n;
    k->check.origin = ORIGIN_TOOL_CALL;
}

const struct err *tool_gate_check(struct tool_gate *k,
                                  struct tool_gate_result *out)
{
    check_set_tools(k);
    TRY(tool_check_decide(&k->check));
    TRY(begin(k));
    if (k->check.w.answered)
        return replayed(k, out);
    TRY(decide(k));
    *out = result(k);
    return NULL;
}

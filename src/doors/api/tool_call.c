/* The tool-call API: a check before tools run. Rules allow or refuse the calls
 * of one turn together, or a person is asked about all of them. */
#include "base/fields.h"
#include "base/id.h"
#include "domain/person.h"
#include "domain/suspension_read.h"
#include "domain/tool_call.h"
#include "domain/tool_rule.h"
#include "doors/api/api.h"
#include "doors/asking/ask.h"
#include "doors/asking/view.h"
#include "store/initiations.h"
#include "store/tools.h"

#define SHORT_MAX 200
#define CONSEQUENCE_MAX 2000
#define QUESTION_ROOM ((size_t)1 << 20)

/* A check as it was sent, and what became of it. */
struct check {
    struct call *c;
    const struct json *body;
    struct str task_id, session_id, turn_id, title, intent_id;
    struct str initiation, initiated_by, consequence, probe;
    enum severity severity; /* as the agent gave it */
    bool requires_approval;
    struct tool_calls calls;
    struct tool_rule_verdict verdict;
    struct initiations_person initiator; /* of a ticket; id p NULL: none */
    struct work w;
};

/* ---- reading -------------------------------------------------------- */

static const struct err *read_task(struct check *k)
{
    const struct json *task = NULL;
    struct fields f = fields(k->c->a, k->body, STR(""));
    fields_json(&f, "task", JSON_OBJECT, &task);
    fields_uuid(&f, "intent_id", &k->intent_id);
    if (!f.e && task && k->intent_id.p)
        fields_wrong(&f, "task", "field.unused",
                     "Give either \"task\" or \"intent_id\".");
    TRY(fields_error(&f));
    if (!task)
        return NULL;
    struct fields t = fields(k->c->a, task, STR("task"));
    fields_only(&t, "task_id session_id turn_id title");
    fields_text(&t, "task_id", SHORT_MAX, &k->task_id);
    fields_text(&t, "session_id", SHORT_MAX, &k->session_id);
    fields_text(&t, "turn_id", SHORT_MAX, &k->turn_id);
    fields_text(&t, "title", SUSPENSION_TITLE_MAX, &k->title);
    if (!t.e && k->task_id.p && k->task_id.n == 0)
        fields_wrong(&t, "task_id", "field.empty", "A task's id is needed.");
    return fields_error(&t);
}

static const struct err *read_check(struct check *k)
{
    struct fields f = fields(k->c->a, k->body, STR(""));
    fields_only(&f, "task intent_id initiation initiated_by explanation "
                    "consequence severity requires_approval tool_calls "
                    "auth_challenges responder timeout_seconds retry_policy "
                    "channel_hint evidence probe");
    fields_text(&f, "initiation", SHORT_MAX, &k->initiation);
    fields_text(&f, "initiated_by", SHORT_MAX, &k->initiated_by);
    fields_text(&f, "consequence", CONSEQUENCE_MAX, &k->consequence);
    fields_text(&f, "probe", SHORT_MAX, &k->probe);
    fields_bool(&f, "requires_approval", &k->requires_approval);
    k->severity = vocabulary_severity_read(&f, "severity");
    if (k->severity == SEVERITY__MAX)
        k->severity = SEVERITY_UNSAID;
    if (!f.e && k->initiation.p && k->initiated_by.p)
        fields_wrong(&f, "initiated_by", "field.unused",
                     "Give either \"initiation\" or \"initiated_by\".");
    TRY(fields_error(&f));
    k->initiated_by = person_reference(k->c->a, k->initiated_by);
    TRY(read_task(k));
    return tool_call_read(k->c->a, k->body, k->c->rq->body, &k->calls);
}

/* A challenge is always asked about; no rule is about it. */
static const struct err *decide(struct check *k)
{
    struct call *c = k->c;
    struct str *tools = arena_many(c->a, k->calls.n + 1, struct str);
    struct tools_rules all;
    if (k->calls.n == 0) {
        k->verdict = (struct tool_rule_verdict){.effect = TOOL_ASK,
                                                .severity = k->severity};
        return NULL;
    }
    TRY(tools_rules(c->pg, c->a, &all));
    struct tool_rule *rules = arena_many(c->a, all.n + 1, struct tool_rule);
    for (size_t i = 0; i < all.n; i++)
        rules[i] = all.v[i].rule;
    for (size_t i = 0; i < k->calls.n; i++)
        tools[i] = k->calls.v[i].tool;
    const struct tool_rule_case about = {
        .agent = c->who.agent,
        .tools = tools,
        .n = k->calls.n,
        .requires_approval = k->requires_approval,
        .severity = k->severity,
        .floor = c->who.severity_floor};
    tool_rule_decide(c->a, rules, all.n, &about, &k->verdict);
    return NULL;
}

/* ---- the task's intent ---------------------------------------------- */

/* The title of an intent that is made for the calls. */
static struct str title_of(const struct check *k)
{
    if (str_trim(k->title).n > 0)
        return k->title;
    return k->calls.n ? k->calls.v[0].tool : k->calls.challenge.server_name;
}

static const struct err *begin_new(struct check *k,
                                   const struct work_once *once)
{
    struct call *c = k->c;
    struct intent *i = &k->w.intent;
    TRY(work_begin_new(&k->w, c->pg, c->a, once));
    if (k->w.answered)
        return NULL;
    if (k->initiation.p)
        TRY(initiations_take(c->pg, c->a, k->initiation, c->who.agent,
                             &k->initiator));
    i->title = title_of(k);
    i->session_id = k->session_id;
    i->task_id = k->task_id;
    i->turn_id = k->turn_id;
    i->initiated_by = k->initiation.p ? k->initiator.email : k->initiated_by;
    i->initiator_id = k->initiator.id;
    return ask_make_intent(c, &k->w,
                           k->verdict.effect == TOOL_ASK ? INTENT_SUSPENDED
                                                         : INTENT_ACTIVE);
}

/* A later check keeps the initiator of the first. */
static const struct err *check_initiator(struct check *k)
{
    const struct intent *i = &k->w.intent;
    bool same = true;
    if (k->initiation.p) {
        TRY(initiations_take(k->c->pg, k->c->a, k->initiation,
                             k->c->who.agent, &k->initiator));
        same = str_eq(k->initiator.id, i->initiator_id);
    } else if (k->initiated_by.p) {
        same = str_eq(k->initiated_by, i->initiated_by);
    }
    return same ? NULL
                : err_at(k->c->a, ERR_INVALID, "initiation.other",
                         k->initiation.p ? STR("initiation")
                                         : STR("initiated_by"),
                         "Another person started this task.");
}

static const struct err *begin_given(struct check *k,
                                     const struct work_once *once)
{
    TRY(call_begin(k->c, &k->w, k->intent_id, once));
    if (k->w.answered)
        return NULL;
    if (k->w.intent.status == INTENT_COMPLETED ||
        k->w.intent.status == INTENT_ABANDONED)
        return ERROR(ERR_CONFLICT, "task.ended",
                     "This task has ended. Start another one.");
    TRY(check_initiator(k));
    return k->verdict.effect == TOOL_ASK ? ask_move(k->c, &k->w) : NULL;
}

static const struct err *begin(struct check *k, const struct work_once *once)
{
    struct call *c = k->c;
    if (k->task_id.p)
        TRY(tools_task(c->pg, c->a, c->who.agent, k->task_id, &k->intent_id));
    return k->intent_id.p ? begin_given(k, once) : begin_new(k, once);
}

/* What a commit writes beside the intent. */
static void queue_task(struct check *k)
{
    struct call *c = k->c;
    if (k->task_id.p && k->w.intent_new)
        tools_queue_task(c->pg, c->a, c->who.agent, k->task_id,
                         k->w.intent.id);
    if (k->initiation.p)
        initiations_queue_use(c->pg, c->a, k->initiation, k->w.intent.id);
}

/* ---- asking --------------------------------------------------------- */

static void put_text(struct buf *b, const char *key, struct str value)
{
    buf_put(b, ",\"");
    buf_put(b, key);
    buf_put(b, "\":");
    json_write_string(b, value);
}

/* A member as the agent sent it, or the given text (p NULL: none). */
static void put_sent(const struct check *k, struct buf *b, const char *key,
                     struct str otherwise)
{
    const struct str raw =
        json_raw_member(k->c->a, k->c->rq->body, str_of(key));
    if (!raw.p && !otherwise.p)
        return;
    buf_put(b, ",\"");
    buf_put(b, key);
    buf_put(b, "\":");
    buf_str(b, raw.p ? raw : otherwise);
}

/* The server's words: what will run is in the subject. */
static struct str question_of(const struct check *k)
{
    struct buf b = buf_make(k->c->a, 2000);
    if (k->calls.n == 0) {
        buf_put(&b, "Sign in to ");
        buf_str(&b, k->calls.challenge.server_name);
    } else if (k->calls.n == 1) {
        buf_put(&b, "Run ");
        buf_str(&b, k->calls.v[0].tool);
    } else {
        buf_printf(&b, "Run %zu tool calls", k->calls.n);
    }
    buf_char(&b, '?');
    return buf_text(&b);
}

/* The choices of an approval; a comment is never required, since a chat may
 * have no place for one. */
static const char approval_choices[] =
    ",\"choices\":[{\"value\":\"reject\",\"label\":\"Reject\",\"style\":"
    "\"danger\",\"effect\":\"veto\",\"reason\":\"optional\"},"
    "{\"value\":\"approve\",\"label\":\"Approve\",\"style\":\"primary\","
    "\"effect\":\"authorize\",\"reason\":\"optional\"}]";

/* The question as the native API takes it: one reader checks both. */
static struct str native(const struct check *k)
{
    struct arena *a = k->c->a;
    const bool calls = k->calls.n > 0;
    const struct str consequence =
        k->consequence.p ? k->consequence : STR("The agent did not say.");
    struct buf b = buf_make(a, QUESTION_ROOM);
    buf_put(&b, "{\"fallback_policy\":\"fail\"");
    put_text(&b, "kind",
             str_of(kind_words(calls ? KIND_APPROVAL : KIND_CREDENTIAL_NEEDED)
                        ->wire));
    put_text(&b, "question", question_of(k));
    put_text(&b, "on_reject",
             str_of(vocabulary_on_reject(ON_REJECT_ABANDON)->wire));
    if (str_trim(k->title).n > 0)
        put_text(&b, "title", k->title);
    buf_put(&b, calls ? approval_choices : "");
    put_sent(k, &b, "severity", STR_NONE);
    put_sent(k, &b, "explanation", STR_NONE);
    put_sent(k, &b, "evidence", STR_NONE);
    put_sent(k, &b, "timeout_seconds", STR_NONE);
    put_sent(k, &b, "retry_policy", STR_NONE);
    put_sent(k, &b, "channel_hint", STR_NONE);
    put_sent(k, &b, "responder", STR("{\"mode\":\"initiator\"}"));
    buf_put(&b, ",\"subject\":");
    buf_str(&b, tool_call_subject(a, &k->calls, consequence, k->probe));
    buf_char(&b, '}');
    return buf_text(&b);
}

static const struct err *read_question(struct check *k, struct suspension *s)
{
    const struct str text = native(k);
    struct json *body = NULL;
    TRY(json_parse(k->c->a, text, &body));
    return suspension_read(k->c->a, body, text, s);
}

static void set_urls(struct check *k, struct json *o,
                     const struct suspension *s)
{
    struct call *c = k->c;
    const struct str resume = call_url(c, "/api/v1/resume/", s->id);
    static const struct {
        const char *key, *after;
    } urls[] = {{"approval_url", "?action=approve"},
                {"rejection_url", "?action=reject"}};
    for (size_t i = 0; i < countof(urls) && k->calls.n > 0; i++) {
        struct buf b = buf_make(c->a, resume.n + 32);
        buf_str(&b, resume);
        buf_put(&b, urls[i].after);
        json_set_text(o, urls[i].key, buf_text(&b));
    }
    if (k->calls.n == 0)
        json_set_text(o, "resume_url", resume);
    struct buf poll = buf_make(c->a, 4096);
    buf_str(&poll, call_url(c, "/api/v1/suspensions/", s->id));
    buf_put(&poll, "?wait=50");
    json_set_text(o, "poll_url", buf_text(&poll));
    json_set_text(o, "url", call_url(c, "/suspensions/", s->id));
}

/* How the initiator is known: "proven", "claimed", or p NULL: not at all. */
static struct str initiator_word(const struct intent *i)
{
    return i->initiator_id.p   ? STR("proven")
           : i->initiated_by.p ? STR("claimed")
                               : STR_NONE;
}

/* The elements as they were sent, byte for byte. */
static struct str with_sent(const struct check *k, const struct json *o)
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

static struct str paused(struct check *k)
{
    struct call *c = k->c;
    const struct suspension *s = &k->w.suspension;
    const struct intent *i = &k->w.intent;
    struct json *o = json_object(c->a);
    json_set_text(o, "object", k->calls.n ? STR("tool_approval_request")
                                          : STR("auth_challenge"));
    json_set_text(o, "decision",
                  str_of(vocabulary_tool_effect(TOOL_ASK)->wire));
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
    json_set_text_or_null(o, "initiator", initiator_word(i));
    return with_sent(k, o);
}

static const struct err *pause(struct check *k)
{
    static const struct call_made made = {"/api/v1/suspensions/",
                                          "request_id"};
    struct call *c = k->c;
    struct suspension s = {.id = id_new(c->a)};
    TRY(read_question(k, &s));
    s.origin = ORIGIN_TOOL_CALL;
    s.severity_said = k->severity;
    /* The verdict has the key's own floor in it. */
    c->who.severity_floor = k->verdict.severity;
    TRY(ask_suspend(c, &k->w, &s));
    queue_task(k);
    if (k->calls.n > 0)
        tools_queue_calls(c->pg, c->a, s.id, &k->calls, k->verdict.matched);
    call_locate(c, &made, s.id);
    return call_commit_text(c, &k->w, 202, paused(k), false);
}

/* ---- without a person ----------------------------------------------- */

static struct json *calls_of(const struct check *k)
{
    struct json *list = json_array(k->c->a);
    for (size_t i = 0; i < k->calls.n; i++) {
        struct json *o = json_object(k->c->a);
        json_set_text(o, "id", k->calls.v[i].id);
        json_set_text(o, "tool", k->calls.v[i].tool);
        json_set_json(o, "rule", NULL);
        if (k->verdict.matched[i])
            json_set_int(o, "rule", k->verdict.matched[i]->position);
        json_add_json(list, o);
    }
    return list;
}

static struct json *decision_of(const struct check *k)
{
    struct json *o = json_object(k->c->a);
    json_set_text(o, "object", STR("tool_decision"));
    json_set_text(o, "decision",
                  str_of(vocabulary_tool_effect(k->verdict.effect)->wire));
    json_set_text(o, "intent_id", k->w.intent.id);
    json_set_text_or_null(o, "task_id", k->w.intent.task_id);
    if (k->verdict.effect == TOOL_DENY)
        json_set_text_or_null(o, "reason", k->verdict.reason);
    json_set_json(o, "calls", calls_of(k));
    return o;
}

static const struct err *deny(struct check *k)
{
    struct json *p = json_object(k->c->a);
    json_set_text(p, "agent", k->c->who.agent);
    json_set_text_or_null(p, "reason", k->verdict.reason);
    json_set_json(p, "calls", calls_of(k));
    TRY(work_event(&k->w, "tool.denied", event_by_server(), p));
    work_touch(&k->w);
    queue_task(k);
    return call_commit(k->c, &k->w, 200, decision_of(k), false);
}

/* Nothing is stored but the intent of a new task. */
static const struct err *allow(struct check *k)
{
    queue_task(k);
    return k->w.intent_new
               ? call_commit(k->c, &k->w, 200, decision_of(k), false)
               : call_commit_bare(k->c, &k->w, 200, decision_of(k));
}

const struct err *api_tool_call_check(struct call *c)
{
    struct check k = {.c = c};
    struct work_once once;
    struct json *body = NULL;
    TRY(call_body(c, &body));
    TRY(call_once(c, &once));
    k.body = body;
    TRY(read_check(&k));
    TRY(decide(&k));
    TRY(begin(&k, &once));
    if (k.w.answered)
        return call_replay(c, &k.w);
    switch (k.verdict.effect) {
    case TOOL_ALLOW:
        return allow(&k);
    case TOOL_DENY:
        return deny(&k);
    case TOOL_ASK:
    case TOOL_EFFECT__MAX:
    default:
        return pause(&k);
    }
}

/* The tool-call API: the check of a tool call, and the ticket by which an
 * agent proves in its first check who started the task. */
#include "doors/api/api.h"
#include "doors/asking/tool_gate.h"
#include "doors/asking/view.h"
#include "store/permit/initiations.h"

#define SHORT_MAX 200

static const struct err *tool_call_read_task(struct tool_gate *k)
{
    const struct json *body = k->body;
    struct tool_check *g = &k->check;
    const struct json *task = NULL;
    struct fields f = fields(k->c->a, body, STR(""));
    fields_json(&f, "task", JSON_OBJECT, &task);
    fields_uuid(&f, "intent_id", &g->intent_id);
    if (!f.e && task && g->intent_id.p)
        fields_wrong(&f, "task", "field.unused",
                     "Give either \"task\" or \"intent_id\".");
    TRY(fields_error(&f));
    if (!task)
        return NULL;
    struct fields t = fields(k->c->a, task, STR("task"));
    fields_only(&t, "task_id session_id turn_id title");
    fields_text(&t, "task_id", SHORT_MAX, &g->task_id);
    fields_text(&t, "session_id", SHORT_MAX, &g->session_id);
    fields_text(&t, "turn_id", SHORT_MAX, &g->turn_id);
    fields_text(&t, "title", SUSPENSION_TITLE_MAX, &g->title);
    if (!t.e && g->task_id.p && g->task_id.n == 0)
        fields_wrong(&t, "task_id", "field.empty", "A task's id is needed.");
    return fields_error(&t);
}

/* The terms of a permit for the exact details of the calls. */
static const struct err *tool_call_read_terms(struct tool_gate *k)
{
    struct arena *a = k->c->a;
    const struct json *body = k->body;
    struct json *list = json_array(a);
    static const char *const terms[] = {"resource", "dpop_jkt", "max_uses",
                                        "use_seconds"};
    const char *first = NULL;
    for (size_t i = 0; i < countof(terms) && !first; i++)
        first = json_has(body, terms[i]) ? terms[i] : NULL;
    if (!first)
        return NULL;
    for (size_t i = 0; i < k->calls.n; i++) {
        struct json *o = json_object(a);
        json_set_text(o, "tool", k->calls.v[i].tool);
        json_set_json(o, "args", json_copy(a, k->calls.v[i].tree));
        json_add_json(list, o);
    }
    k->details = permit_details_of_calls(a, list, false);
    if (!k->details)
        return err_at(a, ERR_INVALID, "field.unused", str_of(first),
                      "No permit can describe these calls exactly.");
    TRY(tool_request_terms(k->c, body, k->details, false, &k->terms));
    if (!k->terms.resource.p && !json_has(body, "use_seconds"))
        k->terms.use_seconds = PERMIT_SECONDS_CALL;
    return NULL;
}

const struct err *api_tool_call_check(struct call *c)
{
    struct tool_gate k = {.c = c, .check = {.w = call_work(c)}};
    struct tool_gate_result done;
    TRY(call_body_once(c));
    k.body = c->body;
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, "task intent_id initiation initiated_by explanation "
                    "consequence severity requires_approval tool_calls "
                    "auth_challenges responder timeout_seconds retry_policy "
                    "channel_hint evidence probe resource dpop_jkt max_uses "
                    "use_seconds");
    fields_text(&f, "probe", SHORT_MAX, &k.about.probe);
    k.about.consequence = tool_request_read(&k.check, &f);
    TRY(fields_error(&f));
    TRY(tool_call_read_task(&k));
    TRY(tool_call_read(c->a, c->body, c->rq->body, &k.calls));
    TRY(tool_call_read_terms(&k));
    return tool_gate_check(&k, &done);
}

/* Only a person's token makes a ticket, for one agent. */
const struct err *api_initiation_make(struct call *c)
{
    struct json *o = json_object(c->a);
    struct str agent = STR_NONE, ticket;
    int64_t expires_at;
    TRY(call_body(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, "agent");
    fields_need(&f, "agent");
    fields_text(&f, "agent", PRINCIPAL_AGENT_NAME_MAX, &agent);
    if (!f.e && !principal_agent_name(agent))
        fields_wrong(&f, "agent", "field.value",
                     "This is not the name of an agent.");
    TRY(fields_error(&f));
    if (!c->who.person_id.p)
        return ERROR(ERR_FORBIDDEN, "initiation.person",
                     "Only the token of a person starts a task.");
    TRY(initiations_make(c->pg, c->a, c->who.person_id, agent, &ticket,
                         &expires_at));
    json_set_text(o, "initiation", ticket);
    json_set_text(o, "agent", agent);
    view_set_time(c->a, o, "expires_at", expires_at);
    response_json(c->rs, 201, o);
    response_header(c->rs, "Cache-Control", STR("no-store"));
    return NULL;
}

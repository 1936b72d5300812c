/* The tools of the MCP door: their descriptions, and the way of a call. */
#include "doors/mcp/mcp.h"

/* Schemas: texts of JSON. */
#define TEXT "{\"type\":\"string\"}"
#define TEXTS "{\"type\":\"array\",\"items\":" TEXT "}"
#define TEXT_OR_NULL "{\"anyOf\":[" TEXT ",{\"type\":\"null\"}]}"
#define OBJECT "{\"type\":\"object\"}"
#define TEXT_OR_OBJECT "{\"anyOf\":[" TEXT "," OBJECT "]}"
#define ANYTHING                                                              \
    "{\"anyOf\":[" TEXT "," OBJECT ",{\"type\":\"array\"},{\"type\":"         \
    "\"number\"},{\"type\":\"boolean\"},{\"type\":\"null\"}]}"
#define YES_OR_NO "{\"type\":\"boolean\"}"
#define SEVERITY "{\"enum\":[\"low\",\"medium\",\"high\",\"critical\"]}"
#define STATE                                                                 \
    "{\"enum\":[\"pending\",\"resolved\",\"expired\",\"cancelled\"]}"
#define SECONDS "{\"type\":\"integer\",\"minimum\":1}"
#define WAIT "{\"type\":\"integer\",\"minimum\":0,\"maximum\":280}"
#define HOLD "{\"type\":\"integer\",\"minimum\":0,\"maximum\":590}"
/* Codex refuses tools without them. */
#define HINTS "{\"destructiveHint\":false,\"openWorldHint\":false}"
/* Puts a tool into the first prompt of Claude Code. */
#define META "{\"anthropic/alwaysLoad\":true}"

enum { MEMBERS_MAX = 12 };
struct tools_member {
    const char *name; /* NULL: no more */
    const char *schema;
    const char *says; /* NULL: the name says it */
    bool needed;
};

/* The result of the tools that ask: a schema for programs, because a model
 * reads the result itself. */
static const struct tools_member output[MEMBERS_MAX] = {
    {"suspension_id", TEXT, NULL, true},
    {"state", STATE, NULL, true},
    {"outcome", TEXT_OR_NULL, NULL, false},
    {"usable", YES_OR_NO, NULL, false},
    {"unusable_reason", TEXT_OR_NULL, NULL, false},
    {"value", ANYTHING, NULL, false},
    {"reason", TEXT_OR_NULL, NULL, false},
    {"message", TEXT, NULL, false},
    {"url", TEXT, NULL, false},
    {"next", TEXT, NULL, false}};

/* The words are for a model: it has to know that silence is not an answer.
 * They are in each of its prompts, so they are few. */
static const struct {
    const char *name, *title, *says;
    bool model; /* it is for models, and asks; the others are for clients */
    struct tools_member input[MEMBERS_MAX];
    const struct err *(*run)(struct mcp *m, const struct json *args);
} tools[] = {
    {"ask_human",
     "Ask a person",
     "Ask a person when you need a fact or a preference. For permission to "
     "act use request_approval. Returns the answer, or state pending: then "
     "call check_answer until it is not.",
     true,
     {{"question", TEXT, NULL, true},
      {"explanation", TEXT, "Why you ask.", false},
      {"context", OBJECT, "Facts to decide by.", false},
      {"choices", TEXTS, "The possible answers.", false},
      {"form", OBJECT, "Fields, as the requestedSchema of an elicitation.",
       false},
      {"severity", SEVERITY, "The harm of a mistake.", false},
      {"timeout_seconds", SECONDS, "Then it expires.", false}},
     mcp_ask_human},
    {"request_approval",
     "Request approval",
     "Ask a person for permission before you act. You may act only if outcome "
     "is authorized and usable is true: once, and exactly as shown. State "
     "pending is not a yes: call check_answer.",
     true,
     {{"action", TEXT, "The tool or action.", true},
      {"target", TEXT, "What it acts on.", true},
      {"scope_summary", TEXT, "How much, in one sentence.", true},
      {"arguments", OBJECT, "Its exact arguments.", false},
      {"consequence", TEXT, "What cannot be undone.", false},
      {"explanation", TEXT, "Why.", false},
      {"severity", SEVERITY, "The harm of a mistake.", false},
      {"timeout_seconds", SECONDS, "Then it expires.", false}},
     mcp_ask_approval},
    {"check_answer",
     "Check for an answer",
     "Wait for the answer to an earlier question. Call it again while state "
     "is pending.",
     true,
     {{"suspension_id", TEXT, NULL, true},
      {"wait_seconds", WAIT, NULL, false}},
     mcp_ask_check},
    {"withdraw_question",
     "Withdraw a question",
     "Withdraw a question that needs no answer any more.",
     true,
     {{"suspension_id", TEXT, NULL, true}, {"reason", TEXT, NULL, false}},
     mcp_ask_withdraw},
    {"permission_prompt",
     "Permission prompt",
     "For clients, not for models: asks a person whether a tool may run "
     "(--permission-prompt-tool).",
     false,
     {{"tool_name", TEXT, NULL, true},
      {"input", OBJECT, NULL, true},
      {"tool_use_id", TEXT, NULL, false},
      {"hold_seconds", HOLD, NULL, false}},
     mcp_hook_permission},
    {"hook",
     "Hook",
     "For clients, not for models: asks a person about an event of a hook "
     "that needs a decision.",
     false,
     {{"hook_event_name", TEXT, NULL, true},
      {"tool_name", TEXT, NULL, true},
      {"tool_input", TEXT_OR_OBJECT, NULL, true},
      {"tool_use_id", TEXT, NULL, false},
      {"session_id", TEXT, NULL, false},
      {"cwd", TEXT, NULL, false},
      {"hold_seconds", HOLD, NULL, false}},
     mcp_hook_event},
};

static struct json *tools_schema(struct arena *a,
                                 const struct tools_member list[MEMBERS_MAX])
{
    struct json *o = json_object(a), *members = json_object(a);
    struct json *needed = json_array(a);
    for (size_t i = 0; i < MEMBERS_MAX && list[i].name; i++) {
        struct json *one = json_read(a, str_of(list[i].schema));
        if (list[i].says)
            json_set_text(one, "description", str_of(list[i].says));
        if (list[i].needed)
            json_add_text(needed, str_of(list[i].name));
        json_set_json(members, list[i].name, one);
    }
    json_set_text(o, "type", STR("object"));
    json_set_json(o, "required", needed);
    json_set_json(o, "properties", members);
    return o;
}

const struct err *mcp_tools_list(struct mcp *m)
{
    struct arena *a = m->c->a;
    struct json *o = json_object(a), *list = json_array(a);
    for (size_t i = 0; i < countof(tools); i++) {
        struct json *one = json_object(a);
        if (m->for_model && !tools[i].model)
            continue;
        json_set_text(one, "name", str_of(tools[i].name));
        json_set_text(one, "title", str_of(tools[i].title));
        json_set_text(one, "description", str_of(tools[i].says));
        json_set_json(one, "inputSchema", tools_schema(a, tools[i].input));
        if (!m->for_model && tools[i].model)
            json_set_json(one, "outputSchema", tools_schema(a, output));
        json_set_json(one, "annotations", json_read(a, STR(HINTS)));
        json_set_json(one, "_meta", json_read(a, STR(META)));
        json_add_json(list, one);
    }
    json_set_json(o, "tools", list);
    mcp_answer_cache(m, o);
    mcp_answer_result(m, o);
    return NULL;
}

/* ---- calling one ---------------------------------------------------- */

/* A model can do something about some errors; the others concern HTTP. */
static const struct err *tools_answer_error(struct mcp *m, const struct err *e)
{
    if (e->kind == ERR_NOT_FOUND || e->kind == ERR_FORBIDDEN ||
        e->kind == ERR_CONFLICT || e->kind == ERR_RATE) {
        const struct err *other = call_refusal(m->c, e);
        if (other != e)
            return other;
        mcp_answer_tool(m, mcp_answer_details(m, e), true);
        return NULL;
    }
    return mcp_answer_params(m, e);
}

const struct err *mcp_tools_call(struct mcp *m)
{
    struct arena *a = m->c->a;
    const struct str name = json_get_text(m->params, "name");
    const struct json *args = json_get(m->params, "arguments");
    m->text = args ? json_raw_member(a, json_raw_member(a, m->c->rq->body,
                                                        STR("params")),
                                     STR("arguments"))
                   : STR("{}");
    for (size_t i = 0; i < countof(tools); i++) {
        if (!str_is(name, tools[i].name))
            continue;
        const struct err *e =
            tools[i].run(m, args ? args : json_object(a));
        return e ? tools_answer_error(m, e) : NULL;
    }
    mcp_answer_error(m, m->modern ? 400 : 200, MCP_PARAMS,
                     STR("There is no tool with this name."), NULL);
    return NULL;
}

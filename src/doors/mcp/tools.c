/* The tools of the MCP door: their descriptions, and the way of a call. */
#include "doors/mcp/mcp.h"

/* Texts of JSON. The descriptions are for a model: it has to know that silence
 * is not an answer. */
#define ID_SCHEMA "{\"type\":\"string\",\"format\":\"uuid\"}"
#define TEXT_SCHEMA "{\"type\":\"string\"}"
#define SEVERITY_SCHEMA                                                       \
    "{\"enum\":[\"low\",\"medium\",\"high\",\"critical\"],\"description\":"    \
    "\"The harm that a mistake would do.\"}"
#define SECONDS_SCHEMA                                                        \
    "{\"type\":\"integer\",\"minimum\":1,\"description\":\"The question "      \
    "expires after so many seconds.\"}"
#define HOLD_SCHEMA                                                           \
    "{\"type\":\"integer\",\"minimum\":0,\"maximum\":590}"
#define OUTPUT                                                                \
    ",\"outputSchema\":{\"type\":\"object\",\"required\":[\"suspension_id\"," \
    "\"state\"],\"properties\":{\"suspension_id\":" ID_SCHEMA                 \
    ",\"state\":{\"enum\":[\"pending\",\"resolved\",\"expired\","             \
    "\"cancelled\"]},\"outcome\":{\"type\":[\"string\",\"null\"]},"           \
    "\"usable\":{\"type\":\"boolean\"},\"unusable_reason\":{\"type\":["      \
    "\"string\",\"null\"]},"                                                 \
    "\"value\":{},\"reason\":{\"type\":[\"string\",\"null\"]},\"message\":"   \
    TEXT_SCHEMA ",\"url\":" TEXT_SCHEMA ",\"next\":" TEXT_SCHEMA "}}"
/* Codex refuses tools without them; alwaysLoad puts a tool into the first
 * prompt of Claude Code. */
#define HINTS(idempotent)                                                     \
    ",\"annotations\":{\"readOnlyHint\":false,\"destructiveHint\":false,"     \
    "\"idempotentHint\":" idempotent ",\"openWorldHint\":false},\"_meta\":{"  \
    "\"anthropic/alwaysLoad\":true}}"

static const struct {
    const char *name;
    const char *text;
    const struct err *(*run)(struct mcp *m, const struct json *args);
} tools[] = {
    {"ask_human",
     "{\"name\":\"ask_human\",\"title\":\"Ask a person\",\"description\":"
     "\"Ask a person a question and wait for the answer. Give choices, or a "
     "form, or neither for a free text. Only a state of resolved is an "
     "answer; while it is pending, call check_answer.\",\"inputSchema\":{"
     "\"type\":\"object\",\"required\":[\"question\"],\"properties\":{"
     "\"question\":" TEXT_SCHEMA ",\"explanation\":" TEXT_SCHEMA
     ",\"context\":{\"type\":\"object\"},\"choices\":{\"type\":\"array\","
     "\"items\":{\"type\":\"string\"}},\"form\":{\"type\":\"object\","
     "\"description\":\"A requestedSchema of MCP elicitation.\"},"
     "\"severity\":" SEVERITY_SCHEMA ",\"timeout_seconds\":" SECONDS_SCHEMA
     "}}" OUTPUT HINTS("false"),
     mcp_ask_human},
    {"request_approval",
     "{\"name\":\"request_approval\",\"title\":\"Request "
     "approval\",\"description\":\"Ask a person to approve an action before "
     "you do it. Say exactly what will happen. Act only if the outcome is "
     "authorized, and usable is true, and only as it was shown; everything "
     "else means "
     "no.\",\"inputSchema\":{\"type\":\"object\",\"required\":[\"action\","
     "\"target\",\"scope_summary\"],\"properties\":{\"action\":{\"type\":"
     "\"string\",\"description\":\"The name of the tool or "
     "action.\"},\"target\":{\"type\":\"string\",\"description\":\"The thing "
     "that is acted "
     "on.\"},\"scope_summary\":{\"type\":\"string\",\"description\":\"The "
     "extent of it, in one "
     "sentence.\"},\"consequence\":{\"type\":\"string\",\"description\":"
     "\"What cannot be "
     "undone.\"},\"arguments\":{\"type\":\"object\",\"description\":\"The "
     "exact arguments of the action.\"},\"explanation\":" TEXT_SCHEMA
     ",\"severity\":" SEVERITY_SCHEMA ",\"timeout_seconds\":" SECONDS_SCHEMA
     "}}" OUTPUT HINTS("false"),
     mcp_ask_approval},
    {"check_answer",
     "{\"name\":\"check_answer\",\"title\":\"Check for an answer\","
     "\"description\":\"Read a question that was asked before, and wait a "
     "while if nobody has answered it.\",\"inputSchema\":{\"type\":"
     "\"object\",\"required\":[\"suspension_id\"],\"properties\":{"
     "\"suspension_id\":" ID_SCHEMA ",\"wait_seconds\":{\"type\":"
     "\"integer\",\"minimum\":0,\"maximum\":280}}}" OUTPUT HINTS("true"),
     mcp_ask_check},
    {"withdraw_question",
     "{\"name\":\"withdraw_question\",\"title\":\"Withdraw a question\","
     "\"description\":\"Withdraw a question that no longer needs an answer."
     "\",\"inputSchema\":{\"type\":\"object\",\"required\":["
     "\"suspension_id\"],\"properties\":{\"suspension_id\":" ID_SCHEMA
     ",\"reason\":" TEXT_SCHEMA "}}" OUTPUT HINTS("true"),
     mcp_ask_withdraw},
    {"permission_prompt",
     "{\"name\":\"permission_prompt\",\"title\":\"Permission prompt\","
     "\"description\":\"For clients, not for models: asks a person whether "
     "a tool may run (--permission-prompt-tool).\",\"inputSchema\":{"
     "\"type\":\"object\",\"required\":[\"tool_name\",\"input\"],"
     "\"properties\":{\"tool_name\":" TEXT_SCHEMA ",\"input\":{\"type\":"
     "\"object\"},\"tool_use_id\":" TEXT_SCHEMA
     ",\"hold_seconds\":" HOLD_SCHEMA "}}" HINTS("true"),
     mcp_hook_permission},
    {"hook",
     "{\"name\":\"hook\",\"title\":\"Hook\",\"description\":\"For "
     "clients, not for models: asks a person about an event of a hook that "
     "needs a decision.\",\"inputSchema\":{\"type\":\"object\","
     "\"required\":[\"hook_event_name\",\"tool_name\",\"tool_input\"],"
     "\"properties\":{\"hook_event_name\":" TEXT_SCHEMA
     ",\"tool_name\":" TEXT_SCHEMA
     ",\"tool_input\":{\"type\":[\"object\",\"string\"]},"
     "\"tool_use_id\":" TEXT_SCHEMA ",\"session_id\":" TEXT_SCHEMA
     ",\"cwd\":" TEXT_SCHEMA ",\"hold_seconds\":" HOLD_SCHEMA
     "}}" HINTS("true"),
     mcp_hook_event},
};

void mcp_tools_list(struct mcp *m)
{
    struct json *o = json_object(m->c->a), *list = json_array(m->c->a);
    for (size_t i = 0; i < countof(tools); i++)
        json_add_json(list, json_read(m->c->a, str_of(tools[i].text)));
    json_set_json(o, "tools", list);
    mcp_answer_cache(m, o);
    mcp_answer_result(m, o);
}

/* ---- calling one ---------------------------------------------------- */

/* A model can do something about some errors; the others concern HTTP. */
static const struct err *tools_answer_error(struct mcp *m, const struct err *e)
{
    if (e->kind == ERR_BAD_REQUEST || e->kind == ERR_INVALID)
        mcp_answer_error(m, m->modern ? 400 : 200, MCP_PARAMS, e->say,
                         mcp_answer_details(m, e));
    else if (e->kind == ERR_NOT_FOUND || e->kind == ERR_FORBIDDEN ||
             e->kind == ERR_CONFLICT || e->kind == ERR_RATE)
        mcp_answer_tool(m, mcp_answer_details(m, e), true);
    else
        return e;
    return NULL;
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

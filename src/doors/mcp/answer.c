/* The answers of the MCP door: JSON-RPC results and errors. */
#include "doors/mcp/mcp.h"

static void answer_put(struct mcp *m, int status, const char *member,
                       const struct json *v)
{
    struct json *o = json_object(m->c->a);
    json_set_text(o, "jsonrpc", STR("2.0"));
    json_set_json(o, "id", m->id);
    json_set_json(o, member, v);
    if (m->events) { /* the last of what the client reads */
        json_add_json(m->events, o);
        response_events(m->c->rs, m->events);
    } else {
        response_json(m->c->rs, status, o);
    }
}

void mcp_answer_result(struct mcp *m, struct json *result)
{
    if (m->modern && !json_has(result, "resultType"))
        json_set_text(result, "resultType", STR("complete"));
    answer_put(m, 200, "result", result);
}

void mcp_answer_error(struct mcp *m, int status, enum mcp_code code,
                      struct str say, const struct json *data)
{
    struct json *e = json_object(m->c->a);
    json_set_int(e, "code", code);
    json_set_text(e, "message", say);
    if (data)
        json_set_json(e, "data", data);
    answer_put(m, status, "error", e);
}

void mcp_answer_cache(const struct mcp *m, struct json *result)
{
    if (!m->modern)
        return;
    json_set_int(result, "ttlMs", 3600000);
    json_set_text(result, "cacheScope", STR("private"));
}

struct json *mcp_answer_details(struct mcp *m, const struct err *e)
{
    struct json *o = json_object(m->c->a);
    json_set_text(o, "code", str_of(e->code));
    json_set_text(o, "message", e->say);
    if (e->at.n > 0)
        json_set_text(o, "at", e->at);
    return o;
}

const struct err *mcp_answer_params(struct mcp *m, const struct err *e)
{
    if (e->kind != ERR_BAD_REQUEST && e->kind != ERR_INVALID &&
        e->kind != ERR_NOT_FOUND && e->kind != ERR_FORBIDDEN)
        return e;
    const struct err *other = call_refusal(m->c, e);
    if (other != e)
        return other;
    mcp_answer_error(m, m->modern ? 400 : 200, MCP_PARAMS, e->say,
                     mcp_answer_details(m, e));
    return NULL;
}

static struct json *answer_content(struct mcp *m, const struct json *v,
                                   bool is_error)
{
    struct arena *a = m->c->a;
    struct json *o = json_object(a), *list = json_array(a);
    struct json *text = json_object(a);
    json_set_text(text, "type", STR("text"));
    json_set_text(text, "text", json_dump(a, v, RESPONSE_BODY_MAX));
    json_add_json(list, text);
    json_set_json(o, "content", list);
    json_set_bool(o, "isError", is_error);
    return o;
}

struct json *mcp_answer_of_tool(struct mcp *m, const struct json *v,
                                bool is_error)
{
    struct json *o = answer_content(m, v, is_error);
    if (!is_error) /* which alone is of the declared form */
        json_set_json(o, "structuredContent", v);
    return o;
}

void mcp_answer_tool(struct mcp *m, const struct json *v, bool is_error)
{
    mcp_answer_result(m, mcp_answer_of_tool(m, v, is_error));
}

void mcp_answer_text(struct mcp *m, const struct json *v)
{
    mcp_answer_result(m, answer_content(m, v, false));
}

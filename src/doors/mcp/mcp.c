/* The MCP door: one message is read, checked for its era, and dispatched. */
#include "doors/mcp/mcp.h"

#include "base/crypt.h"
#include "doors/call/hold.h"
#include "world/address.h"

#define METHOD_NAME_MAX 100
#define ID_MAX 200 /* characters of an id that is a text */
#define MODERN "2026-07-28"
#define META "io.modelcontextprotocol/"

/* Of the handshake, newest first. */
static const char *const legacy[] = {"2025-11-25", "2025-06-18", "2025-03-26"};

static const char instructions[] =
    "Sayso asks a person before something is done. Ask with ask_human or "
    "request_approval. While nobody has answered, the state is pending: ask "
    "again with check_answer. Only the state resolved is an answer, and only "
    "the outcome authorized is a yes to an approval.";

/* ---- the caller's place --------------------------------------------- */

/* A page of another site may not speak for a client on this machine, also not
 * by a name that leads here (MCP, "Streamable HTTP", security warning). */
static const struct err *mcp_check_origin(const struct call *c)
{
    const struct str own = c->serve->conf->public_url;
    const struct str origin = request_header(c->rq, "Origin");
    const struct str host = request_header(c->rq, "Host");
    if ((origin.p && !str_eq(origin, own)) ||
        (address_here(own) && !address_here(host)))
        return ERROR(ERR_FORBIDDEN, "mcp.origin",
                     "The request comes from a page of another site. MCP "
                     "clients do not send an Origin.");
    return NULL;
}

/* ---- reading -------------------------------------------------------- */

bool mcp_reads_events(const struct mcp *m)
{
    const struct str accept = request_header(m->c->rq, "Accept");
    return str_search_nocase(accept, STR("text/event-stream")) < accept.n;
}

/* Only a client that takes a stream gets one. */
static struct str mcp_token(const struct mcp *m)
{
    const struct json *token = json_get(m->meta, "progressToken");
    if ((!json_is(token, JSON_STRING) && !json_is(token, JSON_INT)) ||
        !mcp_reads_events(m))
        return STR_NONE;
    const struct str text = json_dump(m->c->a, token, 1024);
    return text.n <= HOLD_TOKEN_MAX ? text : STR_NONE;
}

int64_t mcp_hold(const struct mcp *m)
{
    return m->token.p ? MCP_HOLD_MAX : 45;
}

bool mcp_has_tasks(const struct mcp *m)
{
    return json_is(json_get(json_get(m->can, "extensions"), MCP_TASKS),
                   JSON_OBJECT);
}

bool mcp_shows_pages(const struct mcp *m)
{
    return json_is(json_get(json_get(m->can, "elicitation"), "url"),
                   JSON_OBJECT);
}

static void mcp_refuse(struct mcp *m, enum mcp_code code, const char *say)
{
    mcp_answer_error(m, 400, code, str_of(say), NULL);
}

/* Reads the envelope. false: it was answered. */
static bool mcp_read(struct mcp *m)
{
    struct call *c = m->c;
    const struct err *e = call_body(c);
    if (e) {
        mcp_answer_error(
            m, 400, e->kind == ERR_BAD_REQUEST ? MCP_PARSE : MCP_REQUEST,
            e->say, mcp_answer_details(m, e));
        return false;
    }
    if (!str_is(json_get_text(c->body, "jsonrpc"), "2.0")) {
        mcp_refuse(m, MCP_REQUEST,
                   "The body has to be a JSON-RPC 2.0 message.");
        return false;
    }
    const struct json *id = json_get(c->body, "id");
    const struct str text = json_text(id);
    const bool answers =
        json_has(c->body, "result") || json_has(c->body, "error");
    m->method = json_get_text(c->body, "method");
    m->params = json_get(c->body, "params");
    m->meta = json_get(m->params, "_meta");
    if ((json_has(c->body, "id") && !json_is(id, JSON_INT) && !text.p) ||
        text.n > ID_MAX || (!m->method.p && !answers) ||
        m->method.n > METHOD_NAME_MAX ||
        (m->params && !json_is(m->params, JSON_OBJECT))) {
        mcp_refuse(
            m, MCP_REQUEST,
            "A request has an \"id\" that is a text or a whole number, a "
            "\"method\" and \"params\" that are an object.");
        return false;
    }
    m->id = id;
    m->token = mcp_token(m);
    return true;
}

/* ---- the modern era ------------------------------------------------- */

static struct json *mcp_versions(struct mcp *m)
{
    struct json *list = json_array(m->c->a);
    json_add_text(list, STR(MODERN));
    json_add_text(list, str_of(legacy[0]));
    return list;
}

/* A header's text; one that is not ASCII comes as =?base64?...?=. */
static struct str mcp_header(const struct mcp *m, const char *name)
{
    const struct str v = request_header(m->c->rq, name);
    const bool coded = v.n > 11 && str_starts(v, STR("=?base64?")) &&
                       str_ends(v, STR("?="));
    return coded ? crypt_base64_read(m->c->a, str_sub(v, 9, v.n - 2)) : v;
}

/* The headers repeat the body, for those who look at headers alone. */
static bool mcp_check_modern(struct mcp *m)
{
    const struct str version = json_get_text(m->meta, META "protocolVersion");
    const char *named = str_is(m->method, "tools/call")        ? "name"
                        : str_starts(m->method, STR("tasks/")) ? "taskId"
                                                               : NULL;
    if (version.p && !str_is(version, MODERN)) {
        struct json *data = json_object(m->c->a);
        json_set_json(data, "supported", mcp_versions(m));
        json_set_text(data, "requested", version);
        mcp_answer_error(
            m, 400, MCP_VERSION,
            STR("This version of the protocol is not supported."), data);
        return false;
    }
    if (version.p && str_eq(mcp_header(m, "MCP-Protocol-Version"), version) &&
        str_eq(mcp_header(m, "Mcp-Method"), m->method) &&
        (!named ||
         str_eq(mcp_header(m, "Mcp-Name"), json_get_text(m->params, named))))
        return true;
    mcp_refuse(m, MCP_HEADER,
               "The headers MCP-Protocol-Version, Mcp-Method and, for a tool "
               "or a task, Mcp-Name must match the body.");
    return false;
}

/* The part of the introduction that both eras have; the server's name and
 * version go into info. */
static struct json *mcp_introduce(struct mcp *m, struct json *info)
{
    struct json *o = json_object(m->c->a), *can = json_object(m->c->a);
    json_set_json(can, "tools", json_object(m->c->a));
    json_set_json(o, "capabilities", can);
    json_set_text(o, "instructions", str_of(instructions));
    json_set_text(info, "name", STR("sayso"));
    json_set_text(info, "version", STR(PACKAGE_VERSION));
    return o;
}

static const struct err *mcp_discover(struct mcp *m)
{
    struct json *meta = json_object(m->c->a), *info = json_object(m->c->a);
    struct json *more = json_object(m->c->a);
    struct json *o = mcp_introduce(m, info);
    json_set_json(more, MCP_TASKS, json_object(m->c->a));
    json_set_json(json_get(o, "capabilities"), "extensions", more);
    json_set_json(o, "supportedVersions", mcp_versions(m));
    json_set_json(meta, META "serverInfo", info);
    json_set_json(o, "_meta", meta);
    mcp_answer_cache(m, o);
    mcp_answer_result(m, o);
    return NULL;
}

/* ---- the era of the handshake --------------------------------------- */

static bool mcp_is_legacy(struct str version)
{
    for (size_t i = 0; i < countof(legacy); i++) {
        if (str_is(version, legacy[i]))
            return true;
    }
    return false;
}

static bool mcp_check_legacy(struct mcp *m)
{
    const struct str version = mcp_header(m, "MCP-Protocol-Version");
    if (!version.p || mcp_is_legacy(version) ||
        str_is(m->method, "initialize"))
        return true;
    mcp_refuse(m, MCP_REQUEST,
               "This version of the protocol is not supported.");
    return false;
}

static const struct err *mcp_initialize(struct mcp *m)
{
    const struct str wanted = json_get_text(m->params, "protocolVersion");
    struct json *info = json_object(m->c->a);
    struct json *o = mcp_introduce(m, info);
    json_set_text(o, "protocolVersion",
                  mcp_is_legacy(wanted) ? wanted : str_of(legacy[0]));
    json_set_json(o, "serverInfo", info);
    mcp_answer_result(m, o);
    return NULL;
}

static const struct err *mcp_ping(struct mcp *m)
{
    mcp_answer_result(m, json_object(m->c->a));
    return NULL;
}

/* ---- methods -------------------------------------------------------- */

enum { LEGACY_ERA = 1, MODERN_ERA = 2, BOTH_ERAS = 3 };

static const struct {
    const char *name;
    int eras;
    bool tasks; /* for clients that declare the extension */
    const struct err *(*run)(struct mcp *m);
} methods[] = {{"tools/call", BOTH_ERAS, false, mcp_tools_call},
               {"tools/list", BOTH_ERAS, false, mcp_tools_list},
               {"initialize", LEGACY_ERA, false, mcp_initialize},
               {"ping", LEGACY_ERA, false, mcp_ping},
               {"server/discover", MODERN_ERA, false, mcp_discover},
               {"tasks/get", MODERN_ERA, true, mcp_task_get},
               {"tasks/update", MODERN_ERA, true, mcp_task_update},
               {"tasks/cancel", MODERN_ERA, true, mcp_task_cancel},
               {"subscriptions/listen", MODERN_ERA, true, mcp_task_listen}};

static void mcp_require_tasks(struct mcp *m)
{
    struct json *more = json_object(m->c->a), *all = json_object(m->c->a);
    struct json *data = json_object(m->c->a);
    json_set_json(more, MCP_TASKS, json_object(m->c->a));
    json_set_json(all, "extensions", more);
    json_set_json(data, "requiredCapabilities", all);
    mcp_answer_error(m, 400, MCP_CAPABILITY,
                     STR("This is for clients that declare " MCP_TASKS "."),
                     data);
}

/* Nothing but tasks has notes to listen to. */
static bool mcp_knows(const struct mcp *m, size_t i)
{
    return str_is(m->method, methods[i].name) &&
           (methods[i].eras & (m->modern ? MODERN_ERA : LEGACY_ERA)) &&
           (methods[i].run != mcp_task_listen || mcp_task_listens(m));
}

static const struct err *mcp_run(struct mcp *m)
{
    for (size_t i = 0; i < countof(methods); i++) {
        if (!mcp_knows(m, i))
            continue;
        if (!methods[i].tasks || mcp_has_tasks(m))
            return methods[i].run(m);
        mcp_require_tasks(m);
        return NULL;
    }
    mcp_answer_error(m, m->modern ? 404 : 200, MCP_METHOD,
                     STR("This method is not supported."), NULL);
    return NULL;
}

const struct err *mcp_post(struct call *c)
{
    const struct str tools = request_query(c->rq, "tools");
    struct mcp m = {.c = c, .for_model = str_is(tools, "model")};
    TRY(mcp_check_origin(c));
    if (tools.p && !m.for_model)
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("tools"),
                      "\"tools\" has to be model.");
    if (c->rq->streamed)
        m.events = json_array(c->a);
    if (!mcp_read(&m))
        return NULL;
    if (!m.id || !m.method.p) { /* nothing is to be done */
        c->rs->status = 202;
        return NULL;
    }
    m.modern = json_has(m.meta, META "protocolVersion") ||
               str_is(mcp_header(&m, "MCP-Protocol-Version"), MODERN) ||
               str_is(m.method, "server/discover");
    if (m.modern)
        m.can = json_get(m.meta, META "clientCapabilities");
    if (!(m.modern ? mcp_check_modern(&m) : mcp_check_legacy(&m)))
        return NULL;
    return mcp_run(&m);
}

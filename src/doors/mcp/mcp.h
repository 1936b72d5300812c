/* The door for MCP clients (Model Context Protocol), both eras of it: one
 * address that takes JSON-RPC 2.0. Its tools ask people; none decides. */
#ifndef DOORS_MCP_MCP_H
#define DOORS_MCP_MCP_H

#include "doors/call/call.h"

/* JSON-RPC 2.0 section 5.1, and those of MCP 2026-07-28. */
enum mcp_code {
    MCP_PARSE = -32700,
    MCP_REQUEST = -32600,
    MCP_METHOD = -32601,
    MCP_PARAMS = -32602,
    MCP_HEADER = -32020,
    MCP_CAPABILITY = -32021,
    MCP_VERSION = -32022
};

/* One message. */
struct mcp {
    struct call *c;
    const struct json *id; /* a text or a whole number; NULL: a notification */
    struct str method;
    const struct json *params; /* an object; NULL: absent */
    const struct json *meta;   /* its _meta; NULL: absent */
    struct str token; /* JSON of its progress token; p NULL: none */
    struct str text;           /* of a tool's arguments, as they were sent */
    bool modern; /* a message of 2026-07-28: no handshake, and each result says
                  * that it is complete */
    const struct json *can; /* of such a message, what its client can do; NULL:
                             * nothing */
    bool for_model;      /* the address asks for the tools of models alone */
    struct json *events; /* a list, before the answer on the client's event
                          * stream; NULL: the answer is no stream */
};

/* POST /mcp. Answers JSON; a question that nobody has answered yet is held a
 * while. A client that wants reports of progress gets an event stream then.
 * ERR_FORBIDDEN mcp.origin. */
const struct err *mcp_post(struct call *c) MUST;

#define MCP_TASKS "io.modelcontextprotocol/tasks" /* the extension */
/* Does the client take a task for an answer? Does it show its user an address
 * (an elicitation of the mode url)? */
bool mcp_has_tasks(const struct mcp *m);
bool mcp_shows_pages(const struct mcp *m);
/* Does it read an event stream? */
bool mcp_reads_events(const struct mcp *m);

#define MCP_HOLD_MAX 280 /* seconds */
/* The longest hold of a call in seconds: of a client that gets reports of
 * progress, the shortest limit is 300, of another 60. */
int64_t mcp_hold(const struct mcp *m);

/* answer.c */
/* Answers with a result, an object that is changed. */
void mcp_answer_result(struct mcp *m, struct json *result);
/* Answers with an error; data: NULL: none. */
void mcp_answer_error(struct mcp *m, int status, enum mcp_code code,
                      struct str say, const struct json *data);
/* An error of the server as such data: code, message, at. */
struct json *mcp_answer_details(struct mcp *m, const struct err *e);
/* Answers with e as an error of what the client sent. e, where it is another
 * one. */
const struct err *mcp_answer_params(struct mcp *m, const struct err *e) MUST;
/* The result of a tool: v as an object and as its text. */
struct json *mcp_answer_of_tool(struct mcp *m, const struct json *v,
                                bool is_error);
/* Answers with it. */
void mcp_answer_tool(struct mcp *m, const struct json *v, bool is_error);
/* Answers with v as the text of a tool alone. */
void mcp_answer_text(struct mcp *m, const struct json *v);

/* Clients of the modern era may keep this result for an hour. */
void mcp_answer_cache(const struct mcp *m, struct json *result);

/* tools.c */
const struct err *mcp_tools_list(struct mcp *m) MUST;
/* Runs a tool. An error that a caller can do something about becomes an
 * answer; the others are returned. */
const struct err *mcp_tools_call(struct mcp *m) MUST;

/* ask.c: the tools; args is an object. */
const struct err *mcp_ask_human(struct mcp *m, const struct json *args) MUST;
const struct err *mcp_ask_approval(struct mcp *m,
                                   const struct json *args) MUST;
const struct err *mcp_ask_check(struct mcp *m, const struct json *args) MUST;
const struct err *mcp_ask_withdraw(struct mcp *m,
                                   const struct json *args) MUST;

/* The record of a question, as these tools give it. A yes that has ended or
 * was revoked is reported as a no. */
const struct err *mcp_ask_record(struct mcp *m, const struct suspension *s,
                                 struct json **out) MUST;

/* task.c: the extension of tasks (2026-07-28). A task is a question, with the
 * same id. These answer an error of the protocol for one that the caller may
 * not see. */
/* Answers a tool's call with the open question as a task. */
void mcp_task_make(struct mcp *m, const struct suspension *s);
const struct err *mcp_task_get(struct mcp *m) MUST;
const struct err *mcp_task_update(struct mcp *m) MUST;
const struct err *mcp_task_cancel(struct mcp *m) MUST;
/* Does the message name tasks to listen to? */
bool mcp_task_listens(const struct mcp *m);
/* An event stream, of one of these tasks: it ends with the task. */
const struct err *mcp_task_listen(struct mcp *m) MUST;

/* hook.c: tools that clients call before another tool runs. */
const struct err *mcp_hook_permission(struct mcp *m,
                                      const struct json *args) MUST;
const struct err *mcp_hook_event(struct mcp *m,
                                 const struct json *args) MUST;

#endif

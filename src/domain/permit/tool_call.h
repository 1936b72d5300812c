/* Tool calls as the platforms of agents write them, and the question about
 * them.
 *
 * A call has one of five shapes. A call that fits none, or that two readers
 * could read in two ways, is refused: the tool that runs has to be the one that
 * is shown. The bytes of the arguments are kept. Pure. */
#ifndef DOMAIN_PERMIT_TOOL_CALL_H
#define DOMAIN_PERMIT_TOOL_CALL_H

#include "base/err.h"
#include "base/json/json.h"

#define TOOL_CALL_MAX 50 /* calls of one turn */
#define TOOL_CALL_ID_MAX 200   /* characters */
#define TOOL_CALL_NAME_MAX 200 /* characters of a tool's name */
#define TOOL_CALL_ARGUMENTS_MAX ((size_t)64 << 10) /* bytes, of one call */
#define TOOL_CALL_USED_MAX ((size_t)256 << 10) /* of one that was approved */
/* Levels; the same question has to fit into a body of the native door. */
#define TOOL_CALL_DEPTH_MAX (JSON_INPUT_DEPTH_MAX - 4)
#define TOOL_CALL_SCOPES_MAX 50

enum tool_call_shape {
    TOOL_CALL_SAYSO,     /* id, tool, arguments {} */
    TOOL_CALL_OPENAI,    /* id, function {name, arguments ""} */
    TOOL_CALL_ANTHROPIC, /* type "tool_use", id, name, input {} */
    TOOL_CALL_MCP,       /* name; id and arguments {} may be absent */
    TOOL_CALL_KERNEL,    /* Semantic Kernel: id, plugin_name, function_name,
                          * arguments {} or "" */
    TOOL_CALL_SHAPE__MAX
};

struct tool_call {
    enum tool_call_shape shape;
    struct str id, tool;
    struct str sent; /* the element as it was sent */
    struct str raw;  /* the arguments' bytes as sent, a JSON object */
    struct str arguments; /* the same object in canonical form */
    struct str arguments_sha256; /* of that */
    const struct json *tree;     /* the same as a tree */
};

/* A sign-in at a service that the agent needs. */
struct tool_call_challenge {
    struct str sent; /* the element as it was sent */
    struct str server_name, auth_server, auth_url;
    const struct json *scopes; /* a list of texts */
};

/* The calls of a check, or its one challenge. */
struct tool_calls {
    struct tool_call *v;
    size_t n; /* 0: a challenge */
    struct tool_call_challenge challenge;
};

/* A code that callers compare: tool_call.arguments. */
extern const char tool_call_arguments[];

/* The names of the tools of a list of calls, details or steps; more is NULL or
 * another such list, whose names follow. */
size_t tool_call_tools(struct arena *a, const struct json *list,
                       const struct json *more, struct str **out);
/* Those in the subject of a question: of its calls, or its details; and of the
 * steps of its plan. */
size_t tool_call_tools_of(struct arena *a, const struct json *subject,
                          struct str **out);
/* May a tool have this name? It has visible characters only, and no space. */
bool tool_call_name(struct str name);
/* May a call have this id? The same, of TOOL_CALL_ID_MAX characters. */
bool tool_call_id(struct str id);
/* Reads the member "tool_calls" or "auth_challenges" of a body that was
 * checked; text: its bytes. ERR_INVALID tool_call.shape, tool_call.id for a
 * missing, malformed or repeated id, tool_call.arguments, field.* for a
 * challenge; .at is the place. */
const struct err *tool_call_read(struct arena *a, const struct json *body,
                                 struct str text, struct tool_calls *out) MUST;
/* Checks the one call of a request of another form. call has a valid id, the
 * tool and, in raw, its arguments: a JSON object that was checked. max: bytes
 * of the arguments. The same errors. */
const struct err *tool_call_one(struct arena *a, struct tool_call call,
                                size_t max, struct tool_calls *out) MUST;
/* Reads one call without an id, {tool, arguments}, as a gateway sends it before
 * it runs; text: its bytes. .at begins with path. */
const struct err *tool_call_read_bare(struct arena *a, const struct json *v,
                                      struct str text, struct str path,
                                      struct tool_call *out) MUST;

/* SHA-256 of the tool and the arguments, hexadecimal: equal for equal calls,
 * whatever their shapes and ids. */
struct str tool_call_sha256(struct arena *a, const struct tool_call *call);

/* "Run TOOL?" */
struct str tool_call_question(struct arena *a, struct str tool);
/* The choices of the question: a list of reject and approve. A comment is never
 * required, since a chat may have no place for one. */
struct json *tool_call_choices(struct arena *a);
/* The agent's words, or the server's where it has none. */
struct str tool_call_consequence(struct str said);

/* Other members of the subject of a question; p NULL: absent. */
struct tool_call_about {
    struct str consequence;
    struct str target;   /* in place of the names of the tools */
    struct str provider; /* of the action */
    struct str probe;    /* of a challenge */
};

/* The subject of the question, a JSON text: of the kind approval for calls,
 * with the bytes of their arguments, and of the kind credential_needed for a
 * challenge. Equal calls give the same text, whatever their shapes and ids. */
struct str tool_call_subject(struct arena *a, const struct tool_calls *calls,
                             const struct tool_call_about *about);
/* Begins the subject of an approval of these tools: the text of an object
 * without its closing brace. */
void tool_call_subject_begin(struct buf *b, const struct str *tools, size_t n,
                             const struct tool_call_about *about);

#endif

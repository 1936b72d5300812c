/* Tool calls as agents' platforms write them, and the question that is asked
 * about them.
 *
 * Five shapes of a call are read into one; anything else is refused, and so
 * is a call that could be read in two ways: another tool might run than the
 * one that is shown. The arguments are kept byte for byte. Pure. */
#ifndef DOMAIN_TOOL_CALL_H
#define DOMAIN_TOOL_CALL_H

#include "base/err.h"
#include "base/json.h"

#define TOOL_CALL_MAX 50 /* calls of one turn */
#define TOOL_CALL_ID_MAX 200   /* characters */
#define TOOL_CALL_NAME_MAX 200 /* characters of a tool's name */
#define TOOL_CALL_ARGUMENTS_MAX ((size_t)64 << 10) /* bytes, of one call */
/* Levels: the native door has to be able to take the same question. */
#define TOOL_CALL_DEPTH_MAX (JSON_INPUT_DEPTH_MAX - 4)
#define TOOL_CALL_SCOPES_MAX 50

enum tool_call_shape {
    TOOL_CALL_SAYSO,     /* id, tool, arguments {} */
    TOOL_CALL_OPENAI,    /* id, function {name, arguments ""} */
    TOOL_CALL_ANTHROPIC, /* type "tool_use", id, name, input {} */
    TOOL_CALL_MCP,       /* name, arguments {}; either may be without id */
    TOOL_CALL_KERNEL,    /* Semantic Kernel: plugin_name, function_name,
                            arguments {} or "" */
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

/* Signing in at a service that the agent cannot go on without. */
struct tool_call_challenge {
    struct str sent; /* the element as it was sent */
    struct str server_name, auth_server, auth_url;
    const struct json *scopes; /* a list of texts */
};

/* What an agent is stopped by: calls, or one challenge. */
struct tool_calls {
    struct tool_call *v;
    size_t n; /* 0: a challenge */
    struct tool_call_challenge challenge;
};

/* A code that others ask about: tool_call.arguments. */
extern const char tool_call_arguments[];

/* May a tool have this name? Characters that can be seen, and no space. */
bool tool_call_name(struct str name);
/* Reads "tool_calls" or "auth_challenges", one of them, of a body that was
 * checked; text: its bytes. ERR_INVALID tool_call.shape, tool_call.id for one
 * that is missing, none or there twice, tool_call.arguments, field.* for a
 * challenge; .at is the place. */
const struct err *tool_call_read(struct arena *a, const struct json *body,
                                 struct str text, struct tool_calls *out) MUST;
/* One call without an id, {tool, arguments}, as a gateway sends it that runs
 * it; text: its bytes. .at begins with path. */
const struct err *tool_call_read_bare(struct arena *a, const struct json *v,
                                      struct str text, struct str path,
                                      struct tool_call *out) MUST;

/* The facts of the question, a JSON text: of kind approval for calls, around
 * the bytes of their arguments, of kind credential_needed for a challenge.
 * The same calls give the same text, whatever their shape and ids.
 * consequence, probe: p NULL: none. */
struct str tool_call_subject(struct arena *a, const struct tool_calls *calls,
                             struct str consequence, struct str probe);
/* The beginning of the facts of an approval of these tools: the text of an
 * object without its closing brace. */
void tool_call_subject_begin(struct buf *b, const struct str *tools, size_t n,
                             struct str consequence);

#endif

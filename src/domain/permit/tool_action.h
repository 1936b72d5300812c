/* A tool call, read by the table of tools.
 *
 * Coding agents and tool servers give tools and arguments a small number of
 * names. The table knows them: the value that says the most about a call, and
 * the parts that people read first. All comes out of the arguments, and nothing
 * out of what an agent says about them. Pure. */
#ifndef DOMAIN_PERMIT_TOOL_ACTION_H
#define DOMAIN_PERMIT_TOOL_ACTION_H

#include "base/json/json.h"

/* The form of the value. */
enum tool_form {
    TOOL_COMMAND, /* of a shell */
    TOOL_PATH,
    TOOL_URL,
    TOOL_WORDS,
    TOOL_PATCH
};

/* A row fits where the tool is one of `tools` (NULL: any), the member `when`
 * has the text `is`, and one of `members` has a value: the first one counts. */
struct tool_row {
    const char *tools, *when, *is;
    const char *verb; /* NULL: another tool than those with a name */
    enum tool_form form;
    const char *members;
    /* Members that change nothing, or are the agent's words about the call
     * ("*": all others are such). */
    const char *plain;
};

enum tool_part_type {
    TOOL_PART_COMMAND, /* or the words of a search, a script, a prompt */
    TOOL_PART_CONTENT, /* of a file */
    TOOL_PART_PATCH,   /* several files, each line with its sign */
    TOOL_PART_EDIT     /* a text in place of another */
};
struct tool_part {
    enum tool_part_type type;
    struct str text;          /* as it was sent; p NULL for an edit */
    struct str before, after; /* of an edit */
    const struct json *more;  /* the other members of an edit in a list; NULL:
                               * there are none */
};
#define TOOL_PARTS_MAX 100

struct tool_action {
    struct arena *a;
    struct str tool;
    const struct json *args;    /* an object */
    const struct tool_row *row; /* NULL: none fits */
    struct str member, value;   /* by the row; a list of words is a line */
    struct tool_part parts[TOOL_PARTS_MAX];
    size_t n;
    /* The other arguments: a copy without the texts that are parts. Edits are
     * parts where all of a list are, within the limit. */
    struct json *rest;
};
/* args: of any type; what is not an object has no member. */
struct tool_action tool_action(struct arena *a, struct str tool,
                               const struct json *args);

#endif

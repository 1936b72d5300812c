/* A check before tools run: the part that the tool-call API and the hooks of
 * agents' clients share. */
#ifndef DOORS_ASKING_CHECK_H
#define DOORS_ASKING_CHECK_H

#include "doors/call/call.h"

struct check_result {
    enum tool_effect effect;
    struct str reason; /* of the rule that forbids; p NULL: it has none */
    struct suspension suspension; /* of TOOL_ASK, as it is now */
};

/* Checks the tool calls of a body, as the tool-call API takes them; text: its
 * bytes. Commits, and answers as that API does; the caller may replace the
 * answer. The same check again gives the same result. ERR_INVALID of
 * tool_call_read, guard_begin and guard_terms; those of guard_ask. */
const struct err *check_calls(struct call *c, struct str text,
                              const struct json *body,
                              const struct work_once *once,
                              struct check_result *out) MUST;

#endif

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

/* A check as it was sent. */
struct check_sent {
    struct str text; /* the body's bytes */
    const struct json *body;
    const struct work_once *once;
    bool edit; /* a person may change the arguments: the caller runs what was
                * approved, and not what was sent */
    size_t arguments_max; /* bytes of a call's; 0: as the API takes them */
    /* Of the subject; p NULL: the tools stand in place of a target, and there
     * is no provider. */
    struct str target, provider;
};
/* Checks the tool calls of a body, as the tool-call API takes them. Commits,
 * and answers as that API does; the caller may replace the answer. The same
 * check again gives the same result. ERR_INVALID of tool_call_read,
 * tool_check_begin and tool_request_terms; those of tool_request_ask. */
const struct err *check_calls(struct call *c, const struct check_sent *sent,
                              struct check_result *out) MUST;

#endif

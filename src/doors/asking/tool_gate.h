/* A gate before tools run: the part that the tool-call API and the hooks of
 * agents' clients share. */
#ifndef DOORS_ASKING_TOOL_GATE_H
#define DOORS_ASKING_TOOL_GATE_H

#include "domain/permit/tool_call.h"
#include "doors/asking/tool_request.h"

struct tool_gate_result {
    enum tool_effect effect;
    struct str reason; /* of the rule that forbids; p NULL: it has none */
    struct suspension suspension; /* of TOOL_ASK, as it is now */
};

/* The calls of one turn, filled by the tool-call API or by the door of another
 * form. */
struct tool_gate {
    struct call *c;
    struct tool_check check; /* with its work, and what was said of the task */
    struct tool_calls calls;
    struct tool_call_about about; /* for the subject of the question */
    const struct json *body; /* its members of the question are read when a
                              * person is asked; NULL: they stand in: */
    struct suspension question;
    struct json *details;      /* of a permit; NULL: none was described */
    struct permit_terms terms; /* of it */
    bool edit; /* a person may change the arguments: the caller runs what was
                * approved, and not what was sent */
};
/* Checks the calls. Commits, and answers as the tool-call API does; the caller
 * may replace the answer. The same check again gives the same result.
 * ERR_INVALID of tool_check_begin; those of suspension_read and
 * tool_check_ask. */
const struct err *tool_gate_check(struct tool_gate *g,
                                  struct tool_gate_result *out) MUST;

#endif

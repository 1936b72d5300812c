/* Requests about tools at the doors: the members that they share, and the
 * permit that they show. */
#ifndef DOORS_ASKING_TOOL_REQUEST_H
#define DOORS_ASKING_TOOL_REQUEST_H

#include "base/json/fields.h"
#include "doors/call/call.h"
#include "work/permit/tool_check.h"

/* Reads severity, requires_approval, initiation and initiated_by. Returns the
 * consequence: the server's words where the agent has none. */
struct str tool_request_read(struct tool_check *g, struct fields *f);
/* Reads the terms of a permit for these details (permit_terms_read), and checks
 * that the resource is in use. ERR_INVALID as there, and resource.unknown. */
const struct err *tool_request_terms(struct call *c, const struct json *body,
                                     const struct json *details,
                                     bool jkt_needed,
                                     struct permit_terms *out) MUST;
/* permit_id, auth_req_id and interval of the permit in the work. */
void tool_request_set_permit(const struct tool_check *g, struct json *o);

#endif

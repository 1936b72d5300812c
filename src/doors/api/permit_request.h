/* An agent's request for a permit before it acts: the part that POST
 * /api/v1/authorizations and the OAuth address for it share. */
#ifndef DOORS_API_PERMIT_REQUEST_H
#define DOORS_API_PERMIT_REQUEST_H

#include "domain/permit/permit.h"
#include "doors/asking/tool_request.h"

struct permit_request {
    struct call *c;
    struct tool_check gate; /* with its work */
    const struct json *body; /* has members of the question */
    struct str consequence; /* the server's words where the agent has none */
    struct str title; /* of the question; p NULL: the goal */
    struct str reasoning;
    int64_t veto_seconds;
    struct json *details;    /* RFC 9396 */
    struct str details_text; /* their bytes as they were sent; p NULL: the
                              * member authorization_details is absent */
    struct permit_terms terms;
};

/* Reads the body, as the API of authorizations takes it, and decides by the
 * rules: gate.verdict. ERR_INVALID field.*, permit.details, permit.jkt,
 * resource.unknown. */
const struct err *api_permit_request_read(struct permit_request *r) MUST;
/* Does what the verdict says: asks a person, makes an active permit, or records
 * the denial. After tool_check_begin; the caller commits gate.w. */
const struct err *api_permit_request_make(struct permit_request *r) MUST;

#endif

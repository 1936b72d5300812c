/* Authentication of an OAuth client: an agent, or a resource, with its key as
 * the secret (RFC 6749 2.3). */
#ifndef DOORS_CALL_CLIENT_H
#define DOORS_CALL_CLIENT_H

#include "doors/call/call.h"

/* Reads the form into c->params and fills in c->who. Errors of OAuth:
 * invalid_client, and invalid_request for a body that is not a form, a
 * parameter that is sent twice, and two ways of authentication. */
const struct err *client_authenticate(struct call *c) MUST;

#endif

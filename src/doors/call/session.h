/* Authentication: a key in a header, an OAuth client, or a person's session in
 * a cookie.
 *
 * JSON routes take keys only and pages take cookies only, so that a browser's
 * cookie can never be used against the API from another site. */
#ifndef DOORS_CALL_SESSION_H
#define DOORS_CALL_SESSION_H

#include "doors/call/call.h"

/* A code that callers compare: session.missing. */
extern const char session_missing[];

/* Fills in c->who for the route, or refuses. ERR_UNAUTHENTICATED key.missing
 * and those of principals_by_key; ERR_BAD_REQUEST key.two; ERR_FORBIDDEN
 * role.forbidden. For a page without a session: ERR_UNAUTHENTICATED
 * session.missing. Of an OAuth client, an agent or a resource with its key as
 * the secret, c->params is the form; its errors are those of OAuth:
 * invalid_client, and invalid_request for a body that is not a form, a
 * parameter that is sent twice, and two ways of authentication. */
const struct err *session_authenticate(struct call *c) MUST;
/* Makes the call act as that agent, where it came with an agent's key.
 * ERR_FORBIDDEN agent.not_named. */
const struct err *session_speak(struct call *c, struct str agent) MUST;
/* Reads a person's session; without one the call has no principal. */
const struct err *session_optional(struct call *c) MUST;
/* Gives a browser that is not signed in a cookie of its own, so that the login
 * form has a token too. fresh: creates one if there is none. */
void session_visit(struct call *c, bool fresh);
/* A token for the forms of this session, or visit; "" without either. It
 * differs on each page, so that the size of a compressed page does not reveal
 * it. */
struct str session_csrf(struct call *c);
/* Is it a token of this session, or visit? */
bool session_csrf_ok(struct call *c, struct str token);
/* Was this POST sent from one of our own pages to our own address? Host, Origin
 * and Sec-Fetch-Site are compared with public_url. ERR_FORBIDDEN
 * request.origin. */
const struct err *session_same_origin(const struct call *c) MUST;
/* Sets, or with p NULL removes, the session's cookie. */
void session_set_cookie(struct call *c, struct str cookie);

#define SESSION_BYTES 32 /* of a cookie, before they are base64url */
/* The token of a browser in which somebody has signed in before; p NULL: none.
 * It grants no access. */
struct str session_browser(const struct call *c);
/* Stores the token in the browser for half a year. */
void session_set_browser(struct call *c, struct str token);

#endif

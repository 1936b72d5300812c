/* Who is calling: a key in a header, or a person's session in a cookie.
 *
 * JSON routes take keys only and pages take cookies only, so that a browser's
 * cookie can never be used against the API from another site. */
#ifndef DOORS_CALL_SESSION_H
#define DOORS_CALL_SESSION_H

#include "doors/call/call.h"

/* A code that others ask about: session.missing. */
extern const char session_missing[];

/* Fills in c->who for the route, or refuses. ERR_UNAUTHENTICATED key.missing
 * and those of principals_by_key; ERR_BAD_REQUEST key.two; ERR_FORBIDDEN
 * role.forbidden. For a page without a session: ERR_UNAUTHENTICATED
 * session.missing. */
const struct err *session_authenticate(struct call *c) MUST;
/* Has the call speak for that agent, where it came with an agent's key.
 * ERR_FORBIDDEN agent.not_named. */
const struct err *session_speak(struct call *c, struct str agent) MUST;
/* Looks for a person's session without asking for one. */
const struct err *session_optional(struct call *c) MUST;
/* Remembers a browser that is not signed in yet, by a cookie of its own, so
 * that the login form carries a token too. fresh: makes one if there is
 * none. */
void session_visit(struct call *c, bool fresh);
/* A token for the forms of this session, or visit; "" without either. Each
 * page has another one, so that compressing a page tells nothing of it. */
struct str session_csrf(struct call *c);
/* Is it a token of this session, or visit? */
bool session_csrf_ok(struct call *c, struct str token);
/* Did this POST come from one of our own pages, and to our own address? By
 * Host, Origin and Sec-Fetch-Site, held against public_url. ERR_FORBIDDEN
 * request.origin. */
const struct err *session_same_origin(const struct call *c) MUST;
/* Sets, or with p NULL removes, the session's cookie. */
void session_set_cookie(struct call *c, struct str cookie);

#define SESSION_BYTES 32 /* of a cookie, before they are base64url */
/* What tells a browser that somebody has signed in from apart from others; p
 * NULL: nothing does. It lets nobody in. */
struct str session_browser(const struct call *c);
/* Has the browser keep it for half a year. */
void session_set_browser(struct call *c, struct str token);

#endif

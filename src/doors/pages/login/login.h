/* Signing in and out, and the page where a visitor begins. Handlers of the
 * route table. */
#ifndef DOORS_PAGES_LOGIN_LOGIN_H
#define DOORS_PAGES_LOGIN_LOGIN_H

#include "doors/call/call.h"

/* A row of the route table each. */
const struct err *login_home(struct call *c) MUST;
const struct err *login_page(struct call *c) MUST;
const struct err *login_page_post(struct call *c) MUST;
const struct err *login_out(struct call *c) MUST;

/* The address that a browser goes to after the login, where it is a path of
 * this server of at most 1023 bytes, and no text that a browser could take for
 * another host; else "". */
struct str login_next(struct str next);

#endif

/* An answer that was sent after its session had ended: the login page says that
 * it was not recorded, carries what was typed, and leads back to the question
 * with it. Nothing is sent by itself. */
#ifndef DOORS_PAGES_LOGIN_KEPT_H
#define DOORS_PAGES_LOGIN_KEPT_H

#include "doors/call/call.h"
#include "world/request.h"

#define LOGIN_KEPT_MAX ((size_t)32 << 10) /* bytes of what is carried */

/* Is this an answer by a form of ours, whose session is missing? Then the
 * login page is the call's answer. false: it is none, nothing was done. */
bool login_kept_page(struct call *c);
/* `login.lost` and `login.kept`: what was lost, as the form of a login that
 * was tried carries it on; form NULL: nothing. */
void login_kept_set(struct arena *a, struct json *login,
                    const struct pairs *form);
/* Who has just signed in goes on with the answer that the form carries; *done
 * is false where there is none, or where somebody else typed it. */
const struct err *login_kept_show(struct call *c, const struct pairs *form,
                                  bool *done) MUST;

#endif

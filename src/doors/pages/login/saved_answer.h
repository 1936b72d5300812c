/* An answer that was sent after its session had ended: the login page says that
 * it was not recorded, keeps the typed values, and leads back to the question
 * with them. Nothing is submitted automatically. */
#ifndef DOORS_PAGES_LOGIN_SAVED_ANSWER_H
#define DOORS_PAGES_LOGIN_SAVED_ANSWER_H

#include "doors/call/call.h"
#include "world/web/request.h"

#define LOGIN_SAVED_ANSWER_MAX                                                \
    ((size_t)32 << 10) /* bytes of the saved values */

/* Is this an answer by a form of this server whose session is missing? Then the
 * login page is the call's answer. false: it is not, and nothing was done. */
bool login_saved_answer_page(struct call *c);
/* `login.lost` and `login.kept`: the lost answer, as the login form carries it
 * through a failed try; form NULL: none. */
void login_saved_answer_set(struct arena *a, struct json *login,
                            const struct pairs *form);
/* After a sign-in, shows the answer that the form carries, or leads to the page
 * that shows it; *done is false where there is none, or where another person
 * typed it. */
const struct err *login_saved_answer_show(struct call *c,
                                          const struct pairs *form,
                                          bool *done) MUST;

#endif

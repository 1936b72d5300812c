/* Signing in and out.
 *
 * Reveals to nobody whether an e-mail address is known: the words and about the
 * time are the same for a wrong password, an unknown and a disabled person. */
#include "base/text.h"
#include "domain/intent/person.h"
#include "doors/call/session.h"
#include "doors/call/sign_in.h"
#include "doors/pages/login/login.h"
#include "doors/pages/login/saved_answer.h"
#include "doors/pages/shell/page.h"
#include "store/person/sessions.h"

const struct err *login_home(struct call *c)
{
    response_see_other(c->rs, STR("/inbox"));
    return NULL;
}

struct str login_next(struct str next)
{
    bool fine = next.n > 0 && next.n < 1024 && next.p[0] == '/' &&
                !str_starts(next, STR("//"));
    for (size_t i = 0; fine && i < next.n; i++)
        fine = next.p[i] > ' ' && next.p[i] != '\\' && next.p[i] != 0x7f;
    return fine ? next : STR("");
}

/* form: the posted values, or NULL. */
static const struct err *login_show(struct call *c, int status,
                                    struct str email, const struct pairs *form,
                                    struct str error)
{
    const struct str next =
        form ? pairs_get(*form, "next") : request_query(c->rq, "next");
    struct json *view = json_object(c->a), *o = json_object(c->a);
    json_set_text(o, "email", email);
    json_set_text(o, "next", login_next(next));
    json_set_text(o, "error", error);
    login_saved_answer_set(c->a, o, form);
    json_set_json(view, "login", o);
    return page_render(c, status, "login", "Sign in", view);
}

const struct err *login_page(struct call *c)
{
    const struct str next = request_query(c->rq, "next");
    TRY(session_optional(c));
    if (c->cookie.p) {
        const struct str to = login_next(next);
        response_see_other(c->rs, to.n ? to : STR("/inbox"));
        return NULL;
    }
    session_visit(c, true);
    return login_show(c, 200, STR(""), NULL, STR(""));
}

/* The password was not checked. The e-mail address is kept. */
static const struct err *login_show_later(struct call *c,
                                          const struct sign_in *s,
                                          const struct pairs *form)
{
    const bool busy = s->result == SIGN_IN_BUSY;
    const struct str wait = arena_number(c->a, busy ? 2 : s->wait);
    const struct str say =
        busy ? STR("Too many people are signing in. Wait a few seconds and "
                   "try again. Type the password again.")
             : arena_join(c->a, STR("Too many failed attempts. Wait "), wait,
                          str_of(s->wait == 1 ? " second" : " seconds"),
                          STR(" and try again. Type the password again."));
    response_header(c->rs, "Retry-After", wait);
    return login_show(c, busy ? 503 : 429, s->email, form, say);
}

const struct err *login_page_post(struct call *c)
{
    struct pairs form;
    session_visit(c, false);
    TRY(page_form(c, &form));
    struct sign_in s = {.email = str_trim(pairs_get(form, "email")),
                        .at = "login"};
    const struct str password = pairs_get(form, "password");
    const struct str next = pairs_get(form, "next");
    if (s.email.n > PERSON_EMAIL_MAX ||
        text_nfc(c->a, password).n > PERSON_PASSWORD_MAX)
        return login_show(c, 422, STR(""), &form,
                          STR("The e-mail or the password is too long."));
    TRY(sign_in_try(c, password, &s));
    if (s.result == SIGN_IN_SOON || s.result == SIGN_IN_BUSY)
        return login_show_later(c, &s, &form);
    if (s.result == SIGN_IN_WRONG)
        return login_show(c, 422, s.email, &form,
                          STR("Incorrect e-mail or password."));
    bool done = false;
    TRY(sign_in_enter(c, &s));
    TRY(login_saved_answer_show(c, &form, &done));
    if (done)
        return NULL;
    const struct str to = login_next(next);
    response_see_other(c->rs, to.n ? to : STR("/inbox"));
    return NULL;
}

const struct err *login_out(struct call *c)
{
    struct pairs form;
    TRY(page_form(c, &form));
    TRY(sessions_leave(c->pg, c->a, c->cookie));
    response_see_other(c->rs, STR("/login"));
    session_set_cookie(c, STR_NONE);
    return NULL;
}

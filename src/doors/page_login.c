/* Signing in and out.
 *
 * Tells nobody whether an e-mail is known: the same words and about the same
 * time for a wrong password, an unknown and a disabled person. */
#include "base/clock.h"
#include "base/crypt.h"
#include "doors/page.h"
#include "doors/session.h"
#include "store/principals.h"

#define EMAIL_MAX 254
#define PASSWORD_MAX 200
#define FREE_FAILURES 5
#define DELAY_MAX (30 * CLOCK_SECOND)

const struct err *page_home(struct call *c)
{
    response_see_other(c->rs, STR("/inbox"));
    return NULL;
}

/* Only a path of ours: nothing that a browser could take for another host. */
static struct str safe_next(struct str next)
{
    bool fine = next.n > 0 && next.n < 1024 && next.p[0] == '/' &&
                !str_starts(next, STR("//"));
    for (size_t i = 0; fine && i < next.n; i++)
        fine = next.p[i] > ' ' && next.p[i] != '\\' && next.p[i] != 0x7f;
    return fine ? next : STR("");
}

static const struct err *show(struct call *c, int status, struct str email,
                              struct str next, const char *error)
{
    struct json *view = json_object(c->a), *o = json_object(c->a);
    json_set_text(o, "email", email);
    json_set_text(o, "next", safe_next(next));
    json_set_text(o, "error", str_of(error));
    json_set_json(view, "login", o);
    return page_render(c, status, "login", "Sign in", view);
}

const struct err *page_login(struct call *c)
{
    const struct str next = request_query(c->rq, "next");
    TRY(session_optional(c));
    if (c->cookie.p) {
        const struct str to = safe_next(next);
        response_see_other(c->rs, to.n ? to : STR("/inbox"));
        return NULL;
    }
    session_visit(c, true);
    return show(c, 200, STR(""), next, "");
}

/* After a few failures each further one makes the next try wait, up to half a
 * minute: guessing becomes slow, and nobody can lock a person out for long. */
static bool too_soon(const struct login *l, int64_t now)
{
    if (l->failures < FREE_FAILURES)
        return false;
    const int64_t steps = l->failures - FREE_FAILURES;
    const int64_t wait = steps >= 5 ? DELAY_MAX : CLOCK_SECOND << steps;
    return now - l->failed_at < (wait < DELAY_MAX ? wait : DELAY_MAX);
}

static struct str lower(struct arena *a, struct str s)
{
    struct buf b = buf_make(a, EMAIL_MAX + 1);
    buf_lower(&b, s);
    return buf_text(&b);
}

const struct err *page_login_check(struct call *c, const struct login *l,
                                   struct str password, bool *ok)
{
    const enum crypt_cost cost = c->serve->conf->password_cost;
    *ok = false;
    if (!l->found || l->disabled || too_soon(l, clock_now())) {
        crypt_password_pretend(c->a, password, cost);
        return NULL;
    }
    *ok = crypt_password_ok(c->a, l->password_hash, password);
    return *ok ? NULL : principals_failed(c->pg, c->a, l->id);
}

const struct err *page_login_post(struct call *c)
{
    struct pairs form;
    struct login l;
    struct str cookie = STR_NONE;
    bool ok = false;
    session_visit(c, false);
    TRY(page_form(c, &form));
    const struct str typed = str_trim(pairs_get(form, "email"));
    const struct str password = pairs_get(form, "password");
    const struct str next = pairs_get(form, "next");
    if (typed.n > EMAIL_MAX || password.n > PASSWORD_MAX)
        return show(c, 422, STR(""), next,
                    "The e-mail or the password is too long.");
    TRY(principals_login(c->pg, c->a, lower(c->a, typed), &l));
    TRY(page_login_check(c, &l, password, &ok));
    if (!ok)
        return show(c, 422, typed, next,
                    "E-mail and password do not belong together. Your e-mail "
                    "is kept; type the password again. After several tries, "
                    "wait half a minute.");
    TRY(principals_enter(c->pg, c->a, l.id, &cookie));
    const struct str to = safe_next(next);
    response_see_other(c->rs, to.n ? to : STR("/inbox"));
    session_set_cookie(c, cookie);
    return NULL;
}

const struct err *page_logout(struct call *c)
{
    struct pairs form;
    TRY(page_form(c, &form));
    TRY(principals_leave(c->pg, c->a, c->cookie));
    response_see_other(c->rs, STR("/login"));
    session_set_cookie(c, STR_NONE);
    return NULL;
}

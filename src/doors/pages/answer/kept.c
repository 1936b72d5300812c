/* Typed values in a cookie, for a page that shows them and can be reloaded. */
#include "doors/pages/answer/kept.h"

#include "doors/call/session.h"

#define COOKIE "sayso-kept"
#define COOKIE_MAX 2048   /* bytes: a web server takes 4 kB of headers */
#define COOKIE_LIFE "300" /* seconds */

bool answer_kept_put(struct call *c, struct str path,
                     const struct pairs *typed)
{
    struct buf b = buf_make(c->a, COOKIE_MAX);
    buf_put(&b, COOKIE "=csrf=");
    buf_escape(&b, session_csrf(c));
    for (size_t i = 0; i < typed->n; i++) {
        buf_char(&b, '&');
        buf_escape(&b, typed->v[i].key);
        buf_char(&b, '=');
        buf_escape(&b, typed->v[i].value);
    }
    if (b.over)
        return false;
    response_cookie(c->rs,
                    arena_join(c->a, buf_text(&b), STR("; Path="), path,
                               STR("; HttpOnly; SameSite=Strict; Max-Age="
                                   COOKIE_LIFE),
                               str_of(c->rq->https ? "; Secure" : "")));
    return true;
}

bool answer_kept_find(struct call *c, struct str id, struct pairs *typed)
{
    const struct str cookie = request_cookie(c->rq, COOKIE);
    return cookie.p &&
           !request_form(c->a, cookie, REQUEST_PAIRS_MAX, typed) &&
           session_csrf_ok(c, pairs_get(*typed, "csrf")) &&
           str_eq(pairs_get(*typed, ANSWER_KEPT_ID), id) &&
           str_eq(pairs_get(*typed, "reader"), c->who.id);
}

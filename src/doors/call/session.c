/* Authentication: a key in a header, an OAuth client, or a person's session in
 * a cookie. */
#include "doors/call/session.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "doors/call/route.h"
#include "store/person/principals.h"
#include "store/person/sessions.h"
#include "store/person/sign_ins.h"

const char session_missing[] = "session.missing";

#define KEY_MAX 256
#define PARAMS_MAX 64 /* of the form of an OAuth client */
#define NONCE 12 /* bytes */
#define COOKIE_LENGTH 43 /* 32 bytes, base64url */

/* The __Host- prefix binds the cookie to this host and to TLS; without TLS
 * (a private start on a loopback address) browsers would refuse it. */
static const char *session_cookie_name(const struct call *c)
{
    return c->rq->https ? "__Host-sayso" : "sayso";
}

static const char *session_browser_name(const struct call *c)
{
    return c->rq->https ? "__Host-sayso-browser" : "sayso-browser";
}

/* ---- keys ----------------------------------------------------------- */

/* Two different keys are refused: a proxy and the server could each use another
 * one. */
static const struct err *session_by_key(struct call *c, struct str agent)
{
    const struct str header = request_header(c->rq, "Authorization");
    struct str key = request_header(c->rq, "X-API-Key"), bearer = STR_NONE;
    if (header.n > 7 && str_is_nocase(str_sub(header, 0, 7), "bearer "))
        bearer = str_trim(str_sub(header, 7, header.n));
    if (key.n > 0 && bearer.n > 0 && !crypt_equal(key, bearer))
        return ERROR(ERR_BAD_REQUEST, "key.two",
                     "X-API-Key and Authorization hold different keys. Send "
                     "one of them.");
    if (key.n == 0)
        key = bearer;
    if (!key.p)
        return ERROR(ERR_UNAUTHENTICATED, "key.missing",
                     "An API key is needed, in the header X-API-Key.");
    if (key.n > KEY_MAX)
        return ERROR(ERR_UNAUTHENTICATED, "key.unknown",
                     "The API key is not valid.");
    const struct principals_key given = {.key = key, .agent = agent};
    TRY(principals_by_key(c->serve->principals, c->pg, c->a, &given,
                          &c->who));
    if (c->who.test && !c->serve->conf->test_keys)
        return ERROR(ERR_UNAUTHENTICATED, "key.test",
                     "This is a test key. This server does not accept test "
                     "keys (test_keys).");
    return NULL;
}

/* A row that names no access gives none away. */
static void session_set_needs(struct call *c)
{
    c->who.needs = c->route->needs ? c->route->needs : ACCESS_ADMIN;
}

const struct err *session_speak(struct call *c, struct str agent)
{
    if (c->who.role != ROLE_AGENT)
        return NULL;
    TRY(session_by_key(c, agent));
    session_set_needs(c);
    return NULL;
}

/* ---- clients of OAuth (RFC 6749 2.3) --------------------------------- */

/* Reads the form into c->params. */
static const struct err *session_read_form(struct call *c)
{
    const struct str type = request_header(c->rq, "Content-Type");
    const struct str media =
        str_trim(str_sub(type, 0, str_find(type, ';', 0)));
    struct pairs form;
    if (c->rq->body.n > c->route->body)
        return ERROR(ERR_TOO_LARGE, oauth_invalid_request,
                     "The body is too large for this address.");
    if (!str_is_nocase(media, "application/x-www-form-urlencoded"))
        return ERROR(ERR_BAD_REQUEST, oauth_invalid_request,
                     "The body has to be a form, application/x-www-form-"
                     "urlencoded.");
    TRY(request_form(c->a, c->rq->body, PARAMS_MAX, &form));
    struct oauth_param *v = arena_many(c->a, form.n + 1, struct oauth_param);
    for (size_t i = 0; i < form.n; i++)
        v[i] = (struct oauth_param){form.v[i].key, form.v[i].value};
    c->params = (struct oauth_params){v, form.n};
    return oauth_check(c->a, &c->params);
}

/* The same answer for a wrong name, a wrong key and a key that has ended. */
static const struct err *session_refused(struct call *c)
{
    if (request_header(c->rq, "Authorization").p)
        response_header(c->rs, "WWW-Authenticate",
                        STR("Basic realm=\"sayso\""));
    return ERROR(ERR_UNAUTHENTICATED, oauth_invalid_client,
                 "The client_id and its key do not authenticate a client.");
}

static const struct err *session_by_client(struct call *c)
{
    struct oauth_client client;
    TRY(session_read_form(c));
    const struct err *e = oauth_client(
        c->a, request_header(c->rq, "Authorization"),
        request_header(c->rq, "X-API-Key").p != NULL, &c->params, &client);
    if (err_is(e, oauth_invalid_client))
        return session_refused(c);
    TRY(e);
    const bool header = client.method == OAUTH_HEADER;
    const struct principals_key given = {
        .key = header ? request_header(c->rq, "X-API-Key") : client.secret,
        .agent =
            client.id.p ? client.id : request_header(c->rq, "X-Agent-ID")};
    if (given.key.n == 0 || given.key.n > KEY_MAX)
        return session_refused(c);
    e = principals_by_key(c->serve->principals, c->pg, c->a, &given, &c->who);
    if (e && (e->kind == ERR_UNAUTHENTICATED || e->kind == ERR_FORBIDDEN))
        return session_refused(c);
    TRY(e);
    if (c->who.test) /* no permit is made for a test */
        return session_refused(c);
    /* principals_by_key looks at the name of an agent alone. */
    if (c->who.role != ROLE_AGENT && client.id.p &&
        !str_eq(client.id, c->who.name))
        return session_refused(c);
    return NULL;
}

/* ---- people --------------------------------------------------------- */

const struct err *session_optional(struct call *c)
{
    bool found = false;
    const struct str cookie = request_cookie(c->rq, session_cookie_name(c));
    c->cookie = STR_NONE;
    if (cookie.n != COOKIE_LENGTH)
        return NULL;
    TRY(sessions_find(c->pg, c->a, cookie, &c->who, &found));
    if (found)
        c->cookie = cookie;
    return NULL;
}

const struct err *session_authenticate(struct call *c)
{
    switch (c->route->proof) {
    case ROUTE_LOG:
        if (c->serve->conf->log_public)
            return NULL;
        TRY(session_by_key(c, request_header(c->rq, "X-Agent-ID")));
        break;
    case ROUTE_KEY:
        TRY(session_by_key(c, request_header(c->rq, "X-Agent-ID")));
        break;
    case ROUTE_COOKIE:
        TRY(session_optional(c));
        if (!c->cookie.p)
            return ERROR(ERR_UNAUTHENTICATED, session_missing,
                         "Sign in to continue.");
        break;
    case ROUTE_CLIENT:
        TRY(session_by_client(c));
        break;
    case ROUTE_OPEN:
    default:
        return NULL;
    }
    session_set_needs(c);
    if ((c->route->who & (unsigned)c->who.role) == 0)
        return ERROR(ERR_FORBIDDEN, "role.forbidden",
                     "Your role does not allow this.");
    return NULL;
}

/* ---- forms ---------------------------------------------------------- */

/* nonce.digest(nonce, secret of the session or visit) */
static struct str session_token(struct call *c, struct str nonce)
{
    const struct str secret =
        arena_join(c->a, STR("form token "), nonce, STR(" "),
                   c->cookie.p ? c->cookie : c->visit);
    return arena_join(c->a, nonce, STR("."), crypt_sha256_b64(c->a, secret));
}

struct str session_csrf(struct call *c)
{
    if (!c->cookie.p && !c->visit.p)
        return STR("");
    return session_token(c, crypt_token(c->a, NONCE));
}

bool session_csrf_ok(struct call *c, struct str token)
{
    const struct str nonce = str_sub(token, 0, str_find(token, '.', 0));
    if ((!c->cookie.p && !c->visit.p) || nonce.n == 0 || nonce.n > 64)
        return false;
    return crypt_equal(token, session_token(c, nonce));
}

/* Compares with the one address in the configuration: a scheme is part of an
 * origin (RFC 6454 4), and another name that leads to this server is another
 * site. */
const struct err *session_same_origin(const struct call *c)
{
    const struct str own = c->serve->conf->public_url;
    const struct str site = request_header(c->rq, "Sec-Fetch-Site");
    const struct str origin = request_header(c->rq, "Origin");
    const struct str host = request_header(c->rq, "Host");
    const size_t at = str_search(own, STR("://"));
    const bool foreign = site.p && !str_is(site, "same-origin") &&
                         !str_is(site, "none");
    if (!foreign && (!origin.p || str_eq(origin, own)) &&
        str_eq(host, str_sub(own, at + 3, own.n)))
        return NULL;
    return err_at(c->a, ERR_FORBIDDEN, "request.origin", STR(""),
                  "The form was sent from another address than %.*s. Open the "
                  "page there and send it again.",
                  STR_FMT(own));
}

void session_visit(struct call *c, bool fresh)
{
    const char *name = c->rq->https ? "__Host-sayso-visit" : "sayso-visit";
    const struct str known = request_cookie(c->rq, name);
    c->visit = known.n == COOKIE_LENGTH ? known : STR_NONE;
    if (c->visit.p || !fresh)
        return;
    c->visit = crypt_token(c->a, SESSION_BYTES);
    response_cookie(c->rs, arena_join(c->a, str_of(name), STR("="), c->visit,
                                      STR("; Path=/; HttpOnly; SameSite=Lax"),
                                      str_of(c->rq->https ? "; Secure" : "")));
}

static void session_put_cookie(struct call *c, const char *name,
                               struct str value, int64_t life)
{
    response_cookie(
        c->rs, arena_join(c->a, str_of(name), STR("="), value,
                          STR("; Path=/; HttpOnly; SameSite=Lax; Max-Age="),
                          arena_number(c->a, life / CLOCK_SECOND),
                          str_of(c->rq->https ? "; Secure" : "")));
}

void session_set_cookie(struct call *c, struct str cookie)
{
    session_put_cookie(c, session_cookie_name(c), cookie,
                       cookie.p ? SESSIONS_LIFE : 0);
}

struct str session_browser(const struct call *c)
{
    const struct str token = request_cookie(c->rq, session_browser_name(c));
    return token.n == COOKIE_LENGTH ? token : STR_NONE;
}

void session_set_browser(struct call *c, struct str token)
{
    session_put_cookie(c, session_browser_name(c), token,
                       SIGN_INS_BROWSER_LIFE);
}

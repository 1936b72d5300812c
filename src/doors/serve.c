/* Runs one request: parse, route, authenticate, handle, answer. Every request
 * gets an answer, and no transaction stays open. */
#include "doors/serve.h"

#include "base/log.h"
#include "base/version.h"
#include "doors/call/hold.h"
#include "doors/call/limit.h"
#include "doors/call/session.h"
#include "doors/pages/login/saved_answer.h"
#include "doors/pages/login/login.h"
#include "doors/pages/shell/page.h"
#include "doors/route.h"
#include "store/replication.h"
#include "store/tables.h"

#define TRIES 4 /* of a call that met a deadlock or a request with the same
                 * key */
#define LARGE_BODY ((size_t)64 << 10) /* a size that the sender can reduce */

static const struct err *check_body(const struct call *c, bool too_large)
{
    if (too_large || c->rq->body.n > c->route->body)
        return ERROR(ERR_TOO_LARGE, "request.too_large",
                     "The body is too large for this address.");
    return NULL;
}

static const struct err *enter(struct call *c, bool too_large)
{
    *c->rs = response_make(c->a);
    c->rs->style = c->route->style;
    TRY(session_authenticate(c));
    TRY(limit_enter(c));
    TRY(route_check_query(c->route, c->rq));
    TRY(check_body(c, too_large));
    return c->route->handle(c);
}

/* A caller taken from the worker's cache is checked again before anything is
 * sent, refusals too. */
static const struct err *look_at_caller(struct call *c, const struct err *e)
{
    const struct err *other =
        pg_ahead_waits(c->pg) ? pg_run(c->pg, c->a, NULL) : NULL;
    return other ? other : e;
}

/* Runs the handler, again where the database asks for a retry. */
static const struct err *run(struct call *c, bool too_large)
{
    for (int i = 0; i < TRIES; i++) {
        const struct err *e = enter(c, too_large);
        e = look_at_caller(c, e);
        pg_rollback(c->pg);
        if (!e || e->kind != ERR_AGAIN)
            return e;
    }
    return ERROR(ERR_BUSY, "database.contended",
                 "Too many requests for the same intent. Try again in a "
                 "moment.");
}

static const struct err *walk(struct call *c, bool too_large)
{
    struct str allow = STR_NONE;
    const struct err *e = route_find(c->a, c->rq->method, c->rq->path,
                                     &c->route, c->param, &allow);
    if (e) {
        if (e->kind == ERR_METHOD)
            response_header(c->rs, "Allow", allow);
        return e;
    }
    c->route_n = (size_t)(c->route - routes);
    return run(c, too_large);
}

/* The address of the request, its query included. */
static struct str wanted(const struct call *c)
{
    const struct pairs q = c->rq->query;
    struct buf b = buf_make(c->a, 4 * REQUEST_TARGET_MAX);
    buf_str(&b, c->rq->path);
    for (size_t i = 0; i < q.n; i++) {
        buf_char(&b, i ? '&' : '?');
        buf_escape(&b, q.v[i].key);
        buf_char(&b, '=');
        buf_escape(&b, q.v[i].value);
    }
    return buf_text(&b);
}

/* Sends a person who is not signed in to the login, with the wanted page as the
 * return address. */
static void to_login(struct call *c)
{
    struct buf b = buf_make(c->a, 16 * REQUEST_TARGET_MAX);
    if (c->rq->method == METHOD_POST && login_saved_answer_page(c))
        return;
    const struct str next = wanted(c);
    buf_put(&b, "/login");
    if (c->rq->method == METHOD_GET && !str_is(next, "/inbox")) {
        buf_put(&b, "?next=");
        buf_escape(&b, login_next(next).n ? next : c->rq->path);
    }
    response_see_other(c->rs, buf_text(&b));
}

/* The style for an address without a row: a page for a browser, JSON for all
 * others. */
static enum response_style style_of(const struct call *c)
{
    if (c->route)
        return c->route->style;
    const struct str accept = request_header(c->rq, "Accept");
    const enum response_style style = route_style(c->rq->path);
    return style == RESPONSE_HTML &&
                   str_search(accept, STR("text/html")) >= accept.n
               ? RESPONSE_PROBLEM
               : style;
}

/* Logs a refused caller: name and network address. */
static void tell_refused(struct call *c, const struct err *e)
{
    log_line(LOG_NOTICE, "refused code=%s by=\"%.*s\" address=%.*s", e->code,
             STR_FMT(call_told(c, c->who.name)), STR_FMT(c->rq->remote));
}

/* A request over its memory budget. The body or the page size can be reduced,
 * or the server should have paged the result. */
static const struct err *over_memory(const struct call *c)
{
    if (c->serve->metrics)
        metrics_memory(c->serve->metrics);
    log_line(LOG_WARN, "request: over its memory");
    struct str type;
    if (c->route && (c->rq->body.n > LARGE_BODY ||
                     route_takes(c->route, STR("limit"), &type)))
        return ERROR(ERR_TOO_LARGE, "request.too_large",
                     "The request needs more memory than one request may use. "
                     "Send or ask for less.");
    return ERROR(ERR_MEMORY, "request.memory",
                 "The request needs more memory than one request may use.");
}

static void refuse(struct call *c, const struct err *e)
{
    const enum response_style style = style_of(c);
    pg_rollback(c->pg);
    if (e->kind == ERR_BUSY && c->serve->metrics) {
        metrics_database_error(c->serve->metrics);
        if (!c->noted)
            replication_note(c->serve->metrics, e);
    }
    if (e->kind == ERR_FORBIDDEN)
        tell_refused(c, e);
    if (e->kind == ERR_MEMORY)
        e = over_memory(c);
    if (e->kind == ERR_RATE && c->serve->metrics)
        metrics_refused(c->serve->metrics, e->code);
    if (e->kind == ERR_INTERNAL)
        log_line(LOG_ERR, "internal code=%s at=%.*s", e->code,
                 STR_FMT(e->at));
    if (hold_refuse(c))
        return;
    if (style == RESPONSE_OAUTH)
        e = oauth_error(c->a, e);
    if (style != RESPONSE_HTML)
        response_error(c->rs, e, style);
    else if (err_is(e, session_missing))
        to_login(c);
    else
        page_error(c, e);
}

static struct str principal_words(struct call *c)
{
    if (c->who.role == ROLE_NONE)
        return STR("");
    return arena_join(c->a, str_of(role_word(c->who.role)), STR(":"),
                      c->who.id);
}

/* "GET /api/v1/intents/{id}" of every route, built once. */
static const char *names[METRICS_ROUTES_MAX];
static char name_text[METRICS_ROUTES_MAX][96];

const char *const *serve_route_names(size_t *n)
{
    for (size_t i = 0; i < route_count; i++) {
        struct str parts[] = {
            str_of(route_method_word(routes[i].method)), STR(" "),
            str_of(routes[i].pattern)};
        size_t at = 0;
        for (size_t k = 0; k < countof(parts); k++) {
            const size_t room = sizeof name_text[i] - 1 - at;
            const size_t take = parts[k].n < room ? parts[k].n : room;
            memcpy(name_text[i] + at, parts[k].p, take);
            at += take;
        }
        name_text[i][at] = '\0';
        names[i] = name_text[i];
    }
    names[route_count] = "unmatched";
    *n = route_count + 1;
    return names;
}

/* The state of one request, whose steps may be left early. */
struct way {
    struct call *c;
    struct request *rq;
    struct pairs params;
    struct str body;
    bool too_large;
    const struct err *e;
};

/* Said once by each worker: the site of another version lacks what this program
 * hands over to it. */
static void tell_site(const struct request *rq)
{
    static bool told;
    if (told || rq->bare || str_is(rq->site, version_site))
        return;
    told = true;
    log_line(LOG_WARN,
             "site the web server's site is number %.*s, this program needs "
             "%s; see `sayso doctor`",
             STR_FMT(rq->site.p ? rq->site : STR("none")), version_site);
}

static void go(void *p)
{
    struct way *w = p;
    struct request *rq = w->rq;
    w->e = request_parse(w->c->a, w->params, w->body, rq);
    log_request(rq->id);
    tell_site(rq);
    if (!w->e) {
        w->e = walk(w->c, w->too_large);
        return;
    }
    const struct str target = pairs_get(w->params, "REQUEST_URI");
    if (rq->path.n == 0) /* only to choose the style of errors */
        rq->path = str_sub(target, 0, str_find(target, '?', 0));
}

static void turn_away(void *p)
{
    const struct way *w = p;
    refuse(w->c, w->e);
}

/* The handler may have committed, where it refused too: a later error must not
 * undo the answer. */
static void leave(void *p)
{
    const struct way *w = p;
    limit_leave(w->c);
}

/* The answer where even the refusal does not fit in the memory. */
static void say_nothing(struct response *rs)
{
    *rs = response_make(rs->arena);
    rs->status = response_status(ERR_MEMORY);
}

/* Every answer says how often the database was restored with a loss. */
static void tell_epoch(struct response *rs)
{
    if (tables_restore().epoch == 0)
        return;
    response_header(rs, "Sayso-Restore-Epoch",
                    arena_number(rs->arena, tables_restore().epoch));
}

struct served serve_one(struct serve *s, struct arena *a, struct pairs params,
                        struct str body, bool too_large, struct response *rs)
{
    struct request rq = {.arena = a};
    struct call c = {.a = a, .serve = s, .pg = s->pg, .rq = &rq, .rs = rs,
                     .route_n = route_count};
    struct way w = {
        .c = &c, .rq = &rq, .params = params, .body = body,
        .too_large = too_large};
    *rs = response_make(a);
    (void)pg_spent(s->pg);
    (void)pg_stored(s->pg);
    if (!arena_try(a, go, &w))
        w.e = ERROR(ERR_MEMORY, "request.memory", "");
    if (w.e && !arena_try(a, turn_away, &w))
        say_nothing(rs);
    if (!arena_try(a, leave, &w))
        log_line(LOG_WARN, "request: its stored bytes are not counted");
    response_header(rs, "X-Request-Id", rq.id);
    tell_epoch(rs);
    return (struct served){.request_id = rq.id,
                           .route = c.route_n,
                           .name = names[c.route_n] ? names[c.route_n]
                                                    : "unmatched",
                           .status = rs->status,
                           .principal = principal_words(&c),
                           .database_us = pg_spent(s->pg)};
}

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
#include "world/pg/pg_error.h"

#define LARGE_BODY ((size_t)64 << 10) /* a size that the sender can reduce */

static const struct err *serve_try(struct call *c, void *own)
{
    const bool *too_large = own;
    *c->rs = response_make(c->a);
    c->rs->style = c->route->style;
    TRY(session_authenticate(c));
    TRY(limit_enter(c));
    TRY(route_check_query(c->route, c->rq));
    if (*too_large || c->rq->body.n > c->route->body)
        return c->route->body == 0
                   ? ERROR(ERR_TOO_LARGE, "request.too_large",
                           "This address takes no body.")
                   : ERROR(ERR_TOO_LARGE, "request.too_large",
                           "The body is too large for this address.");
    return c->route->handle(c);
}

/* Sends a person who is not signed in to the login, with the wanted page, its
 * query included, as the return address. */
static void serve_to_login(struct call *c)
{
    const struct pairs q = c->rq->query;
    struct buf next = buf_make(c->a, 4 * REQUEST_TARGET_MAX);
    struct buf b = buf_make(c->a, 16 * REQUEST_TARGET_MAX);
    if (c->rq->method == METHOD_POST && login_saved_answer_page(c))
        return;
    buf_str(&next, c->rq->path);
    for (size_t i = 0; i < q.n; i++) {
        buf_char(&next, i ? '&' : '?');
        buf_escape(&next, q.v[i].key);
        buf_char(&next, '=');
        buf_escape(&next, q.v[i].value);
    }
    const struct str wanted = buf_text(&next);
    buf_put(&b, "/login");
    if (c->rq->method == METHOD_GET && !str_is(wanted, "/inbox")) {
        buf_put(&b, "?next=");
        buf_escape(&b, login_next(wanted).n ? wanted : c->rq->path);
    }
    response_see_other(c->rs, buf_text(&b));
}

/* The style for an address without a row: a page for a browser, JSON for all
 * others. */
static enum response_style serve_style(const struct call *c)
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

/* A request over its memory budget. The body or the page size can be reduced,
 * or the server should have paged the result. */
static const struct err *serve_over_memory(const struct call *c)
{
    if (c->serve->metrics)
        metrics_count(c->serve->metrics, METRICS_MEMORY, 1);
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

/* The state of one request, whose steps may be left early. */
struct serve_state {
    struct call *c;
    struct request *rq;
    struct pairs params;
    struct str body;
    bool too_large;
    const struct err *e;
};

/* Answers with the error. */
static void serve_refuse(void *p)
{
    const struct serve_state *w = p;
    struct call *c = w->c;
    const struct err *e = w->e;
    const enum response_style style = serve_style(c);
    pg_rollback(c->pg);
    if (pg_error_busy(e) && c->serve->metrics) {
        metrics_count(c->serve->metrics, METRICS_DATABASE_ERRORS, 1);
        if (!c->noted)
            replication_note(c->serve->metrics, e);
    }
    if (e->kind == ERR_FORBIDDEN)
        log_line(LOG_NOTICE, "refused code=%s by=\"%.*s\" address=%.*s",
                 e->code, STR_FMT(call_quoted(c, c->who.name)),
                 STR_FMT(c->rq->remote));
    if (e->kind == ERR_MEMORY)
        e = serve_over_memory(c);
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
        serve_to_login(c);
    else
        page_error(c, e);
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

/* Said once by each worker: the site of another version lacks what this program
 * hands over to it. */
static void serve_log_site(const struct request *rq)
{
    static bool logged;
    if (logged || rq->bare || str_is(rq->site, version_site))
        return;
    logged = true;
    log_line(LOG_WARN,
             "site the web server's site is number %.*s, this program needs "
             "%s; see `sayso doctor`",
             STR_FMT(rq->site.p ? rq->site : STR("none")), version_site);
}

static void serve_handle(void *p)
{
    struct serve_state *w = p;
    struct call *c = w->c;
    struct request *rq = w->rq;
    const struct str target = pairs_get(w->params, "REQUEST_URI");
    struct str allow = STR_NONE;
    w->e = request_parse(c->a, w->params, w->body, rq);
    log_request(rq->id);
    log_trace(request_trace(rq));
    serve_log_site(rq);
    if (w->e) {
        if (rq->path.n == 0) /* only to choose the style of errors */
            rq->path = str_sub(target, 0, str_find(target, '?', 0));
        return;
    }
    w->e = route_find(c->a, rq->method, rq->path, &c->route, c->param, &allow);
    if (w->e && w->e->kind == ERR_METHOD)
        response_header(c->rs, "Allow", allow);
    if (w->e)
        return;
    c->route_n = (size_t)(c->route - routes);
    w->e = call_run(c, serve_try, &w->too_large);
}

/* The handler may have committed, where it refused too: a later error must not
 * undo the answer. */
static void serve_end(void *p)
{
    const struct serve_state *w = p;
    limit_leave(w->c);
}

struct served serve_one(struct serve *s, struct arena *a, struct pairs params,
                        struct str body, bool too_large, struct response *rs)
{
    struct request rq = {.arena = a};
    struct call c = {.a = a, .serve = s, .pg = s->pg, .rq = &rq, .rs = rs,
                     .route_n = route_count};
    struct serve_state w = {.c = &c,
                            .rq = &rq,
                            .params = params,
                            .body = body,
                            .too_large = too_large};
    *rs = response_make(a);
    (void)pg_spent(s->pg);
    (void)pg_stored(s->pg);
    if (!arena_try(a, serve_handle, &w))
        w.e = ERROR(ERR_MEMORY, "request.memory", "");
    if (w.e && !arena_try(a, serve_refuse, &w)) {
        /* Even the refusal does not fit in the memory. */
        *rs = response_make(a);
        rs->status = response_status(ERR_MEMORY);
    }
    if (!arena_try(a, serve_end, &w))
        log_line(LOG_WARN, "request: its stored bytes are not counted");
    response_header(rs, "X-Request-Id", rq.id);
    /* Every answer says which restore was the last that lost something. */
    if (tables_restore().epoch > 0)
        response_header(rs, "Sayso-Restore-Epoch",
                        arena_number(a, tables_restore().epoch));
    const struct str principal =
        c.who.role == ROLE_NONE
            ? STR("")
            : arena_join(a, str_of(role_word(c.who.role)), STR(":"), c.who.id);
    return (struct served){.request_id = rq.id,
                           .route = c.route_n,
                           .name = names[c.route_n] ? names[c.route_n]
                                                    : "unmatched",
                           .status = rs->status,
                           .principal = principal,
                           .database_us = pg_spent(s->pg)};
}

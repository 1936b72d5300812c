/* One HTTP answer: status, headers, body, and the JSON form of errors.
 *
 * Filled by the handlers and sent by fcgi.c. Never uses a socket and never
 * decides an outcome. */
#include "world/web/response.h"

#include "base/log.h"

#define HEAD_MAX ((size_t)64 << 10)

static const char set_cookie[] = "Set-Cookie";

static const int statuses[] = {
    [ERR_BAD_REQUEST] = 400, [ERR_UNAUTHENTICATED] = 401,
    [ERR_FORBIDDEN] = 403,   [ERR_NOT_FOUND] = 404,
    [ERR_METHOD] = 405,      [ERR_CONFLICT] = 409,
    [ERR_LEASE] = 409,       [ERR_PRECONDITION] = 428,
    [ERR_TOO_LARGE] = 413,   [ERR_MEDIA_TYPE] = 415,
    [ERR_INVALID] = 422,     [ERR_RATE] = 429,
    [ERR_INTERNAL] = 500,    [ERR_UNSUPPORTED] = 501,
    [ERR_BUSY] = 503,        [ERR_MEMORY] = 503,
    [ERR_AGAIN] = 503,
};
_Static_assert(countof(statuses) == ERR__MAX, "a status for each kind");

int response_status(enum err_kind kind)
{
    return statuses[kind];
}

static const char *response_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {200, "OK"},
        {201, "Created"}, {202, "Accepted"},
        {204, "No Content"},
        {303, "See Other"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {422, "Unprocessable Content"},
        {428, "Precondition Required"},
        {429, "Too Many Requests"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
    };
    for (size_t i = 0; i < countof(reasons); i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Unknown";
}

struct response response_make(struct arena *a)
{
    return (struct response){.arena = a,
                             .style = RESPONSE_PROBLEM,
                             .body = buf_make(a, RESPONSE_BODY_MAX)};
}

/* The index of a header, or rs->headers. */
static size_t response_find(const struct response *rs, const char *name)
{
    size_t i = 0;
    while (i < rs->headers && !str_is_nocase(str_of(name), rs->header[i].name))
        i++;
    return i;
}

/* Without control characters. */
static struct str response_plain(struct arena *a, struct str s)
{
    size_t n = 0;
    char *p = arena_alloc(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= ' ' && s.p[i] != 0x7f)
            p[n++] = s.p[i];
    return (struct str){p, n};
}

/* Puts it in place i; rs->headers is behind the others. */
static void response_set(struct response *rs, size_t i, const char *name,
                          struct str value)
{
    if (i == RESPONSE_HEADERS_MAX) {
        log_line(LOG_ERR, "response: no room for header %s", name);
        return;
    }
    rs->header[i].name = name;
    rs->header[i].value = response_plain(rs->arena, value);
    if (i == rs->headers)
        rs->headers++;
}

void response_header(struct response *rs, const char *name, struct str value)
{
    response_set(rs, response_find(rs, name), name, value);
}

void response_cookie(struct response *rs, struct str value)
{
    response_set(rs, rs->headers, set_cookie, value);
}

static void response_clear(struct response *rs)
{
    rs->body.n = 0;
    rs->body.over = false;
}

/* The body has outgrown its ceiling: the handler should have paged it. */
static void response_too_large(struct response *rs)
{
    log_line(LOG_ERR, "response: the body is over %zu bytes",
             RESPONSE_BODY_MAX);
    response_error(rs,
                   ERROR(ERR_INTERNAL, "response.too_large",
                         "The response is too large. Ask for less."),
                   rs->style);
}

void response_json(struct response *rs, int status, const struct json *v)
{
    rs->status = status;
    response_header(rs, "Content-Type", STR("application/json"));
    response_clear(rs);
    json_write(&rs->body, v);
    if (rs->body.over)
        response_too_large(rs);
}

void response_events(struct response *rs, const struct json *list)
{
    rs->status = 200;
    response_header(rs, "Content-Type", STR("text/event-stream"));
    response_clear(rs);
    for (size_t i = 0; i < json_count(list); i++) {
        buf_put(&rs->body, "event: message\ndata: ");
        json_write(&rs->body, json_at(list, i));
        buf_put(&rs->body, "\n\n");
    }
    if (rs->body.over)
        response_too_large(rs);
}

void response_json_text(struct response *rs, int status, struct str text)
{
    rs->status = status;
    response_header(rs, "Content-Type", STR("application/json"));
    response_clear(rs);
    buf_str(&rs->body, text);
    if (rs->body.over)
        response_too_large(rs);
}

void response_json_buf(struct response *rs, int status, const struct buf *b)
{
    rs->status = status;
    response_header(rs, "Content-Type", STR("application/json"));
    rs->body = *b;
    if (rs->body.over)
        response_too_large(rs);
}

void response_see_other(struct response *rs, struct str path)
{
    /* "//host" and "/\host" lead to another server in a browser, which also
     * skips control characters between them. */
    path = response_plain(rs->arena, path);
    bool ours = path.n > 0 && path.p[0] == '/' &&
                (path.n == 1 || (path.p[1] != '/' && path.p[1] != '\\'));
    rs->status = 303;
    response_clear(rs);
    response_header(rs, "Location", ours ? path : STR("/"));
}

/* Adds the members of more that obj does not have yet. */
static void response_add(struct json *obj, const struct json *more)
{
    for (struct json_iter i = json_iter(more); json_next(&i);)
        if (!json_get_str(obj, i.key))
            json_set_key(obj, i.key, i.value);
}

static struct json *response_detail(struct arena *a, const struct err *e)
{
    struct json *body = json_object(a);
    if (e->more) {
        struct json *detail = json_object(a);
        if (!json_has(e->more, "error")) {
            /* "suspension.invalid_choice" -> "invalid_choice" */
            const char *dot = strrchr(e->code, '.');
            json_set_text(detail, "error", str_of(dot ? dot + 1 : e->code));
        }
        json_set_text(detail, "message", e->say);
        response_add(detail, e->more);
        json_set_json(body, "detail", detail);
    } else {
        json_set_text(body, "detail", e->say);
    }
    json_set_text(body, "message", e->say);
    json_set_text(body, "code", str_of(e->code));
    return body;
}

static struct json *response_error_body(struct arena *a, const struct err *e,
                                        enum response_style style)
{
    const int status = response_status(e->kind);
    struct json *body = json_object(a), *error = json_object(a);
    switch (style) {
    case RESPONSE_DETAIL:
        return response_detail(a, e);
    case RESPONSE_OAUTH:
        json_set_text(body, "error", str_of(e->code));
        json_set_text(body, "error_description", e->say);
        return body;
    case RESPONSE_AAP:
        json_set_text(error, "type", status >= 500 ? STR("server_error")
                                                   : STR("request_error"));
        json_set_text(error, "code", str_of(e->code));
        json_set_text(error, "message", e->say);
        json_set_json(body, "error", error);
        return body;
    case RESPONSE_PROBLEM:
    case RESPONSE_HTML:
    default:
        json_set_text(body, "type", STR("about:blank"));
        json_set_text(body, "title", str_of(response_reason(status)));
        json_set_int(body, "status", status);
        json_set_text(body, "code", str_of(e->code));
        json_set_text(body, "detail", e->say);
        return body;
    }
}

/* Writes text, in which "lease" in any case gets its first letter as a JSON
 * escape. Letters stand only inside of strings there, and an 'l' is never
 * part of an escape itself, so the content stays the same. */
static void response_no_lease(struct buf *b, struct str text)
{
    for (;;) {
        size_t at = str_search_nocase(text, STR("lease"));
        buf_str(b, str_sub(text, 0, at));
        if (at == text.n)
            return;
        buf_put(b, text.p[at] == 'l' ? "\\u006c" : "\\u004c");
        text = str_sub(text, at + 1, text.n);
    }
}

static void response_error_headers(struct response *rs, const struct err *e,
                                   enum response_style style)
{
    static const char *const spoken[] = {
        "Location",      "ETag",          "Last-Modified",
        set_cookie,      "Cache-Control", "Content-Disposition",
        "X-Accel-Redirect",
    };
    for (size_t i = 0; i < countof(spoken); i++) {
        size_t k;
        while ((k = response_find(rs, spoken[i])) < rs->headers) {
            rs->headers--;
            for (; k < rs->headers; k++)
                rs->header[k] = rs->header[k + 1];
        }
    }
    response_header(rs, "Content-Type",
                    style == RESPONSE_PROBLEM || style == RESPONSE_HTML
                        ? STR("application/problem+json")
                        : STR("application/json"));
    if (rs->status == 401 &&
        response_find(rs, "WWW-Authenticate") == rs->headers)
        response_header(rs, "WWW-Authenticate", STR("Bearer realm=\"Sayso\""));
    if (rs->status == 429 || rs->status == 503)
        response_header(rs, "Retry-After",
                        arena_number(rs->arena, e->retry            ? e->retry
                                                : rs->status == 429 ? 60
                                                                    : 2));
}

void response_error(struct response *rs, const struct err *e,
                    enum response_style style)
{
    struct arena *a = rs->arena;
    struct json *body = response_error_body(a, e, style);
    if (e->at.n > 0)
        json_set_text(body, "at", e->at);
    response_add(body, e->more);
    rs->status = response_status(e->kind);
    response_error_headers(rs, e, style);
    response_clear(rs);
    /* Half, because writing without "lease" may double it. */
    struct str text = json_dump(a, body, RESPONSE_BODY_MAX / 2);
    if (!text.p)
        text = STR("{\"detail\":\"The error's details are too large.\"}");
    if (rs->status == 409 && e->kind != ERR_LEASE)
        response_no_lease(&rs->body, text);
    else
        buf_str(&rs->body, text);
}

void response_hand_over(struct response *rs, struct str target)
{
    rs->headers = 0;
    response_clear(rs);
    rs->status = 200;
    response_header(rs, "X-Accel-Redirect", target);
}

static void response_put(struct buf *b, const char *name, struct str value)
{
    buf_put(b, name);
    buf_put(b, ": ");
    buf_str(b, value);
    buf_put(b, "\r\n");
}

static void response_put_default(struct buf *b, const struct response *rs,
                                 const char *name, const char *value)
{
    if (response_find(rs, name) == rs->headers)
        response_put(b, name, str_of(value));
}

struct str response_head(const struct response *rs)
{
    int status = rs->status ? rs->status : 500;
    bool bare = status == 204 || status == 304;
    bool over = response_find(rs, "X-Accel-Redirect") < rs->headers;
    struct buf b = buf_make(rs->arena, HEAD_MAX);
    buf_put(&b, "Status: ");
    buf_int(&b, status);
    buf_char(&b, ' ');
    buf_put(&b, response_reason(status));
    buf_put(&b, "\r\n");
    for (size_t i = 0; i < rs->headers; i++)
        response_put(&b, rs->header[i].name, rs->header[i].value);
    if (!bare && !over) {
        response_put_default(&b, rs, "Content-Type",
                             "text/plain; charset=utf-8");
        buf_put(&b, "Content-Length: ");
        buf_int(&b, (int64_t)rs->body.n);
        buf_put(&b, "\r\n");
    }
    if (!over) {
        response_put_default(&b, rs, "X-Content-Type-Options", "nosniff");
        response_put_default(&b, rs, "Cache-Control", "no-store");
    }
    buf_put(&b, "\r\n");
    if (b.over) {
        log_line(LOG_ERR, "response: the headers are over %zu bytes", HEAD_MAX);
        return STR("Status: 500 Internal Server Error\r\n\r\n");
    }
    return buf_text(&b);
}

/* One HTTP request from its CGI parameters.
 *
 * Called once for each request, by doors/serve.c. Pure: reads no clock, no
 * socket and no environment. All input is untrusted, so every deviation from
 * the grammar is an error; nothing is repaired. */
#include "world/web/request.h"

#include "base/buf.h"
#include "base/id.h"

#define REMOTE_MAX 64 /* characters of an address */

static const char *const methods[] = {
    [METHOD_GET] = "GET",   [METHOD_HEAD] = "HEAD",
    [METHOD_POST] = "POST", [METHOD_PATCH] = "PATCH",
    [METHOD_PUT] = "PUT",   [METHOD_DELETE] = "DELETE",
};
_Static_assert(countof(methods) == METHOD__MAX, "a name for each method");

static const struct err *request_path(struct arena *a, struct str raw,
                                      struct str *out)
{
    *out = raw;
    if (str_find(raw, '%', 0) == raw.n)
        return NULL;
    if (str_search_nocase(raw, STR("%2f")) < raw.n)
        return ERROR(ERR_NOT_FOUND, "request.path",
                     "This address does not exist. A path may not have an "
                     "encoded slash.");
    if (request_unescape(a, raw, false, out))
        return ERROR(ERR_BAD_REQUEST, "request.path",
                     "The path has to be percent-encoded UTF-8.");
    return NULL;
}

static const struct err *request_queries(struct arena *a, struct str raw,
                                         struct pairs *out)
{
    const struct err *e = request_form(a, raw, REQUEST_QUERY_MAX, out);
    if (e)
        return err_at(a, ERR_BAD_REQUEST, "request.query", e->at, "%.*s",
                      STR_FMT(e->kind == ERR_TOO_LARGE
                                  ? STR("The query has too many keys.")
                                  : e->say));
    for (size_t i = 1; i < out->n; i++)
        for (size_t k = 0; k < i; k++)
            if (str_eq(out->v[i].key, out->v[k].key))
                return err_at(a, ERR_BAD_REQUEST, "request.repeated_key",
                              out->v[i].key,
                              "A query key may be given only once.");
    return NULL;
}

/* nginx passes the target of the request line as it was sent in REQUEST_URI. A
 * front end without it gives the path decoded and the query apart. */
static const struct err *request_target(struct arena *a, struct pairs params,
                                        struct request *r)
{
    struct str target = pairs_get(params, "REQUEST_URI");
    struct str query = pairs_get(params, "QUERY_STRING");
    struct str path = pairs_get(params, "DOCUMENT_URI");
    if (target.p) {
        size_t mark = str_find(target, '?', 0);
        path = str_sub(target, 0, mark);
        query = str_sub(target, mark + 1, target.n);
    }
    if (path.n + query.n > REQUEST_TARGET_MAX)
        return ERROR(ERR_TOO_LARGE, "request.target",
                     "The address is too long.");
    if (target.p)
        TRY(request_path(a, path, &path));
    if (path.n == 0 || path.p[0] != '/' || !str_utf8(path))
        return ERROR(ERR_BAD_REQUEST, "request.path",
                     "The path has to be UTF-8 and start with a slash.");
    /* Segments between slashes; path is decoded and starts with '/'. A segment
     * that is empty or made of dots could be read as another path by another
     * program, so it is refused. Only the last one may be empty. */
    struct str rest = str_sub(path, 1, path.n);
    while (rest.p) {
        struct str segment = str_cut(&rest, '/');
        bool empty = segment.n == 0 && rest.p;
        if (empty || str_is(segment, ".") || str_is(segment, ".."))
            return ERROR(ERR_BAD_REQUEST, "request.path",
                         "The path may not have empty segments or segments of "
                         "dots.");
    }
    r->path = path;
    return request_queries(a, query, &r->query);
}

static const struct err *request_headers(struct arena *a, struct pairs params,
                                         struct request *r)
{
    struct pair *v = arena_many(a, params.n, struct pair);
    size_t n = 0;
    for (size_t i = 0; i < params.n; i++) {
        const struct pair *p = &params.v[i];
        if (!str_starts(p->key, STR("HTTP_")))
            continue;
        if (!str_utf8(p->value))
            return err_at(a, ERR_BAD_REQUEST, "request.header",
                          str_utf8(p->key) ? p->key : STR_NONE,
                          "Every header has to be UTF-8.");
        size_t k = 0;
        while (k < n && !str_eq(v[k].key, p->key))
            k++;
        if (k < n) {
            /* Joins a header that was sent more than once into one value (RFC
             * 9110 5.3 and RFC 9113 8.2.3), so that no value is overlooked. */
            const struct pair *old = &v[k];
            const char *comma = str_is(old->key, "HTTP_COOKIE") ? "; " : ", ";
            v[k].value = arena_join(a, old->value, str_of(comma), p->value);
        } else {
            v[n++] = *p;
        }
    }
    r->header = (struct pairs){v, n};
    return NULL;
}

const struct err *request_parse(struct arena *a, struct pairs params,
                                struct str body, struct request *r)
{
    /* METHOD__MAX when it is not supported. */
    enum method method = 0;
    while (method < METHOD__MAX &&
           !str_is(pairs_get(params, "REQUEST_METHOD"), methods[method]))
        method++;
    const struct str waited = pairs_get(params, "WAITED");
    /* An id that only the server's log and its answers carry. */
    const struct str id = pairs_get(params, "REQUEST_ID");
    const bool bare = !id.p;
    *r = (struct request){
        .arena = a,
        .id = id_token(id) ? id : id_new(a),
        .method = method == METHOD__MAX ? METHOD_GET : method,
        .content_type = str_trim(pairs_get(params, "CONTENT_TYPE")),
        .body = body,
        .https = str_is_nocase(pairs_get(params, "HTTPS"), "on"),
        .waited = waited.n > 0 || bare,
        .unheld = str_is(waited, "unheld") || bare,
        .bare = bare,
        .site = pairs_get(params, "SITE_VERSION"),
        .over = str_is(waited, "over"),
        .streamed = str_is(waited, "streamed"),
        .remote = str_sub(pairs_get(params, "REMOTE_ADDR"), 0, REMOTE_MAX),
    };
    if (!str_utf8(r->remote))
        r->remote = STR_NONE;
    size_t size = 0;
    for (size_t i = 0; i < params.n; i++)
        size += params.v[i].key.n + params.v[i].value.n;
    if (params.n > REQUEST_PARAMS_MAX || size > REQUEST_PARAMS_BYTES)
        return ERROR(ERR_TOO_LARGE, "request.params",
                     "The request's headers are too many or too long.");
    if (!str_utf8(r->content_type))
        return ERROR(ERR_BAD_REQUEST, "request.header",
                     "Every header has to be UTF-8.");
    TRY(request_headers(a, params, r));
    TRY(request_target(a, params, r));
    if (method == METHOD__MAX)
        return ERROR(ERR_METHOD, "request.method",
                     "This method is not supported.");
    return NULL;
}

/* Is key ("HTTP_IF_MATCH") the CGI spelling of name ("If-Match")? */
static bool request_is_header(struct str key, const char *name)
{
    struct str s = str_sub(key, sizeof("HTTP_") - 1, key.n);
    size_t i = 0;
    for (; i < s.n && name[i]; i++) {
        char c = name[i];
        if (c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        if ((c == '-' ? '_' : c) != s.p[i])
            return false;
    }
    return i == s.n && !name[i];
}

struct str request_header(const struct request *r, const char *name)
{
    for (size_t i = 0; i < r->header.n; i++)
        if (request_is_header(r->header.v[i].key, name))
            return str_trim(r->header.v[i].value);
    return STR_NONE;
}

struct str request_query(const struct request *r, const char *key)
{
    return pairs_get(r->query, key);
}

/* RFC 6265 4.1.1, without the quotes that the server never sends. */
static bool request_cookie_octets(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c <= ' ' || c >= 0x7f || c == '"' || c == ',' || c == ';' ||
            c == '\\')
            return false;
    }
    return true;
}

struct str request_cookie(const struct request *r, const char *name)
{
    struct str rest = request_header(r, "Cookie");
    struct str found = STR_NONE;
    while (rest.p) {
        struct str part = str_trim(str_cut(&rest, ';'));
        size_t equals = str_find(part, '=', 0);
        if (equals == part.n || !str_is(str_sub(part, 0, equals), name))
            continue;
        if (found.p)
            return STR_NONE;
        found = str_sub(part, equals + 1, part.n);
        if (!request_cookie_octets(found))
            return STR_NONE;
    }
    return found;
}

/* Are all of them digits of W3C Trace Context, and not all zero? */
static bool request_trace_part(struct str s)
{
    bool some = false;
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.p[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
        some = some || c != '0';
    }
    return some;
}

/* version "-" trace-id "-" parent-id "-" flags; a later version may have more
 * after a "-". */
struct str request_traceparent(const struct request *r)
{
    const struct str s = request_header(r, "traceparent");
    const struct str version = str_sub(s, 0, 2);
    const struct str flags = str_sub(s, 53, REQUEST_TRACEPARENT);
    if (s.n < REQUEST_TRACEPARENT || s.p[2] != '-' || s.p[35] != '-' ||
        s.p[52] != '-')
        return STR_NONE;
    const bool more = s.n > REQUEST_TRACEPARENT;
    if (str_is(version, "ff") || (more && (str_is(version, "00") ||
                                           s.p[REQUEST_TRACEPARENT] != '-')))
        return STR_NONE;
    const bool fine =
        (str_is(version, "00") || request_trace_part(version)) &&
        request_trace_part(str_sub(s, 3, 35)) &&
        request_trace_part(str_sub(s, 36, 52)) &&
        (str_is(flags, "00") || request_trace_part(flags));
    return fine ? str_head(s, REQUEST_TRACEPARENT) : STR_NONE;
}

struct str request_trace(const struct request *r)
{
    const struct str s = request_traceparent(r);
    return s.p ? str_sub(s, 3, 35) : STR_NONE;
}

/* Finding a route: its row by method and path, and its query keys. */
#include "base/clock.h"
#include "base/id.h"
#include "doors/route.h"

/* ---- finding -------------------------------------------------------- */

/* Reads pattern and path once: every request passes most rows. A parameter is
 * a whole part between slashes and is not empty. */
static bool route_matches(const char *pattern, struct str path,
                          struct str param[static CALL_PARAMS_MAX])
{
    size_t at = 0, n = 0;
    for (const char *p = pattern;; p++, at++) {
        if (*p == '{') {
            const size_t end = str_find(path, '/', at);
            if (end == at || n == CALL_PARAMS_MAX)
                return false;
            param[n++] = str_sub(path, at, end);
            at = end;
            p = strchr(p, '}') + 1;
        }
        if (at == path.n || *p == '\0' || *p != path.p[at])
            return at == path.n && *p == '\0';
    }
}

const char *route_method_word(enum method m)
{
    static const char *const words[METHOD__MAX] = {
        [METHOD_GET] = "GET",     [METHOD_HEAD] = "HEAD",
        [METHOD_POST] = "POST",   [METHOD_PATCH] = "PATCH",
        [METHOD_PUT] = "PUT",     [METHOD_DELETE] = "DELETE"};
    return m < METHOD__MAX ? words[m] : "?";
}

const struct err *route_find(struct arena *a, enum method method,
                             struct str path, const struct route **out,
                             struct str param[static CALL_PARAMS_MAX],
                             struct str *allow)
{
    struct buf b = buf_make(a, 64);
    if (method == METHOD_HEAD)
        method = METHOD_GET;
    /* Other servers of MCP have the slash, and people copy their settings. */
    if (str_is(path, "/mcp/"))
        path = STR("/mcp");
    for (size_t i = 0; i < route_count; i++) {
        if (!route_matches(routes[i].pattern, path, param))
            continue;
        if (routes[i].method == method) {
            *out = &routes[i];
            return NULL;
        }
        buf_put(&b, b.n > 0 ? ", " : "");
        buf_put(&b, route_method_word(routes[i].method));
    }
    *allow = buf_text(&b);
    if (b.n > 0)
        return ERROR(ERR_METHOD, "route.method",
                     "This address does not support the method.");
    if (path.n > 1 && path.p[path.n - 1] == '/')
        return ERROR(ERR_NOT_FOUND, "route.unknown",
                     "This address does not exist. No address here ends with "
                     "a slash.");
    return ERROR(ERR_NOT_FOUND, "route.unknown", "This address does not "
                                                 "exist.");
}

/* ---- query keys ----------------------------------------------------- */

bool route_takes(const struct route *r, struct str key, struct str *type)
{
    struct str rest = r->query ? str_of(r->query) : STR_NONE;
    while (rest.p) {
        *type = str_cut(&rest, ' ');
        if (key.n > 0 && str_eq(str_cut(type, ':'), key))
            return true;
    }
    return false;
}

static const struct err *route_bad_value(const struct request *rq,
                                         struct str key, struct str wanted)
{
    return err_at(rq->arena, ERR_BAD_REQUEST, "request.query", key,
                  "\"%.*s\" has to be %.*s.", STR_FMT(key),
                  STR_FMT(wanted));
}

/* type: "uuid", "time", or a range: "1-100", or "0-" without an upper bound.
 */
static const struct err *route_check_value(const struct request *rq,
                                           const struct pair *p,
                                           struct str type)
{
    struct buf b = buf_make(rq->arena, 128);
    int64_t min = 0, max = INT64_MAX, n;
    if (!type.p)
        return NULL;
    if (str_is(type, "uuid"))
        return id_uuid(p->value) ? NULL
                                 : route_bad_value(rq, p->key, STR("a UUID"));
    if (str_is(type, "time"))
        return clock_parse(p->value, &n)
                   ? NULL
                   : route_bad_value(
                         rq, p->key,
                         STR("a time like 2026-11-20T09:26:13.510233"));
    str_int(str_cut(&type, '-'), 0, INT64_MAX, &min);
    str_int(type, 0, INT64_MAX, &max);
    if (str_int(p->value, min, max, &n))
        return NULL;
    buf_printf(&b, "a whole number from %lld to %lld", (long long)min,
               (long long)max);
    return route_bad_value(rq, p->key, buf_text(&b));
}

const struct err *route_check_query(const struct route *r,
                                    const struct request *rq)
{
    struct str type;
    for (size_t i = 0; r->query && i < rq->query.n; i++) {
        const struct str key = rq->query.v[i].key;
        if (!route_takes(r, key, &type))
            return err_at(rq->arena, ERR_BAD_REQUEST, "request.unknown_key",
                          str_head(key, 64),
                          "This address does not support the query key.");
    }
    for (size_t i = 0; i < rq->query.n; i++) {
        if (route_takes(r, rq->query.v[i].key, &type))
            TRY(route_check_value(rq, &rq->query.v[i], type));
    }
    return NULL;
}

/* "/api/v1/suspensions" of an address of the API. */
static struct str route_collection(struct str path)
{
    size_t at = 0;
    for (int i = 0; i < 3 && at < path.n; i++)
        at = str_find(path, '/', at + 1);
    return str_sub(path, 0, at);
}

/* As the rows of the same collection have it. */
enum response_style route_style(struct str path)
{
    const struct str wanted = route_collection(path);
    for (size_t i = 0; i < route_count; i++) {
        const struct str pattern = str_of(routes[i].pattern);
        if (str_starts(pattern, STR("/api/v1/")) &&
            str_eq(route_collection(pattern), wanted))
            return routes[i].style;
    }
    if (str_starts(path, STR("/oauth/")))
        return RESPONSE_OAUTH;
    if (str_starts(path, STR("/v1/")))
        return RESPONSE_AAP;
    if (str_starts(path, STR("/api/")) || str_starts(path, STR("/.well-")))
        return RESPONSE_DETAIL;
    return RESPONSE_HTML;
}

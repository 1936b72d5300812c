/* The request: what is read, and every way to be refused. */
#include "suite.h"

#include <criterion/new/assert.h>

#include "base/buf.h"
#include "base/id.h"
#include "world/web/request.h"

static struct pair list[REQUEST_PARAMS_MAX + 8];
static struct pairs params;
static struct request r;

static void param(const char *key, const char *value)
{
    list[params.n++] = (struct pair){str_of(key), str_of(value)};
}

SUITE_WITH(request, params = ((struct pairs){list, 0}));

static const char *code(const struct err *e)
{
    return e ? e->code : "fine";
}

/* Parses what param() has given; the code of the error. */
static const char *parse(void)
{
    return code(request_parse(a, params, STR("body"), &r));
}

/* Parses a GET of the target. */
static const struct err *get(const char *target)
{
    params.n = 0;
    param("REQUEST_METHOD", "GET");
    param("REQUEST_URI", target);
    return request_parse(a, params, STR_NONE, &r);
}

static const char *z(struct str s)
{
    return s.p ? arena_z(a, s) : "(absent)";
}

Test(request, reads_all_parts)
{
    param("REQUEST_METHOD", "POST");
    param("REQUEST_URI", "/api/v1/intents/a%20b?limit=5&after=x%2By+z");
    param("CONTENT_TYPE", " application/json ");
    param("HTTPS", "on");
    param("REMOTE_ADDR", "192.0.2.7");
    param("REQUEST_ID", "0123456789abcdef0123456789abcdef");
    param("HTTP_X_API_KEY", "k");
    cr_assert(eq(str, (char *)parse(), "fine"));
    cr_expect(eq(int, (int)r.method, METHOD_POST));
    cr_expect(eq(str, (char *)z(r.path), "/api/v1/intents/a b"));
    cr_expect(eq(sz, r.query.n, 2));
    cr_expect(eq(str, (char *)z(request_query(&r, "limit")), "5"));
    cr_expect(eq(str, (char *)z(request_query(&r, "after")), "x+y z"));
    cr_expect(request_query(&r, "none").p == NULL);
    cr_expect(eq(str, (char *)z(r.content_type), "application/json"));
    cr_expect(eq(str, (char *)z(r.body), "body"));
    cr_expect(eq(str, (char *)z(r.remote), "192.0.2.7"));
    cr_expect(eq(str, (char *)z(r.id), "0123456789abcdef0123456789abcdef"));
    cr_expect(r.https);
}

Test(request, makes_an_id_where_none_will_do)
{
    static const char *const ids[] = {"", "a b", "../x", "\xff"};
    for (size_t i = 0; i < countof(ids); i++) {
        get("/");
        param("REQUEST_ID", ids[i]);
        parse();
        cr_expect(id_uuid(r.id), "for %s", ids[i]);
    }
}

Test(request, methods)
{
    static const char *const names[] = {"GET",   "HEAD", "POST",
                                        "PATCH", "PUT",  "DELETE"};
    for (size_t i = 0; i < METHOD__MAX; i++) {
        params.n = 0;
        param("REQUEST_METHOD", names[i]);
        param("REQUEST_URI", "/");
        cr_expect(eq(str, (char *)parse(), "fine"));
        cr_expect(eq(int, (int)r.method, (int)i));
    }
    static const char *const others[] = {"", "get", "OPTIONS", "GETX"};
    for (size_t i = 0; i < countof(others); i++) {
        params.n = 0;
        param("REQUEST_METHOD", others[i]);
        param("REQUEST_URI", "/a?b=c");
        cr_expect(eq(str, (char *)parse(), "request.method"));
        cr_expect(eq(str, (char *)z(r.path), "/a"));
        cr_expect(eq(str, (char *)z(request_query(&r, "b")), "c"));
        cr_expect(eq(int, (int)r.method, METHOD_GET));
    }
}

Test(request, targets)
{
    static const struct {
        const char *target, *code, *path;
    } cases[] = {
        {"/", "fine", "/"},
        {"/a/b", "fine", "/a/b"},
        {"/a/b/", "fine", "/a/b/"},
        {"/%C3%A9", "fine", "/\xC3\xA9"},
        {"/a+b", "fine", "/a+b"},
        {"/a%252Fb", "fine", "/a%2Fb"},
        {"/...", "fine", "/..."},
        {"/.well-known/x", "fine", "/.well-known/x"},
        {"/a?", "fine", "/a"},
        {"/a?&&", "fine", "/a"},
        {"", "request.path", NULL},
        {"a", "request.path", NULL},
        {"*", "request.path", NULL},
        {"?a=b", "request.path", NULL},
        {"http://x/a", "request.path", NULL},
        {"//", "request.path", NULL},
        {"//a", "request.path", NULL},
        {"/a//", "request.path", NULL},
        {"/a//b", "request.path", NULL},
        {"/.", "request.path", NULL},
        {"/..", "request.path", NULL},
        {"/a/../b", "request.path", NULL},
        {"/a/%2e%2E/b", "request.path", NULL},
        {"/a/./", "request.path", NULL},
        {"/a%2fb", "request.path", NULL},
        {"/a%2F", "request.path", NULL},
        {"/%", "request.path", NULL},
        {"/%a", "request.path", NULL},
        {"/%zz", "request.path", NULL},
        {"/%+1", "request.path", NULL},
        {"/%00", "request.path", NULL},
        {"/%ff", "request.path", NULL},
        {"/%c0%af", "request.path", NULL},
        {"/%ed%a0%80", "request.path", NULL},
        {"/\xff", "request.path", NULL},
        {"/a?a=%", "request.query", NULL},
        {"/a?%ff", "request.query", NULL},
        {"/a?a=%00", "request.query", NULL},
        {"/a?a=1&a=2", "request.repeated_key", NULL},
        {"/a?a&b&%61", "request.repeated_key", NULL},
        {"/?1&2&3&4&5&6&7&8&9&a&b&c&d&e&f&g&h", "request.query", NULL},
        {"/?1&2&3&4&5&6&7&8&9&a&b&c&d&e&f&g", "fine", "/"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct err *e = get(cases[i].target);
        cr_expect(eq(str, (char *)code(e), (char *)cases[i].code), "%s",
                  cases[i].target);
        if (!e)
            cr_expect(eq(str, (char *)z(r.path), (char *)cases[i].path));
    }
}

Test(request, an_encoded_slash_is_not_found)
{
    cr_expect(eq(int, (int)get("/a%2fb")->kind, ERR_NOT_FOUND));
    cr_expect(eq(int, (int)get("/%zz")->kind, ERR_BAD_REQUEST));
}

Test(request, a_repeated_key_is_named)
{
    cr_expect(eq(str, (char *)z(get("/?a=1&b=2&b=3")->at), "b"));
}

Test(request, a_long_target_is_refused)
{
    struct buf b = buf_make(a, REQUEST_TARGET_MAX + 2);
    buf_char(&b, '/');
    while (b.n < REQUEST_TARGET_MAX)
        buf_char(&b, 'a');
    cr_expect(eq(str, (char *)code(get(z(buf_text(&b)))), "fine"));
    buf_char(&b, 'a');
    const struct err *e = get(z(buf_text(&b)));
    cr_assert(eq(str, (char *)code(e), "request.target"));
    cr_expect(eq(int, (int)e->kind, ERR_TOO_LARGE));
}

Test(request, without_a_request_uri_the_path_is_decoded_already)
{
    param("REQUEST_METHOD", "GET");
    param("DOCUMENT_URI", "/a%41");
    param("QUERY_STRING", "q=%41");
    cr_assert(eq(str, (char *)parse(), "fine"));
    cr_expect(eq(str, (char *)z(r.path), "/a%41"));
    cr_expect(eq(str, (char *)z(request_query(&r, "q")), "A"));
}

Test(request, nothing_at_all)
{
    cr_expect(eq(str, (char *)parse(), "request.path"));
    cr_expect(id_uuid(r.id));
    cr_expect(eq(int, (int)r.method, METHOD_GET));
    cr_expect(eq(ptr, r.arena, a));
}

Test(request, headers)
{
    get("/");
    param("HTTP_IF_MATCH", " \t3 ");
    param("HTTP_X_EMPTY", "");
    param("HTTP_X_API_KEY", "one");
    param("HTTP_X_API_KEY", "two");
    cr_assert(eq(str, (char *)parse(), "fine"));
    cr_expect(eq(str, (char *)z(request_header(&r, "If-Match")), "3"));
    cr_expect(eq(str, (char *)z(request_header(&r, "if-match")), "3"));
    cr_expect(eq(str, (char *)z(request_header(&r, "X-Empty")), ""));
    cr_expect(eq(str, (char *)z(request_header(&r, "X-API-Key")),
                 "one, two"));
    cr_expect(request_header(&r, "If-Matc").p == NULL);
    cr_expect(request_header(&r, "If-Match-").p == NULL);
    cr_expect(request_header(&r, "").p == NULL);
}

Test(request, a_header_that_is_not_utf8_is_refused)
{
    get("/");
    param("HTTP_IF_MATCH", "\xff");
    const struct err *e = request_parse(a, params, STR_NONE, &r);
    cr_assert(eq(str, (char *)code(e), "request.header"));
    cr_expect(eq(str, (char *)z(e->at), "HTTP_IF_MATCH"));
    get("/");
    param("CONTENT_TYPE", "\xff");
    cr_expect(eq(str, (char *)parse(), "request.header"));
}

Test(request, too_many_or_too_long_headers)
{
    get("/");
    while (params.n < REQUEST_PARAMS_MAX)
        param("HTTP_X", "v");
    cr_expect(eq(str, (char *)parse(), "fine"));
    param("HTTP_X", "v");
    cr_expect(eq(str, (char *)parse(), "request.params"));
    get("/");
    struct buf b = buf_make(a, REQUEST_PARAMS_BYTES);
    while (b.n < REQUEST_PARAMS_BYTES)
        buf_char(&b, 'a');
    param("HTTP_X", z(buf_text(&b)));
    cr_expect(eq(str, (char *)parse(), "request.params"));
}

Test(request, cookies)
{
    static const struct {
        const char *header, *value;
    } cases[] = {
        {"s=abc", "abc"},
        {"a=1; s=abc", "abc"},
        {"a=1;s=abc;b=2", "abc"},
        {"s=", ""},
        {"s=a=b", "a=b"},
        {" ; ;; s=x", "x"},
        {"", "(absent)"},
        {"s", "(absent)"},
        {"xs=1", "(absent)"},
        {"S=1", "(absent)"},
        {"s=1; s=1", "(absent)"},
        {"s=1; t=2; s=3", "(absent)"},
        {"s=\"abc\"", "(absent)"},
        {"s=a b", "(absent)"},
        {"s=a,b", "(absent)"},
        {"s=\xC3\xA9", "(absent)"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        get("/");
        param("HTTP_COOKIE", cases[i].header);
        cr_assert(eq(str, (char *)parse(), "fine"));
        cr_expect(eq(str, (char *)z(request_cookie(&r, "s")),
                     (char *)cases[i].value), "%s", cases[i].header);
    }
    get("/");
    param("HTTP_COOKIE", "a=1");
    param("HTTP_COOKIE", "s=2");
    cr_assert(eq(str, (char *)parse(), "fine"));
    cr_expect(eq(str, (char *)z(request_cookie(&r, "s")), "2"));
}

Test(request, forms)
{
    struct pairs p;
    struct str text = STR("a=1&b=x%0D%0D%0Ay+z&a=2&&c&=d&e=%0d%26");
    cr_assert(request_form(a, text, 8, &p) == NULL);
    cr_assert(eq(sz, p.n, 6));
    cr_expect(eq(str, (char *)z(pairs_get(p, "a")), "1"));
    cr_expect(eq(str, (char *)z(pairs_get(p, "b")), "x\ny z"));
    cr_expect(eq(str, (char *)z(p.v[2].value), "2"));
    cr_expect(eq(str, (char *)z(pairs_get(p, "c")), ""));
    cr_expect(eq(str, (char *)z(pairs_get(p, "")), "d"));
    cr_expect(eq(str, (char *)z(pairs_get(p, "e")), "\r&"));
    cr_assert(request_form(a, STR(""), 0, &p) == NULL);
    cr_expect(eq(sz, p.n, 0));
    cr_assert(request_form(a, STR_NONE, 0, &p) == NULL);
    cr_expect(eq(sz, p.n, 0));
}

Test(request, bad_forms)
{
    struct pairs p;
    const struct err *e = request_form(a, STR("a=1&&b=%g0"), 8, &p);
    cr_assert(eq(str, (char *)code(e), "request.form"));
    cr_expect(eq(int, (int)e->kind, ERR_BAD_REQUEST));
    cr_expect(eq(str, (char *)z(e->at), "pair 2"));
    e = request_form(a, STR("a=%00"), 8, &p);
    cr_expect(eq(str, (char *)code(e), "request.form"));
    e = request_form(a, STR("%80=a"), 8, &p);
    cr_expect(eq(str, (char *)code(e), "request.form"));
    e = request_form(a, STR("a&b&c"), 2, &p);
    cr_assert(eq(str, (char *)code(e), "request.form"));
    cr_expect(eq(int, (int)e->kind, ERR_TOO_LARGE));
}

Test(request, escape_and_back)
{
    struct str text = STR("AZaz09-._~ /%&+=?#\"'<>\xC3\xA9\n");
    struct buf b = buf_make(a, 256);
    buf_escape(&b, text);
    cr_expect(eq(str, (char *)z(buf_text(&b)),
                 "AZaz09-._~%20%2F%25%26%2B%3D%3F%23%22%27%3C%3E%C3%A9%0A"));
    struct str back;
    cr_assert(request_unescape(a, buf_text(&b), true, &back) == NULL);
    cr_expect(str_eq(back, text));
}

Test(request, the_trace_of_a_caller)
{
    static const struct {
        const char *header, *id;
    } rows[] = {
        {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
         "4bf92f3577b34da6a3ce929d0e0e4736"},
        /* A later version may have more. */
        {"01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
         "4bf92f3577b34da6a3ce929d0e0e4736"},
        {"", "(absent)"},
        {"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", "(absent)"},
        {"00-00000000000000000000000000000000-00f067aa0ba902b7-01", "(absent)"},
        {"00-4bf92f3577b34da6a3ce929d0e0e473-000f067aa0ba902b7-01",
         "(absent)"},
        {"00-4bf92f3577b34da6a3ce929d0e0e4736", "(absent)"},
        {"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
         "(absent)"},
        {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\"",
         "(absent)"},
        {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
         "(absent)"},
        {"01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x",
         "(absent)"},
        {"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
         "(absent)"},
        {"00-4bf92f3577b34da6a3ce929d0e0e47\"}-00f067aa0ba902b7-01",
         "(absent)"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        params.n = 0;
        param("REQUEST_METHOD", "GET");
        param("REQUEST_URI", "/");
        param("HTTP_TRACEPARENT", rows[i].header);
        cr_assert(eq(str, (char *)parse(), "fine"));
        cr_expect(eq(str, (char *)z(request_trace(&r)), (char *)rows[i].id));
        const struct str whole = request_traceparent(&r);
        cr_expect(eq(sz, whole.n,
                     strcmp(rows[i].id, "(absent)") ? REQUEST_TRACEPARENT
                                                    : 0));
    }
}

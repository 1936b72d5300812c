/* The answer: headers that every one has, and how errors are spelt. */
#include "suite.h"

#include <criterion/new/assert.h>

#include "world/web/response.h"

static struct response rs;

SUITE_WITH(response, rs = response_make(a));

static char *body(void)
{
    return (char *)arena_z(a, buf_text(&rs.body));
}

static char *head(void)
{
    return (char *)arena_z(a, response_head(&rs));
}

static bool head_has(const char *line)
{
    struct buf b = buf_make(a, 1024);
    buf_put(&b, "\r\n");
    buf_put(&b, line);
    buf_put(&b, "\r\n");
    struct str h = response_head(&rs);
    return str_search(h, buf_text(&b)) < h.n;
}

/* A member of the body, as JSON text. */
static char *member(const char *key)
{
    struct json *v = NULL;
    cr_assert(json_parse(a, buf_text(&rs.body), &v) == NULL);
    if (!json_has(v, key))
        return (char *)"(absent)";
    return (char *)arena_z(a, json_dump(a, json_get(v, key), 4096));
}

Test(response, json)
{
    struct json *v = json_object(a);
    json_set_int(v, "a", 1);
    response_json(&rs, 201, v);
    cr_expect(eq(str, body(), "{\"a\":1}"));
    cr_expect(eq(str, head(), "Status: 201 Created\r\n"
                              "Content-Type: application/json\r\n"
                              "Content-Length: 7\r\n"
                              "X-Content-Type-Options: nosniff\r\n"
                              "Cache-Control: no-store\r\n\r\n"));
    response_json_text(&rs, 200, STR("[]"));
    cr_expect(eq(str, body(), "[]"));
    cr_expect(head_has("Content-Length: 2"));
}

Test(response, a_header_is_replaced_and_cannot_be_split)
{
    response_json_text(&rs, 200, STR("1"));
    response_header(&rs, "ETag", STR("\"1\""));
    response_header(&rs, "etag", STR("\"2\"\r\nX-Evil: 1\x7f"));
    cr_expect(head_has("etag: \"2\"X-Evil: 1"));
    cr_expect(eq(sz, rs.headers, 2));
    response_header(&rs, "Cache-Control", STR("public, max-age=60"));
    cr_expect(head_has("Cache-Control: public, max-age=60"));
    cr_expect(not(head_has("Cache-Control: no-store")));
}

Test(response, more_headers_than_there_is_room_for_are_dropped)
{
    static const char *const names[] = {
        "A", "B", "C", "D", "E", "F", "G", "H", "I",
        "J", "K", "L", "M", "N", "O", "P", "Q", "R",
    };
    for (size_t i = 0; i < countof(names); i++)
        response_header(&rs, names[i], STR("x"));
    cr_expect(eq(sz, rs.headers, RESPONSE_HEADERS_MAX));
    response_header(&rs, "A", STR("y"));
    cr_expect(head_has("A: y"));
}

Test(response, see_other)
{
    static const char *const paths[][2] = {
        {"/inbox?x=1", "Location: /inbox?x=1"},
        {"/", "Location: /"},
        {"//evil.example/", "Location: /"},
        {"/\\evil.example/", "Location: /"},
        {"/\t/evil.example/", "Location: /"},
        {"https://evil.example/", "Location: /"},
        {"", "Location: /"},
    };
    for (size_t i = 0; i < countof(paths); i++) {
        response_see_other(&rs, str_of(paths[i][0]));
        cr_expect(eq(int, rs.status, 303));
        cr_expect(head_has(paths[i][1]), "%s", paths[i][0]);
        cr_expect(head_has("Content-Length: 0"));
    }
}

Test(response, without_a_body_or_a_status)
{
    cr_expect(str_starts(response_head(&rs),
                         STR("Status: 500 Internal Server Error\r\n")));
    rs.status = 204;
    cr_expect(eq(str, head(), "Status: 204 No Content\r\n"
                              "X-Content-Type-Options: nosniff\r\n"
                              "Cache-Control: no-store\r\n\r\n"));
}

Test(response, headers_over_the_ceiling_become_a_500)
{
    struct buf b = buf_make(a, (size_t)80 << 10);
    while (b.n < (size_t)80 << 10)
        buf_char(&b, 'a');
    response_json_text(&rs, 200, STR("1"));
    response_header(&rs, "X-Long", buf_text(&b));
    cr_expect(str_starts(response_head(&rs), STR("Status: 500 ")));
}

Test(response, statuses)
{
    static const int wanted[] = {400, 401, 403, 404, 405, 409, 409, 413,
                                 428, 415, 422, 429, 500, 501, 503, 503,
                                 503};
    cr_assert(eq(sz, countof(wanted), ERR__MAX));
    for (int k = 0; k < ERR__MAX; k++)
        cr_expect(eq(int, response_status((enum err_kind)k), wanted[k]));
}

Test(response, detail)
{
    response_error(&rs, ERROR(ERR_NOT_FOUND, "intent.unknown", "None."),
                   RESPONSE_DETAIL);
    cr_expect(eq(str, body(), "{\"detail\":\"None.\",\"message\":\"None.\","
                              "\"code\":\"intent.unknown\"}"));
    cr_expect(eq(int, rs.status, 404));
    cr_expect(head_has("Content-Type: application/json"));
}

Test(response, detail_with_more)
{
    struct json *more = json_object(a);
    json_set_text(more, "valid_choices", STR("v"));
    json_set_json(more, "nothing", NULL);
    json_set_text(more, "code", STR("forged"));
    json_set_text(more, "detail", STR("forged"));
    const struct err *e = err_more(
        a,
        err_at(a, ERR_INVALID, "respond.invalid_choice", STR("value"), "No."),
        more);
    response_error(&rs, e, RESPONSE_DETAIL);
    cr_expect(eq(int, rs.status, 422));
    cr_expect(eq(str, member("detail"),
                 "{\"error\":\"invalid_choice\",\"message\":\"No.\","
                 "\"valid_choices\":\"v\",\"nothing\":null,"
                 "\"code\":\"forged\",\"detail\":\"forged\"}"));
    cr_expect(eq(str, member("message"), "\"No.\""));
    cr_expect(eq(str, member("code"), "\"respond.invalid_choice\""));
    cr_expect(eq(str, member("at"), "\"value\""));
    cr_expect(eq(str, member("valid_choices"), "\"v\""));
    cr_expect(eq(str, member("nothing"), "null"));
}

Test(response, problem)
{
    struct json *more = json_object(a);
    json_set_int(more, "current_version", 3);
    json_set_int(more, "status", 200);
    const struct err *e = err_more(
        a, err_at(a, ERR_CONFLICT, "intent.version", STR("x"), "No."),
        more);
    for (int style = RESPONSE_PROBLEM; style <= RESPONSE_HTML; style++) {
        response_error(&rs, e, (enum response_style)style);
        cr_expect(eq(str, body(),
                     "{\"type\":\"about:blank\",\"title\":\"Conflict\","
                     "\"status\":409,\"code\":\"intent.version\","
                     "\"detail\":\"No.\",\"at\":\"x\","
                     "\"current_version\":3}"));
        cr_expect(head_has("Content-Type: application/problem+json"));
    }
}

Test(response, an_error_forgets_the_answer)
{
    response_see_other(&rs, STR("/a"));
    response_header(&rs, "Set-Cookie", STR("s=1"));
    response_header(&rs, "ETag", STR("\"1\""));
    response_header(&rs, "Cache-Control", STR("public"));
    response_header(&rs, "X-Request-Id", STR("r"));
    response_header(&rs, "Allow", STR("GET"));
    response_error(&rs, ERROR(ERR_METHOD, "route.method", "No."),
                   RESPONSE_DETAIL);
    cr_expect(not(head_has("Location: /a")));
    cr_expect(not(head_has("Set-Cookie: s=1")));
    cr_expect(not(head_has("ETag: \"1\"")));
    cr_expect(head_has("Cache-Control: no-store"));
    cr_expect(head_has("X-Request-Id: r"));
    cr_expect(head_has("Allow: GET"));
}

Test(response, headers_of_some_errors)
{
    response_error(&rs, ERROR(ERR_BUSY, "a.b", "No."), RESPONSE_DETAIL);
    cr_expect(head_has("Retry-After: 2"));
    rs = response_make(a);
    response_error(&rs, ERROR(ERR_RATE, "a.b", "No."), RESPONSE_DETAIL);
    cr_expect(head_has("Retry-After: 60"));
    rs = response_make(a);
    response_error(&rs, ERROR(ERR_UNAUTHENTICATED, "a.b", "No."),
                   RESPONSE_DETAIL);
    cr_expect(head_has("WWW-Authenticate: Bearer realm=\"Sayso\""));
}

/* RFC 6749 5.2 */
Test(response, an_error_of_oauth)
{
    struct json *more = json_object(a);
    json_set_text(more, "reason", STR("No."));
    response_header(&rs, "WWW-Authenticate", STR("Basic realm=\"sayso\""));
    response_header(&rs, "DPoP-Nonce", STR("1.x"));
    response_error(&rs,
                   err_more(a,
                            ERROR(ERR_UNAUTHENTICATED, "invalid_client",
                                  "Who are you?"),
                            more),
                   RESPONSE_OAUTH);
    cr_expect_eq(rs.status, 401);
    cr_expect(str_is(buf_text(&rs.body),
                     "{\"error\":\"invalid_client\",\"error_description\":"
                     "\"Who are you?\",\"reason\":\"No.\"}"));
    cr_expect(head_has("WWW-Authenticate: Basic realm=\"sayso\""));
    cr_expect(head_has("DPoP-Nonce: 1.x"));
    cr_expect(head_has("Content-Type: application/json"));
    cr_expect(head_has("Cache-Control: no-store"));
}

static bool says_lease(void)
{
    struct str text = buf_text(&rs.body);
    return str_search_nocase(text, STR("lease")) < text.n;
}

Test(response, a_conflict_never_says_lease)
{
    struct json *more = json_object(a);
    json_set_text(more, "a", STR("\\lease LEASE Please leaselease \"lease\""));
    json_set_text(more, "released", STR("releaſe"));
    const struct err *e = err_more(
        a, ERROR(ERR_CONFLICT, "x.released", "The Lease was released."),
        more);
    for (int style = RESPONSE_DETAIL; style <= RESPONSE_HTML; style++) {
        response_error(&rs, e, (enum response_style)style);
        cr_expect(not(says_lease()));
        struct json *v = NULL;
        cr_assert(json_parse(a, buf_text(&rs.body), &v) == NULL);
        cr_expect(str_is(json_get_text(v, "code"), "x.released"));
        cr_expect(str_eq(json_get_text(v, "a"), json_get_text(more, "a")));
        cr_expect(json_has(v, "released"));
    }
    response_error(&rs, ERROR(ERR_LEASE, "lease.held", "A lease."),
                   RESPONSE_DETAIL);
    cr_expect(says_lease());
    response_error(&rs, ERROR(ERR_INVALID, "x.y", "A lease."),
                   RESPONSE_DETAIL);
    cr_expect(says_lease());
}

Test(response, a_body_over_the_ceiling_becomes_a_500)
{
    char *p = arena_alloc(a, RESPONSE_BODY_MAX + 1);
    memset(p, '1', RESPONSE_BODY_MAX + 1);
    response_json_text(&rs, 200, (struct str){p, RESPONSE_BODY_MAX + 1});
    cr_expect(eq(int, rs.status, 500));
    cr_expect(eq(str, member("code"), "\"response.too_large\""));
    cr_expect(ne(str, member("type"), "(absent)"));
    rs.style = RESPONSE_DETAIL;
    response_json_text(&rs, 200, (struct str){p, RESPONSE_BODY_MAX + 1});
    cr_expect(eq(int, rs.status, 500));
    cr_expect(eq(str, member("type"), "(absent)"));
    cr_expect(eq(str, member("message"), member("detail")));
}

Test(response, an_error_with_too_much_more_is_still_json)
{
    size_t n = RESPONSE_BODY_MAX / 2;
    char *p = arena_alloc(a, n);
    memset(p, 'x', n);
    struct json *more = json_object(a);
    json_set_text(more, "a", (struct str){p, n});
    response_error(&rs,
                   err_more(a, ERROR(ERR_CONFLICT, "a.b", "No."), more),
                   RESPONSE_PROBLEM);
    cr_expect(eq(int, rs.status, 409));
    cr_expect(ne(str, member("detail"), "(absent)"));
}

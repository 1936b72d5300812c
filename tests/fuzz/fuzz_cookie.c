/* Any bytes as Cookie headers, one for each line:
 *
 * what is found is free of separators and controls, stands in the header
 * behind its name, and is no longer found once it is sent twice. */
#include "base/buf.h"
#include "fuzz.h"
#include "world/web/request.h"

#define LINES_MAX 8

/* The cookie "s" of a request with these Cookie headers. */
static struct str cookie(struct arena *a, const struct str *v, size_t n,
                         struct str *header)
{
    struct pair list[LINES_MAX + 2] = {
        {STR("REQUEST_METHOD"), STR("GET")},
        {STR("REQUEST_URI"), STR("/")},
    };
    must(n <= LINES_MAX);
    for (size_t i = 0; i < n; i++)
        list[i + 2] = (struct pair){STR("HTTP_COOKIE"), v[i]};
    struct request r;
    if (request_parse(a, (struct pairs){list, n + 2}, STR_NONE, &r))
        return STR_NONE;
    *header = request_header(&r, "Cookie");
    return request_cookie(&r, "s");
}

static void check_value(struct arena *a, struct str header, struct str value)
{
    static const char *const never[] = {";", ",", " ", "\"", "\\", "\n",
                                        "\r", "\t", "\x7f"};
    for (size_t i = 0; i < countof(never); i++)
        must(str_search(value, str_of(never[i])) == value.n);
    must(value.p - header.p >= 2 && value.p[-1] == '=' &&
         value.p[-2] == 's' &&
         value.p + value.n <= header.p + header.n);
    struct str once[] = {header};
    struct str again[] = {header, STR("s=x")};
    struct str whole;
    must(str_eq(cookie(a, once, 1, &whole), value));
    must(!cookie(a, again, 2, &whole).p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct str rest = arena_str(a, (struct str){(const char *)data, size});
    struct str v[LINES_MAX];
    size_t n = 0;
    while (rest.p && n < LINES_MAX)
        v[n++] = str_cut(&rest, '\n');
    struct str header;
    struct str value = cookie(a, v, n, &header);
    if (value.p)
        check_value(a, header, value);
    return 0;
}

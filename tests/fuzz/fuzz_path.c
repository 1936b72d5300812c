/* Any bytes as CGI parameters, one for each line as "NAME=value":
 *
 * what is read keeps the promises of request.h, and the target that is
 * spelt from it reads as the same path and query. */
#include "base/buf.h"
#include "base/id.h"
#include "fuzz.h"
#include "world/web/request.h"

#define PARAMS 64

static bool bad_segment(struct str path)
{
    struct str rest = str_sub(path, 1, path.n);
    while (rest.p) {
        struct str s = str_cut(&rest, '/');
        if ((s.n == 0 && rest.p) || str_is(s, ".") || str_is(s, ".."))
            return true;
    }
    return false;
}

static struct str spell(struct arena *a, const struct request *r)
{
    struct buf b = buf_make(a, (size_t)1 << 20);
    struct str rest = str_sub(r->path, 1, r->path.n);
    while (rest.p) {
        buf_char(&b, '/');
        buf_escape(&b, str_cut(&rest, '/'));
    }
    for (size_t i = 0; i < r->query.n; i++) {
        buf_char(&b, i > 0 ? '&' : '?');
        buf_escape(&b, r->query.v[i].key);
        buf_char(&b, '=');
        buf_escape(&b, r->query.v[i].value);
    }
    must(!b.over);
    return buf_text(&b);
}

static void check(struct arena *a, const struct request *r)
{
    must(r->path.n >= 1 && r->path.p[0] == '/');
    must(str_utf8(r->path) && !bad_segment(r->path));
    must(r->query.n <= REQUEST_QUERY_MAX);
    for (size_t i = 0; i < r->query.n; i++)
        must(str_eq(pairs_get(r->query, arena_z(a, r->query.v[i].key)),
                    r->query.v[i].value));
    for (size_t i = 0; i < r->header.n; i++)
        must(str_utf8(r->header.v[i].value));
    must(str_utf8(r->content_type));
    struct str target = spell(a, r);
    if (target.n > REQUEST_TARGET_MAX)
        return;
    const struct pair list[] = {{STR("REQUEST_METHOD"), STR("GET")},
                                {STR("REQUEST_URI"), target}};
    struct request again;
    must(!request_parse(a, (struct pairs){list, 2}, STR_NONE, &again));
    must(str_eq(again.path, r->path) && again.query.n == r->query.n);
    for (size_t i = 0; i < r->query.n; i++)
        must(str_eq(again.query.v[i].key, r->query.v[i].key) &&
             str_eq(again.query.v[i].value, r->query.v[i].value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct str rest = arena_str(a, (struct str){(const char *)data, size});
    struct pair list[PARAMS];
    size_t n = 0;
    while (rest.p && n < PARAMS) {
        struct str line = str_cut(&rest, '\n');
        size_t equals = str_find(line, '=', 0);
        list[n++] = (struct pair){str_sub(line, 0, equals),
                                  str_sub(line, equals + 1, line.n)};
    }
    struct request r;
    const struct err *e =
        request_parse(a, (struct pairs){list, n}, STR_NONE, &r);
    must(id_token(r.id) && r.arena == a && r.method < METHOD__MAX);
    must(str_utf8(r.remote));
    if (!e || e->kind == ERR_METHOD)
        check(a, &r);
    return 0;
}

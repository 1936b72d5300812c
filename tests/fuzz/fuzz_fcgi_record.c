/* Any bytes as FastCGI records, and as a notice of another host:
 *
 * no more is taken than there is, however they are cut in two; parameters stay
 * below their ceiling and lie within their bytes; what a notice is read as is
 * written and read the same again. */
#include "fuzz.h"
#include "store/question/notices.h"
#include "world/web/fcgi_record.h"

static void check_param(struct str params, const char *name)
{
    const struct str v = fcgi_record_param(params, name);
    must(!v.p || (v.p >= params.p && v.p + v.n <= params.p + params.n));
}

/* Reads what came in one piece, or cut at a place. */
static struct fcgi_record read_cut(struct arena *a, struct str all, size_t cut,
                                   struct buf *params)
{
    struct fcgi_record r = {.state = FCGI_RECORD_BEGIN};
    *params = buf_make(a, FCGI_RECORD_PARAMS_MAX);
    const size_t first = fcgi_record_read(&r, str_sub(all, 0, cut), params);
    must(first <= cut);
    const struct str rest = str_sub(all, first, all.n);
    must(fcgi_record_read(&r, rest, params) <= rest.n);
    must(!params->over && params->n <= FCGI_RECORD_PARAMS_MAX);
    return r;
}

static void check_records(struct arena *a, struct str all)
{
    struct buf whole, parts;
    const size_t cut = all.n > 0 ? (unsigned char)all.p[all.n - 1] : 0;
    const struct fcgi_record r = read_cut(a, all, all.n, &whole);
    const struct fcgi_record s =
        read_cut(a, all, cut < all.n ? cut : all.n, &parts);
    must(r.state == s.state && r.id == s.id);
    must(str_eq(buf_text(&whole), buf_text(&parts)));
    check_param(buf_text(&whole), "QUERY_STRING");
    check_param(all, "A");
}

static void check_notice(struct arena *a, struct str text)
{
    struct wake_note v[64], w[64];
    struct buf b = buf_make(a, NOTICES_BYTES);
    const size_t n = notices_read(text, STR("me"), v, 64);
    must(n <= 64);
    const size_t written = notices_write(&b, STR("you"), v, n);
    must(!b.over);
    must(notices_read(buf_text(&b), STR("me"), w, 64) == written);
    for (size_t i = 0; i < written; i++)
        must(v[i].version == w[i].version &&
             str_is(str_of(v[i].intent_id), w[i].intent_id) &&
             str_is(str_of(v[i].decided), w[i].decided));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const struct str all = arena_str(a, (struct str){(const char *)data, size});
    if (all.p) {
        check_records(a, all);
        check_notice(a, all);
    }
    return 0;
}

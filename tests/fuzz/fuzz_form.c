/* Any bytes as a form, and as one part of a URL:
 *
 * what is read is UTF-8 within the ceilings, and written again it reads the
 * same; escaping any text and unescaping it gives the text. */
#include "base/buf.h"
#include "fuzz.h"
#include "world/web/request.h"

static void check_escape(struct arena *a, struct str text)
{
    struct buf b = buf_make(a, text.n * 3);
    buf_escape(&b, text);
    must(!b.over);
    struct str back;
    const struct err *e = request_unescape(a, buf_text(&b), true, &back);
    must(!e == str_utf8(text));
    must(e || str_eq(back, text));
    e = request_unescape(a, buf_text(&b), false, &back);
    must(!e == str_utf8(text));
    must(e || str_eq(back, text));
}

static void check_unescape(struct arena *a, struct str text, bool plus)
{
    struct str out;
    if (request_unescape(a, text, plus, &out))
        return;
    must(out.p && out.n <= text.n && str_utf8(out));
    check_escape(a, out);
}

static bool has_crlf(struct str s)
{
    return str_search(s, STR("\r\n")) < s.n;
}

static void check_pairs(struct arena *a, struct pairs p)
{
    struct buf b = buf_make(a, (size_t)8 << 20);
    for (size_t i = 0; i < p.n; i++) {
        must(str_utf8(p.v[i].key) && str_utf8(p.v[i].value));
        must(!has_crlf(p.v[i].value));
        must(p.v[i].value.p != NULL);
        buf_put(&b, i > 0 ? "&" : "");
        buf_escape(&b, p.v[i].key);
        buf_char(&b, '=');
        buf_escape(&b, p.v[i].value);
    }
    struct pairs again;
    must(!request_form(a, buf_text(&b), p.n, &again) && again.n == p.n);
    for (size_t i = 0; i < p.n; i++) {
        must(str_eq(p.v[i].key, again.v[i].key));
        must(str_eq(p.v[i].value, again.v[i].value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct str text = arena_str(a, (struct str){(const char *)data, size});
    struct pairs p;
    const struct err *e = request_form(a, text, REQUEST_PAIRS_MAX, &p);
    if (e) {
        must(e->kind == ERR_BAD_REQUEST || e->kind == ERR_TOO_LARGE);
    } else {
        must(p.n <= REQUEST_PAIRS_MAX);
        check_pairs(a, p);
    }
    if (text.p) {
        check_escape(a, text);
        check_unescape(a, text, true);
        check_unescape(a, text, false);
    }
    return 0;
}

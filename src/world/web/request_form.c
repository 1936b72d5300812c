/* The text in the parts of a URL and in a form: percent-decoding and
 * application/x-www-form-urlencoded.
 *
 * Called by request.c for paths and queries and by the doors for form bodies.
 * Pure; never guesses: malformed input is an error. */
#include "world/web/request.h"

const struct err *request_unescape(struct arena *a, struct str s, bool plus,
                                   struct str *out)
{
    char *p = arena_alloc(a, s.n + 1);
    size_t n = str_unescape(s, plus, p);
    if (n == SIZE_MAX)
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "A '%' has to be followed by two hexadecimal digits.");
    struct str text = {p, n};
    if (!str_utf8(text))
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "The text has to be UTF-8 without a NUL byte.");
    *out = text;
    return NULL;
}

/* CRLF to LF, and no CRLF is left even of CR CR LF. Writes into a copy: the
 * slice may be shared. */
static struct str request_form_newlines(struct arena *a, struct str s)
{
    if (str_find(s, '\r', 0) == s.n)
        return s;
    char *p = arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        while (s.p[i] == '\n' && n > 0 && p[n - 1] == '\r')
            n--;
        p[n++] = s.p[i];
    }
    return (struct str){p, n};
}

const struct err *request_form(struct arena *a, struct str text, size_t max,
                               struct pairs *out)
{
    /* Counted up to max + 1. Empty parts are skipped, as in WHATWG URL 5.1. */
    size_t count = 0;
    for (struct str rest = text; rest.p && count <= max;)
        count += str_cut(&rest, '&').n > 0;
    if (count > max)
        return ERROR(ERR_TOO_LARGE, "request.form",
                     "The form has too many fields.");
    struct pair *v = arena_many(a, count, struct pair);
    size_t n = 0;
    while (text.p && n < count) {
        struct str part = str_cut(&text, '&');
        if (part.n == 0)
            continue;
        const size_t equals = str_find(part, '=', 0);
        const struct err *e =
            request_unescape(a, str_sub(part, 0, equals), true, &v[n].key);
        if (!e)
            e = request_unescape(a, str_sub(part, equals + 1, part.n), true,
                                 &v[n].value);
        if (e)
            return err_at(a, ERR_BAD_REQUEST, "request.form",
                          arena_join(a, STR("pair "),
                                     arena_number(a, (int64_t)n + 1)),
                          "%.*s", STR_FMT(e->say));
        v[n].value = request_form_newlines(a, v[n].value);
        n++;
    }
    *out = (struct pairs){v, n};
    return NULL;
}

struct str pairs_get(struct pairs p, const char *key)
{
    const struct str wanted = str_of(key);
    for (size_t i = 0; i < p.n; i++)
        if (str_eq(p.v[i].key, wanted))
            return p.v[i].value;
    return STR_NONE;
}

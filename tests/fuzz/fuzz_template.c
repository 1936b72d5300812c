/* Fuzzes templates: text, a part and a view, apart by NUL bytes.
 *
 * Nothing may crash, and no value may come out as it went in: every string
 * of the view is replaced by a marker of HTML's own characters, and the page
 * must hold the marker no more often than the page over a harmless word,
 * where only the template's own text can spell it. A hidden character in it
 * must not be there any more, but where a form sends it back. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "world/template/template.h"

#define ARENA_MAX_BYTES ((size_t)64 << 20)
#define PAGE_MAX_BYTES 65536

/* A copy of v with every string replaced. */
static struct json *replace(struct arena *a, const struct json *v,
                            struct str word)
{
    if (json_is(v, JSON_STRING))
        return json_string(a, word);
    if (json_is(v, JSON_ARRAY)) {
        struct json *list = json_array(a);
        for (size_t i = 0; i < json_count(v); i++)
            json_add_json(list, replace(a, json_at(v, i), word));
        return list;
    }
    if (json_is(v, JSON_OBJECT)) {
        struct json *object = json_object(a);
        for (struct json_iter i = json_iter(v); json_next(&i);)
            json_set_key(object, i.key, replace(a, i.value, word));
        return object;
    }
    return v ? json_copy(a, v) : NULL;
}

static size_t count(struct str text, struct str word)
{
    size_t n = 0;
    for (;;) {
        size_t at = str_search(text, word);
        if (at == text.n)
            return n;
        n++;
        text = str_sub(text, at + 1, text.n);
    }
}

static struct str render(struct arena *a, const struct templates *t,
                         const struct json *view)
{
    struct buf out = buf_make(a, PAGE_MAX_BYTES);
    const struct template_page page = {.name = "main", .view = view};
    const struct err *e = template_render(a, t, &page, &out);
    return e ? STR_NONE : buf_text(&out);
}

/* Has the template a place, of those that are told by a word in it, where
 * hidden characters stay as they are? */
static bool keeps(struct arena *a, struct str source)
{
    static const char *const words[] = {"value", "name",   "textarea", "href",
                                        "src",   "action", NULL};
    struct buf lower = buf_make(a, source.n + 1);
    for (size_t i = 0; i < source.n; i++) {
        const char c = source.p[i];
        buf_char(&lower, (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
    for (size_t i = 0; words[i]; i++) {
        if (str_search(buf_text(&lower), str_of(words[i])) < source.n)
            return true;
    }
    return false;
}

static void check(struct arena *a, const struct templates *t,
                  struct str source, const struct json *view)
{
    /* A marker and its word begin and end alike, so that the template's text
     * around them makes the same of both. */
    static const struct {
        const char *marker, *word;
    } pairs[] = {
        {"<x\"'>", "00000"}, {"q<q", "q0q"},   {"q>q", "q0q"},
        {"q\"q", "q0q"},     {"q'q", "q0q"},   {"q&q", "q0q"},
        {"/q<q", "/q0q"},    {"/q\"q", "/q0q"}, {"/q'q", "/q0q"},
        {"q\u202Eq", "q0q"},
    };
    const size_t n = countof(pairs) - (keeps(a, source) ? 1 : 0);
    for (size_t i = 0; i < n; i++) {
        struct str marker = str_of(pairs[i].marker);
        struct str word = str_of(pairs[i].word);
        struct str page = render(a, t, replace(a, view, marker));
        struct str tame = render(a, t, replace(a, view, word));
        if (page.p && tame.p && count(page, marker) > count(tame, marker)) {
            fprintf(stderr, "a value is on the page as it is:\n%.*s\n",
                    STR_FMT(page));
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *a;
    if (!a)
        a = arena_make(ARENA_MAX_BYTES);
    const struct str whole = {(const char *)data, size};
    struct str rest = whole;
    struct str text = str_cut(&rest, '\0');
    struct str part = str_cut(&rest, '\0');
    struct json *view = NULL, *parts = json_object(a);
    if (str_utf8(part))
        json_set_text(parts, "p", part);
    if (json_parse(a, rest, &view) != NULL &&
        json_parse(a, STR("{\"a\": \"\", \"b\": [\"\", {\"a\": 1.5}], "
                          "\"c\": {\"a\": \"\"}, \"d\": true}"),
                   &view) != NULL)
        abort();
    for (int strict = 0; strict < 2; strict++) {
        struct templates *t = NULL;
        if (!template_parse(a, text, parts, strict, &t)) {
            check(a, t, str_sub(whole, 0, text.n + 1 + part.n), view);
            render(a, t, view);
        }
    }
    arena_reset(a);
    return 0;
}

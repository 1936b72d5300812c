/* Small helpers for the views of pages. */
#include "doors/pages/shell/view.h"

#define LINES_MAX 12 /* of a text that is not folded */
#define START_MAX 40 /* characters of the beginning of a folded text that are
                      * shown */

struct page_view page_view(struct arena *a, int64_t now)
{
    return (struct page_view){.a = a, .now = now};
}

/* ---- texts ---------------------------------------------------------- */

struct json *page_view_long(struct page_view *v, struct str s, size_t max)
{
    struct json *o = json_object(v->a);
    const int64_t lines = 1 + (int64_t)str_count(s, '\n');
    const bool tall = lines > LINES_MAX;
    if (str_head(s, max).n == s.n && !tall)
        return NULL;
    v->folded++;
    json_set_text(o, "count",
                  tall ? words_many(v->a, lines, "line")
                       : words_many(v->a, (int64_t)str_runes(s), "character"));
    json_set_text(o, "start", words_cut(v->a, s, START_MAX));
    return o;
}

/* ---- moments and counts --------------------------------------------- */

struct str page_view_when(const struct page_view *v, int64_t t)
{
    return words_when(v->a, v->zone, t);
}

void page_view_set_time(struct json *o, const char *key, int64_t t)
{
    json_set_json(o, key, NULL);
    if (t != 0)
        json_set_int(o, key, t);
}

void page_view_set_count(struct json *o, const char *key, size_t n)
{
    page_view_set_time(o, key, (int64_t)n);
}

/* ---- addresses ------------------------------------------------------ */

struct str page_view_path(struct arena *a, const char *before, struct str id,
                          const char *after)
{
    struct buf b = buf_make(a, id.n * 3 + 256);
    buf_put(&b, before);
    buf_escape(&b, id);
    buf_put(&b, after);
    return buf_text(&b);
}

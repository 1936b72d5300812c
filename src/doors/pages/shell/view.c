/* The small things that pages are made of. A text of a stranger reaches a page
 * only through here, and so through world/shown.h. */
#include "doors/pages/shell/view.h"

#include "base/clock_text.h"
#include "world/request.h"
#include "world/shown.h"
#include "world/zone.h"

#define LINES_MAX 12 /* of a text that is not folded */
#define START_MAX 40 /* characters that tell how a folded text begins */

struct page_view page_view(struct arena *a, int64_t now)
{
    return (struct page_view){.a = a, .now = now, .codes = SHOWN_CODES};
}

/* ---- texts ---------------------------------------------------------- */

struct json *page_view_text(struct page_view *v, struct str s)
{
    return shown_text(v->a, &v->codes, s);
}

struct json *page_view_head(struct page_view *v, struct str s, size_t max)
{
    return page_view_text(v, words_cut(v->a, s, max));
}

struct json *page_view_line(struct page_view *v, struct str s)
{
    struct str rest = str_trim(s);
    const struct str first = str_trim(str_cut(&rest, '\n'));
    struct buf b = buf_make(v->a, first.n + 8);
    buf_str(&b, first);
    buf_put(&b, rest.p ? " …" : "");
    return first.n ? page_view_head(v, buf_text(&b), PAGE_VIEW_ROW) : NULL;
}

static int64_t lines(struct str s)
{
    int64_t n = 1;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\n';
    return n;
}

struct json *page_view_long(struct page_view *v, struct str s, size_t max)
{
    struct json *o = json_object(v->a);
    const bool tall = lines(s) > LINES_MAX;
    if (str_head(s, max).n == s.n && !tall)
        return NULL;
    v->folded++;
    json_set_text(o, "count",
                  tall ? words_many(v->a, lines(s), "line")
                       : words_many(v->a, (int64_t)str_runes(s), "character"));
    json_set_json(o, "start", page_view_head(v, s, START_MAX));
    return o;
}

/* ---- moments -------------------------------------------------------- */

struct str page_view_when(const struct page_view *v, int64_t t)
{
    return words_when(v->a, v->zone, t);
}

struct json *page_view_time(const struct page_view *v, int64_t t)
{
    struct json *o = json_object(v->a);
    struct zone_time there;
    struct buf z = buf_make(v->a, 64), ago = buf_make(v->a, 64);
    if (t == 0)
        return NULL;
    zone_at(v->zone, t, &there);
    buf_str(&z, str_head(clock_rfc3339(v->a, t), 19));
    buf_char(&z, 'Z');
    buf_str(&ago, words_span(v->a, t > v->now ? t - v->now : v->now - t));
    buf_put(&ago, t > v->now ? " left" : " ago");
    json_set_text(o, "iso", buf_text(&z));
    json_set_text(o, "utc", words_moment(v->a, t));
    json_set_text(o, "text", page_view_when(v, t));
    json_set_text(o, "short", words_brief(v->a, there.text));
    json_set_text(o, "day", words_day(v->a, there.text));
    json_set_text(o, "clock", arena_str(v->a, str_of(there.text + 11)));
    json_set_text(o, "word", arena_str(v->a, str_of(there.word)));
    json_set_text(o, "ago", buf_text(&ago));
    return o;
}

/* ---- addresses ------------------------------------------------------ */

struct str page_view_path(struct arena *a, const char *before, struct str id,
                          const char *after)
{
    struct buf b = buf_make(a, id.n * 3 + 256);
    buf_put(&b, before);
    request_escape(&b, id);
    buf_put(&b, after);
    return buf_text(&b);
}

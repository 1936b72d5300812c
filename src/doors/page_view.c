/* The small things that pages are made of.
 *
 * A text of a stranger reaches a page only through here. Nothing in it stays
 * invisible: zero width, bidirectional and control characters are cut out and
 * shown by their number. */
#include "doors/page_view.h"

#include "base/clock.h"
#include "base/text.h"
#include "world/request.h"
#include "world/zone.h"

/* How many hidden characters of one page get a mark of their own; a page full
 * of them spells the others within the text. */
#define CODES_MAX 2000
#define LINES_MAX 12 /* of a text that is not folded */
#define START_MAX 40 /* characters that tell how a folded text begins */
#define ELLIPSIS "\xE2\x80\xA6"

struct page_view page_view(struct arena *a, int64_t now)
{
    return (struct page_view){.a = a, .now = now, .codes = CODES_MAX};
}

/* ---- hidden characters ---------------------------------------------- */

size_t page_view_hidden(struct str s)
{
    size_t n = 0;
    for (size_t at = 0; at < s.n;)
        n += text_hidden(str_rune(s, &at));
    return n;
}

static void add_segment(struct json *list, struct arena *a, const char *key,
                        struct str s)
{
    struct json *o = json_object(a);
    json_set_json(o, "text", NULL);
    json_set_json(o, "code", NULL);
    json_set_text(o, key, s);
    json_add_json(list, o);
}

static struct str code(struct arena *a, uint32_t rune)
{
    struct buf b = buf_make(a, 16);
    buf_printf(&b, "U+%04X", (unsigned)rune);
    return buf_text(&b);
}

static struct json *segments(struct page_view *v, struct str s)
{
    struct json *list = json_array(v->a);
    /* The longest spelling, "[U+0001]", stands for one byte. */
    struct buf run = buf_make(v->a, s.n * 8 + 1);
    for (size_t at = 0, from = 0; at < s.n;) {
        const size_t here = at;
        const uint32_t rune = str_rune(s, &at);
        const bool plain = !text_hidden(rune);
        if (plain && at < s.n)
            continue;
        buf_str(&run, str_sub(s, from, plain ? at : here));
        from = at;
        if (!plain && v->codes == 0)
            buf_printf(&run, "[U+%04X]", (unsigned)rune);
        if (run.n > 0 && (at == s.n || (!plain && v->codes > 0))) {
            add_segment(list, v->a, "text", buf_text(&run));
            run.n = 0;
        }
        if (!plain && v->codes > 0) {
            add_segment(list, v->a, "code", code(v->a, rune));
            v->codes--;
        }
    }
    return list;
}

struct json *page_view_text(struct page_view *v, struct str s)
{
    struct json *o = json_object(v->a), *list = json_array(v->a);
    struct buf note = buf_make(v->a, 64);
    const int64_t n = (int64_t)page_view_hidden(s);
    if (!s.p)
        return NULL;
    if (n > 0) {
        buf_str(&note, page_view_many(v->a, n, "hidden character"));
        buf_put(&note, " shown");
        list = segments(v, s);
    } else if (s.n > 0) {
        add_segment(list, v->a, "text", s);
    }
    json_set_text(o, "text", s);
    json_set_json(o, "segments", list);
    json_set_text(o, "hidden", buf_text(&note));
    return o;
}

/* ---- cut texts ------------------------------------------------------ */

static struct str cut(struct arena *a, struct str s, size_t max)
{
    const struct str head = str_head(s, max);
    struct buf b = buf_make(a, head.n + 8);
    if (head.n == s.n)
        return s;
    buf_str(&b, head);
    buf_put(&b, ELLIPSIS);
    return buf_text(&b);
}

struct json *page_view_head(struct page_view *v, struct str s, size_t max)
{
    return page_view_text(v, cut(v->a, s, max));
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
                  tall ? page_view_many(v->a, lines(s), "line")
                       : page_view_many(v->a, (int64_t)str_runes(s),
                                        "character"));
    json_set_json(o, "start", page_view_head(v, s, START_MAX));
    return o;
}

struct str page_view_plain(struct arena *a, struct str s, size_t max)
{
    const struct str head = cut(a, s, max);
    struct buf b = buf_make(a, head.n * 8 + 1);
    for (size_t at = 0; at < head.n;) {
        const size_t from = at;
        const uint32_t rune = str_rune(head, &at);
        if (text_hidden(rune))
            buf_printf(&b, "[U+%04X]", (unsigned)rune);
        else
            buf_str(&b, str_sub(head, from, at));
    }
    return b.n ? buf_text(&b) : STR("");
}

/* ---- moments and spans ---------------------------------------------- */

static void put_day(struct buf *b, const char *iso, bool year)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr",
                                         "May", "Jun", "Jul", "Aug",
                                         "Sep", "Oct", "Nov", "Dec"};
    const int month = (iso[5] - '0') * 10 + iso[6] - '0';
    if (iso[8] != '0')
        buf_char(b, iso[8]);
    buf_char(b, iso[9]);
    buf_char(b, ' ');
    buf_put(b, months[(month + 11) % 12]);
    buf_char(b, ' ');
    if (year) {
        buf_str(b, (struct str){iso, 4});
        buf_char(b, ' ');
    }
    buf_str(b, (struct str){iso + 11, 8});
}

struct str page_view_span(struct arena *a, int64_t us)
{
    struct buf b = buf_make(a, 64);
    const int64_t s = us > 0 ? us / CLOCK_SECOND : 0;
    if (s < 60)
        buf_printf(&b, "%lld s", (long long)s);
    else if (s < 3600)
        buf_printf(&b, "%lld min", (long long)(s / 60));
    else if (s < 172800)
        buf_printf(&b, "%lld h", (long long)(s / 3600));
    else
        buf_printf(&b, "%lld days", (long long)(s / 86400));
    return buf_text(&b);
}

/* "20 Nov 2026" */
static struct str day(struct arena *a, const char *iso)
{
    struct buf b = buf_make(a, 64);
    put_day(&b, iso, true);
    return str_sub(buf_text(&b), 0, b.n - sizeof " 03:12:04" + 1);
}

/* "20 Nov 2026 04:12:04 CET" */
static struct str moment_in(struct arena *a, struct str zone, int64_t t)
{
    struct buf b = buf_make(a, 64);
    struct zone_time there;
    zone_at(zone, t, &there);
    put_day(&b, there.text, true);
    buf_char(&b, ' ');
    buf_put(&b, there.word);
    return buf_text(&b);
}

struct str page_view_moment(struct arena *a, int64_t t)
{
    return moment_in(a, STR_NONE, t);
}

struct str page_view_when(const struct page_view *v, int64_t t)
{
    return moment_in(v->a, v->zone, t);
}

struct json *page_view_time(const struct page_view *v, int64_t t)
{
    struct json *o = json_object(v->a);
    struct zone_time there;
    struct buf z = buf_make(v->a, 64), brief = buf_make(v->a, 64);
    struct buf ago = buf_make(v->a, 64);
    if (t == 0)
        return NULL;
    zone_at(v->zone, t, &there);
    buf_str(&z, str_head(clock_rfc3339(v->a, t), 19));
    buf_char(&z, 'Z');
    put_day(&brief, there.text, false);
    buf_str(&ago, page_view_span(v->a, t > v->now ? t - v->now : v->now - t));
    buf_put(&ago, t > v->now ? " left" : " ago");
    json_set_text(o, "iso", buf_text(&z));
    json_set_text(o, "utc", page_view_moment(v->a, t));
    json_set_text(o, "text", page_view_when(v, t));
    json_set_text(o, "short", buf_text(&brief));
    json_set_text(o, "day", day(v->a, there.text));
    json_set_text(o, "clock", arena_str(v->a, str_of(there.text + 11)));
    json_set_text(o, "word", arena_str(v->a, str_of(there.word)));
    json_set_text(o, "ago", buf_text(&ago));
    return o;
}

/* ---- counts and addresses ------------------------------------------- */

struct str page_view_count(struct arena *a, int64_t n)
{
    struct buf digits = buf_make(a, 32), b = buf_make(a, 64);
    buf_int(&digits, n);
    for (size_t i = 0; i < digits.n; i++) {
        const size_t left = digits.n - i;
        if (i > 0 && left % 3 == 0 && digits.p[i - 1] != '-')
            buf_char(&b, ',');
        buf_char(&b, digits.p[i]);
    }
    return buf_text(&b);
}

struct str page_view_many(struct arena *a, int64_t n, const char *noun)
{
    struct buf b = buf_make(a, 128);
    buf_str(&b, page_view_count(a, n));
    buf_char(&b, ' ');
    buf_put(&b, noun);
    buf_put(&b, n == 1 ? "" : "s");
    return buf_text(&b);
}

struct str page_view_path(struct arena *a, const char *before, struct str id,
                          const char *after)
{
    struct buf b = buf_make(a, id.n * 3 + 256);
    buf_put(&b, before);
    request_escape(&b, id);
    buf_put(&b, after);
    return buf_text(&b);
}

struct str page_view_short_id(struct arena *a, struct str id)
{
    struct buf b = buf_make(a, 64);
    if (id.n <= 12)
        return id;
    buf_str(&b, str_sub(id, 0, 4));
    buf_put(&b, ELLIPSIS);
    buf_str(&b, str_sub(id, id.n - 4, id.n));
    return buf_text(&b);
}

struct str page_view_groups(struct arena *a, struct str hex, size_t groups)
{
    struct buf b = buf_make(a, hex.n * 2 + 1);
    for (size_t i = 0; i < hex.n && i < groups * 4; i += 4) {
        buf_put(&b, i ? " " : "");
        buf_str(&b, str_sub(hex, i, i + 4));
    }
    return buf_text(&b);
}

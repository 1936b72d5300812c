/* Text for people: cut texts, spans, moments, counts, ids. */
#include "world/template/words.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "world/template/zone.h"

#define ELLIPSIS "\xE2\x80\xA6"

/* ---- texts ---------------------------------------------------------- */

size_t words_hidden(struct str s)
{
    size_t n = 0;
    for (size_t at = 0; at < s.n; (void)str_rune(s, &at))
        n += text_hidden_at(s, at);
    return n;
}

struct str words_mixed(struct str s)
{
    return text_mixed(s) ? STR("letters of several alphabets") : STR("");
}

struct str words_name(struct arena *a, struct str name)
{
    const struct str mixed = words_mixed(name);
    if (mixed.n == 0)
        return name;
    return arena_join(a, name, STR(" ("), mixed, STR(")"));
}

struct str words_cut(struct arena *a, struct str s, size_t max)
{
    const struct str head = str_head(s, max);
    if (head.n == s.n)
        return s;
    return arena_join(a, head, str_of(ELLIPSIS));
}

struct str words_line(struct arena *a, struct str s, size_t max)
{
    struct str rest = str_trim(s);
    const struct str first = str_trim(str_cut(&rest, '\n'));
    return first.n ? words_cut(a,
                               arena_join(a, first,
                                          str_of(rest.p ? " " ELLIPSIS : "")),
                               max)
                   : STR("");
}

struct str words_plain(struct arena *a, struct str s, size_t max)
{
    const struct str head = words_cut(a, s, max);
    struct buf b = buf_make(a, head.n * 8 + 1);
    for (size_t at = 0; at < head.n;) {
        const size_t from = at;
        const uint32_t rune = str_rune(head, &at);
        if (text_hidden_at(head, from))
            buf_printf(&b, "[U+%04X]", (unsigned)rune);
        else
            buf_str(&b, str_sub(head, from, at));
    }
    return b.n ? buf_text(&b) : STR("");
}

/* ---- moments and spans ---------------------------------------------- */

static void words_put_day(struct buf *b, const char *iso, bool year)
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

struct str words_span(struct arena *a, int64_t us)
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

struct str words_day(struct arena *a, const char *iso)
{
    struct buf b = buf_make(a, 64);
    words_put_day(&b, iso, true);
    return str_sub(buf_text(&b), 0, b.n - sizeof " 03:12:04" + 1);
}

struct str words_brief(struct arena *a, const char *iso)
{
    struct buf b = buf_make(a, 64);
    words_put_day(&b, iso, false);
    return buf_text(&b);
}

struct str words_when(struct arena *a, struct str zone, int64_t t)
{
    struct buf b = buf_make(a, 64);
    struct zone_time there;
    zone_at(zone, t, &there);
    words_put_day(&b, there.text, true);
    buf_char(&b, ' ');
    buf_put(&b, there.word);
    return buf_text(&b);
}

struct str words_moment(struct arena *a, int64_t t)
{
    return words_when(a, STR_NONE, t);
}

/* ---- counts and ids ------------------------------------------------- */

struct str words_count(struct arena *a, int64_t n)
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

struct str words_many(struct arena *a, int64_t n, const char *noun)
{
    return arena_join(a, words_count(a, n), STR(" "), str_of(noun),
                      str_of(n == 1 ? "" : "s"));
}

struct str words_short_id(struct arena *a, struct str id)
{
    if (id.n <= 12)
        return id;
    return arena_join(a, str_sub(id, 0, 4), str_of(ELLIPSIS),
                      str_sub(id, id.n - 4, id.n));
}

struct str words_groups(struct arena *a, struct str hex, size_t groups)
{
    struct buf b = buf_make(a, hex.n * 2 + 1);
    for (size_t i = 0; i < hex.n && i < groups * 4; i += 4) {
        buf_put(&b, i ? " " : "");
        buf_str(&b, str_sub(hex, i, i + 4));
    }
    return buf_text(&b);
}

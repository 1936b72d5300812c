/* The small things of pages: nothing hidden stays hidden, whatever its size. */
#include "base/clock.h"
#include "doors/pages/shell/view.h"

#include "suite.h"

#define MINUTE (60 * CLOCK_SECOND)
/* 2026-11-20T03:12:04Z */
#define NOW (INT64_C(1795144324) * CLOCK_SECOND)

static struct page_view v;

SUITE_WITH(page_view, v = page_view(a, NOW));

static const char *z(struct str s)
{
    return arena_z(a, s);
}

static const char *member(const struct json *o, const char *key)
{
    cr_assert(json_is(json_get(o, key), JSON_STRING), "no %s", key);
    return z(json_get_text(o, key));
}

/* "Refund|<U+200B>| 10": texts and codes, in order. */
static const char *spelt(const struct json *shown)
{
    struct buf b = buf_make(a, 1 << 20);
    const struct json *list = json_get(shown, "segments");
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *s = json_at(list, i);
        const struct json *text = json_get(s, "text");
        const struct json *code = json_get(s, "code");
        cr_assert(json_has(s, "text") && json_has(s, "code"));
        cr_assert(!text != !code, "exactly one of text and code");
        buf_put(&b, i ? "|" : "");
        buf_put(&b, code ? "<" : "");
        buf_str(&b, json_text(code ? code : text));
        buf_put(&b, code ? ">" : "");
    }
    return z(buf_text(&b));
}

static const char *shown(const char *text)
{
    return spelt(page_view_text(&v, str_of(text)));
}

Test(page_view, plain_text_is_one_segment)
{
    const struct json *o = page_view_text(&v, STR("Zwölf\tBoxkämpfer\n"));
    cr_assert_str_eq(spelt(o), "Zwölf\tBoxkämpfer\n");
    cr_assert_str_eq(member(o, "text"), "Zwölf\tBoxkämpfer\n");
    cr_assert_str_eq(member(o, "hidden"), "");
    cr_assert_eq(json_count(json_get(o, "segments")), 1);
}

Test(page_view, empty_text_has_no_segment_and_none_is_null)
{
    const struct json *o = page_view_text(&v, STR(""));
    cr_assert_eq(json_count(json_get(o, "segments")), 0);
    cr_assert(json_is(json_get(o, "segments"), JSON_ARRAY));
    cr_assert_str_eq(member(o, "text"), "");
    cr_assert_null(page_view_text(&v, STR_NONE));
}

Test(page_view, hidden_characters_are_cut_out_as_codes)
{
    const struct json *o = page_view_text(
        &v, STR("Refund\u200B 10\u202E,000\u202C EUR"));
    cr_assert_str_eq(spelt(o),
                     "Refund|<U+200B>| 10|<U+202E>|,000|<U+202C>| EUR");
    cr_assert_str_eq(member(o, "hidden"), "3 hidden characters shown");
    cr_assert_str_eq(shown("\u2066\u2069\u200B"),
                     "<U+2066>|<U+2069>|<U+200B>");
}

Test(page_view, every_kind_of_hidden_character)
{
    static const char *const texts[][2] = {
        {"a\x01z", "a|<U+0001>|z"},     {"a\rz", "a|<U+000D>|z"},
        {"a\x1Bz", "a|<U+001B>|z"},     {"a\x7Fz", "a|<U+007F>|z"},
        {"a\xC2\x85z", "a|<U+0085>|z"}, {"a\u00ADz", "a|<U+00AD>|z"},
        {"a\u034Fz", "a|<U+034F>|z"},   {"a\u061Cz", "a|<U+061C>|z"},
        {"a\u115Fz", "a|<U+115F>|z"},   {"a\u180Ez", "a|<U+180E>|z"},
        {"a\u200Dz", "a|<U+200D>|z"},   {"a\u200Fz", "a|<U+200F>|z"},
        {"a\u2028z", "a|<U+2028>|z"},   {"a\u2029z", "a|<U+2029>|z"},
        {"a\u2060z", "a|<U+2060>|z"},   {"a\u2800z", "a|<U+2800>|z"},
        {"a\u3164z", "a|<U+3164>|z"},   {"a\uFE0Fz", "a|<U+FE0F>|z"},
        {"a\uFEFFz", "a|<U+FEFF>|z"},   {"a\uFFA0z", "a|<U+FFA0>|z"},
        {"a\uFFF9z", "a|<U+FFF9>|z"},   {"a\U000E0041z", "a|<U+E0041>|z"},
        {"a\U000E0100z", "a|<U+E0100>|z"},
    };
    for (size_t i = 0; i < countof(texts); i++) {
        cr_assert_str_eq(shown(texts[i][0]), texts[i][1]);
        cr_assert_eq(words_hidden(str_of(texts[i][0])), 1);
    }
}

Test(page_view, ordinary_letters_of_the_world_are_left_alone)
{
    static const char *const texts[] = {
        "שלום עולם", "مرحبا", "日本語", "Ayd\u0131n", "e\u0301", "\u00A0",
        "\U0001F600", "\uFFFD"};
    for (size_t i = 0; i < countof(texts); i++) {
        cr_assert_str_eq(shown(texts[i]), texts[i]);
        cr_assert_eq(words_hidden(str_of(texts[i])), 0);
    }
}

Test(page_view, a_page_full_of_them_spells_the_rest_within_the_text)
{
    struct buf b = buf_make(a, 1 << 20);
    for (int i = 0; i < 10000; i++)
        buf_put(&b, "a\u200B");
    const struct json *o = page_view_text(&v, buf_text(&b));
    const struct json *list = json_get(o, "segments");
    cr_assert_lt(json_count(list), 5000);
    cr_assert_str_eq(member(o, "hidden"), "10,000 hidden characters shown");
    const struct json *last = json_at(list, json_count(list) - 1);
    const struct str rest = json_get_text(last, "text");
    cr_assert_eq(words_hidden(rest), 0);
    cr_assert(str_ends(rest, STR("a[U+200B]a[U+200B]")));
    /* The next text of the page has no marks left either. */
    cr_assert_str_eq(shown("x\u200By"), "x[U+200B]y");
}

Test(page_view, ten_thousand_characters_whole_and_folded)
{
    struct buf b = buf_make(a, 1 << 20);
    for (int i = 0; i < 10000; i++)
        buf_put(&b, "ä");
    const struct str text = buf_text(&b);
    const struct json *o = page_view_text(&v, text);
    cr_assert(str_eq(json_get_text(o, "text"), text));
    const struct json *fold = page_view_long(&v, text, 200);
    cr_assert_str_eq(member(fold, "count"), "10,000 characters");
    const struct str start = json_get_text(json_get(fold, "start"), "text");
    cr_assert_eq(str_runes(start), 41);
    cr_assert(str_ends(start, STR("ä…")));
    cr_assert_null(page_view_long(&v, text, 10000));
    cr_assert_not_null(page_view_long(&v, text, 9999));
}

Test(page_view, heads_and_lines)
{
    cr_assert_str_eq(member(page_view_head(&v, STR("abc"), 3), "text"), "abc");
    cr_assert_str_eq(member(page_view_head(&v, STR("äöü"), 2), "text"), "äö…");
    cr_assert_str_eq(member(page_view_line(&v, STR(" \n one \ntwo")), "text"),
                     "one …");
    cr_assert_str_eq(member(page_view_line(&v, STR(" one\n \n")), "text"),
                     "one");
    cr_assert_null(page_view_line(&v, STR(" \n ")));
    cr_assert_null(page_view_line(&v, STR_NONE));
}

Test(page_view, plain_text_spells_what_is_hidden)
{
    cr_assert_str_eq(z(words_plain(a, STR("a\u202Eb"), 10)), "a[U+202E]b");
    cr_assert_str_eq(z(words_plain(a, STR("abcdef"), 3)), "abc…");
    cr_assert_str_eq(z(words_plain(a, STR_NONE, 3)), "");
}

Test(page_view, times)
{
    const struct json *o = page_view_time(&v, NOW - 43 * MINUTE - 7);
    cr_assert_str_eq(member(o, "iso"), "2026-11-20T02:29:03Z");
    cr_assert_str_eq(member(o, "text"), "20 Nov 2026 02:29:03 UTC");
    cr_assert_str_eq(member(o, "short"), "20 Nov 02:29:03");
    cr_assert_str_eq(member(o, "clock"), "02:29:03");
    cr_assert_str_eq(member(o, "ago"), "43 min ago");
    cr_assert_str_eq(member(page_view_time(&v, NOW + 8 * MINUTE), "ago"),
                     "8 min left");
    cr_assert_null(page_view_time(&v, 0));
    cr_assert_str_eq(member(o, "utc"), member(o, "text"));
    cr_assert_str_eq(member(o, "day"), "20 Nov 2026");
    cr_assert_str_eq(member(o, "word"), "UTC");
}

/* What a reader reads is theirs; what a program reads stays. */
Test(page_view, times_in_the_zone_of_the_reader)
{
    v.zone = STR("America/New_York");
    const struct json *o = page_view_time(&v, NOW - 43 * MINUTE - 7);
    cr_assert_str_eq(member(o, "iso"), "2026-11-20T02:29:03Z");
    cr_assert_str_eq(member(o, "utc"), "20 Nov 2026 02:29:03 UTC");
    cr_assert_str_eq(member(o, "text"), "19 Nov 2026 21:29:03 EST");
    cr_assert_str_eq(member(o, "short"), "19 Nov 21:29:03");
    cr_assert_str_eq(member(o, "day"), "19 Nov 2026");
    cr_assert_str_eq(member(o, "clock"), "21:29:03");
    cr_assert_str_eq(member(o, "word"), "EST");
    cr_assert_str_eq(member(o, "ago"), "43 min ago");
    cr_assert_str_eq(z(page_view_when(&v, CLOCK_SECOND)),
                     "31 Dec 1969 19:00:01 EST");
    cr_assert_str_eq(z(words_moment(a, CLOCK_SECOND)),
                     "1 Jan 1970 00:00:01 UTC");
}

Test(page_view, spans)
{
    static const struct {
        int64_t seconds;
        const char *words;
    } spans[] = {{-5, "0 s"},       {59, "59 s"},      {60, "1 min"},
                 {3599, "59 min"},  {3600, "1 h"},     {172799, "47 h"},
                 {172800, "2 days"}, {8640000, "100 days"}};
    for (size_t i = 0; i < countof(spans); i++)
        cr_assert_str_eq(z(words_span(a, spans[i].seconds * CLOCK_SECOND)),
                         spans[i].words);
}

Test(page_view, counts)
{
    cr_assert_str_eq(z(words_count(a, 0)), "0");
    cr_assert_str_eq(z(words_count(a, 999)), "999");
    cr_assert_str_eq(z(words_count(a, 1284)), "1,284");
    cr_assert_str_eq(z(words_count(a, -1234567)), "-1,234,567");
    cr_assert_str_eq(z(words_many(a, 1, "event")), "1 event");
    cr_assert_str_eq(z(words_many(a, 1000, "event")), "1,000 events");
}

Test(page_view, addresses)
{
    cr_assert_str_eq(z(page_view_path(a, "/x/", STR("a b/é~"), "/y")),
                     "/x/a%20b%2F%C3%A9~/y");
    cr_assert_str_eq(z(words_short_id(a, STR("q1"))), "q1");
    cr_assert_str_eq(
        z(words_short_id(a, STR("7c0e4f2a-58b1-4b7e-9f0d-3a6c1d20b41d"))),
        "7c0e…b41d");
    cr_assert_str_eq(z(words_groups(a, STR("9f2c71aa5b"), 9)), "9f2c 71aa 5b");
    cr_assert_str_eq(z(words_groups(a, STR("9f2c71aa5b"), 2)), "9f2c 71aa");
    cr_assert_str_eq(z(words_groups(a, STR_NONE, 2)), "");
}

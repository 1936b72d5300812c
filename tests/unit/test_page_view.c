/* The small things of pages, and their words. */
#include "base/clock.h"
#include "doors/pages/shell/view.h"

#include "suite.h"

/* 2026-11-20T03:12:04Z */
#define NOW (INT64_C(1795144324) * CLOCK_SECOND)

static struct page_view v;

SUITE_WITH(page_view, v = page_view(a, NOW));

static const char *z(struct str s)
{
    return arena_z(a, s);
}

Test(page_view, ten_thousand_characters_are_folded)
{
    struct buf b = buf_make(a, 1 << 20);
    for (int i = 0; i < 10000; i++)
        buf_put(&b, "ä");
    const struct str text = buf_text(&b);
    const struct json *fold = page_view_long(&v, text, 200);
    cr_assert(str_is(json_get_text(fold, "count"), "10,000 characters"));
    const struct str start = json_get_text(fold, "start");
    cr_assert_eq(str_runes(start), 41);
    cr_assert(str_ends(start, STR("ä…")));
    cr_assert_null(page_view_long(&v, text, 10000));
    cr_assert_not_null(page_view_long(&v, text, 9999));
}

Test(page_view, heads_and_lines)
{
    cr_assert_str_eq(z(words_cut(a, STR("abc"), 3)), "abc");
    cr_assert_str_eq(z(words_cut(a, STR("äöü"), 2)), "äö…");
    cr_assert_str_eq(z(words_line(a, STR(" \n one \ntwo"), 9)), "one …");
    cr_assert_str_eq(z(words_line(a, STR(" one\n \n"), 9)), "one");
    cr_assert_str_eq(z(words_line(a, STR("eleven\n"), 5)), "eleve…");
    cr_assert_eq(words_line(a, STR(" \n "), 9).n, 0);
    cr_assert_eq(words_line(a, STR_NONE, 9).n, 0);
}

Test(page_view, plain_text_spells_what_is_hidden)
{
    cr_assert_str_eq(z(words_plain(a, STR("a\u202Eb"), 10)), "a[U+202E]b");
    cr_assert_str_eq(z(words_plain(a, STR("abcdef"), 3)), "abc…");
    cr_assert_str_eq(z(words_plain(a, STR_NONE, 3)), "");
}

Test(page_view, a_name_of_several_alphabets_says_so)
{
    cr_assert_str_eq(z(words_name(a, STR("refunds"))), "refunds");
    cr_assert_str_eq(z(words_name(a, STR("refunds-\u0430gent"))),
                     "refunds-\u0430gent (letters of several alphabets)");
    cr_assert_eq(words_mixed(STR("\u0430\u0431 (key)")).n, 0);
    cr_assert_eq(words_mixed(STR_NONE).n, 0);
}

Test(page_view, moments)
{
    struct json *o = json_object(a);
    page_view_set_time(o, "at", NOW);
    page_view_set_time(o, "none", 0);
    cr_assert_eq(json_int(json_get(o, "at")), NOW);
    cr_assert(json_has(o, "none"));
    cr_assert_null(json_get(o, "none"));
}

/* A moment for one reader is in their zone. */
Test(page_view, moments_within_a_sentence)
{
    v.zone = STR("America/New_York");
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

/* Slices: what base/str.h promises, one table for each promise. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/str.h"

TestSuite(str);

Test(str, of_null_is_none_and_of_empty_is_not)
{
    cr_expect(eq(ptr, (void *)str_of(NULL).p, NULL));
    cr_expect(eq(sz, str_of(NULL).n, 0));
    cr_expect(str_of("").p != NULL);
    cr_expect(eq(sz, str_of("abc").n, 3));
}

Test(str, equality)
{
    static const struct {
        const char *a, *b;
        bool same, same_nocase;
    } rows[] = {
        {"", "", true, true},        {NULL, "", true, true},
        {"", NULL, true, true},      {"a", "a", true, true},
        {"a", "A", false, true},     {"a", "ab", false, false},
        {"Accept", "aCCEPT", false, true},
        {"[", "{", false, false},    {"@", "`", false, false},
        {"\xC3\x84", "\xC3\xA4", false, false},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str a = str_of(rows[i].a);
        const struct str b = str_of(rows[i].b);
        cr_expect(str_eq(a, b) == rows[i].same, "row %zu", i);
        cr_expect(str_is(a, rows[i].b) == rows[i].same, "row %zu", i);
        cr_expect(str_is_nocase(a, rows[i].b) == rows[i].same_nocase,
                  "row %zu", i);
    }
    cr_expect(not(str_eq(STR("a\0b"), STR("a\0c"))));
}

Test(str, a_copy_fits_or_is_empty)
{
    char room[4] = "old";
    cr_expect(str_copy(room, sizeof room, STR("abc")));
    cr_expect(eq(str, room, "abc"));
    cr_expect(not(str_copy(room, sizeof room, STR("abcd"))));
    cr_expect(eq(str, room, ""));
    cr_expect(str_copy(room, sizeof room, STR_NONE));
    cr_expect(eq(str, room, ""));
}

Test(str, order)
{
    static const struct {
        const char *a, *b;
        int sign;
    } rows[] = {
        {"", "", 0},    {NULL, "", 0},      {"", "a", -1},   {"a", "", 1},
        {"a", "b", -1}, {"ab", "a", 1},     {"B", "a", -1},  {"a", "a", 0},
        {"z", "\xC3\xA4", -1},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const int c = str_cmp(str_of(rows[i].a), str_of(rows[i].b));
        const int sign = (c > 0) - (c < 0);
        cr_expect(eq(int, sign, rows[i].sign), "row %zu: %d", i, c);
    }
}

Test(str, starts_and_ends)
{
    static const struct {
        const char *s, *part;
        bool starts, ends;
    } rows[] = {
        {"", "", true, true},       {NULL, NULL, true, true},
        {"abc", "", true, true},    {"abc", "ab", true, false},
        {"abc", "bc", false, true}, {"abc", "abc", true, true},
        {"abc", "abcd", false, false},
        {"", "a", false, false},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str s = str_of(rows[i].s), part = str_of(rows[i].part);
        cr_expect(str_starts(s, part) == rows[i].starts, "row %zu", i);
        cr_expect(str_ends(s, part) == rows[i].ends, "row %zu", i);
    }
}

Test(str, finding_a_byte)
{
    static const struct {
        const char *s;
        size_t from, at;
    } rows[] = {
        {"a,b,c", 0, 1}, {"a,b,c", 1, 1}, {"a,b,c", 2, 3}, {"a,b,c", 4, 5},
        {"a,b,c", 5, 5}, {"a,b,c", 99, 5}, {"", 0, 0},     {NULL, 0, 0},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_expect(eq(sz, str_find(str_of(rows[i].s), ',', rows[i].from),
                     rows[i].at), "row %zu", i);
}

Test(str, counting)
{
    static const struct {
        const char *s;
        size_t feeds, lines;
    } rows[] = {{NULL, 0, 0},   {"", 0, 0},      {"a", 0, 1},
                {"\n", 1, 1},   {"a\n", 1, 1},   {"a\nb", 1, 2},
                {"\n\n", 2, 2}, {"a\n\nb", 2, 3}};
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str s = str_of(rows[i].s);
        cr_expect(eq(sz, str_count(s, '\n'), rows[i].feeds), "row %zu", i);
        cr_expect(eq(sz, str_lines(s), rows[i].lines), "row %zu", i);
    }
}

Test(str, searching)
{
    static const struct {
        const char *s, *needle;
        size_t at, at_nocase;
    } rows[] = {
        {"hello", "", 0, 0},      {"", "", 0, 0},    {NULL, "", 0, 0},
        {"hello", "hello", 0, 0}, {"hello", "lo", 3, 3},
        {"hello", "LO", 5, 3},    {"hello", "hellos", 5, 5},
        {"", "x", 0, 0},          {"aab", "ab", 1, 1},
        {"HELLO hello", "hello", 6, 0},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str s = str_of(rows[i].s);
        const struct str needle = str_of(rows[i].needle);
        cr_expect(eq(sz, str_search(s, needle), rows[i].at), "row %zu", i);
        cr_expect(eq(sz, str_search_nocase(s, needle), rows[i].at_nocase),
                  "row %zu", i);
    }
}

Test(str, sub_clamps)
{
    static const struct {
        size_t from, to;
        const char *is;
    } rows[] = {
        {0, 5, "hello"}, {1, 3, "el"}, {3, 99, "lo"},        {5, 5, ""},
        {9, 12, ""},     {4, 2, ""},   {0, SIZE_MAX, "hello"}, {0, 0, ""},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str s = str_sub(STR("hello"), rows[i].from, rows[i].to);
        cr_expect(str_is(s, rows[i].is) && s.p, "row %zu: %.*s", i,
                  STR_FMT(s));
    }
    cr_expect(eq(ptr, (void *)str_sub(STR_NONE, 0, 1).p, NULL));
}

Test(str, trim)
{
    static const struct {
        const char *s, *is;
    } rows[] = {
        {"", ""},       {" ", ""},          {" \t\r\n", ""},
        {"a", "a"},     {" a b\t", "a b"},  {"a\r\n", "a"},
        {"\va", "\va"}, {"\xC2\xA0" "a", "\xC2\xA0" "a"},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_expect(str_is(str_trim(str_of(rows[i].s)), rows[i].is), "row %zu",
                  i);
    cr_expect(eq(sz, str_trim(STR_NONE).n, 0));
}

Test(str, skip_space_from_a_place_on)
{
    const struct str s = STR(" \t\r\na\v b ");
    static const size_t behind[] = {4, 4, 4, 4, 4, 5, 7, 7, 9, 9, 10};
    for (size_t from = 0; from < countof(behind); from++)
        cr_expect(eq(sz, str_skip_space(s, from), behind[from]), "%zu", from);
    cr_expect(eq(sz, str_skip_space(STR_NONE, 0), 0));
    cr_expect(eq(sz, str_skip_space(STR_NONE, 3), 3));
}

Test(str, cut_gives_every_part_once)
{
    static const struct {
        const char *s;
        size_t parts;
        const char *is[4];
    } rows[] = {
        {"a", 1, {"a"}},
        {"", 1, {""}},
        {"a,b", 2, {"a", "b"}},
        {"a,", 2, {"a", ""}},
        {",a", 2, {"", "a"}},
        {",,", 3, {"", "", ""}},
        {NULL, 0, {NULL}},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct str rest = str_of(rows[i].s);
        size_t n = 0;
        while (rest.p && n < 4) {
            const struct str part = str_cut(&rest, ',');
            cr_expect(part.p != NULL, "row %zu", i);
            cr_expect(str_is(part, rows[i].is[n]), "row %zu part %zu", i, n);
            n++;
        }
        cr_expect(eq(sz, n, rows[i].parts), "row %zu", i);
    }
    struct str none = STR_NONE;
    cr_expect(eq(ptr, (void *)str_cut(&none, ',').p, NULL));
}

Test(str, whole_numbers)
{
    static const struct {
        const char *s;
        int64_t min, max;
        bool ok;
        int64_t is;
    } rows[] = {
        {"0", INT64_MIN, INT64_MAX, true, 0},
        {"-0", INT64_MIN, INT64_MAX, true, 0},
        {"007", 0, 7, true, 7},
        {"42", 0, 42, true, 42},
        {"43", 0, 42, false, 0},
        {"-1", 0, 42, false, 0},
        {"-1", -1, 42, true, -1},
        {"9223372036854775807", INT64_MIN, INT64_MAX, true, INT64_MAX},
        {"9223372036854775808", INT64_MIN, INT64_MAX, false, 0},
        {"-9223372036854775808", INT64_MIN, INT64_MAX, true, INT64_MIN},
        {"-9223372036854775809", INT64_MIN, INT64_MAX, false, 0},
        {"92233720368547758070", INT64_MIN, INT64_MAX, false, 0},
        {"18446744073709551616", INT64_MIN, INT64_MAX, false, 0},
        {"", INT64_MIN, INT64_MAX, false, 0},
        {NULL, INT64_MIN, INT64_MAX, false, 0},
        {"-", INT64_MIN, INT64_MAX, false, 0},
        {"--1", INT64_MIN, INT64_MAX, false, 0},
        {"+1", INT64_MIN, INT64_MAX, false, 0},
        {" 1", INT64_MIN, INT64_MAX, false, 0},
        {"1 ", INT64_MIN, INT64_MAX, false, 0},
        {"1.0", INT64_MIN, INT64_MAX, false, 0},
        {"1e3", INT64_MIN, INT64_MAX, false, 0},
        {"0x1", INT64_MIN, INT64_MAX, false, 0},
        {"1:", INT64_MIN, INT64_MAX, false, 0},
        {"\xD9\xA1", INT64_MIN, INT64_MAX, false, 0},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        int64_t v = 77;
        cr_expect(str_int(str_of(rows[i].s), rows[i].min, rows[i].max, &v) ==
                      rows[i].ok, "row %zu", i);
        cr_expect(eq(i64, v, rows[i].ok ? rows[i].is : 77), "row %zu", i);
    }
    int64_t v = 77;
    cr_expect(not(str_int(STR("1\0"), 0, 9, &v)));
}

/* Whole texts: well-formed or not, and how many code points or pieces. */
static const struct {
    struct str s;
    bool ok;
    size_t runes;
} utf8[] = {
    {{"", 0}, true, 0},
    {{NULL, 0}, true, 0},
    {{"abc", 3}, true, 3},
    {{"\x7F", 1}, true, 1},
    {{"\xC2\x80", 2}, true, 1},             /* U+0080 */
    {{"\xDF\xBF", 2}, true, 1},             /* U+07FF */
    {{"\xE0\xA0\x80", 3}, true, 1},         /* U+0800 */
    {{"\xED\x9F\xBF", 3}, true, 1},         /* U+D7FF */
    {{"\xEE\x80\x80", 3}, true, 1},         /* U+E000 */
    {{"\xEF\xBF\xBF", 3}, true, 1},         /* U+FFFF */
    {{"\xF0\x90\x80\x80", 4}, true, 1},     /* U+10000 */
    {{"\xF4\x8F\xBF\xBF", 4}, true, 1},     /* U+10FFFF */
    {{"a\0b", 3}, false, 3},                /* NUL is not for us */
    {{"\x80", 1}, false, 1},                /* lone continuation */
    {{"\xBF", 1}, false, 1},
    {{"\xC0\x80", 2}, false, 2},            /* overlong NUL */
    {{"\xC0\xAF", 2}, false, 2},            /* overlong '/' */
    {{"\xC1\xBF", 2}, false, 2},            /* overlong U+007F */
    {{"\xE0\x80\xAF", 3}, false, 3},        /* overlong '/' */
    {{"\xE0\x9F\xBF", 3}, false, 3},        /* overlong U+07FF */
    {{"\xF0\x80\x80\xAF", 4}, false, 4},    /* overlong '/' */
    {{"\xF0\x8F\xBF\xBF", 4}, false, 4},    /* overlong U+FFFF */
    {{"\xED\xA0\x80", 3}, false, 3},        /* surrogate U+D800 */
    {{"\xED\xBF\xBF", 3}, false, 3},        /* surrogate U+DFFF */
    {{"\xF4\x90\x80\x80", 4}, false, 4},    /* U+110000 */
    {{"\xF5\x80\x80\x80", 4}, false, 4},
    {{"\xF8\x88\x80\x80\x80", 5}, false, 5},
    {{"\xFE", 1}, false, 1},
    {{"\xFF", 1}, false, 1},
    {{"\xC3", 1}, false, 1},                /* cut off */
    {{"\xE2\x82", 2}, false, 2},
    {{"\xF0\x9F\x98", 3}, false, 3},
    {{"\xE2\x28\xA1", 3}, false, 3},        /* wrong second byte */
    {{"\xE2\x82\x28", 3}, false, 3},        /* wrong third byte */
    {{"\xC3\xA4\xC3", 3}, false, 2},        /* good, then cut off */
};

Test(str, utf8)
{
    for (size_t i = 0; i < countof(utf8); i++) {
        cr_expect(str_utf8(utf8[i].s) == utf8[i].ok, "row %zu", i);
        cr_expect(eq(sz, str_runes(utf8[i].s), utf8[i].runes), "row %zu", i);
    }
}

Test(str, every_code_point_reads_back)
{
    for (uint32_t r = 1; r <= 0x10FFFF; r++) {
        if (r >= 0xD800 && r <= 0xDFFF)
            continue;
        char p[4];
        size_t n = 1;
        if (r < 0x80) {
            p[0] = (char)r;
        } else {
            n = r < 0x800 ? 2 : r < 0x10000 ? 3 : 4;
            for (size_t i = n - 1; i > 0; i--)
                p[i] = (char)(0x80 | (r >> (6 * (n - 1 - i)) & 0x3F));
            p[0] = (char)((0xF00u >> n & 0xFF) | r >> (6 * (n - 1)));
        }
        size_t at = 0;
        if (str_rune((struct str){p, n}, &at) != r || at != n)
            cr_fatal("U+%04X reads wrong", (unsigned)r);
    }
}

Test(str, runes_make_progress_over_anything)
{
    const struct str s = STR("a\xFF\xC3\xA4\xE2\x82");
    static const uint32_t is[] = {'a', 0xFFFD, 0xE4, 0xFFFD, 0xFFFD};
    size_t at = 0;
    for (size_t i = 0; i < countof(is); i++)
        cr_expect(eq(u32, str_rune(s, &at), is[i]), "rune %zu", i);
    cr_expect(eq(sz, at, s.n));
    cr_expect(eq(u32, str_rune(s, &at), 0xFFFD));
    cr_expect(eq(sz, at, s.n));
}

Test(str, head)
{
    static const struct {
        const char *s;
        size_t n;
        const char *is;
    } rows[] = {
        {"abc", 0, ""},
        {"abc", 2, "ab"},
        {"abc", 3, "abc"},
        {"abc", SIZE_MAX, "abc"},
        {"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z", 3,
         "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"},
        {"ab\xE2\x82", 9, "ab"},
        {"ab\xFF" "cd", 9, "ab"},
        {"", 9, ""},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_expect(str_is(str_head(str_of(rows[i].s), rows[i].n), rows[i].is),
                  "row %zu", i);
    cr_expect(eq(ptr, (void *)str_head(STR_NONE, 3).p, NULL));
}

Test(str, listed)
{
    const struct str words = STR("a bc  d");
    cr_expect(str_listed(words, STR("a")) && str_listed(words, STR("bc")));
    cr_expect(str_listed(words, STR("d")));
    cr_expect(not(str_listed(words, STR("b"))));
    cr_expect(not(str_listed(words, STR("a bc"))));
    cr_expect(not(str_listed(words, STR(""))));
    cr_expect(not(str_listed(STR_NONE, STR("a"))));
    cr_expect(not(str_listed(STR(""), STR(""))));
}

Test(str, percent_decoding)
{
    static const struct {
        const char *text, *plain;
        bool plus;
    } rows[] = {
        {"", "", false},       {"a+b", "a+b", false}, {"a+b", "a b", true},
        {"%41%7e", "A~", false}, {"%2B+", "+ ", true}, {"%", NULL, false},
        {"%4", NULL, false},   {"%4g", NULL, false},  {"a%", NULL, true},
        {"%%41", NULL, false},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        char out[16];
        const size_t n = str_unescape(str_of(rows[i].text), rows[i].plus, out);
        if (rows[i].plain)
            cr_assert(str_is((struct str){out, n}, rows[i].plain), "%s",
                      rows[i].text);
        else
            cr_assert_eq(n, SIZE_MAX, "%s", rows[i].text);
    }
    cr_assert_eq(str_hex('f'), 15);
    cr_assert_eq(str_hex('F'), 15);
    cr_assert_eq(str_hex('g'), -1);
}

/* The values are those of the published test vectors, but for the lowest bit. */
Test(str, hashes)
{
    cr_expect_eq(str_hash(STR("")), UINT64_C(0xcbf29ce484222325));
    cr_expect_eq(str_hash(STR("a")), UINT64_C(0xaf63dc4c8601ec8d));
    cr_expect_eq(str_hash(STR("foobar")), UINT64_C(0x85944171f73967e9));
    cr_expect_neq(str_hash(STR("ab")), str_hash(STR("ba")));
}

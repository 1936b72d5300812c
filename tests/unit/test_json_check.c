/* The gate and the raw bytes of a member. */
#include "base/json/json.h"

#include "suite.h"

SUITE(json_check);

/* Texts with a NUL inside need a length of their own. */
#define CASE(lit) {(lit), sizeof(lit) - 1}

static void passes(struct str text)
{
    const struct err *e = json_check(a, text);
    cr_assert(e == NULL, "refused %.*s: %s", STR_FMT(text), e ? e->code : "");
}

static void refused(struct str text, const char *code)
{
    const struct err *e = json_check(a, text);
    cr_assert(e != NULL, "passed %.*s", STR_FMT(text));
    cr_assert_str_eq(e->code, code, "%.*s: %s", STR_FMT(text), e->code);
    cr_assert_eq(e->kind, ERR_BAD_REQUEST);
    cr_assert(e->say.n > 0 && str_starts(e->at, STR("line ")));
}

/* n times what, between before and after. */
static struct str repeated(const char *before, const char *what, size_t n,
                           const char *after)
{
    struct buf b = buf_make(a, (size_t)16 << 20);
    buf_put(&b, before);
    for (size_t i = 0; i < n; i++)
        buf_put(&b, what);
    buf_put(&b, after);
    cr_assert(!b.over);
    return buf_text(&b);
}

/* {"k0":0,"k1":0,...} with n members. */
static struct str members(size_t n)
{
    struct buf b = buf_make(a, (size_t)16 << 20);
    buf_char(&b, '{');
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s\"k%zu\":0", i ? "," : "", i);
    buf_char(&b, '}');
    return buf_text(&b);
}

Test(json_check, well_formed)
{
    static const struct str good[] = {
        CASE("null"), CASE("true"), CASE(" false\r\n\t "), CASE("\"\""),
        CASE("{}"), CASE("[]"), CASE("[ ]"), CASE("{ }"), CASE("[[],{}]"),
        CASE("{\"a\":{\"a\":{\"a\":[]}},\"b\":{\"a\":1}}"),
        CASE("[{\"a\":1},{\"a\":2}]"), CASE("{\"\":0}"),
        CASE("{\"a\":1,\"A\":2,\"a \":3,\"aa\":4}"),
        CASE("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\""),
        CASE("\"\x7F \xC2\x80 \xEF\xBF\xBD \xEF\xBF\xBF\""),
        CASE("\"\xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF \xED\x9F\xBF\""),
        CASE("\" \\uFFFF \\uD7FF \\uE000 \\u0001\""),
    };
    for (size_t i = 0; i < countof(good); i++)
        passes(good[i]);
}

Test(json_check, numbers_that_fit)
{
    static const struct str good[] = {
        CASE("0"), CASE("-0"), CASE("-0.0"), CASE("0e0"), CASE("1E+2"),
        CASE("[1.5e-3]"), CASE("9223372036854775807"),
        CASE("-9223372036854775808"), CASE("1e-400"), CASE("1e21"),
        CASE("-1.7976931348623157e308"), CASE("9007199254740994.0"),
        CASE("1e18"),
        CASE("0.1000000000000000055511151231257827"),
    };
    for (size_t i = 0; i < countof(good); i++)
        passes(good[i]);
}

Test(json_check, numbers_that_do_not_fit)
{
    static const struct str bad[] = {
        CASE("9223372036854775808"), CASE("-9223372036854775809"),
        CASE("[18446744073709551615]"), CASE("1e309"), CASE("-1e400"),
        CASE("1e99999999999999999999"), CASE("1e20"), CASE("-1e20"),
        CASE("9223372036854775808.0"), CASE("123456789012345678901.5"),
        CASE("222222222222222222.022219"), CASE("9223372036854774784.0"),
        CASE("-222222222222222222.5"),
    };
    for (size_t i = 0; i < countof(bad); i++)
        refused(bad[i], "json.number");
}

Test(json_check, a_number_has_a_longest_spelling)
{
    passes(repeated("0.", "1", JSON_NUMBER_MAX - 2, ""));
    refused(repeated("0.", "1", JSON_NUMBER_MAX - 1, ""), "json.number");
    refused(repeated("", "9", 1000000, ""), "json.number");
}

Test(json_check, malformed_structure)
{
    static const struct str bad[] = {
        CASE(""), CASE(" "), CASE("\xEF\xBB\xBFnull"), CASE("["), CASE("]"),
        CASE("{"), CASE("}"), CASE("[}"), CASE("{]"), CASE("[1,]"),
        CASE("[,1]"), CASE("[1,,2]"), CASE("[1 2]"), CASE("{\"a\"}"),
        CASE("{\"a\":}"), CASE("{\"a\":1,}"), CASE("{,}"), CASE("{1:2}"),
        CASE("{\"a\" 1}"), CASE("{\"a\":1 \"b\":2}"), CASE("{a:1}"),
        CASE("{'a':1}"), CASE("'a'"), CASE("1 2"), CASE("{}{}"),
        CASE("[]]"), CASE("null\0"), CASE("nul"), CASE("nulll"),
        CASE("True"), CASE("NaN"), CASE("Infinity"), CASE("-Infinity"),
        CASE("undefined"), CASE("/**/1"), CASE("1//"), CASE("[1\f]"),
        CASE("\xC2\xA0" "1"), CASE("[\"a\",\n\n"),
        CASE("{\"a\":1,\"a\":"),
    };
    for (size_t i = 0; i < countof(bad); i++)
        refused(bad[i], "json.syntax");
}

Test(json_check, malformed_numbers)
{
    static const struct str bad[] = {
        CASE("-"), CASE("+1"), CASE("01"), CASE("-01"), CASE("00"),
        CASE("1."), CASE(".5"), CASE("-.5"), CASE("1.e1"), CASE("1e"),
        CASE("1e+"), CASE("1e1.5"), CASE("0x10"), CASE("1_000"), CASE("--1"),
        CASE("1e5e5"), CASE("1,5"), CASE("\xEF\xBC\x91"),
    };
    for (size_t i = 0; i < countof(bad); i++)
        refused(bad[i], "json.syntax");
}

Test(json_check, malformed_strings)
{
    static const struct str bad[] = {
        CASE("\""), CASE("\"abc"), CASE("\"\\\""), CASE("\"\\"),
        CASE("\"\\x41\""), CASE("\"\\U0041\""), CASE("\"\\'\""),
        CASE("\"\\0\""), CASE("\"\\\0\""), CASE("\"\\u\""),
        CASE("\"\\u12\""), CASE("\"\\u12g4\""), CASE("\"\\u 123\""),
        CASE("\"\\u00"), CASE("\"a\nb\""), CASE("\"\t\""), CASE("\"\0\""),
        CASE("\"\x1F\""), CASE("{\"\x01\":1}"), CASE("{\"a\n\":1}"),
    };
    for (size_t i = 0; i < countof(bad); i++)
        refused(bad[i], "json.syntax");
}

Test(json_check, text_that_is_none)
{
    static const struct str bad[] = {
        CASE("\"\\u0000\""), CASE("{\"a\\u0000b\":1}"),
        CASE("\"\\uD800\""), CASE("\"\\uDBFFx\""), CASE("\"\\uDC00\""),
        CASE("\"\\uD800\\n\""), CASE("\"\\uD800\\uD800\""),
        CASE("\"\\uD83D\\u0041\""), CASE("\"\\uDE00\\uD83D\""),
        CASE("{\"\\uDFFF\":1}"), CASE("\"\\uD800\\u"),
        CASE("\"\x80\""), CASE("\"\xC0\xAF\""), CASE("\"\xC1\xBF\""),
        CASE("\"\xE0\x80\xAF\""), CASE("\"\xED\xA0\x80\""),
        CASE("\"\xED\xBF\xBF\""), CASE("\"\xF0\x80\x80\xAF\""),
        CASE("\"\xF4\x90\x80\x80\""), CASE("\"\xF5\x80\x80\x80\""),
        CASE("\"\xFF\""), CASE("\"\xE2\x82\""), CASE("\"\xE2\x82"),
        CASE("{\"\xC3\":1}"), CASE("\"\xC3\\u00e9\""),
        CASE("\"\xF8\x88\x80\x80\x80\""),
    };
    for (size_t i = 0; i < countof(bad); i++)
        refused(bad[i], "json.utf8");
}

Test(json_check, duplicate_keys_are_found_after_unescaping)
{
    static const struct str bad[] = {
        CASE("{\"a\":1,\"a\":1}"), CASE("{\"a\":1,\"b\":2,\"a\":3}"),
        CASE("{\"\":1,\"\":2}"), CASE("{\"a\":1,\"\\u0061\":2}"),
        CASE("{\"/\":1,\"\\/\":2}"), CASE("{\"\\n\":1,\"\\u000A\":2}"),
        CASE("{\"\xC3\xA9\":1,\"\\u00E9\":2}"),
        CASE("{\"\\ud83d\\ude00\":1,\"\xF0\x9F\x98\x80\":2}"),
        CASE("[{\"x\":{\"a\":{\"b\":1},\"a\":0}}]"),
    };
    for (size_t i = 0; i < countof(bad); i++)
        refused(bad[i], "json.duplicate_key");
}

Test(json_check, depth_has_a_ceiling)
{
    const size_t n = JSON_DEPTH_MAX;
    struct buf b = buf_make(a, 4096);
    buf_str(&b, repeated("", "[", n, ""));
    buf_str(&b, repeated("", "]", n, ""));
    passes(buf_text(&b));
    refused(repeated("", "[", n + 1, ""), "json.too_deep");
    refused(repeated("", "{\"a\":", n + 1, ""), "json.too_deep");
    refused(repeated("", "[", 1000000, ""), "json.too_deep");
}

Test(json_check, members_have_a_ceiling)
{
    passes(members(JSON_MEMBERS_MAX));
    refused(members(JSON_MEMBERS_MAX + 1), "json.too_many_members");
    passes(repeated("[0", ",0", 100000, "]"));
    passes(repeated("[{}", ",{\"a\":{},\"b\":[]}", 100000, "]"));
}

/* Many full objects, and keys that differ only at the end. */
Test(json_check, hostile_keys_cost_no_more_than_honest_ones)
{
    struct buf b = buf_make(a, (size_t)8 << 20);
    buf_char(&b, '[');
    for (size_t o = 0; o < 20; o++) {
        buf_put(&b, o ? ",{" : "{");
        for (size_t i = 0; i < JSON_MEMBERS_MAX; i++)
            buf_printf(&b, "%s\"%060zu\\n\":0", i ? "," : "", i);
        buf_char(&b, '}');
    }
    buf_char(&b, ']');
    cr_assert(!b.over);
    const size_t before = arena_used(a);
    passes(buf_text(&b));
    cr_assert_lt(arena_used(a) - before, 3 * b.n);
}

Test(json_check, says_where)
{
    static const struct {
        const char *text, *at;
    } cases[] = {
        {"", "line 1, column 1"},
        {"[1,\n 2,\n x]", "line 3, column 2"},
        {"{\"a\":1,\n\"b\":2,\n  \"a\":3}", "line 3, column 3"},
        {"{\"a\":1,\"a\":2,\"a\":3}", "line 1, column 8"},
        {"\"\xC3\xA9\xFF\"", "line 1, column 4"},
        {"[12345678901234567890]", "line 1, column 2"},
        {"{} x", "line 1, column 4"},
        {"[\n", "line 2, column 1"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct err *e = json_check(a, str_of(cases[i].text));
        cr_assert(e, "passed: %s", cases[i].text);
        cr_assert(str_is(e->at, cases[i].at), "%s: %.*s", cases[i].text,
                  STR_FMT(e->at));
    }
}

/* Every prefix of a text is read within its bounds; only the whole passes. */
Test(json_check, every_prefix_is_refused)
{
    static const char text[] =
        "{\"a\\u00e9\\ud83d\\ude00\xE2\x82\xAC\":[-1.5e+3,true,null,\"\\n\"]}";
    for (size_t n = 0; n < sizeof(text) - 1; n++) {
        const char *copy = arena_z(a, (struct str){text, n});
        cr_assert(json_check(a, (struct str){copy, n}), "%zu bytes", n);
    }
    passes(str_of(text));
}

Test(json_check, raw_member)
{
    static const char text[] =
        " {\"a\" : 1.50 ,\"s\":\"x\\\"},{\",\"o\": {\"a\":[1 , {\"}\":2}]} ,"
        "\"l\":[ ],\"caf\\u00e9\":\t\"\\u0041\",\"n\":null,\"e\":{}\n}";
    static const struct {
        const char *key, *value;
    } cases[] = {
        {"a", "1.50"},       {"s", "\"x\\\"},{\""},
        {"n", "null"},       {"o", "{\"a\":[1 , {\"}\":2}]}"},
        {"l", "[ ]"},        {"caf\xC3\xA9", "\"\\u0041\""},
        {"e", "{}"},         {"}", NULL},
        {"caf\\u00e9", NULL}, {"", NULL},
    };
    passes(str_of(text));
    for (size_t i = 0; i < countof(cases); i++) {
        const struct str raw =
            json_raw_member(a, str_of(text), str_of(cases[i].key));
        const struct str want = str_of(cases[i].value);
        cr_assert(str_eq(raw, want) && !raw.p == !want.p, "%s gave %.*s",
                  cases[i].key, STR_FMT(raw));
    }
}

Test(json_check, raw_member_of_no_object)
{
    static const char *const texts[] = {"[1]", "null", "\"a\"", "{}", " { } ",
                                        "", "{", "{\"a", "{\"a\":", "{\"a\""};
    for (size_t i = 0; i < countof(texts); i++)
        cr_assert(json_raw_member(a, str_of(texts[i]), STR("a")).p == NULL,
                  "%s", texts[i]);
}

/* The canonical form: the examples of RFC 8785 and what it leaves to us. */
#include "base/json/json.h"

#include "suite.h"

SUITE(json_canonical);

static const char *canonical(const char *text)
{
    struct json *v;
    const struct err *e = json_parse(a, str_of(text), &v);
    cr_assert(e == NULL, "%s: %s", text, e ? e->code : "");
    struct buf b = buf_make(a, 1 << 20);
    json_write_canonical(&b, v);
    cr_assert(!b.over);
    return arena_z(a, buf_text(&b));
}

/* RFC 8785 3.2.2 */
Test(json_canonical, sample)
{
    cr_assert_str_eq(
        canonical("{\n"
                  "  \"numbers\": [333333333.33333329, 1E30, 4.50,\n"
                  "              2e-3, 0.000000000000000000000000001],\n"
                  "  \"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022"
                  "\\u005c\\\\\\\"\\/\",\n"
                  "  \"literals\": [null, true, false]\n"
                  "}\n"),
        "{\"literals\":[null,true,false],"
        "\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
        "\"string\":\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

/* RFC 8785 3.2.3 */
Test(json_canonical, sorts_by_utf16_code_units)
{
    cr_assert_str_eq(
        canonical("{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\","
                  "\"\\ufb33\":\"Hebrew Letter Dalet With Dagesh\","
                  "\"1\":\"One\",\"\\ud83d\\ude00\":\"Emoji: Grinning Face\","
                  "\"\\u0080\":\"Control\","
                  "\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}"),
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\","
        "\"\xC2\x80\":\"Control\","
        "\"\xC3\xB6\":\"Latin Small Letter O With Diaeresis\","
        "\"\xE2\x82\xAC\":\"Euro Sign\","
        "\"\xF0\x9F\x98\x80\":\"Emoji: Grinning Face\","
        "\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

Test(json_canonical, sorts_prefixes_first_and_at_every_level)
{
    cr_assert_str_eq(canonical("{\"b\":{\"z\":1,\"a\":[{\"d\":1,\"c\":2}]},"
                               "\"aa\":1,\"a\":2,\"\":3,\"A\":4,\"a!\":5}"),
                     "{\"\":3,\"A\":4,\"a\":2,\"a!\":5,\"aa\":1,"
                     "\"b\":{\"a\":[{\"c\":2,\"d\":1}],\"z\":1}}");
    cr_assert_str_eq(canonical("{\"\xEE\x80\x80\":1,\"\xF4\x8F\xBF\xBF\":2,"
                               "\"\xED\x9F\xBF\":3,\"\xEF\xBF\xBF\":4}"),
                     "{\"\xED\x9F\xBF\":3,\"\xF4\x8F\xBF\xBF\":2,"
                     "\"\xEE\x80\x80\":1,\"\xEF\xBF\xBF\":4}");
}

static const struct {
    uint64_t bits;
    const char *text;
} numbers[] = {
    /* RFC 8785 appendix B */
    {0x0000000000000000, "0"},
    {0x8000000000000000, "0"},
    {0x0000000000000001, "5e-324"},
    {0x8000000000000001, "-5e-324"},
    {0x7fefffffffffffff, "1.7976931348623157e+308"},
    {0xffefffffffffffff, "-1.7976931348623157e+308"},
    {0x4340000000000000, "9007199254740992"},
    {0xc340000000000000, "-9007199254740992"},
    {0x4430000000000000, "295147905179352830000"},
    {0x44b52d02c7e14af5, "9.999999999999997e+22"},
    {0x44b52d02c7e14af6, "1e+23"},
    {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
    {0x444b1ae4d6e2ef4e, "999999999999999700000"},
    {0x444b1ae4d6e2ef4f, "999999999999999900000"},
    {0x444b1ae4d6e2ef50, "1e+21"},
    {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
    {0x3eb0c6f7a0b5ed8d, "0.000001"},
    {0x41b3de4355555553, "333333333.3333332"},
    {0x41b3de4355555554, "333333333.33333325"},
    {0x41b3de4355555555, "333333333.3333333"},
    {0x41b3de4355555556, "333333333.3333334"},
    {0x41b3de4355555557, "333333333.33333343"},
    {0xbecbf647612f3696, "-0.0000033333333333333333"},
    {0x43143ff3c1cb0959, "1424953923781206.2"},
    /* Not numbers in JSON; the RFC makes them errors, they never get here. */
    {0x7fffffffffffffff, "null"},
    {0x7ff0000000000000, "null"},
    {0xfff0000000000000, "null"},
    /* Powers of two whose shortest form is not the nearest of its length. */
    {0x3d30000000000000, "5.684341886080802e-14"},
    {0x0010000000000000, "2.2250738585072014e-308"},
    {0x3ff0000000000000, "1"},
    {0x4059000000000000, "100"},
    {0x3fb999999999999a, "0.1"},
    {0x3fd3333333333334, "0.30000000000000004"},
    {0x444b1ae4d6e2ef51, "1.0000000000000001e+21"},
};

Test(json_canonical, doubles)
{
    for (size_t i = 0; i < countof(numbers); i++) {
        char text[JSON_DOUBLE_TEXT];
        double v;
        memcpy(&v, &numbers[i].bits, sizeof(v));
        const size_t n = json_double_text(v, text);
        cr_assert_str_eq(text, numbers[i].text);
        cr_assert_eq(n, strlen(text));
    }
}

Test(json_canonical, integers_keep_all_digits)
{
    cr_assert_str_eq(
        canonical("[9223372036854775807, -9223372036854775808, -0,"
                  " 9007199254740993, 1.0, 1e3, -0.0, 1e-400, 1E21]"),
        "[9223372036854775807,-9223372036854775808,0,9007199254740993,1,1000,"
        "0,0,1e+21]");
}

Test(json_canonical, strings_are_minimally_escaped)
{
    struct buf b = buf_make(a, 1 << 10);
    json_write_string(&b, STR("\b\t\n\f\r\"\\/\x01\x1F\x7F<&'\xC3\xA9"
                              "\xE2\x80\xA8"));
    json_write_string(&b, STR_NONE);
    json_write_string(&b, STR("\"\""));
    cr_assert(str_is(buf_text(&b),
                     "\"\\b\\t\\n\\f\\r\\\"\\\\/\\u0001\\u001f\x7F<&'\xC3\xA9"
                     "\xE2\x80\xA8\"\"\"\"\\\"\\\"\""));
}

Test(json_canonical, is_the_same_the_second_time)
{
    static const char *const texts[] = {
        "null", "[]", "{}", "\"\\ud83d\\ude00\\u0007\"",
        "{\"b\":[9007199254740994.0,1e21,-1e-7,0.1e1],\"a\":{\"\\n\":1}}",
    };
    for (size_t i = 0; i < countof(texts); i++) {
        const char *once = canonical(texts[i]);
        cr_assert_str_eq(canonical(once), once);
    }
}

Test(json_canonical, stops_at_the_ceiling)
{
    struct json *v;
    cr_assert(!json_parse(a, STR("{\"a\":[1,2,3,4,5]}"), &v));
    struct buf b = buf_make(a, 10);
    json_write_canonical(&b, v);
    cr_assert(b.over);
}

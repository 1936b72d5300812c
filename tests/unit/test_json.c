/* The tree. */
#include <limits.h>
#include <math.h>

#include "base/json/json.h"

#include "suite.h"

SUITE(json);

Test(json, parse_and_write_keep_the_text)
{
    static const char *const texts[] = {
        "null", "true", "0", "-12.50", "\"\"", "\"a/b<\xC3\xA9\"", "[]", "{}",
        "[1.10,1E5,1e-400,-0.0,9223372036854775807,-9223372036854775808]",
        "{\"z\":1,\"a\":{\"\":[null,false,{}]},\"m\":\"\\n\\u0001\\\"\\\\\"}",
    };
    for (size_t i = 0; i < countof(texts); i++)
        cr_assert_str_eq(text_of(tree(texts[i])), texts[i]);
}

Test(json, parse_takes_white_space_and_a_slice)
{
    struct json *v;
    cr_assert(!json_parse(a, STR(" \n7 "), &v) && json_int(v) == 7);
    cr_assert(!json_parse(a, str_sub(STR("1234"), 1, 3), &v));
    cr_assert_eq(json_int(v), 23);
    cr_assert(!json_parse(a, str_sub(STR("{\"a\":1}}"), 0, 7), &v));
    cr_assert_eq(json_count(v), 1);
    cr_assert(!json_parse(a, STR(" null "), &v) && v == NULL);
}

Test(json, parse_refuses_what_the_gate_refuses)
{
    struct json *v = json_object(a);
    const struct err *e = json_parse(a, STR("{\"a\":1,\"a\":2}"), &v);
    cr_assert(e && v == NULL);
    cr_assert_str_eq(e->code, "json.duplicate_key");
}

Test(json, parse_goes_as_deep_as_the_gate)
{
    struct buf b = buf_make(a, 4096);
    for (size_t i = 0; i < JSON_DEPTH_MAX; i++)
        buf_put(&b, "[");
    for (size_t i = 0; i < JSON_DEPTH_MAX; i++)
        buf_put(&b, "]");
    struct json *v;
    cr_assert(!json_parse(a, buf_text(&b), &v));
    cr_assert(str_eq(json_dump(a, v, 4096), buf_text(&b)));
}

Test(json, types)
{
    const struct json *v =
        tree("[null,true,1,1.0,\"\",[],{},-0,1e2]");
    static const enum json_type types[] = {
        JSON_NULL,   JSON_BOOL,  JSON_INT,    JSON_DOUBLE, JSON_STRING,
        JSON_ARRAY,  JSON_OBJECT, JSON_INT,   JSON_DOUBLE,
    };
    cr_assert_eq(json_count(v), countof(types));
    for (size_t i = 0; i < countof(types); i++)
        cr_assert(json_is(json_at(v, i), types[i]), "element %zu", i);
}

Test(json, reading)
{
    const struct json *v = tree("{\"t\":\"x\\u00e9\",\"i\":-5,\"d\":2.5,"
                                "\"b\":true,\"n\":null,\"l\":[1,2]}");
    cr_assert(str_is(json_get_text(v, "t"), "x\xC3\xA9"));
    cr_assert_eq(json_int(json_get(v, "i")), -5);
    cr_assert(json_double(json_get(v, "d")) > 2.4);
    cr_assert(json_double(json_get(v, "i")) < -4.9);
    cr_assert(json_bool(json_get(v, "b")));
    cr_assert(json_has(v, "n") && !json_get(v, "n") && !json_has(v, "x"));
    cr_assert_eq(json_int(json_at(json_get(v, "l"), 1)), 2);
    cr_assert_eq(json_count(json_get(v, "l")), 2);
    cr_assert(json_get_str(v, str_sub(STR("xix"), 1, 2)) == json_get(v, "i"));
    cr_assert(json_get_str(v, STR("i\0")) == NULL);
    cr_assert(json_get_str(v, STR_NONE) == NULL);
}

Test(json, reading_the_wrong_type_is_neutral)
{
    const struct json *const all[] = {NULL,         tree("1"), tree("1.5"),
                                      tree("true"), tree("[]"), tree("{}"),
                                      tree("\"7\"")};
    for (size_t i = 0; i < countof(all); i++) {
        const struct json *v = all[i];
        cr_assert(json_is(v, JSON_STRING) || !json_text(v).p);
        cr_assert(json_is(v, JSON_INT) || json_int(v) == 0);
        cr_assert(json_is(v, JSON_BOOL) || !json_bool(v));
        cr_assert(!json_get(v, "a") && !json_has(v, "a") && !json_at(v, 0));
        cr_assert_eq(json_count(v), 0);
        struct json_iter it = json_iter(v);
        cr_assert(!json_next(&it));
    }
    cr_assert(!(json_double(tree("\"7\"")) > 0));
}

Test(json, iterates_in_order_without_allocating)
{
    const struct json *v = tree("{\"z\":1,\"a\":null,\"\":3}");
    static const char *const keys[] = {"z", "a", ""};
    const size_t before = arena_used(a);
    size_t n = 0;
    for (struct json_iter i = json_iter(v); json_next(&i); n++) {
        cr_assert(str_is(i.key, keys[n]));
        cr_assert(i.value == json_get(v, keys[n]));
    }
    cr_assert_eq(n, 3);
    cr_assert_eq(arena_used(a), before);
}

Test(json, the_member_at_hand_may_be_unset_or_replaced)
{
    struct json *v = tree("{\"a\":1,\"b\":2,\"c\":3,\"d\":4}");
    for (struct json_iter i = json_iter(v); json_next(&i);) {
        if (json_int(i.value) % 2)
            json_unset(v, i.key);
        else
            json_set_int(v, i.key.p, 0);
    }
    cr_assert_str_eq(text_of(v), "{\"b\":0,\"d\":0}");
}

Test(json, making)
{
    struct json *v = json_object(a), *l = json_array(a);
    json_set_text(v, "t", str_sub(STR("abc"), 0, 2));
    json_set_text(v, "empty", STR_NONE);
    json_set_text_or_null(v, "none", STR_NONE);
    json_set_text_or_null(v, "some", STR(""));
    json_set_int(v, "i", INT64_MIN);
    json_set_bool(v, "b", false);
    json_set_json(v, "nothing", NULL);
    json_set_key(v, str_sub(STR("key!"), 0, 3), json_integer(a, 1));
    json_add_text(l, STR("x"));
    json_add_json(l, json_boolean(a, true));
    json_add_json(l, json_string(a, STR("/\xC3\xA9")));
    json_add_json(l, NULL);
    json_set_json(v, "l", l);
    cr_assert_str_eq(
        text_of(v),
        "{\"t\":\"ab\",\"empty\":\"\",\"none\":null,\"some\":\"\","
        "\"i\":-9223372036854775808,\"b\":false,\"nothing\":null,\"key\":1,"
        "\"l\":[\"x\",true,\"/\xC3\xA9\",null]}");
}

Test(json, doubles_are_written_shortest)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {{0.1, "0.1"}, {12.50, "12.5"}, {3.0, "3"},
                 {-0.0, "0"},  {HUGE_VAL, "null"}};
    for (size_t i = 0; i < countof(cases); i++) {
        char text[JSON_DOUBLE_TEXT];
        json_double_text(cases[i].v, text);
        cr_assert_str_eq(text, cases[i].text);
    }
}

Test(json, setting_replaces_and_unset_removes)
{
    struct json *v = tree("{\"a\":1,\"b\":2}");
    json_set_text(v, "a", STR("x"));
    cr_assert_str_eq(text_of(v), "{\"a\":\"x\",\"b\":2}");
    json_unset(v, STR("a"));
    json_unset(v, STR("absent"));
    json_unset(v, STR("b\0c"));
    json_unset(NULL, STR("b"));
    cr_assert_str_eq(text_of(v), "{\"b\":2}");
    json_set_json(v, "b", json_get(v, "b"));
    cr_assert_str_eq(text_of(v), "{\"b\":2}");
}

Test(json, drop_takes_out_one_element)
{
    struct json *v = tree("[0,1,2]");
    json_drop(v, 1);
    json_drop(v, 7);
    json_drop(NULL, 0);
    cr_assert_str_eq(text_of(v), "[0,2]");
}

Test(json, adding_shares_and_copying_does_not)
{
    struct json *part = tree("{\"n\":1.50}"), *v = json_array(a);
    json_add_json(v, part);
    json_add_json(v, json_copy(a, part));
    json_set_int(part, "n", 2);
    cr_assert_str_eq(text_of(v), "[{\"n\":2},{\"n\":1.50}]");
    cr_assert(json_copy(a, NULL) == NULL);
}

/* A value outlives the arena that made it, inside of a container that does. */
Test(json, a_shared_value_lives_as_long_as_its_container)
{
    struct arena *b = arena_make(ARENA_REQUEST_MAX);
    struct json *v = json_array(a);
    json_add_json(v, json_string(b, STR("kept")));
    arena_free(b);
    cr_assert_str_eq(text_of(v), "[\"kept\"]");
}

Test(json, equal)
{
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"{\"a\":1,\"b\":[1,2]}", "{\"b\":[1,2],\"a\":1.0}", true},
        {"{\"a\":null}", "{\"b\":null}", false},
        {"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
        {"{\"a\":1,\"b\":2}", "{\"a\":1}", false},
        {"[1,2]", "[2,1]", false},     {"[1]", "[1,2]", false},
        {"1", "1.0", true},            {"1e2", "100", true},
        {"0", "-0.0", true},           {"1", "1.5", false},
        {"1", "true", false},          {"1", "\"1\"", false},
        {"null", "false", false},      {"null", "null", true},
        {"\"a\"", "\"\\u0061\"", true}, {"\"a\"", "\"ab\"", false},
        {"9007199254740993", "9007199254740992.0", false},
        {"9007199254740993", "9007199254740992", false},
        {"9223372036854775807", "1e300", false},
        {"[]", "{}", false},           {"true", "true", true},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct json *x = tree(cases[i].a), *y = tree(cases[i].b);
        cr_assert_eq(json_equal(x, y), cases[i].equal, "%s %s", cases[i].a,
                     cases[i].b);
        cr_assert_eq(json_equal(y, x), cases[i].equal, "%s %s", cases[i].b,
                     cases[i].a);
    }
}

Test(json, numbers_are_compared_exactly)
{
    /* Each is more than the one before it. */
    static const char *const rising[] = {
        "-1e300", "-9223372036854775808", "-9007199254740993",
        "-9007199254740992.0", "-1.5", "-1", "0", "1e-300", "1", "1.5",
        "9007199254740992.0", "9007199254740993", "9223372036854775806",
        "9223372036854775807", "1e21", "1e300"};
    for (size_t i = 0; i < countof(rising); i++) {
        for (size_t k = 0; k < countof(rising); k++) {
            const int c = json_compare(tree(rising[i]), tree(rising[k]));
            cr_assert_eq((c > 0) - (c < 0), (i > k) - (i < k), "%s %s",
                         rising[i], rising[k]);
        }
    }
    cr_assert_eq(json_compare(tree("1"), tree("1.0")), 0);
    cr_assert_eq(json_compare(tree("0"), tree("-0.0")), 0);
}

Test(json, numbers_are_compared_by_their_digits)
{
    static const char *const rising[] = {
        "-1e300", "-100.00000000000000000000000001", "-100", "-1e-320",
        "-1e-400", "0", "1e-400", "1e-320", "0.1",
        "0.1000000000000000055511151231257827", "0.3", "1",
        "1.0000000000000000001", "1.5", "99.99999999999999999999", "100",
        "100.00000000000000000000000001", "9007199254740992",
        "9007199254740993.0", "9007199254740993.5", "1e300"};
    static const char *const same[][2] = {
        {"1", "1.0"}, {"1", "10e-1"}, {"1", "0.1e1"}, {"100", "1E+2"},
        {"0", "-0.0"}, {"0", "0e99"}, {"0.0010", "1e-3"}, {"-2.50", "-25e-1"},
        {"9007199254740993", "9007199254740993.0"}};
    for (size_t i = 0; i < countof(rising); i++) {
        for (size_t k = 0; k < countof(rising); k++) {
            const int c = json_compare(tree(rising[i]), tree(rising[k]));
            cr_assert_eq((c > 0) - (c < 0), (i > k) - (i < k), "%s %s",
                         rising[i], rising[k]);
            cr_assert_eq(json_equal(tree(rising[i]), tree(rising[k])), i == k);
        }
    }
    for (size_t i = 0; i < countof(same); i++)
        cr_assert(json_equal(tree(same[i][0]), tree(same[i][1])), "%s",
                  same[i][0]);
}

Test(json, numbers_that_a_double_holds)
{
    static const char *const exact[] = {"1", "0.1", "1.50", "1e21", "-0.0",
        "1e-7", "[1,{\"a\":0.25}]", "9007199254740993",
        "\"1.00000000000000001\"", "1.7976931348623157e308", "[]", "{}"};
    static const char *const not[] = {"1.0000000000000000001", "1e-400",
        "0.1000000000000000055511151231257827", "[0.5,[1e-400]]",
        "{\"a\":{\"b\":100.00000000000000000000000001}}"};
    for (size_t i = 0; i < countof(exact); i++)
        cr_assert(json_exact(tree(exact[i])), "%s", exact[i]);
    for (size_t i = 0; i < countof(not); i++)
        cr_assert_not(json_exact(tree(not[i])), "%s", not[i]);
}

Test(json, writing_stops_at_the_ceiling)
{
    const struct json *v = tree("[1,[2,{\"a\":3}]]");
    cr_assert(str_is(json_dump(a, v, 15), "[1,[2,{\"a\":3}]]"));
    cr_assert(json_dump(a, v, 14).p == NULL);
    struct buf b = buf_make(a, 20);
    json_write_pretty(&b, v);
    cr_assert(b.over);
}

Test(json, pretty)
{
    struct buf b = buf_make(a, 4096);
    json_write_pretty(&b, tree("{\"a\":[1.50,{}],\"b\":{\"c\\n\":null},"
                               "\"d\":[],\"e\":[[\"x/\"]]}"));
    cr_assert(str_is(buf_text(&b), "{\n"
                                   "  \"a\": [\n"
                                   "    1.50,\n"
                                   "    {}\n"
                                   "  ],\n"
                                   "  \"b\": {\n"
                                   "    \"c\\n\": null\n"
                                   "  },\n"
                                   "  \"d\": [],\n"
                                   "  \"e\": [\n"
                                   "    [\n"
                                   "      \"x/\"\n"
                                   "    ]\n"
                                   "  ]\n"
                                   "}"));
}

Test(json, more_than_the_parser_counts_is_refused_unread)
{
    struct json *v = NULL;
    const struct str text = {"", (size_t)INT_MAX + 1};
    const struct err *e = json_parse(a, text, &v);
    cr_assert(e && e->kind == ERR_TOO_LARGE);
    cr_expect_str_eq(e->code, "json.too_large");
}

Test(json, what_is_kept_is_read_again)
{
    struct json *o = json_object(a);
    cr_expect(json_is(json_read(a, STR("[1]")), JSON_ARRAY));
    cr_expect_null(json_read(a, STR_NONE));
    cr_expect_null(json_read(a, STR("{")));
    json_set_read(a, o, "a", STR("[1]"));
    json_set_read(a, o, "b", STR_NONE);
    json_set_given(a, o, "c", STR("\"x\""));
    json_set_given(a, o, "d", STR_NONE);
    cr_expect(json_equal(o, tree("{'a':[1],'b':null,'c':'x'}")));
}

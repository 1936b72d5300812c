/* Reading the members of a stranger's object. */
#include "base/json/fields.h"

#include "suite.h"

SUITE(fields);

static struct fields of(const char *text)
{
    return fields(a, tree(text), STR("top"));
}

Test(fields, only_an_object_will_do)
{
    static const char *const others[] = {"null", "true", "1",   "1.5",
                                         "'x'",  "[]",   "[{}]"};
    for (size_t i = 0; i < countof(others); i++) {
        const struct fields f = of(others[i]);
        expect(fields_error(&f), "body.not_object", "top", others[i]);
    }
    const struct fields f = of("{}");
    expect(fields_error(&f), NULL, NULL, "{}");
}

Test(fields, paths)
{
    cr_assert(str_is(fields_path(a, STR(""), "k"), "k"));
    cr_assert(str_is(fields_path(a, STR("x[2]"), "k"), "x[2].k"));
    cr_assert(str_is(fields_element(a, STR("x"), 0), "x[0]"));
    cr_assert(str_is(fields_element(a, STR("x.y"), 17), "x.y[17]"));
}

Test(fields, the_first_mistake_is_kept)
{
    struct fields f = of("{'a': 1, 'n': 'x'}");
    struct str text = STR("old"), word = STR("old"), id = STR("old");
    int64_t n = 7;
    bool b = true;
    const struct json *v = f.obj;
    fields_need(&f, "first");
    fields_need(&f, "second");
    fields_text(&f, "a", 9, &text);
    fields_word(&f, "a", "x", &word);
    fields_int(&f, "n", 0, 9, &n);
    fields_bool(&f, "a", &b);
    fields_json(&f, "a", JSON_INT, &v);
    fields_uuid(&f, "a", &id);
    fields_only(&f, "none");
    fields_wrong(&f, "a", "late", "Late.");
    expect(fields_error(&f), "field.missing", "top.first", "first");
    cr_assert(!text.p && !word.p && !id.p && !v && n == 7 && b);
}

Test(fields, wrong_says_what_it_was_told)
{
    struct fields f = of("{}");
    fields_wrong(&f, "k", "my.code", "At most %d of %s.", 3, "them");
    expect(fields_error(&f), "my.code", "top.k", "wrong");
    cr_assert(str_is(fields_error(&f)->say, "At most 3 of them."));
}

Test(fields, wrong_cuts_a_long_sentence)
{
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    struct fields f = of("{}");
    fields_wrong(&f, "k", "my.code", "%s", text);
    cr_assert_eq(fields_error(&f)->say.n, 255);
}

Test(fields, only)
{
    static const struct {
        const char *obj, *names, *code, *at;
    } cases[] = {
        {"{}", "", NULL, NULL},
        {"{}", "a", NULL, NULL},
        {"{'a':1}", "a", NULL, NULL},
        {"{'b':1,'a':null}", "a b c", NULL, NULL},
        {"{'c':1}", "a b", "field.unknown", "top.c"},
        {"{'a':1,'ab':1}", "a abc", "field.unknown", "top.ab"},
        {"{'a b':1}", "a b", "field.unknown", "top.a b"},
        {"{'A':1}", "a", "field.unknown", "top.A"},
        {"{'':1}", "a", "field.unknown", "top."},
        {"{'x':null}", "a", "field.unknown", "top.x"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct fields f = of(cases[i].obj);
        fields_only(&f, cases[i].names);
        expect(fields_error(&f), cases[i].code, cases[i].at, cases[i].obj);
    }
}

Test(fields, an_unknown_name_is_told_in_part)
{
    struct buf b = buf_make(a, 4096);
    buf_put(&b, "{'");
    for (int i = 0; i < 1000; i++)
        buf_char(&b, 'k');
    buf_put(&b, "':1}");
    struct fields f = of(arena_z(a, buf_text(&b)));
    fields_only(&f, "a");
    cr_assert_eq(fields_error(&f)->at.n, strlen("top.") + 64);
}

Test(fields, need)
{
    static const struct {
        const char *obj, *code;
    } cases[] = {{"{'k':0}", NULL},
                 {"{'k':''}", NULL},
                 {"{'k':false}", NULL},
                 {"{'k':[]}", NULL},
                 {"{}", "field.missing"},
                 {"{'k':null}", "field.missing"},
                 {"{'K':1}", "field.missing"}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct fields f = of(cases[i].obj);
        fields_need(&f, "k");
        expect(fields_error(&f), cases[i].code, "top.k", cases[i].obj);
    }
}

Test(fields, text)
{
    static const struct {
        const char *obj, *code, *is; /* is NULL: absent */
    } cases[] = {
        {"{}", NULL, NULL},
        {"{'k':null}", NULL, NULL},
        {"{'k':''}", NULL, ""},
        {"{'k':'abc'}", NULL, "abc"},
        {"{'k':'\xC3\xA9\xC3\xA9\xC3\xA9'}", NULL, "\xC3\xA9\xC3\xA9\xC3\xA9"},
        {"{'k':'abcd'}", "field.too_long", NULL},
        {"{'k':1}", "field.type", NULL},
        {"{'k':true}", "field.type", NULL},
        {"{'k':['a']}", "field.type", NULL},
        {"{'k':{}}", "field.type", NULL},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct fields f = of(cases[i].obj);
        struct str out = STR("old");
        fields_text(&f, "k", 3, &out);
        expect(fields_error(&f), cases[i].code, "top.k", cases[i].obj);
        cr_assert(cases[i].is ? out.p && str_is(out, cases[i].is) : !out.p,
                  "%s", cases[i].obj);
    }
}

Test(fields, word)
{
    static const struct {
        const char *obj, *code, *is;
    } cases[] = {
        {"{}", NULL, NULL},
        {"{'k':null}", NULL, NULL},
        {"{'k':'low'}", NULL, "low"},
        {"{'k':'high'}", NULL, "high"},
        {"{'k':''}", "field.value", NULL},
        {"{'k':' '}", "field.value", NULL},
        {"{'k':'lo'}", "field.value", NULL},
        {"{'k':'lows'}", "field.value", NULL},
        {"{'k':'Low'}", "field.value", NULL},
        {"{'k':'low medium'}", "field.value", NULL},
        {"{'k':' low'}", "field.value", NULL},
        {"{'k':1}", "field.value", NULL},
        {"{'k':['low']}", "field.value", NULL},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct fields f = of(cases[i].obj);
        struct str out = STR("old");
        fields_word(&f, "k", "low medium high", &out);
        expect(fields_error(&f), cases[i].code, "top.k", cases[i].obj);
        cr_assert(cases[i].is ? str_is(out, cases[i].is) : !out.p, "%s",
                  cases[i].obj);
    }
}

Test(fields, integers)
{
    static const struct {
        const char *obj, *code;
        int64_t is;
    } cases[] = {
        {"{}", NULL, 42},
        {"{'k':null}", NULL, 42},
        {"{'k':-5}", NULL, -5},
        {"{'k':5000}", NULL, 5000},
        {"{'k':0}", NULL, 0},
        {"{'k':300.0}", NULL, 300},
        {"{'k':3e2}", NULL, 300},
        {"{'k':-0.0}", NULL, 0},
        {"{'k':-6}", "field.range", 42},
        {"{'k':5001}", "field.range", 42},
        {"{'k':5000.5}", "field.range", 42},
        {"{'k':0.5}", "field.range", 42},
        {"{'k':1e18}", "field.range", 42},
        {"{'k':-1e300}", "field.range", 42},
        {"{'k':9223372036854775807}", "field.range", 42},
        {"{'k':-9223372036854775808}", "field.range", 42},
        {"{'k':'5'}", "field.range", 42},
        {"{'k':true}", "field.range", 42},
        {"{'k':[5]}", "field.range", 42},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct fields f = of(cases[i].obj);
        int64_t out = 42;
        fields_int(&f, "k", -5, 5000, &out);
        expect(fields_error(&f), cases[i].code, "top.k", cases[i].obj);
        cr_assert_eq(out, cases[i].is, "%s", cases[i].obj);
    }
}

Test(fields, booleans)
{
    static const struct {
        const char *obj, *code;
        bool before, is;
    } cases[] = {
        {"{}", NULL, true, true},
        {"{}", NULL, false, false},
        {"{'k':null}", NULL, true, true},
        {"{'k':true}", NULL, false, true},
        {"{'k':false}", NULL, true, false},
        {"{'k':0}", "field.type", true, true},
        {"{'k':'true'}", "field.type", false, false},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct fields f = of(cases[i].obj);
        bool out = cases[i].before;
        fields_bool(&f, "k", &out);
        expect(fields_error(&f), cases[i].code, "top.k", cases[i].obj);
        cr_assert_eq(out, cases[i].is, "%s", cases[i].obj);
    }
}

Test(fields, members_of_a_type)
{
    static const struct {
        const char *value;
        enum json_type type;
    } values[] = {{"true", JSON_BOOL},   {"1", JSON_INT},  {"1.5", JSON_DOUBLE},
                  {"'x'", JSON_STRING},  {"[]", JSON_ARRAY},
                  {"{}", JSON_OBJECT}};
    for (size_t i = 0; i < countof(values); i++) {
        struct buf b = buf_make(a, 64);
        buf_put(&b, "{'k':");
        buf_put(&b, values[i].value);
        buf_put(&b, "}");
        for (size_t j = 0; j < countof(values); j++) {
            struct fields f = of(arena_z(a, buf_text(&b)));
            const struct json *out = f.obj;
            fields_json(&f, "k", values[j].type, &out);
            expect(fields_error(&f), i == j ? NULL : "field.type", "top.k",
                   values[i].value);
            cr_assert_eq(out, i == j ? json_get(f.obj, "k") : NULL);
        }
    }
    struct fields f = of("{'k':null}");
    const struct json *out = f.obj;
    fields_json(&f, "k", JSON_OBJECT, &out);
    fields_json(&f, "none", JSON_OBJECT, &out);
    expect(fields_error(&f), NULL, NULL, "null");
    cr_assert(out == NULL);
}

Test(fields, uuids)
{
    static const struct {
        const char *obj, *code;
        bool set;
    } cases[] = {
        {"{}", NULL, false},
        {"{'k':null}", NULL, false},
        {"{'k':'0190c2a4-7e1f-7abc-8def-0123456789ab'}", NULL, true},
        {"{'k':'0190C2A4-7E1F-4ABC-8DEF-0123456789AB'}", NULL, true},
        {"{'k':''}", "field.uuid", false},
        {"{'k':'0190c2a4'}", "field.uuid", false},
        {"{'k':'0190c2a47e1f7abc8def0123456789ab'}", "field.uuid", false},
        {"{'k':'0190c2a4-7e1f-7abc-8def-0123456789ag'}", "field.uuid", false},
        {"{'k':1}", "field.type", false},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct fields f = of(cases[i].obj);
        struct str out = STR("old");
        fields_uuid(&f, "k", &out);
        expect(fields_error(&f), cases[i].code, "top.k", cases[i].obj);
        cr_assert_eq(out.p != NULL, cases[i].set, "%s", cases[i].obj);
    }
}

Test(fields, an_unknown_name_is_told_the_one_that_was_meant)
{
    static const struct {
        const char *given, *near; /* NULL: none */
    } names[] = {
        {"timeout", "timeout_seconds"}, {"choises", "choices"},
        {"choice", "choices"},          {"Question", "question"},
        {"questoin", "question"},       {"sevrity", "severity"},
        {"options", NULL},              {"q", NULL},
        {"x", NULL},                    {"kinds", "kind"},
        {"timeout_seconds_and_more_than_forty_characters", NULL},
        {"\xC3\xA4\xC3\xB6\xC3\xBC", NULL}};
    for (size_t i = 0; i < countof(names); i++) {
        struct json *o = json_object(a);
        json_set_int(o, names[i].given, 1);
        struct fields f = fields(a, o, STR(""));
        fields_only(&f, "question choices kind severity timeout_seconds");
        expect(fields_error(&f), "field.unknown", names[i].given,
               names[i].given);
        const struct str say = fields_error(&f)->say;
        const struct str want = str_of(names[i].near ? names[i].near : "");
        cr_expect((str_search(say, STR("Did you mean")) < say.n) ==
                  (names[i].near != NULL), "%.*s", STR_FMT(say));
        cr_expect(want.n == 0 || str_search(say, want) < say.n, "%.*s",
                  STR_FMT(say));
    }
}

/* Forms: an answer against its field list. */
#include "domain/kind/form.h"

#include "suite.h"

SUITE(form_check);

static struct json *form_of(const char *list)
{
    struct json *form = NULL;
    const struct err *e = form_read(a, tree(list), &form);
    cr_assert(e == NULL, "%s: %s", list, e ? e->code : "");
    return form;
}

/* The error for member "k" of a form of one field; "" for none. */
static const char *says(const char *field, const struct json *value)
{
    struct json *values = json_object(a), *errors = NULL;
    struct json *list = json_array(a), *form = NULL;
    json_add_json(list, tree(field));
    cr_assert(!form_read(a, list, &form), "%s", field);
    json_set_json(values, "k", value);
    const struct err *e = form_check(a, form, values, &errors);
    cr_assert_eq(e == NULL, json_count(errors) == 0);
    return e ? arena_z(a, json_get_text(errors, "k")) : "";
}

#define NEEDED "A value is needed."
#define TEXT "This has to be text."
#define LONG "This is too long."
#define SHORT "This is too short."
#define WHOLE "This has to be a whole number."
#define NUMBER "This has to be a number."
#define SMALL "This is smaller than allowed."
#define LARGE "This is larger than allowed."
#define YES_NO "This has to be yes or no."
#define OPTION "This is not one of the options."
#define LIST "This has to be a list of options."

#define STRING_2_4 "{'key':'k','min_length':2,'max_length':4}"
#define TEXT_2_4 "{'key':'k','type':'text','min_length':2,'max_length':4}"
#define INT_2_4 "{'key':'k','type':'integer','min':2,'max':4}"
#define NUM_2_4 "{'key':'k','type':'number','min':2.5,'max':4}"
/* From 2^53 on not every whole number is a double. */
#define INT_BIG                                                                \
    "{'key':'k','type':'integer','min':-9007199254740993,"                     \
    "'max':9007199254740993}"
#define BOOLEAN "{'key':'k','type':'boolean'}"
#define ENUM                                                                   \
    "{'key':'k','type':'enum','options':['a',{'value':'b','label':'B'}]}"
#define MULTI "{'key':'k','type':'multi','options':['a','b']}"

static const struct {
    const char *field, *value, *says;
} cases[] = {
    {STRING_2_4, "'ab'", ""},
    {STRING_2_4, "'abcd'", ""},
    {STRING_2_4, "'\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9'", ""},
    {STRING_2_4, "'a'", SHORT},
    {STRING_2_4, "'\xF0\x9F\xA4\x96'", SHORT},
    {STRING_2_4, "'abcde'", LONG},
    {STRING_2_4, "5", TEXT},
    {STRING_2_4, "true", TEXT},
    {STRING_2_4, "['ab']", TEXT},
    {STRING_2_4, "{}", TEXT},
    {TEXT_2_4, "'a\\nb'", ""},
    {TEXT_2_4, "'a'", SHORT},
    {TEXT_2_4, "'abcde'", LONG},
    {TEXT_2_4, "1", TEXT},
    {INT_2_4, "2", ""},
    {INT_2_4, "4", ""},
    {INT_2_4, "1", SMALL},
    {INT_2_4, "-9223372036854775808", SMALL},
    {INT_2_4, "5", LARGE},
    {INT_2_4, "2.5", WHOLE},
    {INT_2_4, "'2'", WHOLE},
    {INT_2_4, "true", WHOLE},
    {INT_2_4, "[3]", WHOLE},
    {INT_BIG, "9007199254740993", ""},
    {INT_BIG, "9007199254740994", LARGE},
    {INT_BIG, "-9007199254740993", ""},
    {INT_BIG, "-9007199254740994", SMALL},
    {NUM_2_4, "2.5", ""},
    {NUM_2_4, "4", ""},
    {NUM_2_4, "4.0", ""},
    {NUM_2_4, "2.4999", SMALL},
    {NUM_2_4, "2", SMALL},
    {NUM_2_4, "4.0001", LARGE},
    {NUM_2_4, "1e300", LARGE},
    {NUM_2_4, "'3'", NUMBER},
    {NUM_2_4, "false", NUMBER},
    {BOOLEAN, "true", ""},
    {BOOLEAN, "false", ""},
    {BOOLEAN, "'true'", YES_NO},
    {BOOLEAN, "1", YES_NO},
    {BOOLEAN, "0", YES_NO},
    {ENUM, "'a'", ""},
    {ENUM, "'b'", ""},
    {ENUM, "'B'", OPTION},
    {ENUM, "'A'", OPTION},
    {ENUM, "'a '", OPTION},
    {ENUM, "1", OPTION},
    {ENUM, "['a']", OPTION},
    {ENUM, "{'value':'a'}", OPTION},
    {MULTI, "['a']", ""},
    {MULTI, "['b','a']", ""},
    {MULTI, "['a','c']", OPTION},
    {MULTI, "[null]", OPTION},
    {MULTI, "[['a']]", OPTION},
    {MULTI, "[1]", OPTION},
    {MULTI, "'a'", LIST},
    {MULTI, "{'a':true}", LIST},
};

Test(form_check, every_type_and_bound)
{
    for (size_t i = 0; i < countof(cases); i++)
        cr_assert_str_eq(says(cases[i].field, tree(cases[i].value)),
                         cases[i].says, "%s %s", cases[i].field,
                         cases[i].value);
}

Test(form_check, text_without_a_bound_has_one)
{
    for (size_t n = FORM_TEXT_MAX; n < FORM_TEXT_MAX + 2; n++) {
        struct buf b = buf_make(a, 1 << 20);
        for (size_t i = 0; i < n; i++)
            buf_put(&b, "\xC3\xA9");
        cr_assert_str_eq(says("{'key':'k'}", json_string(a, buf_text(&b))),
                         n > FORM_TEXT_MAX ? LONG : "");
    }
}

Test(form_check, too_many_options)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < FORM_OPTIONS_MAX; i++)
        json_add_text(list, STR("a"));
    cr_assert_str_neq(says(MULTI, list), "This has too many options.");
    json_add_text(list, STR("a"));
    cr_assert_str_eq(says(MULTI, list), "This has too many options.");
}

Test(form_check, an_option_twice)
{
    static const char two[] =
        "{'key':'k','type':'multi','min':2,'options':['a','b','c']}";
    cr_assert_str_eq(says(two, tree("['a','b']")), "");
    cr_assert_str_eq(says(two, tree("['a','c']")), "");
    cr_assert_str_eq(says(two, tree("['a','a']")),
                     "This has an option twice.");
    cr_assert_str_eq(says(two, tree("['b','c','b']")),
                     "This has an option twice.");
}

/* Absent, null and empty are the same: nothing was filled in. */
Test(form_check, required_or_not)
{
    static const char *const types[] = {
        "'type':'string','min_length':2", "'type':'text','min_length':2",
        "'type':'string','format':'email'", "'type':'integer','min':1",
        "'type':'number','min':1", "'type':'boolean'",
        "'type':'enum','options':['a']", "'type':'multi','options':['a']"};
    static const char *const nothing[] = {"{}", "{'k':null}", "{'k':''}",
                                          "{'k':[]}"};
    for (size_t i = 0; i < countof(types); i++) {
        for (size_t j = 0; j < countof(nothing); j++) {
            for (int required = 0; required < 2; required++) {
                struct buf b = buf_make(a, 256);
                buf_printf(&b, "[{'key':'k',%s,'required':%s}]", types[i],
                           required ? "true" : "false");
                struct json *errors = NULL;
                const struct err *e =
                    form_check(a, form_of(arena_z(a, buf_text(&b))),
                               tree(nothing[j]), &errors);
                cr_assert_eq(e != NULL, required, "%s %s", types[i],
                             nothing[j]);
                cr_assert(!e || str_is(json_get_text(errors, "k"), NEEDED));
            }
        }
    }
    /* No is an answer. */
    struct json *errors = NULL;
    cr_assert(!form_check(
        a, form_of("[{'key':'k','type':'boolean','required':true}]"),
        tree("{'k':false}"), &errors));
    cr_assert(!form_check(
        a, form_of("[{'key':'k','type':'integer','required':true}]"),
        tree("{'k':0}"), &errors));
}

/* ---- formats -------------------------------------------------------- */

static const struct {
    const char *format, *text;
    bool ok;
} formats[] = {
    {"email", "a@b.example", true},
    {"email", "first.last+tag@sub.host.example", true},
    {"email", "\xC3\xA9@b.example", true},
    {"email", "a", false},
    {"email", "@b.example", false},
    {"email", "a@", false},
    {"email", "a@b", false},
    {"email", "a@.example", false},
    {"email", "a@b.", false},
    {"email", "a@@b.example", false},
    {"email", "a@b.example@c.example", false},
    {"email", "a b@c.example", false},
    {"email", " a@b.example", false},
    {"email", "a@b.example ", false},
    {"uri", "https://a.example", true},
    {"uri", "http://a.example/x?y=z#f", true},
    {"uri", "https://a.example:8080/", true},
    {"uri", "https://", false},
    {"uri", "http://", false},
    {"uri", "a.example", false},
    {"uri", "//a.example", false},
    {"uri", "ftp://a.example", false},
    {"uri", "javascript:alert(1)", false},
    {"uri", "javascript://a.example/%0aalert(1)", false},
    {"uri", "data:text/html,x", false},
    {"uri", " https://a.example", false},
    {"uri", "https://a.example/a b", false},
    {"date", "2026-11-20", true},
    {"date", "2024-02-29", true},
    {"date", "0001-01-01", true},
    {"date", "9999-12-31", true},
    {"date", "2026-02-29", false},
    {"date", "2026-13-01", false},
    {"date", "2026-00-10", false},
    {"date", "2026-11-31", false},
    {"date", "2026-11-2", false},
    {"date", "20.11.2026", false},
    {"date", "2026/11/20", false},
    {"date", "2026-11-20T00:00:00", false},
    {"date", "2026-11-20 ", false},
    {"date", "yesterday", false},
    {"date-time", "2026-11-20T09:30:00", true},
    {"date-time", "2026-11-20T09:30:00Z", true},
    {"date-time", "2026-11-20T09:30:00.5+02:00", true},
    {"date-time", "2026-11-20", false},
    {"date-time", "2026-11-20T24:00:00", false},
    {"date-time", "2026-11-20T09:60:00", false},
    {"date-time", "2026-02-30T09:30:00", false},
    {"date-time", "2026-11-20T09:30:00X", false},
    {"date-time", "09:30:00", false},
    {"date-time", "now", false},
};

Test(form_check, formats)
{
    for (size_t i = 0; i < countof(formats); i++) {
        struct buf field = buf_make(a, 128), value = buf_make(a, 256);
        buf_printf(&field, "{'key':'k','format':'%s'}", formats[i].format);
        buf_printf(&value, "'%s'", formats[i].text);
        const char *said = says(arena_z(a, buf_text(&field)),
                                tree(arena_z(a, buf_text(&value))));
        cr_assert_eq(*said == 0, formats[i].ok, "%s %s: %s",
                     formats[i].format, formats[i].text, said);
        cr_assert(*said == 0 || strstr(said, "This is not a"), "%s", said);
    }
}

Test(form_check, an_address_has_no_white_space_in_it)
{
    static const char *const emails[] = {
        "'a\\t@b.example'", "'a@b.example\\nBcc: x'", "'\\na@b.example'",
        "'a@b.exam\\rple'"};
    static const char *const uris[] = {
        "'https://a.example/a\\nb'", "'https://a.example/\\t'",
        "'https://a.example\\r'"};
    for (size_t i = 0; i < countof(emails); i++)
        cr_expect(*says("{'key':'k','format':'email'}", tree(emails[i])),
                  "%s", emails[i]);
    for (size_t i = 0; i < countof(uris); i++)
        cr_expect(*says("{'key':'k','format':'uri'}", tree(uris[i])), "%s",
                  uris[i]);
}

Test(form_check, an_address_has_a_length)
{
    for (size_t n = 254; n < 256; n++) {
        struct buf b = buf_make(a, 512);
        for (size_t i = 0; i < n - strlen("@b.example"); i++)
            buf_char(&b, 'a');
        buf_put(&b, "@b.example");
        cr_assert_eq(*says("{'key':'k','format':'email'}",
                           json_string(a, buf_text(&b))) == 0,
                     n <= 254);
    }
}

/* ---- the whole form ------------------------------------------------- */

Test(form_check, an_answer_is_an_object)
{
    static const char *const others[] = {"null", "true", "5", "'x'", "[]"};
    const struct json *form = form_of("[{'key':'k'}]");
    for (size_t i = 0; i < countof(others); i++) {
        struct json *errors = NULL;
        const struct err *e = form_check(a, form, tree(others[i]), &errors);
        cr_assert(e && e->kind == ERR_INVALID, "%s", others[i]);
        cr_assert_str_eq(e->code, "response.form");
        cr_assert(json_is(errors, JSON_OBJECT));
    }
}

Test(form_check, every_mistake_is_told_at_once)
{
    struct json *errors = NULL;
    const struct err *e = form_check(
        a,
        form_of("[{'key':'a','required':true},{'key':'b','type':'integer'},"
                "{'key':'c'},{'key':'d','type':'boolean'}]"),
        tree("{'b':'x','c':'fine','e':1,'f':null}"), &errors);
    cr_assert(e && e->kind == ERR_INVALID);
    cr_assert_str_eq(e->code, "response.form");
    const struct json *wanted = tree(
        "{'a':'A value is needed.','b':'This has to be a whole number.',"
        "'e':'The form has no such field.','f':'The form has no such field.'}");
    cr_assert(json_equal(errors, wanted), "%s", text_of(errors));
    cr_assert(json_equal(json_get(e->more, "fields"), wanted));
    cr_assert_eq(json_count(e->more), 1);
}

Test(form_check, a_good_answer_has_no_errors)
{
    struct json *errors = NULL;
    cr_assert(!form_check(a,
                          form_of("[{'key':'a','required':true},"
                                  "{'key':'b','type':'integer'}]"),
                          tree("{'a':'x','b':5}"), &errors));
    cr_assert(json_is(errors, JSON_OBJECT) && json_count(errors) == 0);
}

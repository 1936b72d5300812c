/* Forms on pages: what was typed is kept, and becomes values of its types. */
#include "domain/kind/form.h"
#include "doors/pages/shell/fields.h"

#include "suite.h"

static struct page_view v;

SUITE_WITH(page_fields, v = page_view(a, 1));

/* A form as the native door reads it. */
static struct json *form_of(const char *text)
{
    struct json *form = NULL;
    const struct err *e = form_read(a, tree(text), &form);
    cr_assert_null(e, "%s", e ? e->code : "");
    return form;
}

static struct pairs posted(const char *text)
{
    struct pairs p;
    cr_assert_null(request_form(a, str_of(text), REQUEST_PAIRS_MAX, &p));
    return p;
}

static const char *read_back(const struct json *form, const char *text)
{
    const struct pairs p = posted(text);
    const struct json *value = page_fields_read(a, form, &p, v.zone);
    return arena_z(a, json_dump(a, value, 1 << 20));
}

static const struct json *shown(const struct json *form, const char *typed,
                                const struct json *errors)
{
    const struct pairs p = posted(typed ? typed : "");
    const struct page_fields_of of = {
        .form = form, .typed = typed ? &p : NULL, .errors = errors};
    return page_fields(&v, &of);
}

static const char *text_at(const struct json *fields, size_t i,
                           const char *key)
{
    return arena_z(a, json_get_text(json_at(fields, i), key));
}

static bool flag_at(const struct json *fields, size_t i, const char *key)
{
    cr_assert(json_is(json_get(json_at(fields, i), key), JSON_BOOL));
    return json_bool(json_get(json_at(fields, i), key));
}

/* The values of the options that are chosen, by '+'. */
static const char *chosen(const struct json *fields, size_t i)
{
    struct buf b = buf_make(a, 4096);
    const struct json *list = json_get(json_at(fields, i), "options");
    for (size_t k = 0; k < json_count(list); k++) {
        if (!json_bool(json_get(json_at(list, k), "chosen")))
            continue;
        buf_put(&b, b.n ? "+" : "");
        buf_str(&b, json_get_text(json_at(list, k), "value"));
    }
    return arena_z(a, buf_text(&b));
}

static const char all[] =
    "[{\"key\":\"name\",\"required\":true,\"default\":\"Ayd\u0131n\"},"
    "{\"key\":\"plz\",\"type\":\"integer\",\"label\":\"Postcode\"},"
    "{\"key\":\"kg\",\"type\":\"number\",\"default\":2.50},"
    "{\"key\":\"ok\",\"type\":\"boolean\",\"default\":true},"
    "{\"key\":\"to\",\"type\":\"enum\",\"options\":[\"DE\",\"AT\"],"
    "\"default\":\"AT\"},"
    "{\"key\":\"more\",\"type\":\"multi\",\"options\":[\"gift\",\"sms\"],"
    "\"default\":[\"sms\"]},"
    "{\"key\":\"when\",\"format\":\"date-time\","
    "\"default\":\"2026-11-23T10:30:00Z\"},"
    "{\"key\":\"note\",\"type\":\"text\",\"help\":\"For the driver\"}]";

Test(page_fields, defaults_stand_in_a_fresh_form)
{
    const struct json *f = shown(form_of(all), NULL, NULL);
    cr_assert_eq(json_count(f), 8);
    cr_assert_str_eq(text_at(f, 0, "id"), "f1");
    cr_assert_str_eq(text_at(f, 0, "value"), "Ayd\u0131n");
    cr_assert_str_eq(text_at(f, 1, "value"), "");
    cr_assert_str_eq(text_at(f, 2, "value"), "2.50");
    cr_assert(flag_at(f, 3, "checked"));
    cr_assert_str_eq(chosen(f, 4), "AT");
    cr_assert_str_eq(chosen(f, 5), "sms");
    cr_assert_str_eq(text_at(f, 6, "value"), "2026-11-23T10:30");
    cr_assert_str_eq(text_at(f, 7, "value"), "");
    cr_assert(flag_at(f, 0, "required"));
    cr_assert_not(flag_at(f, 1, "required"));
}

Test(page_fields, exactly_one_control_for_each)
{
    static const char *const kinds[] = {"is_long", "is_boolean", "is_radio",
                                        "is_select", "is_multi"};
    const struct json *f = shown(form_of(all), NULL, NULL);
    for (size_t i = 0; i < json_count(f); i++) {
        size_t n = json_get(json_at(f, i), "input") ? 1 : 0;
        for (size_t k = 0; k < countof(kinds); k++)
            n += flag_at(f, i, kinds[k]);
        cr_assert_eq(n, 1, "field %zu", i);
    }
    cr_assert(flag_at(f, 4, "is_radio"));
    cr_assert(flag_at(f, 7, "is_long"));
}

Test(page_fields, many_options_are_a_select)
{
    const struct json *f = shown(
        form_of("[{\"key\":\"d\",\"type\":\"enum\",\"options\":"
                "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]}]"),
        "f1=e", NULL);
    cr_assert(flag_at(f, 0, "is_select"));
    cr_assert_str_eq(chosen(f, 0), "e");
}

Test(page_fields, a_need_is_said_where_it_can_matter)
{
    static const char *const cases[][3] = {
        {"\"type\":\"enum\",\"options\":[\"a\",\"b\"],\"required\":true", NULL,
         "required"},
        {"\"type\":\"enum\",\"options\":[\"a\",\"b\"],\"required\":true",
         "f1=b", ""},
        {"\"type\":\"enum\",\"options\":[\"a\",\"b\"],\"required\":true,"
         "\"default\":\"a\"",
         NULL, ""},
        {"\"type\":\"enum\",\"options\":[\"a\",\"b\"]", NULL, "optional"},
        {"\"type\":\"enum\",\"options\":[\"1\",\"2\",\"3\",\"4\",\"5\","
         "\"6\"],\"required\":true",
         NULL, "required"},
        {"\"type\":\"enum\",\"options\":[\"1\",\"2\",\"3\",\"4\",\"5\","
         "\"6\"],\"required\":true,\"default\":\"2\"",
         NULL, ""},
        {"\"type\":\"boolean\",\"required\":true", NULL, ""},
        {"\"required\":true,\"default\":\"x\"", NULL, "required"},
        {"\"default\":\"x\"", NULL, "optional"}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf b = buf_make(a, 256);
        buf_printf(&b, "[{\"key\":\"k\",%s}]", cases[i][0]);
        const struct json *f =
            shown(form_of(arena_z(a, buf_text(&b))), cases[i][1], NULL);
        cr_expect_str_eq(text_at(f, 0, "need"), cases[i][2], "%zu", i);
    }
}

Test(page_fields, the_first_error_has_the_focus)
{
    const struct json *errors =
        tree("{\"note\":\"Too long.\",\"plz\":\"Not a number.\"}");
    const struct json *f = shown(form_of(all), "", errors);
    size_t n = 0;
    for (size_t i = 0; i < json_count(f); i++) {
        const bool wrong = *text_at(f, i, "error");
        cr_expect_eq(flag_at(f, i, "focus"), wrong && n == 0, "%zu", i);
        n += wrong;
    }
    cr_expect_eq(n, 2);
}

Test(page_fields, inputs_follow_type_and_format)
{
    static const char *const cases[][3] = {
        {"{\"key\":\"k\"}", "text", "text"},
        {"{\"key\":\"k\",\"type\":\"integer\"}", "text", "numeric"},
        {"{\"key\":\"k\",\"type\":\"number\"}", "text", "decimal"},
        {"{\"key\":\"k\",\"format\":\"date\"}", "date", "text"},
        {"{\"key\":\"k\",\"format\":\"date-time\"}", "datetime-local", "text"},
        {"{\"key\":\"k\",\"format\":\"email\"}", "email", "email"},
        {"{\"key\":\"k\",\"format\":\"uri\"}", "url", "url"}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf b = buf_make(a, 256);
        buf_printf(&b, "[%s]", cases[i][0]);
        const struct json *f =
            shown(form_of(arena_z(a, buf_text(&b))), NULL, NULL);
        const struct json *input = json_get(json_at(f, 0), "input");
        cr_assert(str_is(json_get_text(input, "type"), cases[i][1]));
        cr_assert(str_is(json_get_text(input, "mode"), cases[i][2]));
    }
}

Test(page_fields, posted_text_becomes_typed_values)
{
    cr_assert_str_eq(
        read_back(form_of(all),
                  "f1=Fam+%3Cb%3E&f2=+10178+&f3=499.90&f4=true&f5=DE&"
                  "f6[]=gift&f6%5B%5D=sms&f7=2026-11-23T10:30&"
                  "f8=one%0D%0Atwo"),
        "{\"name\":\"Fam <b>\",\"plz\":10178,\"kg\":499.90,\"ok\":true,"
        "\"to\":\"DE\",\"more\":[\"gift\",\"sms\"],"
        "\"when\":\"2026-11-23T10:30:00Z\",\"note\":\"one\\ntwo\"}");
}

/* Whatever zone its reader has, a moment is shown and read by one clock. */
Test(page_fields, a_moment_is_of_its_readers_clock)
{
    static const char *const cases[][3] = {
        {"", "2026-11-23T10:30", "UTC"},
        {"Asia/Kolkata", "2026-11-23T16:00", "Asia/Kolkata"},
        {"Europe/Berlin", "2026-11-23T11:30", "Europe/Berlin"},
        {"America/New_York", "2026-11-23T05:30", "America/New_York"}};
    const struct json *form =
        form_of("[{\"key\":\"when\",\"format\":\"date-time\","
                "\"default\":\"2026-11-23T10:30:00Z\"}]");
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf b = buf_make(a, 256);
        v.zone = str_of(cases[i][0]);
        const struct json *f = shown(form, NULL, NULL);
        cr_expect_str_eq(text_at(f, 0, "value"), cases[i][1]);
        buf_printf(&b, "Time in %s", cases[i][2]);
        cr_expect(str_eq(json_get_text(json_at(f, 0), "help"), buf_text(&b)));
        struct buf typed = buf_make(a, 256);
        buf_printf(&typed, "f1=%s", cases[i][1]);
        cr_expect_str_eq(read_back(form, arena_z(a, buf_text(&typed))),
                         "{\"when\":\"2026-11-23T10:30:00Z\"}");
    }
    v.zone = STR_NONE;
}

Test(page_fields, nothing_posted_is_no_answer_but_to_boxes)
{
    cr_assert_str_eq(read_back(form_of(all), "f1=&f2="),
                     "{\"ok\":false,\"more\":[]}");
}

Test(page_fields, what_does_not_fit_stays_text)
{
    cr_assert_str_eq(
        read_back(form_of("[{\"key\":\"n\",\"type\":\"integer\"},"
                          "{\"key\":\"z\",\"type\":\"number\"},"
                          "{\"key\":\"b\",\"type\":\"boolean\"},"
                          "{\"key\":\"t\",\"format\":\"date-time\"}]"),
                  "f1=10a&f2=2,4kg&f3=maybe&f4=2026-13-40T99:99"),
        "{\"n\":\"10a\",\"z\":\"2,4kg\",\"b\":\"maybe\","
        "\"t\":\"2026-13-40T99:99\"}");
}

Test(page_fields, typed_values_are_kept_with_their_errors)
{
    const struct json *form = form_of(all);
    const struct json *errors =
        tree("{\"plz\":\"This has to be a whole number.\"}");
    const struct json *f =
        shown(form, "f1=&f2=10a&f3=&f5=DE&f6[]=gift&f8=%0D%0Ax", errors);
    cr_assert_str_eq(text_at(f, 0, "value"), "");
    cr_assert_str_eq(text_at(f, 1, "value"), "10a");
    cr_assert_str_eq(text_at(f, 1, "error"), "This has to be a whole number.");
    cr_assert_str_eq(text_at(f, 2, "error"), "");
    cr_assert_not(flag_at(f, 3, "checked"));
    cr_assert_str_eq(chosen(f, 4), "DE");
    cr_assert_str_eq(chosen(f, 5), "gift");
    cr_assert_str_eq(text_at(f, 7, "value"), "\nx");
    const struct json *items = page_fields_errors(&v, form, errors);
    cr_assert_eq(json_count(items), 1);
    cr_assert_str_eq(text_at(items, 0, "href"), "#f2");
    cr_assert_str_eq(text_at(items, 0, "text"),
                     "Postcode: This has to be a whole number.");
}

Test(page_fields, ten_thousand_characters_are_kept)
{
    struct buf b = buf_make(a, 1 << 20);
    buf_put(&b, "f8=");
    for (int i = 0; i < 10000; i++)
        buf_char(&b, 'x');
    const struct json *f =
        shown(form_of(all), arena_z(a, buf_text(&b)), NULL);
    cr_assert_eq(json_get_text(json_at(f, 7), "value").n, 10000);
}

Test(page_fields, hidden_characters_of_a_default_are_told)
{
    const struct json *form =
        form_of("[{\"key\":\"k\",\"default\":\"A\u200BB\"}]");
    const struct json *f = shown(form, NULL, NULL);
    cr_assert(str_is(json_get_text(json_at(f, 0), "help"),
                     "The value contains hidden characters: A\u200BB"));
    f = shown(form, "f1=A", NULL);
    cr_assert_eq(json_get_text(json_at(f, 0), "help").n, 0);
    /* Also where the form comes back because of another field. */
    f = shown(form, "f1=A%E2%80%8BB", NULL);
    cr_assert(str_is(json_get_text(json_at(f, 0), "help"),
                     "The value contains hidden characters: A\u200BB"));
}

Test(page_fields, letters_of_several_alphabets_are_told)
{
    const struct json *f = shown(
        form_of("[{\"key\":\"k\",\"default\":\"p\u0430y\",\"help\":\"Help\"}]"),
        NULL, NULL);
    cr_assert_str_eq(text_at(f, 0, "help"),
                     "Help. The value has letters of several alphabets");
}

Test(page_fields, a_default_with_lines_is_a_box)
{
    const struct json *f = shown(
        form_of("[{\"key\":\"k\",\"default\":\"one\\ntwo\"}]"), NULL, NULL);
    cr_assert(flag_at(f, 0, "is_long"));
    cr_assert_str_eq(text_at(f, 0, "value"), "one\ntwo");
}

Test(page_fields, a_context_is_a_form_too)
{
    const struct suspension s = {
        .response_type = ANSWER_FORM,
        .context = STR("{\"a\":\"x\",\"n\":3,\"z\":2.50,\"b\":true,"
                       "\"o\":{\"q\":1},\"u\":null}")};
    const struct json *form = page_fields_form(a, &s);
    const struct json *f = shown(form, NULL, NULL);
    cr_assert_eq(json_count(f), 6);
    cr_assert_str_eq(text_at(f, 0, "value"), "x");
    cr_assert_str_eq(text_at(f, 1, "value"), "3");
    cr_assert_str_eq(text_at(f, 2, "value"), "2.50");
    cr_assert(flag_at(f, 3, "checked"));
    cr_assert_str_eq(text_at(f, 4, "value"), "");
    cr_assert_str_eq(read_back(form, "f1=y&f2=7&f3=1e3&f5=z"),
                     "{\"a\":\"y\",\"n\":7,\"z\":1e3,\"b\":false,\"o\":\"z\"}");
    const struct suspension choice = {.response_type = ANSWER_CHOICE,
                                      .context = STR("{\"a\":1}")};
    cr_assert_eq(json_count(page_fields_form(a, &choice)), 0);
}

Test(page_fields, the_note_counts_what_is_needed)
{
    cr_assert(str_is(page_fields_note(a, form_of(all)),
                     "1 of 8 fields is required."));
    cr_assert(str_is(page_fields_note(a, form_of("[{\"key\":\"k\"}]")),
                     "All fields are optional."));
    cr_assert(str_is(page_fields_note(a, json_array(a)), ""));
}

Test(page_fields, answers_in_words)
{
    const struct json *form =
        form_of("[{\"key\":\"e\",\"type\":\"enum\",\"options\":"
                "[{\"value\":\"k\",\"label\":\"Kolding\"}]},"
                "{\"key\":\"m\",\"type\":\"multi\",\"options\":[\"a\","
                "{\"value\":\"b\",\"label\":\"Bee\"}]}]");
    const struct json *e = json_at(form, 0), *m = json_at(form, 1);
    cr_assert(str_is(page_fields_words(a, e, tree("\"k\"")), "Kolding"));
    cr_assert(str_is(page_fields_words(a, m, tree("[\"a\",\"b\"]")),
                     "a, Bee"));
    cr_assert(str_is(page_fields_words(a, m, tree("[]")), "none"));
    cr_assert(str_is(page_fields_words(a, NULL, tree("true")), "yes"));
    cr_assert(str_is(page_fields_words(a, NULL, tree("1.50")), "1.50"));
    cr_assert(str_is(page_fields_words(a, NULL, tree("\"x\"")), "x"));
}

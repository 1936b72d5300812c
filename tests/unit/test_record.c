/* Tables of fields: what a body, a column and an object make of a value. */
#include "domain/record.h"

#include "suite.h"

SUITE(record);

struct sample {
    struct str id, name;
    int64_t until;
};
static const struct record_field sample_fields[] = {
    {RECORD_UUID(sample, id, IN_BODY | IN_OBJECT)},
    {RECORD_TEXT(sample, name, IN_BODY), .other = "label", .max = 9},
    {RECORD_TIME(sample, until, IN_OBJECT), .none = "infinity"},
};
static const struct record sample_record = RECORD(sample, "sample", "sample");

Test(record, an_id_is_in_lower_case)
{
    struct sample s = {.id = STR("x")};
    cr_assert_null(record_body(
        a, tree("{'id':'01A1F8A7-4598-790A-B127-2B4C9E51A0E2'}"),
        &sample_record, &s));
    cr_expect(str_is(s.id, "01a1f8a7-4598-790a-b127-2b4c9e51a0e2"));
    cr_expect(str_eq(json_get_text(record_object(a, &sample_record, &s), "id"),
                     s.id));
}

Test(record, an_id_that_is_none)
{
    struct sample s = {.id = STR("x")};
    const struct err *e =
        record_body(a, tree("{'id':'7'}"), &sample_record, &s);
    cr_assert(e && str_is(e->at, "id"));
    cr_expect(strcmp(e->code, "field.uuid") == 0);
    cr_assert_null(record_body(a, tree("{'id':null}"), &sample_record, &s));
    cr_expect_null(s.id.p);
}

/* null counts as absent, so the second spelling is read. */
Test(record, the_other_spelling)
{
    static const struct {
        const char *body, *name;
    } cases[] = {{"{'name':'a'}", "a"},
                 {"{'label':'b'}", "b"},
                 {"{'name':'a','label':'b'}", "a"},
                 {"{'name':null,'label':'b'}", "b"}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct sample s;
        cr_assert_null(
            record_body(a, tree(cases[i].body), &sample_record, &s));
        cr_expect(str_is(s.name, cases[i].name), "case %zu", i);
    }
}

Test(record, the_other_spelling_is_checked_beside_the_first)
{
    struct sample s;
    const struct err *e =
        record_body(a, tree("{'name':'a','label':'0123456789'}"),
                    &sample_record, &s);
    cr_assert(e && str_is(e->at, "label"));
    e = record_body(a, tree("{'name':'a','label':7}"), &sample_record, &s);
    cr_assert(e && str_is(e->at, "label"));
    cr_assert_null(record_body(a, tree("{'name':'a','label':null}"),
                               &sample_record, &s));
    cr_expect(str_is(s.name, "a"));
}

Test(record, a_moment_that_never_comes)
{
    const struct record_field *f = &sample_fields[2];
    struct sample s = {.until = 0};
    const struct json *o = record_object(a, &sample_record, &s);
    cr_expect(str_is(record_text(a, f, &s), "infinity"));
    cr_expect(json_has(o, "until") && !json_get(o, "until"));
    record_take(f, &s, STR("2026-11-20 09:26:13.5+00"));
    cr_expect(str_is(record_text(a, f, &s), "2026-11-20T09:26:13.500000Z"));
    record_take(f, &s, STR("infinity"));
    cr_expect_eq(s.until, 0);
}

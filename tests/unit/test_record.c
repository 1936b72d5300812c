/* Tables of fields: what a body, a column and an object make of a value. */
#include "domain/record.h"

#include "suite.h"

SUITE(record);

struct sample {
    struct str id;
};
static const struct record_field sample_fields[] = {
    {RECORD_UUID(sample, id, IN_BODY | IN_OBJECT)},
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

/* How large the facts of a question may be. */
#include "domain/kind/subject.h"

#include "suite.h"

SUITE(subject);

Test(subject, values)
{
    static const struct {
        const char *json;
        size_t n;
    } rows[] = {
        {"{}", 1}, {"[]", 1}, {"5", 1}, {"null", 1},
        {"{'a':1,'b':'x','c':null}", 3},
        {"{'a':{'b':[1,2,[]]},'c':{}}", 4},
        {"[[[1]],[2,3]]", 3},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_assert_eq(subject_values(tree(rows[i].json)), rows[i].n, "%s",
                     rows[i].json);
}

static struct json *list_of(size_t n)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < n; i++)
        json_add_json(list, json_array(a));
    return list;
}

Test(subject, both_ceilings)
{
    const struct json *most = list_of(SUBJECT_VALUES_MAX);
    const struct json *more = list_of(SUBJECT_VALUES_MAX + 1);
    const struct str whole = {"", SUBJECT_MAX};
    const struct str over = {"", SUBJECT_MAX + 1};
    cr_assert_null(subject_check(a, most, whole));
    const struct err *e = subject_check(a, most, over);
    cr_assert(e && str_is(str_of(e->code), "subject.too_large"));
    cr_assert(e->kind == ERR_INVALID && str_is(e->at, "subject"));
    cr_assert_not_null(subject_check(a, more, whole));
}

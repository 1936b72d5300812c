/* Differences of two JSON values, as a page shows them. */
#include "doors/pages/shell/difference.h"
#include "doors/pages/shell/facts.h"

#include "suite.h"

static struct page_view v;

SUITE_WITH(page_difference, v = page_view(a, 1));

static void put_side(struct buf *b, const struct json *side)
{
    buf_str(b, side ? json_get_text(side, "text") : STR("none"));
}

/* "± path: before > after" of each row, by '\n'. */
static const char *rows(const char *before, const char *after)
{
    struct buf b = buf_make(a, 1 << 20);
    const struct json *list =
        json_get(page_difference(&v, tree(before), tree(after), NULL), "rows");
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *row = json_at(list, i);
        buf_put(&b, i ? "\n" : "");
        buf_str(&b, json_get_text(row, "sign"));
        buf_char(&b, ' ');
        buf_str(&b, json_get_text(row, "path"));
        buf_put(&b, ": ");
        put_side(&b, json_get(row, "before"));
        buf_put(&b, " > ");
        put_side(&b, json_get(row, "after"));
    }
    return b.n ? arena_z(a, buf_text(&b)) : "";
}

Test(page_difference, each_way)
{
    static const struct {
        const char *before, *after, *rows;
    } cases[] = {
        {"{}", "{}", ""},
        {"{\"a\":1}", "{\"a\":1.0}", ""},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", ""},
        {"{\"a\":1}", "{\"a\":2}", "± a: 1 > 2"},
        {"{\"a\":1}", "{}", "− a: 1 > none"},
        {"{}", "{\"a\":null}", "+ a: none > null"},
        {"{\"a\":null}", "{}", "− a: null > none"},
        {"{\"a\":{\"b\":[1,2]}}", "{\"a\":{\"b\":[1,3,4]}}",
         "± a.b[1]: 2 > 3\n+ a.b[2]: none > 4"},
        {"{\"a\":[{\"b\":1},{\"c\":2}]}", "{\"a\":[{\"b\":1}]}",
         "− a[1]: {\"c\":2} > none"},
        {"{\"a\":{\"b\":1}}", "{\"a\":[1]}", "± a: {\"b\":1} > [1]"},
        /* Values that look alike differ in their quotation marks. */
        {"{\"a\":1}", "{\"a\":\"1\"}", "± a: 1 > \"1\""},
        {"{\"a\":\"1\"}", "{\"a\":\"2\"}", "± a: 1 > 2"},
        {"{\"a.b\":1}", "{\"a.b\":2}", "± [\"a.b\"]: 1 > 2"},
        {"1", "2", "± value: 1 > 2"},
    };
    for (size_t i = 0; i < countof(cases); i++)
        cr_expect_str_eq(rows(cases[i].before, cases[i].after),
                         cases[i].rows, "%zu", i);
}

Test(page_difference, is_bounded)
{
    struct json *before = json_array(a), *after = json_array(a);
    for (int64_t i = 0; i < PAGE_FACTS_ROWS + 3; i++) {
        json_add_json(before, json_integer(a, i));
        json_add_json(after, json_integer(a, i + 1));
    }
    const struct json *o = page_difference(&v, before, after, NULL);
    cr_expect_eq(json_count(json_get(o, "rows")), PAGE_FACTS_ROWS);
    cr_expect_eq(json_int(json_get(o, "more")), 3);
}

Test(page_difference, long_values_are_folded)
{
    struct buf b = buf_make(a, 1024);
    buf_put(&b, "{\"a\":\"");
    for (int i = 0; i < PAGE_FACTS_LONG + 1; i++)
        buf_char(&b, 'x');
    buf_put(&b, "\"}");
    struct json *after = tree(arena_z(a, buf_text(&b)));
    const struct json *o =
        page_difference(&v, tree("{\"a\":\"y\"}"), after, NULL);
    const struct json *row = json_at(json_get(o, "rows"), 0);
    cr_expect_null(json_get(json_get(row, "before"), "long"));
    cr_expect_not_null(json_get(json_get(row, "after"), "long"));
}

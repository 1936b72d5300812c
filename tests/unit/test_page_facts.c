/* Fact tables: rows for reading, raw bytes for certainty, both bounded. */
#include "base/crypt.h"
#include "doors/pages/shell/facts.h"

#include "suite.h"

static struct page_view v;

SUITE_WITH(page_facts, v = page_view(a, 1));

static struct json *facts(struct str text)
{
    const struct page_facts_of of = {.id = "facts",
                                     .heading = "Facts",
                                     .note = STR("Exactly"),
                                     .text = text};
    return page_facts(&v, &of);
}

/* The n-th row, of the first ones or of the others. */
static const struct json *row_at(const struct json *table, size_t n)
{
    const struct json *rows = json_get(table, "rows");
    const size_t first = json_count(rows);
    return n < first ? json_at(rows, n)
                     : json_at(json_get(table, "others"), n - first);
}

/* "path=value:type" of each of the first rows, by '\n'. */
static const char *rows(struct str text)
{
    struct buf b = buf_make(a, 4 << 20);
    const struct json *list = json_get(facts(text), "rows");
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *row = json_at(list, i);
        buf_put(&b, i ? "\n" : "");
        buf_str(&b, json_get_text(row, "path"));
        buf_char(&b, '=');
        buf_str(&b, json_get_text(row, "value"));
        buf_char(&b, ':');
        buf_str(&b, json_get_text(row, "type"));
    }
    return arena_z(a, buf_text(&b));
}

/* The raw lines put together again. */
static struct str raw_text(const struct json *table)
{
    struct buf b = buf_make(a, 4 << 20);
    const struct json *lines = json_get(json_get(table, "raw"), "lines");
    for (size_t i = 0; i < json_count(lines); i++) {
        buf_put(&b, i ? "\n" : "");
        buf_str(&b, json_text(json_at(lines, i)));
    }
    return buf_text(&b);
}

static struct str raw_member(const struct json *table, const char *key)
{
    return json_get_text(json_get(table, "raw"), key);
}

Test(page_facts, leaves_with_their_paths)
{
    cr_assert_str_eq(
        rows(STR("{\"calls\":[{\"tool\":\"pay\",\"args\":{\"n\":1}}],"
                 "\"ok\":true,\"none\":null,\"list\":[],\"obj\":{},"
                 "\"text\":\"\"}")),
        "calls[0].tool=pay:text, 3\ncalls[0].args.n=1:integer\n"
        "ok=true:boolean\nnone=null:null\nlist=[]:list, empty\n"
        "obj={}:object, empty\ntext=:text, 0");
}

Test(page_facts, numbers_stand_as_they_were_sent)
{
    cr_assert_str_eq(
        rows(STR("[499.90,1E5,-0.0,9223372036854775807]")),
        "[0]=499.90:number\n[1]=1E5:number\n[2]=-0.0:number\n"
        "[3]=9223372036854775807:integer");
}

/* Pages show a value without its type, but for a text that reads as another
 * value. */
Test(page_facts, a_text_that_reads_as_another_value_says_so)
{
    const struct json *table =
        facts(STR("[\"499.99\",499.99,\"true\",true,\"null\",null,\"{}\",{},"
                  "\"[1]\",\"1 2\",\"KES-EU-1\",\"\",\"\\\"a\\\"\"]"));
    static const bool marked[] = {true,  false, true,  false, true,
                                  false, true,  false, true,  false,
                                  false, false, false};
    cr_assert_eq(json_count(json_get(table, "others")), countof(marked) - 12);
    for (size_t i = 0; i < countof(marked); i++)
        cr_expect_eq(json_bool(json_get(row_at(table, i), "as_text")),
                     marked[i], "%zu", i);
}

/* Two stand in a row of the table, where both are short. */
Test(page_facts, a_long_value_has_a_row_of_its_own)
{
    static const char *const one[] = {
        "{\"a\":\"abcdefghijklmnopqrstuvwxyz\",\"b\":1}",
        "{\"a\":\"abcdefghijklmnopqrstuvwxyz.\",\"b\":1}",
        "{\"abcdefghijklmnop\":1,\"b\":1}",
        "{\"abcdefghijklmnopq\":1,\"b\":1}"};
    for (size_t i = 0; i < countof(one); i++) {
        const struct json *list = json_get(facts(str_of(one[i])), "rows");
        /* One that would stand alone in a row of two has it whole. */
        for (size_t k = 0; k < 2; k++)
            cr_expect_eq(json_bool(json_get(json_at(list, k), "wide")),
                         i % 2 == 1, "%s", one[i]);
    }
}

Test(page_facts, keys_that_look_like_paths_are_quoted)
{
    cr_assert_str_eq(rows(STR("{\"a.b\":1,\"\":2,\"c\":{\"d[0]\":3}}")),
                     "[\"a.b\"]=1:integer\n[\"\"]=2:integer\n"
                     "c[\"d[0]\"]=3:integer");
}

Test(page_facts, nothing_to_show)
{
    const struct json *table = facts(STR("{}"));
    cr_assert_eq(json_count(json_get(table, "rows")), 0);
    cr_assert_str_eq(arena_z(a, raw_text(table)), "{}");
    cr_assert_str_eq(rows(STR("7")), "value=7:integer");
    /* Stored bytes that are no JSON are shown raw. */
    table = facts(STR("{\"a\":"));
    cr_assert_eq(json_count(json_get(table, "rows")), 0);
    cr_assert_str_eq(arena_z(a, raw_text(table)), "{\"a\":");
}

/* The template marks them. */
Test(page_facts, hidden_characters_in_keys_and_values_are_kept)
{
    const struct json *table =
        facts(STR("{\"zero\u200Bkey\":\"x\\u202ey\"}"));
    const struct json *row = json_at(json_get(table, "rows"), 0);
    cr_assert(str_is(json_get_text(row, "path"), "zero\u200Bkey"));
    cr_assert(str_is(json_get_text(row, "value"), "x\u202Ey"));
}

Test(page_facts, long_values_are_folded_and_whole)
{
    struct buf b = buf_make(a, 1 << 20);
    buf_put(&b, "{\"short\":\"");
    for (int i = 0; i < 200; i++)
        buf_char(&b, 's');
    buf_put(&b, "\",\"long\":\"");
    for (int i = 0; i < 10000; i++)
        buf_char(&b, 'l');
    buf_put(&b, "\"}");
    const struct json *table = facts(buf_text(&b));
    const struct json *list = json_get(table, "rows");
    cr_assert_null(json_get(json_at(list, 0), "long"));
    const struct json *row = json_at(list, 1);
    cr_assert(str_is(json_get_text(json_get(row, "long"), "count"),
                     "10,000 characters"));
    cr_assert_eq(json_get_text(row, "value").n, 10000);
    cr_assert(str_is(json_get_text(row, "type"), "text, 10,000"));
}

Test(page_facts, rows_are_bounded_and_the_rest_is_told)
{
    struct buf b = buf_make(a, 1 << 20);
    buf_char(&b, '[');
    for (int i = 0; i < 511; i++)
        buf_put(&b, "1,");
    buf_put(&b, "1]");
    const struct json *table = facts(buf_text(&b));
    cr_assert_eq(json_count(json_get(table, "rows")), 12);
    cr_assert_eq(json_count(json_get(table, "others")), PAGE_FACTS_ROWS - 12);
    cr_assert_eq(json_int(json_get(table, "more")), 12);
}

/* A long key would stand in each of its rows. */
Test(page_facts, long_keys_do_not_multiply)
{
    struct buf b = buf_make(a, 1 << 20);
    buf_put(&b, "{\"");
    for (int i = 0; i < 100000; i++)
        buf_char(&b, 'k');
    buf_put(&b, "\":[");
    for (int i = 0; i < 499; i++)
        buf_put(&b, "1,");
    buf_put(&b, "1]}");
    const struct json *table = facts(buf_text(&b));
    const struct json *list = json_get(table, "others");
    cr_assert_eq(json_count(list), 488);
    cr_assert_lt(json_get_text(json_at(list, 487), "path").n, 300);
}

static int64_t raw_number(const struct json *table, const char *key)
{
    return json_int(json_get(json_get(table, "raw"), key));
}

Test(page_facts, raw_is_the_exact_bytes_by_lines)
{
    const struct str text =
        STR("{\n  \"a\" : 1.50,\r\n\n \"b\":\"\\u00e9\" }\n");
    const struct json *table = facts(text);
    const struct json *lines = json_get(json_get(table, "raw"), "lines");
    cr_assert_eq(json_count(lines), 5);
    cr_assert(str_eq(raw_text(table), text));
    cr_assert_eq(raw_number(table, "size"), 34);
    cr_assert_eq(raw_number(table, "shown_kb"), 0);
    cr_assert(str_is(raw_member(table, "hash"), ""));
}

Test(page_facts, raw_shows_all_up_to_the_ceiling)
{
    struct buf b = buf_make(a, 1 << 20);
    buf_char(&b, '"');
    while (b.n < PAGE_FACTS_BYTES - 2)
        buf_put(&b, "\u00E9");
    b.n = PAGE_FACTS_BYTES - 1;
    buf_char(&b, '"');
    const struct json *table = facts(buf_text(&b));
    cr_assert_eq(raw_number(table, "shown_kb"), 0);
    cr_assert_eq(raw_text(table).n, PAGE_FACTS_BYTES);
    buf_put(&b, "  \u00E9\u00E9");
    table = facts(buf_text(&b));
    cr_assert_eq(raw_number(table, "shown_kb"), 256);
    cr_assert_eq(raw_number(table, "size_kb"), 257);
    cr_assert(str_utf8(raw_text(table)));
}

Test(page_facts, raw_of_countless_lines_stays_whole)
{
    struct buf b = buf_make(a, 1 << 20);
    buf_put(&b, "[");
    for (int i = 0; i < 100000; i++)
        buf_char(&b, '\n');
    buf_put(&b, "]");
    const struct json *table = facts(buf_text(&b));
    const struct json *lines = json_get(json_get(table, "raw"), "lines");
    cr_assert_eq(json_count(lines), PAGE_FACTS_LINES + 1);
    cr_assert(str_eq(raw_text(table), buf_text(&b)));
    cr_assert(json_bool(json_get(json_get(table, "raw"), "joined")));
}

Test(page_facts, the_digest_in_groups)
{
    const struct str text = STR("{\"a\":1}");
    const struct page_facts_of of = {.id = "facts",
                                     .heading = "Facts",
                                     .note = STR(""),
                                     .text = text,
                                     .sha256 = crypt_sha256_hex(a, text),
                                     .hash_note = "It counts."};
    const struct json *table = page_facts(&v, &of);
    cr_assert(str_is(raw_member(table, "hash_short"), "015a bd7f"));
    cr_assert_eq(raw_member(table, "hash").n, 64 + 15);
    cr_assert(str_is(raw_member(table, "hash_note"), "It counts."));
}

/* Steps of a plan beside those of another: what is new, changed, moved, noted,
 * removed. And references: what becomes a link. */
#include "doors/pages/kinds/steps.h"
#include "doors/pages/shell/refs.h"

#include "suite.h"

static struct page_view v;

SUITE_WITH(kinds_steps, v = page_view(a, 1));

/* "abc": a step for each letter; "a'" is a step that says something else,
 * "a*" one with a note. */
static struct json *steps(const char *letters)
{
    struct json *list = json_array(a);
    for (const char *p = letters; *p; p++) {
        struct json *step = json_object(a);
        const bool other = p[1] == '\'', note = p[1] == '*';
        json_set_text(step, "id", (struct str){p, 1});
        json_set_text(step, "title", STR("A step"));
        json_set_text(step, "detail", other ? STR("other") : STR("same"));
        if (note)
            json_set_text(step, "note", STR("A note"));
        json_add_json(list, step);
        p += other || note;
    }
    return list;
}

static void put_number(struct buf *b, const struct json *n)
{
    if (n)
        buf_int(b, json_int(n));
}

/* The words of the rows, and where each was. */
static const char *words_of(const struct json *o)
{
    struct buf b = buf_make(a, 4096);
    const struct json *rows = json_get(o, "rows");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        buf_put(&b, i ? " " : "");
        put_number(&b, json_get(row, "n"));
        buf_str(&b, json_get_text(row, "word"));
        put_number(&b, json_get(row, "was"));
    }
    return arena_z(a, buf_text(&b));
}

static const char *words(const char *now, const char *before)
{
    return words_of(
        kinds_steps(&v, steps(now), before ? steps(before) : NULL));
}

Test(kinds_steps, side_question_another_plan)
{
    static const struct {
        const char *now, *before, *words;
    } cases[] = {
        {"abc", NULL, "1 2 3"},
        {"abc", "abc", "1same 2same 3same"},
        {"axbc", "abc", "1same 2new 3same 4same"},
        {"ab'c", "abc", "1same 2changed 3same"},
        {"ac", "abc", "1same 2same removed2"},
        {"ab*c", "abc", "1same 2changed 3same"},
        {"ab*c", "ab*c", "1same 2same 3same"},
        {"cab", "abc", "1moved3 2same 3same"},
        {"bca", "abc", "1same 2same 3moved1"},
        {"cb'a", "abc", "1moved3 2changed2 3same"},
        {"xyz", "abc", "1new 2new 3new removed1 removed2 removed3"},
        {"a", "", "1new"},
        {"", "a", "removed1"},
    };
    for (size_t i = 0; i < countof(cases); i++)
        cr_expect_str_eq(words(cases[i].now, cases[i].before),
                         cases[i].words, "%zu", i);
}

Test(kinds_steps, a_note_on_what_is_approved_is_a_persons)
{
    static const struct {
        const char *now, *before, *words, *whose;
    } cases[] = {
        {"a*", "a", "1note added", "Operator's note"},
        {"a*", "a*", "1same", "Agent's note"},
        {"a", "a*", "1note added", "Operator's note"},
        {"a*b", "a'b", "1changed 2same", "Operator's note"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct json *o = kinds_steps_approved(&v, steps(cases[i].now),
                                                    steps(cases[i].before));
        const struct json *row = json_at(json_get(o, "rows"), 0);
        cr_expect_str_eq(words_of(o), cases[i].words, "%zu", i);
        cr_expect(str_is(json_get_text(row, "note_of"), cases[i].whose),
                  "%zu", i);
    }
    const struct json *row =
        json_at(json_get(kinds_steps(&v, steps("a*"), steps("a")), "rows"), 0);
    cr_expect(str_is(json_get_text(row, "note_of"), "Agent's note"));
}

static void put_side(struct buf *b, const struct json *side)
{
    buf_str(b, side ? json_get_text(side, "text")
                    : STR("none"));
}

/* "path: before > after", or "path: after", of each value of the first row. */
static const char *values(const struct json *o)
{
    struct buf b = buf_make(a, 1 << 16);
    const struct json *rows = json_get(
        json_get(json_at(json_get(o, "rows"), 0), "values"), "rows");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        buf_put(&b, i ? ", " : "");
        buf_str(&b, json_get_text(row, "path"));
        buf_put(&b, ": ");
        if (json_get_text(row, "word").n > 0) {
            put_side(&b, json_get(row, "before"));
            buf_put(&b, " > ");
        }
        put_side(&b, json_get(row, "after"));
    }
    return b.n ? arena_z(a, buf_text(&b)) : "";
}

Test(kinds_steps, a_row_shows_whatever_the_step_holds)
{
    static const struct {
        const char *now, *before, *values;
    } cases[] = {
        {"{\"id\":\"a\",\"title\":\"t\",\"detail\":\"d\",\"tool\":\"x\","
         "\"risk\":\"low\",\"note\":\"n\"}",
         NULL, ""},
        {"{\"id\":\"a\",\"args\":{\"to\":\"all\",\"n\":[1,{}]},"
         "\"command\":\"rm -rf /\",\"cost\":null,\"note\":7}",
         NULL,
         "args.to: all, args.n[0]: 1, args.n[1]: {}, command: rm -rf /, "
         "cost: null, note: 7"},
        {"{\"id\":\"a\",\"args\":{\"x\":1,\"y\":2}}",
         "{\"id\":\"a\",\"args\":{\"x\":1,\"y\":3}}",
         "args.x: 1, args.y: 3 > 2"},
        {"{\"id\":\"a\",\"args\":{\"x\":1}}", "{\"id\":\"a\",\"cost\":5}",
         "cost: 5 > none, args.x: none > 1"},
        {"{\"id\":\"a\",\"args\":\"1\"}", "{\"id\":\"a\",\"args\":1}",
         "args: 1 > \"1\""},
        {"{\"id\":\"a\",\"args\":[]}", "{\"id\":\"a\",\"args\":[[]]}",
         "args[0]: [] > none"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct json *now = json_array(a), *before = json_array(a);
        json_add_json(now, tree(cases[i].now));
        if (cases[i].before)
            json_add_json(before, tree(cases[i].before));
        cr_expect_str_eq(
            values(kinds_steps(&v, now, cases[i].before ? before : NULL)),
            cases[i].values, "%zu", i);
    }
}

/* Whatever one step brings along, the next one still shows its own. */
Test(kinds_steps, no_step_crowds_out_another)
{
    struct json *list = json_array(a), *many = json_array(a);
    for (int64_t i = 0; i < 4000; i++)
        json_add_json(many, json_integer(a, i));
    for (size_t i = 0; i < 4; i++) {
        struct json *step = json_object(a);
        json_set_json(step, "args", i ? json_integer(a, 5) : many);
        json_add_json(list, step);
    }
    const struct json *rows = json_get(kinds_steps(&v, list, NULL), "rows");
    const struct json *first = json_get(json_at(rows, 0), "values");
    const struct json *last = json_get(json_at(rows, 3), "values");
    cr_expect_eq(json_count(json_get(first, "rows")), 250);
    cr_expect_eq(json_int(json_get(first, "more")), 3750);
    cr_expect_eq(json_count(json_get(last, "rows")), 1);
    cr_expect(!json_get(last, "more"));
}

Test(kinds_steps, tells_how_many_of_each)
{
    const struct json *o = kinds_steps(&v, steps("cax"), steps("abc"));
    cr_expect(str_is(json_get_text(o, "tally"),
                     "1 new, 1 moved, 1 removed, 1 same"));
    cr_expect_eq(json_int(json_get(o, "count")), 3);
    cr_expect(json_bool(json_get(o, "has_same")));
    cr_expect(json_bool(json_get(o, "against")));
    cr_expect(json_count(json_get(o, "fresh")) == 3);
    cr_expect(json_count(json_get(o, "same")) == 1);
}

Test(kinds_steps, shows_old_and_new)
{
    const struct json *o = kinds_steps(&v, steps("a'b"), steps("ab"));
    const struct json *row = json_at(json_get(o, "rows"), 0);
    cr_expect(str_is(json_get_text(row, "detail"), "other"));
    cr_expect(str_is(json_get_text(row, "old_detail"), "same"));
    row = json_at(json_get(o, "rows"), 1);
    cr_expect_eq(json_get_text(row, "old_detail").n, 0);
    cr_expect_eq(json_get_text(row, "tool").n, 0);
    cr_expect_null(json_get(row, "risk"));
}

Test(kinds_steps, subjects_without_steps_have_none)
{
    cr_expect_null(kinds_steps_of(NULL));
    cr_expect_null(kinds_steps_of(tree("[]")));
    cr_expect_null(kinds_steps_of(tree("{'plan':{'steps':{}}}")));
    cr_expect(json_count(kinds_steps_of(tree("{'plan':{'steps':[{},{}]}}"))) ==
              2);
}

Test(kinds_steps, addresses_show_where_they_lead)
{
    static const struct {
        const char *url, *host;
    } cases[] = {
        {"https://a.example/x?y#z", "a.example"},
        {"https://a.example:8443", "a.example:8443"},
        {"https://a.example?x@b.example", "a.example"},
        {"https://a.example@b.example/", NULL},
        {"https://a.example\\b", NULL},
        {"https:///x", NULL},
        {"https://", NULL},
        {"https://.../", NULL},
        {"https://a b.example/", NULL},
        {"https://a.example/\xC3\xA9", NULL},
        {"http://a.example/", NULL},
        {"HTTPS://a.example/", NULL},
        {"javascript:alert(1)", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct page_refs_url url;
        const bool link = page_refs_url(str_of(cases[i].url), "https://",
                                        &url);
        cr_expect(link == (cases[i].host != NULL), "%s", cases[i].url);
        cr_expect(!link || str_is(url.host, cases[i].host), "%s",
                  cases[i].url);
    }
}

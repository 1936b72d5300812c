/* Patching a state document: set, append, remove; every form of path. */
#include <stdio.h>

#include "domain/intent/intent.h"

#include "suite.h"

SUITE(intent_patch);

static struct intent_patches *patches(const char *list)
{
    struct intent_patches *p = arena_new(a, struct intent_patches);
    struct json *body = json_object(a);
    json_set_json(body, "patches", tree(list));
    expect(intent_patches_read(a, body, p), NULL, NULL, list);
    return p;
}

/* ---- reading -------------------------------------------------------- */

Test(intent_patch, read_a_list)
{
    const struct intent_patches *p =
        patches("[{'op':'set','path':'/a/b','value':{'x':1}},"
                "{'op':'append','path':'l','value':null},"
                "{'op':'remove','path':''},"
                "{'op':'remove','path':'r','value':3},"
                "{'op':'set','path':'n','value':null}]");
    static const enum intent_op ops[] = {INTENT_SET, INTENT_APPEND,
                                         INTENT_REMOVE, INTENT_REMOVE,
                                         INTENT_SET};
    static const char *const paths[] = {"/a/b", "l", "", "r", "n"};
    cr_assert_eq(p->n, 5);
    for (size_t i = 0; i < p->n; i++) {
        cr_assert_eq(p->v[i].op, ops[i]);
        cr_assert(str_is(p->v[i].path, paths[i]));
    }
    cr_assert_str_eq(text_of(p->v[0].value), "{\"x\":1}");
    cr_assert(!p->v[1].value && !p->v[4].value);
}

Test(intent_patch, read_a_merge)
{
    struct intent_patches p;
    expect(intent_patches_read(
               a, tree("{'state':{'a':1,'b c':{'x':[]},'n':null,'~0':2}}"), &p),
           NULL, NULL, "merge");
    static const char *const keys[] = {"a", "b c", "n", "~0"};
    static const char *const values[] = {"1", "{\"x\":[]}", "null", "2"};
    cr_assert_eq(p.n, 4);
    for (size_t i = 0; i < p.n; i++) {
        cr_assert_eq(p.v[i].op, INTENT_SET);
        cr_assert(str_is(p.v[i].path, keys[i]));
        cr_assert_str_eq(text_of(p.v[i].value), values[i]);
    }
    expect(intent_patches_read(a, tree("{'state':{},'patches':null}"), &p),
           NULL, NULL, "nothing");
    cr_assert_eq(p.n, 0);
    expect(intent_patches_read(a, tree("{'patches':[]}"), &p), NULL, NULL,
           "no patches");
    cr_assert_eq(p.n, 0);
}

Test(intent_patch, read_refuses)
{
    static const struct {
        const char *body, *code, *at;
    } cases[] = {
        {"[]", "body.not_object", ""},
        {"{}", "patch.form", "patches"},
        {"{'patches':null,'state':null}", "patch.form", "patches"},
        {"{'patches':[],'state':{}}", "patch.form", "patches"},
        {"{'patches':{}}", "field.type", "patches"},
        {"{'state':[]}", "field.type", "state"},
        {"{'patches':[5]}", "body.not_object", "patches[0]"},
        {"{'patches':[null]}", "body.not_object", "patches[0]"},
        {"{'patches':[{'path':'a'}]}", "field.missing", "patches[0].op"},
        {"{'patches':[{'op':'set','value':1}]}", "field.missing",
         "patches[0].path"},
        {"{'patches':[{'op':'move','path':'a'}]}", "field.value",
         "patches[0].op"},
        {"{'patches':[{'op':'set append','path':'a','value':1}]}",
         "field.value", "patches[0].op"},
        {"{'patches':[{'op':'SET','path':'a','value':1}]}", "field.value",
         "patches[0].op"},
        {"{'patches':[{'op':'set','path':5,'value':1}]}", "field.type",
         "patches[0].path"},
        {"{'patches':[{'op':'set','path':['a'],'value':1}]}", "field.type",
         "patches[0].path"},
        {"{'patches':[{'op':'set','path':'a'}]}", "field.missing",
         "patches[0].value"},
        {"{'patches':[{'op':'append','path':'a'}]}", "field.missing",
         "patches[0].value"},
        {"{'patches':[{'op':'remove','path':'a'},"
         "{'op':'remove','path':'b','from':'c'}]}",
         "field.unknown", "patches[1].from"},
        {"{'state':{'a/b':1}}", "patch.key", "state"},
        {"{'state':{'':1}}", "patch.key", "state"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct intent_patches p = {.n = 7};
        expect(intent_patches_read(a, tree(cases[i].body), &p), cases[i].code,
               cases[i].at, cases[i].body);
    }
}

Test(intent_patch, read_has_ceilings)
{
    for (size_t n = INTENT_PATCHES_MAX; n < INTENT_PATCHES_MAX + 2; n++) {
        struct json *list = json_array(a), *state = json_object(a);
        struct json *body = json_object(a), *merge = json_object(a);
        for (size_t i = 0; i < n; i++) {
            char key[32];
            snprintf(key, sizeof key, "k%zu", i);
            json_set_bool(state, key, true);
            json_add_json(list, tree("{'op':'remove','path':'a'}"));
        }
        json_set_json(body, "patches", list);
        json_set_json(merge, "state", state);
        struct intent_patches p;
        const bool ok = n <= INTENT_PATCHES_MAX;
        expect(intent_patches_read(a, body, &p), ok ? NULL : "field.too_many",
               "patches", "list");
        cr_assert(!ok || p.n == n);
        expect(intent_patches_read(a, merge, &p), ok ? NULL : "field.too_many",
               "state", "merge");
        cr_assert(!ok || p.n == n);
    }
    for (size_t n = 1024; n < 1026; n++) {
        char *path = arena_alloc(a, n);
        memset(path, 'p', n);
        const struct str text = {path, n};
        struct json *patch = tree("{'op':'remove'}"), *list = json_array(a);
        struct json *body = json_object(a), *state = json_object(a);
        struct json *merge = json_object(a);
        json_set_text(patch, "path", text);
        json_add_json(list, patch);
        json_set_json(body, "patches", list);
        json_set_key(state, text, NULL);
        json_set_json(merge, "state", state);
        struct intent_patches p;
        expect(intent_patches_read(a, body, &p),
               n > 1024 ? "field.too_long" : NULL, "patches[0].path", "path");
        expect(intent_patches_read(a, merge, &p),
               n > 1024 ? "patch.key" : NULL, "state", "key");
    }
}

/* ---- the record of a question --------------------------------------- */

Test(intent_patch, who_touches_the_suspension)
{
    static const struct {
        const char *patches;
        bool touched, whole;
        const char *record;
    } cases[] = {
        {"[{'op':'set','path':'a','value':{}}]", false, false, "null"},
        {"[{'op':'set','path':'a/_suspension','value':{}}]", false, false,
         "null"},
        {"[{'op':'set','path':'_suspensions','value':{}}]", false, false,
         "null"},
        {"[{'op':'remove','path':'/'}]", false, false, "null"},
        {"[{'op':'set','path':'_suspension','value':{'id':'x'}}]", true, true,
         "{\"id\":\"x\"}"},
        {"[{'op':'set','path':'/_suspension','value':{'id':'x'}}]", true, true,
         "{\"id\":\"x\"}"},
        {"[{'op':'set','path':'//_suspension/','value':{'id':'x'}}]", true,
         true, "{\"id\":\"x\"}"},
        {"[{'op':'set','path':'a','value':1},"
         "{'op':'set','path':'_suspension','value':{'id':'x'}},"
         "{'op':'set','path':'b','value':1}]",
         true, true, "{\"id\":\"x\"}"},
        {"[{'op':'set','path':'_suspension','value':null}]", true, false,
         "null"},
        {"[{'op':'set','path':'_suspension','value':'x'}]", true, false,
         "\"x\""},
        {"[{'op':'set','path':'_suspension','value':[]}]", true, false, "[]"},
        {"[{'op':'append','path':'_suspension','value':{'id':'x'}}]", true,
         false, "{\"id\":\"x\"}"},
        {"[{'op':'remove','path':'_suspension'}]", true, false, "null"},
        {"[{'op':'set','path':'_suspension/response','value':{}}]", true,
         false, "{}"},
        {"[{'op':'remove','path':'/_suspension/id'}]", true, false, "null"},
        /* Two writes cannot both be the question. */
        {"[{'op':'set','path':'_suspension','value':{'id':'x'}},"
         "{'op':'set','path':'_suspension','value':{'id':'y'}}]",
         true, false, "{\"id\":\"y\"}"},
        {"[{'op':'set','path':'_suspension','value':{'id':'x'}},"
         "{'op':'set','path':'_suspension/id','value':'y'}]",
         true, false, "\"y\""},
        {"[{'op':'remove','path':'_suspension'},"
         "{'op':'set','path':'_suspension','value':{'id':'x'}}]",
         true, false, "{\"id\":\"x\"}"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        bool whole = !cases[i].whole;
        const struct json *record = NULL;
        const struct intent_patches *p = patches(cases[i].patches);
        cr_assert_eq(intent_patches_suspension(p, &whole, &record),
                     cases[i].touched, "%s", cases[i].patches);
        cr_assert_eq(whole, cases[i].whole, "%s", cases[i].patches);
        cr_assert_str_eq(text_of(record), cases[i].record, "%s",
                         cases[i].patches);
    }
}

Test(intent_patch, what_touches_the_suspension_can_be_taken_out)
{
    struct intent_patches *p =
        patches("[{'op':'set','path':'a','value':1},"
                "{'op':'set','path':'/_suspension','value':{}},"
                "{'op':'remove','path':'_suspension/id'},"
                "{'op':'append','path':'b/_suspension','value':2},"
                "{'op':'remove','path':'/'},"
                "{'op':'append','path':'//_suspension//x','value':2},"
                "{'op':'set','path':'_suspensions','value':3}]");
    static const char *const kept[] = {"a", "b/_suspension", "/",
                                       "_suspensions"};
    bool whole;
    const struct json *record;
    intent_patches_drop_suspension(p);
    cr_assert_eq(p->n, countof(kept));
    for (size_t i = 0; i < p->n; i++)
        cr_assert(str_is(p->v[i].path, kept[i]), "%.*s",
                  STR_FMT(p->v[i].path));
    cr_assert(p->v[1].op == INTENT_APPEND && p->v[2].op == INTENT_REMOVE);
    cr_assert_eq(json_int(p->v[3].value), 3);
    cr_assert(!intent_patches_suspension(p, &whole, &record));
    intent_patches_drop_suspension(p);
    cr_assert_eq(p->n, countof(kept));
}

/* ---- applying ------------------------------------------------------- */

#define SET(path, value) "{'op':'set','path':'" path "','value':" value "}"
#define APPEND(path, value)                                                    \
    "{'op':'append','path':'" path "','value':" value "}"
#define REMOVE(path) "{'op':'remove','path':'" path "'}"
#define P16 "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16"

static const struct {
    const char *state, *patches;
    const char *is; /* NULL: refused */
    const char *at; /* of the refusal */
} cases[] = {
    /* set: the forms of a path */
    {"{}", SET("a", "1"), "{'a':1}", NULL},
    {"{}", SET("/a", "1"), "{'a':1}", NULL},
    {"{}", SET("a/", "1"), "{'a':1}", NULL},
    {"{}", SET("//a//", "1"), "{'a':1}", NULL},
    {"{}", SET("/a/b", "1"), "{'a':{'b':1}}", NULL},
    {"{}", SET("a//b", "1"), "{'a':{'b':1}}", NULL},
    {"{}", SET("a~1b", "1"), "{'a~1b':1}", NULL},
    {"{}", SET("a~0b/~1", "1"), "{'a~0b':{'~1':1}}", NULL},
    {"{}", SET("a%2Fb", "1"), "{'a%2Fb':1}", NULL},
    {"{}", SET("a.b", "1"), "{'a.b':1}", NULL},
    {"{}", SET(" a ", "1"), "{' a ':1}", NULL},
    {"{}", SET("-", "1"), "{'-':1}", NULL},
    {"{}", SET("0", "1"), "{'0':1}", NULL},
    {"{}", SET("\xC3\xA9/\xF0\x9F\xA4\x96", "1"),
     "{'\xC3\xA9':{'\xF0\x9F\xA4\x96':1}}", NULL},
    /* set: values */
    {"{'a':1}", SET("a", "2"), "{'a':2}", NULL},
    {"{'a':1}", SET("a", "null"), "{'a':null}", NULL},
    {"{'a':{'b':1}}", SET("a", "[]"), "{'a':[]}", NULL},
    {"{'a':{'b':1}}", SET("a/c", "2"), "{'a':{'b':1,'c':2}}", NULL},
    {"{'a':null}", SET("a/b", "1"), "{'a':{'b':1}}", NULL},
    {"{'a':1,'b':2}", SET("c", "3"), "{'a':1,'b':2,'c':3}", NULL},
    /* set: through what is no object */
    {"{'a':5}", SET("a/b", "1"), NULL, "a/b"},
    {"{'a':'x'}", SET("a/b/c", "1"), NULL, "a/b/c"},
    {"{'a':false}", SET("a/b", "1"), NULL, "a/b"},
    {"{'l':[1]}", SET("l/0/x", "1"), NULL, "l/0/x"},
    /* set: through a list, and not into it */
    {"{'l':[{'x':1},{}]}", SET("l/0/x", "2"), "{'l':[{'x':2},{}]}", NULL},
    {"{'l':[{},{}]}", SET("/l/1/y/z", "2"), "{'l':[{},{'y':{'z':2}}]}", NULL},
    {"{'l':[[{}]]}", SET("l/0/0/x", "2"), "{'l':[[{'x':2}]]}", NULL},
    {"{'l':[1,2]}", SET("l/0", "9"), NULL, "l/0"},
    {"{'l':[1,2]}", SET("l/-", "9"), NULL, "l/-"},
    {"{'l':[{}]}", SET("l/1/x", "9"), NULL, "l/1/x"},
    {"{'l':[{}]}", SET("l/-1/x", "9"), NULL, "l/-1/x"},
    {"{'l':[{}]}", SET("l/x/y", "9"), NULL, "l/x/y"},
    {"{'l':[{}]}", SET("l/0.0/y", "9"), NULL, "l/0.0/y"},
    {"{'l':[{}]}", SET("l/99999999999999999999/y", "9"), NULL,
     "l/99999999999999999999/y"},
    /* append */
    {"{'l':[1]}", APPEND("l", "2"), "{'l':[1,2]}", NULL},
    {"{'l':[1]}", APPEND("/l/", "[2]"), "{'l':[1,[2]]}", NULL},
    {"{'l':[]}", APPEND("l", "null"), "{'l':[null]}", NULL},
    {"{}", APPEND("l", "1"), "{'l':[1]}", NULL},
    {"{}", APPEND("a/b/l", "1"), "{'a':{'b':{'l':[1]}}}", NULL},
    {"{'l':null}", APPEND("l", "1"), "{'l':[1]}", NULL},
    {"{'l':[[1],[2]]}", APPEND("l/1", "3"), "{'l':[[1],[2,3]]}", NULL},
    {"{'l':[{}]}", APPEND("l/0/m", "3"), "{'l':[{'m':[3]}]}", NULL},
    {"{'l':[[1]]}", APPEND("l/1", "3"), NULL, "l/1"},
    {"{'l':[1]}", APPEND("l/0", "3"), NULL, "l/0"},
    {"{'l':{}}", APPEND("l", "1"), NULL, "l"},
    {"{'l':'x'}", APPEND("l", "1"), NULL, "l"},
    {"{'l':5}", APPEND("l/m", "1"), NULL, "l/m"},
    /* remove */
    {"{'a':1,'b':2}", REMOVE("a"), "{'b':2}", NULL},
    {"{'a':1,'b':2}", REMOVE("/b/"), "{'a':1}", NULL},
    {"{'a':{'b':1,'c':2}}", REMOVE("a/b"), "{'a':{'c':2}}", NULL},
    {"{'a':{'b':1}}", REMOVE("a/b"), "{'a':{}}", NULL},
    {"{'a':null}", REMOVE("a"), "{}", NULL},
    {"{'l':[1,2,3]}", REMOVE("l/1"), "{'l':[1,3]}", NULL},
    {"{'l':[1,2,3]}", REMOVE("l/0"), "{'l':[2,3]}", NULL},
    {"{'l':[1,2,3]}", REMOVE("l/2"), "{'l':[1,2]}", NULL},
    {"{'l':[{'x':1}]}", REMOVE("l/0/x"), "{'l':[{}]}", NULL},
    /* remove: what is not there is as good as removed, and nothing is made */
    {"{'a':1}", REMOVE("b"), "{'a':1}", NULL},
    {"{'a':1}", REMOVE("b/c/d"), "{'a':1}", NULL},
    {"{'a':1}", REMOVE("a/b"), "{'a':1}", NULL},
    {"{'a':null}", REMOVE("a/b"), "{'a':null}", NULL},
    {"{'l':[1]}", REMOVE("l/1"), "{'l':[1]}", NULL},
    {"{'l':[1]}", REMOVE("l/-1"), "{'l':[1]}", NULL},
    {"{'l':[1]}", REMOVE("l/x"), "{'l':[1]}", NULL},
    {"{'l':[1]}", REMOVE("l/5/x"), "{'l':[1]}", NULL},
    {"{}", REMOVE("a"), "{}", NULL},
    /* the whole document and too deep a place */
    {"{'a':1}", SET("", "{}"), NULL, ""},
    {"{'a':1}", SET("/", "{}"), NULL, "/"},
    {"{'a':1}", APPEND("", "1"), NULL, ""},
    {"{'a':1}", REMOVE("///"), NULL, "///"},
    {"{}", SET(P16 "/17", "1"), NULL, P16 "/17"},
    {"{}", REMOVE(P16 "/17"), NULL, P16 "/17"},
    {"{}", SET("/" P16 "/", "1") "," REMOVE("1/2"), "{'1':{}}", NULL},
    /* one after the other */
    {"{}", SET("a", "1") "," SET("a", "2"), "{'a':2}", NULL},
    {"{}", SET("a", "1") "," REMOVE("a"), "{}", NULL},
    {"{'a':1}", REMOVE("a") "," SET("a/b", "2"), "{'a':{'b':2}}", NULL},
    {"{}", APPEND("l", "1") "," APPEND("l", "2") "," REMOVE("l/0"),
     "{'l':[2]}", NULL},
    {"{}", SET("a", "1") "," SET("a/b", "2"), NULL, "a/b"},
    {"{}", SET("l", "[[]]") "," APPEND("l/0", "1") "," APPEND("l", "2"),
     "{'l':[[1],2]}", NULL},
};

Test(intent_patch, apply)
{
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf b = buf_make(a, 4096);
        buf_printf(&b, "[%s]", cases[i].patches);
        const char *list = arena_z(a, buf_text(&b));
        struct json *state = tree(cases[i].state);
        const struct err *e = intent_patch(a, state, patches(list));
        expect(e, cases[i].is ? NULL : "patch.path", cases[i].at, list);
        cr_assert(!cases[i].is || json_equal(state, tree(cases[i].is)),
                  "%s on %s: %s", list, cases[i].state, text_of(state));
    }
}

Test(intent_patch, what_was_there_stays_as_it_was_written)
{
    struct json *state = tree("{'z':1.50,'a':1E5,'m':'x/y'}");
    expect(intent_patch(a, state, patches("[" SET("b", "2.500") "]")), NULL,
           NULL, "set");
    cr_assert_str_eq(text_of(state),
                     "{\"z\":1.50,\"a\":1E5,\"m\":\"x/y\",\"b\":2.500}");
}

/* The event tells what was sent: the state must not share it. */
Test(intent_patch, a_later_patch_leaves_an_earlier_one_as_it_was)
{
    static const struct {
        const char *patches, *state, *first;
    } shared[] = {
        {SET("a", "{'x':1}") "," SET("a/x", "2"), "{\"a\":{\"x\":2}}",
         "{\"x\":1}"},
        {SET("a", "{'x':1}") "," REMOVE("a/x"), "{\"a\":{}}", "{\"x\":1}"},
        {SET("a", "[1]") "," APPEND("a", "2"), "{\"a\":[1,2]}", "[1]"},
        {SET("a", "[1]") "," REMOVE("a/0"), "{\"a\":[]}", "[1]"},
        {SET("a", "{'b':{'c':[]}}") "," APPEND("a/b/c", "1"),
         "{\"a\":{\"b\":{\"c\":[1]}}}", "{\"b\":{\"c\":[]}}"},
        {APPEND("l", "{'x':1}") "," SET("l/0/x", "2"),
         "{\"l\":[{\"x\":2}]}", "{\"x\":1}"},
        {APPEND("l", "[]") "," APPEND("l/0", "2"), "{\"l\":[[2]]}", "[]"},
    };
    for (size_t i = 0; i < countof(shared); i++) {
        struct buf b = buf_make(a, 4096);
        buf_printf(&b, "[%s]", shared[i].patches);
        const struct intent_patches *p = patches(arena_z(a, buf_text(&b)));
        struct json *state = json_object(a);
        expect(intent_patch(a, state, p), NULL, NULL, shared[i].patches);
        cr_assert_str_eq(text_of(state), shared[i].state);
        cr_assert_str_eq(text_of(p->v[0].value), shared[i].first, "%s",
                         shared[i].patches);
    }
}

Test(intent_patch, one_value_set_twice_is_two_values)
{
    struct intent_patches p = {.n = 2};
    const struct json *value = tree("{'x':1}");
    p.v[0] = (struct intent_patch){INTENT_SET, STR("a"), value};
    p.v[1] = (struct intent_patch){INTENT_SET, STR("b"), value};
    struct json *state = json_object(a);
    expect(intent_patch(a, state, &p), NULL, NULL, "twice");
    expect(intent_patch(a, state, patches("[" SET("a/x", "2") "]")), NULL,
           NULL, "again");
    cr_assert_str_eq(text_of(state),
                     "{\"a\":{\"x\":2},\"b\":{\"x\":1}}");
}

Test(intent_patch, a_merge_replaces_members_and_no_more)
{
    struct intent_patches p;
    struct json *state = tree("{'a':{'x':1,'y':2},'b':1}");
    expect(intent_patches_read(a, tree("{'state':{'a':{'x':3},'c':null}}"),
                               &p),
           NULL, NULL, "merge");
    expect(intent_patch(a, state, &p), NULL, NULL, "merge");
    cr_assert(json_equal(state, tree("{'a':{'x':3},'b':1,'c':null}")));
    cr_assert(json_has(state, "c"));
}

/* Any bytes as authorization details and, a line each, as the limits of an
 * answer and as the arguments of a call:
 *
 * details that are taken cover the call that they say and none with a member
 * more or less; what an answer leaves covers nothing that was not asked for;
 * the text that is kept is the same details. */
#include "domain/permit/permit_covers.h"
#include "fuzz.h"

static const struct json *parsed(struct arena *a, struct str text)
{
    struct json *v = NULL;
    return text.p && !json_parse(a, text, &v) ? v : NULL;
}

static bool covered(struct arena *a, const struct json *granted,
                    struct str tool, const struct json *arguments)
{
    const struct json *detail = NULL;
    const struct err *e =
        permit_covers(a, granted, tool, arguments, &detail);
    must(!e || (e->kind == ERR_INVALID && e->say.n > 0));
    must(e || detail);
    return !e;
}

/* A call at every limit of the detail. */
static struct json *fullest(struct arena *a, const struct json *detail)
{
    struct json *call = json_copy(a, json_get(detail, "arguments"));
    const struct json *limits = json_get(detail, "constraints");
    for (struct json_iter i = json_iter(limits); json_next(&i);)
        json_set_key(call, i.key,
                     json_is(i.value, JSON_ARRAY) ? json_at(i.value, 0)
                                                  : i.value);
    return call;
}

static void check_detail(struct arena *a, const struct json *detail)
{
    struct json *alone = json_array(a);
    json_add_json(alone, detail);
    const struct str tool = json_get_text(detail, "tool");
    struct json *call = fullest(a, detail);
    must(covered(a, alone, tool, call));
    must(!covered(a, alone, STR("another tool"), call));
    struct json_iter first = json_iter(call);
    if (json_next(&first)) {
        struct json *less = json_copy(a, call);
        json_unset(less, first.key);
        must(!covered(a, alone, tool, less));
    }
    if (!json_has(call, "one more") && json_count(call) < JSON_MEMBERS_MAX) {
        json_set_bool(call, "one more", true);
        must(!covered(a, alone, tool, call));
    }
}

static void check_narrowed(struct arena *a, const struct json *asked,
                           const struct json *limits,
                           const struct json *arguments)
{
    struct json *granted = NULL;
    const struct err *e = permit_details_narrow(a, asked, limits, &granted);
    if (e) {
        must(e->kind == ERR_INVALID && e->at.n > 0);
        return;
    }
    must(json_count(granted) == json_count(asked));
    for (size_t i = 0; i < json_count(granted); i++) {
        const struct json *detail = json_at(granted, i);
        const struct str tool = json_get_text(detail, "tool");
        if (covered(a, granted, tool, fullest(a, detail)))
            must(covered(a, asked, tool, fullest(a, detail)));
        if (covered(a, granted, tool, arguments))
            must(covered(a, asked, tool, arguments));
    }
}

static void check(struct arena *a, const struct json *list,
                  const struct json *limits, const struct json *arguments)
{
    struct str text;
    for (size_t i = 0; i < json_count(list); i++)
        check_detail(a, json_at(list, i));
    if (!permit_details_text(a, list, &text))
        must(json_equal(parsed(a, text), list));
    if (json_is(limits, JSON_OBJECT))
        check_narrowed(a, list, limits, arguments);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct str rest = arena_str(a, (struct str){(const char *)data, size});
    const struct json *list = parsed(a, str_cut(&rest, '\n'));
    const struct json *limits = parsed(a, str_cut(&rest, '\n'));
    const struct err *e = permit_details_check(a, list, STR("d"));
    must(!e || (e->kind == ERR_INVALID && str_starts(e->at, STR("d"))));
    if (!e)
        check(a, list, limits, parsed(a, rest));
    return 0;
}

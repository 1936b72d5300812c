/* Any bytes into the gate; what passes must keep its promises:
 *
 * json-c reads it; written again it is the same tree; its canonical form
 * passes the gate and is its own canonical form; a raw member reads as the
 * member of the tree. */
#include "base/json/json.h"
#include "fuzz.h"

#define TEXT_MAX ((size_t)16 << 20)

static struct str canonical(struct arena *a, const struct json *v)
{
    struct buf b = buf_make(a, TEXT_MAX);
    json_write_canonical(&b, v);
    must(!b.over);
    return buf_text(&b);
}

static struct json *parsed(struct arena *a, struct str text)
{
    struct json *v = NULL;
    must(!json_parse(a, text, &v));
    return v;
}

static void check_members(struct arena *a, struct str text,
                          const struct json *v)
{
    for (struct json_iter i = json_iter(v); json_next(&i);) {
        const struct str raw = json_raw_member(a, text, i.key);
        must(raw.p >= text.p && raw.p + raw.n <= text.p + text.n);
        must(json_equal(parsed(a, raw), i.value));
        must(json_get_str(v, i.key) == i.value);
    }
}

static void check_tree(struct arena *a, struct str text)
{
    struct json *v = parsed(a, text);
    const struct str again = json_dump(a, v, TEXT_MAX);
    must(again.p && json_equal(parsed(a, again), v));
    must(json_equal(json_copy(a, v), v));

    const struct str once = canonical(a, v);
    must(str_eq(canonical(a, parsed(a, once)), once));
    must(str_eq(canonical(a, parsed(a, again)), once));

    struct buf b = buf_make(a, TEXT_MAX);
    json_write_pretty(&b, v);
    must(!b.over && json_equal(parsed(a, buf_text(&b)), v));
    /* The search for a raw member reads the object from its start. */
    if (json_count(v) <= 64)
        check_members(a, text, v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const struct str text = {(const char *)data, size};
    const struct err *e = json_check(a, text);
    if (!e) {
        check_tree(a, text);
    } else {
        must(e->kind == ERR_BAD_REQUEST && e->say.n && e->at.n);
        json_raw_member(a, text, STR("a"));
    }
    return 0;
}

/* Any call: a tool and its arguments, a line feed between them.
 *
 * The title is a bounded line of visible characters. The rows of each edit are
 * its two texts, and no text of an argument is lost: it is a part, or among the
 * other arguments. */
#include "base/text.h"
#include "domain/permit/line_diff.h"
#include "domain/permit/tool_action.h"
#include "domain/permit/tool_title.h"
#include "fuzz.h"

static void check_title(struct arena *a, struct str tool,
                        const struct json *args)
{
    struct json *call = json_object(a), *calls = json_array(a);
    struct json *subject = json_object(a);
    json_set_text(call, "tool", tool);
    json_set_json(call, "args", args);
    json_add_json(calls, call);
    json_set_json(subject, "calls", calls);
    for (size_t n = 1; n <= 2; n++) {
        const struct str s = tool_title(a, subject);
        must(!s.p || (s.n > 0 && str_utf8(s)));
        must(str_runes(s) <= TOOL_TITLE_MAX);
        must(str_find(s, '\n', 0) == s.n);
        for (size_t at = 0; at < s.n; (void)str_rune(s, &at))
            must(!text_hidden_at(s, at));
        json_add_json(calls, json_copy(a, call));
    }
}

/* The rows with all lines of one text, but for an empty one at its end. */
static void check_rows(struct arena *a, const struct line_diff *d,
                       enum line_change without, struct str text)
{
    struct buf b = buf_make(a, SIZE_MAX / 2);
    for (size_t i = 0; i < d->n; i++) {
        if (d->rows[i].change == without)
            continue;
        buf_str(&b, d->rows[i].text);
        buf_char(&b, '\n');
    }
    const struct str s = buf_text(&b);
    must(s.n >= text.n && s.n <= text.n + 1);
    must(str_eq(str_sub(s, 0, text.n), text));
}

/* Bytes of all texts in a value. */
static size_t bytes_of(const struct json *v)
{
    size_t sum = json_text(v).n;
    for (struct json_iter i = json_iter(v); json_next(&i);)
        sum += bytes_of(i.value);
    for (size_t i = 0; json_is(v, JSON_ARRAY) && i < json_count(v); i++)
        sum += bytes_of(json_at(v, i));
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct str rest = arena_str(a, (struct str){(const char *)data, size});
    const struct str tool = str_cut(&rest, '\n');
    struct json *args = NULL;
    if (!str_utf8(tool) || json_parse(a, rest, &args))
        return 0;
    check_title(a, tool, args);
    const struct tool_action call = tool_action(a, tool, args);
    const bool list =
        json_is(json_get_str(args, call.member), JSON_ARRAY);
    size_t sum = bytes_of(call.rest);
    for (size_t i = 0; i < call.n; i++) {
        const struct tool_part *p = &call.parts[i];
        struct line_diff d;
        if (!list || p->type == TOOL_PART_EDIT)
            sum += p->text.n + p->before.n + p->after.n + bytes_of(p->more);
        if (p->type != TOOL_PART_EDIT)
            continue;
        line_diff(a, p->before, p->after, &d);
        check_rows(a, &d, LINE_ADDED, p->before);
        check_rows(a, &d, LINE_REMOVED, p->after);
    }
    must(!json_is(args, JSON_OBJECT) || list || sum == bytes_of(args));
    return 0;
}

/* Fuzzes the reading of an agent's Markdown: but for the marks, each character
 * of the text is in the view, in its order, and containers are closed. */
#include "doors/pages/question/markdown.h"
#include "doors/pages/shell/refs.h"
#include "fuzz.h"

/* Without what may be a mark, and without white space. */
static void put(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!strchr(" \t\r\n*_`~#>-+.)([]", s.p[i]))
            buf_char(b, s.p[i]);
    }
}

static void put_piece(struct buf *b, struct json_iter *piece)
{
    struct page_refs_url parts;
    if (json_is(piece->value, JSON_STRING)) {
        put(b, json_text(piece->value));
        return;
    }
    const struct str url = json_get_text(piece->value, "url");
    must(str_is(piece->key, "link") &&
         page_refs_url(url, "https://", &parts));
    put(b, json_get_text(piece->value, "label"));
    put(b, url);
}

static void put_pieces(struct buf *b, const struct json *list)
{
    for (size_t k = 0; k < json_count(list); k++) {
        struct json_iter piece = json_iter(json_at(list, k));
        must(json_next(&piece));
        put_piece(b, &piece);
        must(!json_next(&piece));
    }
}

/* Containers that are open, by what closes them. */
static void nest(struct str key, const char *open[static 16], size_t *depth)
{
    static const char *const pairs[][2] = {
        {"in_quote", "out_quote"}, {"in_list", "out_list"},
        {"in_steps", "out_steps"}, {"in_item", "out_item"},
        {"in_step", "out_item"}};
    for (size_t i = 0; i < countof(pairs); i++) {
        if (str_is(key, pairs[i][0])) {
            must(*depth < 16);
            open[(*depth)++] = pairs[i][1];
        }
    }
    if (str_starts(key, STR("out_")))
        must(*depth > 0 && str_is(key, open[--*depth]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const struct str text = {(const char *)data, size};
    if (!str_utf8(text))
        return 0;
    const struct json *blocks = question_markdown(a, text);
    struct buf was = buf_make(a, size + 1), is = buf_make(a, size + 1);
    const char *open[16];
    size_t depth = 0;
    for (size_t i = 0; i < json_count(blocks); i++) {
        struct json_iter block = json_iter(json_at(blocks, i));
        must(json_next(&block));
        nest(block.key, open, &depth);
        if (json_is(block.value, JSON_ARRAY))
            put_pieces(&is, block.value);
        if (json_is_number(block.value))
            buf_int(&is, json_int(block.value));
        put(&is, json_get_text(block.value, "info"));
        const struct json *lines = json_get(block.value, "lines");
        for (size_t k = 0; k < json_count(lines); k++)
            put(&is, json_get_text(json_at(lines, k), "line"));
    }
    put(&was, text);
    must(depth == 0);
    must(!blocks || str_eq(buf_text(&was), buf_text(&is)));
    return 0;
}

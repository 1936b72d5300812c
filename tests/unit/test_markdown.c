/* doors/pages/question/markdown.h: a strict subset, in which no word is lost. */
#include "doors/pages/question/markdown.h"

#include "suite.h"

SUITE(markdown);

/* The blocks as one line: "para(plain:a em:b)". */
static struct str shape(const char *text)
{
    struct buf b = buf_make(a, 1 << 20);
    const struct json *blocks = question_markdown(a, str_of(text));
    if (!blocks)
        return STR("as it is");
    for (size_t i = 0; i < json_count(blocks); i++) {
        struct json_iter block = json_iter(json_at(blocks, i));
        cr_assert(json_next(&block));
        if (i > 0)
            buf_char(&b, ' ');
        buf_str(&b, block.key);
        if (json_is_number(block.value))
            buf_printf(&b, "=%d", (int)json_int(block.value));
        if (json_is(block.value, JSON_OBJECT)) {
            const struct json *lines = json_get(block.value, "lines");
            buf_printf(&b, "(%.*s", STR_FMT(json_get_text(block.value,
                                                          "info")));
            for (size_t k = 0; k < json_count(lines); k++)
                buf_printf(&b, "|%.*s",
                           STR_FMT(json_get_text(json_at(lines, k), "line")));
            buf_char(&b, ')');
        }
        if (!json_is(block.value, JSON_ARRAY))
            continue;
        for (size_t k = 0; k < json_count(block.value); k++) {
            struct json_iter piece = json_iter(json_at(block.value, k));
            cr_assert(json_next(&piece));
            buf_char(&b, k ? ' ' : '(');
            buf_str(&b, piece.key);
            buf_char(&b, ':');
            if (json_is(piece.value, JSON_STRING))
                buf_str(&b, json_text(piece.value));
            else
                buf_printf(&b, "%.*s<%.*s>%s",
                           STR_FMT(json_get_text(piece.value, "label")),
                           STR_FMT(json_get_text(piece.value, "url")),
                           json_bool(json_get(piece.value, "same")) ? "="
                                                                    : "");
        }
        buf_char(&b, ')');
    }
    return buf_text(&b);
}

static const struct {
    const char *text, *shape;
} rows[] = {
    /* Texts in which nothing is a mark. */
    {"", "as it is"},
    {"Two lines\nof a reason, 2*3*4 and snake_case_name.", "as it is"},
    {"a * b * c, 5 > 3, # of items: -1", "as it is"},
    {"<b>x</b> <img src=x> &lt; &#8203;", "as it is"},
    {"![alt](https://e.example/x.png)", "para(plain:![alt]( "
     "link:<https://e.example/x.png>= plain:))"},
    {"[a][b]\n\n[b]: https:x", "as it is"},
    {"[a](http://e.example/) [a](javascript:x) [a](//e.example)", "as it is"},
    {"\\*not em\\* and \\`not code\\`", "as it is"},
    {"| a | b |\n|---|---|\n| 1 | 2 |", "as it is"},
    {"#not a heading\n---\n===", "as it is"},
    {"** open *open _open `open [open](", "as it is"},
    {"12345. too long\n01. zero first", "as it is"},
    /* In a line. */
    {"an *em* and **strong**, ***both***", "para(plain:an  em:em plain: and  "
     "strong:strong plain:,  both:both)"},
    {"_em_ __strong__ (_x_)", "para(em:em plain:  strong:strong plain: ( em:x "
     "plain:))"},
    {"**a _b_ c**", "para(strong:a  both:b strong: c)"},
    {"*a **b** c*", "para(em:a  both:b em: c)"},
    {"**a\nb**", "para(strong:a\nb)"},
    {"x`a*b*c`y ``a`b``", "para(plain:x tick:a*b*c plain:y  tick:a`b)"},
    {"*a `b` c*", "para(em:a  tick:b em: c)"},
    {"[Log](https://e.example/x) end",
     "para(link:Log<https://e.example/x> plain: end)"},
    {"[https://bank.example](https://evil.example/x)",
     "para(link:https://bank.example<https://evil.example/x>)"},
    {"[https://e.example](https://e.example)",
     "para(link:https://e.example<https://e.example>=)"},
    {"see https://e.example/a?b=1.", "para(plain:see  "
     "link:<https://e.example/a?b=1>= plain:.)"},
    {"<https://e.example/>", "para(plain:< link:<https://e.example/>= "
     "plain:>)"},
    {"[x](https://good@evil.example/) https://a@b.example", "as it is"},
    /* Blocks. */
    {"# A\ntext\n## B", "head(plain:A) para(plain:text) subhead(plain:B)"},
    {"a\n\nb *c*", "para(plain:a) para(plain:b  em:c)"},
    {"- a\n- b\n  more\n\n  far", "in_list in_item para(plain:a) out_item "
     "in_item para(plain:b\nmore) para(plain:far) out_item out_list"},
    {"3. a\n4) b", "in_steps in_step=3 para(plain:a) out_item in_step=4 "
     "para(plain:b) out_item out_steps"},
    {"- a\n  1. b", "in_list in_item para(plain:a) in_steps in_step=1 "
     "para(plain:b) out_item out_steps out_item out_list"},
    {"- a\n\n- b\n\nend", "in_list in_item para(plain:a) out_item in_item "
     "para(plain:b) out_item out_list para(plain:end)"},
    {"Since\n2024. Nothing changed.\n1. x", "para(plain:Since\n2024. Nothing "
     "changed.) in_steps in_step=1 para(plain:x) out_item out_steps"},
    {"> a\n> > b\nc", "in_quote para(plain:a) in_quote para(plain:b) "
     "out_quote out_quote para(plain:c)"},
    {"```js hidden info\na *b*\n\n  c\n```\nd",
     "fence(js hidden info|a *b*||  c) para(plain:d)"},
    {"~~~\n```\n~~~~", "fence(|```)"},
    {"```\nopen", "fence(|open)"},
    {"-\n- \n", "in_list in_item out_item in_item out_item out_list"},
    {"> > > > > deep", "in_quote in_quote in_quote in_quote para(plain:> "
     "deep) out_quote out_quote out_quote out_quote"},
    {"a\r\n- b\r\n", "para(plain:a) in_list in_item para(plain:b) out_item "
     "out_list"},
};

Test(markdown, rows)
{
    for (size_t i = 0; i < countof(rows); i++) {
        const struct str s = shape(rows[i].text);
        cr_expect(str_is(s, rows[i].shape), "row %zu: %.*s", i, STR_FMT(s));
    }
}

/* Texts that cost a careless reader the square of their length. */
Test(markdown, hostile_texts_end)
{
    static const char *const parts[] = {
        "*a ", "**a ", "_a ", "`a``b```c", "[", "[a](", "[a](https://x ",
        "> ", "- ", "- a\n", "1. ", "> a\nb\n", "#", "```\n", "*", "_*",
        "https://", "h", "\\", "- a\n\n", "  ", "~~~~", "![", "*_", "a\n"};
    for (size_t i = 0; i < countof(parts); i++) {
        struct buf b = buf_make(a, 80000);
        while (b.n + 20 < 80000)
            buf_put(&b, parts[i]);
        const struct json *v = question_markdown(a, buf_text(&b));
        cr_expect(!v || json_count(v) <= 2 * MARKDOWN_PARTS);
        arena_reset(a);
    }
}

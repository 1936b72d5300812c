/* Markdown of an agent: blocks by lines, and what stands in a line. */
#include "doors/pages/question/markdown.h"

#include "doors/pages/shell/refs.h"

#define NUMBER_DIGITS 4 /* of a step */
#define FENCE 3         /* the least signs of one */
#define TICKS 8         /* the most of code in a line */
#define LINK_TEXT 300   /* bytes */
#define LINK_URL 2000

struct markdown {
    struct arena *a;
    struct json *out;
    size_t parts;
    bool marked; /* something was not plain text */
};

struct markdown_lines {
    const struct str *v;
    size_t n;
};

static void markdown_add(struct markdown *m, const char *key,
                         struct json *value)
{
    struct json *o = json_object(m->a);
    json_set_json(o, key, value);
    json_add_json(m->out, o);
    m->parts++;
}

static void markdown_sign(struct markdown *m, const char *key)
{
    markdown_add(m, key, json_boolean(m->a, true));
    m->marked = true;
}

/* ---- what stands in a line ------------------------------------------- */

enum { EM = 1, STRONG = 2 };

/* A part of a text, with the marks that were looked for in vain. */
struct markdown_span {
    struct markdown *m;
    struct str s;
    struct json *out;
    unsigned style;
    bool no_end[2][4];      /* of * and _, by the length */
    bool no_tick[TICKS + 1];
};

static void markdown_piece(struct markdown_span *p, const char *key,
                           struct str text)
{
    struct json *o = json_object(p->m->a);
    json_set_text(o, key, text);
    json_add_json(p->out, o);
    p->m->parts++;
}

static void markdown_text(struct markdown_span *p, size_t from, size_t to)
{
    static const char *const keys[] = {"plain", "em", "strong", "both"};
    if (to > from)
        markdown_piece(p, keys[p->style], str_sub(p->s, from, to));
}

static void markdown_link(struct markdown_span *p, struct str text,
                          struct str url)
{
    struct json *o = json_object(p->m->a), *link = json_object(p->m->a);
    json_set_text(link, "label", text);
    json_set_text(link, "url", url);
    json_set_bool(link, "same", text.n == 0 || str_eq(text, url));
    json_set_json(o, "link", link);
    json_add_json(p->out, o);
    p->m->parts++;
    p->m->marked = true;
}

static bool markdown_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Of a word: also each byte of a letter that is not ASCII. */
static bool markdown_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static bool markdown_punct(char c)
{
    return c > ' ' && (unsigned char)c < 0x7f && !markdown_word(c);
}

static size_t markdown_run(struct str s, size_t at)
{
    size_t n = 1;
    while (at + n < s.n && s.p[at + n] == s.p[at])
        n++;
    return n;
}

/* The place of a run of n signs c from at on that ends an emphasis; s.n: there
 * is none. */
static size_t markdown_end(struct str s, size_t at, char c, size_t n)
{
    while (at < s.n) {
        if (s.p[at] != c) {
            at++;
            continue;
        }
        const size_t run = markdown_run(s, at);
        if (run == n && !markdown_space(s.p[at - 1]) &&
            (at + n == s.n || !markdown_word(s.p[at + n])))
            return at;
        at += run;
    }
    return s.n;
}

static void markdown_spans(struct markdown_span *p);

/* Emphasis at at, after the text from the last piece on. Returns the place
 * behind it, or at. */
static size_t markdown_emphasis(struct markdown_span *p, size_t from,
                                size_t at)
{
    const struct str s = p->s;
    const char c = s.p[at];
    const size_t n = markdown_run(s, at);
    const unsigned style = (unsigned)(n > 3 ? 0 : n);
    if (!style || (p->style & style) || at + n >= s.n ||
        markdown_space(s.p[at + n]) || (at > 0 && markdown_word(s.p[at - 1])))
        return at;
    bool *none = &p->no_end[c == '_'][n];
    const size_t end = *none ? s.n : markdown_end(s, at + n + 1, c, n);
    *none = *none || end == s.n;
    if (end >= s.n)
        return at;
    markdown_text(p, from, at);
    struct markdown_span in = {.m = p->m,
                               .s = str_sub(s, at + n, end),
                               .out = p->out,
                               .style = p->style | style};
    markdown_spans(&in);
    p->m->marked = true;
    return end + n;
}

static size_t markdown_ticks(struct markdown_span *p, size_t from, size_t at)
{
    const struct str s = p->s;
    const size_t n = markdown_run(s, at);
    size_t end = at + n;
    if (n > TICKS || p->no_tick[n])
        return at;
    while (end < s.n) {
        const size_t run = s.p[end] == '`' ? markdown_run(s, end) : 0;
        if (run == n)
            break;
        end += run ? run : 1;
    }
    p->no_tick[n] = end >= s.n;
    if (end >= s.n)
        return at;
    markdown_text(p, from, at);
    markdown_piece(p, "tick", str_sub(s, at + n, end));
    p->m->marked = true;
    return end + n;
}

/* [text](https://...), but no image. */
static size_t markdown_bracket(struct markdown_span *p, size_t from, size_t at)
{
    struct page_refs_url parts;
    const struct str s = str_sub(p->s, 0, at + LINK_TEXT + LINK_URL);
    size_t close = at + 1;
    while (close < s.n && close - at < LINK_TEXT && s.p[close] != ']' &&
           s.p[close] != '[' && s.p[close] != '\n')
        close++;
    if (close + 1 >= s.n || s.p[close] != ']' || s.p[close + 1] != '(' ||
        (at > 0 && p->s.p[at - 1] == '!'))
        return at;
    const size_t end = str_find(s, ')', close + 2);
    const struct str url = str_sub(s, close + 2, end);
    const struct str text = str_sub(s, at + 1, close);
    if (end >= s.n || text.n == 0 || !page_refs_url(url, "https://", &parts))
        return at;
    markdown_text(p, from, at);
    markdown_link(p, text, url);
    return end + 1;
}

/* An address that stands alone; what ends a sentence is no part of it. */
static size_t markdown_address(struct markdown_span *p, size_t from, size_t at)
{
    struct page_refs_url parts;
    size_t end = at;
    if ((at > 0 && markdown_word(p->s.p[at - 1])) ||
        !str_starts(str_sub(p->s, at, at + 8), STR("https://")))
        return at;
    while (end < p->s.n && end - at < LINK_URL && p->s.p[end] > ' ' &&
           p->s.p[end] < 0x7f && !strchr("<>\"'`|\\^{}[]", p->s.p[end]))
        end++;
    while (end > at && strchr(".,;:!?)*_~", p->s.p[end - 1]))
        end--;
    const struct str url = str_sub(p->s, at, end);
    if (!page_refs_url(url, "https://", &parts))
        return at;
    markdown_text(p, from, at);
    markdown_link(p, STR(""), url);
    return end;
}

static void markdown_spans(struct markdown_span *p)
{
    size_t from = 0, at = 0;
    while (at < p->s.n && p->m->parts <= MARKDOWN_PARTS) {
        const char c = p->s.p[at];
        size_t next = at;
        if (c == '*' || c == '_')
            next = markdown_emphasis(p, from, at);
        else if (c == '`')
            next = markdown_ticks(p, from, at);
        else if (c == '[')
            next = markdown_bracket(p, from, at);
        else if (c == 'h')
            next = markdown_address(p, from, at);
        if (next > at)
            from = at = next;
        else if (c == '\\' && at + 1 < p->s.n && markdown_punct(p->s.p[at + 1]))
            at += 2; /* both are shown, and the second is no mark */
        else
            at += c == '*' || c == '_' || c == '`' ? markdown_run(p->s, at)
                                                   : 1;
    }
    markdown_text(p, from, p->s.n);
}

static void markdown_line(struct markdown *m, const char *key, struct str text)
{
    struct markdown_span p = {.m = m, .s = text, .out = json_array(m->a)};
    markdown_spans(&p);
    markdown_add(m, key, p.out);
}

/* ---- blocks ---------------------------------------------------------- */

/* The beginning of a line. */
enum markdown_begin {
    BEGINS_TEXT,
    BEGINS_NOTHING, /* it is blank */
    BEGINS_FENCE,
    BEGINS_HEADING,
    BEGINS_QUOTE,
    BEGINS_ITEM,
    BEGINS_STEP
};

struct markdown_mark {
    enum markdown_begin begins;
    size_t sign;    /* the place of it */
    size_t signs;   /* of a fence or a heading */
    size_t content; /* the place of the text behind it */
    int64_t number; /* of a step */
};

static size_t markdown_spaces(struct str s, size_t at)
{
    size_t n = 0;
    while (at + n < s.n && s.p[at + n] == ' ')
        n++;
    return n;
}

/* The text of an item stands one to four spaces behind its sign. */
static void markdown_item(struct str s, size_t behind, struct markdown_mark *k,
                          enum markdown_begin begins)
{
    const size_t n = markdown_spaces(s, behind);
    if (behind < s.n && n == 0)
        return;
    k->begins = begins;
    k->content = behind + (n > 4 || n == 0 ? 1 : n);
}

static struct markdown_mark markdown_mark(struct str s, int depth)
{
    struct markdown_mark k = {.sign = markdown_spaces(s, 0)};
    size_t at = k.sign, digits = 0;
    if (str_trim(s).n == 0)
        k.begins = BEGINS_NOTHING;
    if (at >= s.n || at > 3)
        return k;
    k.signs = markdown_run(s, at);
    if ((s.p[at] == '`' || s.p[at] == '~') && k.signs >= FENCE &&
        str_find(s, '`', at + k.signs) == s.n) {
        k.begins = BEGINS_FENCE;
        k.content = at + k.signs;
    } else if (s.p[at] == '#' && k.signs <= 6 &&
               markdown_spaces(s, at + k.signs) > 0) {
        k.begins = BEGINS_HEADING;
        k.content = at + k.signs + markdown_spaces(s, at + k.signs);
    }
    if (k.begins != BEGINS_TEXT || depth >= MARKDOWN_DEPTH)
        return k;
    if (s.p[at] == '>') {
        k.begins = BEGINS_QUOTE;
        k.content = at + 1 + (markdown_spaces(s, at + 1) > 0);
    } else if (s.p[at] == '-' || s.p[at] == '*' || s.p[at] == '+') {
        markdown_item(s, at + 1, &k, BEGINS_ITEM);
    }
    while (at + digits < s.n && s.p[at + digits] >= '0' &&
           s.p[at + digits] <= '9')
        digits++;
    const struct str number = str_sub(s, at, at + digits);
    at += digits;
    if (digits > 0 && digits <= NUMBER_DIGITS && at < s.n &&
        (s.p[at] == '.' || s.p[at] == ')') &&
        (digits == 1 || number.p[0] != '0') &&
        str_int(number, 0, 9999, &k.number))
        markdown_item(s, at + 1, &k, BEGINS_STEP);
    return k;
}

static void markdown_blocks(struct markdown *m, struct markdown_lines lines,
                            int depth);

/* A line of code; of a diff with its tone. */
static void markdown_code(struct markdown *m, struct json *list,
                          struct str line, bool diff)
{
    struct json *o = json_object(m->a);
    const char first = diff && line.n > 0 ? line.p[0] : ' ';
    json_set_text(o, "tone",
                  str_of(first == '+'   ? "add"
                         : first == '-' ? "del"
                         : first == '@' ? "hunk"
                                        : ""));
    json_set_text(o, "line", line);
    json_add_json(list, o);
    m->parts++;
}

/* Each takes the lines from at on, and returns the line behind it. */
static size_t markdown_fence(struct markdown *m, struct markdown_lines lines,
                             size_t at, const struct markdown_mark *k)
{
    const char sign = lines.v[at].p[k->sign];
    const struct str info =
        str_trim(str_sub(lines.v[at], k->content, lines.v[at].n));
    const bool diff = str_is(info, "diff") || str_is(info, "patch");
    struct json *o = json_object(m->a), *list = json_array(m->a);
    json_set_text(o, "info", info);
    for (at++; at < lines.n; at++) {
        const struct str line = str_trim(lines.v[at]);
        if (line.n >= k->signs && line.p[0] == sign &&
            markdown_run(line, 0) == line.n)
            break;
        markdown_code(m, list, lines.v[at], diff);
    }
    json_set_json(o, "lines", list);
    markdown_add(m, "fence", o);
    m->marked = true;
    return at + 1;
}

static size_t markdown_quote(struct markdown *m, struct markdown_lines lines,
                             size_t at, int depth)
{
    size_t end = at;
    while (end < lines.n &&
           markdown_mark(lines.v[end], depth).begins == BEGINS_QUOTE)
        end++;
    struct str *in = arena_many(m->a, end - at, struct str);
    for (size_t i = at; i < end; i++)
        in[i - at] = str_sub(lines.v[i],
                             markdown_mark(lines.v[i], depth).content,
                             lines.v[i].n);
    markdown_sign(m, "in_quote");
    markdown_blocks(m, (struct markdown_lines){in, end - at}, depth + 1);
    markdown_sign(m, "out_quote");
    return end;
}

/* An item: its first line, and those that are as far in as its text, with the
 * blank ones between them. */
static size_t markdown_item_of(struct markdown *m, struct markdown_lines lines,
                               size_t at, int depth, size_t content)
{
    size_t end = at + 1;
    for (size_t i = end; i < lines.n; i++) {
        const bool blank = str_trim(lines.v[i]).n == 0;
        if (!blank && markdown_spaces(lines.v[i], 0) < content)
            break;
        end = blank ? end : i + 1;
    }
    struct str *in = arena_many(m->a, end - at, struct str);
    for (size_t i = at; i < end; i++)
        in[i - at] = str_sub(lines.v[i], content, lines.v[i].n);
    markdown_blocks(m, (struct markdown_lines){in, end - at}, depth + 1);
    markdown_sign(m, "out_item");
    return end;
}

static size_t markdown_list(struct markdown *m, struct markdown_lines lines,
                            size_t at, int depth, enum markdown_begin begins)
{
    const bool steps = begins == BEGINS_STEP;
    size_t next = at;
    markdown_sign(m, steps ? "in_steps" : "in_list");
    while (next < lines.n && m->parts <= MARKDOWN_PARTS) {
        const struct markdown_mark k = markdown_mark(lines.v[next], depth);
        if (k.begins == BEGINS_NOTHING) {
            next++;
            continue;
        }
        if (k.begins != begins)
            break;
        markdown_add(m, steps ? "in_step" : "in_item",
                     steps ? json_integer(m->a, k.number)
                           : json_boolean(m->a, true));
        next = at = markdown_item_of(m, lines, next, depth, k.content);
    }
    markdown_sign(m, steps ? "out_steps" : "out_list");
    return at;
}

/* A step other than the first does not end a paragraph: a line may begin with
 * a number. */
static size_t markdown_paragraph(struct markdown *m,
                                 struct markdown_lines lines, size_t at,
                                 int depth)
{
    size_t n = lines.v[at].n, end = at + 1;
    for (; end < lines.n; end++) {
        const struct markdown_mark k = markdown_mark(lines.v[end], depth);
        if (k.begins != BEGINS_TEXT &&
            (k.begins != BEGINS_STEP || k.number == 1))
            break;
        n += 1 + lines.v[end].n;
    }
    struct buf b = buf_make(m->a, n + 1);
    for (size_t i = at; i < end; i++) {
        if (i > at)
            buf_char(&b, '\n');
        buf_str(&b, lines.v[i]);
    }
    markdown_line(m, "para", buf_text(&b));
    return end;
}

static void markdown_blocks(struct markdown *m, struct markdown_lines lines,
                            int depth)
{
    size_t at = 0;
    while (at < lines.n && m->parts <= MARKDOWN_PARTS) {
        const struct str line = lines.v[at];
        const struct markdown_mark k = markdown_mark(line, depth);
        switch (k.begins) {
        case BEGINS_NOTHING:
            at++;
            break;
        case BEGINS_FENCE:
            at = markdown_fence(m, lines, at, &k);
            break;
        case BEGINS_HEADING:
            markdown_line(m, k.signs == 1 ? "head" : "subhead",
                          str_sub(line, k.content, line.n));
            m->marked = true;
            at++;
            break;
        case BEGINS_QUOTE:
            at = markdown_quote(m, lines, at, depth);
            break;
        case BEGINS_ITEM:
        case BEGINS_STEP:
            at = markdown_list(m, lines, at, depth, k.begins);
            break;
        case BEGINS_TEXT:
            at = markdown_paragraph(m, lines, at, depth);
            break;
        }
    }
}

struct json *question_markdown(struct arena *a, struct str text)
{
    struct markdown m = {.a = a, .out = json_array(a)};
    struct str *v = arena_many(a, 1 + str_count(text, '\n'), struct str);
    struct markdown_lines lines = {.v = v};
    for (struct str rest = text; rest.p;) {
        const struct str line = str_cut(&rest, '\n');
        const bool cr = line.n > 0 && line.p[line.n - 1] == '\r';
        v[lines.n++] = str_sub(line, 0, line.n - cr);
    }
    markdown_blocks(&m, lines, 0);
    return m.marked && m.parts <= MARKDOWN_PARTS ? m.out : NULL;
}

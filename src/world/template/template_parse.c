/* Turns the text of a template into a flat array of nodes.
 *
 * Called once for each template at load. Recognizes the tags and which of them
 * take their line with them; ignores the HTML between them. */
#include "world/template/template_parts.h"

struct tag {
    char sigil; /* '#', '^', '?', '/', '>', '!', or 0 for a value */
    struct str name;
    size_t from, to; /* the tag's extent in the source */
};

struct parser {
    struct arena *a;
    struct template *t;
    size_t pos;
    int line; /* of pos */
    size_t open[TEMPLATE_DEPTH_MAX];
    size_t depth;
};

static const struct err *parse_refuse(const struct parser *p,
                                      const char *code,
                                      const char *why)
{
    return template_refuse(p->a, p->t, p->line, code, why);
}

static void parse_advance(struct parser *p, size_t to)
{
    for (; p->pos < to; p->pos++) {
        if (p->t->source.p[p->pos] == '\n')
            p->line++;
    }
}

static struct template_node *
parse_add(struct parser *p, enum template_kind kind, struct str text)
{
    struct template_node *node = &p->t->nodes[p->t->n++];
    *node = (struct template_node){
        .kind = kind, .line = p->line, .text = text};
    return node;
}

static bool parse_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A tag alone on its line stands for the whole line. */
static void parse_line(struct str source, struct tag *tag)
{
    size_t from = tag->from;
    while (from > 0 && parse_blank(source.p[from - 1]))
        from--;
    if (from > 0 && source.p[from - 1] != '\n')
        return;
    size_t to = tag->to;
    while (to < source.n && parse_blank(source.p[to]))
        to++;
    if (str_starts(str_sub(source, to, source.n), STR("\r\n")))
        to++;
    if (to < source.n && source.p[to] != '\n')
        return;
    tag->from = from;
    tag->to = to < source.n ? to + 1 : to;
}

/* The tag that begins at from. */
static const struct err *parse_tag(const struct parser *p, size_t from,
                                   struct tag *tag)
{
    struct str source = p->t->source;
    struct str rest = str_sub(source, from + 2, source.n);
    size_t length = str_search(rest, STR("}}"));
    if (length == rest.n)
        return parse_refuse(p, "template.tag", "A {{ has no }}.");
    struct str inner = str_sub(rest, 0, length);
    char sigil = inner.n > 0 ? inner.p[0] : '\0';
    if (sigil == '{' || sigil == '&')
        return parse_refuse(p, "template.tag",
                            "An unescaped tag is not supported.");
    if (sigil == '=')
        return parse_refuse(p, "template.tag",
                            "Delimiters cannot be changed.");
    bool plain = sigil == '\0' || !memchr("#^?/>!", sigil, 6);
    *tag = (struct tag){
        .sigil = plain ? '\0' : sigil,
        .name = str_trim(str_sub(inner, plain ? 0 : 1, inner.n)),
        .from = from,
        .to = from + length + 4,
    };
    return NULL;
}

static bool parse_word(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9') || c == '_' || c == '-'))
            return false;
    }
    return s.n > 0;
}

/* "step", "open request". */
static bool parse_phrase(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!(s.p[i] >= 'a' && s.p[i] <= 'z') && s.p[i] != ' ')
            return false;
    }
    return s.n > 0 && s.p[0] != ' ' && s.p[s.n - 1] != ' ';
}

static const struct err *parse_format(const struct parser *p,
                                      struct template_node *node,
                                      struct str format)
{
    struct str words = format;
    node->format = template_format_find(str_cut(&words, ':'));
    if (!node->format)
        return parse_refuse(p, "template.format",
                            "There is no format with this name.");
    node->words = words;
    bool fits = true;
    int n = 0;
    for (; words.p && fits; n++)
        fits = parse_phrase(str_cut(&words, ':'));
    if (!fits || n != node->format->words)
        return parse_refuse(
            p, "template.format",
            "The format many has a noun after it and verb has two words, in "
            "lower case after a colon each. Other formats have none.");
    return NULL;
}

static const struct err *parse_keys(const struct parser *p,
                                    struct template_node *node)
{
    struct str format = node->text;
    struct str rest = str_cut(&format, '|');
    size_t n = 1;
    if (format.p)
        TRY(parse_format(p, node, format));
    if (str_is(rest, "."))
        return NULL;
    for (size_t i = 0; i < rest.n; i++)
        n += rest.p[i] == '.';
    const char **keys = arena_many(p->a, n, const char *);
    for (size_t i = 0; i < n; i++) {
        struct str key = str_cut(&rest, '.');
        if (!parse_word(key))
            return parse_refuse(
                p, "template.name",
                "A name has letters, digits, _ and -, with dots between its "
                "parts.");
        keys[i] = arena_z(p->a, key);
    }
    node->keys = keys;
    node->keys_n = n;
    return NULL;
}

static const struct err *parse_open(struct parser *p, const struct tag *tag)
{
    if (p->depth == TEMPLATE_DEPTH_MAX)
        return parse_refuse(p, "template.depth",
                            "Sections are nested too deeply.");
    p->open[p->depth++] = p->t->n;
    return parse_keys(
        p, parse_add(p, tag->sigil == '#'   ? TEMPLATE_SECTION
                        : tag->sigil == '?' ? TEMPLATE_ONCE
                                            : TEMPLATE_INVERTED,
                     tag->name));
}

static const struct err *parse_close(struct parser *p, struct str name)
{
    if (p->depth == 0)
        return parse_refuse(p, "template.section",
                            "No section is open here.");
    struct template_node *open = &p->t->nodes[p->open[--p->depth]];
    if (!str_eq(open->text, name))
        return parse_refuse(
            p, "template.section",
            "This closes another section than the last one opened.");
    open->jump = p->t->n;
    parse_add(p, TEMPLATE_END, name);
    return NULL;
}

static const struct err *parse_part(struct parser *p, struct str name)
{
    struct str file = name;
    const struct str folder = str_cut(&file, '/');
    if (!parse_word(folder) || (file.p && !parse_word(file)))
        return parse_refuse(
            p, "template.name",
            "The name of a part has letters, digits, _ and -, and a / after "
            "its folder.");
    parse_add(p, TEMPLATE_PART, name);
    return NULL;
}

static const struct err *parse_add_tag(struct parser *p, const struct tag *tag)
{
    switch (tag->sigil) {
    case '!':
        return NULL;
    case '#':
    case '^':
    case '?':
        return parse_open(p, tag);
    case '/':
        return parse_close(p, tag->name);
    case '>':
        return parse_part(p, tag->name);
    default:
        return parse_keys(p, parse_add(p, TEMPLATE_VALUE, tag->name));
    }
}

static const struct err *parse_all(struct parser *p)
{
    struct str source = p->t->source;
    for (;;) {
        size_t start = p->pos;
        int line = p->line;
        struct str rest = str_sub(source, start, source.n);
        parse_advance(p, start + str_search(rest, STR("{{")));
        struct tag tag = {.from = p->pos, .to = p->pos};
        if (p->pos < source.n) {
            TRY(parse_tag(p, p->pos, &tag));
            if (tag.sigil != '\0')
                parse_line(source, &tag);
        }
        if (tag.from > start)
            parse_add(p, TEMPLATE_TEXT,
                      str_sub(source, start, tag.from))
                ->line = line;
        if (p->pos == source.n)
            return NULL;
        TRY(parse_add_tag(p, &tag));
        parse_advance(p, tag.to);
    }
}

const struct err *template_nodes(struct arena *a, struct template *t)
{
    struct parser p = {.a = a, .t = t, .line = 1};
    if (!str_utf8(t->source))
        return parse_refuse(&p, "template.utf8",
                            "A template has to be UTF-8 text.");
    /* At most a text before each tag, the tag, and a text after the last. */
    size_t most = 1;
    for (size_t i = 0; i + 1 < t->source.n; i++)
        most +=
            2 * (size_t)(t->source.p[i] == '{' && t->source.p[i + 1] == '{');
    t->nodes = arena_many(a, most, struct template_node);
    t->n = 0;
    TRY(parse_all(&p));
    if (p.depth == 0)
        return NULL;
    p.line = t->nodes[p.open[p.depth - 1]].line;
    return parse_refuse(&p, "template.section",
                        "This section is never closed.");
}

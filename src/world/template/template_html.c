/* Follows HTML as a browser's tokenizer would, one byte at a time.
 *
 * Called by template_judge.c at load. HTML that browsers would have to repair
 * is refused, so that its meaning is certain. Never keeps or changes the text,
 * and knows nothing of templates. */
#include <assert.h>

#include "world/template/template_parts.h"

static const char BAD_MARKUP[] =
    "The HTML here is ambiguous and has to be written more plainly.";

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void template_html_push(struct template_name *name, char c)
{
    if (name->n < TEMPLATE_NAME_MAX)
        name->p[name->n++] =
            (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool template_html_among(const struct template_name *name,
                      const char *const *list)
{
    for (; *list; list++) {
        if (str_is((struct str){name->p, name->n}, *list))
            return true;
    }
    return false;
}

bool template_html_same(const struct template_name *x,
                        const struct template_name *y)
{
    return x->n == y->n && memcmp(x->p, y->p, x->n) == 0;
}

bool template_html_escaped(const struct template_name *tag)
{
    static const char *const list[] = {"title", "textarea", NULL};
    return template_html_among(tag, list);
}

static bool is_option(const struct template_name *tag)
{
    static const char *const list[] = {"option", NULL};
    return template_html_among(tag, list);
}

/* The other elements whose content is not HTML. */
static bool holds_raw(const struct template_name *tag)
{
    static const char *const list[] = {"script", "style",   "iframe",
                                       "xmp",    "noembed", "noframes",
                                       NULL};
    return template_html_among(tag, list);
}

/* One function for each state takes one byte; it returns why the HTML is
 * refused, or NULL. */
typedef const char *step_fn(struct template_place *h, char c);

static const char *on_text(struct template_place *h, char c)
{
    if (c == '<')
        h->state = HTML_OPEN;
    return NULL;
}

static const char *begin_tag(struct template_place *h, char c, bool closing)
{
    *h = (struct template_place){.state = HTML_TAG, .closing = closing};
    template_html_push(&h->tag, c);
    return NULL;
}

static const char *on_open(struct template_place *h, char c)
{
    if (is_letter(c))
        return begin_tag(h, c, false);
    if (c == '?')
        return BAD_MARKUP;
    if (c != '<')
        h->state = c == '/'   ? HTML_OPEN_END
                   : c == '!' ? HTML_BANG
                              : HTML_TEXT;
    return NULL;
}

static const char *on_open_end(struct template_place *h, char c)
{
    return is_letter(c) ? begin_tag(h, c, true) : BAD_MARKUP;
}

/* May c follow a name or a quoted value in a tag? false: no. */
static bool template_html_separator(struct template_place *h, char c)
{
    if (c == '>') {
        const bool raw = !h->closing && (holds_raw(&h->tag) ||
                                         template_html_escaped(&h->tag));
        struct template_place next = {.state = raw ? HTML_RAW : HTML_TEXT};
        if (raw || (!h->closing && is_option(&h->tag)))
            next.tag = h->tag;
        *h = next;
    } else if (is_space(c) || c == '/') {
        h->state = HTML_SPACE;
    } else {
        return false;
    }
    h->word = (struct template_name){.n = 0};
    return true;
}

static const char *on_tag(struct template_place *h, char c)
{
    if (!template_html_separator(h, c))
        template_html_push(&h->tag, c);
    return NULL;
}

static const char *on_space(struct template_place *h, char c)
{
    if (template_html_separator(h, c))
        return NULL;
    if (c == '=')
        return "There is a space before an attribute's =, or no name.";
    h->state = HTML_ATTRIBUTE;
    template_html_push(&h->word, c);
    return NULL;
}

static const char *on_attribute(struct template_place *h, char c)
{
    if (c == '=')
        h->state = HTML_EQUALS;
    else if (!template_html_separator(h, c))
        template_html_push(&h->word, c);
    return NULL;
}

static const char *on_equals(struct template_place *h, char c)
{
    if (c == '>')
        return "An attribute has = but no value.";
    if (!is_space(c))
        h->state = c == '"'    ? HTML_DOUBLE
                   : c == '\'' ? HTML_SINGLE
                               : HTML_UNQUOTED;
    return NULL;
}

static const char *on_quoted(struct template_place *h, char c)
{
    if (c == (h->state == HTML_DOUBLE ? '"' : '\'')) {
        h->state = HTML_GAP;
        h->word = (struct template_name){.n = 0};
    }
    return NULL;
}

static const char *on_unquoted(struct template_place *h, char c)
{
    if (c != '/')
        template_html_separator(h, c);
    return NULL;
}

static const char *on_gap(struct template_place *h, char c)
{
    return template_html_separator(h, c)
               ? NULL
               : "A space has to be between two attributes, also where a "
                 "section ends between them.";
}

static const char *on_bang(struct template_place *h, char c)
{
    if (c != '-' && !is_letter(c))
        return BAD_MARKUP;
    h->state = c == '-' ? HTML_BANG_DASH : HTML_DECLARATION;
    return NULL;
}

static const char *on_bang_dash(struct template_place *h, char c)
{
    if (c != '-')
        return BAD_MARKUP;
    h->state = HTML_COMMENT;
    h->dashes = 4;
    return NULL;
}

static const char *on_declaration(struct template_place *h, char c)
{
    if (c == '>')
        h->state = HTML_TEXT;
    return NULL;
}

/* dashes: 0, 1, 2 of them in a row; 3 after --!; 4 after <!--, 5 after <!---.
 * From 2 on a > ends the comment. */
static const char *on_comment(struct template_place *h, char c)
{
    static const uint8_t dash[] = {1, 2, 2, 1, 5, 2};
    if (c == '-')
        h->dashes = dash[h->dashes];
    else if (c == '>' && h->dashes >= 2)
        *h = (struct template_place){.state = HTML_TEXT};
    else
        h->dashes = c == '!' && h->dashes == 2 ? 3 : 0;
    return NULL;
}

static const char *on_raw(struct template_place *h, char c)
{
    if (c == '<')
        h->state = HTML_RAW_OPEN;
    return NULL;
}

static const char *on_raw_open(struct template_place *h, char c)
{
    /* In a script, <!-- can make browsers skip the end tag. */
    if (c == '!' && !template_html_escaped(&h->tag))
        return BAD_MARKUP;
    if (c != '<')
        h->state = c == '/' ? HTML_RAW_END : HTML_RAW;
    return NULL;
}

static const char *on_raw_end(struct template_place *h, char c)
{
    if (is_letter(c)) {
        template_html_push(&h->word, c);
        return NULL;
    }
    bool end = template_html_same(&h->word, &h->tag);
    h->word = (struct template_name){.n = 0};
    if (end) {
        h->closing = true;
        if (template_html_separator(h, c))
            return NULL;
        h->closing = false;
    }
    h->state = c == '<' ? HTML_RAW_OPEN : HTML_RAW;
    return NULL;
}

const char *template_html_step(struct template_place *h, char c)
{
    static step_fn *const steps[] = {
        [HTML_TEXT] = on_text,
        [HTML_OPEN] = on_open,
        [HTML_OPEN_END] = on_open_end,
        [HTML_TAG] = on_tag,
        [HTML_SPACE] = on_space,
        [HTML_ATTRIBUTE] = on_attribute,
        [HTML_EQUALS] = on_equals,
        [HTML_DOUBLE] = on_quoted,
        [HTML_SINGLE] = on_quoted,
        [HTML_UNQUOTED] = on_unquoted,
        [HTML_GAP] = on_gap,
        [HTML_BANG] = on_bang,
        [HTML_BANG_DASH] = on_bang_dash,
        [HTML_DECLARATION] = on_declaration,
        [HTML_COMMENT] = on_comment,
        [HTML_RAW] = on_raw,
        [HTML_RAW_OPEN] = on_raw_open,
        [HTML_RAW_END] = on_raw_end,
    };
    static_assert(countof(steps) == HTML__MAX, "a step for each state");
    return steps[h->state](h, c);
}

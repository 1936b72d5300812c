/* Follows HTML as a browser's tokenizer would, one byte at a time.
 *
 * Called by template_judge.c at load. HTML that browsers would have to repair
 * is refused, so that its meaning is certain. Never keeps or changes the text,
 * and knows nothing of templates. */
#include "world/template/template_parts.h"

static const char BAD_MARKUP[] =
    "The HTML here is ambiguous and has to be written more plainly.";

static bool html_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool html_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void html_push(struct template_name *name, char c)
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

/* May c follow a name or a quoted value in a tag? false: no. */
static bool html_separator(struct template_place *h, char c)
{
    static const char *const option[] = {"option", NULL};
    /* The other elements whose content is not HTML. */
    static const char *const raws[] = {"script", "style",   "iframe",
                                       "xmp",    "noembed", "noframes",
                                       NULL};
    if (c == '>') {
        const bool raw =
            !h->closing && (template_html_among(&h->tag, raws) ||
                            template_html_escaped(&h->tag));
        struct template_place next = {.state = raw ? HTML_RAW : HTML_TEXT};
        if (raw || (!h->closing && template_html_among(&h->tag, option)))
            next.tag = h->tag;
        *h = next;
    } else if (html_space(c) || c == '/') {
        h->state = HTML_SPACE;
    } else {
        return false;
    }
    h->word = (struct template_name){.n = 0};
    return true;
}

/* Up to a tag's name. */
static const char *html_text(struct template_place *h, char c)
{
    const bool closing = h->state == HTML_OPEN_END;
    if (h->state == HTML_TEXT) {
        if (c == '<')
            h->state = HTML_OPEN;
    } else if (html_letter(c)) {
        *h = (struct template_place){.state = HTML_TAG, .closing = closing};
        html_push(&h->tag, c);
    } else if (closing || c == '?') {
        return BAD_MARKUP;
    } else if (c != '<') {
        h->state = c == '/'   ? HTML_OPEN_END
                   : c == '!' ? HTML_BANG
                              : HTML_TEXT;
    }
    return NULL;
}

/* Inside of a tag, but for quoted values. */
static const char *html_tag(struct template_place *h, char c)
{
    if (h->state == HTML_EQUALS) {
        if (c == '>')
            return "An attribute has = but no value.";
        if (!html_space(c))
            h->state = c == '"'    ? HTML_DOUBLE
                       : c == '\'' ? HTML_SINGLE
                                   : HTML_UNQUOTED;
        return NULL;
    }
    if (h->state == HTML_ATTRIBUTE && c == '=') {
        h->state = HTML_EQUALS;
        return NULL;
    }
    if ((h->state == HTML_UNQUOTED && c == '/') ||
        html_separator(h, c) || h->state == HTML_UNQUOTED)
        return NULL;
    if (h->state == HTML_GAP)
        return "A space has to be between two attributes, also where a "
               "section ends between them.";
    if (h->state == HTML_SPACE && c == '=')
        return "There is a space before an attribute's =, or no name.";
    if (h->state == HTML_SPACE)
        h->state = HTML_ATTRIBUTE;
    html_push(h->state == HTML_TAG ? &h->tag : &h->word, c);
    return NULL;
}

/* After <!. dashes: 0, 1, 2 of them in a row; 3 after --!; 4 after <!--, 5
 * after <!---. From 2 on a > ends the comment. */
static const char *html_bang(struct template_place *h, char c)
{
    static const uint8_t dash[] = {1, 2, 2, 1, 5, 2};
    if (h->state == HTML_DECLARATION) {
        if (c == '>')
            h->state = HTML_TEXT;
    } else if (h->state == HTML_COMMENT) {
        if (c == '-')
            h->dashes = dash[h->dashes];
        else if (c == '>' && h->dashes >= 2)
            *h = (struct template_place){.state = HTML_TEXT};
        else
            h->dashes = c == '!' && h->dashes == 2 ? 3 : 0;
    } else if (h->state == HTML_BANG && html_letter(c)) {
        h->state = HTML_DECLARATION;
    } else if (c != '-') {
        return BAD_MARKUP;
    } else if (h->state == HTML_BANG) {
        h->state = HTML_BANG_DASH;
    } else {
        h->state = HTML_COMMENT;
        h->dashes = 4;
    }
    return NULL;
}

/* In an element that holds no HTML, up to its end tag. */
static const char *html_raw(struct template_place *h, char c)
{
    if (h->state == HTML_RAW) {
        if (c == '<')
            h->state = HTML_RAW_OPEN;
        return NULL;
    }
    if (h->state == HTML_RAW_OPEN) {
        /* In a script, <!-- can make browsers skip the end tag. */
        if (c == '!' && !template_html_escaped(&h->tag))
            return BAD_MARKUP;
        if (c != '<')
            h->state = c == '/' ? HTML_RAW_END : HTML_RAW;
        return NULL;
    }
    if (html_letter(c)) {
        html_push(&h->word, c);
        return NULL;
    }
    const bool end = template_html_same(&h->word, &h->tag);
    h->word = (struct template_name){.n = 0};
    h->closing = end;
    if (end && html_separator(h, c))
        return NULL;
    h->closing = false;
    h->state = c == '<' ? HTML_RAW_OPEN : HTML_RAW;
    return NULL;
}

const char *template_html_step(struct template_place *h, char c)
{
    switch (h->state) {
    case HTML_TEXT:
    case HTML_OPEN:
    case HTML_OPEN_END:
        return html_text(h, c);
    case HTML_TAG:
    case HTML_SPACE:
    case HTML_ATTRIBUTE:
    case HTML_EQUALS:
    case HTML_UNQUOTED:
    case HTML_GAP:
        return html_tag(h, c);
    case HTML_DOUBLE:
    case HTML_SINGLE:
        if (c == (h->state == HTML_DOUBLE ? '"' : '\'')) {
            h->state = HTML_GAP;
            h->word = (struct template_name){.n = 0};
        }
        return NULL;
    case HTML_BANG:
    case HTML_BANG_DASH:
    case HTML_DECLARATION:
    case HTML_COMMENT:
        return html_bang(h, c);
    case HTML_RAW:
    case HTML_RAW_OPEN:
    case HTML_RAW_END:
        return html_raw(h, c);
    case HTML__MAX:
        break;
    }
    return BAD_MARKUP;
}

/* Checks the HTML context of each tag of a template.
 *
 * Called once for each template at load. Determines for each tag what a value
 * there would become, and that a section leaves the HTML context as it found
 * it, so that the check covers every combination of sections. Changes only the
 * url_quote, encoded and hidden of a value. */
#include "world/template/template_parts.h"

/* Attributes with code or HTML, and attributes with addresses that are not
 * among the four that are checked. */
static bool judge_forbidden(const struct template_name *word)
{
    static const char *const list[] = {
        "style", "srcdoc",     "srcset",     "imagesrcset", "poster",
        "ping",  "data",       "cite",       "background",  "manifest",
        "xlink:href", NULL};
    return template_html_among(word, list) ||
           str_starts((struct str){word->p, word->n}, STR("on"));
}

/* Browsers drop the elements in an <option>. */
static bool judge_in_option(const struct template_place *h)
{
    return h->state == HTML_TEXT && h->tag.n > 0;
}

/* Is it in the value of an address? */
static bool judge_in_address(const struct template_place *h)
{
    static const char *const list[] = {"href", "src", "action", "formaction",
                                       NULL};
    return (h->state == HTML_DOUBLE || h->state == HTML_SINGLE) &&
           template_html_among(&h->word, list);
}

static char judge_quote(const struct template_place *h)
{
    return h->state == HTML_DOUBLE ? '"' : '\'';
}

struct judge {
    struct arena *a;
    struct template *t;
    struct template_place h;
    size_t open[TEMPLATE_DEPTH_MAX]; /* the open sections, */
    struct template_place was[TEMPLATE_DEPTH_MAX]; /* and their contexts */
    size_t depth;
};

static const struct err *judge_text(struct judge *j,
                                    const struct template_node *node)
{
    int line = node->line;
    for (size_t i = 0; i < node->text.n; i++) {
        const char *why = template_html_step(&j->h, node->text.p[i]);
        if (why)
            return template_refuse(j->a, j->t, line, "template.markup", why);
        line += node->text.p[i] == '\n';
    }
    /* A last byte that is the value's quote opened it. */
    j->h.begun = judge_in_address(&j->h) && node->text.p[node->text.n - 1] !=
                                          judge_quote(&j->h);
    return NULL;
}

/* The constant beginning of an address has to be valid by itself. */
static const struct err *judge_address(struct judge *j, size_t i)
{
    struct template_node *node = &j->t->nodes[i];
    node->url_quote = judge_quote(&j->h);
    node->encoded = j->h.begun;
    j->h.begun = true;
    if (i == 0 || node[-1].kind != TEMPLATE_TEXT)
        return NULL;
    struct str text = node[-1].text;
    const char *quote = memrchr(text.p, node->url_quote, text.n);
    if (!quote)
        return NULL;
    struct str before =
        str_sub(text, (size_t)(quote - text.p) + 1, text.n);
    if (before.n == 0 || template_url_ok(before, STR_NONE))
        return NULL;
    return template_refuse(j->a, j->t, node->line, "template.url",
                           "An address with a value in it has to begin with /, "
                           "#, ?, https://, http:// or mailto:.");
}

static const struct err *judge_value(struct judge *j, size_t i)
{
    static const char *const kept[] = {"textarea", NULL};
    /* Attributes whose value a form sends back. */
    static const char *const sent[] = {"value", "name", NULL};
    struct template_node *node = &j->t->nodes[i];
    const int line = node->line;
    if (j->h.state == HTML_TEXT) {
        node->hidden =
            judge_in_option(&j->h) ? TEMPLATE_SPELT : TEMPLATE_MARKED;
        return NULL;
    }
    if (j->h.state == HTML_RAW && template_html_escaped(&j->h.tag)) {
        node->hidden = template_html_among(&j->h.tag, kept) ? TEMPLATE_KEPT
                                                            : TEMPLATE_SPELT;
        return NULL;
    }
    if (j->h.state != HTML_DOUBLE && j->h.state != HTML_SINGLE)
        return template_refuse(
            j->a, j->t, line, "template.context",
            "A value is allowed in text or in a quoted attribute, but not in a "
            "name, a comment, a script, a style or an unquoted attribute.");
    if (judge_forbidden(&j->h.word))
        return template_refuse(j->a, j->t, line, "template.context",
                               "A value is not allowed in this attribute.");
    const bool address = judge_in_address(&j->h);
    node->hidden = address || template_html_among(&j->h.word, sent)
                       ? TEMPLATE_KEPT
                       : TEMPLATE_SPELT;
    return address ? judge_address(j, i) : NULL;
}

static bool judge_same_place(const struct template_place *x,
                             const struct template_place *y)
{
    return x->state == y->state && x->closing == y->closing &&
           x->dashes == y->dashes && x->begun == y->begun &&
           template_html_same(&x->tag, &y->tag) &&
           template_html_same(&x->word, &y->word);
}

static bool judge_between(const struct template_place *h)
{
    return h->state == HTML_TAG || h->state == HTML_SPACE ||
           h->state == HTML_ATTRIBUTE || h->state == HTML_GAP;
}

/* A section of attributes may end in another context than it began in, if the
 * next text begins with a space. The section itself has to begin with one too,
 * because it may repeat; a section without a tag cannot repeat untrusted
 * text. */
static bool judge_attributes(const struct judge *j, size_t open, size_t end)
{
    const struct template_place *was = &j->was[j->depth];
    const struct template_node *body = &j->t->nodes[open + 1];
    return judge_between(was) && judge_between(&j->h) &&
           was->closing == j->h.closing &&
           template_html_same(&was->tag, &j->h.tag) &&
           body->kind == TEMPLATE_TEXT &&
           (memchr(" \t\r\n\f", body->text.p[0], 5) || open + 2 == end);
}

static const struct err *judge_end(struct judge *j, size_t i)
{
    j->depth--;
    if (judge_same_place(&j->h, &j->was[j->depth]))
        return NULL;
    if (!judge_attributes(j, j->open[j->depth], i))
        return template_refuse(j->a, j->t, j->t->nodes[i].line,
                               "template.context",
                               "A section has to end in the same HTML context "
                               "in which it began: in text, or in the same "
                               "attribute. A section between attributes begins "
                               "with a space, and a section in an address "
                               "follows the address's beginning.");
    j->h.state = HTML_GAP;
    j->h.word = (struct template_name){.n = 0};
    return NULL;
}

static const struct err *judge_node(struct judge *j, size_t i)
{
    const struct template_node *node = &j->t->nodes[i];
    switch (node->kind) {
    case TEMPLATE_TEXT:
        return judge_text(j, node);
    case TEMPLATE_VALUE:
        return judge_value(j, i);
    case TEMPLATE_SECTION:
    case TEMPLATE_INVERTED:
    case TEMPLATE_ONCE:
        j->open[j->depth] = i;
        j->was[j->depth++] = j->h;
        return NULL;
    case TEMPLATE_END:
        return judge_end(j, i);
    case TEMPLATE_PART:
        if (j->h.state == HTML_TEXT && !judge_in_option(&j->h))
            return NULL;
        return template_refuse(j->a, j->t, node->line, "template.context",
                               "A part is allowed only in text.");
    case TEMPLATE__MAX:
        break;
    }
    return NULL;
}

const struct err *template_judge(struct arena *a, struct template *t)
{
    struct judge j = {.a = a, .t = t};
    for (size_t i = 0; i < t->n; i++)
        TRY(judge_node(&j, i));
    if (j.h.state == HTML_TEXT && !judge_in_option(&j.h))
        return NULL;
    return template_refuse(a, t, t->n > 0 ? t->nodes[t->n - 1].line : 1,
                           "template.markup",
                           "The template ends inside a tag, a comment or an "
                           "element of text.");
}

/* Prints a template over a view.
 *
 * Called once for each page. Every value, also one with a format, passes
 * through render_value, which escapes it and marks its hidden characters: no
 * other function prints a value. Never reads a file and never changes the
 * templates, which all workers share. */
#include "base/buf.h"
#include "base/text.h"
#include "world/template/template_parts.h"

/* Numbers of the view, printed as JSON does. */
#define NUMBER_MAX 512

struct page {
    struct arena *a;
    const struct templates *templates;
    const struct template *t; /* the current one */
    const struct template_page *of;
    struct buf *out;
    size_t marks; /* that are left */
    const struct json *frames[TEMPLATE_DEPTH_MAX + 1]; /* innermost last */
    size_t n;
    size_t depth;
};

static const struct err *render_nodes(struct page *p, size_t from, size_t to);

static const struct err *render_fail(const struct page *p,
                                     const struct template_node *node,
                                     const char *code,
                                     const char *why)
{
    const struct str at =
        arena_join(p->a, p->t->name, STR(".html:"),
                   arena_number(p->a, node->line), STR(" "), node->text);
    return err_at(p->a, ERR_INTERNAL, code, at, "%s", why);
}

/* Finds a name: its first part in the innermost frame that has it, each other
 * part in the value before. false: it is not there. */
static bool render_find(const struct page *p,
                        const struct template_node *node,
                        const struct json **out)
{
    size_t i = p->n;
    if (node->keys_n == 0) {
        *out = p->frames[i - 1];
        return true;
    }
    const struct json *v = NULL;
    while (i > 0 && !json_find(p->frames[i - 1], node->keys[0], &v))
        i--;
    if (i == 0)
        return false;
    for (size_t k = 1; k < node->keys_n; k++) {
        if (!json_find(v, node->keys[k], &v))
            return false;
    }
    *out = v;
    return true;
}

static const char *render_escaped(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void render_mark(struct page *p, enum template_hidden how,
                        uint32_t rune)
{
    const bool element = how == TEMPLATE_MARKED && p->marks > 0;
    if (element) {
        p->marks--;
        buf_printf(p->out, "<code class=\"hid\">U+%04X</code>",
                   (unsigned)rune);
    } else {
        buf_printf(p->out, "[U+%04X]", (unsigned)rune);
    }
}

static void render_text(struct page *p, enum template_hidden how,
                        struct str s)
{
    size_t from = 0;
    for (size_t at = 0; at < s.n;) {
        const size_t here = at;
        const char *z = render_escaped(s.p[at]);
        const char c = s.p[at];
        const uint32_t rune =
            c >= ' ' && c < 0x7f ? (uint32_t)s.p[at++] : str_rune(s, &at);
        const bool hidden = how != TEMPLATE_KEPT && text_hidden_at(s, here);
        if (!z && !hidden)
            continue;
        buf_str(p->out, str_sub(s, from, here));
        if (z)
            buf_put(p->out, z);
        else
            render_mark(p, how, rune);
        from = at;
    }
    buf_str(p->out, str_sub(s, from, s.n));
}

/* Browsers treat a backslash in an address as a slash. */
static bool render_slash(struct str s, size_t i)
{
    return i < s.n && (s.p[i] == '/' || s.p[i] == '\\');
}

static bool render_begins_well(struct str s)
{
    if (s.n > 0 && s.p[0] == '/')
        return !render_slash(s, 1);
    return str_starts(s, STR("#")) || str_starts(s, STR("?")) ||
           str_starts(s, STR("https://")) || str_starts(s, STR("http://")) ||
           str_starts(s, STR("mailto:"));
}

bool template_url_ok(struct str before, struct str value)
{
    for (size_t i = 0; i < value.n; i++)
        if ((unsigned char)value.p[i] < 0x20 || value.p[i] == 0x7f)
            return false;
    if (before.n == 0)
        return render_begins_well(value);
    return render_begins_well(before) &&
           !(str_is(before, "/") && render_slash(value, 0));
}

static void render_address(struct page *p, const struct template_node *node,
                           struct str s)
{
    if (node->encoded) {
        struct buf b = buf_make(p->a, s.n * 3 + 1);
        buf_escape(&b, s);
        s = b.n ? buf_text(&b) : STR("");
    }
    bool fine = true;
    if (node->url_quote) {
        /* The address printed so far. An escaped value has no quote, so the
         * last quote printed is the one that began the attribute. */
        struct str far = buf_text(p->out);
        const char *quote =
            far.n > 0 ? memrchr(far.p, node->url_quote, far.n) : NULL;
        if (quote)
            far = str_sub(far, (size_t)(quote - far.p) + 1, far.n);
        fine = template_url_ok(far, s);
    }
    if (fine)
        render_text(p, node->hidden, s);
    else
        buf_char(p->out, '#');
}

/* v by the node's format, if it has one; a null stays a null. */
static const struct err *
render_formatted(const struct page *p,
                 const struct template_node *node,
                 const struct json **v)
{
    struct str s = STR("");
    if (!node->format || !*v)
        return NULL;
    const struct template_value value = {p->a, p->of, *v, node->words};
    const bool fits = template_format_print(node->format, &value, &s);
    if (!fits && p->templates->strict)
        return render_fail(
            p, node, "template.format",
            "The template has a value of the wrong type for its format.");
    *v = json_string(p->a, fits ? s : STR(""));
    return NULL;
}

static const struct err *render_value(struct page *p,
                                      const struct template_node *node)
{
    const struct json *v = NULL;
    bool strict = p->templates->strict;
    if (!render_find(p, node, &v) && strict)
        return render_fail(
            p, node, "template.unknown",
            "The template has a name that its view does not have.");
    TRY(render_formatted(p, node, &v));
    switch (json_type(v)) {
    case JSON_STRING:
        render_address(p, node, json_text(v));
        return NULL;
    case JSON_BOOL:
    case JSON_INT:
    case JSON_DOUBLE:
        render_address(p, node, json_dump(p->a, v, NUMBER_MAX));
        return NULL;
    case JSON_ARRAY:
    case JSON_OBJECT:
        if (strict)
            return render_fail(
                p, node, "template.not_text",
                "The template prints a list or an object as a value.");
        return NULL;
    case JSON_NULL:
    case JSON__MAX:
        break;
    }
    return NULL;
}

static bool render_true(const struct json *v)
{
    switch (json_type(v)) {
    case JSON_NULL:
        return false;
    case JSON_BOOL:
        return json_bool(v);
    case JSON_STRING:
        return json_text(v).n > 0;
    case JSON_ARRAY:
        return json_count(v) > 0;
    case JSON_INT:
    case JSON_DOUBLE:
    case JSON_OBJECT:
    case JSON__MAX:
        break;
    }
    return true;
}

/* The content of a section, once, over frame. */
static const struct err *render_body(struct page *p, size_t section,
                                     const struct json *frame)
{
    p->frames[p->n++] = frame;
    const struct err *e =
        render_nodes(p, section + 1, p->t->nodes[section].jump);
    p->n--;
    return e;
}

static const struct err *render_section(struct page *p, size_t i)
{
    const struct template_node *node = &p->t->nodes[i];
    const struct json *v = NULL;
    const bool found = render_find(p, node, &v);
    TRY(render_formatted(p, node, &v));
    const bool yes = found && render_true(v);
    if (node->kind != TEMPLATE_SECTION)
        return yes == (node->kind == TEMPLATE_ONCE)
                   ? render_nodes(p, i + 1, node->jump)
                   : NULL;
    if (!yes)
        return NULL;
    if (!json_is(v, JSON_ARRAY))
        return render_body(p, i, v);
    for (size_t k = 0; k < json_count(v) && !p->out->over; k++)
        TRY(render_body(p, i, json_at(v, k)));
    return NULL;
}

/* A section or a part, one deeper. */
static const struct err *render_inner(struct page *p, size_t i)
{
    const struct template_node *node = &p->t->nodes[i];
    if (p->depth == TEMPLATE_DEPTH_MAX)
        return render_fail(
            p, node, "template.depth",
            "Sections and parts are nested too deeply.");
    const struct template *t = p->t;
    const struct err *e = NULL;
    p->depth++;
    if (node->kind == TEMPLATE_PART) {
        p->t = &p->templates->list[node->jump];
        e = render_nodes(p, 0, p->t->n);
    } else {
        e = render_section(p, i);
    }
    p->t = t;
    p->depth--;
    return e;
}

static const struct err *render_nodes(struct page *p, size_t from, size_t to)
{
    for (size_t i = from; i < to && !p->out->over; i++) {
        const struct template_node *node = &p->t->nodes[i];
        switch (node->kind) {
        case TEMPLATE_TEXT:
            buf_str(p->out, node->text);
            break;
        case TEMPLATE_VALUE:
            TRY(render_value(p, node));
            break;
        case TEMPLATE_SECTION:
        case TEMPLATE_INVERTED:
        case TEMPLATE_ONCE:
            TRY(render_inner(p, i));
            i = node->jump;
            break;
        case TEMPLATE_PART:
            TRY(render_inner(p, i));
            break;
        case TEMPLATE_END:
        case TEMPLATE__MAX:
            break;
        }
    }
    return NULL;
}

const struct err *template_render(struct arena *a, const struct templates *t,
                                  const struct template_page *page,
                                  struct buf *out)
{
    const struct str name = str_of(page->name);
    const struct template *main = template_find(t, name);
    if (!main)
        return err_at(a, ERR_INTERNAL, "template.missing", name,
                      "There is no template with this name.");
    struct page p = {.a = a,
                     .templates = t,
                     .t = main,
                     .of = page,
                     .out = out,
                     .marks = TEMPLATE_MARKS};
    p.frames[p.n++] = page->view;
    if (t->strict)
        TRY(template_names(a, t, main, page->view));
    TRY(render_nodes(&p, 0, main->n));
    if (out->over)
        return err_at(a, ERR_INTERNAL, "template.too_long", name,
                      "The page is too long.");
    return NULL;
}

/* Does the template name every member of its view? For strict rendering alone:
 * a member that no template reads is wasted work, and nothing tests it. */
#include <stdlib.h>

#include "world/template/template_parts.h"

#define PATH_MAX_BYTES 512
#define SHARED "suspension" /* a record, of which each page shows a part */

struct names {
    const struct templates *all;
    bool *seen; /* of each template */
    struct str *list;
    size_t n;
};

/* The names of a template and of its parts. */
static void names_collect(struct names *s, size_t which)
{
    const struct template *t = &s->all->list[which];
    if (s->seen[which])
        return;
    s->seen[which] = true;
    for (size_t i = 0; i < t->n; i++) {
        const struct template_node *node = &t->nodes[i];
        for (size_t k = 0; k < node->keys_n; k++)
            s->list[s->n++] = str_of(node->keys[k]);
        if (node->kind == TEMPLATE_PART)
            names_collect(s, node->jump);
    }
}

static int names_by_text(const void *x, const void *y)
{
    return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

static bool names_has(const struct names *s, struct str key)
{
    return bsearch(&key, s->list, s->n, sizeof key, names_by_text) != NULL;
}

/* The path of the first member that is not named into at; false: there is
 * none. */
static bool names_missing(const struct names *s, const struct json *v,
                          struct buf *at)
{
    const size_t from = at->n;
    for (size_t i = 0; json_is(v, JSON_ARRAY) && i < json_count(v); i++) {
        if (names_missing(s, json_at(v, i), at))
            return true;
    }
    if (!json_is(v, JSON_OBJECT))
        return false;
    for (struct json_iter i = json_iter(v); json_next(&i);) {
        buf_put(at, from ? "." : "");
        buf_str(at, i.key);
        if (!names_has(s, i.key) ||
            (!str_is(i.key, SHARED) && names_missing(s, i.value, at)))
            return true;
        at->n = from;
    }
    return false;
}

const struct err *template_names(struct arena *a, const struct templates *all,
                                 const struct template *main,
                                 const struct json *view)
{
    size_t most = 1;
    for (size_t i = 0; i < all->n; i++) {
        for (size_t k = 0; k < all->list[i].n; k++)
            most += all->list[i].nodes[k].keys_n;
    }
    struct names s = {.all = all,
                      .seen = arena_many(a, all->n, bool),
                      .list = arena_many(a, most, struct str)};
    struct buf at = buf_make(a, PATH_MAX_BYTES);
    names_collect(&s, (size_t)(main - all->list));
    qsort(s.list, s.n, sizeof(struct str), names_by_text);
    for (struct json_iter i = json_iter(view); json_next(&i);) {
        /* "page" is the same for every page. */
        if (str_is(i.key, "page"))
            continue;
        at.n = 0;
        buf_str(&at, i.key);
        if (!names_has(&s, i.key) ||
            (!str_is(i.key, SHARED) && names_missing(&s, i.value, &at)))
            return err_at(
                a, ERR_INTERNAL, "template.unused",
                arena_join(a, main->name, STR(".html "), buf_text(&at)),
                "The view has a member that the template never uses.");
    }
    return NULL;
}

/* Differences: two values walked side by side. */
#include "doors/page_difference.h"

struct walk {
    struct page_view *v;
    struct page_facts_room *room;
    struct json *rows;
    struct buf path; /* of the values at hand */
    int64_t skipped;
    bool all; /* what is equal too */
};

/* Where two values look the same and are of two types, the quotation marks
 * of a text tell them apart. */
static struct str spelt(struct arena *a, const struct json *v,
                        const struct json *other)
{
    const bool text = json_is(v, JSON_STRING);
    if (text && other && !json_is(other, JSON_STRING))
        return json_dump(a, v, SIZE_MAX / 2);
    return page_facts_value(a, v);
}

struct pair_of {
    const struct json *before, *after;
    bool had, has; /* NULL is also JSON's null */
};

static struct json *side(struct walk *w, const struct json *v,
                         const struct json *other, bool there)
{
    if (!there)
        return NULL;
    const struct str text = spelt(w->v->a, v, other);
    struct json *o = json_object(w->v->a);
    w->room->bytes -= text.n < w->room->bytes ? text.n : w->room->bytes;
    json_set_json(o, "text", page_view_text(w->v, text));
    json_set_json(o, "long", page_view_long(w->v, text, PAGE_FACTS_LONG));
    return o;
}

static bool same(const struct pair_of *p)
{
    return p->had && p->has && json_equal(p->before, p->after);
}

static void add(struct walk *w, const struct pair_of *p)
{
    struct json *o = json_object(w->v->a);
    const struct str path = w->path.n ? buf_text(&w->path) : STR("value");
    const bool alike = same(p);
    if (w->room->rows == 0 || w->room->bytes == 0) {
        w->skipped++;
        return;
    }
    w->room->rows--;
    json_set_text(o, "sign", alike     ? STR("")
                             : !p->had ? STR("+")
                             : !p->has ? STR("−")
                                       : STR("±"));
    json_set_text(o, "word", alike     ? STR("")
                             : !p->had ? STR("added")
                             : !p->has ? STR("removed")
                                       : STR("changed"));
    json_set_json(o, "path", page_view_text(w->v, path));
    json_set_json(o, "before",
                  side(w, p->before, p->after, p->had && !alike));
    json_set_json(o, "after", side(w, p->after, p->before, p->has));
    json_set_text(o, "type",
                  page_facts_type(w->v->a, p->has ? p->after : p->before));
    json_add_json(w->rows, o);
}

static void walk(struct walk *w, const struct pair_of *p);

static void walk_member(struct walk *w, const struct pair_of *p,
                        struct str key)
{
    const size_t here = w->path.n;
    page_facts_put_key(&w->path, key);
    walk(w, p);
    w->path.n = here;
}

static void walk_object(struct walk *w, const struct pair_of *p)
{
    for (struct json_iter i = json_iter(p->before); json_next(&i);) {
        const struct pair_of one = {i.value, json_get_str(p->after, i.key),
                                    true, json_has(p->after, i.key.p)};
        walk_member(w, &one, i.key);
    }
    for (struct json_iter i = json_iter(p->after); json_next(&i);) {
        const struct pair_of one = {NULL, i.value, false, true};
        if (!json_has(p->before, i.key.p))
            walk_member(w, &one, i.key);
    }
}

static void walk_array(struct walk *w, const struct pair_of *p)
{
    const size_t n = json_count(p->before), m = json_count(p->after);
    const size_t here = w->path.n;
    for (size_t i = 0; i < (n > m ? n : m); i++) {
        const struct pair_of one = {json_at(p->before, i),
                                    json_at(p->after, i), i < n, i < m};
        buf_printf(&w->path, "[%zu]", i);
        walk(w, &one);
        w->path.n = here;
    }
}

/* Are there parts, each with a row of its own? */
static bool has_parts(const struct walk *w, const struct pair_of *p)
{
    const struct json *one = p->has ? p->after : p->before;
    if (!json_is(one, JSON_OBJECT) && !json_is(one, JSON_ARRAY))
        return false;
    if (!p->had || !p->has)
        return w->all && json_count(one) > 0;
    return json_type(p->before) == json_type(p->after) &&
           json_count(p->before) + json_count(p->after) > 0;
}

/* The gate bounds the depth. */
static void walk(struct walk *w, const struct pair_of *p)
{
    if (!w->all && same(p))
        return;
    if (!has_parts(w, p))
        add(w, p);
    else if (json_is(p->has ? p->after : p->before, JSON_OBJECT))
        walk_object(w, p);
    else
        walk_array(w, p);
}

static struct json *finish(struct walk *w, const struct pair_of *whole,
                           const char *noun, const char *where)
{
    struct json *o = json_object(w->v->a);
    struct buf more = buf_make(w->v->a, 128);
    walk(w, whole);
    if (w->skipped > 0) {
        buf_str(&more, page_view_many(w->v->a, w->skipped, noun));
        buf_put(&more, w->skipped == 1 ? " is" : " are");
        buf_put(&more, where);
    }
    json_set_json(o, "rows", w->rows);
    json_set_text(o, "more", more.n ? buf_text(&more) : STR(""));
    json_set_text(o, "was_head", STR("As asked"));
    json_set_text(o, "now_head", STR("As you allow it"));
    return o;
}

struct json *page_difference(struct page_view *v, const struct json *before,
                             const struct json *after)
{
    struct page_facts_room room = page_facts_room();
    struct walk w = {.v = v,
                     .room = &room,
                     .rows = json_array(v->a),
                     .path = buf_make(v->a, PAGE_FACTS_BYTES)};
    const struct pair_of whole = {before, after, true, true};
    return finish(&w, &whole, "more difference", " not shown.");
}

struct json *page_difference_whole(struct page_view *v,
                                   struct page_facts_room *room,
                                   const struct json *before,
                                   const struct json *after)
{
    struct walk w = {.v = v,
                     .room = room,
                     .rows = json_array(v->a),
                     .path = buf_make(v->a, PAGE_FACTS_BYTES),
                     .all = true};
    const struct pair_of whole = {before, after, true, true};
    if (json_count(before) == 0 && json_count(after) == 0)
        w.all = false; /* nothing has no row */
    return finish(&w, &whole, "more value", " in the raw JSON.");
}

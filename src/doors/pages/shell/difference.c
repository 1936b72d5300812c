/* Differences: two values walked side by side. */
#include "doors/pages/shell/difference.h"

#include "doors/pages/shell/facts.h"

#define BEYOND_ROWS 20 /* that are listed above the difference */
#define BRIEF_ROWS 3
#define BRIEF_CHARS 40 /* of a value */
#define BRIEF_MAX ((size_t)8 << 10)

struct walk {
    struct page_view *v;
    struct page_facts_room *room;
    struct json *rows;
    struct buf path; /* of the current values */
    int64_t skipped;
    bool all; /* equal values too */
    const struct exceed *beyond;
    struct buf brief; /* without an arena: not wanted */
    int64_t n; /* differences */
};

/* Where two values look the same and differ in type, the quotation marks of a
 * text show it. */
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
    json_set_text(o, "text", text);
    json_set_json(o, "long", page_view_long(w->v, text, PAGE_FACTS_LONG));
    return o;
}

static bool same(const struct pair_of *p)
{
    return p->had && p->has && json_equal(p->before, p->after);
}

/* ---- beyond what was asked for -------------------------------------- */

static struct json *verdict(struct page_view *v, const struct exceed_row *row)
{
    struct json *o = json_object(v->a);
    json_set_text(o, "path", row->path);
    json_set_text(o, "why", row->why);
    json_set_bool(o, "grave", row->grade == EXCEED_TYPED);
    return o;
}

static struct json *beyond_of(struct walk *w, const struct pair_of *p)
{
    const struct exceed_row *row =
        w->beyond ? exceed_row(w->beyond, p->before, p->after) : NULL;
    return row ? verdict(w->v, row) : NULL;
}

static struct json *beyond_all(struct page_view *v, const struct exceed *e)
{
    struct json *o = json_object(v->a), *rows = json_array(v->a);
    if (!e || e->grade == EXCEED_NOT)
        return NULL;
    for (size_t i = 0; i < e->n && i < BEYOND_ROWS; i++)
        json_add_json(rows, verdict(v, &e->rows[i]));
    const size_t n = e->n + e->more;
    page_view_set_count(o, "count", n);
    json_set_json(o, "rows", rows);
    page_view_set_count(o, "more", n > BEYOND_ROWS ? n - BEYOND_ROWS : 0);
    json_set_bool(o, "grave", e->grade == EXCEED_TYPED);
    return o;
}

/* ---- in a few words ------------------------------------------------- */

static void put_value(struct walk *w, const struct json *v, bool there)
{
    struct arena *a = w->v->a;
    const struct str text = !there              ? STR("none")
                            : json_is_number(v) ? page_facts_number(a, v)
                                                : page_facts_value(a, v);
    const struct str head = str_head(text, BRIEF_CHARS);
    buf_str(&w->brief, head);
    buf_put(&w->brief, head.n < text.n ? "\xE2\x80\xA6" : "");
}

/* "amount 499.99 → 4,999.99" */
static void put_brief(struct walk *w, const struct pair_of *p)
{
    const struct str path = buf_text(&w->path);
    size_t at = path.n;
    if (w->n++ >= BRIEF_ROWS)
        return;
    while (at > 0 && path.p[at - 1] != '.')
        at--;
    buf_put(&w->brief, w->n > 1 ? ", " : "");
    buf_str(&w->brief, str_sub(path, at, path.n));
    buf_put(&w->brief, path.n > 0 ? " " : "");
    put_value(w, p->before, p->had);
    buf_put(&w->brief, " \xE2\x86\x92 ");
    put_value(w, p->after, p->has);
}

static struct str brief(struct walk *w)
{
    struct arena *a = w->v->a;
    if (w->n > BRIEF_ROWS) {
        buf_put(&w->brief, ", and ");
        buf_str(&w->brief, words_many(a, w->n - BRIEF_ROWS, "more change"));
    }
    return w->n ? buf_text(&w->brief) : STR("");
}

/* ---- rows ----------------------------------------------------------- */

static void difference_add(struct walk *w, const struct pair_of *p)
{
    struct json *o = json_object(w->v->a);
    const struct str path = w->path.n ? buf_text(&w->path) : STR("value");
    const bool alike = same(p);
    if (!alike && w->brief.arena)
        put_brief(w, p);
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
    json_set_text(o, "path", path);
    json_set_json(o, "before",
                  side(w, p->before, p->after, p->had && !alike));
    json_set_json(o, "after", side(w, p->after, p->before, p->has));
    json_set_json(o, "beyond", alike ? NULL : beyond_of(w, p));
    json_set_text(o, "type",
                  page_facts_type(w->v->a, p->has ? p->after : p->before));
    json_add_json(w->rows, o);
}

static void walk(struct walk *w, const struct pair_of *p);

static void walk_member(struct walk *w, const struct pair_of *p,
                        struct str key)
{
    const size_t here = w->path.n;
    page_facts_put_key(w->v, &w->path, key);
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

/* The depth is bounded by the JSON check of the body. */
static void walk(struct walk *w, const struct pair_of *p)
{
    if (!w->all && same(p))
        return;
    if (!has_parts(w, p))
        difference_add(w, p);
    else if (json_is(p->has ? p->after : p->before, JSON_OBJECT))
        walk_object(w, p);
    else
        walk_array(w, p);
}

static struct json *finish(struct walk *w, const struct pair_of *whole)
{
    struct json *o = json_object(w->v->a);
    walk(w, whole);
    w->v->cut += w->skipped;
    json_set_json(o, "rows", w->rows);
    page_view_set_count(o, "more", (size_t)w->skipped);
    json_set_text(o, "was_head", STR("Requested"));
    json_set_text(o, "now_head", STR("Edited"));
    json_set_json(o, "beyond", beyond_all(w->v, w->beyond));
    return o;
}

struct json *page_difference(struct page_view *v, const struct json *before,
                             const struct json *after)
{
    return page_difference_judged(v, before, after, NULL);
}

struct str page_difference_brief(struct page_view *v,
                                 const struct json *before,
                                 const struct json *after)
{
    struct page_facts_room none = {.rows = 0};
    struct walk w = {.v = v,
                     .room = &none,
                     .path = buf_make(v->a, PAGE_FACTS_BYTES),
                     .brief = buf_make(v->a, BRIEF_MAX)};
    const struct pair_of whole = {before, after, true, true};
    walk(&w, &whole);
    return brief(&w);
}

struct json *page_difference_judged(struct page_view *v,
                                    const struct json *before,
                                    const struct json *after,
                                    const struct exceed *beyond)
{
    struct page_facts_room room = page_facts_room();
    struct walk w = {.v = v,
                     .beyond = beyond,
                     .room = &room,
                     .rows = json_array(v->a),
                     .path = buf_make(v->a, PAGE_FACTS_BYTES)};
    const struct pair_of whole = {before, after, true, true};
    return finish(&w, &whole);
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
    return finish(&w, &whole);
}

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
    const struct widening *beyond;
    struct buf brief; /* without an arena: not wanted */
    int64_t n; /* differences */
};

struct pair_of {
    const struct json *before, *after;
    bool had, has; /* NULL is also JSON's null */
};

/* One side of a row, as text. Where two values look the same and differ in
 * type, the quotation marks of a text show it. */
static struct json *difference_side(struct walk *w, const struct json *v,
                                    const struct json *other, bool there)
{
    struct arena *a = w->v->a;
    if (!there)
        return NULL;
    const bool quoted =
        json_is(v, JSON_STRING) && other && !json_is(other, JSON_STRING);
    const struct str text =
        quoted ? json_dump(a, v, SIZE_MAX / 2) : page_facts_value(a, v);
    struct json *o = json_object(a);
    w->room->bytes -= text.n < w->room->bytes ? text.n : w->room->bytes;
    json_set_text(o, "text", text);
    json_set_json(o, "long", page_view_long(w->v, text, PAGE_FACTS_LONG));
    return o;
}

static bool difference_same(const struct pair_of *p)
{
    return p->had && p->has && json_equal(p->before, p->after);
}

/* ---- beyond what was asked for -------------------------------------- */

static struct json *difference_verdict(struct page_view *v,
                                       const struct widening_row *row)
{
    struct json *o = json_object(v->a);
    json_set_text(o, "path", row->path);
    json_set_text(o, "why", row->why);
    json_set_bool(o, "grave", row->grade == WIDENING_TYPED);
    return o;
}

/* ---- in a few words ------------------------------------------------- */

static void difference_put_value(struct walk *w, const struct json *v,
                                 bool there)
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
static void difference_put_brief(struct walk *w, const struct pair_of *p)
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
    difference_put_value(w, p->before, p->had);
    buf_put(&w->brief, " \xE2\x86\x92 ");
    difference_put_value(w, p->after, p->has);
}

/* ---- rows ----------------------------------------------------------- */

static void difference_add(struct walk *w, const struct pair_of *p)
{
    enum { ALIKE, ADDED, REMOVED, CHANGED };
    static const char *const words[][2] = {[ALIKE] = {"", ""},
                                           [ADDED] = {"+", "added"},
                                           [REMOVED] = {"−", "removed"},
                                           [CHANGED] = {"±", "changed"}};
    struct json *o = json_object(w->v->a);
    const struct str path = w->path.n ? buf_text(&w->path) : STR("value");
    const bool alike = difference_same(p);
    const int change = alike     ? ALIKE
                       : !p->had ? ADDED
                       : !p->has ? REMOVED
                                 : CHANGED;
    if (!alike && w->brief.arena)
        difference_put_brief(w, p);
    if (w->room->rows == 0 || w->room->bytes == 0) {
        w->skipped++;
        return;
    }
    w->room->rows--;
    json_set_text(o, "sign", str_of(words[change][0]));
    json_set_text(o, "word", str_of(words[change][1]));
    json_set_text(o, "path", path);
    json_set_json(o, "before",
                  difference_side(w, p->before, p->after, p->had && !alike));
    json_set_json(o, "after", difference_side(w, p->after, p->before, p->has));
    const struct widening_row *beyond =
        w->beyond && !alike ? widening_row(w->beyond, p->before, p->after)
                            : NULL;
    json_set_json(o, "beyond",
                  beyond ? difference_verdict(w->v, beyond) : NULL);
    json_set_text(o, "type",
                  page_facts_type(w->v->a, p->has ? p->after : p->before));
    json_add_json(w->rows, o);
}

/* Are there parts, each with a row of its own? */
static bool difference_has_parts(const struct walk *w, const struct pair_of *p)
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
static void difference_walk(struct walk *w, const struct pair_of *p)
{
    const size_t here = w->path.n;
    if (!w->all && difference_same(p))
        return;
    if (!difference_has_parts(w, p)) {
        difference_add(w, p);
        return;
    }
    if (json_is(p->has ? p->after : p->before, JSON_ARRAY)) {
        const size_t n = json_count(p->before), m = json_count(p->after);
        for (size_t i = 0; i < (n > m ? n : m); i++) {
            const struct pair_of one = {json_at(p->before, i),
                                        json_at(p->after, i), i < n, i < m};
            buf_printf(&w->path, "[%zu]", i);
            difference_walk(w, &one);
            w->path.n = here;
        }
        return;
    }
    for (struct json_iter i = json_iter(p->before); json_next(&i);) {
        const struct pair_of one = {i.value, json_get_str(p->after, i.key),
                                    true, json_has(p->after, i.key.p)};
        page_facts_put_key(w->v, &w->path, i.key);
        difference_walk(w, &one);
        w->path.n = here;
    }
    for (struct json_iter i = json_iter(p->after); json_next(&i);) {
        const struct pair_of one = {NULL, i.value, false, true};
        if (json_has(p->before, i.key.p))
            continue;
        page_facts_put_key(w->v, &w->path, i.key);
        difference_walk(w, &one);
        w->path.n = here;
    }
}

static struct json *difference_view(struct walk *w,
                                    const struct pair_of *whole)
{
    struct page_view *v = w->v;
    const struct widening *e = w->beyond;
    struct json *o = json_object(v->a), *beyond = NULL;
    difference_walk(w, whole);
    v->cut += w->skipped;
    json_set_json(o, "rows", w->rows);
    page_view_set_count(o, "more", (size_t)w->skipped);
    json_set_text(o, "was_head", STR("Requested"));
    json_set_text(o, "now_head", STR("Edited"));
    /* All that is beyond what was asked for, listed above the difference. */
    if (e && e->grade != WIDENING_NOT) {
        const size_t n = e->n + e->more;
        struct json *rows = json_array(v->a);
        beyond = json_object(v->a);
        for (size_t i = 0; i < e->n && i < BEYOND_ROWS; i++)
            json_add_json(rows, difference_verdict(v, &e->rows[i]));
        page_view_set_count(beyond, "count", n);
        json_set_json(beyond, "rows", rows);
        page_view_set_count(beyond, "more",
                            n > BEYOND_ROWS ? n - BEYOND_ROWS : 0);
        json_set_bool(beyond, "grave", e->grade == WIDENING_TYPED);
    }
    json_set_json(o, "beyond", beyond);
    return o;
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
    difference_walk(&w, &whole);
    if (w.n > BRIEF_ROWS) {
        buf_put(&w.brief, ", and ");
        buf_str(&w.brief, words_many(v->a, w.n - BRIEF_ROWS, "more change"));
    }
    return w.n ? buf_text(&w.brief) : STR("");
}

struct json *page_difference(struct page_view *v, const struct json *before,
                             const struct json *after,
                             const struct widening *beyond)
{
    struct page_facts_room room = page_facts_room();
    struct walk w = {.v = v,
                     .beyond = beyond,
                     .room = &room,
                     .rows = json_array(v->a),
                     .path = buf_make(v->a, PAGE_FACTS_BYTES)};
    const struct pair_of whole = {before, after, true, true};
    return difference_view(&w, &whole);
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
    return difference_view(&w, &whole);
}

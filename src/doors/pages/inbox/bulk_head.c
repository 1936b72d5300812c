/* The head of the page on which several questions are decided. */
#include "doors/pages/inbox/bulk_head.h"
#include "doors/pages/shell/badge.h"

#include "doors/pages/question/head.h"

/* ---- left out ------------------------------------------------------- */

struct reason {
    struct str why;
    int64_t n;
};

/* One line for each reason, in the order of their first use. */
static struct json *bulk_head_reasons(struct page_view *v,
                                      const struct json *left)
{
    const size_t all = json_count(left);
    struct reason *r = arena_many(v->a, all + 1, struct reason);
    struct json *list = json_array(v->a);
    size_t n = 0;
    for (size_t i = 0; i < all; i++) {
        const struct str text = json_get_text(json_at(left, i), "why");
        size_t k = 0;
        while (k < n && !str_eq(r[k].why, text))
            k++;
        r[k].why = text;
        r[k].n++;
        n = k == n ? n + 1 : n;
    }
    for (size_t i = 0; i < n; i++) {
        struct json *o = json_object(v->a);
        json_set_int(o, "n", r[i].n);
        json_set_text(o, "why", r[i].why);
        json_add_json(list, o);
    }
    return list;
}

/* ---- equal questions -------------------------------------------------- */

static void bulk_head_add_same(struct page_view *v, struct json *list,
                               const struct suspension *s, bool ticked)
{
    struct json *o = json_object(v->a);
    if (json_count(list) == INBOX_BULK_HEAD_SAME)
        return;
    json_set_json(o, "suspension", question_head_brief(v, s));
    json_set_bool(o, "ticked", ticked);
    json_add_json(list, o);
}

static bool bulk_head_same(const struct suspension *s,
                           const struct suspension *other)
{
    return question_head_has_facts(s) && !str_eq(s->id, other->id) &&
           str_eq(s->subject_sha256, other->subject_sha256);
}

/* The list of the questions equal to the one at i. */
static struct json *bulk_head_same_as(struct page_view *v,
                                      const struct inbox_bulk_head_of *of,
                                      size_t i)
{
    struct json *list = json_array(v->a);
    for (size_t k = 0; k < of->n; k++) {
        if (bulk_head_same(of->in[i], of->in[k]))
            bulk_head_add_same(v, list, of->in[k], true);
    }
    for (size_t k = 0; k < of->others.n; k++) {
        if (bulk_head_same(of->in[i], &of->others.v[k]))
            bulk_head_add_same(v, list, &of->others.v[k], false);
    }
    return list;
}

struct json *inbox_bulk_head(struct page_view *v,
                             const struct inbox_bulk_head_of *of,
                             const struct json *items)
{
    struct json *o = json_object(v->a);
    const struct suspension *top = NULL;
    size_t n = 0;
    for (size_t i = 0; i < of->n; i++) {
        struct json *list = bulk_head_same_as(v, of, i);
        json_set_json(json_at(items, i), "same", list);
        n += json_count(list) > 0;
        if (!top || of->in[i]->severity > top->severity)
            top = of->in[i];
    }
    /* The highest risk; a question without one says so in its row. */
    json_set_json(o, "risk", top ? page_badge_risk(v->a, top) : NULL);
    json_set_int(o, "all", (int64_t)(of->n + json_count(of->left)));
    json_set_json(o, "reasons", bulk_head_reasons(v, of->left));
    page_view_set_count(o, "alike", n);
    return o;
}

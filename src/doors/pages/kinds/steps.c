/* The steps of a plan as rows, compared with those of an earlier one. */
#include "doors/pages/kinds/steps.h"
#include "doors/pages/shell/badge.h"

#include "doors/pages/shell/difference.h"

#define VALUES_MAX 1000 /* that a plan shows in the rows of its steps */

/* Steps while their page is built, next to the earlier ones. */
struct plan {
    struct page_view *v;
    const struct json *steps, *before; /* before NULL: none */
    const bool *moved;
    bool approved; /* the steps are a person's, before is the agent's */
    struct page_facts_room room;
    size_t left; /* rows to come */
};

/* ---- one step beside the earlier one ---------------------------------- */

static const struct json *steps_find(const struct json *steps, struct str id)
{
    for (size_t i = 0; id.p && i < json_count(steps); i++) {
        if (str_eq(json_get_text(json_at(steps, i), "id"), id))
            return json_at(steps, i);
    }
    return NULL;
}

static size_t steps_place(const struct json *steps, const struct json *step)
{
    size_t i = 0;
    while (json_at(steps, i) != step)
        i++;
    return i + 1;
}

/* The moved steps, a flag for each: those outside of the longest run that kept
 * its order. */
static const bool *steps_moved(struct arena *a, const struct json *steps,
                               const struct json *before)
{
    const size_t n = json_count(steps);
    size_t *was = arena_many(a, n + 1, size_t); /* 0: it is new */
    size_t *run =
        arena_many(a, n + 1, size_t); /* the longest that ends here */
    bool *moved = arena_many(a, n + 1, bool);
    size_t want = 0, last = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        const struct str id = json_get_text(json_at(steps, i), "id");
        const struct json *old = steps_find(before, id);
        was[i] = old ? steps_place(before, old) : 0;
        run[i] = was[i] > 0;
        for (size_t k = 0; k < i && was[i] > 0; k++) {
            if (was[k] > 0 && was[k] < was[i] && run[k] >= run[i])
                run[i] = run[k] + 1;
        }
        want = run[i] > want ? run[i] : want;
    }
    /* Backward along one such run: what it takes has kept its order. */
    for (size_t i = n; i > 0; i--) {
        const size_t at = was[i - 1];
        moved[i - 1] = at > 0 && !(run[i - 1] == want && at < last);
        if (at > 0 && !moved[i - 1]) {
            want--;
            last = at;
        }
    }
    return moved;
}

/* The difference of a step: the sign, the word and the tone of its row. */
struct difference {
    const char *sign, *word, *tone;
};

static struct difference steps_difference(const struct plan *p,
                                          const struct json *step,
                                          const struct json *old, bool moved)
{
    if (!old)
        return (struct difference){"+", "new", "added"};
    struct json *now = json_copy(p->v->a, step);
    struct json *was = json_copy(p->v->a, old);
    if (p->approved) { /* a person's note does not change a step */
        json_unset(now, STR("note"));
        json_unset(was, STR("note"));
    }
    if (!json_equal(now, was))
        return (struct difference){"\xC2\xB1", "changed", "changed"};
    if (moved)
        return (struct difference){"\xC2\xB1", "moved", "changed"};
    if (!json_equal(step, old))
        return (struct difference){"\xC2\xB1", "note added", "changed"};
    return (struct difference){"=", "same", "kept"};
}

static void steps_set_difference(struct json *row, struct difference d)
{
    json_set_text(row, "sign", str_of(d.sign));
    json_set_text(row, "word", str_of(d.word));
    json_set_text(row, "tone", str_of(d.tone));
}

/* ---- rows ----------------------------------------------------------- */

/* name and old_name: the old one only where it differs. */
static void steps_set_fact(struct page_view *v, struct json *row,
                           const char *name, const struct json *step,
                           const struct json *old)
{
    struct buf key = buf_make(v->a, 32);
    const struct str now = json_get_text(step, name);
    const struct str was = json_get_text(old, name);
    buf_put(&key, "old_");
    buf_put(&key, name);
    json_set_text(row, name, now);
    json_set_text(row, arena_z(v->a, buf_text(&key)),
                  was.n && !str_eq(was, now) ? was : STR_NONE);
}

/* The members of a step that have no place of their own in its row. */
static struct json *steps_besides(struct arena *a, const struct json *step)
{
    static const char *const own[] = {"id",   "title", "detail",
                                      "tool", "risk",  "note"};
    struct json *rest = json_copy(a, step);
    for (size_t i = 0; i < countof(own); i++) {
        if (json_is(json_get(rest, own[i]), JSON_STRING))
            json_unset(rest, str_of(own[i]));
    }
    return rest;
}

/* Each row has its share of the limit, so that a long step leaves room for
 * others. */
static struct json *steps_values(struct plan *p, const struct json *step,
                                 const struct json *old)
{
    const struct page_facts_room share = {
        .rows = p->room.rows / p->left, .bytes = p->room.bytes / p->left};
    struct page_facts_room room = share;
    const struct json *now = steps_besides(p->v->a, step);
    struct json *o = page_difference_whole(
        p->v, &room, old ? steps_besides(p->v->a, old) : now, now);
    p->room.rows -= share.rows - room.rows;
    p->room.bytes -= share.bytes - room.bytes;
    p->left--;
    return json_count(json_get(o, "rows")) > 0 ? o : NULL;
}

static struct json *steps_row(struct plan *p, const struct json *step,
                              const struct json *old)
{
    static const char *const names[] = {"title", "detail", "tool", "note"};
    struct page_view *v = p->v;
    struct json *row = json_object(v->a);
    const struct str risk = json_get_text(step, "risk");
    struct json *badge = page_badge_risk(
        v->a, &(struct suspension){.severity = vocabulary_severity_of(risk)});
    for (size_t i = 0; i < countof(names); i++)
        steps_set_fact(v, row, names[i], step, old);
    steps_set_fact(v, row, "risk", NULL, old);
    if (old && str_eq(json_get_text(old, "risk"), risk))
        json_set_json(row, "old_risk", NULL);
    json_set_json(row, "risk", badge);
    json_set_text(row, "risk_words", risk.n && !badge ? risk : STR_NONE);
    /* The author of a note, so that an agent's is not taken for a
     * colleague's. */
    const bool noted = p->approved && !str_eq(json_get_text(step, "note"),
                                              json_get_text(old, "note"));
    json_set_text(row, "note_of",
                  noted ? STR("Operator's note") : STR("Agent's note"));
    json_set_json(row, "values", steps_values(p, step, old));
    json_set_json(row, "n", NULL);
    json_set_json(row, "was", NULL);
    steps_set_difference(row, (struct difference){"", "", ""});
    return row;
}

static bool steps_removed(const struct plan *p, size_t i)
{
    const struct str id = json_get_text(json_at(p->before, i), "id");
    return !steps_find(p->steps, id);
}

/* ---- all of them ---------------------------------------------------- */

static struct str steps_tally(struct arena *a, const struct json *rows)
{
    static const char *const words[] = {"new",   "changed", "moved",
                                        "note added", "removed", "same"};
    struct buf b = buf_make(a, 256);
    for (size_t i = 0; i < countof(words); i++) {
        int64_t n = 0;
        for (size_t k = 0; k < json_count(rows); k++)
            n += str_is(json_get_text(json_at(rows, k), "word"), words[i]);
        if (n == 0)
            continue;
        buf_put(&b, b.n ? ", " : "");
        buf_str(&b, words_count(a, n));
        buf_char(&b, ' ');
        buf_put(&b, words[i]);
    }
    return b.n ? buf_text(&b) : STR("");
}

/* The plan's steps, then those of the earlier plan that it no longer has. */
static struct json *steps_rows(struct plan *p)
{
    struct json *rows = json_array(p->v->a);
    p->left = json_count(p->steps);
    for (size_t i = 0; i < json_count(p->before); i++)
        p->left += steps_removed(p, i);
    for (size_t i = 0; i < json_count(p->steps); i++) {
        const struct json *step = json_at(p->steps, i);
        const struct json *old =
            steps_find(p->before, json_get_text(step, "id"));
        const bool moved = p->moved && p->moved[i];
        struct json *row = steps_row(p, step, old);
        page_view_set_count(row, "n", i + 1);
        if (p->before)
            steps_set_difference(row, steps_difference(p, step, old, moved));
        if (moved)
            page_view_set_count(row, "was", steps_place(p->before, old));
        json_add_json(rows, row);
    }
    for (size_t i = 0; i < json_count(p->before); i++) {
        const struct json *step = json_at(p->before, i);
        if (!steps_removed(p, i))
            continue;
        /* Compared with itself: its texts are the agent's. */
        struct json *row = steps_row(p, step, step);
        steps_set_difference(
            row, (struct difference){"\xE2\x88\x92", "removed", "removed"});
        page_view_set_count(row, "was", i + 1);
        json_add_json(rows, row);
    }
    return rows;
}

static struct json *steps_view(struct page_view *v, const struct json *steps,
                               const struct json *before, bool approved)
{
    struct plan p = {.v = v,
                     .steps = steps,
                     .before = before,
                     .moved = before ? steps_moved(v->a, steps, before) : NULL,
                     .approved = approved,
                     .room = {.rows = VALUES_MAX, .bytes = PAGE_FACTS_BYTES}};
    struct json *o = json_object(v->a), *rows = steps_rows(&p);
    struct json *fresh = json_array(v->a), *same = json_array(v->a);
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        const bool is_same = str_is(json_get_text(row, "tone"), "kept");
        json_add_json(is_same ? same : fresh, row);
    }
    json_set_json(o, "rows", rows);
    json_set_json(o, "fresh", fresh);
    json_set_json(o, "same", same);
    json_set_bool(o, "has_same", before && json_count(same) > 0);
    json_set_bool(o, "against", before != NULL);
    json_set_int(o, "count", (int64_t)json_count(steps));
    json_set_text(o, "tally", before ? steps_tally(v->a, rows) : STR(""));
    return o;
}

struct json *kinds_steps(struct page_view *v, const struct json *steps,
                         const struct json *before)
{
    return steps_view(v, steps, before, false);
}

struct json *kinds_steps_approved(struct page_view *v,
                                  const struct json *steps,
                                  const struct json *asked)
{
    struct json *o = steps_view(v, steps, asked, true);
    json_set_bool(o, "has_same", false);
    return o;
}

const struct json *kinds_steps_of(const struct json *subject)
{
    const struct json *steps = json_get(json_get(subject, "plan"), "steps");
    return json_is(steps, JSON_ARRAY) ? steps : NULL;
}

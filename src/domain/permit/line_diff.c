/* The lines in which two texts differ: the greedy algorithm of Eugene Myers
 * ("An O(ND) Difference Algorithm and Its Variations", 1986). */
#include "domain/permit/line_diff.h"

#define CHANGES_MAX 400     /* removed and added lines that are searched for */
#define STEPS_MAX (1 << 21) /* compared lines */

/* One of the texts. */
struct lines {
    struct str *v;
    uint64_t *hash;
    bool *changed; /* is the line removed, or added? */
    size_t n;
};

/* The compared parts: after a common beginning of `from` lines, n lines of x
 * and m of y, up to a common end. */
struct search {
    struct lines x, y;
    size_t from, n, m;
};

static struct lines line_diff_split(struct arena *a, struct str s,
                                    struct str other)
{
    struct lines l = {.n = 0};
    const size_t room = 1 + str_count(s, '\n');
    l.v = arena_many(a, room, struct str);
    l.hash = arena_many(a, room, uint64_t);
    l.changed = arena_many(a, room, bool);
    for (struct str rest = s; s.n > 0 && rest.p; l.n++) {
        l.v[l.n] = str_cut(&rest, '\n');
        l.hash[l.n] = str_hash(l.v[l.n]);
    }
    if (str_ends(s, STR("\n")) && (other.n == 0 || str_ends(other, STR("\n"))))
        l.n--;
    return l;
}

static bool line_diff_same(const struct search *s, size_t i, size_t k)
{
    return s->x.hash[i] == s->y.hash[k] && str_eq(s->x.v[i], s->y.v[k]);
}

static void line_diff_trim(struct search *s)
{
    size_t x = s->x.n, y = s->y.n;
    while (s->from < x && s->from < y && line_diff_same(s, s->from, s->from))
        s->from++;
    for (; x > s->from && y > s->from && line_diff_same(s, x - 1, y - 1); x--)
        y--;
    s->n = x - s->from;
    s->m = y - s->from;
}

/* Does the furthest path with d changes to diagonal x - y = i - d end with an
 * added line, and not with a removed one? last: the places in x of the paths
 * with d - 1 changes, in which that diagonal would be i - 1. */
static bool line_diff_adds(const size_t *last, size_t d, size_t i)
{
    return i == 0 || (i < 2 * d && last[i - 2] < last[i]);
}

/* The number of changes, with the paths to it; -1: too many. */
static int line_diff_find(struct arena *a, const struct search *s,
                          size_t **paths)
{
    size_t steps = 0;
    for (size_t d = 0; d <= CHANGES_MAX && steps < STEPS_MAX; d++) {
        const size_t *last = d ? paths[d - 1] : NULL;
        paths[d] = arena_many(a, 2 * d + 1, size_t);
        for (size_t i = 0; i <= 2 * d; i += 2) {
            size_t x = d == 0                       ? 0
                       : line_diff_adds(last, d, i) ? last[i]
                                                    : last[i - 2] + 1;
            size_t y = x + d - i;
            for (; x < s->n && y < s->m && steps < STEPS_MAX; x++, y++) {
                steps++;
                if (!line_diff_same(s, s->from + x, s->from + y))
                    break;
            }
            paths[d][i] = x;
            if (x >= s->n && y >= s->m)
                return (int)d;
        }
    }
    return -1;
}

/* Marks the changed lines: those of the path with d changes, or all. */
static void line_diff_mark(struct search *s, size_t *const *paths, int found)
{
    size_t x = s->n, y = s->m;
    for (size_t i = 0; found < 0 && i < s->n; i++)
        s->x.changed[s->from + i] = true;
    for (size_t i = 0; found < 0 && i < s->m; i++)
        s->y.changed[s->from + i] = true;
    for (size_t d = found < 0 ? 0 : (size_t)found; d > 0; d--) {
        const size_t i = x + d - y;
        const bool adds = line_diff_adds(paths[d - 1], d, i);
        x = adds ? paths[d - 1][i] : paths[d - 1][i - 2];
        y = x + d - i - (adds ? 1 : 0) + (adds ? 0 : 1);
        if (adds)
            s->y.changed[s->from + y] = true;
        else
            s->x.changed[s->from + x] = true;
    }
}

void line_diff(struct arena *a, struct str before, struct str after,
               struct line_diff *out)
{
    struct arena *own = arena_within(a);
    struct search s = {.x = line_diff_split(own, before, after),
                       .y = line_diff_split(own, after, before)};
    size_t *paths[CHANGES_MAX + 1];
    line_diff_trim(&s);
    line_diff_mark(&s, paths, line_diff_find(own, &s, paths));
    *out = (struct line_diff){
        .rows = arena_many(a, s.x.n + s.y.n + 1, struct line_diff_row)};
    for (size_t i = 0, k = 0; i < s.x.n || k < s.y.n;) {
        if (i < s.x.n && s.x.changed[i]) {
            out->rows[out->n++] =
                (struct line_diff_row){LINE_REMOVED, s.x.v[i++]};
            out->removed++;
        } else if (k < s.y.n && s.y.changed[k]) {
            out->rows[out->n++] =
                (struct line_diff_row){LINE_ADDED, s.y.v[k++]};
            out->added++;
        } else {
            out->rows[out->n++] =
                (struct line_diff_row){LINE_SAME, s.x.v[i++]};
            k++;
        }
    }
    arena_free(own);
}

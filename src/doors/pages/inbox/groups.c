/* The rows of the inbox in their sections and groups. */
#include "doors/pages/inbox/groups.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "domain/permit/tool_title.h"
#include "doors/pages/inbox/row.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/badge.h"
#include "store/question/inbox.h"

#define ALIKE_LEAST 3
#define NAME_MAX 80
#define KEY_DIGITS 16
#define HOUR (INT64_C(3600) * CLOCK_SECOND)

enum inbox_groups_by inbox_groups_by(struct str word)
{
    static const char *const words[] = {"like", "none", "agent", "deadline"};
    for (unsigned i = 0; word.p && i < countof(words); i++) {
        if (str_is(word, words[i]))
            return (enum inbox_groups_by)i;
    }
    return word.p ? INBOX_GROUPS__MAX : INBOX_GROUPS_ALIKE;
}

/* A group: its name, and the key that its rows share. */
struct group {
    struct str key, name;
    struct json *rows;
    struct amount sum;
    const struct suspension *first, *soonest;
    bool fits, picked; /* may be one of alike ones; has a ticked row */
    size_t taken;      /* rows that are elsewhere already */
};

/* ---- the key -------------------------------------------------------- */

static struct str group_deadline(const struct page_view *v,
                                 const struct suspension *s)
{
    const int64_t left = s->expires_at - v->now;
    if (!s->expires_at)
        return STR("No deadline");
    if (left < HOUR)
        return STR("Within an hour");
    if (left < 4 * HOUR)
        return STR("Within four hours");
    return left < 24 * HOUR ? STR("Within a day") : STR("Later");
}

/* May it be decided with others that are alike? Its facts say what it does, and
 * its risk is known and within the reader's limit. A call of a tool whose title
 * is its arguments is read by itself. */
static bool group_fits(struct call *c, const struct suspension *s,
                       const struct inbox_row_about *about)
{
    const enum severity limit = c->who.account.bulk_limit == SEVERITY_LOW
                                    ? SEVERITY_LOW
                                    : SEVERITY_MEDIUM;
    return about->does.p && s->severity != SEVERITY_UNSAID &&
           s->severity <= limit && !about->titled;
}

static struct group group_of(struct call *c, struct page_view *v,
                             const struct suspension *s,
                             const struct inbox_row_about *about,
                             enum inbox_groups_by by)
{
    struct group g = {.rows = json_array(v->a),
                      .sum = about->amount,
                      .first = s,
                      .soonest = s};
    struct buf b = buf_make(v->a, 4096);
    if (by != INBOX_GROUPS_ALIKE) {
        g.key = g.name = by == INBOX_GROUPS_AGENT      ? s->asked_by
                         : by == INBOX_GROUPS_DEADLINE ? group_deadline(v, s)
                                                       : STR("");
        return g;
    }
    g.fits = group_fits(c, s, about);
    const struct str parts[] = {s->asked_by, about->amount.unit,
                                g.fits ? about->does : s->id};
    buf_printf(&b, "%d %d", s->kind, s->severity);
    for (size_t i = 0; i < countof(parts); i++) {
        /* With its length, so that no two keys are one text. */
        buf_printf(&b, " %zu ", parts[i].n);
        buf_str(&b, parts[i]);
    }
    g.key = buf_text(&b);
    g.name = about->does;
    return g;
}

/* ---- the view ------------------------------------------------------- */

static void group_add(struct group *g, const struct suspension *s,
                      const struct inbox_row_about *about, struct json *row)
{
    if (json_count(g->rows) > 0)
        amount_add(&g->sum, &about->amount);
    if (s->expires_at &&
        (!g->soonest->expires_at || s->expires_at < g->soonest->expires_at))
        g->soonest = s;
    g->picked = g->picked || json_bool(json_get(row, "picked"));
    json_add_json(g->rows, row);
}

/* The name under which a browser remembers a group: it differs for each
 * person, and says nothing of the group. */
static struct str group_remembered(struct call *c, const struct group *g)
{
    const struct str text = arena_join(c->a, c->who.id, STR(" "), g->key);
    return str_head(crypt_sha256_hex(c->a, text), KEY_DIGITS);
}

/* `heading`: {key, name, named, folded, open, figure}, and of a folded group
 * {level, like, agent, deadline}. */
static struct json *group_heading(struct call *c, struct page_view *v,
                                  const struct group *g, bool folded)
{
    struct json *o = json_object(v->a);
    json_set_text(o, "key", group_remembered(c, g));
    json_set_text(o, "name", words_cut(v->a, g->name, NAME_MAX));
    json_set_text(o, "named",
                  words_name(v->a, words_plain(v->a, g->name, NAME_MAX)));
    json_set_bool(o, "folded", folded);
    json_set_bool(o, "open", !folded || g->picked);
    json_set_json(o, "level", folded ? page_badge_risk(v->a, g->first) : NULL);
    json_set_text(o, "like",
                  folded ? words_plain(v->a, question_head_title(g->first),
                                       PAGE_VIEW_TAB)
                         : STR_NONE);
    json_set_text(o, "agent", folded ? g->first->asked_by : STR_NONE);
    json_set_json(o, "deadline",
                  folded ? question_head_deadline(v, g->soonest) : NULL);
    inbox_amount_set(v->a, o, &g->sum);
    return o;
}

static void groups_add(struct call *c, struct page_view *v, struct json *list,
                       const struct group *g, bool headed, bool folded)
{
    struct json *o = json_object(v->a);
    if (json_count(g->rows) == 0)
        return;
    json_set_json(o, "heading",
                  headed ? group_heading(c, v, g, folded) : NULL);
    json_set_json(o, "rows", g->rows);
    json_add_json(list, o);
}

static int64_t groups_rows(const struct json *groups)
{
    int64_t n = 0;
    for (size_t i = 0; i < json_count(groups); i++)
        n += (int64_t)json_count(json_get(json_at(groups, i), "rows"));
    return n;
}

/* A section of the list, where it has any rows. */
static void groups_section(struct page_view *v, struct json *list,
                           struct json *groups, const char *name)
{
    struct json *o = json_object(v->a), *head = json_object(v->a);
    const int64_t n = groups_rows(groups);
    const bool alike = name && str_is(STR("Alike"), name);
    if (n == 0)
        return;
    json_set_text(head, "word", str_of(name));
    json_set_int(head, "n", n);
    json_set_bool(head, "more", false);
    json_set_bool(head, "due", name && str_starts(str_of(name), STR("Due")));
    page_view_set_count(head, "groups", alike ? json_count(groups) : 0);
    json_set_json(o, "head", name ? head : NULL);
    json_set_json(o, "groups", groups);
    json_add_json(list, o);
}

/* The rows in their groups, in the order of the first row of each;
 * in_group[i]: that of rows.v[i]. */
static size_t groups_find(struct call *c, struct page_view *v,
                          struct suspension_rows rows, enum inbox_groups_by by,
                          struct group *g, size_t *in_group)
{
    size_t n = 0;
    for (size_t i = 0; i < rows.n; i++) {
        const struct suspension *s = &rows.v[i];
        const struct inbox_row_about about = inbox_row_about(v->a, s);
        const struct group own = group_of(c, v, s, &about, by);
        size_t k = 0;
        while (k < n && !str_eq(g[k].key, own.key))
            k++;
        if (k == n)
            g[n++] = own;
        in_group[i] = k;
        group_add(&g[k], s, &about, inbox_row_listed(c, v, s, &about));
    }
    return n;
}

/* The rows of what ends soon, in one group. */
static struct json *groups_due(struct call *c, struct page_view *v,
                               struct suspension_rows due)
{
    struct json *list = json_array(v->a);
    struct group g = {.rows = json_array(v->a)};
    for (size_t i = 0; i < due.n; i++) {
        const struct inbox_row_about about = inbox_row_about(v->a, &due.v[i]);
        json_add_json(g.rows, inbox_row_listed(c, v, &due.v[i], &about));
    }
    groups_add(c, v, list, &g, false, false);
    return list;
}

struct json *inbox_groups(struct call *c, struct page_view *v,
                          struct suspension_rows due,
                          struct suspension_rows rows, enum inbox_groups_by by)
{
    struct json *list = json_array(v->a);
    struct json *alike = json_array(v->a), *rest = json_array(v->a);
    struct group *g = arena_many(v->a, rows.n + 1, struct group);
    size_t *in_group = arena_many(v->a, rows.n + 1, size_t);
    struct group odd = {.rows = json_array(v->a)};
    const size_t n = groups_find(c, v, rows, by, g, in_group);
    const bool all = by != INBOX_GROUPS_ALIKE;
    for (size_t k = 0; k < n; k++) {
        g[k].fits = g[k].fits && json_count(g[k].rows) >= ALIKE_LEAST;
        if (all || g[k].fits)
            groups_add(c, v, all ? rest : alike, &g[k],
                       by != INBOX_GROUPS_NONE, !all);
    }
    /* All others keep the order of the list. */
    for (size_t i = 0; i < rows.n && !all; i++) {
        struct group *own = &g[in_group[i]];
        if (!own->fits)
            json_add_json(odd.rows, json_at(own->rows, own->taken++));
    }
    groups_add(c, v, rest, &odd, false, false);
    const bool parted = due.n > 0 || json_count(alike) > 0;
    groups_section(v, list, groups_due(c, v, due), "Due in 15 min");
    groups_section(v, list, alike, "Alike");
    groups_section(v, list, rest, parted ? "Others" : NULL);
    return list;
}

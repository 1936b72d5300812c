/* The inbox's filters: read from the address, and shown as links that change
 * them. */
#include "doors/pages/inbox/filters.h"
#include "doors/pages/shell/badge.h"

#include "base/clock.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/shell/list.h"

/* ---- the address ---------------------------------------------------- */

#define OPTIONS 5 /* of a row of links */

static const struct {
    const char *word;
    int64_t minutes;
} dues[] = {{"15m", 15}, {"1h", 60}, {"4h", 240}, {"1d", 1440}};

const struct err *inbox_filters_read(struct call *c, struct inbox_filters *f,
                                     int64_t now)
{
    const struct str view = page_list_filter(c, "view");
    const struct str risk = page_list_filter(c, "risk");
    const struct str sort = page_list_filter(c, "sort");
    struct inbox_wish *w = &f->wish;
    *f = (struct inbox_filters){.now = now, .due = page_list_filter(c, "due")};
    *w = (struct inbox_wish){.reader = &c->who,
                             .agent = page_list_filter(c, "agent"),
                             .words = page_list_filter(c, "q"),
                             .by_deadline = str_is(sort, "deadline"),
                             .limit = PAGE_LIST_ROWS + 1};
    w->view = view.p ? vocabulary_inbox_view_of(view) : inbox_first(&c->who);
    w->severity = risk.p ? vocabulary_severity_of(vocabulary_of_key(risk))
                         : SEVERITY__MAX;
    for (size_t i = 0; i < countof(dues); i++) {
        if (str_is(f->due, dues[i].word))
            w->due = now + dues[i].minutes * 60 * CLOCK_SECOND;
    }
    f->group = inbox_row_group_of(page_list_filter(c, "group"));
    if ((view.p && (w->view == INBOX_VIEW__MAX || c->who.role == ROLE_USER)) ||
        !page_list_kind(c, &w->kind) ||
        (risk.p && w->severity == SEVERITY__MAX) || (f->due.p && !w->due) ||
        f->group == INBOX_ROW_GROUP__MAX ||
        (sort.p && !w->by_deadline && !str_is(sort, "risk")) ||
        str_runes(w->words) > PAGE_LIST_WORDS ||
        str_runes(w->agent) > PRINCIPAL_AGENT_NAME_MAX)
        return page_list_bad();
    return NULL;
}

/* ---- counts --------------------------------------------------------- */

/* Of the cells of one kind or severity, or all. */
static int64_t filters_sum(const struct inbox_counts *n, enum kind kind,
                           enum severity severity)
{
    int64_t all = 0;
    for (unsigned k = 0; k < KIND__MAX; k++) {
        for (unsigned s = 0; s < SEVERITY__MAX; s++) {
            if ((kind != KIND__MAX && k != kind) ||
                (severity != SEVERITY__MAX && s != severity))
                continue;
            if (n->cell[k][s] > INBOX_COUNT_MAX)
                return INBOX_FILTERS_MANY;
            all += n->cell[k][s];
        }
    }
    return all;
}

static struct str filters_count(struct call *c, const struct inbox_filters *f,
                                enum kind kind, enum severity severity)
{
    const int64_t n = filters_sum(&f->counts, kind, severity);
    return page_list_count(c->a, n,
                           n == INBOX_FILTERS_MANY ? INBOX_COUNT_MAX : n);
}

/* ---- chips ---------------------------------------------------------- */

static struct json *filters_kinds(struct call *c,
                                  const struct inbox_filters *f)
{
    struct json *list = json_array(c->a);
    const struct inbox_wish *w = &f->wish;
    const struct page_list_chip all = {
        .url = page_list_url(c, "/inbox", "kind", STR_NONE),
        .label = STR("All"),
        .count = filters_count(c, f, KIND__MAX, w->severity),
        .icon = "",
        .here = w->kind == KIND__MAX};
    page_list_chip(list, c->a, &all);
    for (unsigned i = 1; i <= KIND__MAX; i++) {
        /* The plain question comes last. */
        const enum kind k = (enum kind)(i % KIND__MAX);
        const struct suspension s = {.kind = k};
        const struct json *word = page_badge_kind(c->a, &s);
        if (filters_sum(&f->counts, k, w->severity) == 0 && w->kind != k)
            continue;
        const struct page_list_chip one = {
            .url = page_list_url(c, "/inbox", "kind",
                                 vocabulary_key(kind_words(k))),
            .label = json_get_text(word, "word"),
            .count = filters_count(c, f, k, w->severity),
            .icon = arena_z(c->a, json_get_text(word, "icon")),
            .here = w->kind == k};
        page_list_chip(list, c->a, &one);
    }
    return list;
}

static struct json *filters_risks(struct call *c,
                                  const struct inbox_filters *f)
{
    struct json *list = json_array(c->a);
    const struct inbox_wish *w = &f->wish;
    const struct page_list_chip any = {
        .url = page_list_url(c, "/inbox", "risk", STR_NONE),
        .label = STR("Any"),
        .count = filters_count(c, f, w->kind, SEVERITY__MAX),
        .icon = "",
        .here = w->severity == SEVERITY__MAX};
    page_list_chip(list, c->a, &any);
    for (unsigned i = SEVERITY__MAX; i-- > 0;) {
        const enum severity s = (enum severity)i;
        if (filters_sum(&f->counts, w->kind, s) == 0 && w->severity != s)
            continue;
        const struct vocabulary_word *words = vocabulary_severity(s);
        const struct page_list_chip one = {
            .url = page_list_url(c, "/inbox", "risk", vocabulary_key(words)),
            .label = str_of(words->label),
            .count = filters_count(c, f, w->kind, s),
            .icon = words->wire.p ? words->wire.p : "",
            .here = w->severity == s};
        page_list_chip(list, c->a, &one);
    }
    return list;
}

/* A row of links that set one key; the first option is for none. */
struct row {
    const char *key, *label, *member;
    const char *options[OPTIONS][2]; /* word, label */
};
static const struct row rows[] = {
    {"due", "Due in", "dues",
     {{NULL, "Any"}, {"15m", "15 min"}, {"1h", "1 h"}, {"4h", "4 h"},
      {"1d", "1 day"}}},
    {"group", "Group by", "groups",
     {{NULL, "None"}, {"like", "Similarity"}, {"agent", "Agent"},
      {"deadline", "Deadline"}}},
    {"sort", "Sort", "sorts",
     {{NULL, "Risk, then deadline"}, {"deadline", "Deadline"}}}};

/* An active filter is shown outside of the fold, so that it can be removed. */
static void filters_add_set(struct call *c, struct json *set, const char *key,
                            const char *name, struct str value)
{
    struct json *o = json_object(c->a);
    if (!value.p)
        return;
    json_set_text(o, "name", str_of(name));
    json_set_text(o, "value", value);
    json_set_text(o, "url", page_list_url(c, "/inbox", key, STR_NONE));
    json_add_json(set, o);
}

static struct json *filters_links(struct call *c, const struct row *r,
                                  struct json *set)
{
    struct json *list = json_array(c->a);
    const struct str now = page_list_filter(c, r->key);
    for (size_t i = 0; i < OPTIONS && r->options[i][1]; i++) {
        const struct str word = str_of(r->options[i][0]);
        const struct page_list_chip one = {
            .url = page_list_url(c, "/inbox", r->key, word),
            .label = str_of(r->options[i][1]),
            .count = STR(""),
            .icon = "",
            .here = word.p ? str_eq(word, now) : !now.p};
        page_list_chip(list, c->a, &one);
        if (word.p && one.here)
            filters_add_set(c, set, r->key, r->label, one.label);
    }
    return list;
}

struct json *inbox_filters_view(struct call *c, const struct inbox_filters *f)
{
    struct json *o = json_object(c->a), *set = json_array(c->a);
    json_set_json(o, "kinds", filters_kinds(c, f));
    json_set_json(o, "risks", filters_risks(c, f));
    for (size_t i = 0; i < countof(rows); i++)
        json_set_json(o, rows[i].member, filters_links(c, &rows[i], set));
    filters_add_set(c, set, "agent", "Agent", f->wish.agent);
    filters_add_set(c, set, "q", "Search", f->wish.words);
    json_set_json(o, "set", set);
    json_set_text(o, "save_url", page_list_save(c, "/inbox"));
    return o;
}

int64_t inbox_filters_all(const struct inbox_filters *f)
{
    return filters_sum(&f->counts, f->wish.kind, f->wish.severity);
}

bool inbox_filters_any(const struct inbox_filters *f)
{
    const struct inbox_wish *w = &f->wish;
    return w->kind != KIND__MAX || w->severity != SEVERITY__MAX || w->agent.p ||
           w->words.p || w->due;
}

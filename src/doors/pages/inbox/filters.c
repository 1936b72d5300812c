/* The inbox's filters: read from the address, and shown as links that change
 * them. */
#include "doors/pages/inbox/filters.h"

#include "doors/pages/kinds/kinds.h"
#include "doors/pages/shell/list.h"

/* ---- the address ---------------------------------------------------- */

#define OPTIONS 5 /* of a row of links */

const struct err *inbox_filters_read(struct call *c, struct inbox_filters *f,
                                     int64_t now)
{
    *f = (struct inbox_filters){
        .now = now,
        .due = page_list_filter(c, "due"),
        .group = inbox_groups_by(page_list_filter(c, "group"))};
    return page_list_open_of(c, now, &f->query) &&
                   f->group != INBOX_GROUPS__MAX
               ? NULL
               : page_list_bad();
}

/* ---- counts --------------------------------------------------------- */

/* Adds a link that sets a kind or a severity, with the number of results. */
static void filters_add(struct call *c, const struct inbox_filters *f,
                        struct json *list, struct page_list_link *link,
                        enum kind kind, enum severity severity)
{
    const int64_t n = inbox_counted(&f->counts, kind, severity);
    link->path = "/inbox";
    link->count = page_list_open(c->a, n);
    link->none = n == 0;
    (void)page_list_link(c, list, link);
}

/* ---- chips ---------------------------------------------------------- */

static struct json *filters_kinds(struct call *c,
                                  const struct inbox_filters *f)
{
    struct json *list = json_array(c->a);
    struct page_list_link link = {.key = "kind", .label = STR("All")};
    filters_add(c, f, list, &link, KIND__MAX, f->query.severity);
    for (unsigned i = 1; i <= KIND__MAX; i++) {
        /* The plain question comes last. */
        const enum kind kind = (enum kind)(i % KIND__MAX);
        const struct vocabulary_word *words = kind_words(kind);
        link.word = vocabulary_key(words);
        link.label = str_of(words->label);
        link.icon = words->icon;
        filters_add(c, f, list, &link, kind, f->query.severity);
    }
    return list;
}

static struct json *filters_risks(struct call *c,
                                  const struct inbox_filters *f)
{
    struct json *list = json_array(c->a);
    struct page_list_link link = {.key = "risk", .label = STR("Any")};
    filters_add(c, f, list, &link, f->query.kind, SEVERITY__MAX);
    for (unsigned i = SEVERITY__MAX; i-- > 0;) {
        const enum severity severity = (enum severity)i;
        const struct vocabulary_word *words = vocabulary_severity(severity);
        link.word = vocabulary_key(words);
        link.label = str_of(words->label);
        link.icon = words->wire.p;
        filters_add(c, f, list, &link, f->query.kind, severity);
    }
    return list;
}

/* Menus that set one key each; the first option is for none. chip: what is set
 * stands in the line with a link that removes it. */
static const struct filters_row {
    const char *key, *label;
    bool chip;
    const char *options[OPTIONS][2]; /* word, label */
} rows[] = {
    {"due",
     "Due",
     true,
     {{NULL, "Any"},
      {"15m", "15 min"},
      {"1h", "1 h"},
      {"4h", "4 h"},
      {"1d", "1 day"}}},
    {"group",
     "Group",
     false,
     {{NULL, "Alike"},
      {"none", "None"},
      {"agent", "Agent"},
      {"deadline", "Deadline"}}},
    {"sort", "Sort", false, {{NULL, "Risk"}, {"deadline", "Deadline"}}}};

/* An active filter is shown in the line, so that it can be removed. */
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

/* A menu: {label, now, items}; now: what it is set to, "" where a chip says
 * it. */
static void filters_add_menu(struct call *c, struct json *menus,
                             const char *label, struct str now,
                             struct json *items)
{
    struct json *o = json_object(c->a);
    json_set_text(o, "label", str_of(label));
    json_set_text(o, "now", now);
    json_set_json(o, "items", items);
    json_add_json(menus, o);
}

static void filters_add_links(struct call *c, const struct filters_row *r,
                              struct json *menus, struct json *set)
{
    struct json *list = json_array(c->a);
    struct str now = str_of(r->chip ? "" : r->options[0][1]);
    for (size_t i = 0; i < OPTIONS && r->options[i][1]; i++) {
        const struct page_list_link link = {.path = "/inbox",
                                            .key = r->key,
                                            .word = str_of(r->options[i][0]),
                                            .label = str_of(r->options[i][1])};
        if (!page_list_link(c, list, &link) || !link.word.p)
            continue;
        if (r->chip)
            filters_add_set(c, set, r->key, r->label, link.label);
        else
            now = link.label;
    }
    filters_add_menu(c, menus, r->label, now, list);
}

/* {name, url} of each agent of these rows that is not there yet. */
static void filters_add_agents(struct call *c, struct json *list,
                               struct suspension_rows of)
{
    for (size_t i = 0; i < of.n; i++) {
        const struct str name = of.v[i].asked_by;
        struct json *o = json_object(c->a);
        size_t k = 0;
        while (k < json_count(list) &&
               !str_eq(json_get_text(json_at(list, k), "name"), name))
            k++;
        if (k < json_count(list))
            continue;
        json_set_text(o, "name", name);
        json_set_text(o, "url", page_list_url(c, "/inbox", "agent", name));
        json_add_json(list, o);
    }
}

struct json *inbox_filters_view(struct call *c, const struct inbox_filters *f,
                                struct suspension_rows due,
                                struct suspension_rows rest)
{
    const struct inbox_query *w = &f->query;
    struct json *o = json_object(c->a), *set = json_array(c->a);
    struct json *menus = json_array(c->a), *views = json_array(c->a);
    if (w->view == INBOX_MINE || w->view == INBOX_GROUPS)
        filters_add_set(c, set, "view", "For",
                        str_of(vocabulary_inbox_view(w->view)->label));
    if (w->kind != KIND__MAX)
        filters_add_set(c, set, "kind", "Kind",
                        str_of(kind_words(w->kind)->label));
    if (w->severity != SEVERITY__MAX)
        filters_add_set(c, set, "risk", "Risk",
                        str_of(vocabulary_severity(w->severity)->label));
    filters_add_menu(c, menus, "Kind", STR(""), filters_kinds(c, f));
    filters_add_menu(c, menus, "Risk", STR(""), filters_risks(c, f));
    for (size_t i = 0; i < countof(rows); i++)
        filters_add_links(c, &rows[i], rows[i].chip ? menus : views, set);
    filters_add_set(c, set, "agent", "Agent", w->agent);
    filters_add_set(c, set, "q", "Search", w->words);
    struct json *agents = json_array(c->a);
    if (!w->agent.p) {
        filters_add_agents(c, agents, due);
        filters_add_agents(c, agents, rest);
    }
    json_set_json(o, "agents", agents);
    json_set_json(o, "menus", menus);
    json_set_json(o, "views", views);
    json_set_json(o, "set", set);
    json_set_text(o, "words", w->words);
    json_set_text(o, "save_url", page_list_save(c, "/inbox"));
    return o;
}

int64_t inbox_filters_all(const struct inbox_filters *f)
{
    return inbox_counted(&f->counts, f->query.kind, f->query.severity);
}

bool inbox_filters_any(const struct inbox_filters *f)
{
    const struct inbox_query *w = &f->query;
    return w->kind != KIND__MAX || w->severity != SEVERITY__MAX ||
           w->agent.p || w->words.p || w->due || w->view == INBOX_MINE ||
           w->view == INBOX_GROUPS;
}

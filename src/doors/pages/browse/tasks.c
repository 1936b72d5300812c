/* The lists of tasks and of portfolios, the newest first. On pages an intent is
 * a task. */
#include "doors/pages/browse/browse.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/intent/intents.h"
#include "store/plan/portfolios.h"

#define TITLE_MAX 200

/* ---- what both lists share --------------------------------------------- */

/* A list: its words, and the words of its statuses. */
struct tasks_list {
    const char *path, *title, *noun, *empty;
    const struct vocabulary_word *(*word)(unsigned status);
    unsigned statuses;
};

/* The status that the list is narrowed to; p NULL: none. */
static const struct err *tasks_status(struct call *c,
                                      const struct tasks_list *l,
                                      struct str *out)
{
    unsigned i = 0;
    *out = page_list_filter(c, "status");
    while (i < l->statuses && !str_eq(l->word(i)->wire, *out))
        i++;
    return out->p && i == l->statuses ? page_list_bad() : NULL;
}

static struct json *tasks_filters(struct call *c, const struct tasks_list *l)
{
    struct json *list = json_array(c->a);
    struct page_list_link link = {
        .path = l->path, .key = "status", .label = STR("All")};
    (void)page_list_link(c, list, &link);
    for (unsigned i = 0; i < l->statuses; i++) {
        const struct vocabulary_word *words = l->word(i);
        link.word = words->wire;
        link.label = str_of(words->label);
        link.icon = words->icon;
        (void)page_list_link(c, list, &link);
    }
    return list;
}

struct tasks_row {
    const char *path;
    struct str id, title, by;
    const struct vocabulary_word *state;
    int64_t at;
    bool test;
};
static void tasks_add(struct json *rows, struct arena *a,
                      const struct tasks_row *r)
{
    struct json *o = json_object(a);
    json_set_text(o, "path", str_of(r->path));
    json_set_text(o, "id", r->id);
    json_set_text(o, "title", str_head(r->title, TITLE_MAX));
    json_set_text(o, "by", r->by);
    json_set_json(o, "state", page_badge(a, r->state));
    json_set_bool(o, "test", r->test);
    page_view_set_time(o, "at", r->at);
    json_add_json(rows, o);
}

static const struct err *tasks_show(struct call *c, const struct tasks_list *l,
                                    struct json *rows, struct str older)
{
    struct json *view = json_object(c->a);
    const bool first = !page_list_filter(c, "after").p;
    const bool tasks = str_is(str_of(l->path), "/intents");
    const int64_t n = (int64_t)json_count(rows);
    const struct page_list_pager pager = {
        .path = l->path,
        .first = first,
        .older = older,
        .shown = arena_join(c->a, page_list_part(first, older.p != NULL),
                            words_many(c->a, n, l->noun))};
    json_set_text(view, "title", str_of(l->title));
    json_set_text(view, "empty", str_of(l->empty));
    json_set_bool(view, "tasks", tasks);
    json_set_text(view, "url", str_of(l->path));
    json_set_bool(view, "narrowed",
                  page_list_filter(c, "status").p != NULL || !first);
    json_set_json(view, "filters", tasks_filters(c, l));
    json_set_json(view, "rows", rows);
    json_set_json(view, "pager", page_list_pager(c, &pager));
    return page_render(c, 200, "browse/tasks", l->title, view);
}

/* ---- tasks ------------------------------------------------------------- */

static const struct vocabulary_word *tasks_word(unsigned status)
{
    return vocabulary_intent_status((enum intent_status)status);
}

const struct err *browse_tasks(struct call *c)
{
    static const struct tasks_list list = {
        .path = "/intents",
        .title = "Tasks",
        .noun = "task",
        .empty = "An agent's first request makes one.",
        .word = tasks_word,
        .statuses = INTENT_STATUS__MAX};
    const struct str after = page_list_filter(c, "after");
    struct intents_page page = {.who = &c->who, .limit = PAGE_LIST_ROWS};
    struct json *rows = json_array(c->a);
    struct intent_rows found;
    struct intent last;
    TRY(tasks_status(c, &list, &page.status));
    if (after.p) {
        const struct err *e = intents_get(c->pg, c->a, after, &last);
        if (e)
            return e->kind == ERR_NOT_FOUND ? page_list_bad() : e;
        page.after_created = last.created_at;
        page.after_id = last.id;
    }
    TRY(intents_list(c->pg, c->a, &page, &found));
    for (size_t i = 0; i < found.n; i++) {
        const struct intent *t = &found.v[i];
        tasks_add(rows, c->a,
                  &(struct tasks_row){
                      .path = "/intents/",
                      .id = t->id,
                      .title = t->title,
                      .by = t->owner.p ? t->owner : t->created_by,
                      .state = vocabulary_intent_status(t->status),
                      .at = t->created_at,
                      .test = t->test});
    }
    return tasks_show(c, &list, rows,
                      found.more ? found.v[found.n - 1].id : STR_NONE);
}

/* ---- portfolios --------------------------------------------------------- */

static const struct vocabulary_word *tasks_portfolio_word(unsigned status)
{
    return vocabulary_portfolio_status((enum portfolio_status)status);
}

const struct err *browse_portfolios(struct call *c)
{
    static const struct tasks_list list = {
        .path = "/portfolios",
        .title = "Portfolios",
        .noun = "portfolio",
        .empty = "An agent can put several tasks into one.",
        .word = tasks_portfolio_word,
        .statuses = PORTFOLIO_STATUS__MAX};
    struct portfolios_page page = {.who = &c->who,
                                   .after = page_list_filter(c, "after"),
                                   .limit = PAGE_LIST_ROWS};
    struct json *rows = json_array(c->a);
    struct portfolio_rows found;
    TRY(tasks_status(c, &list, &page.status));
    TRY(portfolios_list(c->pg, c->a, &page, &found));
    for (size_t i = 0; i < found.n; i++) {
        const struct portfolio *p = &found.v[i];
        tasks_add(rows, c->a,
                  &(struct tasks_row){
                      .path = "/portfolios/",
                      .id = p->id,
                      .title = p->name,
                      .by = p->created_by,
                      .state = vocabulary_portfolio_status(p->status),
                      .at = p->created_at,
                      .test = p->test});
    }
    return tasks_show(c, &list, rows,
                      found.more ? found.v[found.n - 1].id : STR_NONE);
}

/* A settings page that is one table. Never loads, never decides. */
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/table.h"

#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"

struct settings_table settings_table(struct call *c,
                                     const struct settings_table_words *words)
{
    struct settings_table r = {.c = c,
                               .words = words,
                               .v = page_begin(c),
                               .view = json_object(c->a),
                               .rows = json_array(c->a)};
    static const char *const none[] = {"form",  "errors", "confirm",
                                       "pager", "others", "note", "guesses"};
    for (size_t i = 0; i < countof(none); i++)
        json_set_json(r.view, none[i], NULL);
    settings_page_tabs(c, r.view, words->path);
    return r;
}

/* ---- rows ----------------------------------------------------------- */

void settings_table_row(struct settings_table *r)
{
    r->row = json_object(r->c->a);
    r->cells = json_array(r->c->a);
    json_set_json(r->row, "cells", r->cells);
    json_set_json(r->row, "link", NULL);
    json_add_json(r->rows, r->row);
}

static struct json *cell(struct settings_table *r)
{
    static const char *const none[] = {"text", "second", "on", "since",
                                       "state"};
    struct json *o = json_object(r->c->a);
    const size_t i = json_count(r->cells);
    for (size_t k = 0; k < countof(none); k++)
        json_set_json(o, none[k], NULL);
    json_set_text(o, "head", str_of(r->words->heads[i]));
    json_set_text(o, "url", STR(""));
    json_add_json(r->cells, o);
    return o;
}

void settings_table_text(struct settings_table *r, struct str text,
                         struct str second, struct str url)
{
    struct json *o = cell(r);
    json_set_text(o, "url", url);
    json_set_text(o, "text", text);
    json_set_text(o, "second", second);
}

static void moment(struct json *o, const char *key, int64_t t,
                   const char *none)
{
    page_view_set_time(o, key, t);
    if (t == 0)
        json_set_text(o, "text", str_of(none));
}

void settings_table_day(struct settings_table *r, int64_t t, const char *none,
                        struct str second)
{
    struct json *o = cell(r);
    moment(o, "on", t, none);
    json_set_text(o, "second", second);
}

void settings_table_ago(struct settings_table *r, int64_t t, const char *none)
{
    moment(cell(r), "since", t, none);
}

void settings_table_state(struct settings_table *r,
                          const struct vocabulary_word *state)
{
    json_set_json(cell(r), "state", page_badge(r->c->a, state));
}

void settings_table_act(struct settings_table *r,
                        const struct settings_table_act *act)
{
    struct json *o = json_object(r->c->a);
    json_set_text(o, "label", str_of(act->label));
    json_set_text(o, "about", words_plain(r->c->a, act->about, PAGE_VIEW_ROW));
    json_set_text(o, "url", act->url);
    json_set_json(r->row, "link", o);
}

/* ---- the page ------------------------------------------------------- */

void settings_table_pager(struct settings_table *r, bool first,
                          struct str older)
{
    struct buf b = buf_make(r->c->a, 64);
    buf_str(&b, words_count(r->c->a, (int64_t)json_count(r->rows)));
    buf_put(&b, " on this page");
    const struct page_list_pager of = {.path = r->words->path,
                                       .first = first,
                                       .older = older,
                                       .shown = buf_text(&b)};
    json_set_json(r->view, "pager", page_list_pager(r->c, &of));
}

const struct err *settings_table_show(struct settings_table *r, int status,
                                      struct str summary)
{
    const struct settings_table_words *w = r->words;
    struct json *heads = json_array(r->c->a), *empty = json_object(r->c->a);
    for (size_t i = 0; i < SETTINGS_TABLE_COLUMNS && w->heads[i]; i++)
        json_add_text(heads, str_of(w->heads[i]));
    json_set_text(empty, "heading", str_of(w->empty_heading));
    json_set_text(empty, "sentence", str_of(w->empty_sentence));
    json_set_text(r->view, "heading", str_of(w->heading));
    json_set_text(r->view, "summary", summary);
    json_set_text(r->view, "about", str_of(w->about));
    json_set_text(r->view, "acts", str_of(w->acts ? w->acts : ""));
    json_set_json(r->view, "heads", heads);
    json_set_json(r->view, "rows", r->rows);
    json_set_json(r->view, "empty", json_count(r->rows) ? NULL : empty);
    return page_render(r->c, status, "roster", w->title, r->view);
}

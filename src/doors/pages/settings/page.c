/* The settings pages: reads a request, asks for confirmation, shows errors,
 * and builds the views of a list, of one thing and of the form of a new one.
 * Decides nothing. */
#include "doors/pages/settings/page.h"

#include <ctype.h>

#include "doors/pages/settings/settings.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"

#define JOINED_MAX ((size_t)16 << 10)

enum {
    OVERSEERS = ROLE_ADMIN | ROLE_AUDITOR,
    READERS = OVERSEERS | ROLE_OPERATOR,
    PERSONS = READERS | ROLE_USER
};

/* Does something fail there, for those who can mend it? */
static bool page_fails(const struct settings_view *v, struct str url)
{
    return (v->failing.endpoints && str_is(url, "/settings/endpoints")) ||
           (v->failing.channels && str_is(url, "/settings/channels"));
}

/* The pages that the reader may open, in groups. */
static void page_menu(struct settings_view *v)
{
    static const struct {
        const char *group, *url, *label;
        unsigned who;
    } pages[] = {
        {"You", "/settings/profile", "Profile", PERSONS},
        {"You", "/settings/notifications", "Notifications", PERSONS},
        {"You", "/settings/tokens", "Tokens", PERSONS},
        {"You", "/settings/sessions", "Sessions", READERS},
        {"People", "/settings/people", "People", OVERSEERS},
        {"People", "/settings/groups", "Groups", OVERSEERS},
        {"People", "/settings/keys", "API keys", OVERSEERS},
        {"Rules", "/settings/rules", "Rules", OVERSEERS},
        {"Rules", "/settings/permits", "Permits", PERSONS},
        {"Rules", "/settings/resources", "Resources", OVERSEERS},
        {"Rules", "/settings/retention", "Retention", OVERSEERS},
        {"Connections", "/settings/endpoints", "Endpoints", OVERSEERS},
        {"Connections", "/settings/channels", "Channels", OVERSEERS},
        {"Connections", "/settings/deliveries", "Delivery log", OVERSEERS}};
    struct arena *a = v->c->a;
    struct json *groups = json_array(a), *list = NULL;
    const struct str here = str_of(v->of->path);
    const char *group = "";
    for (size_t i = 0; i < countof(pages); i++) {
        struct json *o = json_object(a), *one = json_object(a);
        if ((pages[i].who & (unsigned)v->c->who.role) == 0)
            continue;
        if (strcmp(group, pages[i].group) != 0) {
            group = pages[i].group;
            list = json_array(a);
            json_set_text(o, "group", str_of(group));
            json_set_json(o, "pages", list);
            json_add_json(groups, o);
        }
        json_set_text(one, "url", str_of(pages[i].url));
        json_set_text(one, "label", str_of(pages[i].label));
        json_set_text(one, "current",
                      str_of(!str_is(here, pages[i].url) ? NULL
                             : v->thing || v->fresh      ? "true"
                                                         : "page"));
        json_set_bool(one, "fails", page_fails(v, str_of(pages[i].url)));
        json_add_json(list, one);
    }
    json_set_json(v->view, "menu", groups);
}

/* ---- actions -------------------------------------------------------- */

/* The action of this page that `do` names; NULL: none. */
static const struct settings_action *page_action(const struct settings_view *v)
{
    if (v->of->one && !v->thing)
        return NULL; /* they are those of the page of one */
    for (size_t i = 0; i < v->of->actions_n; i++) {
        if (str_is(v->what, v->of->actions[i].what))
            return &v->of->actions[i];
    }
    return NULL;
}

bool settings_page_asked(const struct settings_view *v)
{
    return v->c->rq->method == METHOD_GET && v->what.p && !v->confirm;
}

void settings_page_ask(struct settings_view *v,
                       const struct settings_action *act, struct str name,
                       struct str sentence)
{
    struct json *o = v->confirm = json_object(v->c->a);
    json_set_text(o, "verb", str_of(act->verb));
    json_set_text(o, "name", name);
    json_set_text(o, "sentence", sentence.p ? sentence : str_of(act->sentence));
    json_set_text(o, "none",
                  str_of(act->none ? act->none : "Nothing is changed yet."));
    json_set_text(o, "act", str_of(act->act));
    json_set_text(o, "do", str_of(act->what));
    json_set_bool(o, "comment", act->comment);
    json_set_text(o, "url", v->url);
    json_set_text(o, "back_url", v->back);
    json_set_text(o, "key", v->key);
}

void settings_page_act(struct settings_view *v,
                       const struct settings_action *act, struct str sentence)
{
    struct arena *a = v->c->a;
    struct json *o = json_object(a);
    json_set_text(o, "do", str_of(act->what));
    json_set_text(o, "heading", str_of(act->heading));
    json_set_text(o, "sentence", sentence.p ? sentence : str_of(act->about));
    json_set_text(o, "label", str_of(act->label));
    json_set_text(o, "tone", act->warns ? STR("veto") : STR("plain"));
    json_set_text(o, "ask_url",
                  act->verb ? arena_join(a, v->url, STR("?do="),
                                         str_of(act->what))
                            : STR(""));
    json_add_json(v->acts, o);
    if (settings_page_asked(v) && str_is(v->what, act->what))
        settings_page_ask(v, act, v->name, sentence);
}

/* ---- the list ------------------------------------------------------- */

/* Has the list a page for a new one, which the reader may make? */
static bool page_has_new(const struct settings_view *v)
{
    return !v->thing && v->of->heads[0] && v->form.fields_n > 0 &&
           (v->of->writers & (unsigned)v->c->who.role) != 0;
}

static struct json *page_cell(struct arena *a, const char *head,
                              const struct settings_cell *cell)
{
    struct json *o = json_object(a);
    json_set_text(o, "head", str_of(head));
    json_set_text(o, "text",
                  cell->day || cell->ago ? STR("") : cell->text);
    json_set_text(o, "second", cell->second);
    json_set_text(o, "url", cell->url);
    json_set_text(o, "label", cell->label);
    page_view_set_time(o, "on", cell->day);
    page_view_set_time(o, "since", cell->ago);
    json_set_json(o, "state", cell->state ? page_badge(a, cell->state) : NULL);
    return o;
}

void settings_page_row(struct settings_view *v, const struct settings_row *row)
{
    const struct settings_page *of = v->of;
    struct arena *a = v->c->a;
    struct json *o = json_object(a), *cells = json_array(a), *link = NULL;
    for (size_t i = 0; i < SETTINGS_PAGE_COLUMNS && of->heads[i]; i++)
        json_add_json(cells, page_cell(a, of->heads[i], &row->cells[i]));
    if (row->id.p && (of->writers & (unsigned)v->c->who.role)) {
        const struct str label = str_of(of->row->label);
        link = json_object(a);
        json_set_text(link, "label", label);
        json_set_text(link, "about",
                      words_plain(a,
                                  row->about.p
                                      ? row->about
                                      : arena_join(a, label, STR(" "),
                                                   words_name(a, row->name)),
                                  PAGE_VIEW_ROW));
        json_set_text(link, "url",
                      row->url.p
                          ? row->url
                          : arena_join(a, v->url, STR("?do="),
                                       str_of(of->row->what), STR("&key="),
                                       page_view_path(a, "", row->id, "")));
    }
    json_set_json(o, "cells", cells);
    json_set_json(o, "link", link);
    json_add_json(v->rows, o);
    if (link && settings_page_asked(v) && str_is(v->what, of->row->what) &&
        str_eq(v->key, row->id))
        settings_page_ask(v, of->row, row->name, STR_NONE);
}

void settings_page_pager(struct settings_view *v, bool first, struct str older)
{
    struct arena *a = v->c->a;
    const struct page_list_pager of = {
        .path = v->of->path,
        .first = first,
        .older = older,
        .shown = arena_join(a, words_count(a, (int64_t)json_count(v->rows)),
                            STR(" on this page"))};
    json_set_json(v->view, "pager", page_list_pager(v->c, &of));
}

static const struct err *page_list(struct settings_view *v)
{
    const struct settings_page *of = v->of;
    const struct settings_action *act = page_action(v);
    struct arena *a = v->c->a;
    struct json *empty = json_object(a), *heads = json_array(a);
    if (settings_page_asked(v) && act && act->verb && act != of->row)
        settings_page_ask(v, act, STR_NONE, STR_NONE);
    TRY(of->list(v));
    if (of->gone.code && settings_page_asked(v))
        return &of->gone;
    if (!of->heads[0])
        return NULL;
    const int64_t n = (int64_t)json_count(v->rows);
    if (!v->summary.p && of->noun)
        v->summary = words_many(a, n, of->noun);
    for (size_t i = 0; i < SETTINGS_PAGE_COLUMNS && of->heads[i]; i++) {
        struct json *o = json_object(a);
        const bool by = str_is(str_of(of->heads[i]), of->by);
        json_set_text(o, "label", str_of(of->heads[i]));
        json_set_text(o, "sort",
                      str_of(!by         ? NULL
                             : of->falls ? "descending"
                                         : "ascending"));
        json_add_json(heads, o);
    }
    json_set_text(empty, "heading", str_of(of->empty_heading));
    json_set_text(empty, "sentence", str_of(of->empty_sentence));
    json_set_text(v->view, "heading", str_of(of->heading));
    json_set_text(v->view, "about", str_of(of->about));
    json_set_text_or_null(v->view, "reference", str_of(of->reference));
    json_set_text(v->view, "summary", v->summary);
    json_set_json(v->view, "empty", n ? NULL : empty);
    json_set_json(v->view, "heads", heads);
    json_set_text(v->view, "acts", str_of(of->row ? of->row->label : NULL));
    json_set_text(v->view, "new",
                  str_of(page_has_new(v) ? of->form_heading : NULL));
    json_set_text(v->view, "new_url",
                  arena_join(a, str_of(of->path), STR("?do=new")));
    json_set_json(v->view, "rows", v->rows);
    json_set_json(v->view, "confirm", v->confirm);
    return NULL;
}

/* ---- the page of one, and showing ----------------------------------- */

static const struct err *page_one(struct settings_view *v)
{
    json_set_text(v->view, "list_url", str_of(v->of->path));
    json_set_text(v->view, "list_label", str_of(v->of->heading));
    json_set_text(v->view, "url", v->url);
    json_set_text(v->view, "name", v->name);
    TRY(v->of->one(v));
    if (json_count(v->acts))
        json_set_json(v->view, "acts", v->acts);
    if (v->confirm)
        json_set_json(v->view, "confirm", v->confirm);
    return NULL;
}

static const struct err *page_show(struct settings_view *v, int status)
{
    /* Parts that a list of the template `settings` may have. */
    static const char *const parts[] = {"guesses", "others", "pager"};
    const struct settings_page *of = v->of;
    struct call *c = v->c;
    const bool one = of->one && v->thing;
    if (c->who.role == ROLE_ADMIN)
        TRY(endpoints_failing(c->pg, c->a, &v->failing));
    page_menu(v);
    for (size_t i = 0;
         !one && !v->fresh && of->heads[0] && i < countof(parts); i++)
        json_set_json(v->view, parts[i], NULL);
    if (v->form.fields_n > 0 && (v->fresh || one || !of->heads[0]) &&
        (of->writers & (unsigned)c->who.role))
        settings_form_view(&v->page, v->view, &v->form);
    if (v->fresh) {
        json_set_text(v->view, "list_url", str_of(of->path));
        json_set_text(v->view, "list_label", str_of(of->heading));
        return page_render(c, status, "settings/new", of->form_heading,
                           v->view);
    }
    TRY(one ? page_one(v) : page_list(v));
    if (!one)
        return page_render(c, status, of->template ? of->template : "settings",
                           of->heading, v->view);
    const struct str title =
        words_name(c->a, words_plain(c->a, v->name, PAGE_VIEW_TAB));
    return page_render(c, status,
                       of->one_template ? of->one_template : "setting",
                       arena_z(c->a, title), v->view);
}

/* ---- requests ------------------------------------------------------- */

const struct err *settings_page_bad(void)
{
    return ERROR(ERR_BAD_REQUEST, "request.form",
                 "This form is not valid. Reload the page.");
}

/* The only thing that the page does, which its forms need not name; p NULL:
 * there are several. */
static struct str page_only(const struct settings_view *v)
{
    const struct settings_page *of = v->of;
    if (!of->one)
        return STR_NONE;
    if (!v->thing)
        return STR("save");
    return of->actions_n == 1 && v->form.fields_n == 0
               ? str_of(of->actions[0].what)
               : STR_NONE;
}

/* A form with errors is shown again with the typed values, after its
 * transaction is rolled back. */
static const struct err *page_post(struct settings_view *v)
{
    const struct settings_page *of = v->of;
    if (!v->what.p)
        v->what = page_only(v);
    const struct settings_action *act = page_action(v);
    struct settings_form *form = &v->form;
    struct call *c = v->c;
    v->next = v->url;
    if (act) {
        form->typed = NULL;
        TRY(act->run(v));
    } else if (form->fields_n && str_is(v->what, "save")) {
        const struct json *values = settings_form_read(c->a, form);
        v->next = str_of(of->path);
        if (values)
            TRY(settings_form_wrong(c->a, form, of->save(v, values)));
    } else {
        return settings_page_bad();
    }
    if (form->errors) {
        v->fresh = !act && page_has_new(v);
        pg_rollback(c->pg);
        if (v->status == 0)
            v->status = form->problem && form->change ? 409 : 422;
    }
    if (v->status)
        return page_show(v, v->status);
    if (v->once.secret.p) {
        v->once.back = v->next;
        return settings_secret_keep(c, &v->once);
    }
    response_see_other(c->rs, v->next);
    return NULL;
}

const struct err *settings_page_run(struct call *c,
                                    const struct settings_page *of)
{
    struct settings_view v = {.c = c,
                              .of = of,
                              .page = page_begin(c),
                              .view = json_object(c->a),
                              .rows = json_array(c->a),
                              .acts = json_array(c->a),
                              .url = str_of(of->path)};
    const bool post = c->rq->method == METHOD_POST;
    const bool one = !str_is(c->rq->path, of->path);
    if (post)
        TRY(page_form(c, &v.typed));
    v.what = post ? pairs_get(v.typed, "do") : request_query(c->rq, "do");
    v.key = post ? pairs_get(v.typed, "key") : request_query(c->rq, "key");
    if (one) {
        v.url = arena_join(c->a, v.url,
                           page_view_path(c->a, "/", c->param[0], ""));
        TRY(of->load(&v));
        const struct settings_action *act = page_action(&v);
        if (settings_page_asked(&v) && !(act && act->verb))
            return ERROR(ERR_BAD_REQUEST, "request.query",
                         "Invalid link. Open the page again.");
    }
    v.back = v.url;
    v.form = (struct settings_form){
        .fields = of->fields,
        .fields_n = one && of->fixed ? 0 : of->fields_n,
        .change = one,
        .values = of->values && (one || !of->one) ? of->values(&v) : NULL,
        .typed = post ? &v.typed : NULL,
        .heading = one ? "Edit" : of->form_heading,
        .note = one ? "" : of->form_note,
        .submit = one ? "Save" : of->form_submit,
        .url = v.url};
    v.fresh = !post && str_is(v.what, "new") && page_has_new(&v);
    return post ? page_post(&v) : page_show(&v, 200);
}

const struct err *settings_page(struct call *c)
{
    response_see_other(c->rs, STR("/settings/profile"));
    return NULL;
}

/* ---- texts ---------------------------------------------------------- */

const struct vocabulary_word settings_page_active = {
    .label = "Active", .tone = "plain", .icon = "check"};

struct str settings_page_joined(struct arena *a, struct str list,
                                const char *sep)
{
    struct json *parsed = NULL;
    struct buf b = buf_make(a, JOINED_MAX);
    if (!list.p || json_parse(a, list, &parsed))
        return STR("");
    for (size_t i = 0; i < json_count(parsed); i++) {
        buf_put(&b, i ? sep : "");
        buf_str(&b, json_text(json_at(parsed, i)));
    }
    return b.n ? buf_text(&b) : STR("");
}

struct str settings_page_count(struct arena *a, int64_t n, int64_t max)
{
    return arena_join(a, str_of(n > max ? "more than " : ""),
                      words_count(a, n > max ? max : n));
}

struct str settings_page_role(struct arena *a, enum role role)
{
    const char *word = role_word(role);
    const char first = (char)toupper((unsigned char)*word);
    return arena_join(a, (struct str){&first, 1}, str_of(word + 1));
}

struct str settings_page_groups(struct arena *a, struct str groups)
{
    struct buf b = buf_make(a, groups.n * 2 + 1);
    for (size_t i = 0; i < groups.n; i++) {
        buf_put(&b, groups.p[i] == ' ' ? "," : "");
        buf_char(&b, groups.p[i]);
    }
    return b.n ? buf_text(&b) : STR("");
}

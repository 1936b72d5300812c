/* The lists of endpoints and of channels, and making one.
 *
 * An admin makes and changes, an auditor reads. A secret is shown on a page of
 * its own until it is stored, and never again. */
#include "doors/page_settings.h"

#include "base/clock.h"
#include "base/id.h"
#include "domain/endpoint.h"
#include "doors/page.h"
#include "doors/page_secret.h"

#define JOINED_MAX ((size_t)16 << 10)

enum {
    OVERSEERS = ROLE_ADMIN | ROLE_AUDITOR,
    READERS = OVERSEERS | ROLE_OPERATOR
};

/* ---- pieces --------------------------------------------------------- */

void page_settings_tabs(const struct call *c, struct json *view,
                        const char *path)
{
    static const struct {
        const char *url, *label;
        unsigned who;
    } tabs[] = {{"/settings/profile", "You", READERS},
                {"/settings/sessions", "Sessions", READERS},
                {"/settings/people", "People", OVERSEERS},
                {"/settings/groups", "Groups", OVERSEERS},
                {"/settings/keys", "Keys", OVERSEERS},
                {"/settings/endpoints", "Endpoints", OVERSEERS},
                {"/settings/channels", "Channels", OVERSEERS},
                {"/settings/deliveries", "Delivery log", OVERSEERS}};
    struct json *list = json_array(c->a);
    for (size_t i = 0; i < countof(tabs); i++) {
        struct json *o = json_object(c->a);
        if ((tabs[i].who & (unsigned)c->who.role) == 0)
            continue;
        json_set_text(o, "url", str_of(tabs[i].url));
        json_set_text(o, "label", str_of(tabs[i].label));
        json_set_bool(o, "here", str_is(str_of(path), tabs[i].url));
        json_add_json(list, o);
    }
    json_set_json(view, "tabs", list);
}

void page_settings_cell(struct page_view *v, struct json *cells,
                        struct str text, struct str second)
{
    struct json *o = json_object(v->a);
    json_set_text(o, "head", STR(""));
    json_set_text(o, "url", STR(""));
    json_set_json(o, "text", page_view_head(v, text, PAGE_VIEW_ROW));
    json_set_json(o, "second", page_view_head(v, second, PAGE_VIEW_ROW));
    json_add_json(cells, o);
}

struct str page_settings_joined(struct arena *a, struct str list,
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

struct str page_settings_word(struct str kind)
{
    if (str_is(kind, "mail"))
        return STR("Mail");
    if (str_is(kind, "slack"))
        return STR("Slack");
    return str_is(kind, "webhook") ? STR("Webhook") : STR("Agent");
}

struct str page_settings_count(struct arena *a, int64_t n, int64_t max)
{
    struct buf b = buf_make(a, 64);
    buf_put(&b, n > max ? "more than " : "");
    buf_str(&b, words_count(a, n > max ? max : n));
    return buf_text(&b);
}

struct str page_settings_waiting(struct arena *a, const struct endpoint *e)
{
    struct buf b = buf_make(a, 64);
    if (e->waiting == 0)
        return STR("none waiting");
    buf_str(&b, page_settings_count(a, e->waiting, ENDPOINTS_WAITING_MAX));
    buf_put(&b, " waiting");
    return buf_text(&b);
}

struct json *page_settings_state(struct arena *a, const struct endpoint *e)
{
    const char *word = "In use", *tone = "plain", *icon = "check";
    struct json *o = json_object(a);
    if (e->paused_at) {
        word = "Paused";
        icon = "minus";
    }
    if (e->gone_at) {
        word = "Gone";
        tone = "high";
        icon = "alert";
    }
    json_set_text(o, "word", str_of(word));
    json_set_text(o, "tone", str_of(tone));
    json_set_text(o, "icon", str_of(icon));
    return o;
}

struct str page_settings_url(struct arena *a,
                             const struct page_settings_kind *k,
                             struct str id, const char *after)
{
    struct buf b = buf_make(a, 128);
    buf_put(&b, k->path);
    buf_char(&b, '/');
    return page_view_path(a, arena_z(a, buf_text(&b)), id, after);
}

struct str page_settings_log(struct arena *a, struct str id)
{
    return page_view_path(a, "/settings/deliveries?endpoint=", id, "");
}

void page_settings_act(struct arena *a, struct json *acts,
                       const struct page_settings_act *act)
{
    struct json *o = json_object(a);
    json_set_text(o, "do", str_of(act->name));
    json_set_text(o, "heading", str_of(act->heading));
    json_set_text(o, "sentence", str_of(act->sentence));
    json_set_text(o, "label", str_of(act->label));
    json_add_json(acts, o);
}

const struct err *page_settings(struct call *c)
{
    response_see_other(c->rs, STR("/settings/profile"));
    return NULL;
}

/* ---- the list ------------------------------------------------------- */

static bool may_change(const struct call *c)
{
    return c->who.role == ROLE_ADMIN;
}

static struct json *row(struct call *c, struct page_view *v,
                        const struct page_settings_kind *k,
                        const struct endpoint *e)
{
    struct json *o = json_object(v->a), *cells = json_array(v->a);
    struct buf label = buf_make(v->a, 4096);
    const struct str waiting = page_settings_waiting(v->a, e);
    k->cells(v, e, cells);
    for (size_t i = 0; i < json_count(cells); i++)
        json_set_text(json_at(cells, i), "head", str_of(k->heads[i]));
    if (may_change(c))
        json_set_text(json_at(cells, 0), "url",
                      page_settings_url(v->a, k, e->id, ""));
    buf_str(&label, waiting);
    buf_put(&label, ", the log of ");
    buf_str(&label, words_plain(v->a, e->name, PAGE_VIEW_ROW));
    json_set_json(o, "cells", cells);
    json_set_json(o, "state", page_settings_state(v->a, e));
    json_set_text(o, "waiting", waiting);
    json_set_text(o, "log_url", page_settings_log(v->a, e->id));
    json_set_text(o, "log_label", buf_text(&label));
    return o;
}

static const struct err *set_rows(struct call *c, struct page_view *v,
                                  struct json *view,
                                  const struct page_settings_kind *k)
{
    struct endpoint_rows found;
    struct json *heads = json_array(v->a), *rows = json_array(v->a);
    struct json *empty = json_object(v->a);
    TRY(endpoints_list(c->pg, c->a, k->channels, STR_NONE, &found));
    for (size_t i = 0; i < PAGE_SETTINGS_COLUMNS; i++)
        json_add_text(heads, str_of(k->heads[i]));
    for (size_t i = 0; i < found.n; i++)
        json_add_json(rows, row(c, v, k, &found.v[i]));
    json_set_text(empty, "heading", str_of(k->empty_heading));
    json_set_text(empty, "sentence", str_of(k->empty_sentence));
    json_set_text(view, "heading", str_of(k->heading));
    json_set_text(view, "about", str_of(k->about));
    json_set_text(view, "summary",
                  found.n ? words_many(v->a, (int64_t)found.n, k->noun)
                          : STR(""));
    json_set_bool(view, "is_empty", found.n == 0);
    json_set_json(view, "empty", empty);
    json_set_json(view, "heads", heads);
    json_set_json(view, "rows", rows);
    return NULL;
}

static const struct err *show(struct call *c, int status,
                              const struct page_settings_form *f)
{
    struct json *view = json_object(c->a);
    struct page_view v = page_begin(c);
    page_settings_tabs(c, view, f->kind->path);
    TRY(set_rows(c, &v, view, f->kind));
    page_settings_form_view(&v, view, f);
    if (!may_change(c))
        json_set_json(view, "form", NULL);
    return page_render(c, status, "settings", f->kind->heading, view);
}

const struct err *page_settings_list(struct call *c,
                                     const struct page_settings_kind *k)
{
    return show(c, 200, &(struct page_settings_form){.kind = k});
}

/* ---- making one ----------------------------------------------------- */

static struct endpoint fresh(struct call *c)
{
    return (struct endpoint){.id = id_new(c->a),
                             .kind = STR("agent"),
                             .event_types = STR("[]"),
                             .notify_to = STR("[]"),
                             .detail = STR("title"),
                             .created_at = clock_now(),
                             .created_by = c->who.name};
}

static const struct err *insert(struct call *c, struct endpoint *e)
{
    if (str_is(e->kind, "agent") || str_is(e->kind, "webhook"))
        e->secret = endpoint_secret(c->a);
    return endpoints_insert(c->pg, c->a, e);
}

const struct err *page_settings_make(struct call *c,
                                     const struct page_settings_kind *k)
{
    struct pairs typed;
    TRY(page_form(c, &typed));
    struct page_settings_form f = {.kind = k, .typed = &typed};
    struct endpoint e = fresh(c);
    if (page_settings_form_read(c->a, &f, &e))
        TRY(page_settings_form_wrong(c->a, &f, insert(c, &e)));
    if (f.errors)
        return show(c, 422, &f);
    if (!e.secret.p) {
        response_see_other(c->rs, str_of(k->path));
        return NULL;
    }
    return page_secret_keep(
        c, &(struct page_secret){
               .what = "The secret",
               .sentence = "Whoever receives checks each delivery by it.",
               .name = e.name,
               .secret = e.secret,
               .back = str_of(k->path)});
}

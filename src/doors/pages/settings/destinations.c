/* The lists of endpoints and of channels, creating one, and the page of one.
 *
 * An admin creates and changes, an auditor reads. A secret is shown on a page
 * of its own until it is stored, and never again. */
#include "doors/pages/settings/destinations.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "domain/sending/endpoint.h"
#include "doors/asking/target.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/secret.h"
#include "doors/pages/shell/page.h"
#include "world/wake.h"

/* ---- pieces --------------------------------------------------------- */

struct str settings_destinations_waiting(struct arena *a,
                                         const struct endpoint *e)
{
    if (e->waiting == 0)
        return STR("none pending");
    return arena_join(
        a, settings_page_count(a, e->waiting, ENDPOINTS_WAITING_MAX),
        STR(" pending"));
}

struct json *settings_destinations_state(struct arena *a,
                                         const struct endpoint *e)
{
    static const struct vocabulary_word paused = {
        .label = "Paused", .tone = "plain", .icon = "minus"};
    static const struct vocabulary_word gone = {
        .label = "Disabled (410)", .tone = "high", .icon = "alert"};
    return page_badge(a, e->gone_at     ? &gone
                         : e->paused_at ? &paused
                                        : &settings_page_active);
}

/* The page of one. */
static struct str url_of(struct arena *a,
                         const struct settings_destinations_kind *k,
                         struct str id, const char *after)
{
    return page_view_path(
        a, arena_z(a, arena_join(a, str_of(k->path), STR("/"))), id, after);
}

struct str settings_destinations_log(struct arena *a, struct str id)
{
    return page_view_path(a, "/settings/deliveries?endpoint=", id, "");
}

/* ---- the form ------------------------------------------------------- */

static struct settings_form form_of(struct arena *a,
                                    const struct settings_destinations_form *f)
{
    return (struct settings_form){.fields = f->kind->fields,
                                  .fields_n = f->kind->fields_n,
                                  .change = f->old != NULL,
                                  .values = f->kind->values(a, f->old),
                                  .typed = f->typed,
                                  .errors = f->errors,
                                  .problem = f->problem};
}

const struct err *settings_destinations_form_wrong(
    struct arena *a, struct settings_destinations_form *f, const struct err *e)
{
    struct settings_form s = {.fields = f->kind->fields,
                              .fields_n = f->kind->fields_n,
                              .errors = f->errors,
                              .problem = f->problem};
    if (err_is(e, endpoints_taken))
        e = err_at(a, e->kind, e->code, str_of(f->kind->unique), "%.*s",
                   STR_FMT(e->say));
    e = settings_form_wrong(a, &s, e);
    f->errors = s.errors;
    f->problem = s.problem;
    return e;
}

/* Reads and checks the posted values into *e. false: f has the errors. */
static bool read_form(struct arena *a, struct settings_destinations_form *f,
                      struct endpoint *e)
{
    struct settings_form s = form_of(a, f);
    const struct json *values = settings_form_read(a, &s);
    f->errors = s.errors;
    return values &&
           !settings_destinations_form_wrong(a, f,
                                             f->kind->read(a, values, e)) &&
           !f->errors;
}

/* Adds `form`, and `errors` where there are any. */
static void set_form(struct page_view *v, struct json *view,
                     const struct settings_destinations_form *f)
{
    const struct settings_destinations_kind *k = f->kind;
    const struct settings_form s = form_of(v->a, f);
    const struct settings_form_words words = {
        .heading = f->old ? "Edit" : k->form_heading,
        .note = f->old ? "" : k->form_note,
        .submit = f->old ? "Save" : k->submit,
        .url = f->old ? url_of(v->a, k, f->old->id, "")
                      : str_of(k->path)};
    settings_form_view(v, view, &s, &words);
}

/* ---- the list ------------------------------------------------------- */

static bool may_change(const struct call *c)
{
    return c->who.role == ROLE_ADMIN;
}

static struct json *
destinations_row(struct call *c, struct page_view *v,
                 const struct settings_destinations_kind *k,
                 const struct endpoint *e)
{
    struct json *o = json_object(v->a), *cells = json_array(v->a);
    struct buf label = buf_make(v->a, 4096);
    const struct str waiting = settings_destinations_waiting(v->a, e);
    k->cells(v, e, cells);
    for (size_t i = 0; i < json_count(cells); i++)
        json_set_text(json_at(cells, i), "head", str_of(k->heads[i]));
    if (may_change(c))
        json_set_text(json_at(cells, 0), "url",
                      url_of(v->a, k, e->id, ""));
    buf_str(&label, waiting);
    buf_put(&label, ", the log of ");
    buf_str(&label, words_plain(v->a, e->name, PAGE_VIEW_ROW));
    json_set_json(o, "cells", cells);
    json_set_json(o, "state", settings_destinations_state(v->a, e));
    json_set_text(o, "waiting", waiting);
    json_set_text(o, "log_url", settings_destinations_log(v->a, e->id));
    json_set_text(o, "log_label", buf_text(&label));
    return o;
}

static const struct err *set_rows(struct call *c, struct page_view *v,
                                  struct json *view,
                                  const struct settings_destinations_kind *k)
{
    struct endpoint_rows found;
    struct json *heads = json_array(v->a), *rows = json_array(v->a);
    struct json *empty = json_object(v->a);
    TRY(endpoints_list(c->pg, c->a, k->channels, STR_NONE, &found));
    for (size_t i = 0; i < SETTINGS_DESTINATIONS_COLUMNS; i++)
        json_add_text(heads, str_of(k->heads[i]));
    for (size_t i = 0; i < found.n; i++)
        json_add_json(rows, destinations_row(c, v, k, &found.v[i]));
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

static const struct err *
destinations_show(struct call *c, int status,
                  const struct settings_destinations_form *f)
{
    struct json *view = json_object(c->a);
    struct page_view v = page_begin(c);
    settings_page_tabs(c, view, f->kind->path);
    TRY(set_rows(c, &v, view, f->kind));
    set_form(&v, view, f);
    if (!may_change(c))
        json_set_json(view, "form", NULL);
    return page_render(c, status, "settings", f->kind->heading, view);
}

const struct err *
settings_destinations_list(struct call *c,
                           const struct settings_destinations_kind *k)
{
    return destinations_show(c, 200,
                             &(struct settings_destinations_form){.kind = k});
}

/* ---- creating one ----------------------------------------------------- */

static struct endpoint fresh(struct call *c)
{
    return (struct endpoint){.id = id_new(c->a),
                             .kind = ENDPOINT_AGENT,
                             .event_types = STR("[]"),
                             .notify_to = STR("[]"),
                             .detail = STR("title"),
                             .created_at = clock_now(),
                             .created_by = c->who.name};
}

static const struct err *insert(struct call *c, struct endpoint *e)
{
    if (e->kind == ENDPOINT_AGENT || e->kind == ENDPOINT_WEBHOOK)
        e->secret = endpoint_secret(c->a);
    return endpoints_insert(c->pg, c->a, e);
}

const struct err *
settings_destinations_make(struct call *c,
                           const struct settings_destinations_kind *k)
{
    struct pairs typed;
    TRY(page_form(c, &typed));
    struct settings_destinations_form f = {.kind = k, .typed = &typed};
    struct endpoint e = fresh(c);
    if (read_form(c->a, &f, &e))
        TRY(settings_destinations_form_wrong(c->a, &f, insert(c, &e)));
    if (f.errors)
        return destinations_show(c, 422, &f);
    if (!e.secret.p) {
        response_see_other(c->rs, str_of(k->path));
        return NULL;
    }
    return settings_secret_keep(
        c, &(struct settings_secret){
               .what = "Secret",
               .sentence = "Receivers use it to verify each delivery.",
               .name = e.name,
               .secret = e.secret,
               .back = str_of(k->path)});
}

/* ---- the page of one ------------------------------------------------ */

#define SEEN 16 /* characters that identify a secret */

/* An existing one of this kind. */
static const struct err *load(struct call *c,
                              const struct settings_destinations_kind *k,
                              struct endpoint *e)
{
    const struct err *unknown =
        ERROR(ERR_NOT_FOUND, "endpoint.unknown",
              "There is no such entry. It may have been removed.");
    if (!id_uuid(c->param[0]))
        return unknown;
    TRY(endpoints_get(c->pg, c->a, c->param[0], STR_NONE, e));
    return (e->kind == ENDPOINT_AGENT) == k->channels ? unknown : NULL;
}

/* ---- showing -------------------------------------------------------- */

/* A form names the secret that it would replace, so that posting it again
 * cannot replace the new one. */
static struct str seen(struct arena *a, const struct endpoint *e)
{
    return e->secret.p
               ? str_sub(crypt_sha256_b64(
                             a, arena_join(a, STR("secret seen "), e->secret)),
                         0, SEEN)
               : STR("");
}

static struct json *acts_of(struct arena *a, const struct endpoint *e)
{
    static const struct settings_page_act
        resume = {"resume", "Paused",
                  "Nothing is sent. Pending deliveries are sent after you "
                  "resume. They fail after seven days.",
                  "Resume"},
        revive = {"resume", "Disabled (410)",
                  "The address responded with 410. Pending deliveries "
                  "failed, and no new ones are created. Resume when the "
                  "address works again. Then new deliveries are sent, and "
                  "failed ones have \"Send again\" in the delivery log.",
                  "Resume"},
        pause_agent = {"pause", "Pause",
                       "Deliveries stay pending for up to seven days, until "
                       "you resume.",
                       "Pause"},
        pause_channel = {"pause", "Pause",
                         "Nobody is notified here until you resume. Pending "
                         "messages are sent then, within seven days.",
                         "Pause"},
        test = {"test", "Test message",
                "Sends a message that says it is a test. The delivery log "
                "shows the response.",
                "Send a test message"},
        rotate = {"rotate", "New secret",
                  "The old secret stays valid for 24 hours. Secrets before "
                  "the old one end immediately.",
                  "Create new secret"};
    const bool agent = e->kind == ENDPOINT_AGENT;
    struct json *list = json_array(a);
    settings_page_act(a, list,
                      e->gone_at     ? &revive
                      : e->paused_at ? &resume
                      : agent        ? &pause_agent
                                     : &pause_channel);
    if (!e->prefix)
        settings_page_act(a, list, &test);
    if (e->secret.p)
        settings_page_act(a, list, &rotate);
    return list;
}

/* The effect of removing it. */
static struct str removal(struct arena *a, const struct endpoint *e)
{
    struct buf b = buf_make(a, 512);
    const struct str n =
        settings_page_count(a, e->waiting, ENDPOINTS_WAITING_MAX);
    if (e->waiting == 0) {
        buf_put(&b, "No deliveries are pending.");
    } else {
        buf_str(&b, n);
        buf_put(&b, e->waiting == 1 ? " pending delivery fails."
                                    : " pending deliveries fail.");
    }
    buf_put(&b, e->kind == ENDPOINT_AGENT
                    ? " Answers are no longer sent there."
                    : " Nobody is notified there any more.");
    buf_put(&b, " The delivery log is kept.");
    return buf_text(&b);
}

/* The endpoint that is shown, and the state of its page. */
struct shown {
    int status;
    bool confirm; /* the step before the removal */
    const struct settings_destinations_form *form;
};

static void set_head(struct page_view *v, struct json *view,
                     const struct settings_destinations_kind *k,
                     const struct endpoint *e)
{
    struct arena *a = v->a;
    json_set_text(view, "list_url", str_of(k->path));
    json_set_text(view, "list_label", str_of(k->heading));
    json_set_text(view, "url", url_of(a, k, e->id, ""));
    json_set_json(view, "state", settings_destinations_state(a, e));
    json_set_text(view, "kind",
                  str_of(vocabulary_endpoint_kind(e->kind)->label));
    json_set_text(view, "name", e->name);
    page_view_set_time(view, "since", e->created_at);
    json_set_text(view, "made_by", e->created_by);
    json_set_text(view, "log_url", settings_destinations_log(a, e->id));
    json_set_text(view, "waiting", settings_destinations_waiting(a, e));
    json_set_text(view, "seen", seen(a, e));
}

static const struct err *show_one(struct call *c, const struct endpoint *e,
                                  const struct shown *s)
{
    const struct settings_destinations_kind *k = s->form->kind;
    struct json *view = json_object(c->a);
    struct json *confirm = NULL, *remove = json_object(c->a);
    struct page_view v = page_begin(c);
    set_head(&v, view, k, e);
    if (s->confirm) {
        confirm = json_object(c->a);
        json_set_text(confirm, "says", removal(c->a, e));
    }
    json_set_text(remove, "sentence", removal(c->a, e));
    json_set_text(remove, "url",
                  url_of(c->a, k, e->id, "?do=remove"));
    json_set_json(view, "confirm", confirm);
    json_set_json(view, "remove", remove);
    json_set_json(view, "acts", acts_of(c->a, e));
    set_form(&v, view, s->form);
    const struct str title =
        words_name(c->a, words_plain(c->a, e->name, PAGE_VIEW_TAB));
    return page_render(c, s->status, "setting", arena_z(c->a, title), view);
}

const struct err *
settings_destinations_one(struct call *c,
                          const struct settings_destinations_kind *k)
{
    const struct str what = request_query(c->rq, "do");
    struct endpoint e;
    if (what.p && !str_is(what, "remove"))
        return ERROR(ERR_BAD_REQUEST, "request.query",
                     "Invalid link. Open the page again.");
    TRY(load(c, k, &e));
    const struct settings_destinations_form f = {.kind = k, .old = &e};
    return show_one(
        c, &e, &(struct shown){.status = 200, .confirm = what.p, .form = &f});
}

/* ---- doing ---------------------------------------------------------- */

static const struct err *to(struct call *c, struct str url)
{
    response_see_other(c->rs, url);
    return NULL;
}

static const struct err *save(struct call *c, struct endpoint *old,
                              struct settings_destinations_form *f)
{
    struct endpoint e = *old;
    if (read_form(c->a, f, &e))
        TRY(settings_destinations_form_wrong(
            c->a, f, endpoints_update(c->pg, c->a, &e)));
    if (f->errors)
        return show_one(c, old, &(struct shown){.status = 422, .form = f});
    return to(c, str_of(f->kind->path));
}

static const struct err *pause(struct call *c, struct endpoint *e,
                               const struct settings_destinations_kind *k,
                               bool stop)
{
    TRY(endpoints_pause(c->pg, c->a, stop, clock_now(), e));
    if (!stop)
        wake_deliver(); /* for the deliveries that waited */
    return to(c, url_of(c->a, k, e->id, ""));
}

static const struct err *rotate(struct call *c, struct endpoint *e,
                                struct settings_destinations_form *f)
{
    const struct pairs typed = *f->typed;
    const struct shown s = {.status = 409, .form = f};
    f->typed = NULL;
    if (!e->secret.p)
        return ERROR(ERR_INVALID, "endpoint.secret",
                     "This channel has no secret.");
    if (str_eq(pairs_get(typed, "seen"), seen(c->a, e))) {
        e->secret = endpoint_secret(c->a);
        TRY(endpoints_rotate(c->pg, c->a, e->id, e->secret, clock_now()));
        return settings_secret_keep(
            c,
            &(struct settings_secret){
                .what = "Secret",
                .sentence = "The old one stays valid for 24 hours.",
                .name = e->name,
                .secret = e->secret,
                .back = url_of(c->a, f->kind, e->id, "")});
    }
    f->errors = json_object(c->a);
    f->problem = ERROR(ERR_CONFLICT, "endpoint.secret",
                       "The secret was changed after you opened this page. "
                       "Nothing was changed now.");
    return show_one(c, e, &s);
}

/* Where one waits already, the log shows it. */
static const struct err *test(struct call *c, const struct endpoint *e)
{
    struct endpoints_test sent;
    const struct err *refused = target_test(c, e, &sent);
    if (refused && refused->kind != ERR_CONFLICT)
        return refused;
    wake_deliver();
    return to(c, settings_destinations_log(c->a, e->id));
}

const struct err *
settings_destinations_act(struct call *c,
                          const struct settings_destinations_kind *k)
{
    struct pairs typed;
    struct endpoint e;
    TRY(page_form(c, &typed));
    TRY(load(c, k, &e));
    const struct endpoint old = e;
    struct settings_destinations_form f = {
        .kind = k, .old = &old, .typed = &typed};
    const struct str what = pairs_get(typed, "do");
    if (str_is(what, "save"))
        return save(c, &e, &f);
    if (str_is(what, "pause") || str_is(what, "resume"))
        return pause(c, &e, k, str_is(what, "pause"));
    if (str_is(what, "test"))
        return test(c, &e);
    if (str_is(what, "rotate"))
        return rotate(c, &e, &f);
    if (!str_is(what, "remove"))
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "This form is not valid. Reload the page.");
    TRY(endpoints_remove(c->pg, c->a, e.id, clock_now()));
    return to(c, str_of(k->path));
}

/* The page of one endpoint or channel: changing it, pausing it, a new secret
 * for it, and its removal, which takes a second page. Admins only. */
#include "doors/page_settings.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "domain/endpoint.h"
#include "doors/page.h"
#include "doors/page_secret.h"
#include "world/wake.h"

#define SEEN 16 /* characters that tell one secret from the next */

/* One that is there and of this kind. */
static const struct err *load(struct call *c,
                              const struct page_settings_kind *k,
                              struct endpoint *e)
{
    const struct err *unknown =
        ERROR(ERR_NOT_FOUND, "endpoint.unknown",
              "There is no such entry. It may have been removed.");
    if (!id_uuid(c->param[0]))
        return unknown;
    TRY(endpoints_get(c->pg, c->a, c->param[0], STR_NONE, e));
    return str_is(e->kind, "agent") == k->channels ? unknown : NULL;
}

/* ---- showing -------------------------------------------------------- */

/* A form says which secret it would replace, so that sending it again cannot
 * throw away the one that was just made. */
static struct str seen(struct arena *a, const struct endpoint *e)
{
    struct buf b = buf_make(a, 1024);
    buf_put(&b, "secret seen ");
    buf_str(&b, e->secret);
    return e->secret.p ? str_sub(crypt_sha256_b64(a, buf_text(&b)), 0, SEEN)
                       : STR("");
}

static struct json *acts_of(struct arena *a, const struct endpoint *e)
{
    static const struct page_settings_act
        resume = {"resume", "Paused",
                  "Nothing goes there. What waits is sent as soon as it "
                  "goes on, and given up after seven days.",
                  "Go on"},
        revive = {"resume", "Gone",
                  "It answered 410. What waited for it was given up, and "
                  "nothing is written for it now. Go on when it is back: "
                  "what comes from then on is sent, and what was given up "
                  "has \"Send again\" in the delivery log.",
                  "Go on"},
        pause_agent = {"pause", "Pause",
                       "Deliveries are kept, for seven days, and wait until "
                       "it goes on.",
                       "Pause it"},
        pause_channel = {"pause", "Pause",
                         "Nobody is told there until it goes on. What "
                         "already waits is sent then, within seven days.",
                         "Pause it"},
        rotate = {"rotate", "New secret",
                  "For 24 hours the old secret signs beside the new one. "
                  "A secret from before the old one ends at once.",
                  "Make a new secret"};
    const bool agent = str_is(e->kind, "agent");
    struct json *list = json_array(a);
    page_settings_act(a, list,
                      e->gone_at     ? &revive
                      : e->paused_at ? &resume
                      : agent        ? &pause_agent
                                     : &pause_channel);
    if (e->secret.p)
        page_settings_act(a, list, &rotate);
    return list;
}

/* What removing it does. */
static struct str removal(struct arena *a, const struct endpoint *e)
{
    struct buf b = buf_make(a, 512);
    const struct str n =
        page_settings_count(a, e->waiting, ENDPOINTS_WAITING_MAX);
    if (e->waiting == 0) {
        buf_put(&b, "No delivery waits for it.");
    } else {
        buf_put(&b, "With it, ");
        buf_str(&b, n);
        buf_put(&b, e->waiting == 1 ? " delivery that waits is given up."
                                    : " deliveries that wait are given up.");
    }
    buf_put(&b, str_is(e->kind, "agent")
                    ? " Answers are not pushed there any more."
                    : " Nobody is told there any more.");
    buf_put(&b, " The log of its deliveries stays.");
    return buf_text(&b);
}

/* What of it is shown, and in which state of the page. */
struct shown {
    int status;
    bool confirm; /* the step before the removal */
    const struct page_settings_form *form;
};

static void set_head(struct page_view *v, struct json *view,
                     const struct page_settings_kind *k,
                     const struct endpoint *e)
{
    struct arena *a = v->a;
    json_set_text(view, "list_url", str_of(k->path));
    json_set_text(view, "list_label", str_of(k->heading));
    json_set_text(view, "url", page_settings_url(a, k, e->id, ""));
    json_set_json(view, "state", page_settings_state(a, e));
    json_set_text(view, "kind", page_settings_word(e->kind));
    json_set_json(view, "name", page_view_text(v, e->name));
    json_set_json(view, "since", page_view_time(v, e->created_at));
    json_set_json(view, "made_by", page_view_text(v, e->created_by));
    json_set_text(view, "log_url", page_settings_log(a, e->id));
    json_set_text(view, "waiting", page_settings_waiting(a, e));
    json_set_text(view, "seen", seen(a, e));
}

static const struct err *show(struct call *c, const struct endpoint *e,
                              const struct shown *s)
{
    const struct page_settings_kind *k = s->form->kind;
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
                  page_settings_url(c->a, k, e->id, "?do=remove"));
    json_set_json(view, "confirm", confirm);
    json_set_json(view, "remove", remove);
    json_set_json(view, "acts", acts_of(c->a, e));
    page_settings_form_view(&v, view, s->form);
    const struct str title = words_plain(c->a, e->name, PAGE_VIEW_TAB);
    return page_render(c, s->status, "setting", arena_z(c->a, title), view);
}

const struct err *page_setting(struct call *c,
                               const struct page_settings_kind *k)
{
    const struct str what = request_query(c->rq, "do");
    struct endpoint e;
    if (what.p && !str_is(what, "remove"))
        return ERROR(ERR_BAD_REQUEST, "request.query",
                     "There is no such step. Open the page anew.");
    TRY(load(c, k, &e));
    const struct page_settings_form f = {.kind = k, .old = &e};
    return show(c, &e,
                &(struct shown){
                    .status = 200, .confirm = what.p, .form = &f});
}

/* ---- doing ---------------------------------------------------------- */

static const struct err *to(struct call *c, struct str url)
{
    response_see_other(c->rs, url);
    return NULL;
}

static const struct err *save(struct call *c, struct endpoint *old,
                              struct page_settings_form *f)
{
    struct endpoint e = *old;
    if (page_settings_form_read(c->a, f, &e))
        TRY(page_settings_form_wrong(c->a, f,
                                     endpoints_update(c->pg, c->a, &e)));
    if (f->errors)
        return show(c, old, &(struct shown){.status = 422, .form = f});
    return to(c, str_of(f->kind->path));
}

static const struct err *pause(struct call *c, struct endpoint *e,
                               const struct page_settings_kind *k, bool stop)
{
    TRY(endpoints_pause(c->pg, c->a, stop, clock_now(), e));
    if (!stop)
        wake_deliver(); /* of what waited */
    return to(c, page_settings_url(c->a, k, e->id, ""));
}

static const struct err *rotate(struct call *c, struct endpoint *e,
                                struct page_settings_form *f)
{
    const struct pairs typed = *f->typed;
    const struct shown s = {.status = 409, .form = f};
    f->typed = NULL;
    if (!e->secret.p)
        return ERROR(ERR_INVALID, "endpoint.no_secret",
                     "Nothing is signed for this channel.");
    if (str_eq(pairs_get(typed, "seen"), seen(c->a, e))) {
        e->secret = endpoint_secret(c->a);
        TRY(endpoints_rotate(c->pg, c->a, e->id, e->secret, clock_now()));
        return page_secret_keep(
            c, &(struct page_secret){
                   .what = "The secret",
                   .sentence = "The old one signs beside it for 24 hours.",
                   .name = e->name,
                   .secret = e->secret,
                   .back = page_settings_url(c->a, f->kind, e->id, "")});
    }
    f->errors = json_object(c->a);
    f->problem = ERROR(ERR_CONFLICT, "endpoint.rotated",
                       "The secret was changed after this page was opened, "
                       "so nothing was done now.");
    return show(c, e, &s);
}

const struct err *page_setting_act(struct call *c,
                                   const struct page_settings_kind *k)
{
    struct pairs typed;
    struct endpoint e;
    TRY(page_form(c, &typed));
    TRY(load(c, k, &e));
    const struct endpoint old = e;
    struct page_settings_form f = {.kind = k, .old = &old, .typed = &typed};
    const struct str what = pairs_get(typed, "do");
    if (str_is(what, "save"))
        return save(c, &e, &f);
    if (str_is(what, "pause") || str_is(what, "resume"))
        return pause(c, &e, k, str_is(what, "pause"));
    if (str_is(what, "rotate"))
        return rotate(c, &e, &f);
    if (!str_is(what, "remove"))
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "The form does not say what to do. Open the page anew.");
    TRY(endpoints_remove(c->pg, c->a, e.id, clock_now()));
    return to(c, str_of(k->path));
}

/* Settings: the page of one person. Changing them, a new password, and
 * disabling, which signs them out everywhere. Admins only. */
#include "base/clock.h"
#include "base/log.h"
#include "doors/pages/settings/confirm.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/people.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/shell/page.h"
#include "store/people.h"

/* ---- showing -------------------------------------------------------- */

/* An action that ends something is a link to its confirm step. */
static void add_act(struct call *c, struct json *list,
                    const struct settings_page_act *act, struct str ask_url)
{
    settings_page_act(c->a, list, act);
    json_set_text(json_at(list, json_count(list) - 1), "ask_url", ask_url);
}

static struct str ask_url(struct call *c, const struct person *p,
                          const char *after)
{
    return page_view_path(c->a, "/settings/people/", p->id, after);
}

static struct json *acts_of(struct call *c, const struct person *p)
{
    static const struct settings_page_act
        password = {"password", "New password",
                    "Ends the old password, all sessions and all tokens of "
                    "this account. The new password is shown once.",
                    "Reset password"},
        disable = {"disable", "Disable",
                   "Signs the account out everywhere, revokes its tokens and "
                   "blocks sign-in. Past decisions are kept.",
                   "Disable account"},
        enable = {"enable", "Disabled",
                  "Allows sign-in again, with the same password as before. "
                  "Tokens of before stay revoked.",
                  "Enable account"};
    struct json *list = json_array(c->a);
    /* One's own password is changed on the page that asks for the old one. */
    if (str_eq(p->id, c->who.id))
        return list;
    if (p->disabled_at) {
        add_act(c, list, &enable, STR(""));
        return list;
    }
    add_act(c, list, &password, ask_url(c, p, "?do=password"));
    add_act(c, list, &disable, ask_url(c, p, "?do=disable"));
    return list;
}

/* The confirm step; NULL where there is nothing to confirm, as when it was done
 * meanwhile. */
static struct json *sure_of(struct page_view *v, const struct person *p,
                            struct str what)
{
    const struct str url = settings_people_url(v->a, p->id);
    const struct settings_confirm
        password = {.verb = "Reset the password of",
                    .name = p->name,
                    .sentence = "The old password, all sessions and all tokens "
                                "of this account end immediately, for good. "
                                "Unsent input is lost. The new password is "
                                "shown once, to you.",
                    .none = "Nothing is changed yet.",
                    .act = "reset password",
                    .what = "password",
                    .url = url,
                    .back = url},
        disable = {.verb = "Disable",
                   .name = p->name,
                   .sentence = "The account is signed out everywhere "
                               "immediately, its tokens are revoked for good, "
                               "and it cannot sign in. Requests for this "
                               "person alone stay open. Past decisions are "
                               "kept. You can enable the account again.",
                   .none = "Nothing is changed yet.",
                   .act = "disable account",
                   .what = "disable",
                   .url = url,
                   .back = url};
    if (p->disabled_at || !what.p)
        return NULL;
    return settings_confirm(v, str_is(what, "disable") ? &disable : &password);
}

static void set_head(struct page_view *v, struct json *view,
                     const struct person *p)
{
    json_set_json(view, "state", page_badge(v->a, settings_people_state(p)));
    json_set_text(view, "name", p->name);
    json_set_text(view, "email", p->email);
    page_view_set_time(view, "since", p->created_at);
    page_view_set_time(view, "signed_in", p->signed_in_at);
    json_set_text(view, "url", settings_people_url(v->a, p->id));
}

static const struct err *person_show(struct call *c, int status,
                                     const struct person *p,
                                     const struct settings_form *s)
{
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a);
    const struct str asked =
        c->rq->method == METHOD_GET ? request_query(c->rq, "do") : STR_NONE;
    set_head(&v, view, p);
    json_set_json(view, "confirm", sure_of(&v, p, asked));
    settings_form_view(&v, view, s,
                       &(struct settings_form_words){
                           .heading = "Edit",
                           .note = "",
                           .submit = "Save",
                           .url = settings_people_url(c->a, p->id)});
    json_set_json(view, "acts", acts_of(c, p));
    const struct str title =
        words_name(c->a, words_plain(c->a, p->name, PAGE_VIEW_TAB));
    return page_render(c, status, "person", arena_z(c->a, title), view);
}

const struct err *settings_person(struct call *c)
{
    struct person p;
    const struct str what = request_query(c->rq, "do");
    if (what.p && !str_is(what, "disable") && !str_is(what, "password"))
        return ERROR(ERR_BAD_REQUEST, "request.query",
                     "Invalid link. Open the page again.");
    TRY(people_get(c->pg, c->a, c->param[0], &p));
    const struct settings_form s = settings_people_form(c->a, &p, NULL);
    return person_show(c, 200, &p, &s);
}

/* ---- actions ---------------------------------------------------------- */

/* Shows the error on the page itself. */
static const struct err *refused(struct call *c, const struct person *p,
                                 struct settings_form *s)
{
    pg_rollback(c->pg);
    return person_show(c, s->problem ? 409 : 422, p, s);
}

/* Writes new where the rules allow it. */
static const struct err *become(struct call *c, struct settings_form *s,
                                const struct person_locked *old,
                                const struct person *new)
{
    TRY(settings_form_wrong(
        c->a, s,
        person_may_become(c->a, c->who.id, &old->person, new, old->admins)));
    return s->errors ? NULL : people_update(c->pg, c->a, new);
}

static const struct err *save(struct call *c, const struct pairs *typed)
{
    struct person_locked old;
    TRY(people_lock(c->pg, c->a, c->param[0], c->who.id, &old));
    struct person p = old.person;
    struct settings_form s = settings_people_form(c->a, &old.person, typed);
    if (settings_people_read(c->a, &s, &p))
        TRY(become(c, &s, &old, &p));
    if (s.errors)
        return refused(c, &old.person, &s);
    settings_people_note(c, "person.change", &p);
    response_see_other(c->rs, STR("/settings/people"));
    return NULL;
}

static const struct err *shut(struct call *c, bool out)
{
    struct person_locked old;
    TRY(people_lock(c->pg, c->a, c->param[0], c->who.id, &old));
    struct person p = old.person;
    struct settings_form s = settings_people_form(c->a, &old.person, NULL);
    p.disabled_at = !out            ? 0
                    : p.disabled_at ? p.disabled_at
                                    : clock_now();
    TRY(become(c, &s, &old, &p));
    if (s.errors)
        return refused(c, &old.person, &s);
    settings_people_note(c, out ? "person.disable" : "person.enable", &p);
    response_see_other(c->rs, settings_people_url(c->a, p.id));
    return NULL;
}

static const struct err *password(struct call *c)
{
    struct person p;
    struct str fresh, hash;
    TRY(people_get(c->pg, c->a, c->param[0], &p));
    if (str_eq(p.id, c->who.id))
        return ERROR(ERR_CONFLICT, "person.self",
                     "Change your own password under “Profile”.");
    TRY(settings_people_password(c, &fresh, &hash));
    TRY(people_password(c->pg, c->a, p.id, hash, STR_NONE));
    settings_people_note(c, "person.password", &p);
    return settings_people_once(c, &p, fresh);
}

const struct err *settings_person_act(struct call *c)
{
    struct pairs typed;
    TRY(page_form(c, &typed));
    const struct str what = pairs_get(typed, "do");
    if (str_is(what, "save"))
        return save(c, &typed);
    if (str_is(what, "password"))
        return password(c);
    if (str_is(what, "disable") || str_is(what, "enable"))
        return shut(c, str_is(what, "disable"));
    return ERROR(ERR_BAD_REQUEST, "request.form",
                 "This form is not valid. Reload the page.");
}

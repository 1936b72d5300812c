/* Settings: oneself. Name, time zone and theme, and a new password for the old
 * one. Never shows a password, not even a newly typed one. */
#include "base/log.h"
#include "base/text.h"
#include "doors/call/sign_in.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/people.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/shell/page.h"
#include "store/people.h"
#include "world/guessable.h"
#include "world/template/zone.h"

#define PATH "/settings/profile"

static const struct settings_form_option themes[] = {
    {"auto", "System"},
    {"light", "Light"},
    {"dark", "Dark"},
};
static const struct settings_form_option keys[] = {
    {"twice", "Press twice: the second press answers"},
    {"once", "Single key: one press answers low-risk requests"},
};
static const struct settings_form_field fields[] = {
    {.key = "name", .label = "Name", .type = "string", .required = true,
     .max = PERSON_NAME_MAX, .help = "Display name"},
    {.key = "time_zone", .label = "Time zone", .type = "string",
     .max = PERSON_ZONE_MAX,
     .help = "Such as Europe/Berlin or America/New_York. Empty: UTC"},
    {.key = "theme", .label = "Theme", .type = "enum", .required = true,
     .options = themes, .options_n = countof(themes), .help = ""},
    {.key = "keys", .label = "Answer shortcuts", .type = "enum",
     .required = true, .options = keys, .options_n = countof(keys),
     .help = "An answer is final. There is no undo"},
};

static struct settings_form form_of(const struct call *c,
                                    const struct pairs *typed)
{
    struct json *values = json_object(c->a);
    json_set_text(values, "name", c->who.title);
    json_set_text(values, "theme", c->who.theme);
    json_set_text(values, "keys",
                  str_of(c->who.single_key ? "once" : "twice"));
    if (c->who.time_zone.p)
        json_set_text(values, "time_zone", c->who.time_zone);
    return (struct settings_form){.fields = fields,
                                  .fields_n = countof(fields),
                                  .values = values,
                                  .typed = typed};
}

/* ---- showing -------------------------------------------------------- */

/* The result of the password form. */
struct password_change {
    const char *old, *fresh; /* a sentence at the field; NULL: none */
    bool changed;
};

/* A page has one list of errors: of the form that was sent. */
static struct json *wrong_password(struct arena *a,
                                   const struct password_change *o)
{
    struct json *e = json_object(a), *items = json_array(a);
    struct json *item = json_object(a);
    json_set_text(item, "href", str_of(o->old ? "#old" : "#password"));
    json_set_text(item, "text", str_of(o->old ? o->old : o->fresh));
    json_add_json(items, item);
    json_set_text(e, "heading", STR("Fix 1 field to continue"));
    json_set_text(e, "sentence", STR("The password was not changed."));
    json_set_json(e, "items", items);
    return e;
}

static const struct err *profile_show(struct call *c, int status,
                                      const struct settings_form *s,
                                      const struct password_change *o)
{
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a), *password = json_object(c->a);
    settings_page_tabs(c, view, PATH);
    settings_form_view(
        &v, view, s,
        &(struct settings_form_words){.heading = "Profile",
                                      .note = "",
                                      .submit = "Save",
                                      .url = STR(PATH)});
    if (o->old || o->fresh)
        json_set_json(view, "errors", wrong_password(c->a, o));
    json_set_text(password, "old_error", str_of(o->old ? o->old : ""));
    json_set_text(password, "new_error", str_of(o->fresh ? o->fresh : ""));
    json_set_text(password, "url", STR(PATH));
    json_set_json(view, "password", password);
    json_set_text(view, "email", c->who.name);
    json_set_text(view, "role", str_of(principal_role_word(c->who.role)));
    json_set_text(view, "groups",
                  c->who.groups.p ? settings_people_group_names(
                                        c->a, c->who.groups)
                                  : STR_NONE);
    page_view_set_time(view, "now", v.now);
    json_set_text(view, "note",
                  str_of(o->changed ? "Password changed. Your other sessions "
                                      "and your tokens have ended."
                                    : ""));
    return page_render(c, status, "profile", "Profile", view);
}

const struct err *settings_profile(struct call *c)
{
    const struct settings_form s = form_of(c, NULL);
    return profile_show(c, 200, &s, &(struct password_change){.old = NULL});
}

/* ---- saving --------------------------------------------------------- */

static const struct err *judge(struct arena *a, const struct json *v,
                               struct person *p)
{
    const struct str zone = str_trim(json_get_text(v, "time_zone"));
    TRY(person_name(a, "name", json_get_text(v, "name"), &p->name));
    TRY(person_theme(a, json_get_text(v, "theme"), &p->theme));
    p->single_key = str_is(json_get_text(v, "keys"), "once");
    p->time_zone = zone.n > 0 && !str_is(zone, "UTC") ? zone : STR_NONE;
    return p->time_zone.p && !zone_known(zone)
               ? err_at(a, ERR_INVALID, "field.value", STR("time_zone"),
                        "Unknown time zone. Enter a region and a "
                        "city, as in Europe/Berlin.")
               : NULL;
}

static const struct err *save(struct call *c, const struct pairs *typed)
{
    struct person p = {.id = c->who.id, .email = c->who.name};
    struct settings_form s = form_of(c, typed);
    const struct json *values = settings_form_read(c->a, &s);
    if (values)
        TRY(settings_form_wrong(c->a, &s, judge(c->a, values, &p)));
    if (s.errors)
        return profile_show(c, 422, &s, &(struct password_change){.old = NULL});
    TRY(people_profile(c->pg, c->a, &p));
    log_line(LOG_NOTICE,
             "settings by=%.*s did=profile.change name=\"%.*s\" zone=%.*s "
             "theme=%.*s keys=%s",
             STR_FMT(c->who.name), STR_FMT(p.name), STR_FMT(p.time_zone),
             STR_FMT(p.theme), p.single_key ? "once" : "twice");
    response_see_other(c->rs, STR(PATH));
    return NULL;
}

/* ---- the password --------------------------------------------------- */

static const struct err *check(struct call *c, const struct pairs *typed,
                               struct password_change *o, struct str *tried)
{
    struct sign_in s = {.email = c->who.name,
                        .at = "profile",
                        .result = SIGN_IN_WRONG};
    const struct str old = pairs_get(*typed, "old");
    const struct str fresh = pairs_get(*typed, "password");
    const struct err *e = person_password(c->a, fresh);
    e = e ? e : guessable_refuse(c->a, fresh);
    if (e && e->kind != ERR_INVALID)
        return e;
    if (e) {
        o->fresh = arena_z(c->a, e->say);
        return NULL;
    }
    if (text_nfc(c->a, old).n <= PERSON_PASSWORD_MAX)
        TRY(sign_in_try(c, old, &s));
    *tried = s.tried;
    if (s.result == SIGN_IN_WRONG)
        o->old = "Incorrect password.";
    else if (s.result != SIGN_IN_OK)
        o->old = "Too many attempts, or too many people are signing in. "
                 "Wait half a minute and try again.";
    return NULL;
}

static const struct err *password(struct call *c, const struct pairs *typed)
{
    struct password_change o = {.old = NULL};
    const struct settings_form s = form_of(c, NULL);
    struct str hash = STR_NONE, tried = STR_NONE;
    TRY(check(c, typed, &o, &tried));
    if (o.old || o.fresh)
        return profile_show(c, 422, &s, &o);
    TRY(sign_in_hash(c, pairs_get(*typed, "password"), &hash));
    TRY(people_still(c->pg, c->a, c->who.id, tried));
    TRY(people_password(c->pg, c->a, c->who.id, hash, c->cookie));
    log_line(LOG_NOTICE, "settings by=%.*s did=profile.password",
             STR_FMT(c->who.name));
    o.changed = true;
    return profile_show(c, 200, &s, &o);
}

const struct err *settings_profile_post(struct call *c)
{
    struct pairs typed;
    TRY(page_form(c, &typed));
    if (str_is(pairs_get(typed, "do"), "save"))
        return save(c, &typed);
    if (str_is(pairs_get(typed, "do"), "password"))
        return password(c, &typed);
    return ERROR(ERR_BAD_REQUEST, "request.form",
                 "This form is not valid. Reload the page.");
}

/* Settings: oneself. Name, time zone and theme, and a new password for the old
 * one. Never shows a password, not even a newly typed one. */
#include "base/text.h"
#include "doors/call/sign_in.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/shell/fields.h"
#include "store/person/people.h"
#include "world/guessable.h"
#include "world/template/zone.h"

static const struct settings_form_option themes[] = {
    {"auto", "System"},
    {"light", "Light"},
    {"dark", "Dark"},
};
static const struct settings_form_option keys[] = {
    {"twice", "Press twice: the second press answers"},
    {"once", "Single key: one press answers low-risk requests"},
};
static const struct settings_form_option after[] = {
    {"next", "Show the next request of the list"},
    {"list", "Return to the list"},
    {"stay", "Show the answered request"},
};
static const struct settings_form_field profile_fields[] = {
    {.key = "name", .label = "Name", .type = "string", .required = true,
     .max = PERSON_NAME_MAX, .help = "Display name"},
    {.key = "time_zone", .label = "Time zone", .type = "string",
     .max = PERSON_ZONE_MAX,
     .help = "Such as Europe/Berlin or America/New_York. Empty: UTC"},
    {.key = "theme", .label = "Theme", .type = "enum", .required = true,
     SETTINGS_FORM_ALL(options, themes)},
    {.key = "keys", .label = "Answer shortcuts", .type = "enum",
     .required = true, SETTINGS_FORM_ALL(options, keys),
     .help = "You cannot change an answer"},
    {.key = "after_answer", .label = "After an answer", .type = "enum",
     .required = true, SETTINGS_FORM_ALL(options, after)},
};

/* The result of the password form. */
struct profile_password {
    const char *old, *fresh; /* a sentence at the field; NULL: none */
    bool changed;
};

static struct json *profile_values(struct settings_view *v)
{
    const struct person *own = &v->c->who.account;
    struct json *values = json_object(v->c->a);
    json_set_text(values, "name", own->name);
    json_set_text(values, "theme", own->theme);
    json_set_text(values, "keys", str_of(own->single_key ? "once" : "twice"));
    json_set_text(values, "after_answer", own->after_answer);
    json_set_text_given(values, "time_zone", own->time_zone);
    return values;
}

static const struct err *profile_view(struct settings_view *v)
{
    static const struct profile_password nothing = {.changed = false};
    const struct profile_password *o = v->thing ? v->thing : &nothing;
    struct call *c = v->c;
    struct json *password = json_object(c->a);
    json_set_text(password, "old_error", str_of(o->old));
    json_set_text(password, "new_error", str_of(o->fresh));
    json_set_json(v->view, "password", password);
    json_set_text(v->view, "email", c->who.name);
    json_set_text(v->view, "role", str_of(role_word(c->who.role)));
    json_set_text(v->view, "groups", settings_page_groups(c->a, c->who.groups));
    page_view_set_time(v->view, "now", v->page.now);
    json_set_bool(v->view, "changed", o->changed);
    /* A page has one list of errors: of the form that was sent. */
    if (o->old || o->fresh) {
        struct json *e = json_object(c->a), *items = json_array(c->a);
        struct json *item = json_object(c->a);
        json_set_text(item, "href", str_of(o->old ? "#old" : "#password"));
        json_set_text(item, "text", str_of(o->old ? o->old : o->fresh));
        json_add_json(items, item);
        json_set_text(e, "heading", page_fields_heading(c->a, 1));
        json_set_text(e, "sentence", STR("The password was not changed."));
        json_set_json(e, "items", items);
        json_set_json(v->view, "errors", e);
    }
    return NULL;
}

const struct err *settings_profile_zone(struct call *c, struct str typed,
                                        struct str *out)
{
    const struct str zone = str_trim(typed);
    *out = zone.n > 0 ? zone : STR_NONE;
    if (zone.n > 0 && !zone_known(zone))
        return err_at(c->a, ERR_INVALID, "field.value", STR("time_zone"),
                      "Unknown time zone. Enter a region and a "
                      "city, as in Europe/Berlin.");
    return NULL;
}

static const struct err *profile_save(struct settings_view *v,
                                      const struct json *values)
{
    struct call *c = v->c;
    struct person p = {.id = c->who.id, .email = c->who.name};
    TRY(person_name(c->a, "name", json_get_text(values, "name"), &p.name));
    TRY(person_theme(c->a, json_get_text(values, "theme"), &p.theme));
    TRY(person_after_answer(c->a, json_get_text(values, "after_answer"),
                            &p.after_answer));
    p.single_key = str_is(json_get_text(values, "keys"), "once");
    TRY(settings_profile_zone(c, json_get_text(values, "time_zone"),
                              &p.time_zone));
    TRY(people_profile(c->pg, c->a, &p));
    SETTINGS_PAGE_LOG(c,
                      "profile.change name=\"%.*s\" zone=%.*s theme=%.*s "
                      "keys=%s after_answer=%.*s",
                      STR_FMT(p.name), STR_FMT(p.time_zone), STR_FMT(p.theme),
                      p.single_key ? "once" : "twice",
                      STR_FMT(p.after_answer));
    return NULL;
}

/* ---- the password --------------------------------------------------- */

static const struct err *profile_set_password(struct settings_view *v)
{
    struct call *c = v->c;
    struct profile_password *o = arena_new(c->a, struct profile_password);
    struct sign_in s = {.email = c->who.name,
                        .at = "profile",
                        .result = SIGN_IN_WRONG};
    const struct str old = pairs_get(v->typed, "old");
    const struct str fresh = pairs_get(v->typed, "password");
    struct str hash = STR_NONE;
    v->thing = o;
    v->status = 422;
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
    if (s.result != SIGN_IN_OK) {
        o->old = s.result == SIGN_IN_WRONG
                     ? "Incorrect password."
                     : "Too many attempts, or too many people are signing in. "
                       "Wait half a minute and try again.";
        return NULL;
    }
    TRY(sign_in_hash(c, fresh, &hash));
    TRY(people_still(c->pg, c->a, c->who.id, s.tried));
    TRY(people_password(c->pg, c->a, c->who.id, hash, c->cookie));
    log_line(LOG_NOTICE, "settings by=%.*s did=profile.password",
             STR_FMT(c->who.name));
    o->changed = true;
    v->status = 200;
    return NULL;
}

static const struct settings_action actions[] = {
    {.what = "password", .run = profile_set_password}};
static const struct settings_page page = {
    .path = "/settings/profile",
    .heading = "Profile",
    SETTINGS_FORM_ALL(actions, actions),
    .writers = ROLE_ADMIN | ROLE_OPERATOR | ROLE_AUDITOR | ROLE_USER,
    .template = "profile",
    .form_heading = "Your details",
    .form_submit = "Save",
    SETTINGS_FORM_ALL(fields, profile_fields),
    .values = profile_values,
    .save = profile_save,
    .list = profile_view};

const struct err *settings_profile(struct call *c)
{
    return settings_page_run(c, &page);
}

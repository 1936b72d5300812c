/* Settings: a person's own API tokens. With one a program acts as that person,
 * so only they make it, with their password, and it always ends. */
#include "base/clock.h"
#include "base/log.h"
#include "domain/intent/person.h"
#include "doors/call/sign_in.h"
#include "doors/pages/settings/confirm.h"
#include "doors/pages/settings/secret.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/settings/table.h"
#include "doors/pages/shell/page.h"
#include "store/keys.h"
#include "store/people.h"

#define PATH "/settings/tokens"
#define DAY (INT64_C(86400) * CLOCK_SECOND)
#define DAYS_MAX 90

static const struct settings_form_option ends[] = {
    {"1", "In a day"}, {"30", "In 30 days"}, {"90", "In 90 days"}};
static const struct settings_form_field fields[] = {
    {.key = "label", .label = "Label", .type = "string", .required = true,
     .max = PERSON_NAME_MAX, .help = "The program that will use it"},
    {.key = "ends", .label = "Expires", .type = "enum", .required = true,
     .options = ends, .options_n = countof(ends), .help = ""},
    {.key = "password", .label = "Your password", .type = "string",
     .format = "password", .required = true, .max = PERSON_PASSWORD_MAX,
     .help = ""},
};
static const struct settings_table_words words = {
    .path = PATH,
    .title = "Tokens",
    .heading = "Your API tokens",
    .about = "A program that has one of your tokens can do over the API what "
             "you can do. Its answers are recorded under your name.",
    .empty_heading = "No token",
    .empty_sentence = "You have no token in use.",
    .heads = {"Label", "Starts with", "Created", "Last used", "Expires"},
    .acts = "Revoke"};

/* ---- showing -------------------------------------------------------- */

static struct settings_form form_of(struct arena *a, const struct pairs *typed)
{
    struct json *values = json_object(a);
    json_set_text(values, "ends", STR("30"));
    return (struct settings_form){.fields = fields,
                                  .fields_n = countof(fields),
                                  .values = values,
                                  .typed = typed};
}

static void add_row(struct settings_table *r, const struct key *k)
{
    struct arena *a = r->c->a;
    struct buf about = buf_make(a, 1024);
    buf_put(&about, "Revoke ");
    buf_str(&about, k->label);
    settings_table_row(r);
    settings_table_text(r, k->label, STR_NONE, STR(""));
    settings_table_text(r, k->prefix, STR_NONE, STR(""));
    settings_table_day(r, k->created_at, "", STR_NONE);
    settings_table_ago(r, k->used_at, "never");
    settings_table_day(r, k->expires_at, "", STR_NONE);
    settings_table_act(
        r, &(struct settings_table_act){
               .label = "Revoke",
               .about = buf_text(&about),
               .url = page_view_path(a, PATH "?do=revoke&key=", k->id, "")});
}

/* *out is NULL where nothing is asked. */
static const struct err *sure(struct call *c, struct page_view *v,
                              const struct key_rows *found, struct json **out)
{
    const struct str key = request_query(c->rq, "key");
    *out = NULL;
    if (!request_query(c->rq, "do").p)
        return NULL;
    for (size_t i = 0; i < found->n; i++) {
        if (str_eq(found->v[i].id, key))
            *out = settings_confirm(
                v, &(struct settings_confirm){
                       .verb = "Revoke the token",
                       .name = found->v[i].label,
                       .sentence = "All requests with this token fail from "
                                   "now on. This cannot be undone.",
                       .none = "Nothing is revoked yet.",
                       .act = "end it",
                       .what = "revoke",
                       .url = STR(PATH),
                       .back = STR(PATH),
                       .key = key});
    }
    return *out ? NULL
                : ERROR(ERR_NOT_FOUND, "key.unknown",
                        "There is no key with this id.");
}

static const struct err *tokens_show(struct call *c, int status,
                                     const struct settings_form *s)
{
    struct settings_table r = settings_table(c, &words);
    struct json *asked = NULL;
    struct key_rows found;
    TRY(keys_tokens(c->pg, c->a, c->who.person_id, &found));
    TRY(sure(c, &r.v, &found, &asked));
    for (size_t i = 0; i < found.n; i++)
        add_row(&r, &found.v[i]);
    json_set_json(r.view, "confirm", asked);
    settings_form_view(&r.v, r.view, s,
                       &(struct settings_form_words){
                           .heading = "New token",
                           .note = "It is shown once, after this",
                           .submit = "Create token",
                           .url = STR(PATH)});
    return settings_table_show(&r, status,
                               words_many(c->a, (int64_t)found.n, "token"));
}

const struct err *settings_tokens(struct call *c)
{
    const struct settings_form s = form_of(c->a, NULL);
    return tokens_show(c, 200, &s);
}

/* ---- making and revoking -------------------------------------------- */

static const struct err *check_password(struct call *c, struct str typed,
                                        struct str *tried)
{
    struct sign_in s = {.email = c->who.name, .at = "tokens"};
    TRY(sign_in_try(c, typed, &s));
    *tried = s.tried;
    if (s.result == SIGN_IN_OK)
        return NULL;
    return err_at(c->a, ERR_INVALID, "field.value", STR("password"),
                  s.result == SIGN_IN_WRONG
                      ? "This is not your password."
                      : "There were too many attempts. Wait half a minute "
                        "and try again.");
}

static const struct err *judge(struct call *c, const struct json *v,
                               struct key *k, struct str *tried)
{
    struct key_rows found;
    int64_t days = 0;
    *k = (struct key){.role = c->who.role,
                      .reach = REACH_ALL,
                      .person_id = c->who.person_id};
    TRY(person_key_label(c->a, "label", k->role, json_get_text(v, "label"),
                         &k->label));
    if (str_int(json_get_text(v, "ends"), 1, DAYS_MAX, &days))
        k->expires_at = clock_now() + days * DAY;
    TRY(keys_tokens(c->pg, c->a, c->who.person_id, &found));
    if (found.n == KEYS_TOKENS_MAX)
        return err_at(c->a, ERR_INVALID, "field.value", STR("label"),
                      "You have 20 tokens, which is the most. Revoke one "
                      "first.");
    return check_password(c, json_get_text(v, "password"), tried);
}

static const struct err *make(struct call *c, const struct pairs *typed)
{
    struct settings_form s = form_of(c->a, typed);
    struct keys_fresh fresh = {.agents_n = 0};
    struct str text, tried = STR_NONE;
    const struct json *values = settings_form_read(c->a, &s);
    if (values)
        TRY(settings_form_wrong(c->a, &s,
                                judge(c, values, &fresh.key, &tried)));
    if (s.errors)
        return tokens_show(c, 422, &s);
    TRY(people_still(c->pg, c->a, c->who.person_id, tried));
    TRY(keys_make_token(c->pg, c->a, &fresh, &text));
    log_line(LOG_NOTICE, "settings by=%.*s did=token.make key=%.*s",
             STR_FMT(c->who.name), STR_FMT(fresh.key.id));
    return settings_secret_keep(
        c, &(struct settings_secret){
               .what = "The token",
               .sentence = "Sayso stores only a digest of it. If you lose it, "
                           "revoke it and create a new one.",
               .name = fresh.key.label,
               .secret = text,
               .back = STR(PATH)});
}

const struct err *settings_tokens_post(struct call *c)
{
    struct pairs typed;
    TRY(page_form(c, &typed));
    const struct str key = pairs_get(typed, "key");
    if (str_is(pairs_get(typed, "do"), "save"))
        return make(c, &typed);
    if (!str_is(pairs_get(typed, "do"), "revoke"))
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "This form is not valid. Reload the page.");
    TRY(keys_revoke_token(c->pg, c->a, key, c->who.person_id));
    log_line(LOG_NOTICE, "settings by=%.*s did=token.revoke key=%.*s",
             STR_FMT(c->who.name), STR_FMT(key));
    response_see_other(c->rs, STR(PATH));
    return NULL;
}

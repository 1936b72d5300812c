/* Settings: a person's own API tokens. With one a program acts as that person,
 * so only they make it, with their password, and it always ends. */
#include "base/clock.h"
#include "domain/intent/person.h"
#include "doors/call/sign_in.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"
#include "store/person/keys.h"
#include "store/person/people.h"

#define DAY (INT64_C(86400) * CLOCK_SECOND)
#define DAYS_MAX 90

static const struct settings_form_option ends[] = {
    {"1", "In a day"}, {"30", "In 30 days"}, {"90", "In 90 days"}};
static const struct settings_form_field tokens_fields[] = {
    {.key = "label", .label = "Label", .type = "string", .required = true,
     .max = PERSON_NAME_MAX, .help = "The program that will use it"},
    {.key = "ends", .label = "Expires", .type = "enum", .required = true,
     .initial = "30", SETTINGS_FORM_ALL(options, ends)},
    {.key = "password", .label = "Your password", .type = "string",
     .format = "password", .required = true, .max = PERSON_PASSWORD_MAX},
};

static const struct err *tokens_rows(struct settings_view *v)
{
    struct call *c = v->c;
    struct key_rows found;
    TRY(keys_tokens(c->pg, c->a, c->who.person_id, &found));
    for (size_t i = 0; i < found.n; i++) {
        const struct key *k = &found.v[i];
        const struct settings_cell cells[SETTINGS_PAGE_COLUMNS] = {
            {.text = k->label},
            {.text = k->prefix},
            {.day = k->created_at},
            {.ago = k->used_at, .text = STR("never")},
            {.day = k->expires_at}};
        settings_page_row(v, &(struct settings_row){.cells = cells,
                                                    .id = k->id,
                                                    .name = k->label});
    }
    return NULL;
}

static const struct err *tokens_save(struct settings_view *v,
                                     const struct json *values)
{
    struct call *c = v->c;
    struct keys_fresh fresh = {.key = {.role = c->who.role,
                                       .reach = REACH_ALL,
                                       .person_id = c->who.person_id}};
    struct key *k = &fresh.key;
    struct sign_in s = {.email = c->who.name, .at = "tokens"};
    struct key_rows found;
    int64_t days = 0;
    TRY(person_key_label(c->a, "label", k->role,
                         json_get_text(values, "label"), &k->label));
    if (str_int(json_get_text(values, "ends"), 1, DAYS_MAX, &days))
        k->expires_at = clock_now() + days * DAY;
    TRY(keys_tokens(c->pg, c->a, c->who.person_id, &found));
    if (found.n == KEYS_TOKENS_MAX)
        return err_at(c->a, ERR_INVALID, "field.value", STR("label"),
                      "You have 20 tokens, which is the most. Revoke one "
                      "first.");
    TRY(sign_in_try(c, json_get_text(values, "password"), &s));
    if (s.result != SIGN_IN_OK)
        return err_at(c->a, ERR_INVALID, "field.value", STR("password"),
                      s.result == SIGN_IN_WRONG
                          ? "This is not your password."
                          : "There were too many attempts. Wait half a minute "
                            "and try again.");
    const struct err *changed =
        people_still(c->pg, c->a, c->who.person_id, s.tried);
    if (changed) {
        v->status = 409;
        return changed;
    }
    v->once = (struct settings_secret){
        .what = "The token",
        .sentence = "Sayso stores only a digest of it. If you lose it, "
                    "revoke it and create a new one.",
        .name = k->label};
    TRY(keys_make_token(c->pg, c->a, &fresh, &v->once.secret));
    SETTINGS_PAGE_LOG(c, "token.make key=%.*s", STR_FMT(k->id));
    return NULL;
}

static const struct err *tokens_revoke(struct settings_view *v)
{
    struct call *c = v->c;
    TRY(keys_revoke_token(c->pg, c->a, v->key, c->who.person_id));
    SETTINGS_PAGE_LOG(c, "token.revoke key=%.*s", STR_FMT(v->key));
    return NULL;
}

static const struct settings_action revoke = {
    .what = "revoke",
    .label = "Revoke",
    .verb = "Revoke the token",
    .sentence = "All requests with this token fail from now on. This cannot "
                "be undone.",
    .none = "Nothing is revoked yet.",
    .act = "Revoke the token",
    .run = tokens_revoke};
static const struct settings_page page = {
    .path = "/settings/tokens",
    .heading = "Tokens",
    .about = "A program that has one of your tokens can do over the API what "
             "you can do. Its answers are recorded under your name.",
    .empty_heading = "No tokens",
    .empty_sentence = "You have no token in use.",
    .noun = "token",
    .gone = {.kind = ERR_NOT_FOUND,
             .code = "key.unknown",
             .say = WIRE("There is no key with this id.")},
    .heads = {"Label", "Starts with", "Created", "Last used", "Expires"},
    .by = "Created",
    .falls = true,
    .row = &revoke,
    .actions = &revoke,
    .actions_n = 1,
    .writers = ROLE_ADMIN | ROLE_OPERATOR | ROLE_AUDITOR | ROLE_USER,
    .form_heading = "New token",
    .form_note = "It is shown once",
    .form_submit = "Create token",
    SETTINGS_FORM_ALL(fields, tokens_fields),
    .save = tokens_save,
    .list = tokens_rows};

const struct err *settings_tokens(struct call *c)
{
    return settings_page_run(c, &page);
}

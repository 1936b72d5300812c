/* Settings: the people who may sign in, adding one, and the page of one: it
 * changes them, sets a new password, and disables the account, which signs it
 * out everywhere; and the groups.
 *
 * An admin adds and changes, an auditor reads. A generated password is shown on
 * a page of its own until it is stored, and never again. */
#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "doors/call/sign_in.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"
#include "store/person/people.h"

#define PATH "/settings/people"
#define PASSWORD_BYTES 12
#define GROUPS_TYPED_MAX 1500

static const struct settings_form_option roles[] = {
    {"operator", "Operator: answers requests"},
    {"admin", "Admin: answers, and manages these settings"},
    {"auditor", "Auditor: reads only"},
    {"user", "User: sees and answers only requests of their own tasks"},
};
static const struct settings_form_option limits[] = {
    {"low", "Low"}, {"medium", "Medium"}, {"high", "High"},
    {"critical", "Critical"},
};
static const struct settings_form_field people_fields[] = {
    {.key = "email", .label = "E-mail", .type = "string", .format = "email",
     .required = true, .fresh = true, .max = PERSON_EMAIL_MAX,
     .help = "Used to sign in. Cannot be changed later"},
    {.key = "name", .label = "Name", .type = "string", .required = true,
     .max = PERSON_NAME_MAX, .help = "Display name"},
    {.key = "role", .label = "Role", .type = "enum", .required = true,
     .initial = "operator", SETTINGS_FORM_ALL(options, roles)},
    {.key = "groups", .label = "Groups", .type = "string",
     .max = GROUPS_TYPED_MAX,
     .help = "Names separated by commas, such as finance, on-call. A request "
             "for a group goes to its members"},
    {.key = "bulk_limit", .label = "Bulk limit", .type = "enum",
     .required = true, .initial = "medium", SETTINGS_FORM_ALL(options, limits),
     .help = "Highest risk for bulk actions"},
};

static void people_log(const struct call *c, const char *what,
                       const struct person *p)
{
    SETTINGS_PAGE_LOG(c,
                      "%s whom=%.*s role=%s groups=\"%.*s\" bulk_limit=%s",
                      what, STR_FMT(p->email), role_word(p->role),
                      STR_FMT(p->groups),
                      vocabulary_severity(p->bulk_limit)->wire.p);
}

/* ---- the form ------------------------------------------------------- */

static struct json *people_values(struct settings_view *v)
{
    const struct person *p = v->thing;
    struct json *values = json_object(v->c->a);
    json_set_text(values, "name", p->name);
    json_set_text(values, "role", str_of(role_word(p->role)));
    json_set_text(values, "groups", settings_page_groups(v->c->a, p->groups));
    json_set_text(values, "bulk_limit",
                  vocabulary_severity(p->bulk_limit)->wire);
    return values;
}

/* A new password that is shown once. ERR_BUSY where memory is short. */
static const struct err *people_once(struct settings_view *v,
                                     const struct person *p, struct str *hash)
{
    v->once = (struct settings_secret){
        .what = "Password",
        .sentence = "Send it over a safe channel. They can choose their own "
                    "password under “Profile”.",
        .name = p->name,
        .secret = crypt_token(v->c->a, PASSWORD_BYTES)};
    return sign_in_hash(v->c, v->once.secret, hash);
}

/* Begins to change the person of the page, and locks them until the end of the
 * transaction. */
static const struct err *people_begin(struct settings_view *v,
                                      struct person_locked *old)
{
    TRY(people_lock(v->c->pg, v->c->a, v->c->param[0], v->c->who.id, old));
    v->thing = &old->person;
    return NULL;
}

/* Writes new where the rules allow it. */
static const struct err *people_become(struct settings_view *v,
                                       const struct person_locked *old,
                                       const struct person *new)
{
    TRY(person_may_become(v->c->a, v->c->who.id, &old->person, new,
                          old->admins));
    return people_update(v->c->pg, v->c->a, new);
}

static const struct err *people_save(struct settings_view *v,
                                     const struct json *values)
{
    struct call *c = v->c;
    struct arena *a = c->a;
    struct person_locked *old = NULL;
    struct person p = {.id = id_new(a), .created_at = clock_now()};
    struct str hash = STR_NONE;
    if (v->thing) {
        old = arena_new(a, struct person_locked);
        TRY(people_begin(v, old));
        p = old->person;
    } else {
        TRY(person_email(a, json_get_text(values, "email"), &p.email));
    }
    TRY(person_name(a, "name", json_get_text(values, "name"), &p.name));
    TRY(person_role(a, json_get_text(values, "role"), &p.role));
    TRY(person_groups(a, json_get_text(values, "groups"), &p.groups));
    TRY(person_bulk_limit(a, json_get_text(values, "bulk_limit"),
                          &p.bulk_limit));
    if (old) {
        TRY(people_become(v, old, &p));
    } else {
        TRY(people_once(v, &p, &hash));
        TRY(people_insert(c->pg, a, &p, hash));
    }
    people_log(c, old ? "person.change" : "person.add", &p);
    return NULL;
}

/* ---- the list ------------------------------------------------------- */

static const struct vocabulary_word *people_state(const struct person *p)
{
    static const struct vocabulary_word disabled = {
        .label = "Disabled", .tone = "high", .icon = "minus"};
    return p->disabled_at ? &disabled : &settings_page_active;
}

static struct str people_limit(struct arena *a, const struct person *p)
{
    if (p->role == ROLE_AUDITOR)
        return STR("none");
    if (p->role == ROLE_USER)
        return STR("no bulk actions");
    return arena_join(a, STR("up to "),
                      vocabulary_severity(p->bulk_limit)->wire);
}

static const struct err *people_rows(struct settings_view *v)
{
    struct call *c = v->c;
    struct arena *a = c->a;
    struct person_rows found;
    /* An e-mail address, which has no space, and the name. */
    const struct str after = request_query(c->rq, "after");
    const bool may = c->who.role == ROLE_ADMIN;
    struct str name = after.p ? after : STR("");
    const struct str email = str_cut(&name, ' ');
    TRY(people_list(c->pg, a, name.p ? name : STR(""), email, &found));
    const bool more = found.n > PEOPLE_PAGE;
    found.n = more ? PEOPLE_PAGE : found.n;
    for (size_t i = 0; i < found.n; i++) {
        const struct person *p = &found.v[i];
        const struct settings_cell cells[SETTINGS_PAGE_COLUMNS] = {
            {.text = p->name,
             .second = p->email,
             .url = may ? page_view_path(a, PATH "/", p->id, "") : STR_NONE},
            {.text = settings_page_role(a, p->role)},
            {.text = p->groups.n ? settings_page_groups(a, p->groups)
                                 : STR("none")},
            {.text = people_limit(a, p)},
            {.ago = p->signed_in_at, .text = STR("never")},
            {.state = people_state(p)}};
        settings_page_row(v, &(struct settings_row){.cells = cells});
    }
    settings_page_pager(v, !after.p,
                        more ? arena_join(a, found.v[found.n - 1].email,
                                          STR(" "), found.v[found.n - 1].name)
                             : STR_NONE);
    if (after.p || more)
        v->summary = STR("");
    return NULL;
}

/* ---- the page of one ------------------------------------------------ */

static const struct err *people_load(struct settings_view *v)
{
    struct person *p = arena_new(v->c->a, struct person);
    TRY(people_get(v->c->pg, v->c->a, v->c->param[0], p));
    v->thing = p;
    v->name = p->name;
    return NULL;
}

static const struct err *people_set_password(struct settings_view *v)
{
    struct call *c = v->c;
    const struct person *p = v->thing;
    struct str hash = STR_NONE;
    if (str_eq(p->id, c->who.id))
        return ERROR(ERR_CONFLICT, "person.self",
                     "Change your own password under “Profile”.");
    TRY(people_once(v, p, &hash));
    TRY(people_password(c->pg, c->a, p->id, hash, STR_NONE));
    people_log(c, "person.password", p);
    v->next = STR(PATH);
    return NULL;
}

/* Disables or enables the account. */
static const struct err *people_shut(struct settings_view *v)
{
    const bool out = str_is(v->what, "disable");
    struct person_locked *old = arena_new(v->c->a, struct person_locked);
    TRY(people_begin(v, old));
    struct person p = old->person;
    p.disabled_at = !out            ? 0
                    : p.disabled_at ? p.disabled_at
                                    : clock_now();
    TRY(settings_form_wrong(v->c->a, &v->form, people_become(v, old, &p)));
    if (!v->form.errors)
        people_log(v->c, out ? "person.disable" : "person.enable", &p);
    return NULL;
}

enum { PASSWORD, DISABLE, ENABLE };
static const struct settings_action actions[] = {
    [PASSWORD] = {.what = "password",
                  .heading = "New password",
                  .about = "Ends the old password, all sessions and all tokens "
                           "of this account. The new password is shown once.",
                  .label = "Reset password",
                  .verb = "Reset the password of",
                  .sentence = "The old password, all sessions and all tokens "
                              "of this account end immediately, for good. "
                              "Unsent input is lost. The new password is "
                              "shown once, to you.",
                  .act = "Reset the password",
                  .run = people_set_password},
    [DISABLE] = {.what = "disable",
                 .heading = "Disable",
                 .about = "Signs the account out everywhere, revokes its "
                          "tokens and blocks sign-in. Past decisions are kept.",
                 .label = "Disable account",
                 .verb = "Disable",
                 .sentence = "The account is signed out everywhere "
                             "immediately, its tokens are revoked for good, "
                             "and it cannot sign in. Requests for this person "
                             "alone stay open. Past decisions are kept. You "
                             "can enable the account again.",
                 .act = "Disable the account",
                 .run = people_shut},
    [ENABLE] = {.what = "enable",
                .heading = "Disabled",
                .about = "Allows sign-in again, with the same password as "
                         "before. Tokens of before stay revoked.",
                .label = "Enable account",
                .run = people_shut}};

static const struct err *people_one(struct settings_view *v)
{
    const struct person *p = v->thing;
    struct json *account = json_object(v->c->a);
    page_view_set_time(account, "signed_in", p->signed_in_at);
    json_set_json(v->view, "state", page_badge(v->c->a, people_state(p)));
    json_set_text(v->view, "kind", p->email);
    page_view_set_time(v->view, "since", p->created_at);
    json_set_json(v->view, "account", account);
    json_set_json(v->view, "endpoint", NULL);
    /* One's own password is changed on the page that asks for the old one. */
    if (str_eq(p->id, v->c->who.id))
        return NULL;
    if (!p->disabled_at)
        settings_page_act(v, &actions[PASSWORD], STR_NONE);
    settings_page_act(v, &actions[p->disabled_at ? ENABLE : DISABLE],
                      STR_NONE);
    return NULL;
}

static const struct settings_page page = {
    .path = PATH,
    .heading = "People",
    .about = "People who can sign in. Changes apply immediately.",
    .empty_heading = "No more people",
    .empty_sentence = "Everybody is on the previous pages.",
    .noun = "account",
    .heads = {"Name", "Role", "Groups", "Bulk limit", "Last sign-in",
              "State"},
    .by = "Name",
    SETTINGS_FORM_ALL(actions, actions),
    .writers = ROLE_ADMIN,
    .form_heading = "New person",
    .form_note = "The password is shown once",
    .form_submit = "Add person",
    SETTINGS_FORM_ALL(fields, people_fields),
    .values = people_values,
    .save = people_save,
    .list = people_rows,
    .load = people_load,
    .one = people_one};

const struct err *settings_people(struct call *c)
{
    return settings_page_run(c, &page);
}

/* ---- groups --------------------------------------------------------- */

/* Their number and their names. */
static struct settings_cell people_members(struct arena *a, int64_t n,
                                           struct str who)
{
    if (n == 0)
        return (struct settings_cell){.text = STR("none")};
    return (struct settings_cell){.text = words_count(a, n), .second = who};
}

static const struct err *people_group_rows(struct settings_view *v)
{
    struct call *c = v->c;
    struct group_rows found;
    TRY(people_groups(c->pg, c->a, &found));
    for (size_t i = 0; i < found.n; i++) {
        const struct group *g = &found.v[i];
        const bool nobody = g->people_n == 0 && g->keys_n == 0;
        const struct settings_cell cells[SETTINGS_PAGE_COLUMNS] = {
            {.text = g->name,
             .second = nobody ? STR("no members who can answer") : STR_NONE},
            people_members(c->a, g->people_n, g->people),
            people_members(c->a, g->keys_n, g->keys),
            {.text = g->open == 0 ? STR("none")
                                  : settings_page_count(c->a, g->open,
                                                        PEOPLE_OPEN_MAX)}};
        settings_page_row(v, &(struct settings_row){.cells = cells});
    }
    if (found.n == 0)
        v->summary = STR("");
    return NULL;
}

static const struct settings_page groups = {
    .path = "/settings/groups",
    .heading = "Groups",
    .about = "Groups exist as long as they have members. Members are set in "
             "the settings of people and keys.",
    .empty_heading = "No groups yet",
    .empty_sentence = "Add a person or a key to a group to create it.",
    .noun = "group",
    .heads = {"Group", "People", "Keys", "Open requests"},
    .by = "Group",
    .list = people_group_rows};

const struct err *settings_people_groups(struct call *c)
{
    return settings_page_run(c, &groups);
}

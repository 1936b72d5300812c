/* Settings: the people who may sign in, and adding one.
 *
 * An admin adds and changes, an auditor reads. A generated password is shown on
 * a page of its own until it is stored, and never again. */
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/people.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "base/log.h"
#include "doors/call/sign_in.h"
#include "doors/pages/settings/secret.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/settings/table.h"
#include "doors/pages/shell/page.h"
#include "store/people.h"

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
static const struct settings_form_field fields[] = {
    {.key = "email", .label = "E-mail", .type = "string", .format = "email",
     .required = true, .fresh = true, .max = PERSON_EMAIL_MAX,
     .help = "Used to sign in. Cannot be changed later"},
    {.key = "name", .label = "Name", .type = "string", .required = true,
     .max = PERSON_NAME_MAX, .help = "Display name"},
    {.key = "role", .label = "Role", .type = "enum", .required = true,
     .options = roles, .options_n = countof(roles), .help = ""},
    {.key = "groups", .label = "Groups", .type = "string",
     .max = GROUPS_TYPED_MAX,
     .help = "Names separated by commas, such as finance, on-call. A request "
             "for a group goes to its members"},
    {.key = "bulk_limit", .label = "Bulk limit",
     .type = "enum", .required = true, .options = limits,
     .options_n = countof(limits),
     .help = "Highest risk for bulk actions"},
};

/* ---- pieces --------------------------------------------------------- */

struct str settings_people_group_names(struct arena *a, struct str groups)
{
    struct buf b = buf_make(a, groups.n * 2 + 1);
    for (size_t i = 0; i < groups.n; i++) {
        buf_put(&b, groups.p[i] == ' ' ? "," : "");
        buf_char(&b, groups.p[i]);
    }
    return b.n ? buf_text(&b) : STR("");
}

const struct vocabulary_word *settings_people_state(const struct person *p)
{
    static const struct vocabulary_word disabled = {
        .label = "Disabled", .tone = "high", .icon = "minus"};
    return p->disabled_at ? &disabled : &settings_page_active;
}

struct str settings_people_url(struct arena *a, struct str id)
{
    return page_view_path(a, PATH "/", id, "");
}

void settings_people_note(const struct call *c, const char *what,
                          const struct person *p)
{
    log_line(LOG_NOTICE,
             "settings by=%.*s did=%s whom=%.*s role=%s groups=\"%.*s\" "
             "bulk_limit=%s",
             STR_FMT(c->who.name), what, STR_FMT(p->email),
             principal_role_word(p->role), STR_FMT(p->groups),
             vocabulary_severity(p->bulk_limit)->wire.p);
}

const struct err *settings_people_once(struct call *c, const struct person *p,
                                       struct str password)
{
    return settings_secret_keep(
        c, &(struct settings_secret){
               .what = "Password",
               .sentence = "Send it over a safe channel. They can choose "
                           "their own password under “Profile”.",
               .name = p->name,
               .secret = password,
               .back = STR(PATH)});
}

const struct err *settings_people_password(struct call *c,
                                           struct str *password,
                                           struct str *hash)
{
    *password = crypt_token(c->a, PASSWORD_BYTES);
    return sign_in_hash(c, *password, hash);
}

/* ---- the form ------------------------------------------------------- */

struct settings_form settings_people_form(struct arena *a,
                                          const struct person *old,
                                          const struct pairs *typed)
{
    struct json *values = json_object(a);
    json_set_text(values, "role",
                  str_of(old ? principal_role_word(old->role) : "operator"));
    json_set_text(
        values, "bulk_limit",
        vocabulary_severity(old ? old->bulk_limit : SEVERITY_MEDIUM)->wire);
    if (old) {
        json_set_text(values, "name", old->name);
        json_set_text(values, "groups",
                      settings_people_group_names(a, old->groups));
    }
    return (struct settings_form){.fields = fields,
                                  .fields_n = countof(fields),
                                  .change = old != NULL,
                                  .values = values,
                                  .typed = typed};
}

static const struct err *judge(struct arena *a, const struct settings_form *s,
                               const struct json *v, struct person *p)
{
    if (!s->change)
        TRY(person_email(a, json_get_text(v, "email"), &p->email));
    TRY(person_name(a, "name", json_get_text(v, "name"), &p->name));
    TRY(person_role(a, json_get_text(v, "role"), &p->role));
    TRY(person_groups(a, json_get_text(v, "groups"), &p->groups));
    return person_bulk_limit(a, json_get_text(v, "bulk_limit"),
                             &p->bulk_limit);
}

bool settings_people_read(struct arena *a, struct settings_form *s,
                          struct person *p)
{
    const struct json *values = settings_form_read(a, s);
    return values && !settings_form_wrong(a, s, judge(a, s, values, p)) &&
           !s->errors;
}

/* ---- the list ------------------------------------------------------- */

static const struct settings_table_words people_words = {
    .path = PATH,
    .title = "People",
    .heading = "People",
    .about = "People who can sign in. Changes apply immediately.",
    .empty_heading = "No more people",
    .empty_sentence = "Everybody is on the previous pages.",
    .heads = {"Name", "Role", "Groups", "Bulk limit", "Last sign-in",
              "State"}};

static struct str role_word(enum role role)
{
    return role == ROLE_ADMIN     ? STR("Admin")
           : role == ROLE_AUDITOR ? STR("Auditor")
           : role == ROLE_USER    ? STR("User")
                                  : STR("Operator");
}

static struct str limit_words(struct arena *a, const struct person *p)
{
    if (p->role == ROLE_AUDITOR)
        return STR("none");
    if (p->role == ROLE_USER)
        return STR("no bulk actions");
    return arena_join(a, STR("up to "),
                      vocabulary_severity(p->bulk_limit)->wire);
}

static void add_person(struct settings_table *r, const struct person *p)
{
    struct arena *a = r->c->a;
    const bool may = r->c->who.role == ROLE_ADMIN;
    const struct str groups = settings_people_group_names(a, p->groups);
    settings_table_row(r);
    settings_table_text(r, p->name, p->email,
                        may ? settings_people_url(a, p->id) : STR(""));
    settings_table_text(r, role_word(p->role), STR_NONE, STR(""));
    settings_table_text(r, groups.n ? groups : STR("none"), STR_NONE, STR(""));
    settings_table_text(r, limit_words(a, p), STR_NONE, STR(""));
    settings_table_ago(r, p->signed_in_at, "never");
    settings_table_state(r, settings_people_state(p));
}

static const struct err *people_show(struct call *c, int status,
                                     const struct settings_form *s)
{
    struct settings_table r = settings_table(c, &people_words);
    struct person_rows found;
    const struct str after = request_query(c->rq, "after");
    TRY(people_list(c->pg, c->a, after.p ? after : STR(""), &found));
    const bool more = found.n > PEOPLE_PAGE;
    found.n = more ? PEOPLE_PAGE : found.n;
    for (size_t i = 0; i < found.n; i++)
        add_person(&r, &found.v[i]);
    settings_table_pager(&r, !after.p,
                         more ? found.v[found.n - 1].email : STR_NONE);
    if (c->who.role == ROLE_ADMIN)
        settings_form_view(
            &r.v, r.view, s,
            &(struct settings_form_words){
                .heading = "New person",
                .note = "The password is shown once after you save",
                .submit = "Add person",
                .url = STR(PATH)});
    return settings_table_show(
        &r, status,
        after.p || more ? STR("")
                        : words_many(c->a, (int64_t)found.n, "account"));
}

const struct err *settings_people(struct call *c)
{
    const struct settings_form s = settings_people_form(c->a, NULL, NULL);
    return people_show(c, 200, &s);
}

const struct err *settings_people_post(struct call *c)
{
    struct pairs typed;
    struct str password, hash;
    struct person p = {.id = id_new(c->a), .created_at = clock_now()};
    TRY(page_form(c, &typed));
    struct settings_form s = settings_people_form(c->a, NULL, &typed);
    if (settings_people_read(c->a, &s, &p)) {
        TRY(settings_people_password(c, &password, &hash));
        TRY(settings_form_wrong(c->a, &s,
                                people_insert(c->pg, c->a, &p, hash)));
    }
    if (s.errors)
        return people_show(c, 422, &s);
    settings_people_note(c, "person.add", &p);
    return settings_people_once(c, &p, password);
}

/* ---- groups --------------------------------------------------------- */

static const struct settings_table_words groups_words = {
    .path = "/settings/groups",
    .title = "Groups",
    .heading = "Groups",
    .about = "Groups exist as long as they have members. Members are set in "
             "the settings of people and keys.",
    .empty_heading = "No groups yet",
    .empty_sentence = "Add a person or a key to a group to create it.",
    .heads = {"Group", "People", "Keys", "Open requests"}};

/* Their number and their names. */
static void add_members(struct settings_table *r, int64_t n, struct str who)
{
    if (n == 0)
        settings_table_text(r, STR("none"), STR_NONE, STR(""));
    else
        settings_table_text(r, words_count(r->c->a, n), who, STR(""));
}

static void add_group(struct settings_table *r, const struct group *g)
{
    const bool nobody = g->people_n == 0 && g->keys_n == 0;
    settings_table_row(r);
    settings_table_text(r, g->name,
                        nobody ? STR("no members who can answer") : STR_NONE,
                        STR(""));
    add_members(r, g->people_n, g->people);
    add_members(r, g->keys_n, g->keys);
    settings_table_text(
        r,
        g->open == 0 ? STR("none")
                     : settings_page_count(r->c->a, g->open, PEOPLE_OPEN_MAX),
        STR_NONE, STR(""));
}

const struct err *settings_people_groups(struct call *c)
{
    struct settings_table r = settings_table(c, &groups_words);
    struct group_rows found;
    TRY(people_groups(c->pg, c->a, &found));
    for (size_t i = 0; i < found.n; i++)
        add_group(&r, &found.v[i]);
    return settings_table_show(
        &r, 200,
        found.n ? words_many(c->a, (int64_t)found.n, "group") : STR(""));
}

/* Settings: API keys. Creating one, which is shown only on the page that
 * answers; and the page of one, which revokes it and sets its reach.
 *
 * An admin creates and revokes, an auditor reads. */
#include "base/clock.h"
#include "base/log.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/people.h"
#include "doors/pages/settings/secret.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/settings/table.h"
#include "doors/pages/shell/page.h"
#include "store/keys.h"
#include "store/principals.h"

#define PATH "/settings/keys"
#define DAY (INT64_C(86400) * CLOCK_SECOND)
#define SOON (14 * DAY)
#define AGENTS_TYPED_MAX 4000
#define GROUPS_TYPED_MAX 1500

static const struct settings_form_option roles[] = {
    {"agent", "Agent: sends requests"},
    {"operator", "Operator: answers requests"},
    {"admin", "Admin: also manages endpoints and releases leases"},
    {"auditor", "Auditor: reads only"},
};
static const struct settings_form_option reaches[] = {
    {"own", "Own tasks: created, owned, assigned or leased"},
    {"all", "All tasks"},
};
static const struct settings_form_option floors[] = {
    {"none", "As stated by the agent"}, {"low", "Low"}, {"medium", "Medium"},
    {"high", "High"}, {"critical", "Critical"},
};
static const struct settings_form_option ends[] = {
    {"30", "In 30 days"}, {"90", "In 90 days"},
    {"365", "In a year"}, {"0", "Never"},
};
static const struct settings_form_field fields[] = {
    {.key = "label", .label = "Label", .type = "string", .required = true,
     .max = PERSON_NAME_MAX, .help = "Name of the program that uses it"},
    {.key = "role", .label = "Role", .type = "enum", .required = true,
     .options = roles, .options_n = countof(roles), .help = ""},
    {.key = "agents", .label = "Agents", .type = "string",
     .max = AGENTS_TYPED_MAX,
     .help = "Agent keys only. Agent names, separated by commas. * = any "
             "agent"},
    {.key = "reach", .label = "Task access", .type = "enum",
     .required = true, .options = reaches, .options_n = countof(reaches),
     .help = "Agent keys only. A key for any agent always has access to all"},
    {.key = "floor", .label = "Minimum risk", .type = "enum",
     .required = true, .options = floors, .options_n = countof(floors),
     .help = "Agent keys only. Requests have at least this risk"},
    {.key = "by", .label = "Decided by", .type = "string",
     .max = PRINCIPAL_BY_MAX,
     .help = "Agent keys only. operators, group:NAME, or initiator (the "
             "person who started the task, proven). Empty: as the agent "
             "asks"},
    {.key = "groups", .label = "Groups", .type = "string",
     .max = GROUPS_TYPED_MAX,
     .help = "Operator and admin keys only. Group names, separated by commas"},
    {.key = "ends", .label = "Expires", .type = "enum", .required = true,
     .options = ends, .options_n = countof(ends), .help = ""},
};

/* ---- reading typed values --------------------------------------------- */

static const struct err *wrong(struct arena *a, const char *key,
                               const char *say)
{
    return err_at(a, ERR_INVALID, "field.value", str_of(key), "%s", say);
}

static const struct err *read_agents(struct arena *a, struct str typed,
                                     struct keys_fresh *k)
{
    struct str *v = arena_many(a, PRINCIPAL_AGENTS_MAX, struct str);
    struct str rest = typed;
    while (rest.p) {
        const struct str name = str_trim(str_cut(&rest, ','));
        if (name.n == 0)
            continue;
        if (k->agents_n == PRINCIPAL_AGENTS_MAX)
            return wrong(a, "agents", "At most 64 agents.");
        if (!str_is(name, "*") && !principal_agent_name_new(name))
            return wrong(a, "agents",
                         "An agent's name has 1 to 120 characters, and no "
                         "space, slash or @.");
        v[k->agents_n++] = name;
    }
    k->agents = v;
    if (k->key.role == ROLE_AGENT && k->agents_n == 0)
        return wrong(a, "agents", "Enter at least one agent.");
    return k->key.role != ROLE_AGENT && k->agents_n > 0
               ? wrong(a, "agents", "Only agent keys have agents.")
               : NULL;
}

/* A name belongs to real keys or to test keys, which are made elsewhere. */
static const struct err *check_names(struct call *c, const struct keys_fresh *k)
{
    struct str taken = STR_NONE;
    TRY(principals_apart(c->pg, c->a, k->agents, k->agents_n, false, &taken));
    return taken.p ? err_at(c->a, ERR_INVALID, "field.value", STR("agents"),
                            "A test key has this name: %.*s. Use another name.",
                            STR_FMT(taken))
                   : NULL;
}

static const struct err *judge(struct call *c, const struct json *v,
                               struct keys_fresh *k)
{
    struct arena *a = c->a;
    int64_t days = 0;
    k->key.role = principal_role(json_get_text(v, "role"));
    TRY(person_key_label(a, "label", k->key.role, json_get_text(v, "label"),
                         &k->key.label));
    TRY(read_agents(a, json_get_text(v, "agents"), k));
    if (!reach_choose(json_get_text(v, "reach"), k->agents, k->agents_n,
                      &k->key.reach))
        k->key.reach = REACH_ALL; /* a key of any agent, or of none */
    TRY(person_groups(a, json_get_text(v, "groups"), &k->key.groups));
    k->key.terms.floor = vocabulary_severity_of(
        vocabulary_of_key(json_get_text(v, "floor")));
    if (k->key.terms.floor != SEVERITY_UNSAID && k->key.role != ROLE_AGENT)
        return wrong(a, "floor", "Only agent keys have a minimum risk.");
    if (!principal_by(str_trim(json_get_text(v, "by")), &k->key.terms.by))
        return wrong(a, "by", "Enter " PRINCIPAL_BY_WORDS ".");
    if (k->key.terms.by.who != DECIDER_ANY && k->key.role != ROLE_AGENT)
        return wrong(a, "by", "Only agent keys say who decides.");
    if (k->key.groups.p && k->key.role != ROLE_OPERATOR &&
        k->key.role != ROLE_ADMIN)
        return wrong(a, "groups", "Only operator and admin keys have groups.");
    if (str_int(json_get_text(v, "ends"), 1, 365, &days))
        k->key.expires_at = clock_now() + days * DAY;
    return check_names(c, k);
}

static struct settings_form form_of(struct arena *a, const struct pairs *typed)
{
    struct json *values = json_object(a);
    json_set_text(values, "role", STR("agent"));
    json_set_text(values, "reach", str_of(reach_word(REACH_OWN)));
    json_set_text(values, "floor", STR("none"));
    json_set_text(values, "ends", STR("90"));
    return (struct settings_form){.fields = fields,
                                  .fields_n = countof(fields),
                                  .values = values,
                                  .typed = typed};
}

/* ---- the list ------------------------------------------------------- */

static const struct settings_table_words words = {
    .path = PATH,
    .title = "Keys",
    .heading = "Keys",
    .about = "API keys of programs. Sayso stores only a hash, so a key "
             "cannot be shown again.",
    .empty_heading = "No keys yet",
    .empty_sentence = "Create a key below or with “sayso key create”.",
    .heads = {"Label", "Role", "Starts with", "Created", "Last used",
              "Expires", "State"},
    .acts = "Revoke"};

static bool in_use(const struct key *k, int64_t now)
{
    return !k->revoked_at && (!k->expires_at || k->expires_at > now);
}

/* The agents that it acts as, or the groups that it is in. */
static struct str second(struct arena *a, const struct key *k)
{
    struct buf b = buf_make(a, k->agents.n + k->groups.n * 2 + 64);
    if (k->agents.n > 0) {
        const bool any = str_is(k->agents, "*");
        buf_str(&b, any ? STR("any agent") : k->agents);
        buf_put(&b, k->reach == REACH_ALL && !any ? "; all tasks" : "");
        buf_put(&b, k->test ? "; for tests" : "");
        return buf_text(&b);
    }
    if (!k->groups.p)
        return STR_NONE;
    buf_put(&b, "in ");
    buf_str(&b, settings_people_group_names(a, k->groups));
    return buf_text(&b);
}

/* "12 days left", for one that expires soon. */
static struct str left(const struct settings_table *r, const struct key *k)
{
    if (!k->expires_at || k->expires_at - r->v.now > SOON)
        return STR_NONE;
    return arena_join(r->c->a, words_span(r->c->a, k->expires_at - r->v.now),
                      STR(" left"));
}

static void add_row(struct settings_table *r, const struct key *k)
{
    struct arena *a = r->c->a;
    struct buf about = buf_make(a, 1024);
    const bool used = in_use(k, r->v.now);
    static const struct vocabulary_word revoked = {
        .label = "Revoked", .tone = "plain", .icon = "cross"};
    static const struct vocabulary_word expired = {
        .label = "Expired", .tone = "plain", .icon = "clock"};
    settings_table_row(r);
    settings_table_text(r, k->label, second(a, k), STR(""));
    settings_table_text(r, str_of(principal_role_word(k->role)), STR_NONE,
                        STR(""));
    settings_table_text(r, k->prefix, STR_NONE, STR(""));
    settings_table_day(r, k->created_at, "", STR_NONE);
    settings_table_ago(r, k->used_at, "never");
    settings_table_day(r, k->revoked_at ? k->revoked_at : k->expires_at,
                       "never", used ? left(r, k) : STR_NONE);
    settings_table_state(r, k->revoked_at ? &revoked
                            : used        ? &settings_page_active
                                          : &expired);
    buf_put(&about, "Revoke ");
    buf_str(&about, words_name(a, k->label));
    if (used && r->c->who.role == ROLE_ADMIN)
        settings_table_act(r,
                           &(struct settings_table_act){
                               .label = "Revoke",
                               .about = buf_text(&about),
                               .url = page_view_path(a, PATH "/", k->id, "")});
}

static const struct err *set_rows(struct settings_table *r)
{
    struct call *c = r->c;
    struct key_rows found;
    struct key after;
    const struct str id = request_query(c->rq, "after");
    if (id.p)
        TRY(keys_get(c->pg, c->a, id, &after));
    TRY(keys_list(c->pg, c->a, id.p ? &after : NULL, &found));
    const bool more = found.n > KEYS_PAGE;
    found.n = more ? KEYS_PAGE : found.n;
    for (size_t i = 0; i < found.n; i++)
        add_row(r, &found.v[i]);
    settings_table_pager(r, !id.p,
                         more ? found.v[found.n - 1].id : STR_NONE);
    return NULL;
}

static const struct err *keys_show(struct call *c, int status,
                                   const struct settings_form *s)
{
    struct settings_table r = settings_table(c, &words);
    TRY(set_rows(&r));
    if (c->who.role == ROLE_ADMIN)
        settings_form_view(&r.v, r.view, s,
                           &(struct settings_form_words){
                               .heading = "New key",
                               .note = "The key is shown once after you save",
                               .submit = "Create key",
                               .url = STR(PATH)});
    return settings_table_show(&r, status, STR(""));
}

const struct err *settings_keys(struct call *c)
{
    const struct settings_form s = form_of(c->a, NULL);
    return keys_show(c, 200, &s);
}

static void note(const struct call *c, const char *what, const struct key *k)
{
    log_line(LOG_NOTICE,
             "settings by=%.*s did=%s key=%.*s label=\"%.*s\" role=%s "
             "groups=\"%.*s\" reach=%s",
             STR_FMT(c->who.name), what, STR_FMT(k->id), STR_FMT(k->label),
             principal_role_word(k->role), STR_FMT(k->groups),
             reach_word(k->reach));
}

const struct err *settings_keys_post(struct call *c)
{
    struct pairs typed;
    struct str text;
    struct keys_fresh fresh = {.agents_n = 0};
    TRY(page_form(c, &typed));
    struct settings_form s = form_of(c->a, &typed);
    const struct json *values = settings_form_read(c->a, &s);
    if (values)
        TRY(settings_form_wrong(c->a, &s, judge(c, values, &fresh)));
    if (s.errors)
        return keys_show(c, 422, &s);
    TRY(keys_make(c->pg, c->a, &fresh, &text));
    note(c, "key.make", &fresh.key);
    return settings_secret_keep(
        c, &(struct settings_secret){
               .what = "Key",
               .sentence = "Sayso stores only a hash. If you lose the key, "
                           "revoke it and create a new one.",
               .name = fresh.key.label,
               .secret = text,
               .back = STR(PATH)});
}

/* ---- the terms of its questions --------------------------------------- */

/* {url, by, options[] of word, label, here} */
static struct json *terms_view(struct arena *a, const struct key *k)
{
    struct json *o = json_object(a), *list = json_array(a);
    const struct str now = vocabulary_key(vocabulary_severity(k->terms.floor));
    if (k->role != ROLE_AGENT)
        return NULL;
    for (size_t i = 0; i < countof(floors); i++) {
        struct json *one = json_object(a);
        json_set_text(one, "word", str_of(floors[i].value));
        json_set_text(one, "label", str_of(floors[i].label));
        json_set_bool(one, "here", str_is(now, floors[i].value));
        json_add_json(list, one);
    }
    const struct str by = principal_by_text(a, &k->terms.by);
    json_set_text(o, "by", by.p ? by : STR(""));
    json_set_json(o, "options", list);
    json_set_text(o, "url", page_view_path(a, PATH "/", k->id, "/floor"));
    return o;
}

const struct err *settings_keys_floor_post(struct call *c)
{
    struct pairs typed;
    struct key k;
    TRY(page_form(c, &typed));
    const struct str word = pairs_get(typed, "floor");
    struct terms terms = {
        .floor = vocabulary_severity_of(vocabulary_of_key(word))};
    if (!word.p || terms.floor == SEVERITY__MAX ||
        !principal_by(str_trim(pairs_get(typed, "by")), &terms.by))
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "This form is not valid. Reload the page.");
    TRY(keys_get(c->pg, c->a, c->param[0], &k));
    if (k.role != ROLE_AGENT || k.revoked_at)
        return ERROR(ERR_CONFLICT, "key.ended",
                     "Only active agent keys have these settings.");
    TRY(keys_terms(c->pg, c->a, k.id, &terms));
    const struct str by = principal_by_text(c->a, &terms.by);
    log_line(LOG_NOTICE,
             "settings by=%.*s did=key.floor key=%.*s label=\"%.*s\" "
             "severity_floor=%s decides=%.*s",
             STR_FMT(c->who.name), STR_FMT(k.id), STR_FMT(k.label),
             vocabulary_key(vocabulary_severity(terms.floor)).p, STR_FMT(by));
    response_see_other(c->rs, page_view_path(c->a, PATH "/", k.id, ""));
    return NULL;
}

/* ---- one key -------------------------------------------------------- */

/* May an admin choose its reach? */
static bool kept_apart(const struct key *k)
{
    enum reach own = REACH_ALL;
    struct str names[PRINCIPAL_AGENTS_MAX], rest = k->agents;
    size_t n = 0;
    while (k->agents.n > 0 && rest.p && n < countof(names))
        names[n++] = str_trim(str_cut(&rest, ','));
    return reach_choose(STR_NONE, names, n, &own) && own == REACH_OWN;
}

const struct err *settings_keys_one(struct call *c)
{
    struct key k;
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a);
    TRY(keys_get(c->pg, c->a, c->param[0], &k));
    json_set_text(view, "name", k.label);
    json_set_text(view, "prefix", k.prefix);
    json_set_text(view, "role", str_of(principal_role_word(k.role)));
    json_set_text(view, "does", second(c->a, &k));
    page_view_set_time(view, "since", k.created_at);
    page_view_set_time(view, "used", k.used_at);
    json_set_bool(view, "in_use", in_use(&k, v.now));
    json_set_bool(view, "reach_set", kept_apart(&k));
    json_set_bool(view, "reach_all", k.reach == REACH_ALL);
    json_set_json(view, "floor", terms_view(c->a, &k));
    json_set_text(view, "url", page_view_path(c->a, PATH "/", k.id, ""));
    const struct str title =
        words_name(c->a, words_plain(c->a, k.label, PAGE_VIEW_TAB));
    return page_render(c, 200, "key", arena_z(c->a, title), view);
}

static const struct err *revoke(struct call *c, const struct key *k)
{
    TRY(keys_revoke(c->pg, c->a, k->id));
    note(c, "key.revoke", k);
    response_see_other(c->rs, STR(PATH));
    return NULL;
}

static const struct err *set_reach(struct call *c, struct key *k,
                                   enum reach reach)
{
    bool done = false;
    TRY(keys_reach(c->pg, c->a, k->id, reach, &done));
    if (!done)
        return ERROR(ERR_CONFLICT, "key.reach",
                     "The task access of this key cannot be changed. The key "
                     "is not active, or it always has access to all tasks.");
    k->reach = reach;
    note(c, "key.reach", k);
    response_see_other(c->rs, page_view_path(c->a, PATH "/", k->id, ""));
    return NULL;
}

const struct err *settings_keys_act(struct call *c)
{
    struct pairs typed;
    struct key k;
    TRY(page_form(c, &typed));
    TRY(keys_get(c->pg, c->a, c->param[0], &k));
    const struct str what = pairs_get(typed, "do");
    const enum reach reach = reach_of(what);
    if (str_is(what, "revoke"))
        return revoke(c, &k);
    if (reach == REACH__MAX)
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "This form is not valid. Reload the page.");
    return set_reach(c, &k, reach);
}

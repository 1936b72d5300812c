/* Settings: API keys. Creating one, which is shown only on the page that
 * answers; and the page of one, which revokes it and sets its reach.
 *
 * An admin creates and revokes, an auditor reads. */
#include "base/clock.h"
#include "domain/intent/person.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/shell/page.h"
#include "store/person/keys.h"

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
static const struct settings_form_field keys_fields[] = {
    {.key = "label", .label = "Label", .type = "string", .required = true,
     .max = PERSON_NAME_MAX, .help = "Name of the program that uses it"},
    {.key = "role", .label = "Role", .type = "enum", .required = true,
     .initial = "agent", SETTINGS_FORM_ALL(options, roles)},
    {.key = "agents", .label = "Agents", .type = "string",
     .max = AGENTS_TYPED_MAX,
     .help = "Agent keys only. Agent names, separated by commas. * = any "
             "agent"},
    {.key = "reach", .label = "Task access", .type = "enum",
     .required = true, .initial = "own", SETTINGS_FORM_ALL(options, reaches),
     .help = "Agent keys only. A key for any agent always has access to all"},
    {.key = "floor", .label = "Minimum risk", .type = "enum",
     .required = true, .initial = "none", SETTINGS_FORM_ALL(options, floors),
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
     .initial = "90", SETTINGS_FORM_ALL(options, ends)},
};

/* ---- creating one ---------------------------------------------------- */

static const struct err *keys_wrong(struct arena *a, const char *key,
                                    const char *say)
{
    return err_at(a, ERR_INVALID, "field.value", str_of(key), "%s", say);
}

static const struct err *keys_read_agents(struct arena *a, struct str typed,
                                          struct keys_fresh *k)
{
    struct str *v = arena_many(a, PRINCIPAL_AGENTS_MAX, struct str);
    struct str rest = typed;
    while (rest.p) {
        const struct str name = str_trim(str_cut(&rest, ','));
        if (name.n == 0)
            continue;
        if (k->agents_n == PRINCIPAL_AGENTS_MAX)
            return keys_wrong(a, "agents", "At most 64 agents.");
        if (!str_is(name, "*") && !principal_agent_name_new(name))
            return keys_wrong(a, "agents",
                              "An agent's name has 1 to 120 characters, and no "
                              "space, slash or @.");
        v[k->agents_n++] = name;
    }
    k->agents = v;
    if (k->key.role == ROLE_AGENT && k->agents_n == 0)
        return keys_wrong(a, "agents", "Enter at least one agent.");
    return k->key.role != ROLE_AGENT && k->agents_n > 0
               ? keys_wrong(a, "agents", "Only agent keys have agents.")
               : NULL;
}

/* Reads the valid values of the form into *k. */
static const struct err *keys_read(struct call *c, const struct json *v,
                                   struct keys_fresh *k)
{
    struct arena *a = c->a;
    struct str taken = STR_NONE;
    int64_t days = 0;
    k->key.role = role_of(json_get_text(v, "role"));
    TRY(person_key_label(a, "label", k->key.role, json_get_text(v, "label"),
                         &k->key.label));
    TRY(keys_read_agents(a, json_get_text(v, "agents"), k));
    if (!reach_choose(json_get_text(v, "reach"), k->agents, k->agents_n,
                      &k->key.reach))
        k->key.reach = REACH_ALL; /* a key of any agent, or of none */
    TRY(person_groups(a, json_get_text(v, "groups"), &k->key.groups));
    k->key.terms.floor = vocabulary_severity_of(
        vocabulary_of_key(json_get_text(v, "floor")));
    if (k->key.terms.floor != SEVERITY_UNSAID && k->key.role != ROLE_AGENT)
        return keys_wrong(a, "floor", "Only agent keys have a minimum risk.");
    if (!principal_by(str_trim(json_get_text(v, "by")), &k->key.terms.by))
        return keys_wrong(a, "by", "Enter " PRINCIPAL_BY_WORDS ".");
    if (k->key.terms.by.who != DECIDER_ANY && k->key.role != ROLE_AGENT)
        return keys_wrong(a, "by", "Only agent keys say who decides.");
    if (k->key.groups.p && k->key.role != ROLE_OPERATOR &&
        k->key.role != ROLE_ADMIN)
        return keys_wrong(a, "groups",
                          "Only operator and admin keys have groups.");
    if (str_int(json_get_text(v, "ends"), 1, 365, &days))
        k->key.expires_at = clock_now() + days * DAY;
    /* A name belongs to real keys or to test keys, which are made
     * elsewhere. */
    TRY(keys_apart(c->pg, a, k->agents, k->agents_n, false, &taken));
    return taken.p ? err_at(a, ERR_INVALID, "field.value", STR("agents"),
                            "A test key has this name: %.*s. Use another name.",
                            STR_FMT(taken))
                   : NULL;
}

static void keys_log(const struct call *c, const char *what,
                     const struct key *k)
{
    SETTINGS_PAGE_LOG(c,
                      "%s key=%.*s label=\"%.*s\" role=%s groups=\"%.*s\" "
                      "reach=%s",
                      what, STR_FMT(k->id), STR_FMT(k->label),
                      role_word(k->role), STR_FMT(k->groups),
                      vocabulary_reach(k->reach)->wire.p);
}

static const struct err *keys_save(struct settings_view *v,
                                   const struct json *values)
{
    struct call *c = v->c;
    struct keys_fresh fresh = {.agents_n = 0};
    TRY(keys_read(c, values, &fresh));
    v->once = (struct settings_secret){
        .what = "Key",
        .sentence = "Sayso stores only a hash. If you lose the key, revoke it "
                    "and create a new one.",
        .name = fresh.key.label};
    TRY(keys_make(c->pg, c->a, &fresh, &v->once.secret));
    keys_log(c, "key.make", &fresh.key);
    return NULL;
}

/* ---- the list ------------------------------------------------------- */

static bool keys_in_use(const struct key *k, int64_t now)
{
    return !k->revoked_at && (!k->expires_at || k->expires_at > now);
}

/* The agents that it acts as, or the groups that it is in. */
static struct str keys_acts_as(struct arena *a, const struct key *k)
{
    const bool any = str_is(k->agents, "*");
    if (k->agents.n > 0)
        return arena_join(a, any ? STR("any agent") : k->agents,
                          k->reach == REACH_ALL && !any ? STR("; all tasks")
                                                        : STR(""),
                          k->test ? STR("; for tests") : STR(""));
    return k->groups.p ? arena_join(a, STR("in "),
                                    settings_page_groups(a, k->groups))
                       : STR_NONE;
}

static void keys_row(struct settings_view *v, const struct key *k)
{
    static const struct vocabulary_word
        revoked = {.label = "Revoked", .tone = "plain", .icon = "cross"},
        expired = {.label = "Expired", .tone = "plain", .icon = "clock"};
    struct arena *a = v->c->a;
    const bool used = keys_in_use(k, v->page.now);
    const int64_t left = k->expires_at - v->page.now;
    const struct settings_cell cells[SETTINGS_PAGE_COLUMNS] = {
        {.text = k->label,
         .second = arena_join(a, k->prefix, STR("…")),
         .url = used && v->c->who.role == ROLE_ADMIN
                    ? page_view_path(a, PATH "/", k->id, "")
                    : STR_NONE},
        {.text = settings_page_role(a, k->role),
         .second = keys_acts_as(a, k)},
        {.day = k->created_at},
        {.ago = k->used_at, .text = STR("never")},
        {.day = k->revoked_at ? k->revoked_at : k->expires_at,
         .text = STR("never"),
         .second = used && k->expires_at && left <= SOON
                       ? arena_join(a, words_span(a, left), STR(" left"))
                       : STR_NONE,
         .state = k->revoked_at ? &revoked
                  : used        ? NULL
                                : &expired}};
    settings_page_row(v, &(struct settings_row){.cells = cells});
}

static const struct err *keys_rows(struct settings_view *v)
{
    struct call *c = v->c;
    struct key_rows found;
    struct key after;
    const struct str id = request_query(c->rq, "after");
    if (id.p)
        TRY(keys_get(c->pg, c->a, id, &after));
    TRY(keys_list(c->pg, c->a, id.p ? &after : NULL, &found));
    const bool more = found.n > KEYS_PAGE;
    found.n = more ? KEYS_PAGE : found.n;
    for (size_t i = 0; i < found.n; i++)
        keys_row(v, &found.v[i]);
    settings_page_pager(v, !id.p, more ? found.v[found.n - 1].id : STR_NONE);
    return NULL;
}

/* ---- one key -------------------------------------------------------- */

static const struct err *keys_load(struct settings_view *v)
{
    struct call *c = v->c;
    struct key *k = arena_new(c->a, struct key);
    TRY(keys_get(c->pg, c->a, c->param[0], k));
    v->thing = k;
    v->name = k->label;
    return NULL;
}

/* The terms of its questions: {by, options[] of word, label, here}. */
static struct json *keys_terms_view(struct arena *a, const struct key *k)
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
    json_set_text(o, "by", principal_by_text(a, &k->terms.by));
    json_set_json(o, "options", list);
    return o;
}

static const struct err *keys_one(struct settings_view *v)
{
    const struct key *k = v->thing;
    struct arena *a = v->c->a;
    const bool used = keys_in_use(k, v->page.now);
    /* An admin may choose the reach of a key that names its agents. */
    enum reach reach = REACH_ALL;
    struct str names[PRINCIPAL_AGENTS_MAX], rest = k->agents;
    size_t n = 0;
    while (k->agents.n > 0 && rest.p && n < countof(names))
        names[n++] = str_trim(str_cut(&rest, ','));
    json_set_text(v->view, "prefix", k->prefix);
    json_set_text(v->view, "role", settings_page_role(a, k->role));
    json_set_text(v->view, "does", keys_acts_as(a, k));
    page_view_set_time(v->view, "since", k->created_at);
    page_view_set_time(v->view, "used", k->used_at);
    json_set_bool(v->view, "in_use", used);
    json_set_bool(v->view, "reach_set",
                  reach_choose(STR_NONE, names, n, &reach) &&
                      reach == REACH_OWN);
    json_set_bool(v->view, "reach_all", k->reach == REACH_ALL);
    json_set_json(v->view, "floor", keys_terms_view(a, k));
    v->back = STR(PATH);
    if (used)
        settings_page_ask(v, v->of->actions, k->label, STR_NONE);
    return NULL;
}

static const struct err *keys_end(struct settings_view *v)
{
    const struct key *k = v->thing;
    TRY(keys_revoke(v->c->pg, v->c->a, k->id));
    keys_log(v->c, "key.revoke", k);
    v->next = STR(PATH);
    return NULL;
}

static const struct err *keys_set_reach(struct settings_view *v)
{
    struct key *k = v->thing;
    bool done = false;
    k->reach = vocabulary_reach_of(v->what);
    TRY(keys_reach(v->c->pg, v->c->a, k->id, k->reach, &done));
    if (!done)
        return ERROR(ERR_CONFLICT, "key.reach",
                     "The task access of this key cannot be changed. The key "
                     "is not active, or it always has access to all tasks.");
    keys_log(v->c, "key.reach", k);
    return NULL;
}

static const struct settings_action actions[] = {
    {.what = "revoke",
     .label = "Revoke",
     .verb = "Revoke",
     .sentence = "All calls with this key fail immediately, and its streams "
                 "end. This cannot be undone. The history of the key is kept.",
     .none = "Not revoked yet.",
     .act = "Revoke the key",
     .run = keys_end},
    {.what = "own", .run = keys_set_reach},
    {.what = "all", .run = keys_set_reach}};

static const struct settings_page page = {
    .path = PATH,
    .heading = "API keys",
    .about = "API keys of programs. Sayso stores only a hash, so a key "
             "cannot be shown again.",
    .reference = "/docs/api",
    .empty_heading = "No keys yet",
    .empty_sentence = "Create one here or with “sayso key create”.",
    .noun = "key",
    .heads = {"Label", "Role", "Created", "Last used", "Expires"},
    .by = "Created",
    .falls = true,
    SETTINGS_FORM_ALL(actions, actions),
    .writers = ROLE_ADMIN,
    .one_template = "key",
    .form_heading = "New key",
    .form_note = "The key is shown once",
    .form_submit = "Create key",
    SETTINGS_FORM_ALL(fields, keys_fields),
    .fixed = true,
    .save = keys_save,
    .list = keys_rows,
    .load = keys_load,
    .one = keys_one};

const struct err *settings_keys(struct call *c)
{
    return settings_page_run(c, &page);
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
        return settings_page_bad();
    TRY(keys_get(c->pg, c->a, c->param[0], &k));
    if (k.role != ROLE_AGENT || k.revoked_at)
        return ERROR(ERR_CONFLICT, "key.ended",
                     "Only active agent keys have these settings.");
    TRY(keys_terms(c->pg, c->a, k.id, &terms));
    const struct str by = principal_by_text(c->a, &terms.by);
    SETTINGS_PAGE_LOG(c,
                      "key.floor key=%.*s label=\"%.*s\" severity_floor=%s "
                      "decides=%.*s",
                      STR_FMT(k.id), STR_FMT(k.label),
                      vocabulary_key(vocabulary_severity(terms.floor)).p,
                      STR_FMT(by));
    response_see_other(c->rs, page_view_path(c->a, PATH "/", k.id, ""));
    return NULL;
}

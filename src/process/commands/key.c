/* `sayso key`: makes, lists and revokes API keys. A key is shown once, when it
 * is made; only its digest is kept. */
#include <stdio.h>

#include "base/clock.h"
#include "base/id.h"
#include "domain/intent/person.h"
#include "domain/intent/reach.h"
#include "domain/question/retry.h"
#include "process/commands/commands.h"
#include "store/person/keys.h"
#include "store/sql.gen.h"

/* Of a policy, in bytes; enough for a ladder of ten steps. Each worker caches
 * keys. */
#define POLICY_MAX 1500

struct wanted {
    struct key key;
    struct str agents[PRINCIPAL_AGENTS_MAX];
    size_t n;
    struct str retry_policy; /* p NULL: none */
};

static bool key_read_agents(const struct command *c, struct wanted *w)
{
    for (;; w->n++) {
        const struct str name = command_option(c, "--agent", w->n);
        if (!name.p)
            break;
        if (w->n >= PRINCIPAL_AGENTS_MAX ||
            (!str_is(name, "*") && !principal_agent_name_new(name))) {
            fprintf(stderr, "sayso: --agent %.*s is not a valid agent name\n",
                    STR_FMT(name));
            return false;
        }
        w->agents[w->n] = name;
    }
    if ((w->key.role == ROLE_AGENT) != (w->n > 0)) {
        fprintf(stderr, "sayso: --agent is needed for a key of role agent, and "
                        "only there\n");
        return false;
    }
    return true;
}

static bool key_read_policy(const struct command *c, struct wanted *w)
{
    const struct str text = command_option(c, "--retry-policy", 0);
    if (!text.p)
        return true;
    w->retry_policy = text;
    const struct err *e =
        text.n <= POLICY_MAX && w->key.role == ROLE_AGENT
            ? retry_check_default(c->arena, text)
            : ERROR(ERR_INVALID, "field.unused",
                    "A retry policy is allowed only for a key of role agent, "
                    "and has at most 1500 bytes.");
    if (e)
        fprintf(stderr, "sayso: --retry-policy: %.*s %.*s\n",
                STR_FMT(e->at), STR_FMT(e->say));
    return !e;
}

static bool key_read_severity(struct str word, enum severity *out)
{
    *out = vocabulary_severity_of(vocabulary_of_key(word));
    return *out != SEVERITY__MAX;
}

/* The options of keys of role agent alone. */
static bool key_read_terms(const struct command *c, struct wanted *w)
{
    const bool agent = w->key.role == ROLE_AGENT;
    const struct str floor = command_option(c, "--severity-floor", 0);
    const struct str by = command_option(c, "--by", 0);
    if (floor.p && !(agent && key_read_severity(floor, &w->key.terms.floor))) {
        fprintf(stderr, "sayso: --severity-floor has to be none, low, medium, "
                        "high or critical, for a key of role agent\n");
        return false;
    }
    if (by.p && !(agent && principal_by(by, &w->key.terms.by))) {
        fprintf(stderr, "sayso: --by has to be " PRINCIPAL_BY_WORDS ", for a "
                        "key of role agent\n");
        return false;
    }
    w->key.test = command_flag(c, "--test");
    if (w->key.test && !(agent && c->conf->test_keys)) {
        fprintf(stderr, "sayso: --test is for a key of role agent, where the "
                        "configuration has test_keys = yes\n");
        return false;
    }
    return true;
}

/* The options of other roles: groups of people, and a resource. */
static bool key_read_others(const struct command *c, struct wanted *w)
{
    const enum role role = w->key.role;
    const struct str text = command_option(c, "--groups", 0);
    const struct err *e =
        !text.p ? NULL
        : role == ROLE_OPERATOR || role == ROLE_ADMIN
            ? person_groups(c->arena, text, &w->key.groups)
            : ERROR(ERR_INVALID, "field.unused",
                    "Groups are allowed only for a key that may answer.");
    if (e) {
        fprintf(stderr, "sayso: --groups: %.*s\n", STR_FMT(e->say));
        return false;
    }
    w->key.resource_id = command_option(c, "--resource", 0);
    const bool fine = role == ROLE_RESOURCE ? id_uuid(w->key.resource_id)
                                            : !w->key.resource_id.p;
    if (!fine)
        fprintf(stderr, "sayso: --resource is the id of a resource, for a key "
                        "of role resource, and only there\n");
    return fine;
}

static bool key_read_wanted(const struct command *c, struct wanted *w)
{
    const struct str days = command_option(c, "--expires-days", 0);
    int64_t n = 0;
    w->key.role = role_of(command_option(c, "--role", 0));
    w->key.label = command_option(c, "--label", 0);
    if (w->key.role == ROLE_NONE || w->key.role == ROLE_CLOCK ||
        w->key.role == ROLE_USER) {
        fprintf(stderr, "sayso: --role has to be agent, operator, admin, "
                        "auditor or resource\n");
        return false;
    }
    const struct err *e =
        person_key_label(c->arena, "label", w->key.role, w->key.label,
                         &w->key.label);
    if (e) {
        fprintf(stderr, "sayso: --label: %.*s\n", STR_FMT(e->say));
        return false;
    }
    if (days.p && !str_int(days, 1, 36500, &n)) {
        fprintf(stderr, "sayso: --expires-days has to be a number of days\n");
        return false;
    }
    w->key.expires_at = n ? clock_now() + n * 86400 * CLOCK_SECOND : 0;
    if (!key_read_agents(c, w))
        return false;
    if (!reach_choose(command_option(c, "--reach", 0), w->agents, w->n,
                      &w->key.reach)) {
        fprintf(stderr, "sayso: --reach has to be all or own; own is only for "
                        "a key of role agent that names its agents\n");
        return false;
    }
    return key_read_policy(c, w) && key_read_others(c, w) &&
           key_read_terms(c, w);
}

static int key_create(const struct command *c)
{
    struct wanted w = {.n = 0};
    struct str text = STR_NONE, taken = STR_NONE;
    if (!key_read_wanted(c, &w))
        return 2;
    struct keys_fresh fresh = {.key = w.key,
                               .agents = w.agents,
                               .agents_n = w.n,
                               .retry_policy = w.retry_policy};
    const struct err *e =
        keys_apart(c->pg, c->arena, w.agents, w.n, w.key.test, &taken);
    if (!e && !taken.p)
        e = keys_insert(c->pg, c->arena, &fresh, &text);
    if (e)
        return command_end(e);
    if (taken.p) {
        /* A name belongs to real keys or to test keys. */
        fprintf(stderr,
                "sayso: --agent %.*s: a %s key has this name. Tests and real "
                "work need names of their own.\n",
                STR_FMT(taken), w.key.test ? "real" : "test");
        return 2;
    }
    printf("%.*s\n", STR_FMT(text));
    return 0;
}

static int key_list(const struct command *c)
{
    struct pg_rows *rows = NULL;
    const struct err *e = pg_query(c->pg, c->arena, SQL_KEY_LIST, NULL, &rows);
    if (e)
        return command_end(e);
    printf("id\tprefix\trole\tlabel\tagents\tcreated\tlast used\tstate\t"
           "retry policy\tgroups\treach\tseverity floor\ttest\tby\n");
    for (size_t i = 0; i < pg_count(rows); i++) {
        for (int k = 0; k < 14; k++)
            printf("%s%.*s", k ? "\t" : "", STR_FMT(pg_str(rows, i, k)));
        printf("\n");
    }
    return 0;
}

/* Runs the statement for the named key, with the value where there is one, and
 * prints how many keys it changed. */
static int key_change(const struct command *c, int statement, struct str value,
                      const char *done)
{
    const struct pg_value key = pg_text(str_of(c->argv[1]));
    struct pg_rows *rows = NULL;
    const struct err *e =
        pg_query(c->pg, c->arena, statement,
                 c->argc == 3 ? PG(key, pg_text(value)) : PG(key), &rows);
    if (e)
        return command_end(e);
    printf("%zu %s\n", pg_affected(rows), done);
    return pg_affected(rows) > 0 ? 0 : 1;
}

static int key_revoke(const struct command *c)
{
    if (c->argc == 2)
        return key_change(c, SQL_KEY_REVOKE, STR_NONE, "revoked");
    fprintf(stderr, "sayso: key revoke needs an id or a prefix\n");
    return 2;
}

static int key_floor(const struct command *c)
{
    enum severity floor = SEVERITY_UNSAID;
    if (c->argc == 3 && key_read_severity(str_of(c->argv[2]), &floor))
        return key_change(c, SQL_KEY_SEVERITY_FLOOR,
                          vocabulary_severity(floor)->wire, "changed");
    fprintf(stderr, "sayso: key floor needs an id or a prefix, and none, low, "
                    "medium, high or critical\n");
    return 2;
}

static int key_by(const struct command *c)
{
    const struct str word = c->argc == 3 ? str_of(c->argv[2]) : STR_NONE;
    struct decider by = {.who = DECIDER_ANY};
    if (word.n > 0 && principal_by(vocabulary_of_key(word), &by))
        return key_change(c, SQL_KEY_DECIDES_NAMED,
                          principal_by_text(c->arena, &by), "changed");
    fprintf(stderr, "sayso: key by needs an id or a prefix, and "
                    "none, " PRINCIPAL_BY_WORDS "\n");
    return 2;
}

static int key_reach(const struct command *c)
{
    const struct str word = c->argc == 3 ? str_of(c->argv[2]) : STR_NONE;
    if (vocabulary_reach_of(word) != REACH__MAX)
        return key_change(c, SQL_KEY_REACH_NAMED, word, "changed");
    fprintf(stderr,
            "sayso: key reach needs an id or a prefix, and own or all\n");
    return 2;
}

int key_run(const struct command *c)
{
    static const struct command_verb verbs[] = {
        {"create", key_create,
         "--role= --label= --agent= --expires-days= --retry-policy= --groups= "
         "--reach= --severity-floor= --by= --resource= --test"},
        {"list", key_list, ""},
        {"floor", key_floor, NULL},
        {"by", key_by, NULL},
        {"reach", key_reach, NULL},
        {"revoke", key_revoke, NULL}};
    return command_run(c, verbs, countof(verbs),
                       "key create, key list, key floor, key by, key reach or "
                       "key revoke");
}

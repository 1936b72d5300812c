/* The configuration, read once at the start.
 *
 * Checks every value on its own and reports all mistakes at once; never opens a
 * file that a value names, and never prints a value, which may be a secret. */
#include "base/conf.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* The longest path that a unix socket can have (unix(7)). */
#define SOCKET_PATH_MAX 107
#define VARIABLE_MAX 64 /* bytes of a variable's name with its NUL */

static const char owner_name[] = "database_owner";

/* ---- checks of a text: NULL, or the wanted form ---------------------- */

static const char *conf_check_database(struct str v)
{
    return v.n ? NULL : "a connection string is required";
}

static const char *conf_check_directory(struct str v)
{
    return v.n ? NULL : "a directory is required";
}

static const char *conf_check_socket(struct str v)
{
    return v.n && v.n <= SOCKET_PATH_MAX
               ? NULL
               : "a path of 1 to 107 characters is required";
}

static const char *conf_check_mode(struct str v)
{
    bool octal = v.n == 3 || (v.n == 4 && v.p[0] == '0');
    for (size_t i = 0; i < v.n; i++)
        octal = octal && v.p[i] >= '0' && v.p[i] <= '7';
    return octal ? NULL : "an octal mode such as 0660 is required";
}

/* A host as browsers spell it in Origin: lower case; or an address in
 * brackets. */
static bool conf_is_host(struct str s)
{
    const bool v6 = s.n > 2 && s.p[0] == '[' && s.p[s.n - 1] == ']';
    if (v6)
        s = str_sub(s, 1, s.n - 1);
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.p[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
            !(v6 ? c == ':' : c == '.' || c == '-'))
            return false;
    }
    return s.n > 0;
}

/* host[:port], the port not the default one, which browsers leave out of
 * Origin. */
static bool conf_is_authority(struct str s, int64_t own_port)
{
    size_t colon = s.n;
    for (size_t i = s.n; i > 0 && s.p[i - 1] != ']'; i--)
        if (s.p[i - 1] == ':')
            colon = i - 1;
    if (!conf_is_host(str_sub(s, 0, colon)))
        return false;
    const struct str port = str_sub(s, colon + 1, s.n);
    int64_t n;
    return colon == s.n || (port.n && port.p[0] != '0' &&
                            str_int(port, 1, 65535, &n) && n != own_port);
}

static const char *conf_check_public_url(struct str v)
{
    const struct str http = STR("http://");
    const struct str https = STR("https://");
    if (str_starts(v, http) && conf_is_authority(str_sub(v, http.n, v.n), 80))
        return NULL;
    if (str_starts(v, https) &&
        conf_is_authority(str_sub(v, https.n, v.n), 443))
        return NULL;
    return "http://host or https://host is required, in lower case, with :port "
           "only where it is not the default, and nothing after it";
}

/* The members are checked by the domain when the policy is loaded. */
static const char *conf_check_retry(struct str v)
{
    return v.n == 0 || (v.p[0] == '{' && v.p[v.n - 1] == '}')
               ? NULL
               : "a JSON object is required";
}

static const char *conf_check_smtp(struct str v)
{
    const bool plain = str_starts(v, STR("smtp://"));
    const struct str rest = str_sub(v, plain ? 7 : 8, v.n);
    return v.n == 0 || ((plain || str_starts(v, STR("smtps://"))) &&
                        conf_is_authority(rest, 0))
               ? NULL
               : "smtp://host or smtps://host is required, in lower case, with "
                 ":port where it is not the default";
}

/* That http means this machine is checked where it is sent. */
static const char *conf_check_tsa(struct str v)
{
    const bool plain = str_starts(v, STR("http://"));
    struct str rest = str_sub(v, plain ? 7 : 8, v.n);
    const struct str host = str_cut(&rest, '/');
    bool fine = (plain || str_starts(v, STR("https://"))) &&
                conf_is_authority(host, plain ? 80 : 443);
    for (size_t i = 0; i < rest.n; i++)
        fine = fine && rest.p[i] > ' ' && rest.p[i] < 0x7f;
    return v.n == 0 || fine ? NULL
                            : "https://host/path is required, or "
                              "http://localhost:port/path";
}

static const char *conf_check_mail_from(struct str v)
{
    bool fine = str_find(v, '@', 0) < v.n && v.n <= 254;
    for (size_t i = 0; i < v.n; i++)
        fine = fine && v.p[i] > ' ' && v.p[i] != '<' && v.p[i] != '>';
    return v.n == 0 || fine ? NULL : "a single address like sayso@example.org "
                                     "is required";
}

static const char *conf_check_hosts(struct str v)
{
    struct str rest = v.n ? v : STR_NONE;
    while (rest.p) {
        if (!conf_is_authority(str_cut(&rest, ' '), 443))
            return "hosts in lower case are required, with :port where it is "
                   "not 443, separated by single spaces";
    }
    return NULL;
}

/* ---- the table of keys ----------------------------------------------- */

enum key_type {
    KEY_TEXT,   /* struct str */
    KEY_NUMBER, /* int64_t */
    KEY_WORD    /* unsigned: the index of the word, from 0 */
};

/* The variable of a key is SAYSO_ and its name in upper case. */
static const struct key {
    const char *name;
    size_t at; /* in struct conf */
    enum key_type type;
    bool required;
    const char *(*check)(struct str v); /* of a text; NULL: every text is
                                         * valid */
    int64_t min, max;                   /* of a number */
    const char *words;                  /* separated by spaces */
} keys[] = {
#define AT(name_) #name_, offsetof(struct conf, name_)
#define NEEDED(name_, check_) {AT(name_), KEY_TEXT, true, check_, 0, 0, NULL}
#define TEXT(name_, check_) {AT(name_), KEY_TEXT, false, check_, 0, 0, NULL}
#define NUMBER(name_, min_, max_)                                              \
    {AT(name_), KEY_NUMBER, false, NULL, min_, max_, NULL}
#define WORD(name_, words_) {AT(name_), KEY_WORD, false, NULL, 0, 0, words_}
#define FLOOR(i_, kind_)                                                       \
    {"severity_floor_" #kind_, offsetof(struct conf, severity_floor[i_]),      \
     KEY_WORD, false, NULL, 0, 0, "none low medium high critical"}
    NEEDED(database, conf_check_database),
    TEXT(database_owner, NULL),
    TEXT(database_wait, NULL),
    TEXT(database_tick, NULL),
    TEXT(database_deliver, NULL),
    TEXT(database_seal, NULL),
    TEXT(database_erase, NULL),
    TEXT(log_key, NULL),
    WORD(log_public, "no yes"),
    TEXT(log_witnesses, NULL),
    TEXT(tsa_url, conf_check_tsa),
    /* 1.2 times this value has to end before the timeouts of nginx and the
     * supervisor. */
    NUMBER(database_timeout, 1, 20),
    NUMBER(database_connect_ms, 50, 10000),
    WORD(require_standby, "no yes"),
    NEEDED(socket, conf_check_socket),
    TEXT(wait_socket, conf_check_socket),
    TEXT(socket_mode, conf_check_mode),
    NEEDED(templates, conf_check_directory),
    TEXT(migrations, NULL),
    NEEDED(public_url, conf_check_public_url),
    NUMBER(workers, 1, 256),
    NUMBER(request_memory_mb, 64, 4096),
    WORD(templates_strict, "no yes"),
    WORD(test_keys, "no yes"),
    WORD(log_format, "text json"),
    WORD(password_cost, "interactive min"),
    TEXT(default_retry_policy, conf_check_retry),
    WORD(silence_may_authorize, "never low"),
    WORD(claimed_initiator, "low medium high critical"),
    FLOOR(0, none),
    FLOOR(1, approval),
    FLOOR(2, permission),
    FLOOR(3, plan_review),
    FLOOR(4, elicitation),
    FLOOR(5, credential_needed),
    FLOOR(6, cost_confirmation),
    FLOOR(7, handoff_acceptance),
    TEXT(smtp_url, conf_check_smtp),
    TEXT(smtp_user, NULL),
    TEXT(smtp_password_file, NULL),
    TEXT(mail_from, conf_check_mail_from),
    TEXT(settings_hosts, conf_check_hosts),
    TEXT(ca_file, NULL),
    NUMBER(limit_streams, 1, 7000),
    NUMBER(limit_held, 1, 19000),
    NUMBER(limit_rate, 1, 1000000),
    NUMBER(limit_workers, 1, 256),
    NUMBER(limit_open, 1, 1000000),
    NUMBER(limit_bytes_mb, 1, 1000000),
    NUMBER(limit_subscriptions, 1, 1000),
    NUMBER(limit_endpoints, 1, 500),
};

static_assert(CRYPT_INTERACTIVE == 0 && CRYPT_MIN == 1,
              "the places of the words of password_cost");

/* The state while the sources are read. */
struct reading {
    struct arena *arena;
    struct conf *conf;
    struct buf *mistakes;
    bool failed;
    size_t seen[countof(keys)]; /* the line of each key; 0: not yet */
    bool given[countof(keys)];
};

/* The buffer for the next mistake; line 0: it is in no line. */
static struct buf *conf_mistake(struct reading *r, size_t line)
{
    r->failed = true;
    if (line)
        buf_printf(r->mistakes, "line %zu: ", line);
    return r->mistakes;
}

/* p NULL: the value is valid; else the form that is required. */
static struct str conf_set(struct reading *r, const struct key *k,
                           struct str value)
{
    struct buf why = buf_make(r->arena, 1024);
    struct str words = str_of(k->words);
    void *at = (char *)r->conf + k->at;
    switch (k->type) {
    case KEY_TEXT:
        *(struct str *)at = value.n ? arena_str(r->arena, value) : STR_NONE;
        return str_of(k->check ? k->check(value) : NULL);
    case KEY_NUMBER:
        if (str_int(value, k->min, k->max, at))
            return STR_NONE;
        buf_printf(&why, "a whole number from %lld to %lld is required",
                   (long long)k->min, (long long)k->max);
        return buf_text(&why);
    case KEY_WORD:
        for (unsigned i = 0; words.p; i++) {
            const struct str word = str_cut(&words, ' ');
            buf_put(&why, i ? " or " : "");
            buf_str(&why, word);
            if (str_eq(value, word)) {
                *(unsigned *)at = i;
                return STR_NONE;
            }
        }
        buf_put(&why, " is required");
    }
    return buf_text(&why);
}

static void conf_line(struct reading *r, size_t number, struct str line)
{
    line = str_trim(line);
    if (!str_utf8(line)) {
        buf_put(conf_mistake(r, number), "this is not text in UTF-8\n");
        return;
    }
    if (line.n == 0 || line.p[0] == '#')
        return;
    if (str_find(line, '=', 0) == line.n) {
        buf_put(conf_mistake(r, number), "a line of the form key = value is "
                                         "required\n");
        return;
    }
    struct str value = line;
    const struct str name = str_trim(str_cut(&value, '='));
    size_t k = 0;
    while (k < countof(keys) && !str_is(name, keys[k].name))
        k++;
    if (k == countof(keys)) {
        buf_printf(conf_mistake(r, number), "there is no key \"%.*s\"\n",
                   STR_FMT(str_head(name, 40)));
        return;
    }
    if (r->seen[k]) {
        buf_printf(conf_mistake(r, number), "%s is already set in line %zu\n",
                   keys[k].name, r->seen[k]);
        return;
    }
    r->seen[k] = number;
    r->given[k] = true;
    const struct str wrong = conf_set(r, &keys[k], str_trim(value));
    if (wrong.p)
        buf_printf(conf_mistake(r, number), "%s: %.*s\n", keys[k].name,
                   STR_FMT(wrong));
}

/* The defaults of keys that were not given. */
static void conf_defaults(struct reading *r)
{
    struct conf *c = r->conf;
    struct str *const same[] = {&c->database_owner, &c->database_wait,
                                &c->database_tick, &c->database_deliver,
                                &c->database_seal, &c->database_erase};
    for (size_t i = 0; i < countof(same); i++)
        if (same[i]->n == 0)
            *same[i] = c->database;
    if (c->limit_workers == 0)
        c->limit_workers = c->workers > 1 ? c->workers / 2 : 1;
    if (c->wait_socket.n == 0) {
        /* wait.sock in the directory of the other socket. */
        size_t end = c->socket.n;
        while (end > 0 && c->socket.p[end - 1] != '/')
            end--;
        c->wait_socket = arena_join(r->arena, str_sub(c->socket, 0, end),
                                    STR("wait.sock"));
    }
    if (c->wait_socket.n > SOCKET_PATH_MAX ||
        str_eq(c->wait_socket, c->socket))
        buf_put(conf_mistake(r, 0),
                "wait_socket: a different path of at most 107 characters is "
                "required\n");
    if (c->smtp_url.p && !c->mail_from.p)
        buf_put(conf_mistake(r, 0), "mail_from is required with smtp_url\n");
}

bool conf_read(struct arena *a, struct str file, struct conf *c,
               struct buf *mistakes)
{
    *c = (struct conf){
        .socket_mode = STR("0660"),
        .workers = 4,
        .database_timeout = 2,
        .database_connect_ms = 400,
        .request_memory_mb = 192,
        .limit_streams = 500,
        .limit_held = 2000,
        .limit_rate = 200,
        .limit_open = 2000,
        .limit_bytes_mb = 1000,
        .limit_subscriptions = 100,
        .limit_endpoints = 100,
        .password_cost = CRYPT_INTERACTIVE,
        .claimed_initiator = 2,
    };
    struct reading r = {.arena = a, .conf = c, .mistakes = mistakes};
    for (size_t number = 1; file.p; number++)
        conf_line(&r, number, str_cut(&file, '\n'));
    /* The environment wins over the file. */
    for (size_t k = 0; k < countof(keys); k++) {
        char variable[VARIABLE_MAX];
        int n = snprintf(variable, VARIABLE_MAX, "SAYSO_%s", keys[k].name);
        while (n-- > 0)
            if (variable[n] >= 'a' && variable[n] <= 'z')
                variable[n] = (char)(variable[n] - 'a' + 'A');
        const struct str raw = str_of(getenv(variable));
        if (!raw.p)
            continue;
        r.given[k] = true;
        const struct str wrong = str_utf8(str_trim(raw))
                                     ? conf_set(&r, &keys[k], str_trim(raw))
                                     : STR("this is not text in UTF-8");
        if (wrong.p)
            buf_printf(conf_mistake(&r, 0), "%s: %.*s\n", variable,
                       STR_FMT(wrong));
    }
    for (size_t k = 0; k < countof(keys); k++)
        if (keys[k].required && !r.given[k])
            buf_printf(conf_mistake(&r, 0), "%s is required\n", keys[k].name);
    conf_defaults(&r);
    return !r.failed;
}

bool conf_has_owner(const struct conf *c)
{
    return c->database_owner.p != c->database.p;
}

bool conf_read_owner(struct arena *a, struct str file, struct conf *c,
                     struct buf *mistakes)
{
    struct conf own = {.workers = 0};
    struct reading r = {.arena = a, .conf = &own, .mistakes = mistakes};
    for (size_t number = 1; file.p; number++)
        conf_line(&r, number, str_cut(&file, '\n'));
    for (size_t k = 0; k < countof(keys); k++)
        if (r.given[k] != str_is(str_of(keys[k].name), owner_name))
            buf_printf(conf_mistake(&r, r.seen[k]),
                       "this file may have database_owner alone, and has to "
                       "have it\n");
    if (own.database_owner.n == 0)
        buf_printf(conf_mistake(&r, 0), "%s must not be empty\n", owner_name);
    if (!getenv("SAYSO_DATABASE_OWNER"))
        c->database_owner = own.database_owner;
    return !r.failed;
}

struct str conf_address(struct arena *a, const struct conf *c,
                        const char *path, struct str id)
{
    return arena_join(a, c->public_url, str_of(path), id);
}

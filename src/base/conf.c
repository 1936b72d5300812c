/* The configuration, read once at the start.
 *
 * Checks every value on its own and names all mistakes at once; never opens
 * what a value names, and never repeats a value, which may be a secret. */
#include "base/conf.h"

#include <stdlib.h>

/* The longest path that a unix socket can have (unix(7)). */
#define SOCKET_PATH_MAX 107

/* Each setter takes a value or says what is wanted instead. */

static const char *set_database(struct conf *c, struct str v)
{
    c->database = v;
    return v.n ? NULL : "a connection string is wanted";
}

static const char *set_database_owner(struct conf *c, struct str v)
{
    c->database_owner = v;
    return NULL;
}

static const char *set_database_wait(struct conf *c, struct str v)
{
    c->database_wait = v;
    return NULL;
}

static const char *set_database_tick(struct conf *c, struct str v)
{
    c->database_tick = v;
    return NULL;
}

static const char *set_database_deliver(struct conf *c, struct str v)
{
    c->database_deliver = v;
    return NULL;
}

static const char *socket_path(struct str v)
{
    return v.n && v.n <= SOCKET_PATH_MAX
               ? NULL
               : "a path of 1 to 107 characters is wanted";
}

static const char *set_socket(struct conf *c, struct str v)
{
    c->socket = v;
    return socket_path(v);
}

static const char *set_wait_socket(struct conf *c, struct str v)
{
    c->wait_socket = v;
    return socket_path(v);
}

static const char *set_socket_mode(struct conf *c, struct str v)
{
    bool octal = v.n == 3 || (v.n == 4 && v.p[0] == '0');
    for (size_t i = 0; i < v.n; i++)
        octal = octal && v.p[i] >= '0' && v.p[i] <= '7';
    c->socket_mode = v;
    return octal ? NULL : "an octal mode such as 0660 is wanted";
}

static const char *set_templates(struct conf *c, struct str v)
{
    c->templates = v;
    return v.n ? NULL : "a directory is wanted";
}

static const char *set_migrations(struct conf *c, struct str v)
{
    c->migrations = v;
    return NULL;
}

/* A host as browsers spell it in Origin: lower case; or an address in
 * brackets. */
static bool is_host(struct str s)
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

/* host[:port], the port not the one that browsers leave out of Origin. */
static bool is_authority(struct str s, int64_t own_port)
{
    size_t colon = s.n;
    for (size_t i = s.n; i > 0 && s.p[i - 1] != ']'; i--)
        if (s.p[i - 1] == ':')
            colon = i - 1;
    if (!is_host(str_sub(s, 0, colon)))
        return false;
    const struct str port = str_sub(s, colon + 1, s.n);
    int64_t n;
    return colon == s.n || (port.n && port.p[0] != '0' &&
                            str_int(port, 1, 65535, &n) && n != own_port);
}

static const char *set_public_url(struct conf *c, struct str v)
{
    const struct str http = STR("http://");
    const struct str https = STR("https://");
    c->public_url = v;
    if (str_starts(v, http) && is_authority(str_sub(v, http.n, v.n), 80))
        return NULL;
    if (str_starts(v, https) && is_authority(str_sub(v, https.n, v.n), 443))
        return NULL;
    return "http://host or https://host is wanted, in lower case, with :port "
           "only where it is not the usual one, and nothing behind it";
}

static const char *set_workers(struct conf *c, struct str v)
{
    return str_int(v, 1, 256, &c->workers)
               ? NULL
               : "a whole number from 1 to 256 is wanted";
}

/* Its 1.2 times has to end before nginx and the supervisor lose patience. */
static const char *set_database_timeout(struct conf *c, struct str v)
{
    return str_int(v, 1, 20, &c->database_timeout)
               ? NULL
               : "1 to 20 seconds are wanted";
}

static const char *set_templates_strict(struct conf *c, struct str v)
{
    c->templates_strict = str_is(v, "yes");
    return str_is(v, "yes") || str_is(v, "no") ? NULL : "yes or no is wanted";
}

static const char *set_password_cost(struct conf *c, struct str v)
{
    c->password_cost = str_is(v, "min") ? CRYPT_MIN : CRYPT_INTERACTIVE;
    return str_is(v, "min") || str_is(v, "interactive")
               ? NULL
               : "interactive or min is wanted";
}

/* Its members are for the domain to judge; whoever loads it does. */
static const char *set_default_retry_policy(struct conf *c, struct str v)
{
    c->default_retry_policy = v.n ? v : STR_NONE;
    return v.n == 0 || (v.p[0] == '{' && v.p[v.n - 1] == '}')
               ? NULL
               : "a JSON object is wanted";
}

static const char *set_smtp_url(struct conf *c, struct str v)
{
    c->smtp_url = v.n ? v : STR_NONE;
    const bool plain = str_starts(v, STR("smtp://"));
    const struct str rest = str_sub(v, plain ? 7 : 8, v.n);
    return v.n == 0 || ((plain || str_starts(v, STR("smtps://"))) &&
                        is_authority(rest, 0))
               ? NULL
               : "smtp://host or smtps://host is wanted, in lower case, with "
                 ":port where it is not the usual one";
}

static const char *set_smtp_user(struct conf *c, struct str v)
{
    c->smtp_user = v.n ? v : STR_NONE;
    return NULL;
}

static const char *set_smtp_password_file(struct conf *c, struct str v)
{
    c->smtp_password_file = v.n ? v : STR_NONE;
    return NULL;
}

static const char *set_mail_from(struct conf *c, struct str v)
{
    c->mail_from = v.n ? v : STR_NONE;
    bool fine = str_find(v, '@', 0) < v.n && v.n <= 254;
    for (size_t i = 0; i < v.n; i++)
        fine = fine && v.p[i] > ' ' && v.p[i] != '<' && v.p[i] != '>';
    return v.n == 0 || fine ? NULL : "an address like sayso@example.org is "
                                     "wanted, alone";
}

static const char *set_settings_hosts(struct conf *c, struct str v)
{
    struct str rest = v.n ? v : STR_NONE;
    c->settings_hosts = rest;
    while (rest.p) {
        if (!is_authority(str_cut(&rest, ' '), 443))
            return "hosts in lower case are wanted, with :port where it is "
                   "not 443, and one space between";
    }
    return NULL;
}

static const char *set_ca_file(struct conf *c, struct str v)
{
    c->ca_file = v.n ? v : STR_NONE;
    return NULL;
}

static const struct key {
    const char *name;
    const char *variable;
    const char *(*set)(struct conf *c, struct str v);
    bool required;
} keys[] = {
    {"database", "SAYSO_DATABASE", set_database, true},
    {"database_owner", "SAYSO_DATABASE_OWNER", set_database_owner, false},
    {"database_wait", "SAYSO_DATABASE_WAIT", set_database_wait, false},
    {"database_tick", "SAYSO_DATABASE_TICK", set_database_tick, false},
    {"database_deliver", "SAYSO_DATABASE_DELIVER", set_database_deliver,
     false},
    {"database_timeout", "SAYSO_DATABASE_TIMEOUT", set_database_timeout,
     false},
    {"socket", "SAYSO_SOCKET", set_socket, true},
    {"wait_socket", "SAYSO_WAIT_SOCKET", set_wait_socket, false},
    {"socket_mode", "SAYSO_SOCKET_MODE", set_socket_mode, false},
    {"templates", "SAYSO_TEMPLATES", set_templates, true},
    {"migrations", "SAYSO_MIGRATIONS", set_migrations, false},
    {"public_url", "SAYSO_PUBLIC_URL", set_public_url, true},
    {"workers", "SAYSO_WORKERS", set_workers, false},
    {"templates_strict", "SAYSO_TEMPLATES_STRICT", set_templates_strict,
     false},
    {"password_cost", "SAYSO_PASSWORD_COST", set_password_cost, false},
    {"default_retry_policy", "SAYSO_DEFAULT_RETRY_POLICY",
     set_default_retry_policy, false},
    {"smtp_url", "SAYSO_SMTP_URL", set_smtp_url, false},
    {"smtp_user", "SAYSO_SMTP_USER", set_smtp_user, false},
    {"smtp_password_file", "SAYSO_SMTP_PASSWORD_FILE",
     set_smtp_password_file, false},
    {"mail_from", "SAYSO_MAIL_FROM", set_mail_from, false},
    {"settings_hosts", "SAYSO_SETTINGS_HOSTS", set_settings_hosts, false},
    {"ca_file", "SAYSO_CA_FILE", set_ca_file, false},
};

/* What is known while the sources are read. */
struct reading {
    struct arena *arena;
    struct conf *conf;
    struct buf *mistakes;
    bool failed;
    size_t seen[countof(keys)]; /* the line of each key; 0: not yet */
    bool given[countof(keys)];
};

/* Where to write the next mistake; line 0: it is in no line. */
static struct buf *mistake(struct reading *r, size_t line)
{
    r->failed = true;
    if (line)
        buf_printf(r->mistakes, "line %zu: ", line);
    return r->mistakes;
}

static void read_pair(struct reading *r, size_t line, struct str name,
                      struct str value)
{
    size_t k = 0;
    while (k < countof(keys) && !str_is(name, keys[k].name))
        k++;
    if (k == countof(keys)) {
        buf_printf(mistake(r, line), "there is no key \"%.*s\"\n",
                   STR_FMT(str_head(name, 40)));
        return;
    }
    if (r->seen[k]) {
        buf_printf(mistake(r, line), "%s stands in line %zu already\n",
                   keys[k].name, r->seen[k]);
        return;
    }
    r->seen[k] = line;
    r->given[k] = true;
    const char *wrong = keys[k].set(r->conf, arena_str(r->arena, value));
    if (wrong)
        buf_printf(mistake(r, line), "%s: %s\n", keys[k].name, wrong);
}

static void read_line(struct reading *r, size_t number, struct str line)
{
    line = str_trim(line);
    if (!str_utf8(line)) {
        buf_put(mistake(r, number), "this is not text in UTF-8\n");
        return;
    }
    if (line.n == 0 || line.p[0] == '#')
        return;
    if (str_find(line, '=', 0) == line.n) {
        buf_put(mistake(r, number), "key = value is wanted\n");
        return;
    }
    struct str value = line;
    const struct str name = str_trim(str_cut(&value, '='));
    read_pair(r, number, name, str_trim(value));
}

static void read_environment(struct reading *r)
{
    for (size_t k = 0; k < countof(keys); k++) {
        const struct str raw = str_of(getenv(keys[k].variable));
        if (!raw.p)
            continue;
        r->given[k] = true;
        const struct str value = arena_str(r->arena, str_trim(raw));
        const char *wrong = str_utf8(value) ? keys[k].set(r->conf, value)
                                            : "this is not text in UTF-8";
        if (wrong)
            buf_printf(mistake(r, 0), "%s: %s\n", keys[k].variable, wrong);
    }
}

/* wait.sock in the directory of the other socket. */
static struct str beside(struct arena *a, struct str socket)
{
    struct buf b = buf_make(a, 4096);
    size_t end = socket.n;
    while (end > 0 && socket.p[end - 1] != '/')
        end--;
    buf_str(&b, str_sub(socket, 0, end));
    buf_put(&b, "wait.sock");
    return buf_text(&b);
}

/* What stands in for keys that were not given. */
static void fill_in(struct reading *r)
{
    struct conf *c = r->conf;
    struct str *const same[] = {&c->database_owner, &c->database_wait,
                                &c->database_tick, &c->database_deliver};
    for (size_t i = 0; i < countof(same); i++)
        if (same[i]->n == 0)
            *same[i] = c->database;
    if (c->wait_socket.n == 0)
        c->wait_socket = beside(r->arena, c->socket);
    if (c->wait_socket.n > SOCKET_PATH_MAX ||
        str_eq(c->wait_socket, c->socket))
        buf_put(mistake(r, 0), "wait_socket: another path of at most 107 "
                               "characters is wanted\n");
    if (c->smtp_url.p && !c->mail_from.p)
        buf_put(mistake(r, 0), "mail_from must be given with smtp_url\n");
}

bool conf_read(struct arena *a, struct str file, struct conf *c,
               struct buf *mistakes)
{
    *c = (struct conf){
        .socket_mode = STR("0660"),
        .migrations = STR(""),
        .workers = 4,
        .database_timeout = 2,
        .password_cost = CRYPT_INTERACTIVE,
    };
    struct reading r = {.arena = a, .conf = c, .mistakes = mistakes};
    for (size_t number = 1; file.p; number++)
        read_line(&r, number, str_cut(&file, '\n'));
    read_environment(&r);
    for (size_t k = 0; k < countof(keys); k++)
        if (keys[k].required && !r.given[k])
            buf_printf(mistake(&r, 0), "%s must be given\n", keys[k].name);
    fill_in(&r);
    return !r.failed;
}

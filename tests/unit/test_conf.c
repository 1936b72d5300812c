/* The configuration: what is read, what overrides, and every mistake. */
#include "suite.h"

#include <criterion/new/assert.h>
#include <stdlib.h>

#include "base/conf.h"

static struct buf mistakes;
static struct conf conf;

static void setup(void)
{
    static const char *const variables[] = {
        "SAYSO_DATABASE", "SAYSO_DATABASE_OWNER", "SAYSO_SOCKET",
        "SAYSO_SOCKET_MODE", "SAYSO_TEMPLATES", "SAYSO_MIGRATIONS",
        "SAYSO_PUBLIC_URL", "SAYSO_WORKERS", "SAYSO_TEMPLATES_STRICT",
        "SAYSO_PASSWORD_COST", "SAYSO_DATABASE_TIMEOUT",
    };
    for (size_t i = 0; i < countof(variables); i++)
        unsetenv(variables[i]);
    mistakes = buf_make(a, 8192);
}

SUITE_WITH(conf, setup());

#define REQUIRED                                                               \
    "database = host=/run/pg dbname=sayso user='x y'\n"                        \
    "socket = /run/sayso/web.sock\n"                                           \
    "templates = /usr/share/sayso/templates\n"                                 \
    "public_url = https://sayso.example\n"

#define PUBLIC_URL                                                             \
    "public_url: http://host or https://host is required, in lower case, "     \
    "with :port only where it is not the default, and nothing after it"

static bool reads(const char *file)
{
    mistakes = buf_make(a, 8192);
    return conf_read(a, str_of(file), &conf, &mistakes);
}

/* The mistakes are these lines; NULL ends them. */
static void mistakes_are(const char *const *wanted)
{
    struct str rest = buf_text(&mistakes);
    for (; *wanted; wanted++) {
        const struct str line = str_cut(&rest, '\n');
        cr_expect(str_is(line, *wanted), "%.*s\nwanted %s", STR_FMT(line),
                  *wanted);
    }
    cr_expect(eq(sz, rest.n, 0), "%.*s", STR_FMT(rest));
}
#define MISTAKES(...) mistakes_are((const char *const[]){__VA_ARGS__, NULL})

/* Whole numbers: without a line, and with the one of everything_given. */
#define NUMBER(key_, usual_, given_) {#key_, &conf.key_, usual_, given_}
static const struct {
    const char *key;
    const int64_t *value;
    int64_t usual, given;
} numbers[] = {
    NUMBER(workers, 4, 256),
    NUMBER(database_timeout, 2, 20),
    NUMBER(database_connect_ms, 400, 10000),
    NUMBER(request_memory_mb, 192, 4096),
    NUMBER(limit_streams, 500, 7000),
    NUMBER(limit_held, 2000, 19000),
    NUMBER(limit_rate, 200, 1000000),
    NUMBER(limit_workers, 2, 256),
    NUMBER(limit_open, 2000, 1),
    NUMBER(limit_bytes_mb, 1000, 1),
    NUMBER(limit_subscriptions, 100, 1000),
    NUMBER(limit_endpoints, 100, 500),
};

Test(conf, the_required_alone_and_the_defaults)
{
    cr_assert(reads(REQUIRED), "%.*s", STR_FMT(buf_text(&mistakes)));
    cr_expect(eq(sz, mistakes.n, 0));
    const char *const database = "host=/run/pg dbname=sayso user='x y'";
    cr_expect(str_is(conf.database, database));
    cr_expect(str_is(conf.database_owner, database));
    cr_expect(str_is(conf.socket, "/run/sayso/web.sock"));
    cr_expect(str_is(conf.socket_mode, "0660"));
    cr_expect(str_is(conf.templates, "/usr/share/sayso/templates"));
    cr_expect(eq(sz, conf.migrations.n, 0));
    cr_expect(str_is(conf.public_url, "https://sayso.example"));
    for (size_t i = 0; i < countof(numbers); i++)
        cr_expect(eq(i64, *numbers[i].value, numbers[i].usual), "%s",
                  numbers[i].key);
    cr_expect(not(conf.require_standby));
    cr_expect(not(conf.templates_strict));
    cr_expect(eq(uint, conf.silence_may_authorize, 0));
    cr_expect(eq(int, (int)conf.password_cost, CRYPT_INTERACTIVE));
}

Test(conf, everything_given)
{
    struct buf file = buf_make(a, 4096);
    buf_put(&file, "# a comment = 1\r\n\r\n  # another\n" REQUIRED
                   "database_owner=dbname=owner\n"
                   "\tsocket_mode\t=\t0600\t\r\n"
                   "migrations = /usr/share/sayso/sql\n"
                   "require_standby = yes\n"
                   "templates_strict = yes\n"
                   "silence_may_authorize = low\n");
    for (size_t i = 0; i < countof(numbers); i++)
        buf_printf(&file, "%s = %lld\n", numbers[i].key,
                   (long long)numbers[i].given);
    buf_put(&file, "password_cost = min");
    cr_assert(reads(arena_z(a, buf_text(&file))));
    for (size_t i = 0; i < countof(numbers); i++)
        cr_expect(eq(i64, *numbers[i].value, numbers[i].given), "%s",
                  numbers[i].key);
    cr_expect(str_is(conf.database_owner, "dbname=owner"));
    cr_expect(str_is(conf.socket_mode, "0600"));
    cr_expect(str_is(conf.migrations, "/usr/share/sayso/sql"));
    cr_expect(conf.require_standby);
    cr_expect(conf.templates_strict);
    cr_expect(eq(uint, conf.silence_may_authorize, 1));
    cr_expect(eq(int, (int)conf.password_cost, CRYPT_MIN));
}

Test(conf, values_outlive_the_file)
{
    char file[] = REQUIRED;
    cr_assert(conf_read(a, str_of(file), &conf, &mistakes));
    memset(file, 'x', sizeof(file));
    cr_expect(str_is(conf.public_url, "https://sayso.example"));
}

Test(conf, the_environment_alone)
{
    setenv("SAYSO_DATABASE", "dbname=a", 1);
    setenv("SAYSO_SOCKET", "s.sock", 1);
    setenv("SAYSO_TEMPLATES", "templates", 1);
    setenv("SAYSO_PUBLIC_URL", "http://127.0.0.1:8080", 1);
    cr_assert(reads(NULL), "%.*s", STR_FMT(buf_text(&mistakes)));
    cr_expect(str_is(conf.database_owner, "dbname=a"));
    cr_expect(str_is(conf.public_url, "http://127.0.0.1:8080"));
}

Test(conf, the_environment_overrides)
{
    setenv("SAYSO_WORKERS", "7", 1);
    setenv("SAYSO_DATABASE", "dbname=other", 1);
    setenv("SAYSO_TEMPLATES_STRICT", "no", 1);
    setenv("SAYSO_PASSWORD_COST", "interactive", 1);
    setenv("SAYSO_SOCKET_MODE", "0666", 1);
    cr_assert(reads(REQUIRED "workers = 2\ntemplates_strict = yes\n"
                             "password_cost = min\n"));
    cr_expect(eq(i64, conf.workers, 7));
    cr_expect(str_is(conf.database, "dbname=other"));
    cr_expect(str_is(conf.database_owner, "dbname=other"));
    cr_expect(str_is(conf.socket_mode, "0666"));
    cr_expect(not(conf.templates_strict));
    cr_expect(eq(int, (int)conf.password_cost, CRYPT_INTERACTIVE));
}

Test(conf, variables_of_others_are_ignored)
{
    setenv("SAYSO_CONF", "/etc/sayso.conf", 1);
    setenv("SAYSO_API_KEY", "secret", 1);
    setenv("SAYSO_WORKER", "x", 1);
    setenv("WORKERS", "9", 1);
    cr_assert(reads(REQUIRED));
    cr_expect(eq(i64, conf.workers, 4));
}

Test(conf, all_mistakes_at_once)
{
    setenv("SAYSO_PASSWORD_COST", "cheap", 1);
    cr_assert(not(reads("database = dbname=a\n"
                        "databse = dbname=b\n"
                        "workers = 0\n"
                        "\n"
                        "database = hunter2\n"
                        "hunter2\n"
                        "templates_strict = maybe\n"
                        "public_url = https://x/\n"
                        "socket_mode = rw\n"
                        "Workers = 3\n"
                        "= 3\n"
                        "workers = 5\n"
                        "database_timeout = 21\n"
                        "database_connect_ms = 49\n"
                        "require_standby = maybe\n"
                        "silence_may_authorize = high\n")));
    MISTAKES(
        "line 2: there is no key \"databse\"",
        "line 3: workers: a whole number from 1 to 256 is required",
        "line 5: database is already set in line 1",
        "line 6: a line of the form key = value is required",
        "line 7: templates_strict: no or yes is required",
        "line 8: " PUBLIC_URL,
        "line 9: socket_mode: an octal mode such as 0660 is required",
        "line 10: there is no key \"Workers\"",
        "line 11: there is no key \"\"",
        "line 12: workers is already set in line 3",
        "line 13: database_timeout: a whole number from 1 to 20 is required",
        ("line 14: database_connect_ms: a whole number from 50 to 10000 is "
         "required"),
        "line 15: require_standby: no or yes is required",
        "line 16: silence_may_authorize: never or low is required",
        "SAYSO_PASSWORD_COST: interactive or min is required",
        "socket is required",
        "templates is required");
    cr_expect(eq(sz, str_search(buf_text(&mistakes), STR("hunter2")),
                 mistakes.n), "a mistake repeats a value");
}

Test(conf, nothing_at_all)
{
    static const char *const rows[] = {NULL, "", "\n\n", "# nothing"};
    for (size_t i = 0; i < countof(rows); i++) {
        cr_expect(not(reads(rows[i])), "row %zu", i);
        MISTAKES("database is required", "socket is required",
                 "templates is required", "public_url is required");
    }
}

Test(conf, a_required_value_may_not_be_empty)
{
    setenv("SAYSO_SOCKET", "", 1);
    cr_expect(not(reads("database =\ntemplates = \npublic_url=\n")));
    MISTAKES("line 1: database: a connection string is required",
             "line 2: templates: a directory is required",
             "line 3: " PUBLIC_URL,
             "SAYSO_SOCKET: a path of 1 to 107 characters is required");
}

Test(conf, bytes_that_are_not_text)
{
    mistakes = buf_make(a, 8192);
    cr_expect(not(conf_read(a, STR(REQUIRED "workers = \xFF\n"
                                            "migrations = a\0b\n"),
                            &conf, &mistakes)));
    MISTAKES("line 5: this is not text in UTF-8",
             "line 6: this is not text in UTF-8");
    setenv("SAYSO_MIGRATIONS", "\xC3", 1);
    cr_expect(not(reads(REQUIRED)));
    MISTAKES("SAYSO_MIGRATIONS: this is not text in UTF-8");
}

/* Reads the required lines with one variable set. */
static bool takes(const char *variable, const char *value)
{
    setenv(variable, value, 1);
    const bool ok = reads(REQUIRED);
    unsetenv(variable);
    return ok;
}

Test(conf, values_one_by_one)
{
    static const struct {
        const char *variable, *value;
        bool ok;
    } rows[] = {
        {"SAYSO_WORKERS", "1", true},
        {"SAYSO_WORKERS", " 256 ", true},
        {"SAYSO_WORKERS", "257", false},
        {"SAYSO_WORKERS", "-1", false},
        {"SAYSO_WORKERS", "4x", false},
        {"SAYSO_WORKERS", "", false},
        {"SAYSO_SOCKET_MODE", "600", true},
        {"SAYSO_SOCKET_MODE", "0777", true},
        {"SAYSO_SOCKET_MODE", "1777", false},
        {"SAYSO_SOCKET_MODE", "0888", false},
        {"SAYSO_SOCKET_MODE", "00660", false},
        {"SAYSO_SOCKET_MODE", "66", false},
        {"SAYSO_SOCKET_MODE", "", false},
        {"SAYSO_TEMPLATES_STRICT", "Yes", false},
        {"SAYSO_TEMPLATES_STRICT", "1", false},
        {"SAYSO_TEMPLATES_STRICT", "", false},
        {"SAYSO_PASSWORD_COST", "max", false},
        {"SAYSO_MIGRATIONS", "", true},
        {"SAYSO_DATABASE_OWNER", "", true},
        {"SAYSO_PUBLIC_URL", "http://localhost", true},
        {"SAYSO_PUBLIC_URL", "http://localhost:8080", true},
        {"SAYSO_PUBLIC_URL", "http://localhost:443", true},
        {"SAYSO_PUBLIC_URL", "https://a-b.example:8443", true},
        {"SAYSO_PUBLIC_URL", "http://[::1]", true},
        {"SAYSO_PUBLIC_URL", "http://[::1]:8080", true},
        {"SAYSO_PUBLIC_URL", "http://[::1]8080", false},
        {"SAYSO_PUBLIC_URL", "http://[]:80", false},
        {"SAYSO_PUBLIC_URL", "http://::1", false},
        {"SAYSO_PUBLIC_URL", "http://localhost:80", false},
        {"SAYSO_PUBLIC_URL", "https://localhost:443", false},
        {"SAYSO_PUBLIC_URL", "http://localhost:", false},
        {"SAYSO_PUBLIC_URL", "http://localhost:0", false},
        {"SAYSO_PUBLIC_URL", "http://localhost:65536", false},
        {"SAYSO_PUBLIC_URL", "http://localhost:08080", false},
        {"SAYSO_PUBLIC_URL", "http://localhost:-1", false},
        {"SAYSO_PUBLIC_URL", "http://:8080", false},
        {"SAYSO_PUBLIC_URL", "https://", false},
        {"SAYSO_PUBLIC_URL", "https://x/", false},
        {"SAYSO_PUBLIC_URL", "https://x/y", false},
        {"SAYSO_PUBLIC_URL", "https://x?y", false},
        {"SAYSO_PUBLIC_URL", "https://me@x", false},
        {"SAYSO_PUBLIC_URL", "https://x y", false},
        {"SAYSO_PUBLIC_URL", "https://Sayso.example", false},
        {"SAYSO_PUBLIC_URL", "HTTPS://x", false},
        {"SAYSO_PUBLIC_URL", "ftp://x", false},
        {"SAYSO_PUBLIC_URL", "x", false},
        {"SAYSO_SETTINGS_HOSTS", "", true},
        {"SAYSO_SETTINGS_HOSTS", "vault.example", true},
        {"SAYSO_SETTINGS_HOSTS", "vault.example keys.example:8443", true},
        {"SAYSO_SETTINGS_HOSTS", "vault.example:443", false},
        {"SAYSO_SETTINGS_HOSTS", "Vault.example", false},
        {"SAYSO_SETTINGS_HOSTS", "https://vault.example", false},
        {"SAYSO_SETTINGS_HOSTS", "vault.example/keys", false},
        {"SAYSO_SETTINGS_HOSTS", "me@vault.example", false},
        {"SAYSO_SETTINGS_HOSTS", "a.example  b.example", false},
        {"SAYSO_SETTINGS_HOSTS", "a.example,b.example", false},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_expect(takes(rows[i].variable, rows[i].value) == rows[i].ok,
                  "%s=%s", rows[i].variable, rows[i].value);
}

Test(conf, a_socket_path_fits_in_an_address)
{
    char path[109];
    memset(path, 'x', sizeof(path));
    path[107] = '\0';
    cr_expect(takes("SAYSO_SOCKET", path));
    path[107] = 'x';
    path[108] = '\0';
    cr_expect(not(takes("SAYSO_SOCKET", path)));
}

Test(conf, a_long_list_of_mistakes_still_fails)
{
    mistakes = buf_make(a, 10);
    cr_expect(
        not(conf_read(a, STR("a=1\nb=2\nc=3\n"), &conf, &mistakes)));
    cr_expect(mistakes.over);
}

static bool reads_owner(const char *file)
{
    mistakes = buf_make(a, 8192);
    return conf_read_owner(a, str_of(file), &conf, &mistakes);
}

Test(conf, the_owner_stands_in_a_file_of_its_own)
{
    cr_assert(reads(REQUIRED));
    cr_expect(not(conf_has_owner(&conf)));
    cr_expect(reads_owner("# the owner\ndatabase_owner = user=sayso_owner\n"));
    cr_expect(conf_has_owner(&conf));
    cr_expect(str_is(conf.database_owner, "user=sayso_owner"));
    setenv("SAYSO_DATABASE_OWNER", "user=other", 1);
    cr_assert(reads(REQUIRED));
    cr_expect(reads_owner("database_owner = user=sayso_owner\n"));
    cr_expect(str_is(conf.database_owner, "user=other"));
}

Test(conf, and_nothing_else_does)
{
    cr_assert(reads(REQUIRED));
    cr_expect(not(reads_owner("")));
    cr_expect(not(reads_owner("database_owner =\n")));
    cr_expect(not(reads_owner("database_owner = a\nworkers = 3\n")));
    MISTAKES("line 2: this file may have database_owner alone, and has to "
             "have it");
    cr_expect(not(reads_owner("database_owner = a\ndatabase_owner = b\n")));
    cr_expect(not(reads_owner("owner = a\n")));
}

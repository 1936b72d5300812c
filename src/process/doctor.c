/* `sayso doctor`: checks an installation, one line for each check, with the
 * remedy for each failure. Changes nothing. */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/commands.h"
#include "process/doctor_standby.h"
#include "process/doctor_users.h"
#include "process/user.h"
#include "store/sql.gen.h"
#include "world/template.h"

#define SKEW_MAX (2 * CLOCK_SECOND)

struct findings {
    int wrong;
};

static void doctor_tell(struct findings *f, bool fine, const char *what,
                        const char *mend)
{
    printf("%s  %s%s%s\n", fine ? "ok   " : "WRONG", what, fine ? "" : ": ",
           fine ? "" : mend);
    f->wrong += fine ? 0 : 1;
}

static void check_templates(const struct command *c, struct findings *f)
{
    struct templates *t = NULL;
    const struct err *e =
        template_load(c->arena, c->conf->templates, false, &t);
    doctor_tell(f, !e, "the templates load",
                e ? arena_z(c->arena, e->say) : "");
}

static bool answers(struct str path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (!str_copy(to.sun_path, sizeof to.sun_path, path))
        return false;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    const bool ok = connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
    close(fd);
    return ok;
}

static void check_sockets(const struct command *c, struct findings *f)
{
    doctor_tell(
        f, answers(c->conf->socket) && answers(c->conf->wait_socket),
        "`sayso serve` listens on its sockets",
        "start it; check that `socket` and `wait_socket` have the same paths "
        "as nginx's fastcgi_pass and that this user may open them");
}

/* Only the web role has more checks, because it handles untrusted input. */
static void check_others(const struct command *c, struct findings *f)
{
    const struct str dsn[] = {c->conf->database_wait, c->conf->database_tick,
                              c->conf->database_deliver};
    bool all = true;
    for (size_t i = 0; i < countof(dsn); i++) {
        struct pg *pg = pg_make(c->arena, dsn[i], "sayso doctor", NULL, 0);
        pg_connect_ms(pg, c->conf->database_connect_ms);
        all = !pg_script(pg, "") && all;
        pg_close(pg);
    }
    doctor_tell(
        f, all, "each process reaches the database",
        "see the lines above; check that `database_wait`, `database_tick` and "
        "`database_deliver` name roles that PostgreSQL accepts");
}

/* A readable file would reveal its secrets. */
static void check_file(const struct command *c, struct findings *f)
{
    struct stat st;
    if (stat(c->conf_path, &st) == 0)
        doctor_tell(f, (st.st_mode & S_IWOTH) == 0,
                    "the configuration is not writable by others",
                    "chmod o-w the file");
}

static void check_rights(const struct pg_rows *r, struct findings *f)
{
    const int64_t skew = clock_now() - pg_int(r, 0, 5);
    doctor_tell(
        f, !pg_bool(r, 0, 1),
        "the web role cannot change or delete an event, a question or a "
        "decision",
        "`database` has to name the role sayso_web (see sql/roles.sql)");
    doctor_tell(f, !pg_bool(r, 0, 2), "the web role cannot make tables",
                "REVOKE CREATE ON SCHEMA public from it");
    doctor_tell(f, !pg_bool(r, 0, 3), "the web role is no superuser",
                "`database` has to name the role sayso_web");
    doctor_tell(f, str_is(pg_str(r, 0, 4), "on/on"), "the database is durable",
                "set fsync = on and synchronous_commit = on");
    doctor_tell(f, skew < SKEW_MAX && skew > -SKEW_MAX,
                "this host's clock and the database's agree",
                "they differ by more than 2 s; run a time service on both");
}

/* May be intended; then these are the keys to protect. */
static void tell_reach(const struct pg_rows *r)
{
    for (size_t i = 0; i < pg_count(r); i++)
        printf("note   the key %.*s (%.*s) reaches every agent's intents\n",
               STR_FMT(pg_str(r, i, 0)), STR_FMT(pg_str(r, i, 1)));
}

static void check_database(const struct command *c, struct findings *f)
{
    struct pg *pg = pg_make(c->arena, c->conf->database, "sayso doctor",
                            sql_statements, sql_statement_count);
    struct pg_rows *rows[3] = {NULL};
    pg_connect_ms(pg, c->conf->database_connect_ms);
    pg_queue(pg, SQL_DOCTOR_RIGHTS, NULL);
    pg_queue(pg, SQL_PING, NULL);
    pg_queue(pg, SQL_DOCTOR_REACH, NULL);
    const struct err *e = pg_run(pg, c->arena, rows);
    doctor_tell(
        f, !e, "the database answers and has all tables",
        "see the lines above; check that it is running, that `database` names "
        "it and that `sayso migrate` was run with this version");
    if (!e)
        check_rights(rows[0], f);
    if (!e)
        tell_reach(rows[2]);
    pg_close(pg);
}

static void check_url(const struct command *c, struct findings *f)
{
    const struct str url = c->conf->public_url;
    const bool local = str_search(url, STR("//127.0.0.1")) < url.n ||
                       str_search(url, STR("//localhost")) < url.n;
    doctor_tell(f, local || str_starts(url, STR("https://")),
                "the public address is encrypted, or only local",
                "put TLS in front and let `public_url` begin with https://");
}

/* Runs the checks of the database as the system user of the web workers. */
static int as_web(const struct command *c, int which)
{
    struct findings f = {.wrong = 0};
    (void)which;
    check_database(c, &f);
    return f.wrong;
}

static int as_tick(const struct command *c, int which)
{
    (void)which;
    return doctor_standby(c);
}

/* ./start has one user for everything, which may be any role of its database;
 * an installation has one for each process. */
static void check_processes(const struct command *c, struct findings *f)
{
    struct doctor_users_finding found[DOCTOR_USERS_MAX];
    if (doctor_users_trying(c)) {
        check_database(c, f);
        check_others(c, f);
        f->wrong += doctor_standby(c);
        printf("note   all processes run as one system user, which may be the "
               "owner of the tables; use this only for a trial\n");
        return;
    }
    const size_t n = doctor_users_look(c, found);
    for (size_t i = 0; i < n; i++)
        doctor_tell(f, found[i].fine, found[i].what, found[i].mend);
    const int web = doctor_users_as(c, USER_WEB, as_web, 0);
    const int tick = doctor_users_as(c, USER_TICK, as_tick, 0);
    if (web < 0) /* cannot become it: the database as this user sees it */
        check_database(c, f);
    if (tick < 0)
        f->wrong += doctor_standby(c);
    f->wrong += (web > 0 ? web : 0) + (tick > 0 ? tick : 0);
}

int doctor_run(const struct command *c)
{
    struct findings f = {.wrong = 0};
    if (!command_options_ok(c, 0, ""))
        return 2;
    doctor_tell(&f, c->conf->password_cost == CRYPT_INTERACTIVE,
                "passwords are hashed at full cost",
                "password_cost = min is for tests only");
    check_file(c, &f);
    check_templates(c, &f);
    check_processes(c, &f);
    check_sockets(c, &f);
    check_url(c, &f);
    printf("%d wrong\n", f.wrong);
    return f.wrong ? 1 : 0;
}

/* `sayso doctor`: checks an installation, one line for each check, with the
 * remedy for each failure. Changes nothing. */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/shared/clock_watch.h"
#include "process/commands/commands.h"
#include "process/commands/doctor/doctor_log.h"
#include "process/commands/doctor/doctor_standby.h"
#include "process/commands/doctor/doctor_users.h"
#include "process/commands/doctor/findings.h"
#include "process/start/user.h"
#include "store/sending/event_cursor.h"
#include "store/tables.h"
#include "world/address.h"
#include "world/outbound.h"
#include "world/template/template.h"

#define SITE_TIME (5 * CLOCK_SECOND)
#define HOLDS_MAX (10 * CLOCK_SECOND) /* of a transaction before streams */

/* ---- a GET at the server's socket (FastCGI 1.0, sections 3 and 5) ------ */

enum { BEGIN = 1, END = 3, PARAMS = 4, STDIN = 5, STDOUT = 6 };

#define SECONDS 4 /* for each read and write */
#define ANSWER_MAX ((size_t)65536)

static int doctor_open(struct str path)
{
    const struct timeval wait = {.tv_sec = SECONDS};
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (!str_copy(to.sun_path, sizeof to.sun_path, path))
        return -1;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait) == 0 &&
        connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

/* A record of request 1, of at most 64 kB. */
static void doctor_record(struct buf *b, int type, struct str content)
{
    const char head[] = {1, (char)type, 0, 1, (char)(content.n >> 8),
                         (char)content.n, 0, 0};
    buf_str(b, (struct str){head, sizeof head});
    buf_str(b, content);
}

/* Names and values are shorter than 128 bytes. */
static void doctor_fcgi_pair(struct buf *b, const char *name, struct str value)
{
    buf_char(b, (char)strlen(name));
    buf_char(b, (char)value.n);
    buf_put(b, name);
    buf_str(b, value);
}

static bool doctor_send(int fd, struct str s)
{
    while (s.n > 0) {
        const ssize_t n = send(fd, s.p, s.n, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        s = str_sub(s, (size_t)n, s.n);
    }
    return true;
}

static bool doctor_read(int fd, char *p, size_t n)
{
    return n == 0 || recv(fd, p, n, MSG_WAITALL) == (ssize_t)n;
}

static bool doctor_read_answer(struct arena *a, int fd, struct buf *out)
{
    unsigned char head[8];
    size_t all = 0;
    while (doctor_read(fd, (char *)head, sizeof head)) {
        const size_t n = (size_t)head[4] << 8 | head[5], padding = head[6];
        char *content = arena_alloc(a, n + padding + 1);
        if (head[1] == END)
            return true;
        if ((all += n) > ANSWER_MAX || !doctor_read(fd, content, n + padding))
            return false;
        if (head[1] == STDOUT)
            buf_str(out, (struct str){content, n});
    }
    return false;
}

static bool doctor_get(struct arena *a, struct str socket, struct str path,
                       struct str *answer)
{
    static const char responder[] = {0, 1, 0, 0, 0, 0, 0, 0};
    struct buf params = buf_make(a, 1024), b = buf_make(a, 2048);
    struct buf out = buf_make(a, ANSWER_MAX);
    const int fd = doctor_open(socket);
    if (fd < 0)
        return false;
    doctor_fcgi_pair(&params, "REQUEST_METHOD", STR("GET"));
    doctor_fcgi_pair(&params, "REQUEST_URI", path);
    doctor_record(&b, BEGIN, (struct str){responder, sizeof responder});
    doctor_record(&b, PARAMS, buf_text(&params));
    doctor_record(&b, PARAMS, STR(""));
    doctor_record(&b, STDIN, STR(""));
    const bool ok =
        doctor_send(fd, buf_text(&b)) && doctor_read_answer(a, fd, &out);
    close(fd);
    *answer = buf_text(&out);
    return ok;
}

/* ---- the checks ------------------------------------------------------- */

static bool doctor_answers(struct str path)
{
    const int fd = doctor_open(path);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void doctor_sockets(const struct command *c, struct findings *f)
{
    findings_tell(
        f,
        doctor_answers(c->conf->socket) &&
            doctor_answers(c->conf->wait_socket),
        "`sayso serve` listens on its sockets",
        "start it; check that `socket` and `wait_socket` have the same paths "
        "as nginx's fastcgi_pass and that this user may open them");
}

/* Only the web role has more checks, because it handles untrusted input. */
static void doctor_others(const struct command *c, struct findings *f)
{
    const struct str dsn[] = {c->conf->database_wait, c->conf->database_tick,
                              c->conf->database_deliver,
                              c->conf->database_seal,
                              c->conf->database_erase};
    bool all = true;
    for (size_t i = 0; i < countof(dsn); i++) {
        struct pg *pg = pg_make(c->arena, dsn[i], "sayso doctor", NULL, 0);
        pg_connect_ms(pg, c->conf->database_connect_ms);
        all = !pg_script(pg, "") && all;
        pg_close(pg);
    }
    findings_tell(
        f, all, "each process reaches the database",
        "see the lines above; check that `database_wait`, `database_tick`, "
        "`database_deliver`, `database_seal` and `database_erase` name roles "
        "that PostgreSQL accepts");
}

static void doctor_rights(const struct pg_rows *r, struct findings *f)
{
    const int64_t skew = clock_host() - pg_int(r, 0, 5);
    findings_tell(
        f, !pg_bool(r, 0, 1),
        "the web role cannot change or delete an event, a question or a "
        "decision",
        "`database` has to name the role sayso_web (see sql/roles.sql)");
    findings_tell(f, !pg_bool(r, 0, 2), "the web role cannot make tables",
                  "REVOKE CREATE ON SCHEMA public from it");
    findings_tell(f, !pg_bool(r, 0, 3), "the web role is not a superuser",
                  "`database` has to name the role sayso_web");
    findings_tell(f, str_is(pg_str(r, 0, 4), "on/on"),
                  "the database is durable",
                  "set fsync = on and synchronous_commit = on");
    findings_tell(f, !pg_bool(r, 0, 6), "the database takes writes",
                  "it is a standby, or default_transaction_read_only is on");
    findings_tell(f, skew < CLOCK_WATCH_MAX && skew > -CLOCK_WATCH_MAX,
                  "this host's clock and the database's agree",
                  "they differ by more than 2 s; run a time service on both");
}

/* Keys that somebody should know of, and nothing is wrong. */
static void doctor_notes(const struct pg_rows *reach,
                         const struct pg_rows *same,
                         const struct pg_rows *near)
{
    /* May be intended; then these are the keys to protect. */
    for (size_t i = 0; i < pg_count(reach); i++)
        printf("note   the key %.*s (%.*s) reaches every agent's intents\n",
               STR_FMT(pg_str(reach, i, 0)), STR_FMT(pg_str(reach, i, 1)));
    /* A test key and a real key with one name; the test key is refused. */
    for (size_t i = 0; i < pg_count(same); i++)
        printf("note   the test key %.*s (%.*s) shares with real keys: "
               "%.*s\n",
               STR_FMT(pg_str(same, i, 0)), STR_FMT(pg_str(same, i, 1)),
               STR_FMT(pg_str(same, i, 2)));
    /* A limit may be new, or lower than before. */
    for (size_t i = 0; i < pg_count(near); i++)
        printf("note   the key %.*s (%.*s) uses %lld of its %.*s, %lld\n",
               STR_FMT(pg_str(near, i, 0)), STR_FMT(pg_str(near, i, 1)),
               (long long)pg_int(near, i, 3), STR_FMT(pg_str(near, i, 2)),
               (long long)pg_int(near, i, 4));
}

/* Are they of one version? */
static bool doctor_version(const struct command *c, int64_t tables,
                           struct findings *f)
{
    const struct str mend =
        arena_join(c->arena, STR("the tables are number "),
                   arena_number(c->arena, tables),
                   STR(", this program needs "),
                   arena_number(c->arena, SQL_TABLES),
                   tables < SQL_TABLES ? STR("; run `sayso migrate`")
                                       : STR("; install the newer program"));
    findings_tell(f, tables == SQL_TABLES,
                  "the program and the tables are of one version",
                  arena_z(c->arena, mend));
    return tables == SQL_TABLES;
}

static void doctor_database(const struct command *c, struct findings *f)
{
    struct pg *pg = pg_make(c->arena, c->conf->database, "sayso doctor",
                            sql_statements, sql_statement_count);
    const struct conf *conf = c->conf;
    struct pg_rows *rows[5] = {NULL}, *newest = NULL;
    pg_connect_ms(pg, c->conf->database_connect_ms);
    /* Statements for tables of another version say nothing of use. */
    if (!pg_query(pg, c->arena, SQL_MIGRATION_NEWEST, NULL, &newest) &&
        !doctor_version(c, pg_int(newest, 0, 0), f)) {
        pg_close(pg);
        return;
    }
    pg_queue(pg, NULL, SQL_DOCTOR_RIGHTS, NULL);
    pg_queue(pg, NULL, SQL_PING, NULL);
    pg_queue(pg, NULL, SQL_DOCTOR_REACH, NULL);
    pg_queue(pg, NULL, SQL_DOCTOR_PAIRS, NULL);
    pg_queue(pg, c->arena, SQL_DOCTOR_NEAR,
             PG(pg_number(conf->limit_open), pg_number(conf->limit_bytes_mb),
                pg_number(conf->limit_subscriptions),
                pg_number(conf->limit_endpoints)));
    const struct err *e = pg_run(pg, c->arena, rows);
    findings_tell(
        f, !e, "the database answers and has all tables",
        "see the lines above; check that it is running, that `database` names "
        "it and that `sayso migrate` was run with this version");
    if (!e) {
        doctor_rights(rows[0], f);
        const struct tables_restore restore =
            tables_restore_of(pg_str(rows[1], 0, 1));
        findings_tell(
            f, !restore.elsewhere,
            "it is the cluster and database that Sayso knows",
            "it was restored or moved: `sayso restored` "
            "(docs/operations/backup.md)");
        findings_tell(f, !restore.waits, "nothing waits after a restore",
                      "reminders, expiries and deliveries wait for `sayso "
                      "restored --go`");
        doctor_notes(rows[2], rows[3], rows[4]);
        findings_tell(f, pg_count(rows[3]) == 0,
                      "no agent's name belongs to a test key and a real one",
                      "those test keys are refused; revoke them, and make "
                      "others with names of their own");
    }
    pg_close(pg);
}

/* As people come: through the web server, by the public address. */
static void doctor_site(const struct command *c, struct findings *f)
{
    struct outbound_answer got;
    struct json *o = NULL;
    outbound_call(
        c->arena,
        &(struct outbound_call){
            .url = arena_join(c->arena, c->conf->public_url, STR("/healthz")),
            .time = SITE_TIME,
            .ca_file = c->conf->ca_file},
        &got);
    const bool read =
        got.status == 200 && !json_parse(c->arena, got.body, &o);
    const struct str site = read ? json_get_text(o, "site") : STR_NONE;
    findings_tell(
        f, site.p != NULL, "Sayso answers at its public address",
        arena_z(c->arena, arena_join(
            c->arena,
            STR("start it; check `public_url`, the web server, its "
                "certificate, and that this host reaches the address"),
            got.status ? STR("") : STR(": "),
            got.status ? STR("") : got.body)));
    if (site.p)
        findings_tell(f, str_is(site, "current"),
                      "nginx's site is of the program's version",
                      "include the files of /usr/share/sayso/nginx "
                      "(docs/operations/install.md) and reload nginx");
}

/* Runs the checks of the database as the system user of the web workers. */
static int doctor_as_web(const struct command *c, int which)
{
    struct findings f = {.wrong = 0};
    (void)which;
    doctor_database(c, &f);
    return f.wrong;
}

/* The transactions that streams wait for; those of Sayso take moments. Only the
 * clock's role sees their age. */
static void doctor_streams(const struct command *c, struct findings *f)
{
    struct pg *pg = pg_make(c->arena, c->conf->database_tick, "sayso doctor",
                            sql_statements, sql_statement_count);
    struct event_cursor_holders h;
    size_t n = 0;
    pg_connect_ms(pg, c->conf->database_connect_ms);
    const struct err *e = event_cursor_holders(pg, c->arena, &h);
    pg_close(pg);
    if (e)
        return; /* another check has reported it */
    for (size_t i = 0; i < h.n; i++) {
        const struct event_cursor_holder *t = &h.v[i];
        if (t->us < CLOCK_SECOND)
            continue;
        n += t->us > HOLDS_MAX;
        printf("note   streams wait for a transaction: pid %.*s, user %.*s, "
               "database %.*s, for %.0f s\n", STR_FMT(t->who),
               STR_FMT(t->user), STR_FMT(t->database),
               (double)t->us / CLOCK_SECOND);
    }
    findings_tell(f, n == 0, "no transaction keeps streams waiting for 10 s",
                  "end the ones named above (pg_terminate_backend, ROLLBACK "
                  "PREPARED) and set idle_in_transaction_session_timeout for "
                  "their users");
}

static int doctor_as_tick(const struct command *c, int which)
{
    struct findings f = {.wrong = 0};
    (void)which;
    doctor_streams(c, &f);
    return f.wrong + doctor_standby(c);
}

/* ./start has one user for everything, which may be any role of its database;
 * an installation has one for each process. */
static void doctor_processes(const struct command *c, struct findings *f)
{
    struct doctor_users_finding found[DOCTOR_USERS_MAX];
    if (doctor_users_trying(c)) {
        doctor_database(c, f);
        doctor_others(c, f);
        f->wrong += doctor_as_tick(c, 0) + doctor_log(c, 0);
        printf("note   all processes run as one system user, which may be the "
               "owner of the tables; use this only for a trial\n");
        return;
    }
    const size_t n = doctor_users_look(c, found);
    for (size_t i = 0; i < n; i++)
        findings_tell(f, found[i].fine, found[i].what, found[i].mend);
    const int web = doctor_users_as(c, USER_WEB, doctor_as_web, 0);
    const int tick = doctor_users_as(c, USER_TICK, doctor_as_tick, 0);
    doctor_log_credential(c);
    const int seal = doctor_users_as(c, USER_SEAL, doctor_log, 0);
    if (web < 0) /* cannot become it: the database as this user sees it */
        doctor_database(c, f);
    if (tick < 0)
        f->wrong += doctor_as_tick(c, 0);
    if (seal < 0)
        f->wrong += doctor_log(c, 0);
    f->wrong +=
        (web > 0 ? web : 0) + (tick > 0 ? tick : 0) + (seal > 0 ? seal : 0);
}

int doctor_run(const struct command *c)
{
    struct findings f = {.wrong = 0};
    if (!command_options_ok(c, 0, ""))
        return 2;
    findings_tell(&f, c->conf->password_cost == CRYPT_INTERACTIVE,
                  "passwords are hashed at full cost",
                  "password_cost = min is for tests only");
    /* A readable file would reveal its secrets. */
    struct stat st;
    if (stat(c->conf_path, &st) == 0)
        findings_tell(&f, (st.st_mode & S_IWOTH) == 0,
                      "the configuration is not writable by others",
                      "chmod o-w the file");
    struct templates *t = NULL;
    const struct err *e =
        template_load(c->arena, c->conf->templates, false, &t);
    findings_tell(&f, !e, "the templates load",
                  e ? arena_z(c->arena, e->say) : "");
    doctor_processes(c, &f);
    doctor_sockets(c, &f);
    /* The server itself is asked: a clock that was wrong may be right again
     * when this command looks. A server that does not answer was reported by
     * doctor_sockets. */
    struct str answer = STR("");
    struct json *o = NULL;
    if (doctor_get(c->arena, c->conf->socket, STR("/readyz"), &answer)) {
        const struct str code =
            str_sub(answer, str_search(answer, STR("{")), answer.n);
        const bool held = !json_parse(c->arena, code, &o) &&
                          str_is(json_get_text(o, "code"), "clock.differs");
        findings_tell(&f, !held,
                      "the clock has been right since the server began",
                      "it was not, or it jumped, and nothing expires "
                      "until a reload; the log says when and how far. Look at "
                      "this host's clock and the database's, then `systemctl "
                      "reload sayso`");
    }
    const struct str url = c->conf->public_url;
    findings_tell(&f, address_here(url) || str_starts(url, STR("https://")),
                  "the public address is encrypted, or only local",
                  "put TLS in front and let `public_url` begin with https://");
    doctor_site(c, &f);
    printf("%d wrong\n", f.wrong);
    return f.wrong ? 1 : 0;
}

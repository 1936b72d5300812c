/* The part of `sayso doctor` about the roles that each process could take.
 *
 * A process can take every role that the database gives to its system user. So
 * all are tried: a child becomes that user and connects, with every connection
 * string of the configuration and as every role. */
#include "process/commands/doctor/doctor_users.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/start/load_conf.h"
#include "process/start/user.h"
#include "world/address.h"

#define CANNOT 101 /* the child could not become the user */

enum { ROLE_DB_WEB, ROLE_DB_WAIT, ROLE_DB_TICK, ROLE_DB_DELIVER, ROLE_DB_SEAL,
       ROLE_DB_ERASE, ROLE_DB_OWNER, ROLE_DB_SUPER, ROLE_DB__MAX };

static const char *const roles[ROLE_DB__MAX] = {
    "sayso_web",  "sayso_wait",  "sayso_tick", "sayso_deliver",
    "sayso_seal", "sayso_erase", "sayso_owner", "postgres"};

/* The system users, each with its one role. */
static const struct {
    const char *user;
    int own; /* ROLE_DB__MAX: none */
    const char *what;
} subjects[] = {
    {USER_WEB, ROLE_DB_WEB, "sayso-web is sayso_web and nobody else"},
    {USER_WAIT, ROLE_DB_WAIT, "sayso-wait is sayso_wait and nobody else"},
    {USER_TICK, ROLE_DB_TICK, "sayso-tick is sayso_tick and nobody else"},
    {USER_DELIVER, ROLE_DB_DELIVER,
     "sayso-deliver is sayso_deliver and nobody else"},
    {USER_SEAL, ROLE_DB_SEAL, "sayso-seal is sayso_seal and nobody else"},
    {USER_ERASE, ROLE_DB_ERASE, "sayso-erase is sayso_erase and nobody else"},
    {USER_SUPERVISOR, ROLE_DB__MAX,
     "sayso, the supervisor, has no role in the database"},
};

bool doctor_users_trying(const struct command *c)
{
    const struct str url = c->conf->public_url;
    return conf_has_owner(c->conf) &&
           str_starts(url, STR("http://")) && address_here(url);
}

/* ---- as another user ------------------------------------------------- */

int doctor_users_as(const struct command *c, const char *name,
                    int (*check)(const struct command *c, int which),
                    int which)
{
    struct user u;
    int status = 0;
    if (!user_find(name, &u))
        return -1;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        const int n = user_become(&u) ? check(c, which) : CANNOT;
        fflush(stdout);
        _exit(n);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
        WEXITSTATUS(status) == CANNOT)
        return -1;
    return WEXITSTATUS(status);
}

/* ---- trying roles ---------------------------------------------------- */

/* Adds a role to a connection string, in either of its spellings: of repeated
 * keys libpq uses the last. */
static struct str doctor_users_dsn(struct arena *a, struct str dsn,
                                   const char *role)
{
    const bool uri = str_starts(dsn, STR("postgresql://")) ||
                     str_starts(dsn, STR("postgres://"));
    const bool more = str_find(dsn, '?', 0) < dsn.n;
    return arena_join(a, dsn,
                      !uri   ? STR(" user=")
                      : more ? STR("&user=")
                             : STR("?user="),
                      str_of(role));
}

static bool doctor_users_let_in(const struct command *c, struct str dsn)
{
    struct pg *pg = pg_make(c->arena, dsn, "sayso doctor", NULL, 0);
    const bool in = !pg_script(pg, "");
    pg_close(pg);
    return in;
}

static struct str doctor_users_own_dsn(const struct conf *conf, int role)
{
    const struct str own[] = {conf->database, conf->database_wait,
                              conf->database_tick, conf->database_deliver,
                              conf->database_seal, conf->database_erase};
    return role < ROLE_DB_OWNER ? own[role] : conf->database;
}

/* Tries every role but the user's own, with each of the connection strings. The
 * expected refusals would be errors in the log, so they are not logged. */
static int doctor_users_others(const struct command *c, int own)
{
    int in = 0;
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0)
        dup2(null, STDERR_FILENO);
    for (int role = 0; role < ROLE_DB__MAX; role++) {
        if (role == own)
            continue;
        for (int i = 0; i < ROLE_DB_OWNER; i++)
            in += doctor_users_let_in(
                c, doctor_users_dsn(c->arena, doctor_users_own_dsn(c->conf, i),
                                    roles[role]));
        in += role < ROLE_DB_OWNER &&
              doctor_users_let_in(c, doctor_users_own_dsn(c->conf, role));
    }
    return in;
}

static int doctor_users_knock(const struct command *c, int own)
{
    const bool shut =
        own < ROLE_DB_OWNER &&
        !doctor_users_let_in(c, doctor_users_own_dsn(c->conf, own));
    const bool reads = c->admin_path && access(c->admin_path, R_OK) == 0;
    return shut + reads + doctor_users_others(c, own);
}

static int doctor_users_owner(const struct command *c, int which)
{
    (void)which;
    return !doctor_users_let_in(c, c->conf->database_owner);
}

static bool doctor_users_admin(const struct command *c)
{
    struct conf conf;
    struct command admin = *c;
    admin.conf = &conf;
    return load_conf_owner(c->arena, c->conf_path, c->admin_path, &conf) &&
           conf_has_owner(&conf) &&
           doctor_users_as(&admin, USER_ADMIN, doctor_users_owner, 0) == 0;
}

/* ---- findings -------------------------------------------------------- */

size_t doctor_users_look(const struct command *c,
                         struct doctor_users_finding out[static
                                                         DOCTOR_USERS_MAX])
{
    size_t n = 0;
    struct user u;
    bool there = user_find(USER_ADMIN, &u);
    for (size_t i = 0; i < countof(subjects); i++)
        there = user_find(subjects[i].user, &u) && there;
    const bool able = user_may_switch();
    out[n++] = (struct doctor_users_finding){
        !conf_has_owner(c->conf), "the service does not know database_owner",
        "move that line into the file of sayso-admin"};
    out[n++] = (struct doctor_users_finding){
        able, "doctor can check as each process", "run it as root"};
    out[n++] = (struct doctor_users_finding){
        there, "each kind of process has its own system user",
        "run systemd-sysusers, and restart the service"};
    if (!able || !there)
        return n;
    for (size_t i = 0; i < countof(subjects); i++)
        out[n++] = (struct doctor_users_finding){
            doctor_users_as(c, subjects[i].user, doctor_users_knock,
                            subjects[i].own) == 0,
            subjects[i].what,
            "pg_ident.conf, pg_hba.conf or the permissions of a file allow "
            "too "
            "much or too little; see docs/operations/install.md"};
    out[n++] = (struct doctor_users_finding){
        doctor_users_admin(c), "sayso-admin is sayso_owner",
        "its file names no such role, or pg_ident.conf does not allow it"};
    return n;
}

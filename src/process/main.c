/* The program's entry: chooses the command and reads its configuration.
 *
 * Every command is a function of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crypt.h"
#include "base/version.h"
#include "process/commands/commands.h"
#include "process/start/load_conf.h"
#include "process/supervise.h"
#include "store/tables.h"

#ifndef SAYSO_CONF_FILE
#define SAYSO_CONF_FILE "/etc/sayso.conf"
#endif
#ifndef SAYSO_ADMIN_CONF_FILE
#define SAYSO_ADMIN_CONF_FILE "/etc/sayso-admin.conf"
#endif
#ifndef SAYSO_SETUP
#define SAYSO_SETUP "/usr/libexec/sayso/setup"
#endif

/* A command, or some of its parts, in each. */
static const char *const usage[] = {
    "sayso serve                     run the server\n",
    "sayso serve --only KIND --pool SOCKET\n"
    "                                one kind of its processes (web, wait, "
    "tick, deliver,\n"
    "                                seal, erase), each in a container of its "
    "own\n",
    "sayso ask QUESTION [--choice VALUE]... [--wait 1h] "
    "[--severity LEVEL] "
    "[--explanation TEXT] [--once NAME]\n"
    "                                ask a person and wait: exit status 0 "
    "yes, 1 no,\n"
    "                                2 nobody answered, 3 not asked. With "
    "choices the\n"
    "                                answer is printed, and the status is 0 "
    "unless it\n"
    "                                is a word for no\n",
    "sayso setup [--url URL] [--certificate FILE --key FILE] [--admin EMAIL] "
    "[--name NAME] "
    "[--answers FILE] [--yes] [--print]\n"
    "                                install it on this machine: database, "
    "files,\n"
    "                                site, service and first admin; --print "
    "only\n"
    "                                prints the commands that are missing\n",
    "sayso migrate [--plan]          bring the database's tables up to date; "
    "--plan\n"
    "                                only names what is to do\n",
    "sayso key create --role ROLE --label TEXT [--agent NAME]... "
    "[--reach own|all] [--groups A,B] [--expires-days N] "
    "[--retry-policy JSON] [--severity-floor LEVEL] [--by WHO] "
    "[--resource ID] [--test]\n"
    "sayso key floor ID-OR-PREFIX LEVEL\n"
    "sayso key by ID-OR-PREFIX none|operators|group:NAME|initiator\n"
    "sayso key reach ID-OR-PREFIX own|all\n"
    "sayso key list\n"
    "sayso key revoke ID-OR-PREFIX\n"
    "                                the keys of agents, operators and "
    "programs\n",
    "sayso operator create --email E --name N "
    "[--role operator|admin|auditor|user] "
    "[--groups A,B] [--bulk-limit LEVEL] [--password-stdin]\n"
    "sayso operator change --email E [--name N] [--role ROLE] [--groups A,B] "
    "[--bulk-limit LEVEL]\n"
    "sayso operator list\n"
    "sayso operator password --email E [--password-stdin]\n"
    "sayso operator disable|enable --email E\n"
    "                                the people who sign in\n"
    "sayso operator erase --email E [--dry-run]\n"
    "                                what is known of a person whose account "
    "is disabled\n",
    "sayso resource add --identifier ADDRESS --name TEXT [--allow-bearer]\n"
    "sayso resource list\n"
    "sayso resource remove ID\n"
    "                                gateways that approved calls pass\n",
    "sayso rule add --position N --tool PATTERN --effect allow|ask|deny "
    "[--agent PATTERN] [--severity LEVEL] [--by WHO] [--reason TEXT]\n"
    "                                ask needs --severity\n"
    "sayso rule list\n"
    "sayso rule remove POSITION\n"
    "                                the rules for tool calls\n",
    "sayso delivery failed [--endpoint NAME] [--since TIME]\n"
    "                                the deliveries that were given up, newest "
    "first\n"
    "sayso delivery again [--endpoint NAME] [--since TIME]\n"
    "                                send all of them again\n",
    "sayso retention add --name NAME --days N [--kind KIND] "
    "[--outcome OUTCOME] [--dry-run]\n"
    "sayso retention list\n"
    "sayso retention preview|start|remove NAME\n"
    "sayso retention run\n"
    "                                rules that erase contents some time after "
    "the end\n",
    "sayso restored --lost-from TIME | --nothing-lost | --go\n"
    "                                after a restore, with the server "
    "stopped\n",
    "sayso log-key new --file PATH\n"
    "sayso log-key list\n"
    "sayso log-key rotate [--now]\n"
    "sayso log-key retire KID [--compromised]\n"
    "                                the keys that sign the log\n",
    "sayso export --log FILE [--intent ID] [--head FILE]\n"
    "                                write the log to a file, or the part of "
    "one\n"
    "                                intent with its proofs\n"
    "sayso export --decided FILE [--since TIME] [--csv]\n"
    "                                write all that was decided, as JSON Lines "
    "or CSV\n",
    "sayso verify [INTENT-ID]        check the events, the questions and the "
    "log\n"
    "sayso verify [--since POINT] [--head FILE]... [--key KEY]...\n"
    "                                the same against heads and keys that you "
    "kept;\n"
    "                                what came after a checkpoint alone\n"
    "sayso verify --bundle FILE --key KEY [--key KEY]... [--head FILE]\n"
    "sayso verify --receipt FILE --key KEY [--key KEY]...\n"
    "                                check an export of the log or a "
    "receipt\n"
    "                                anywhere: exit status 0 sound, 1 broken, "
    "2 it\n"
    "                                cannot be read\n",
    "sayso doctor                    name what is wrong with an installation\n",
    "sayso version                   the numbers of the program, its tables "
    "and its site\n",
    "\n"
    "The configuration is the file named by SAYSO_CONF, or\n"
    SAYSO_CONF_FILE ";\n"
    "ask needs none: SAYSO_URL, SAYSO_AGENT_KEY and perhaps SAYSO_AGENT.\n"
    "SAYSO_DATABASE and the like override its lines. Commands that act as the\n"
    "owner of the tables (migrate, key, operator, resource, rule, delivery,\n"
    "retention, log-key, export, verify, restored) read database_owner from\n"
    "the file named by SAYSO_ADMIN_CONF, or\n"
    SAYSO_ADMIN_CONF_FILE ".\n"};

static void usage_print(FILE *to)
{
    for (size_t i = 0; i < countof(usage); i++)
        fputs(usage[i], to);
}

/* The configuration that a command reads. */
enum needs { NEEDS_NONE, NEEDS_SERVER, NEEDS_OWNER };

static int version_run(const struct command *c)
{
    if (!command_options_ok(c, 0, ""))
        return 2;
    printf("sayso %s\ntables %d\nsite %s\n", version_build, SQL_TABLES,
           version_site);
    return 0;
}

/* A script of its own: it runs as root, and runs the other commands. */
static int setup_run(const struct command *c)
{
    execv(SAYSO_SETUP, c->argv - 1); /* with "setup" as its name */
    perror("sayso: " SAYSO_SETUP);
    return 1;
}

static const struct {
    const char *name;
    int (*run)(const struct command *c);
    enum needs needs;
} commands[] = {{"ask", ask_run, NEEDS_NONE},
                {"setup", setup_run, NEEDS_NONE},
                {"migrate", migrate_run, NEEDS_OWNER},
                {"key", key_run, NEEDS_OWNER},
                {"operator", operator_run, NEEDS_OWNER},
                {"resource", resource_run, NEEDS_OWNER},
                {"delivery", delivery_run, NEEDS_OWNER},
                {"log-key", log_key_run, NEEDS_OWNER},
                {"rule", rule_run, NEEDS_OWNER},
                {"retention", retention_run, NEEDS_OWNER},
                {"export", export_run, NEEDS_OWNER},
                {"verify", verify_run, NEEDS_OWNER},
                {"restored", restored_run, NEEDS_OWNER},
                {"doctor", doctor_run, NEEDS_SERVER},
                {"version", version_run, NEEDS_NONE},
                {"--version", version_run, NEEDS_NONE}};

static const char *conf_path(void)
{
    const char *path = getenv("SAYSO_CONF");
    return path && path[0] ? path : SAYSO_CONF_FILE;
}

/* NULL: none. A command with another configuration does not read the usual
 * admin file. */
static const char *admin_path(void)
{
    const char *path = getenv("SAYSO_ADMIN_CONF");
    const char *other = getenv("SAYSO_CONF");
    if (path && path[0])
        return path;
    return other && other[0] ? NULL : SAYSO_ADMIN_CONF_FILE;
}

/* A command has no memory of the history, so it looks at all hosts first: one
 * that is named before the primary may be an old one. */
static struct pg *main_owner(struct arena *a, const struct conf *conf)
{
    struct pg *pg = tables_open(a, conf->database_owner, "sayso admin");
    struct pg *hosts = tables_open(a, conf->database_owner, "sayso survey");
    pg_connect_ms(hosts, conf->database_connect_ms);
    if (timeline_share())
        pg_survey(hosts);
    pg_patient(pg);
    pg_connect_ms(pg, conf->database_connect_ms);
    return pg;
}

static int main_run(int argc, char **argv)
{
    struct arena *a = arena_make(ARENA_PROCESS_MAX);
    struct conf conf;
    struct command c = {
        .arena = a,
        .conf = &conf,
        .conf_path = conf_path(),
        .admin_path = admin_path(),
        .argc = argc - 2,
        .argv = argv + 2};
    int status = 2;
    for (size_t i = 0; i < countof(commands); i++) {
        if (!str_is(str_of(argv[1]), commands[i].name))
            continue;
        /* A file is checked anywhere. */
        const bool bare = command_option(&c, "--bundle", 0).p ||
                          command_option(&c, "--receipt", 0).p;
        const enum needs needs = bare ? NEEDS_NONE : commands[i].needs;
        const bool read =
            needs == NEEDS_OWNER
                ? load_conf_owner(a, c.conf_path, c.admin_path, &conf)
                : needs == NEEDS_NONE || load_conf(a, c.conf_path, &conf);
        if (read && needs == NEEDS_OWNER)
            c.pg = main_owner(a, &conf);
        status = read ? commands[i].run(&c) : 1;
        if (c.pg)
            pg_close(c.pg);
        arena_free(a);
        return status;
    }
    fprintf(stderr, "sayso: there is no command %s\n", argv[1]);
    usage_print(stderr);
    arena_free(a);
    return status;
}

static int serve_run(int argc, char **argv)
{
    const struct command c = {.argc = argc - 2, .argv = argv + 2};
    const struct supervise_args args = {
        .path = conf_path(),
        .only = command_option(&c, "--only", 0),
        .pool = command_option(&c, "--pool", 0)};
    if (!command_options_ok(&c, 0, "--only= --pool="))
        return 2;
    if (!args.only.p != !args.pool.p) {
        fputs("sayso: --only and --pool need each other\n", stderr);
        return 2;
    }
    return supervise_run(&args);
}

int main(int argc, char **argv)
{
    if (argc < 2 || str_is(str_of(argv[1]), "help") ||
        str_is(str_of(argv[1]), "--help")) {
        usage_print(argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (!crypt_init()) {
        fputs("sayso: the system has no random source\n", stderr);
        return 1;
    }
    const bool serves = str_is(str_of(argv[1]), "serve");
    /* A file with which tests move the clock. The server says so. */
    const char *shift = getenv("SAYSO_TEST_CLOCK");
    const bool shifted = shift && shift[0];
    if (shifted && serves)
        fputs("sayso: the clock is moved for tests\n", stderr);
    if (shifted && !clock_shift(shift)) {
        fputs("sayso: SAYSO_TEST_CLOCK cannot be read\n", stderr);
        return 1;
    }
    if (serves)
        return serve_run(argc, argv);
    return main_run(argc, argv);
}

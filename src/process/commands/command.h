/* The parts that the commands of the program share: their arguments, their
 * database. */
#ifndef PROCESS_COMMANDS_COMMAND_H
#define PROCESS_COMMANDS_COMMAND_H

#include "base/conf.h"
#include "world/pg/pg.h"

struct command {
    struct arena *arena;
    const char *conf_path;
    const char *admin_path; /* of database_owner; NULL: none */
    const struct conf *conf;
    struct pg *pg; /* as the owner, without deadlines, with all statements, from
                    * its first use on; NULL: not a command of the owner's */
    int argc;      /* after the command's name */
    char **argv;
};

/* A part of a command, as `sayso key list`. */
struct command_verb {
    const char *name;
    int (*run)(const struct command *c);
    const char *options; /* that it takes; NULL: it reads its arguments */
};
/* Runs the part that the first argument names, and returns the exit status.
 * usage: printed where there is none. */
int command_run(const struct command *c, const struct command_verb *verbs,
                size_t n, const char *usage);

/* The value after --name, or p NULL. Repeated options: the nth, from 0. */
struct str command_option(const struct command *c, const char *name,
                          size_t nth);
/* Is --name among the arguments? */
bool command_flag(const struct command *c, const char *name);
/* Reports arguments that are not in the space-separated list of "--name="
 * (takes a value) and "--name". from: the first option. */
bool command_options_ok(const struct command *c, int from, const char *known);
/* The exit status: 0, or 1 where there is an error, which is printed for a
 * person. */
int command_end(const struct err *e);
/* One line of standard input without its end; p NULL when there is none. */
struct str command_line(struct arena *a);

#endif

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
    int argc; /* after the command's name */
    char **argv;
};

/* The value after --name, or p NULL. Repeated options: the nth, from 0. */
struct str command_option(const struct command *c, const char *name,
                          size_t nth);
/* Is --name among the arguments? */
bool command_flag(const struct command *c, const char *name);
/* Reports arguments that are not in the space-separated list of "--name="
 * (takes a value) and "--name". from: the first option. */
bool command_options_ok(const struct command *c, int from, const char *known);
/* A connection as the owner, without deadlines, with all statements. */
struct pg *command_owner(const struct command *c);
/* Prints an error for a person; returns 1, the exit status. */
int command_failed(const struct err *e);
/* One line of standard input without its end; p NULL when there is none. */
struct str command_line(struct arena *a);

#endif

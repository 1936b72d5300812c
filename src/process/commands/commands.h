/* The commands of the program that are run by a person. */
#ifndef PROCESS_COMMANDS_COMMANDS_H
#define PROCESS_COMMANDS_COMMANDS_H

#include "process/commands/command.h"

/* The commands, each in the file of its name. They return the exit status of
 * the program: 0 done, 1 failed, 2 called wrongly. */
int migrate_run(const struct command *c);
int key_run(const struct command *c);
int operator_run(const struct command *c);
int resource_run(const struct command *c);
int rule_run(const struct command *c);
int delivery_run(const struct command *c);
int retention_run(const struct command *c);
int log_key_run(const struct command *c);
int export_run(const struct command *c);
int verify_run(const struct command *c);
int restored_run(const struct command *c);
int doctor_run(const struct command *c);
/* Without a configuration. 0: yes, or a choice; 1: no; 2: nobody answered; 3:
 * it could not be asked. */
int ask_run(const struct command *c);

#endif

/* `sayso verify --bundle`. */
#ifndef PROCESS_COMMANDS_VERIFY_BUNDLE_H
#define PROCESS_COMMANDS_VERIFY_BUNDLE_H

#include "process/commands/command.h"

/* Returns the exit status: 0 sound, 1 broken, 2 called wrongly, or a file that
 * cannot be read. */
int verify_bundle_run(const struct command *c);

#endif

/* `sayso verify` of a file, which needs no database. */
#ifndef PROCESS_COMMANDS_VERIFY_FILE_H
#define PROCESS_COMMANDS_VERIFY_FILE_H

#include "process/commands/command.h"

/* They return the exit status: 0 sound, 1 broken, 2 called wrongly, or a file
 * that cannot be read. --bundle FILE --key KEY [--head FILE]; --receipt FILE
 * --key KEY. */
int verify_file_bundle(const struct command *c);
int verify_file_receipt(const struct command *c);

#endif

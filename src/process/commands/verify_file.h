/* `sayso verify` of a file, which needs no database. */
#ifndef PROCESS_COMMANDS_VERIFY_FILE_H
#define PROCESS_COMMANDS_VERIFY_FILE_H

#include "domain/log/bundle.h"
#include "process/commands/command.h"

/* They return the exit status: 0 sound, 1 broken, 2 called wrongly, or a file
 * that cannot be read. --bundle FILE --key KEY [--head FILE]; --receipt FILE
 * --key KEY. */
int verify_file_bundle(const struct command *c);
int verify_file_receipt(const struct command *c);
/* Prints a text of a file or of the database, which nobody trusts: a control
 * character becomes a question mark. */
void verify_file_put(struct str s);
/* The keys of all --key. 0: one of them is none, or there is none, and that was
 * printed. */
size_t verify_file_keys(const struct command *c, struct arena *a,
                        struct note_key out[BUNDLE_KEYS]);

#endif

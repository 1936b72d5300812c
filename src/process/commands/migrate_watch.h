/* The lines of `sayso migrate` about a file that takes long: the lock that it
 * waits for and who has that, and how far it is. */
#ifndef PROCESS_COMMANDS_MIGRATE_WATCH_H
#define PROCESS_COMMANDS_MIGRATE_WATCH_H

#include "process/commands/command.h"

struct migrate_watch;
/* Watches pg, which is open, through a connection of its own. Ends with
 * migrate_watch_end. */
struct migrate_watch *migrate_watch_make(const struct command *c,
                                         struct pg *pg);
/* From now on pg does this; what lives as long. Forgets a lock of before. */
void migrate_watch_begin(struct migrate_watch *w, struct str what);
/* Seconds since then. */
double migrate_watch_seconds(const struct migrate_watch *w);
/* The last lock that was waited for since then, and who had it: "table
 * decision, which process 12 has (user postgres, "psql")". p NULL: none was
 * seen. */
struct str migrate_watch_lock(const struct migrate_watch *w);
void migrate_watch_end(struct migrate_watch *w);

#endif

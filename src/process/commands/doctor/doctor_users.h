/* The part of `sayso doctor` about the roles that each process could take,
 * tried as its user. */
#ifndef PROCESS_COMMANDS_DOCTOR_DOCTOR_USERS_H
#define PROCESS_COMMANDS_DOCTOR_DOCTOR_USERS_H

#include "process/commands/command.h"

/* Is this a trial installation (./start): one user runs everything, on an
 * address of this machine alone, and the configuration of the service names the
 * owner? */
bool doctor_users_trying(const struct command *c);
/* Runs check as that system user, in a process of its own. Returns its result,
 * 0 to 100, or -1 where this process cannot become that user. */
int doctor_users_as(const struct command *c, const char *name,
                    int (*check)(const struct command *c, int which),
                    int which);

struct doctor_users_finding {
    bool fine;
    const char *what, *mend;
};
#define DOCTOR_USERS_MAX 12
/* Fills in the findings; returns their number. */
size_t doctor_users_look(const struct command *c,
                         struct doctor_users_finding out[static
                                                         DOCTOR_USERS_MAX]);

#endif

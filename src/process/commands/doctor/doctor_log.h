/* The part of `sayso doctor` about the log: its keys, and whether it is
 * signed. */
#ifndef PROCESS_COMMANDS_DOCTOR_DOCTOR_LOG_H
#define PROCESS_COMMANDS_DOCTOR_DOCTOR_LOG_H

#include "process/commands/command.h"

/* Reads the keys that systemd has passed to the service, where this user may,
 * for doctor_log as another user. */
void doctor_log_credential(const struct command *c);
/* Prints the checks; returns how many are wrong. For doctor_users_as. */
int doctor_log(const struct command *c, int which);

#endif

/* The part of `sayso doctor` about the primary and its standbys. */
#ifndef PROCESS_COMMANDS_DOCTOR_DOCTOR_STANDBY_H
#define PROCESS_COMMANDS_DOCTOR_DOCTOR_STANDBY_H

#include "process/commands/command.h"

/* Prints its lines. Returns the number of failures. */
int doctor_standby(const struct command *c);

#endif

/* What `sayso doctor` says of the primary and its standbys. */
#ifndef PROCESS_DOCTOR_STANDBY_H
#define PROCESS_DOCTOR_STANDBY_H

#include "process/command.h"

/* Prints its lines. How many things are wrong. */
int doctor_standby(const struct command *c);

#endif

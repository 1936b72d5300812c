/* The checks of `sayso doctor`, a line for each. */
#ifndef PROCESS_COMMANDS_DOCTOR_FINDINGS_H
#define PROCESS_COMMANDS_DOCTOR_FINDINGS_H

#include <stdbool.h>

struct findings {
    int wrong;
};
/* mend: what to do where it is not fine. */
void findings_tell(struct findings *f, bool fine, const char *what,
                   const char *mend);

#endif

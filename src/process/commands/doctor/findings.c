/* Prints the checks of `sayso doctor`. */
#include "process/commands/doctor/findings.h"

#include <stdio.h>

void findings_tell(struct findings *f, bool fine, const char *what,
                   const char *mend)
{
    printf("%s  %s%s%s\n", fine ? "ok   " : "WRONG", what, fine ? "" : ": ",
           fine ? "" : mend);
    f->wrong += fine ? 0 : 1;
}

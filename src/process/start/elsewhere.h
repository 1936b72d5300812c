/* Is the database the one that this installation knows? */
#ifndef PROCESS_START_ELSEWHERE_H
#define PROCESS_START_ELSEWHERE_H

#include "base/conf.h"
#include "process/start/user.h"

/* Is it another cluster than the registered one, after a restore or a move?
 * Looks as a worker does, in a process that becomes the user `as` (NULL: stays
 * what it is). Logs it. Where the database does not answer: false, and each
 * connection asks again. */
bool elsewhere_is(const struct conf *conf, const struct user *as);

#endif

/* Is the database the one that this installation knows, and does its clock
 * agree with this host's? */
#ifndef PROCESS_START_ELSEWHERE_H
#define PROCESS_START_ELSEWHERE_H

#include "base/conf.h"
#include "process/start/user.h"

/* Is there a reason not to start: another cluster than the registered one,
 * after a restore or a move, or a clock that differs by more than
 * CLOCK_WATCH_MAX? Looks as a worker does, in a process that becomes the user
 * `as` (NULL: stays what it is), after clock_watch_make. Logs it. Where the
 * database does not answer: false, and each connection asks again. */
bool elsewhere_refuses(const struct conf *conf, const struct user *as);

#endif

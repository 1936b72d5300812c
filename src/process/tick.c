/* The clock: what is due without anybody's call.
 *
 * Reminders, escalations and expiries of questions, through the one resolve
 * path; leases that lapsed; rows that have outlived their use. Any number of
 * these processes on any number of hosts do each thing once. */
#include "process/tick.h"

int tick_run(const struct child *c)
{
    child_signals();
    while (!child_stop)
        child_sleep(1000000, c->listen_fd);
    return 0;
}

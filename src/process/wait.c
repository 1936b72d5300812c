/* The process that holds waiters: long polls and event streams.
 *
 * nginx hands connections over by a worker's X-Accel-Redirect. It has no
 * authority: a worker authorised every one of them, and renders whatever a
 * poll is answered with. It reads new events once for all streams. */
#include "process/wait.h"

int wait_run(const struct child *c)
{
    child_signals();
    while (!child_stop)
        child_sleep(1000000, c->listen_fd);
    return 0;
}

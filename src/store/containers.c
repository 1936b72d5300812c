/* A change of an intent's status reaches the containers of the intent. */
#include "store/containers.h"

#include "store/coordinators.h"
#include "store/portfolios.h"
#include "store/tasks.h"

const struct err *containers_follow(const struct containers_change *c)
{
    if (c->intent->containers == 0 ||
        (c->was == c->intent->status &&
         !(c->coordinated && c->coordinated->asked)))
        return NULL;
    if (pg_queued(c->pg) > 0) /* statements of the caller */
        TRY(pg_run(c->pg, c->arena, NULL));
    if (c->was != c->intent->status) {
        TRY(tasks_follow(c));
        TRY(portfolios_follow(c));
    }
    return c->coordinated ? coordinators_follow(c->coordinated) : NULL;
}

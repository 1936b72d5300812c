/* Which host is tried, and what is tried again. No libpq in here. */
#include "base/clock.h"
#include "world/pg_error.h"
#include "world/pg_parts.h"

bool pg_open(struct pg *pg, int64_t deadline)
{
    bool late[PG_HOSTS_MAX] = {false};
    pg_hosts_resolve(&pg->hosts);
    const size_t n = pg->hosts.places_n;
    for (size_t i = 0; i < n; i++) {
        const int64_t until = pg_hosts_until(
            &pg->hosts, n - i, pg->slice * 1000, clock_mono(), deadline);
        if (pg_attempt(pg, i, until, deadline, &late[i])) {
            pg_hosts_good(&pg->hosts, i);
            return true;
        }
    }
    pg_hosts_none(&pg->hosts, late);
    return false;
}

static const struct err *run(struct pg *pg, struct arena *a,
                             struct pg_rows **rows)
{
    const int64_t deadline = pg_deadline(pg);
    const bool inside = pg_in_transaction(pg);
    for (int tries = 0; tries < 2; tries++) {
        struct pg_reading b = {.arena = a, .deadline = deadline};
        if (!inside)
            pg_drop_stale(pg);
        const bool kept = pg->conn != NULL;
        if (!kept && (inside || !pg_open(pg, deadline)))
            break;
        if (pg_exchange(pg, &b, rows)) {
            if (b.e)
                pg_rollback(pg);
            return b.e;
        }
        /* Only a connection that had grown stale while idle is worth a second
         * try, and only where the batch has not happened or may happen twice:
         * a commit whose answer is lost is not repeated. */
        const bool refused = b.lost && b.done == 0;
        if (inside || !kept || clock_mono() >= deadline ||
            !(refused || pg_repeatable(pg)))
            break;
    }
    return pg_error(STR_NONE, STR_NONE);
}

const struct err *pg_run(struct pg *pg, struct arena *a, struct pg_rows **rows)
{
    const int64_t start = clock_mono();
    const struct err *e = run(pg, a, rows);
    pg->queued = 0;
    pg->ahead.check = NULL;
    pg->spent += clock_mono() - start;
    return e;
}

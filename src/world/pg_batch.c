/* The queued batch and its deadline. No libpq in here. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "world/pg_parts.h"

#define LEAST INT64_C(200000) /* in any case, microseconds */

void pg_timeout(struct pg *pg, int64_t seconds)
{
    pg->timeout = seconds * 1000;
}

void pg_connect_ms(struct pg *pg, int64_t ms)
{
    pg->slice = ms;
}

void pg_patient(struct pg *pg)
{
    pg->patient = true;
}

int64_t pg_spent(struct pg *pg)
{
    const int64_t spent = pg->spent;
    pg->spent = 0;
    return spent;
}

int64_t pg_deadline(const struct pg *pg)
{
    const int64_t left = pg->timeout * 1200 - pg->spent;
    return pg->patient ? INT64_MAX
                       : clock_mono() + (left > LEAST ? left : LEAST);
}

int64_t pg_opened(const struct pg *pg)
{
    return pg->opened;
}

void pg_queue(struct pg *pg, int statement, const struct pg_args *args)
{
    /* A batch's length is decided by the program, never by input. */
    if (pg->queued >= PG_BATCH_MAX) {
        log_line(LOG_ERR, "database batch is over its ceiling");
        __builtin_trap();
    }
    struct pg_queued *q = &pg->queue[pg->queued++];
    q->statement = statement;
    q->args.n = 0;
    if (args)
        q->args = *args;
}

size_t pg_queued(const struct pg *pg)
{
    return pg->queued;
}

void pg_ahead(struct pg *pg, const struct pg_ahead *ahead)
{
    pg->ahead.statement = ahead->statement;
    pg->ahead.args = ahead->args;
    pg->check = ahead->check;
    pg->check_context = ahead->context;
    pg->joins = ahead->joins;
}

void pg_ahead_join(struct pg *pg, struct pg_args *args)
{
    pg->joined = pg_ahead_waits(pg) && pg->joins && pg->queued == 0;
    for (size_t i = 0; i < PG_JOINED; i++)
        pg_arg(args, pg->joined ? str_of(pg->ahead.args.v[i]) : STR_NONE);
}

bool pg_ahead_waits(const struct pg *pg)
{
    return pg->check != NULL;
}

static const struct pg_statement *queued(const struct pg *pg, size_t i)
{
    return &pg->list[pg->queue[i].statement];
}

static bool reads(const char *sql)
{
    return !strstr(sql, "INSERT") && !strstr(sql, "UPDATE") &&
           !strstr(sql, "DELETE");
}

/* A transaction that is begun and not committed changes nothing, and neither
 * does a batch that only reads. */
bool pg_repeatable(const struct pg *pg)
{
    const bool begins =
        pg->queued > 0 && strcmp(queued(pg, 0)->name, "begin") == 0;
    for (size_t i = 0; i < pg->queued; i++)
        if (strcmp(queued(pg, i)->name, "commit") == 0 ||
            (!begins && !reads(queued(pg, i)->text)))
            return false;
    return true;
}

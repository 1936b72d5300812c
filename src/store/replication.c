/* The standbys of the database, and whether it stores what it is given. Decides
 * nothing. */
#include "store/replication.h"

#include "base/clock.h"
#include "store/sql.gen.h"
#include "world/pg/pg_error.h"

enum { NAME, ADDRESS, STATE, SYNC, BYTES, US };

const struct err *replication_read(struct pg *pg, struct arena *a,
                                   struct replication *out)
{
    struct pg_rows *rows[2] = {NULL};
    pg_queue(pg, NULL, SQL_REPLICATION_SERVER, NULL);
    pg_queue(pg, NULL, SQL_REPLICATION_STANDBYS, NULL);
    TRY(pg_run(pg, a, rows));
    *out = (struct replication){.standby = pg_bool(rows[0], 0, 0),
                                .names = pg_str(rows[0], 0, 1),
                                .readable = pg_bool(rows[0], 0, 2)};
    for (; out->n < pg_count(rows[1]) && out->n < REPLICATION_MAX; out->n++) {
        const struct pg_rows *r = rows[1];
        struct replication_standby *s = &out->v[out->n];
        *s = (struct replication_standby){.name = pg_str(r, out->n, NAME),
                                          .address = pg_str(r, out->n, ADDRESS),
                                          .state = pg_str(r, out->n, STATE),
                                          .sync = pg_str(r, out->n, SYNC),
                                          .bytes = pg_int(r, out->n, BYTES),
                                          .us = pg_int(r, out->n, US)};
        out->sync += str_is(s->sync, "sync") || str_is(s->sync, "quorum");
        out->us = s->us > out->us ? s->us : out->us;
    }
    return NULL;
}

void replication_note(struct metrics *m, const struct err *e)
{
    if (err_is(e, pg_error_full) || err_is(e, pg_error_standby))
        metrics_unwritable(m, err_is(e, pg_error_full), clock_mono());
    else if (pg_error_busy(e))
        metrics_wrote(m, 0);
}

const struct err *replication_prove(struct pg *pg, struct arena *a)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_REPLICATION_PROVE, NULL, &r));
    return pg_bool(r, 0, 0) ? NULL : pg_error_no_standby();
}

static const struct err *replication_write_row(struct pg *pg, struct arena *a)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_REPLICATION_WAITS, NULL, &r));
    if (pg_bool(r, 0, 0))
        return pg_error_no_standby();
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, NULL, SQL_REPLICATION_MEMORY, NULL);
    pg_queue(pg, NULL, SQL_REPLICATION_ROOM, NULL);
    pg_queue(pg, NULL, SQL_REPLICATION_WRITE, NULL);
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    return pg_run(pg, a, NULL);
}

const struct err *replication_write(struct pg *pg, struct arena *a,
                                    struct metrics *m)
{
    const struct err *e = replication_write_row(pg, a);
    if (!e)
        metrics_wrote(m, clock_mono());
    replication_note(m, e);
    return e;
}

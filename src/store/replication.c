/* The standbys of the database. Decides nothing. */
#include "store/replication.h"

#include "store/sql.gen.h"

enum { NAME, ADDRESS, STATE, SYNC, BYTES, US };

const struct err *replication_read(struct pg *pg, struct arena *a,
                                   struct replication *out)
{
    struct pg_rows *rows[2] = {NULL};
    pg_queue(pg, SQL_REPLICATION_SERVER, NULL);
    pg_queue(pg, SQL_REPLICATION_STANDBYS, NULL);
    TRY(pg_run(pg, a, rows));
    *out = (struct replication){.standby = pg_bool(rows[0], 0, 0),
                                .names = pg_str(rows[0], 0, 1),
                                .told = pg_bool(rows[0], 0, 2)};
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

/* The standbys of the database: their state, and their lag; and whether the
 * database stores what it is given. */
#ifndef STORE_REPLICATION_H
#define STORE_REPLICATION_H

#include "base/shared/metrics.h"
#include "world/pg/pg.h"

#define REPLICATION_MAX 16

struct replication_standby {
    struct str name, address, state, sync;
    int64_t bytes, us; /* behind */
};
struct replication {
    bool standby;     /* the server itself is a standby */
    bool readable;    /* the role may read the state of standbys */
    struct str names; /* synchronous_standby_names; empty: none */
    struct replication_standby v[REPLICATION_MAX];
    size_t n;
    size_t sync; /* the number for which a commit waits; they come first */
    int64_t us;  /* of the slowest one */
};

/* As seen by the server that pg is connected to. */
const struct err *replication_read(struct pg *pg, struct arena *a,
                                   struct replication *out) MUST;

/* Is the server that pg is connected to still the primary? An old one that is
 * heard again goes on reading what was true before, until the pool has seen
 * the new one. Where commits wait for a standby, a commit is tried; where they
 * do not, nothing can be known. ERR_BUSY database.standby where it cannot be
 * told; else as pg_run. */
const struct err *replication_prove(struct pg *pg, struct arena *a) MUST;
/* Tries a write: one row that is there for this, with some room on the disk.
 * While a commit waits for a standby it writes nothing, because each write
 * would leave another session waiting. Notes the result for all processes of
 * the pool. ERR_BUSY, as pg_run. */
const struct err *replication_write(struct pg *pg, struct arena *a,
                                    struct metrics *m) MUST;
/* Notes for all processes of the pool that nothing can be stored until somebody
 * has looked, where e says so: database.full or database.standby. After another
 * failure of the database nothing is known: the next one who wants to know
 * tries. e: any error, or NULL. */
void replication_note(struct metrics *m, const struct err *e);

#endif

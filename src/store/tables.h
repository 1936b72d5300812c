/* The connection of the program to its own tables.
 *
 * The program and the tables are numbered: SQL_TABLES is the number of the
 * newest file in sql/ that the program was built with, and the table migration
 * has the number of the newest that was applied. */
#ifndef STORE_TABLES_H
#define STORE_TABLES_H

#include "domain/question/suspension.h"
#include "store/sql.gen.h"
#include "world/pg/pg.h"

/* As pg_make, with all statements of the program. It works only with tables of
 * SQL_TABLES; each call ends in ERR_BUSY server.upgrading otherwise. */
struct pg *tables_open(struct arena *process, struct str dsn,
                       const char *name);
/* The same for a process of the server, which works only in the cluster and the
 * database that the last `sayso restored` was for: each call ends in ERR_BUSY
 * server.restored elsewhere. */
struct pg *tables_serve(struct arena *process, struct str dsn,
                        const char *name);

/* The restores of the database, as the newest connection of this process heard
 * of them. The server is stopped while `sayso restored` runs, so that they do
 * not change under it. */
struct tables_restore {
    int64_t epoch;      /* grows with each loss; 0: nothing was ever lost */
    int64_t lost_from;  /* of the newest loss; 0: none */
    int64_t open_until; /* questions asked up to here were open in its backup */
    bool waits;         /* the clock and the deliveries wait */
    bool elsewhere;     /* it is not the cluster and database that the last
                         * `sayso restored` was for */
    timeline_at at;     /* its place in the history */
};
struct tables_restore tables_restore(void);
/* The same, read from the second column of SQL_PING. */
struct tables_restore tables_restore_of(struct str text);
/* Connects now, so that the first request of a process knows of restores too,
 * one that needs no database among them. A database that is away is asked by
 * the first request that needs it. */
void tables_greet(struct pg *pg, struct arena *a);
/* Sets the mark of an open question that was open in a backup. */
void tables_mark(struct suspension *s);
/* May the clock and the deliveries work? Asks the database while they wait. */
const struct err *tables_go(struct pg *pg, struct arena *a, bool *out) MUST;

#endif

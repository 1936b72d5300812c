/* The error for an SQLSTATE. For world/pg/pg.c. */
#ifndef WORLD_PG_PG_ERROR_H
#define WORLD_PG_PG_ERROR_H

#include "base/err.h"

/* A code that callers compare: database.conflict. */
extern const char pg_error_conflict[];
/* Of the kind ERR_BUSY: database.unavailable, and two that an operator has to
 * end, database.full and database.standby. */
extern const char pg_error_unavailable[], pg_error_full[], pg_error_standby[];

/* state: the five characters, p NULL when the connection itself failed.
 * constraint: the name of the violated one, p NULL for none. Never NULL; the
 * kinds are listed at pg_run. */
const struct err *pg_error(struct str state, struct str constraint);
/* Run it again. ERR_AGAIN database.again. */
const struct err *pg_error_again(void);
/* The database's disk is full. ERR_BUSY database.full. */
const struct err *pg_error_no_room(void);
/* A commit waits for a synchronous standby that does not answer. ERR_BUSY
 * database.standby. */
const struct err *pg_error_no_standby(void);
/* The tables and the program are of two versions. ERR_BUSY server.upgrading. */
const struct err *pg_error_upgrading(void);
/* It is not the cluster and database that was registered (pg_greet). ERR_BUSY
 * server.restored, a code that callers compare. */
const struct err *pg_error_restored(void);
extern const char pg_error_code_restored[];
/* Is the connection unusable? The server ends (57P01 to 57P05), the connection
 * failed (08), or the server has become read-only (25006), as a former primary
 * does. */
bool pg_error_lost(struct str state);
/* Is e, or NULL, one of those by which the database does not answer or store?
 * database.unavailable, database.full or database.standby. */
bool pg_error_busy(const struct err *e);

#endif

/* The connection of the program to its own tables.
 *
 * The program and the tables are numbered: SQL_TABLES is the number of the
 * newest file in sql/ that the program was built with, and the table migration
 * has the number of the newest that was applied. */
#ifndef STORE_TABLES_H
#define STORE_TABLES_H

#include "store/sql.gen.h"

/* As pg_make, with all statements of the program. It works only with tables of
 * SQL_TABLES; each call ends in ERR_BUSY server.upgrading otherwise. */
struct pg *tables_open(struct arena *process, struct str dsn,
                       const char *name);

#endif

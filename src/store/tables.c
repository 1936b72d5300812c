/* The connection of the program to its own tables. */
#include "store/tables.h"

struct pg *tables_open(struct arena *process, struct str dsn, const char *name)
{
    struct pg *pg =
        pg_make(process, dsn, name, sql_statements, sql_statement_count);
    pg_standby(pg, SQL_REPLICATION_WAITS);
    pg_expect(pg, sql_statements[SQL_PING].text, SQL_TABLES);
    return pg;
}

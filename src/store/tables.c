/* The connection of the program to its own tables. */
#include "store/tables.h"

#include "base/log.h"
#include "store/rows.h"

static struct tables_restore heard;

/* "epoch lost_from open_until waits elsewhere", of restore_now(), and the
 * cluster, the number of the restore and the timeline, of SQL_PING. */
struct tables_restore tables_restore_of(struct str text)
{
    int64_t v[8] = {0};
    for (size_t i = 0; i < countof(v); i++)
        (void)str_int(str_cut(&text, ' '), INT64_MIN, INT64_MAX, &v[i]);
    return (struct tables_restore){.epoch = v[0],
                                   .lost_from = v[1],
                                   .open_until = v[2],
                                   .waits = v[3] != 0,
                                   .elsewhere = v[4] != 0,
                                   .at = timeline_make_at(v[5], v[6], v[7])};
}

static struct pg_heard tables_hear_here(struct str text)
{
    heard = tables_restore_of(text);
    return (struct pg_heard){.elsewhere = heard.elsewhere, .at = heard.at};
}

static struct pg_heard tables_hear(struct str text)
{
    struct pg_heard out = tables_hear_here(text);
    out.elsewhere = false;
    return out;
}

struct pg *tables_open(struct arena *process, struct str dsn, const char *name)
{
    struct pg *pg =
        pg_make(process, dsn, name, sql_statements, sql_statement_count);
    pg_standby(pg, SQL_REPLICATION_WAITS);
    pg_expect(pg, sql_statements[SQL_PING].text, SQL_TABLES);
    pg_greet(pg, tables_hear);
    return pg;
}

struct pg *tables_serve(struct arena *process, struct str dsn, const char *name)
{
    struct pg *pg = tables_open(process, dsn, name);
    pg_greet(pg, tables_hear_here);
    return pg;
}

struct tables_restore tables_restore(void)
{
    return heard;
}

void tables_greet(struct pg *pg, struct arena *a)
{
    struct pg_rows *r = NULL;
    if (pg_query(pg, a, SQL_PING, NULL, &r))
        log_line(LOG_NOTICE, "tables: the database is not there yet");
    (void)pg_spent(pg);
}

void tables_mark(struct suspension *s)
{
    s->restored_from = s->state == SUSPENSION_PENDING && heard.epoch > 0 &&
                               s->suspended_at <= heard.open_until
                           ? heard.lost_from
                           : 0;
}

const struct err *tables_go(struct pg *pg, struct arena *a, bool *out)
{
    *out = !heard.waits && pg_opened(pg) > 0;
    if (*out)
        return NULL;
    TRY(rows_flag(pg, a, SQL_RESTORE_GO, NULL, out));
    heard.waits = !*out;
    return NULL;
}

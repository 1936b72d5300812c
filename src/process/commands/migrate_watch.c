/* The lines of `sayso migrate` about a file that takes long. It looks about
 * once a second while the database works. */
#include "process/commands/migrate_watch.h"

#include <stdio.h>

#include "base/clock.h"
#include "store/sql.gen.h"

#define WATCH_EACH (5 * CLOCK_SECOND) /* between two lines of progress */
#define WATCH_MEMORY ((size_t)1 << 20)
#define WATCH_LOCK_MAX 500

struct migrate_watch {
    struct pg *watched, *own;
    int64_t session; /* of the one that is watched */
    struct str what;
    int64_t begun, said; /* when, by clock_mono */
    int64_t wal;         /* the place where it began; 0: not known yet */
    size_t lock_n;
    char lock[WATCH_LOCK_MAX];
};

static void migrate_watch_progress(struct migrate_watch *w,
                                   const struct pg_rows *r)
{
    const int64_t wal = pg_int(r, 0, 2);
    printf("still at %.*s: %.0f s, %lld MB written", STR_FMT(w->what),
           migrate_watch_seconds(w), (long long)(wal - w->wal) >> 20);
    if (pg_str(r, 0, 1).p)
        printf(", an index is made to %lld %%", (long long)pg_int(r, 0, 1));
    printf("\n");
    w->said = clock_mono();
}

static void migrate_watch_look(void *context)
{
    struct migrate_watch *w = context;
    struct arena *a = arena_make(WATCH_MEMORY);
    struct pg_rows *r = NULL;
    const struct err *e = pg_query(w->own, a, SQL_MIGRATION_WATCH,
                                   PG(pg_number(w->session)), &r);
    (void)pg_spent(w->own);
    if (!e) {
        const struct str lock = str_sub(pg_str(r, 0, 0), 0, WATCH_LOCK_MAX);
        if (w->wal == 0)
            w->wal = pg_int(r, 0, 2);
        if (lock.n > 0 && !str_eq(lock, migrate_watch_lock(w))) {
            memcpy(w->lock, lock.p, lock.n);
            w->lock_n = lock.n;
            printf("%.*s waits for %.*s\n", STR_FMT(w->what), STR_FMT(lock));
            w->said = clock_mono();
        } else if (clock_mono() - w->said >= WATCH_EACH) {
            migrate_watch_progress(w, r);
        }
    }
    arena_free(a);
}

struct migrate_watch *migrate_watch_make(const struct command *c,
                                         struct pg *pg)
{
    struct migrate_watch *w = arena_new(c->arena, struct migrate_watch);
    struct pg_rows *r = NULL;
    w->watched = pg;
    w->own =
        pg_make(c->arena, c->conf->database_owner, "sayso migrate (watch)",
                sql_statements, sql_statement_count);
    pg_connect_ms(w->own, c->conf->database_connect_ms);
    if (pg_query(pg, c->arena, SQL_MIGRATION_SESSION, NULL, &r))
        return w; /* the next statement reports it */
    w->session = pg_int(r, 0, 0);
    pg_look(pg, migrate_watch_look, w);
    return w;
}

void migrate_watch_begin(struct migrate_watch *w, struct str what)
{
    w->what = what;
    w->begun = w->said = clock_mono();
    w->wal = 0;
    w->lock_n = 0;
}

double migrate_watch_seconds(const struct migrate_watch *w)
{
    return (double)(clock_mono() - w->begun) / CLOCK_SECOND;
}

struct str migrate_watch_lock(const struct migrate_watch *w)
{
    return w->lock_n > 0 ? (struct str){w->lock, w->lock_n} : STR_NONE;
}

void migrate_watch_end(struct migrate_watch *w)
{
    pg_look(w->watched, NULL, NULL);
    pg_close(w->own);
}

/* `sayso migrate`: applies the numbered files of sql/ that are new; with
 * --plan it only names them, with the tables that they change.
 *
 * Each file runs in one transaction with its row in the table migration. A
 * file with a mark in its first line is a single statement with transactions
 * of its own, which may be interrupted and is then run again. A file that was
 * applied may never change: its digest is compared. All files have to be those
 * that the program was built with, so that one that is torn, missing or of
 * another version is found before anything is changed. A database with a file
 * that this program does not have belongs to a newer one, and is left alone.
 *
 * A lock is awaited for a moment at a time, because others queue behind a
 * statement that waits for a table. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "process/commands/commands.h"
#include "process/commands/migrate_watch.h"
#include "store/sql.gen.h"

#define FILES_MAX 999
#define FILE_MAX ((size_t)1 << 20)
#define LOCK_TRIES 4

/* The first line of a file that has transactions of its own. */
#define BARE "-- migrate: no transaction\n"

static const char table[] =
    "CREATE TABLE IF NOT EXISTS migration ("
    "    version    integer PRIMARY KEY,"
    "    name       text NOT NULL,"
    "    sha256     text NOT NULL,"
    "    applied_at timestamptz NOT NULL);"
    "GRANT SELECT ON migration"
    "    TO sayso_web, sayso_wait, sayso_tick, sayso_deliver, sayso_seal;";

static const char begin[] = "BEGIN", lock_short[] = "SET lock_timeout = '2s'";

struct file {
    int64_t version;
    struct str name, text, sha256;
};

static int migrate_order(const void *x, const void *y)
{
    const struct file *a = x, *b = y;
    return (a->version > b->version) - (a->version < b->version);
}

static bool migrate_read(struct arena *a, struct str dir, struct file *f)
{
    struct buf text = buf_make(a, FILE_MAX);
    const struct str path = arena_join(a, dir, STR("/"), f->name);
    const bool whole = buf_file(&text, arena_z(a, path));
    f->text = buf_text(&text);
    f->sha256 = crypt_sha256_hex(a, f->text);
    return whole;
}

/* The files named NNNN_name.sql, in order; the count, or -1. */
static int migrate_files(struct arena *a, struct str dir, struct file *out)
{
    DIR *d = opendir(arena_z(a, dir));
    int n = 0;
    if (!d)
        return -1;
    for (struct dirent *e; n < FILES_MAX && (e = readdir(d));) {
        const struct str name = str_of(e->d_name);
        struct file f = {.name = arena_str(a, name)};
        if (!str_ends(name, STR(".sql")) || name.n < 9 || name.p[4] != '_' ||
            !str_int(str_sub(name, 0, 4), 1, 9999, &f.version))
            continue;
        out[n++] = f;
    }
    closedir(d);
    qsort(out, (size_t)n, sizeof *out, migrate_order);
    return n;
}

/* The files have to be those of the program, up to the last one that is
 * there. */
static const struct err *migrate_whole(const struct command *c,
                                       const struct file *files, int n)
{
    for (int i = 0; i < n; i++) {
        const bool known = (size_t)i < sql_file_count;
        const char *name = known ? sql_files[i].name : "";
        if (known && !str_is(files[i].name, name))
            return err_at(c->arena, ERR_INTERNAL, "migrate.file", str_of(name),
                          "The migration %s of this program is not in "
                          "\"%.*s\".",
                          name, STR_FMT(c->conf->migrations));
        if (!known || !str_is(files[i].sha256, sql_files[i].sha256))
            return err_at(c->arena, ERR_INTERNAL, "migrate.file",
                          files[i].name,
                          "The migration %.*s is not the one that this "
                          "program was built with: it is of another version, "
                          "or a part is missing. Install the program again.",
                          STR_FMT(files[i].name));
    }
    return NULL;
}

static const struct err *migrate_apply(struct pg *pg, struct arena *a,
                                       const struct file *f)
{
    const bool bare = str_starts(f->text, STR(BARE));
    TRY(bare ? NULL : pg_script(pg, begin));
    TRY(pg_script(pg, arena_z(a, f->text)));
    TRY(pg_query(
        pg, a, SQL_MIGRATION_INSERT,
        PG(pg_number(f->version), pg_text(f->name), pg_text(f->sha256)),
        NULL));
    return bare ? NULL : pg_script(pg, "COMMIT");
}

/* Tries again while another session holds a lock. */
static const struct err *migrate_patiently(struct pg *pg, struct arena *a,
                                           struct migrate_watch *w,
                                           const struct file *f)
{
    const struct err *e = NULL;
    migrate_watch_begin(w, f->name);
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
        if (tries > 0)
            sleep(1); /* others go first */
        e = migrate_apply(pg, a, f);
        if (!e || e->kind != ERR_AGAIN)
            break;
        pg_rollback(pg);
    }
    const struct str lock = migrate_watch_lock(w);
    if (e && e->kind == ERR_AGAIN)
        return err_at(
            a, ERR_BUSY, "migrate.locked", f->name,
            "The migration %.*s was not applied: it needs %.*s. End what "
            "holds it, and run `sayso migrate` again.",
            STR_FMT(f->name),
            STR_FMT(lock.p ? lock : STR("a lock of another session")));
    if (e)
        return err_at(a, e->kind, e->code, f->name,
                      "The migration %.*s was not applied; the line above has "
                      "the reason. When that is mended, run `sayso migrate` "
                      "again: it goes on from here.",
                      STR_FMT(f->name));
    printf("applied %.*s (%.2f s)\n", STR_FMT(f->name),
           migrate_watch_seconds(w));
    return NULL;
}

/* Prints the file, and the tables that are there and that it changes. */
static const struct err *migrate_plan(struct pg *pg, struct arena *a,
                                      const struct file *f)
{
    static const char *const meanwhile[] = {
        [1] = "rows are changed",
        [2] = "nobody else can write meanwhile",
        [3] = "nobody else can read or write meanwhile"};
    struct pg_rows *r = NULL;
    printf("to apply %.*s\n", STR_FMT(f->name));
    if (str_starts(f->text, STR(BARE)))
        printf("    in many transactions; it may be interrupted, and goes on "
               "where it was\n");
    TRY(pg_query(pg, a, SQL_MIGRATION_TOUCHES, PG(pg_text(f->text)), &r));
    for (size_t i = 0; i < pg_count(r); i++) {
        printf("    %.*s, ", STR_FMT(pg_str(r, i, 0)));
        if (pg_int(r, i, 1) >= 0)
            printf("about %lld rows, ", (long long)pg_int(r, i, 1));
        printf("%lld kB: %s\n", (long long)pg_int(r, i, 2) / 1024,
               meanwhile[pg_int(r, i, 3)]);
    }
    return NULL;
}

/* 0: to be applied, 1: applied, -1: applied and changed since. */
static int migrate_applied(const struct pg_rows *rows, const struct file *f)
{
    for (size_t i = 0; i < pg_count(rows); i++) {
        if (pg_int(rows, i, 0) == f->version)
            return str_eq(pg_str(rows, i, 2), f->sha256) ? 1 : -1;
    }
    return 0;
}

/* The files that are to be applied, and their number. */
static const struct err *migrate_choose(struct pg *pg, const struct command *c,
                                        const struct file *files, int n,
                                        struct file *fresh, int *fresh_n)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, c->arena, SQL_MIGRATION_APPLIED, NULL, &rows));
    /* The rows are in the order of their numbers, as the files are. */
    const size_t known = pg_count(rows);
    const int64_t newest = known ? pg_int(rows, known - 1, 0) : 0;
    if (newest > SQL_TABLES)
        return err_at(c->arena, ERR_INTERNAL, "migrate.newer",
                      pg_str(rows, known - 1, 1),
                      "The tables are number %lld, this program knows %d. "
                      "They belong to a newer version: install that one, or "
                      "restore the dump from before the upgrade.",
                      (long long)newest, SQL_TABLES);
    for (int i = 0; i < n; i++) {
        const int there = migrate_applied(rows, &files[i]);
        if (there < 0)
            return err_at(c->arena, ERR_INTERNAL, "migrate.changed",
                          files[i].name,
                          "The migration %.*s has changed since it was "
                          "applied.",
                          STR_FMT(files[i].name));
        if (there == 0)
            fresh[(*fresh_n)++] = files[i];
    }
    return migrate_whole(c, files, n);
}

/* A program from before the numbers still takes answers with newer tables. */
static const struct err *migrate_note(struct pg *pg, struct arena *a)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_RESTORE_SESSIONS, NULL, &r));
    if (pg_int(r, 0, 0) > 0)
        printf("note   Sayso runs, with %lld connections: stop it on each "
               "host first\n",
               (long long)pg_int(r, 0, 0));
    return NULL;
}

static const struct err *migrate_all(struct pg *pg, const struct command *c,
                                     const struct file *files, int n)
{
    const bool plan = command_flag(c, "--plan");
    struct migrate_watch *w = migrate_watch_make(c, pg);
    struct file *fresh = arena_many(c->arena, (size_t)n, struct file);
    int fresh_n = 0;
    /* Two migrations run one after the other; the lock ends with the
     * connection. */
    migrate_watch_begin(w, STR("migrate"));
    const struct err *e = pg_script(pg, "SELECT pg_advisory_lock(1400001)");
    e = e ? e : pg_script(pg, table);
    e = e ? e : migrate_choose(pg, c, files, n, fresh, &fresh_n);
    e = e || fresh_n == 0 ? e : migrate_note(pg, c->arena);
    e = e ? e : pg_script(pg, lock_short);
    for (int i = 0; !e && i < fresh_n; i++)
        e = plan ? migrate_plan(pg, c->arena, &fresh[i])
                 : migrate_patiently(pg, c->arena, w, &fresh[i]);
    migrate_watch_end(w);
    if (!e)
        printf(plan ? "%d to apply; nothing was changed\n"
                    : "the database is up to date (%d new)\n",
               fresh_n);
    return e;
}

int migrate_run(const struct command *c)
{
    struct file *files = arena_many(c->arena, FILES_MAX, struct file);
    if (!command_options_ok(c, 0, "--plan"))
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0); /* each line at once, into a file too */
    const int n = migrate_files(c->arena, c->conf->migrations, files);
    if (n <= 0) {
        fprintf(stderr, "sayso: no migrations in \"%.*s\" (see `migrations` "
                        "in the configuration)\n",
                STR_FMT(c->conf->migrations));
        return 1;
    }
    struct pg *pg = pg_make(c->arena, c->conf->database_owner,
                            "sayso migrate", sql_statements,
                            sql_statement_count);
    pg_patient(pg);
    pg_connect_ms(pg, c->conf->database_connect_ms);
    /* A plan is undone by the end of its connection. */
    const struct err *e =
        command_flag(c, "--plan") ? pg_script(pg, begin) : NULL;
    /* The server ends an interrupted statement soon after the client is
     * gone. */
    e = e ? e : pg_script(pg, "SET client_connection_check_interval = '1s'");
    for (int i = 0; !e && i < n; i++)
        if (!migrate_read(c->arena, c->conf->migrations, &files[i]))
            e = err_at(c->arena, ERR_INTERNAL, "migrate.file", files[i].name,
                       "The migration %.*s cannot be read.",
                       STR_FMT(files[i].name));
    e = e ? e : migrate_all(pg, c, files, n);
    pg_close(pg);
    return command_end(e);
}

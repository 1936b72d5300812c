/* Is the database the one that this installation knows, and does its clock
 * agree with this host's? */
#include "process/start/elsewhere.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/shared/clock_watch.h"
#include "store/tables.h"
#include "world/pg/pg_error.h"

#define ELSEWHERE 3 /* the exit status of the process below */

/* The supervisor has no role in the database. */
static _Noreturn void elsewhere_look(const struct conf *conf,
                                     const struct user *as)
{
    struct arena *a = arena_make(ARENA_PROCESS_MAX);
    struct pg_rows *r = NULL;
    if (as && !user_become(as))
        _exit(EXIT_SUCCESS); /* the workers will say so */
    struct pg *pg = tables_serve(a, conf->database, "sayso serve");
    pg_connect_ms(pg, conf->database_connect_ms);
    const int64_t before = clock_host();
    const struct err *e = pg_query(pg, a, SQL_PING, NULL, &r);
    if (!e)
        clock_watch_database(before, pg_time(r, 0, 2), clock_host());
    _exit(err_is(e, pg_error_code_restored) ? ELSEWHERE : EXIT_SUCCESS);
}

bool elsewhere_refuses(const struct conf *conf, const struct user *as)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0)
        elsewhere_look(conf, as);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    const bool other = WIFEXITED(status) && WEXITSTATUS(status) == ELSEWHERE;
    const struct clock_watch clock = clock_watch_read();
    if (other)
        log_line(LOG_ERR, "supervisor: the database was restored or moved: "
                          "say so first with `sayso restored` "
                          "(docs/operations/backup.md)");
    if (clock.since)
        log_line(LOG_ERR, "supervisor: this host's clock is %.1f s from the "
                          "database's: set the wrong one, then start again",
                 (double)clock.found / CLOCK_SECOND);
    return other || clock.since;
}

/* `sayso restored`: says that the database was restored, and what was lost.
 *
 * Run by the owner with the server stopped, after a restore to an older point,
 * a move to another cluster, or pg_upgrade. Permits that somebody may have
 * been given, or have used, since that point are revoked; open questions get a
 * mark. The clock and the deliveries wait until `sayso restored --go`. */
#include <stdio.h>

#include "base/clock.h"
#include "process/commands/commands.h"
#include "store/tables.h"
#include "work/restores.h"

static const struct err *restored_say(struct pg *pg, struct arena *a,
                                      int64_t from, bool *running)
{
    const struct restores_loss loss = {.from = from, .now = clock_now()};
    struct restores_taken taken = {.permits = 0};
    struct pg_rows *r[2] = {NULL};
    /* The processes of the server notice a restore when they connect. */
    TRY(pg_query(pg, a, SQL_RESTORE_SESSIONS, NULL, r));
    *running = pg_int(r[0], 0, 0) > 0;
    if (*running) {
        fputs("sayso: the server is connected to the database: stop it "
              "first\n",
              stderr);
        return NULL;
    }
    /* All of it or nothing: the server starts once the restore was said. */
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, SQL_RESTORE_SAID,
             PG(pg_moment(loss.from), pg_moment(loss.now)));
    TRY(pg_run(pg, a, r));
    const int64_t epoch = pg_int(r[1], 0, 0);
    if (from)
        TRY(restores_take(pg, a, &loss, &taken));
    TRY(pg_query(pg, a, SQL_COMMIT, NULL, NULL));
    if (!from) {
        printf("nothing was lost; the server may start here\n");
        return NULL;
    }
    printf("restore %lld: %lld permits and %lld answers without one can no "
           "longer be used; %lld open questions are marked\n",
           (long long)epoch, (long long)taken.permits,
           (long long)taken.answers, (long long)taken.open);
    printf("the server may start; reminders, expiries and deliveries wait for "
           "`sayso restored --go`\n");
    return NULL;
}

static const struct err *restored_go(struct pg *pg, struct arena *a)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_RESTORE_LET_GO, PG(pg_moment(clock_now())), &r));
    printf(pg_affected(r) ? "reminders, expiries and deliveries go on\n"
                          : "nothing waits\n");
    return NULL;
}

int restored_run(const struct command *c)
{
    const struct str lost = command_option(c, "--lost-from", 0);
    const bool none = command_flag(c, "--nothing-lost");
    const bool go = command_flag(c, "--go");
    bool running = false;
    int64_t from = 0;
    if (!command_options_ok(c, 0, "--lost-from= --nothing-lost --go"))
        return 2;
    if (lost.p &&
        (!clock_parse(lost, &from) || from <= 0 || from > clock_now())) {
        fputs("sayso: --lost-from has to be a time in the past, such as "
              "2026-11-25T03:00:00Z\n",
              stderr);
        return 2;
    }
    if ((lost.p != NULL) + none + go != 1) {
        fputs("sayso: restored --lost-from TIME | --nothing-lost | --go\n",
              stderr);
        return 2;
    }
    const struct err *e = go ? restored_go(c->pg, c->arena)
                             : restored_say(c->pg, c->arena, from, &running);
    return running ? 1 : command_end(e);
}

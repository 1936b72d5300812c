/* The part of `sayso doctor` about the primary and its standbys.
 *
 * A single machine is an error only if the configuration requires a standby. */
#include "process/commands/doctor/doctor_standby.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "store/replication.h"
#include "store/sql.gen.h"

#define HINT_RIGHTS                                                           \
    "the role of `database_tick` may not read the state of the standbys; "    \
    "run sql/roles.sql again"
#define HINT_STANDBY                                                          \
    "`require_standby` is yes, so start a standby and name it in "            \
    "synchronous_standby_names"

/* The reason why an acknowledged answer is not on two machines; NULL: it is. */
static const char *doctor_standby_lacks(const struct replication *r)
{
    if (r->standby)
        return "the database is a standby itself: name the primary among the "
               "hosts of `database`";
    if (!r->readable)
        return HINT_RIGHTS;
    if (r->names.n == 0)
        return "synchronous_standby_names is empty";
    return r->sync > 0 ? NULL : "no standby is synchronous";
}

static int doctor_standby_tell(const struct replication *r, const char *host,
                               bool required)
{
    const char *lack = doctor_standby_lacks(r);
    printf("ok     the %s is %s\n", r->standby ? "database" : "primary", host);
    for (size_t i = 0; i < r->n; i++) {
        const struct replication_standby *s = &r->v[i];
        printf("ok     standby %.*s at %.*s: %.*s, %.*s, %" PRId64
               " bytes and %.1f s behind\n",
               STR_FMT(s->name), STR_FMT(s->address), STR_FMT(s->sync),
               STR_FMT(s->state), s->bytes, (double)s->us / CLOCK_SECOND);
    }
    if (lack && required)
        printf("WRONG  an answer is on two machines before it is "
               "acknowledged: %s. " HINT_STANDBY "\n", lack);
    else if (lack)
        printf("note   an answer may be on one machine alone: %s\n", lack);
    else
        printf("ok     an answer is on two machines before it is "
               "acknowledged\n");
    return lack && required ? 1 : 0;
}

int doctor_standby(const struct command *c)
{
    struct pg *pg = pg_make(c->arena, c->conf->database_tick, "sayso doctor",
                            sql_statements, sql_statement_count);
    struct replication r;
    pg_connect_ms(pg, c->conf->database_connect_ms);
    /* Another check has reported that the database does not answer. */
    const struct err *e = replication_read(pg, c->arena, &r);
    const int wrong =
        e ? 0 : doctor_standby_tell(&r, pg_host(pg), c->conf->require_standby);
    pg_close(pg);
    return wrong;
}

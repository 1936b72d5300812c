/* The error for an SQLSTATE (PostgreSQL manual, appendix A). Never shows a
 * database's message to a client. */
#include "world/pg/pg_error.h"

const char pg_error_conflict[] = "database.conflict";
const char pg_error_full[] = "database.full";
const char pg_error_standby[] = "database.standby";
const char pg_error_unavailable[] = "database.unavailable";
const char pg_error_code_restored[] = "server.restored";

static bool pg_error_is(struct str state, const char *prefix)
{
    return str_starts(state, str_of(prefix));
}

const struct err *pg_error_upgrading(void)
{
    return ERROR(ERR_BUSY, "server.upgrading",
                 "The server is being upgraded: its program and its tables are "
                 "of two versions. Try again in a moment. A request repeated "
                 "with the same Idempotency-Key is carried out once.");
}

const struct err *pg_error_no_room(void)
{
    return ERROR(ERR_BUSY, pg_error_full,
                 "The database's disk is full, so nothing can be stored. Its "
                 "operator has to make room. Nothing was changed.");
}

const struct err *pg_error_no_standby(void)
{
    return ERROR(ERR_BUSY, pg_error_standby,
                 "The database waits for its standby, which does not answer. "
                 "Its operator has to look. A request repeated with the same "
                 "Idempotency-Key is carried out once.");
}

const struct err *pg_error_restored(void)
{
    return ERROR(ERR_BUSY, pg_error_code_restored,
                 "The database was restored, and nobody has said yet what was "
                 "lost. Try again later.");
}

const struct err *pg_error_again(void)
{
    return ERROR(ERR_AGAIN, "database.again", "Run it again.");
}

bool pg_error_busy(const struct err *e)
{
    return err_is(e, pg_error_full) || err_is(e, pg_error_standby) ||
           err_is(e, pg_error_unavailable);
}

bool pg_error_lost(struct str state)
{
    return pg_error_is(state, "57P0") || pg_error_is(state, "08") ||
           pg_error_is(state, "25006");
}

const struct err *pg_error(struct str state, struct str constraint)
{
    if (pg_error_is(state, "53100"))
        return pg_error_no_room();
    if (!state.p || pg_error_lost(state) || pg_error_is(state, "57") ||
        pg_error_is(state, "53") || pg_error_is(state, "55P03") ||
        pg_error_is(state, "25P03"))
        return ERROR(
            ERR_BUSY, pg_error_unavailable,
            "The database does not answer. Try again in a moment. A request "
            "repeated with the same Idempotency-Key is carried out once.");
    if (pg_error_is(state, "40001") || pg_error_is(state, "40P01"))
        return pg_error_again();
    if (pg_error_is(state, "23505") && str_ends(constraint, STR("_once")))
        return pg_error_again();
    if (pg_error_is(state, "23505"))
        return ERROR(ERR_CONFLICT, pg_error_conflict,
                     "The identifier already exists.");
    if (pg_error_is(state, "23503"))
        return ERROR(ERR_INVALID, "reference.unknown",
                     "A referenced record does not exist.");
    if (pg_error_is(state, "22021") || pg_error_is(state, "22P05"))
        return ERROR(ERR_INVALID, "text.refused",
                     "The text has a character that cannot be stored.");
    return ERROR(ERR_INTERNAL, "internal",
                 "An internal error occurred. The request id identifies the "
                 "cause in the log.");
}

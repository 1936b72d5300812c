/* The error for an SQLSTATE. */
#include "world/pg/pg_error.h"

#include "suite.h"

SUITE(pg_error);

Test(pg_error, each_state_has_its_code)
{
    static const struct {
        const char *state, *constraint;
        enum err_kind kind;
        const char *code;
    } rows[] = {
        {NULL, NULL, ERR_BUSY, "database.unavailable"},
        {"08006", NULL, ERR_BUSY, "database.unavailable"},
        {"53100", NULL, ERR_BUSY, "database.full"},
        {"53200", NULL, ERR_BUSY, "database.unavailable"},
        {"53300", NULL, ERR_BUSY, "database.unavailable"},
        {"55P03", NULL, ERR_BUSY, "database.unavailable"},
        {"57014", NULL, ERR_BUSY, "database.unavailable"},
        {"25006", NULL, ERR_BUSY, "database.unavailable"},
        {"40001", NULL, ERR_AGAIN, "database.again"},
        {"40P01", NULL, ERR_AGAIN, "database.again"},
        {"23505", "decision_once", ERR_AGAIN, "database.again"},
        {"23505", "endpoint_name", ERR_CONFLICT, "database.conflict"},
        {"23503", "intent_parent", ERR_INVALID, "reference.unknown"},
        {"22021", NULL, ERR_INVALID, "text.refused"},
        {"22P05", NULL, ERR_INVALID, "text.refused"},
        {"42601", NULL, ERR_INTERNAL, "internal"},
        {"23514", "intent_status", ERR_INTERNAL, "internal"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct err *e =
            pg_error(str_of(rows[i].state), str_of(rows[i].constraint));
        cr_expect_eq(e->kind, rows[i].kind, "%zu", i);
        cr_expect_str_eq(e->code, rows[i].code, "%zu", i);
    }
}

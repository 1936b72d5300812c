/* How `sayso verify` ended last. */
#include "store/log/verifications.h"

#include "store/sql.gen.h"

const char *const verification_scopes[] = {[VERIFICATION_ALL] = "all",
                                           [VERIFICATION_SINCE] = "since"};

const struct err *verifications_get(struct pg *pg, struct arena *a,
                                    struct verifications *out)
{
    struct pg_rows *r = NULL;
    *out = (struct verifications){.of = {{.broken = 0}}};
    TRY(pg_query(pg, a, SQL_VERIFICATION_LIST, NULL, &r));
    for (size_t i = 0; i < pg_count(r); i++) {
        for (size_t k = 0; k < VERIFICATION__MAX; k++) {
            if (!str_is(pg_str(r, i, 0), verification_scopes[k]))
                continue;
            out->of[k].sound_at = pg_int(r, i, 1);
            out->of[k].broken = pg_int(r, i, 2);
        }
    }
    return NULL;
}

const struct err *verifications_put(struct pg *pg, struct arena *a,
                                    const struct verifications_run *run)
{
    return pg_query(pg, a, SQL_VERIFICATION_PUT,
                    PG(pg_text(str_of(verification_scopes[run->scope])),
                       pg_moment(run->ended_at), pg_number(run->broken),
                       pg_text(run->checkpoint_id)),
                    NULL);
}

const struct err *verifications_last(struct pg *pg, struct arena *a,
                                     struct str *checkpoint_id)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_VERIFICATION_LAST, NULL, &r));
    *checkpoint_id = pg_count(r) ? pg_str(r, 0, 0) : STR_NONE;
    return NULL;
}

/* The events that ended questions. Decides nothing. */
#include "store/log/endings.h"

#include "store/sql.gen.h"

enum {
    PLACE,
    SEQUENCE,
    ID,
    TYPE,
    CANONICAL,
    HASH,
    PREVIOUS,
    CREATED,
    LOGGED,
    PASSED
};

static const struct err *endings_select(struct pg *pg, struct arena *a,
                                        int64_t epoch, bool ever,
                                        const struct endings_row *v, size_t n,
                                        struct pg_rows **out)
{
    enum { OF_ID, OF_INTENT, OF_ASKED, OF_XID, COLUMNS };
    struct str *column[COLUMNS], *types;
    struct pg_list args = {0};
    for (size_t k = 0; k < COLUMNS; k++)
        column[k] = arena_many(a, n + 1, struct str);
    for (size_t i = 0; i < n; i++) {
        column[OF_ID][i] = v[i].s->id;
        column[OF_INTENT][i] = v[i].s->intent_id;
        column[OF_ASKED][i] = arena_number(a, v[i].s->asked_sequence);
        column[OF_XID][i] = v[i].xid;
    }
    const size_t types_n = ending_list_types(a, &types);
    pg_add(&args, pg_number(epoch));
    pg_add(&args, pg_texts(column[OF_ID], n));
    pg_add(&args, pg_texts(column[OF_INTENT], n));
    pg_add(&args, pg_texts(column[OF_ASKED], n));
    pg_add(&args, pg_texts(types, types_n));
    if (!ever)
        pg_add(&args, pg_texts(column[OF_XID], n));
    return pg_query(pg, a,
                    ever ? SQL_RECEIPT_ENDINGS_EVER : SQL_RECEIPT_ENDINGS,
                    PG_ALL(&args), out);
}

/* Does the event fit better than the one that was found before? */
static bool endings_take(struct arena *a, struct endings_row *d,
                         const struct event *e)
{
    const enum ending ending = ending_of(a, d->s, e);
    if (ending <= d->ending)
        return false;
    d->ending = ending;
    d->event = *e;
    return true;
}

void endings_among(struct arena *a, const struct event *events, size_t n,
                   struct endings_row *d)
{
    for (size_t i = 0; i < n; i++) {
        if (events[i].sequence > d->s->asked_sequence)
            (void)endings_take(a, d, &events[i]);
    }
}

const struct err *endings_find(struct pg *pg, struct arena *a, int64_t epoch,
                               bool ever, struct endings_row *v, size_t n)
{
    struct pg_rows *r = NULL;
    if (n == 0)
        return NULL;
    TRY(endings_select(pg, a, epoch, ever, v, n, &r));
    for (size_t i = 0; i < pg_count(r); i++) {
        struct endings_row *d = &v[pg_int(r, i, PLACE) - 1];
        const struct event e = {.sequence = pg_int(r, i, SEQUENCE),
                                .id = pg_str(r, i, ID),
                                .type = pg_str(r, i, TYPE),
                                .created_at = pg_int(r, i, CREATED),
                                .canonical = pg_str(r, i, CANONICAL),
                                .hash = pg_str(r, i, HASH),
                                .previous = pg_str(r, i, PREVIOUS)};
        if (!endings_take(a, d, &e))
            continue;
        d->logged = pg_bool(r, i, LOGGED);
        d->passed = pg_bool(r, i, PASSED);
    }
    return NULL;
}

/* Initiation tickets: struct in, struct out. Decides nothing. */
#include "store/permit/initiations.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/shared/clock_watch.h"
#include "store/sql.gen.h"

const struct err *initiations_make(struct pg *pg, struct arena *a,
                                   struct str person_id, struct str agent,
                                   struct str *ticket, int64_t *expires_at)
{
    const int64_t now = clock_watch_latest(clock_now());
    *ticket = arena_join(a, STR("sin_"), crypt_token(a, 32));
    *expires_at = now + INITIATIONS_LIFE;
    return pg_query(pg, a, SQL_INITIATION_INSERT,
                    PG(pg_text(crypt_sha256_hex(a, *ticket)),
                       pg_text(person_id), pg_text(agent), pg_moment(now),
                       pg_moment(*expires_at)),
                    NULL);
}

const struct err *initiations_take(struct pg *pg, struct arena *a,
                                   struct str ticket, struct str agent,
                                   struct initiations_person *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_INITIATION_TAKE,
                 PG(pg_text(crypt_sha256_hex(a, ticket)), pg_text(agent),
                    pg_moment(clock_watch_latest(clock_now()))),
                 &r));
    if (pg_count(r) == 0)
        return err_at(a, ERR_INVALID, "initiation.unknown", STR("initiation"),
                      "There is no such ticket for this agent. It may have "
                      "expired, or been used.");
    *out = (struct initiations_person){.id = pg_str(r, 0, 0),
                                       .email = pg_str(r, 0, 1)};
    return NULL;
}

void initiations_queue_use(struct pg *pg, struct arena *a, struct str ticket,
                           struct str intent_id)
{
    pg_queue(pg, a, SQL_INITIATION_USE,
             PG(pg_text(crypt_sha256_hex(a, ticket)), pg_text(intent_id)));
}

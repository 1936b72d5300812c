/* Initiation tickets: struct in, struct out. Decides nothing. */
#include "store/initiations.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "store/sql.gen.h"

const struct err *initiations_make(struct pg *pg, struct arena *a,
                                   struct str person_id, struct str agent,
                                   struct str *ticket, int64_t *expires_at)
{
    struct pg_args args = pg_args(a);
    struct buf b = buf_make(a, 64);
    const int64_t now = clock_watch_latest(clock_now());
    buf_put(&b, "sin_");
    buf_str(&b, crypt_token(a, 32));
    *ticket = buf_text(&b);
    *expires_at = now + INITIATIONS_LIFE;
    pg_arg(&args, crypt_sha256_hex(a, *ticket));
    pg_arg(&args, person_id);
    pg_arg(&args, agent);
    pg_arg_time(&args, now);
    pg_arg_time(&args, *expires_at);
    return pg_query(pg, a, SQL_INITIATION_INSERT, &args, NULL);
}

const struct err *initiations_take(struct pg *pg, struct arena *a,
                                   struct str ticket, struct str agent,
                                   struct initiations_person *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, crypt_sha256_hex(a, ticket));
    pg_arg(&args, agent);
    pg_arg_time(&args, clock_watch_latest(clock_now()));
    TRY(pg_query(pg, a, SQL_INITIATION_TAKE, &args, &r));
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
    struct pg_args args = pg_args(a);
    pg_arg(&args, crypt_sha256_hex(a, ticket));
    pg_arg(&args, intent_id);
    pg_queue(pg, SQL_INITIATION_USE, &args);
}

/* Access tokens of permits in the database: struct in, struct out. Decides
 * nothing. */
#include "store/permit_tokens.h"

#include "base/crypt.h"
#include "store/sql.gen.h"

/* The columns of permit_token_get. */
enum { PERMIT, JKT, ISSUED, EXPIRES, ENDED, INTENT, INITIATOR, OPEN };

struct str permit_tokens_text(struct arena *a)
{
    return arena_join(a, STR("sat_"), crypt_token(a, 32));
}

const struct err *permit_tokens_get(struct pg *pg, struct arena *a,
                                    struct str text,
                                    struct permit_tokens_row *out, bool *found)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PERMIT_TOKEN_GET,
                 PG(pg_text(crypt_sha256_hex(a, text))), &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = (struct permit_tokens_row){
            .token = {.permit_id = pg_str(r, 0, PERMIT),
                      .jkt = pg_str(r, 0, JKT),
                      .issued_at = pg_int(r, 0, ISSUED),
                      .expires_at = pg_int(r, 0, EXPIRES)},
            .ended = pg_bool(r, 0, ENDED),
            .intent = vocabulary_intent_status_of(pg_str(r, 0, INTENT)),
            .initiated_by = pg_str(r, 0, INITIATOR),
            .question_open = pg_bool(r, 0, OPEN)};
    return NULL;
}

void permit_tokens_queue_insert(struct pg *pg, struct arena *a,
                                const struct permit_token *t, struct str text)
{
    pg_queue(pg, a, SQL_PERMIT_TOKEN_INSERT,
             PG(pg_text(crypt_sha256_hex(a, text)), pg_text(t->permit_id),
                pg_text(t->jkt), pg_moment(t->issued_at),
                pg_moment(t->expires_at)));
}

void permit_tokens_queue_end(struct pg *pg, struct arena *a,
                             struct str permit_id, enum permit_tokens_why why,
                             int64_t now)
{
    static const char *const words[PERMIT_TOKENS__MAX] = {
        [PERMIT_TOKENS_REPLACED] = "replaced",
        [PERMIT_TOKENS_REVOKED] = "revoked",
        [PERMIT_TOKENS_SPENT] = "spent"};
    pg_queue(
        pg, a, SQL_PERMIT_TOKEN_END,
        PG(pg_text(permit_id), pg_moment(now), pg_text(str_of(words[why]))));
}

const struct err *permit_tokens_revoke(struct pg *pg, struct arena *a,
                                       struct str text, struct str agent,
                                       int64_t now)
{
    return pg_query(
        pg, a, SQL_PERMIT_TOKEN_REVOKE,
        PG(pg_text(crypt_sha256_hex(a, text)), pg_text(agent), pg_moment(now)),
        NULL);
}

const struct err *permit_tokens_proof(struct pg *pg, struct arena *a,
                                      struct str jkt, struct str jti_sha256,
                                      int64_t now, bool *fresh)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_DPOP_PROOF_INSERT,
                 PG(pg_text(jkt), pg_text(jti_sha256), pg_moment(now)), &r));
    *fresh = pg_affected(r) > 0;
    return NULL;
}

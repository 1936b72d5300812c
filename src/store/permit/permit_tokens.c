/* Access tokens of permits in the database: struct in, struct out. Decides
 * nothing. */
#include "store/permit/permit_tokens.h"

#include "base/crypt.h"
#include "store/rows.h"

static const struct record_field permit_token_fields[] = {
    {RECORD_TEXT(permit_token, permit_id, IN_TABLE)},
    {RECORD_TEXT(permit_token, jkt, IN_TABLE)},
    {RECORD_TIME(permit_token, issued_at, IN_TABLE)},
    {RECORD_TIME(permit_token, expires_at, IN_TABLE)},
    {RECORD_FLAG(permit_token, ended, IN_JOIN)},
    {RECORD_WORD(permit_token, intent, IN_JOIN,
                 vocabulary_intent_status_all)},
    {RECORD_TEXT(permit_token, initiated_by, IN_JOIN)},
    {RECORD_FLAG(permit_token, question_open, IN_JOIN)},
};
static const struct record permit_token_record =
    RECORD(permit_token, "token", "permit_token");

struct str permit_tokens_text(struct arena *a)
{
    return arena_join(a, STR("sat_"), crypt_token(a, 32));
}

const struct err *permit_tokens_get(struct pg *pg, struct arena *a,
                                    struct str text, struct permit_token *out,
                                    bool *found)
{
    return rows_find(pg, a, SQL_PERMIT_TOKEN_GET,
                     PG(pg_text(crypt_sha256_hex(a, text))),
                     &permit_token_record, out, found);
}

void permit_tokens_queue_insert(struct pg *pg, struct arena *a,
                                const struct permit_token *t, struct str text)
{
    rows_queue(pg, a, SQL_PERMIT_TOKEN_INSERT,
               PG(pg_text(crypt_sha256_hex(a, text))), &permit_token_record,
               IN_INSERT, t);
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
                                       int64_t now, bool *done)
{
    return rows_change(
        pg, a, SQL_PERMIT_TOKEN_REVOKE,
        PG(pg_text(crypt_sha256_hex(a, text)), pg_text(agent), pg_moment(now)),
        done);
}

const struct err *permit_tokens_proof(struct pg *pg, struct arena *a,
                                      struct str jkt, struct str jti_sha256,
                                      int64_t now, bool *fresh)
{
    return rows_change(pg, a, SQL_DPOP_PROOF_INSERT,
                       PG(pg_text(jkt), pg_text(jti_sha256), pg_moment(now)),
                       fresh);
}

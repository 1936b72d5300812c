/* API keys for the settings page.
 *
 * A key is created here and returned once; only its digest is stored. */
#include "store/person/keys.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "store/rows.h"

/* The columns of another table, and those that a person's token has of the
 * person, are joined. */
static const struct record_field key_fields[] = {
    {RECORD_TEXT(key, id, IN_TABLE)},
    {RECORD_TEXT(key, digest, IN_INSERT), .column = "key_sha256"},
    {RECORD_TEXT(key, prefix, IN_TABLE)},
    {RECORD_TEXT(key, label, IN_TABLE)},
    {RECORD_WORD(key, reach, IN_TABLE, vocabulary_reach_all)},
    {RECORD_WORD(key, terms.floor, IN_TABLE, vocabulary_severity_all),
     .column = "severity_floor"},
    {RECORD_OWN(key, terms.by, IN_TABLE, principal_by_column,
                principal_by_take),
     .column = "decides"},
    {RECORD_FLAG(key, test, IN_ROW)},
    {RECORD_TIME(key, created_at, IN_TABLE)},
    {RECORD_TIME(key, used_at, IN_ROW), .column = "last_used_at"},
    {RECORD_TIME(key, expires_at, IN_TABLE)},
    {RECORD_TEXT(key, person_id, IN_INSERT), .column = "principal_id"},
    {RECORD_TEXT(key, resource_id, IN_INSERT)},
    {RECORD_OWN(key, role, IN_JOIN | IN_INSERT, role_column, role_take)},
    {RECORD_TEXT(key, groups, IN_JOIN | IN_INSERT)},
    {RECORD_TIME(key, revoked_at, IN_JOIN)},
    {RECORD_TEXT(key, agents, IN_JOIN)},
    {RECORD_TEXT(key, email, IN_JOIN)},
};
static const struct record key_record = RECORD(key, "key", "api_key");

const struct err *keys_list(struct pg *pg, struct arena *a,
                            const struct key *after, struct key_rows *out)
{
    return rows_list(pg, a, SQL_KEY_PAGE,
                     PG(pg_number(KEYS_PAGE + 1),
                        pg_moment(after ? after->created_at : 0),
                        pg_text(after ? after->id : STR_NONE)),
                     &key_record, &out->v, &out->n);
}

const struct err *keys_tokens(struct pg *pg, struct arena *a,
                              struct str person_id, struct key_rows *out)
{
    return rows_list(pg, a, SQL_KEY_TOKENS,
                     PG(pg_text(person_id), pg_moment(clock_now()),
                        pg_number(KEYS_TOKENS_MAX)),
                     &key_record, &out->v, &out->n);
}

const struct err *keys_get(struct pg *pg, struct arena *a, struct str id,
                           struct key *out)
{
    return rows_by_id(pg, a, SQL_KEY_GET, id, &key_record, out);
}

/* ---- making one ------------------------------------------------------- */

static void keys_queue(struct pg *pg, struct arena *a, int statement,
                       struct keys_fresh *fresh, struct str *text)
{
    struct key *k = &fresh->key;
    const struct pg_value agents = pg_texts(fresh->agents, fresh->agents_n);
    *text = arena_join(a, STR("sayso_"), crypt_token(a, 32));
    k->id = id_new(a);
    k->digest = crypt_sha256_hex(a, *text);
    k->prefix = str_sub(*text, 0, KEYS_PREFIX);
    k->created_at = clock_now();
    rows_queue(pg, a, statement,
               statement == SQL_KEY_MAKE
                   ? PG(agents)
                   : PG(agents, pg_text(fresh->retry_policy),
                        pg_flag(k->test)),
               &key_record, IN_INSERT, k);
}

const struct err *keys_make(struct pg *pg, struct arena *a,
                            struct keys_fresh *fresh, struct str *text)
{
    keys_queue(pg, a, SQL_KEY_MAKE, fresh, text);
    return pg_run(pg, a, NULL);
}

const struct err *keys_insert(struct pg *pg, struct arena *a,
                              struct keys_fresh *fresh, struct str *text)
{
    keys_queue(pg, a, SQL_KEY_INSERT, fresh, text);
    return pg_run(pg, a, NULL);
}

const struct err *keys_make_token(struct pg *pg, struct arena *a,
                                  struct keys_fresh *fresh, struct str *text)
{
    keys_queue(pg, a, SQL_KEY_MAKE, fresh, text);
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    return pg_run(pg, a, NULL);
}

/* ---- changing one ----------------------------------------------------- */

const struct err *keys_reach(struct pg *pg, struct arena *a, struct str id,
                             enum reach reach, bool *done)
{
    return rows_change(pg, a, SQL_KEY_REACH,
                       PG(pg_text(id), pg_text(vocabulary_reach(reach)->wire)),
                       done);
}

const struct err *keys_terms(struct pg *pg, struct arena *a, struct str id,
                             const struct terms *terms)
{
    return pg_query(pg, a, SQL_KEY_TERMS,
                    PG(pg_text(id),
                       pg_text(vocabulary_severity(terms->floor)->wire),
                       pg_text(principal_by_text(a, &terms->by))),
                    NULL);
}

const struct err *keys_decided(struct pg *pg, struct arena *a, struct str id,
                               bool *out)
{
    struct str decides = STR_NONE;
    TRY(rows_text(pg, a, SQL_KEY_DECIDES, PG(pg_text(id)), &decides));
    *out = decides.p;
    return NULL;
}

const struct err *keys_revoke(struct pg *pg, struct arena *a, struct str id)
{
    return pg_query(pg, a, SQL_KEY_END,
                    PG(pg_text(id), pg_moment(clock_now())), NULL);
}

const struct err *keys_revoke_token(struct pg *pg, struct arena *a,
                                    struct str id, struct str person_id)
{
    if (!id_uuid(id))
        return &key_record.unknown;
    return rows_must_change(
        pg, a, SQL_KEY_END_TOKEN,
        PG(pg_text(id), pg_text(person_id), pg_moment(clock_now())),
        &key_record.unknown);
}

const struct err *keys_stored(struct pg *pg, struct arena *a, struct str id,
                              int64_t day, int64_t bytes, int64_t *total)
{
    return rows_number(pg, a, SQL_KEY_STORED,
                       PG(pg_text(id), pg_moment(day), pg_number(bytes)),
                       total);
}

/* ---- names of the other sort ------------------------------------------ */

const struct err *keys_apart(struct pg *pg, struct arena *a,
                             const struct str *names, size_t n,
                             bool test, struct str *out)
{
    *out = STR_NONE;
    if (n == 0)
        return NULL;
    return rows_text(pg, a, SQL_KEY_TAKEN,
                     PG(pg_texts(names, n), pg_flag(test)), out);
}

const struct err *keys_joins(struct pg *pg, struct arena *a,
                             struct str agent, bool test,
                             const char *at)
{
    struct str taken = STR_NONE;
    TRY(keys_apart(pg, a, &agent, agent.n > 0 ? 1 : 0, test, &taken));
    return reach_joins(a, test, taken.p ? !test : test, at);
}

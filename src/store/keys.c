/* API keys for the settings page.
 *
 * A key is created here and returned once; only its digest is stored. */
#include "store/keys.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "store/sql.gen.h"

/* The columns of key_page and key_get. */
enum { ID, PREFIX, ROLE, LABEL, AGENTS, GROUPS, CREATED, USED, EXPIRES,
       REVOKED, REACH, FLOOR, EMAIL, TEST, BY };

static struct key row(const struct pg_rows *r, size_t i)
{
    return (struct key){.id = pg_str(r, i, ID),
                        .prefix = pg_str(r, i, PREFIX),
                        .role = role_of(pg_str(r, i, ROLE)),
                        .label = pg_str(r, i, LABEL),
                        .agents = pg_str(r, i, AGENTS),
                        .groups = pg_str(r, i, GROUPS),
                        .created_at = pg_int(r, i, CREATED),
                        .used_at = pg_int(r, i, USED),
                        .expires_at = pg_int(r, i, EXPIRES),
                        .revoked_at = pg_int(r, i, REVOKED),
                        .reach = vocabulary_reach_of(pg_str(r, i, REACH)),
                        .terms = principal_terms(pg_str(r, i, FLOOR),
                                                 pg_str(r, i, BY)),
                        .email = pg_str(r, i, EMAIL),
                        .test = pg_bool(r, i, TEST)};
}

static struct key_rows rows(struct arena *a, const struct pg_rows *r)
{
    struct key_rows out = {.n = pg_count(r)};
    out.v = arena_many(a, out.n + 1, struct key);
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = row(r, i);
    return out;
}

const struct err *keys_list(struct pg *pg, struct arena *a,
                            const struct key *after, struct key_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_KEY_PAGE,
                 PG(pg_number(KEYS_PAGE + 1),
                    pg_moment(after ? after->created_at : 0),
                    pg_text(after ? after->id : STR_NONE)),
                 &r));
    *out = rows(a, r);
    return NULL;
}

const struct err *keys_tokens(struct pg *pg, struct arena *a,
                              struct str person_id, struct key_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_KEY_TOKENS,
                 PG(pg_text(person_id), pg_moment(clock_now()),
                    pg_number(KEYS_TOKENS_MAX)),
                 &r));
    *out = rows(a, r);
    return NULL;
}

static const struct err *unknown(void)
{
    return ERROR(ERR_NOT_FOUND, "key.unknown", "There is no key with this id.");
}

const struct err *keys_get(struct pg *pg, struct arena *a, struct str id,
                           struct key *out)
{
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return unknown();
    TRY(pg_query(pg, a, SQL_KEY_GET, PG(pg_text(id)), &r));
    if (pg_count(r) == 0)
        return unknown();
    *out = row(r, 0);
    return NULL;
}

struct str keys_text(struct arena *a)
{
    return arena_join(a, STR("sayso_"), crypt_token(a, 32));
}

static void queue_make(struct pg *pg, struct arena *a,
                       struct keys_fresh *fresh, struct str *text)
{
    struct key *k = &fresh->key;
    *text = keys_text(a);
    k->id = id_new(a);
    k->prefix = str_sub(*text, 0, KEYS_PREFIX);
    k->created_at = clock_now();
    pg_queue(pg, a, SQL_KEY_MAKE,
             PG(pg_text(k->id), pg_text(crypt_sha256_hex(a, *text)),
                pg_text(k->prefix),
                pg_text(str_of(role_word(k->role))),
                pg_text(k->label), pg_texts(fresh->agents, fresh->agents_n),
                pg_moment(k->created_at), pg_moment(k->expires_at),
                pg_text(k->groups), pg_text(vocabulary_reach(k->reach)->wire),
                pg_text(vocabulary_severity(k->terms.floor)->wire),
                pg_text(k->person_id), pg_text(k->resource_id),
                pg_text(principal_by_text(a, &k->terms.by))));
}

const struct err *keys_make(struct pg *pg, struct arena *a,
                            struct keys_fresh *fresh, struct str *text)
{
    queue_make(pg, a, fresh, text);
    return pg_run(pg, a, NULL);
}

const struct err *keys_make_token(struct pg *pg, struct arena *a,
                                  struct keys_fresh *fresh, struct str *text)
{
    queue_make(pg, a, fresh, text);
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    return pg_run(pg, a, NULL);
}

const struct err *keys_reach(struct pg *pg, struct arena *a, struct str id,
                             enum reach reach, bool *done)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_KEY_REACH,
                 PG(pg_text(id), pg_text(vocabulary_reach(reach)->wire)), &r));
    *done = pg_affected(r) > 0;
    return NULL;
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
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_KEY_DECIDES, PG(pg_text(id)), &r));
    *out = pg_count(r) > 0 && pg_str(r, 0, 0).p;
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
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return unknown();
    TRY(pg_query(pg, a, SQL_KEY_END_TOKEN,
                 PG(pg_text(id), pg_text(person_id), pg_moment(clock_now())),
                 &r));
    return pg_affected(r) > 0 ? NULL : unknown();
}

const struct err *keys_stored(struct pg *pg, struct arena *a, struct str id,
                              int64_t day, int64_t bytes, int64_t *total)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_KEY_STORED,
                 PG(pg_text(id), pg_moment(day), pg_number(bytes)), &r));
    *total = pg_int(r, 0, 0);
    return NULL;
}

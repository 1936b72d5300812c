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
                        .role = principal_role(pg_str(r, i, ROLE)),
                        .label = pg_str(r, i, LABEL),
                        .agents = pg_str(r, i, AGENTS),
                        .groups = pg_str(r, i, GROUPS),
                        .created_at = pg_int(r, i, CREATED),
                        .used_at = pg_int(r, i, USED),
                        .expires_at = pg_int(r, i, EXPIRES),
                        .revoked_at = pg_int(r, i, REVOKED),
                        .reach = reach_of(pg_str(r, i, REACH)),
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
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg_int(&args, KEYS_PAGE + 1);
    pg_arg_time(&args, after ? after->created_at : 0);
    pg_arg(&args, after ? after->id : STR_NONE);
    TRY(pg_query(pg, a, SQL_KEY_PAGE, &args, &r));
    *out = rows(a, r);
    return NULL;
}

const struct err *keys_tokens(struct pg *pg, struct arena *a,
                              struct str person_id, struct key_rows *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, person_id);
    pg_arg_time(&args, clock_now());
    pg_arg_int(&args, KEYS_TOKENS_MAX);
    TRY(pg_query(pg, a, SQL_KEY_TOKENS, &args, &r));
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
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return unknown();
    pg_arg(&args, id);
    TRY(pg_query(pg, a, SQL_KEY_GET, &args, &r));
    if (pg_count(r) == 0)
        return unknown();
    *out = row(r, 0);
    return NULL;
}

struct str keys_text(struct arena *a)
{
    struct buf b = buf_make(a, 128);
    buf_put(&b, "sayso_");
    buf_str(&b, crypt_token(a, 32));
    return buf_text(&b);
}

static void queue_make(struct pg *pg, struct arena *a,
                       struct keys_fresh *fresh, struct str *text)
{
    struct pg_args args = pg_args(a);
    struct key *k = &fresh->key;
    *text = keys_text(a);
    k->id = id_new(a);
    k->prefix = str_sub(*text, 0, KEYS_PREFIX);
    k->created_at = clock_now();
    pg_arg(&args, k->id);
    pg_arg(&args, crypt_sha256_hex(a, *text));
    pg_arg(&args, k->prefix);
    pg_arg(&args, str_of(principal_role_word(k->role)));
    pg_arg(&args, k->label);
    pg_arg_texts(&args, fresh->agents, fresh->agents_n);
    pg_arg_time(&args, k->created_at);
    pg_arg_time(&args, k->expires_at);
    pg_arg(&args, k->groups);
    pg_arg(&args, str_of(reach_word(k->reach)));
    pg_arg(&args, str_of(vocabulary_severity(k->terms.floor)->wire));
    pg_arg(&args, k->person_id);
    pg_arg(&args, k->resource_id);
    pg_arg(&args, principal_by_text(a, &k->terms.by));
    pg_queue(pg, SQL_KEY_MAKE, &args);
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
    pg_queue(pg, SQL_COMMIT, NULL);
    return pg_run(pg, a, NULL);
}

const struct err *keys_reach(struct pg *pg, struct arena *a, struct str id,
                             enum reach reach, bool *done)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, id);
    pg_arg(&args, str_of(reach_word(reach)));
    TRY(pg_query(pg, a, SQL_KEY_REACH, &args, &r));
    *done = pg_affected(r) > 0;
    return NULL;
}

const struct err *keys_terms(struct pg *pg, struct arena *a, struct str id,
                             const struct terms *terms)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, id);
    pg_arg(&args, str_of(vocabulary_severity(terms->floor)->wire));
    pg_arg(&args, principal_by_text(a, &terms->by));
    return pg_query(pg, a, SQL_KEY_TERMS, &args, NULL);
}

const struct err *keys_decided(struct pg *pg, struct arena *a, struct str id,
                               bool *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, id);
    TRY(pg_query(pg, a, SQL_KEY_DECIDES, &args, &r));
    *out = pg_count(r) > 0 && pg_str(r, 0, 0).p;
    return NULL;
}

const struct err *keys_revoke(struct pg *pg, struct arena *a, struct str id)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, id);
    pg_arg_time(&args, clock_now());
    return pg_query(pg, a, SQL_KEY_END, &args, NULL);
}

const struct err *keys_revoke_token(struct pg *pg, struct arena *a,
                                    struct str id, struct str person_id)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return unknown();
    pg_arg(&args, id);
    pg_arg(&args, person_id);
    pg_arg_time(&args, clock_now());
    TRY(pg_query(pg, a, SQL_KEY_END_TOKEN, &args, &r));
    return pg_affected(r) > 0 ? NULL : unknown();
}

const struct err *keys_stored(struct pg *pg, struct arena *a, struct str id,
                              int64_t day, int64_t bytes, int64_t *total)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, id);
    pg_arg_time(&args, day);
    pg_arg_int(&args, bytes);
    TRY(pg_query(pg, a, SQL_KEY_STORED, &args, &r));
    *total = pg_int(r, 0, 0);
    return NULL;
}

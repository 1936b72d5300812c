/* Callers with a key: the cache of keys, and the look-up in the database.
 *
 * Secrets are arguments, only their digests are sent to the database. */
#include "store/person/principals.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/shared/clock_watch.h"
#include "domain/intent/reach.h"
#include "store/sql.gen.h"
#include "world/pg/pg_error.h"

#define MINUTE (60 * CLOCK_SECOND)

/* The columns of key_find that define a key; last use is not one of them. */
enum { ID, ROLE, LABEL, AGENTS, EXPIRES, REVOKED, RETRY, GROUPS, REACH,
       FLOOR, BY, TITLE, PERSON, RESOURCE, NONCES, TEST, TAKEN,
       COLUMNS };
enum { LAST_USED = COLUMNS, VERSION, PLACE };

#define SEEN_KEYS 64
#define SEEN_TEXT 2048 /* a longer row is not cached */
#define VERSION_MAX 32 /* up to three transaction ids; a place is shorter */

struct seen {
    bool used;
    uint8_t tag[CRYPT_TAG];        /* of the key */
    char digest[2 * CRYPT_SHA256]; /* of the key, as in the table */
    int64_t noted;                 /* when its use was last stored */
    char version[VERSION_MAX];     /* of the row */
    char place[VERSION_MAX];       /* of the row in its table */
    bool null[COLUMNS];
    size_t length[COLUMNS];
    char text[SEEN_TEXT]; /* the columns, one after the other */
};

struct principals {
    uint8_t secret[CRYPT_TAG]; /* of the tags */
    struct seen key[SEEN_KEYS];
    size_t next; /* the slot to be replaced next */
};

struct principals *principals_make(struct arena *process)
{
    struct principals *p = arena_new(process, struct principals);
    crypt_random(p->secret, sizeof p->secret);
    return p;
}

static struct seen *principals_find(struct principals *p,
                                    const uint8_t tag[static CRYPT_TAG])
{
    for (size_t i = 0; i < SEEN_KEYS; i++)
        if (p->key[i].used && memcmp(p->key[i].tag, tag, CRYPT_TAG) == 0)
            return &p->key[i];
    return NULL;
}

static void principals_remember(struct principals *p,
                                const uint8_t tag[static CRYPT_TAG],
                                struct str digest, const struct pg_rows *r,
                                int64_t now)
{
    struct seen *old = principals_find(p, tag);
    struct seen *k = old ? old : &p->key[p->next++ % SEEN_KEYS];
    size_t at = 0;
    k->used = false;
    if (!str_copy(k->version, VERSION_MAX, pg_str(r, 0, VERSION)) ||
        !str_copy(k->place, VERSION_MAX, pg_str(r, 0, PLACE)))
        return;
    for (int c = 0; c < COLUMNS; c++) {
        const struct str s = pg_str(r, 0, c);
        if (s.n > SEEN_TEXT - at)
            return;
        k->null[c] = !s.p;
        k->length[c] = s.n;
        if (s.n > 0)
            memcpy(k->text + at, s.p, s.n);
        at += s.n;
    }
    memcpy(k->tag, tag, sizeof k->tag);
    memcpy(k->digest, digest.p, sizeof k->digest);
    k->noted = now;
    k->used = true;
}

/* Is the row the same as in the cache? If not it is removed, and the call is
 * run again without the cache. */
static const struct err *principals_unchanged(void *context,
                                              struct str version)
{
    struct seen *k = context;
    if (version.p && str_is(version, k->version))
        return NULL;
    k->used = false;
    return pg_error_again();
}

static const struct err *principals_check_key(struct str expires,
                                              struct str revoked, int64_t now)
{
    int64_t at = 0;
    if (revoked.p)
        return ERROR(ERR_UNAUTHENTICATED, "key.revoked",
                     "The API key was revoked.");
    if (str_int(expires, 0, INT64_MAX, &at) && at <= now)
        return ERROR(ERR_UNAUTHENTICATED, "key.expired",
                     "The API key has expired.");
    return NULL;
}

/* Names have no spaces, and a space between them. */
static const struct err *principals_speak(struct arena *a,
                                          const struct str *columns,
                                          struct str asked,
                                          struct principal *out)
{
    struct str rest = arena_str(a, columns[AGENTS]),
               names[PRINCIPAL_AGENTS_MAX];
    size_t n = 0;
    while (rest.n > 0 && n < countof(names))
        names[n++] = str_cut(&rest, ' ');
    TRY(principal_speak(names, n, asked, out->name, &out->agent));
    return principal_check_sort(out, columns[TAKEN],
                                str_listed(columns[AGENTS], STR("*")));
}

static const struct err *principals_fill(struct arena *a,
                                         const struct str *columns,
                                         struct str asked,
                                         struct principal *out)
{
    TRY(principals_check_key(columns[EXPIRES], columns[REVOKED],
                             clock_watch_latest(clock_now())));
    *out = (struct principal){.role = role_of(columns[ROLE]),
                              .id = arena_str(a, columns[ID]),
                              .name = arena_str(a, columns[LABEL]),
                              .title = arena_str(a, columns[TITLE]),
                              .person_id = arena_str(a, columns[PERSON]),
                              .resource_id = arena_str(a, columns[RESOURCE]),
                              .nonce_secret = arena_str(a, columns[NONCES]),
                              .retry_policy = arena_str(a, columns[RETRY]),
                              .groups = arena_str(a, columns[GROUPS]),
                              .reach = vocabulary_reach_of(columns[REACH]),
                              .test = str_is(columns[TEST], "t"),
                              .terms = principal_terms(
                                  columns[FLOOR], arena_str(a, columns[BY]))};
    if (out->role == ROLE_AGENT)
        return principals_speak(a, columns, asked, out);
    if (!out->person_id.p && !out->resource_id.p)
        out->actor = principal_key_actor(a, out->name);
    return NULL;
}

static const struct err *
principals_look_up(struct principals *p, struct pg *pg, struct arena *a,
                   struct str key, const uint8_t tag[static CRYPT_TAG],
                   struct str columns[static COLUMNS])
{
    struct pg_rows *r = NULL;
    const struct str digest = crypt_sha256_hex(a, key);
    const int64_t now = clock_now();
    TRY(pg_query(pg, a, SQL_KEY_FIND, PG(pg_text(digest)), &r));
    if (pg_count(r) == 0)
        return ERROR(ERR_UNAUTHENTICATED, "key.unknown",
                     "The API key is not valid.");
    for (int c = 0; c < COLUMNS; c++)
        columns[c] = pg_str(r, 0, c);
    TRY(principals_check_key(columns[EXPIRES], columns[REVOKED],
                             clock_watch_latest(now)));
    /* Storing the use changes the row, so the next call caches it. */
    if (now - pg_int(r, 0, LAST_USED) >= MINUTE)
        return pg_query(pg, a, SQL_KEY_USED,
                        PG(pg_text(columns[ID]), pg_moment(now)), NULL);
    principals_remember(p, tag, digest, r, now);
    return NULL;
}

static void principals_guess(struct seen *k, struct pg *pg, struct arena *a,
                             struct str columns[static COLUMNS])
{
    const bool owned = !k->null[PERSON] || !k->null[RESOURCE];
    const struct pg_value digest =
        pg_text((struct str){k->digest, sizeof k->digest});
    const struct pg_ahead ahead = {
        .statement = owned ? SQL_KEY_VERSION_OWNED : SQL_KEY_VERSION,
        .args = owned ? PG(digest) : PG(pg_text(str_of(k->place)), digest),
        .joins = !owned,
        .check = principals_unchanged,
        .context = k};
    pg_ahead(pg, a, &ahead);
    size_t at = 0;
    for (int c = 0; c < COLUMNS; c++) {
        columns[c] =
            k->null[c] ? STR_NONE : (struct str){k->text + at, k->length[c]};
        at += k->length[c];
    }
}

const struct err *principals_by_key(struct principals *seen, struct pg *pg,
                                    struct arena *a,
                                    const struct principals_key *key,
                                    struct principal *out)
{
    struct str columns[COLUMNS];
    uint8_t tag[CRYPT_TAG];
    crypt_tag(seen->secret, key->key, tag);
    struct seen *k = principals_find(seen, tag);
    /* Once a minute the row is read before the call, which stores the use. */
    if (k && clock_now() - k->noted < MINUTE) {
        principals_guess(k, pg, a, columns);
        if (!principals_fill(a, columns, key->agent, out))
            return NULL;
        k->used = false; /* refused by a row that may have changed */
    }
    TRY(principals_look_up(seen, pg, a, key->key, tag, columns));
    return principals_fill(a, columns, key->agent, out);
}

/* The signing keys that the database knows. Pure. */
#include "domain/log/signing_key.h"

#include "base/clock_text.h"
#include "base/json/jws.h"

#define SIGNING_KEY_TYPE "sayso-key+jwt"
#define SIGNING_KEY_LATE (600 * CLOCK_SECOND)

static const struct record_field signing_key_fields[] = {
    {RECORD_TEXT(signing_key, kid, IN_TABLE)},
    {RECORD_TEXT(signing_key, did, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(signing_key, public_key, IN_TABLE | IN_OBJECT)},
    {RECORD_WORD(signing_key, state, IN_TABLE | IN_OBJECT,
                 vocabulary_signing_key_state_all)},
    {RECORD_TIME(signing_key, created_at, IN_TABLE)},
    {RECORD_TIME(signing_key, current_from, IN_TABLE | IN_OBJECT),
     .member = "not_before"},
    {RECORD_TIME(signing_key, current_until, IN_TABLE | IN_OBJECT),
     .member = "not_after"},
    {RECORD_TEXT(signing_key, successor, IN_ROW | IN_OBJECT)},
};
const struct record signing_key_record =
    RECORD(signing_key, "signing key", "signing_key");

struct signing_key signing_key_make(struct arena *a,
                                    const struct signer_public *key,
                                    enum signing_key_state state, int64_t now)
{
    return (struct signing_key){
        .kid = signer_kid(a, key),
        .did = signer_did(a, key),
        .public_key = crypt_base64url(
            a, (struct str){(const char *)key->b, sizeof key->b}),
        .state = state,
        .created_at = now,
        .current_from = state == SIGNING_KEY_CURRENT ? now : 0};
}

bool signing_key_public(struct arena *a, const struct signing_key *row,
                        struct signer_public *out)
{
    const struct str bytes = crypt_base64url_read(a, row->public_key);
    if (bytes.n != sizeof out->b)
        return false;
    memcpy(out->b, bytes.p, sizeof out->b);
    return true;
}

bool signing_key_valid(const struct signing_key *row, int64_t at,
                       int64_t after)
{
    return row->current_from && at >= row->current_from - SIGNING_KEY_LATE &&
           (!row->current_until ||
            at <= row->current_until + after + SIGNING_KEY_LATE);
}

struct str signing_key_successor(struct arena *a, const struct signer *old,
                                 const struct signer_public *next, int64_t now)
{
    struct json *payload = json_object(a);
    json_set_text(payload, "from", clock_rfc3339(a, now));
    json_set_json(payload, "jwk", signer_jwk(a, next));
    return signer_jws(a, old, SIGNING_KEY_TYPE, payload);
}

bool signing_key_named(struct arena *a, struct str statement,
                       const struct signer_public *old,
                       struct signer_public *out)
{
    const char *why;
    struct jws jws;
    if (!jws_read(a, statement, SIGNER_JWS_MAX, &jws, &why) ||
        !str_is(json_get_text(jws.header, "typ"), SIGNING_KEY_TYPE) ||
        !crypt_ed25519_ok((struct str){(const char *)old->b, sizeof old->b},
                          jws.signature, jws.input))
        return false;
    const struct str x = crypt_base64url_read(
        a, json_get_text(json_get(jws_claims(a, &jws), "jwk"), "x"));
    if (x.n != sizeof out->b)
        return false;
    memcpy(out->b, x.p, sizeof out->b);
    return true;
}

bool signing_key_names(struct arena *a, const struct signing_key *row,
                       const struct signing_key *next)
{
    struct signer_public old, named, key;
    return row->successor.p && signing_key_public(a, row, &old) &&
           signing_key_named(a, row->successor, &old, &named) &&
           signing_key_public(a, next, &key) &&
           memcmp(named.b, key.b, sizeof key.b) == 0;
}

/* The signing keys that the database knows: public keys, and what became of
 * each. The secret keys are in a file that the signing process alone reads. */
#ifndef DOMAIN_LOG_SIGNING_KEY_H
#define DOMAIN_LOG_SIGNING_KEY_H

#include "base/clock.h"
#include "domain/log/note.h"
#include "domain/record.h"

struct signing_key {
    struct str kid, did;
    struct str public_key; /* base64url */
    enum signing_key_state state;
    int64_t created_at;
    int64_t current_from, current_until; /* 0: not yet */
    struct str successor; /* a JWS by this key that names the next one; p NULL:
                           * none */
};
extern const struct record signing_key_record;

/* The row of a new key. */
struct signing_key signing_key_make(struct arena *a,
                                    const struct signer_public *key,
                                    enum signing_key_state state, int64_t now);
/* false: the row's text is no key. */
bool signing_key_public(struct arena *a, const struct signing_key *row,
                        struct signer_public *out) MUST;
/* A retired key goes on signing heads, for readers who know it alone. */
#define SIGNING_KEY_HEADS (30 * 24 * 3600 * CLOCK_SECOND)
/* Was it the current key at that time, or so long ago? A signer learns of a
 * change some seconds later. */
bool signing_key_valid(const struct signing_key *row, int64_t at,
                       int64_t after) MUST;
/* The statement by which a key names the next one: a JWS of the type
 * sayso-key+jwt over {"from", "jwk"}. */
struct str signing_key_successor(struct arena *a, const struct signer *old,
                                 const struct signer_public *next,
                                 int64_t now);
/* The key that such a statement names. false: it is no statement by the old
 * key. */
bool signing_key_named(struct arena *a, struct str statement,
                       const struct signer_public *old,
                       struct signer_public *out) MUST;
/* Has the key of this row named that one by its successor? */
bool signing_key_names(struct arena *a, const struct signing_key *row,
                       const struct signing_key *next);

#endif

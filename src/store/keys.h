/* API keys, as the settings page sees them: never the key itself, which the
 * database does not have. */
#ifndef STORE_KEYS_H
#define STORE_KEYS_H

#include "domain/reach.h"
#include "world/pg.h"

#define KEYS_PAGE 100
#define KEYS_PREFIX 12 /* characters of a key that may be shown */

struct key {
    struct str id, prefix, label;
    enum role role;
    enum reach reach;
    struct str agents; /* names, with commas; "": none */
    struct str groups; /* names, a space between; p NULL: none */
    enum severity severity_floor; /* of what it asks */
    int64_t created_at, used_at, expires_at, revoked_at; /* 0: not */
};
struct key_rows {
    struct key *v;
    size_t n;
};
/* The newest first, at most KEYS_PAGE + 1 behind after (NULL: the first). */
const struct err *keys_list(struct pg *pg, struct arena *a,
                            const struct key *after,
                            struct key_rows *out) MUST;
/* ERR_NOT_FOUND key.unknown. */
const struct err *keys_get(struct pg *pg, struct arena *a, struct str id,
                           struct key *out) MUST;
/* Makes a key of these facts; *text is the key itself, for this once. */
struct keys_fresh {
    struct key key;
    const struct str *agents;
    size_t agents_n;
};
const struct err *keys_make(struct pg *pg, struct arena *a,
                            struct keys_fresh *fresh, struct str *text) MUST;
/* Sets what its agents reach. *done is false where that cannot be set: it has
 * ended, is no agent's or is any agent's. */
const struct err *keys_reach(struct pg *pg, struct arena *a, struct str id,
                             enum reach reach, bool *done) MUST;
/* The least severity of what it asks from now on; p NULL: none. */
const struct err *keys_floor(struct pg *pg, struct arena *a, struct str id,
                             enum severity floor) MUST;
/* Ends it; one that has ended stays as it is. */
const struct err *keys_revoke(struct pg *pg, struct arena *a,
                              struct str id) MUST;

/* Adds bytes that a key stored on the day that begins then; *total: all that
 * it stored on it. A statement of its own. */
const struct err *keys_stored(struct pg *pg, struct arena *a, struct str id,
                              int64_t day, int64_t bytes,
                              int64_t *total) MUST;

/* A new key: "sayso_" and 32 random bytes. */
struct str keys_text(struct arena *a);

#endif

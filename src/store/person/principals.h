/* Callers with a key. */
#ifndef STORE_PERSON_PRINCIPALS_H
#define STORE_PERSON_PRINCIPALS_H

#include "domain/intent/principal.h"
#include "world/pg/pg.h"

/* A worker's cache of keys. A cached key saves a round trip: its row is read
 * again ahead of the call's first batch, and nothing is answered or written
 * before it was found unchanged. */
struct principals;
struct principals *principals_make(struct arena *process);

struct principals_key {
    struct str key;
    struct str agent; /* X-Agent-ID; p NULL: absent */
};
/* The key's owner. ERR_UNAUTHENTICATED key.unknown | key.expired | key.revoked;
 * ERR_FORBIDDEN agent.not_named. Where the key was cached, the next batch on pg
 * fails with ERR_AGAIN if its row has changed since. Stores the time of use, at
 * most once a minute. */
const struct err *principals_by_key(struct principals *seen, struct pg *pg,
                                    struct arena *a,
                                    const struct principals_key *key,
                                    struct principal *out) MUST;

#endif

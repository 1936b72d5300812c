/* Callers: keys, people and their sessions in the database. */
#ifndef STORE_PRINCIPALS_H
#define STORE_PRINCIPALS_H

#include "domain/intent/principal.h"
#include "world/pg/pg.h"

#define PRINCIPALS_SESSION_LIFE (INT64_C(14) * 24 * 3600 * 1000000)
#define PRINCIPALS_SESSION_IDLE (INT64_C(24) * 3600 * 1000000)

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
/* The person of a session cookie; *found is false for an unknown, idle,
 * expired or revoked one. */
const struct err *principals_by_session(struct pg *pg, struct arena *a,
                                        struct str cookie,
                                        struct principal *out,
                                        bool *found) MUST;

/* Ends the session of a cookie. */
const struct err *principals_leave(struct pg *pg, struct arena *a,
                                   struct str cookie) MUST;

/* Is there a person or key that is valid, in the group (p NULL: any) or with
 * the name? Operators and admins; users too where they count. */
struct principals_wanted {
    struct str group, name;
    bool users;
};
const struct err *principals_there(struct pg *pg, struct arena *a,
                                   const struct principals_wanted *who,
                                   bool *out) MUST;

/* Which of these agents' names have valid keys of the other sort than test?
 * Their names, a space between; p NULL: none. "*" is no name. */
const struct err *principals_apart(struct pg *pg, struct arena *a,
                                   const struct str *names, size_t n,
                                   bool test, struct str *out) MUST;
/* May this agent (n 0: none) be given something of this sort? ERR_INVALID
 * test.apart at the member of the body. */
const struct err *principals_joins(struct pg *pg, struct arena *a,
                                   struct str agent, bool test,
                                   const char *at) MUST;

#endif

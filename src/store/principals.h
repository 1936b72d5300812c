/* Who may call: keys, people and their sessions in the database. */
#ifndef STORE_PRINCIPALS_H
#define STORE_PRINCIPALS_H

#include "domain/principal.h"
#include "world/pg.h"

#define PRINCIPALS_SESSION_LIFE (INT64_C(14) * 24 * 3600 * 1000000)
#define PRINCIPALS_SESSION_IDLE (INT64_C(24) * 3600 * 1000000)

/* The key's owner; agent is X-Agent-ID (p NULL: absent). ERR_UNAUTHENTICATED
 * key.unknown | key.expired | key.revoked; ERR_FORBIDDEN agent.not_named.
 * Notes the time of use, at most once a minute. */
const struct err *principals_by_key(struct pg *pg, struct arena *a,
                                    struct str key, struct str agent,
                                    struct principal *out) MUST;
/* The person of a session cookie; *found is false for an unknown, idle,
 * expired or revoked one. */
const struct err *principals_by_session(struct pg *pg, struct arena *a,
                                        struct str cookie,
                                        struct principal *out,
                                        bool *found) MUST;

/* A person who wants in. */
struct login {
    bool found;
    struct str id, password_hash;
    bool disabled;
    int64_t failures, failed_at;
};
const struct err *principals_login(struct pg *pg, struct arena *a,
                                   struct str email,
                                   struct login *out) MUST;
const struct err *principals_failed(struct pg *pg, struct arena *a,
                                    struct str id) MUST;
/* A new session; *cookie is what the browser keeps. */
const struct err *principals_enter(struct pg *pg, struct arena *a,
                                   struct str id, struct str *cookie) MUST;
const struct err *principals_leave(struct pg *pg, struct arena *a,
                                   struct str cookie) MUST;

#endif

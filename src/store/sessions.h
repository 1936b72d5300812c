/* Who is signed in just now, and ending it. */
#ifndef STORE_SESSIONS_H
#define STORE_SESSIONS_H

#include "base/err.h"
#include "world/pg.h"

#define SESSIONS_MAX 200

struct session_row {
    struct str id; /* the digest of its cookie */
    struct str person_id, name, email;
    int64_t created_at, seen_at;
};
struct session_rows {
    struct session_row *v;
    size_t n;
};
/* Sessions in use, of a person or (p NULL) of everybody, the ones seen last
 * first: at most SESSIONS_MAX + 1. */
const struct err *sessions_list(struct pg *pg, struct arena *a,
                                struct str person,
                                struct session_rows *out) MUST;
/* Ends one; person as above: whose it has to be. *email is whose it was, p
 * NULL where there was none to end. */
const struct err *sessions_end(struct pg *pg, struct arena *a, struct str id,
                               struct str person, struct str *email) MUST;
/* Ends all of a person's but the one of the cookie (p NULL: all). */
const struct err *sessions_end_all(struct pg *pg, struct arena *a,
                                   struct str person, struct str cookie) MUST;

#endif

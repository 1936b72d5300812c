/* Active sessions, and ending them. */
#ifndef STORE_SESSIONS_H
#define STORE_SESSIONS_H

#include "base/err.h"
#include "world/pg/pg.h"

#define SESSIONS_MAX 200

struct session {
    struct str id; /* the digest of its cookie */
    struct str person_id, name, email;
    int64_t created_at, seen_at;
};
struct session_rows {
    struct session *v;
    size_t n;
};
/* Active sessions, of a person or (p NULL) of everybody, most recent use first:
 * at most SESSIONS_MAX + 1. */
const struct err *sessions_list(struct pg *pg, struct arena *a,
                                struct str person,
                                struct session_rows *out) MUST;
/* Ends one; person as above: its required owner. *email is the owner's, p NULL
 * where there was none to end. */
const struct err *sessions_end(struct pg *pg, struct arena *a, struct str id,
                               struct str person, struct str *email) MUST;
/* Ends all sessions of a person but the one of the cookie (p NULL: all). */
const struct err *sessions_end_all(struct pg *pg, struct arena *a,
                                   struct str person, struct str cookie) MUST;

#endif

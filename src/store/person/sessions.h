/* Sessions: whose one is, the active ones, and ending them. */
#ifndef STORE_PERSON_SESSIONS_H
#define STORE_PERSON_SESSIONS_H

#include "domain/intent/principal.h"
#include "world/pg/pg.h"

#define SESSIONS_MAX 200
#define SESSIONS_LIFE (INT64_C(14) * 24 * 3600 * 1000000)
#define SESSIONS_IDLE (INT64_C(24) * 3600 * 1000000)

/* The person of a session cookie; *found is false for an unknown, idle,
 * expired or revoked one. */
const struct err *sessions_find(struct pg *pg, struct arena *a,
                                struct str cookie,
                                struct principal *out,
                                bool *found) MUST;

/* Ends the session of a cookie. */
const struct err *sessions_leave(struct pg *pg, struct arena *a,
                                 struct str cookie) MUST;

struct session {
    struct str id; /* the digest of its cookie */
    struct str person_id, name, email;
    struct str browser, os, address; /* p NULL: not known */
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

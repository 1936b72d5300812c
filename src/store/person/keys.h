/* API keys for the settings page: never the key itself, which the database does
 * not have. */
#ifndef STORE_PERSON_KEYS_H
#define STORE_PERSON_KEYS_H

#include "domain/intent/reach.h"
#include "world/pg/pg.h"

#define KEYS_PAGE 100
#define KEYS_TOKENS_MAX 20 /* valid tokens of one person */
#define KEYS_PREFIX 12 /* visible characters of a key */

struct key {
    struct str id, prefix, label;
    enum role role;
    enum reach reach;
    struct str agents; /* names, separated by commas; "": none */
    struct str groups; /* names, separated by spaces; p NULL: none */
    struct terms terms; /* of its questions */
    int64_t created_at, used_at, expires_at, revoked_at; /* 0: never */
    struct str person_id, email; /* the person of a token; p NULL: none */
    bool test; /* for tests alone */
    struct str resource_id; /* of a new key of a gateway; p NULL: none */
    struct str digest; /* of a new key */
};
struct key_rows {
    struct key *v;
    size_t n;
};
/* The newest first, at most KEYS_PAGE + 1 after after (NULL: the first). */
const struct err *keys_list(struct pg *pg, struct arena *a,
                            const struct key *after,
                            struct key_rows *out) MUST;
/* ERR_NOT_FOUND key.unknown. */
const struct err *keys_get(struct pg *pg, struct arena *a, struct str id,
                           struct key *out) MUST;
/* Creates a key; *text is the key itself, "sayso_" and 32 random bytes,
 * returned only here. */
struct keys_fresh {
    struct key key;
    const struct str *agents;
    size_t agents_n;
    struct str retry_policy; /* of keys_insert alone; p NULL: none */
};
const struct err *keys_make(struct pg *pg, struct arena *a,
                            struct keys_fresh *fresh, struct str *text) MUST;
/* The same as the owner, for commands: also a key for tests, or with a retry
 * policy. */
const struct err *keys_insert(struct pg *pg, struct arena *a,
                              struct keys_fresh *fresh,
                              struct str *text) MUST;
/* The same for a token, in the open transaction (people_still), which it
 * commits. */
const struct err *keys_make_token(struct pg *pg, struct arena *a,
                                  struct keys_fresh *fresh,
                                  struct str *text) MUST;
/* Sets the reach of its agents. *done is false where that is not possible: it
 * has ended, is not an agent's or is a key of any agent. */
const struct err *keys_reach(struct pg *pg, struct arena *a, struct str id,
                             enum reach reach, bool *done) MUST;
/* Sets the terms of its future questions. */
const struct err *keys_terms(struct pg *pg, struct arena *a, struct str id,
                             const struct terms *terms) MUST;
/* Do the terms of the key (id p NULL: none) say who decides? */
const struct err *keys_decided(struct pg *pg, struct arena *a, struct str id,
                               bool *out) MUST;
/* The valid tokens of a person, the newest first, at most KEYS_TOKENS_MAX. */
const struct err *keys_tokens(struct pg *pg, struct arena *a,
                              struct str person_id,
                              struct key_rows *out) MUST;
/* Revokes a token of that person. ERR_NOT_FOUND key.unknown: there is none with
 * this id, or it is revoked. */
const struct err *keys_revoke_token(struct pg *pg, struct arena *a,
                                    struct str id,
                                    struct str person_id) MUST;
/* Revokes it; one that has ended is unchanged. */
const struct err *keys_revoke(struct pg *pg, struct arena *a,
                              struct str id) MUST;

/* Adds bytes that a key stored on the day that begins at that time; *total: all
 * that it stored on that day. A statement of its own. */
const struct err *keys_stored(struct pg *pg, struct arena *a, struct str id,
                              int64_t day, int64_t bytes,
                              int64_t *total) MUST;

/* Which of these agents' names have valid keys of the other sort than test?
 * Their names, a space between; p NULL: none. "*" is not a name. */
const struct err *keys_apart(struct pg *pg, struct arena *a,
                             const struct str *names, size_t n,
                             bool test, struct str *out) MUST;
/* May this agent (n 0: none) be given something of this sort? ERR_INVALID
 * test.apart at the member of the body. */
const struct err *keys_joins(struct pg *pg, struct arena *a,
                             struct str agent, bool test,
                             const char *at) MUST;

#endif

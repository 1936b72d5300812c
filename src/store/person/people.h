/* People who may sign in, for the settings pages and commands. */
#ifndef STORE_PERSON_PEOPLE_H
#define STORE_PERSON_PEOPLE_H

#include "domain/intent/person.h"
#include "world/pg/pg.h"

#define PEOPLE_PAGE 100
#define PEOPLE_GROUPS_MAX 200
#define PEOPLE_OPEN_MAX 1000 /* more open questions are not counted */

struct person_rows {
    struct person *v;
    size_t n;
};
/* By name, at most PEOPLE_PAGE + 1 after the one of this name and e-mail
 * address ("" both: the first). */
const struct err *people_list(struct pg *pg, struct arena *a, struct str name,
                              struct str email,
                              struct person_rows *out) MUST;
/* ERR_NOT_FOUND person.unknown. */
const struct err *people_get(struct pg *pg, struct arena *a, struct str id,
                             struct person *out) MUST;
/* ERR_CONFLICT person.taken at email. */
const struct err *people_insert(struct pg *pg, struct arena *a,
                                const struct person *p,
                                struct str password_hash) MUST;

/* Begins a transaction and locks the person and all admins. by: the caller.
 * ERR_NOT_FOUND person.unknown, ERR_FORBIDDEN role.forbidden where by is not
 * an active admin; both end it. */
struct person_locked {
    struct person person;
    size_t admins; /* active ones, besides this one */
};
const struct err *people_lock(struct pg *pg, struct arena *a, struct str id,
                              struct str by, struct person_locked *out) MUST;
/* Begins a transaction and locks the person with an address, for commands. */
const struct err *people_lock_email(struct pg *pg, struct arena *a,
                                    struct str email, struct person *out,
                                    bool *found) MUST;
/* Writes the fields that an admin may change and commits. All that a disabled
 * person holds ends for good, and stays ended when they are enabled again:
 * sessions, tokens, initiation tickets, pages that show a secret. */
const struct err *people_update(struct pg *pg, struct arena *a,
                                const struct person *p) MUST;

/* The fields that people change themselves: name, time zone, theme and keys. */
const struct err *people_profile(struct pg *pg, struct arena *a,
                                 const struct person *p) MUST;
/* Begins a transaction and locks the person where `tried` still is the hash of
 * their password and they are not disabled: what a password allows is decided
 * before a new one takes it away, or not at all. ERR_CONFLICT person.changed
 * ends it. */
const struct err *people_still(struct pg *pg, struct arena *a, struct str id,
                               struct str tried) MUST;
/* A new password, in its own transaction or the open one, which it commits.
 * All that they hold ends, but the session of the cookie. */
const struct err *people_password(struct pg *pg, struct arena *a,
                                  struct str id, struct str password_hash,
                                  struct str cookie) MUST;

/* The names of those of the ids who may sign in, by id; names has room for
 * n. */
const struct err *people_names(struct pg *pg, struct arena *a,
                               const struct str *ids, size_t n,
                               struct str *names, size_t *found) MUST;

struct group {
    struct str name;
    int64_t people_n, keys_n;
    struct str people, keys; /* names, separated by commas; p NULL: none */
    int64_t open;            /* questions that wait for it */
};
struct group_rows {
    struct group *v;
    size_t n;
};
/* Every group that a person is in or that an open question names, by name, at
 * most PEOPLE_GROUPS_MAX. */
const struct err *people_groups(struct pg *pg, struct arena *a,
                                struct group_rows *out) MUST;

/* Is there a person or key that is valid, in the group (p NULL: any) or with
 * the name? Operators and admins; users too where they count. */
struct people_wanted {
    struct str group, name;
    bool users;
};
const struct err *people_there(struct pg *pg, struct arena *a,
                               const struct people_wanted *who,
                               bool *out) MUST;

#endif

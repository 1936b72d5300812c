/* Signing in, in the database: the account, the failures before, and the known
 * browsers. Secrets are arguments, only their digests are stored. */
#ifndef STORE_PERSON_SIGN_INS_H
#define STORE_PERSON_SIGN_INS_H

#include "base/err.h"
#include "world/pg/pg.h"

/* Failures older than this do not count. */
#define SIGN_INS_FORGOTTEN (INT64_C(3600) * 1000000)
/* The time for which a browser stays known to a person without a sign-in from
 * it. */
#define SIGN_INS_BROWSER_LIFE (INT64_C(180) * 24 * 3600 * 1000000)

/* One try. */
struct sign_ins_try {
    struct str email;   /* in lower case, as it was typed */
    struct str network; /* the client's network */
    struct str browser; /* the token in its cookie; p NULL: none */
    /* Of the new session, for its owner to know it by; p NULL: not known. */
    struct str browser_name, os, address;
};
struct sign_ins_found {
    bool found; /* there is such a person: the next three are theirs */
    struct str id, password_hash;
    bool disabled;
    bool known;   /* the person has signed in from this browser before */
    int64_t failures, failed_at; /* of the browser or else the network */
};
const struct err *sign_ins_find(struct pg *pg, struct arena *a,
                                const struct sign_ins_try *t,
                                struct sign_ins_found *out) MUST;
/* Wrong passwords for the account of a person in the last hour, but for those
 * after which the person signed in from the same place; and the number of
 * networks that they came from. A browser that the person has used counts as a
 * network. */
struct sign_ins_guesses {
    int64_t tries, networks;
};
const struct err *sign_ins_guesses(struct pg *pg, struct arena *a,
                                   struct str email, struct str person_id,
                                   struct sign_ins_guesses *out) MUST;
/* Counts a wrong password. */
const struct err *sign_ins_failed(struct pg *pg, struct arena *a,
                                  const struct sign_ins_try *t,
                                  const struct sign_ins_found *found) MUST;
/* A new session, in the open transaction (people_still), which it commits;
 * *cookie is the value for the browser. Makes the browser, whose cookie is
 * `browser` from now on, known to the person, and clears the failures. */
const struct err *sign_ins_enter(struct pg *pg, struct arena *a,
                                 const struct sign_ins_try *t, struct str id,
                                 struct str browser, struct str *cookie) MUST;

#endif

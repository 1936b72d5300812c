/* Signing in, in the database: who wants in, what failed before, and which
 * browsers are known. Secrets come in, only digests of them are kept. */
#ifndef STORE_SIGN_INS_H
#define STORE_SIGN_INS_H

#include "base/err.h"
#include "world/pg.h"

/* After so long a failure counts no more. */
#define SIGN_INS_FORGOTTEN (INT64_C(3600) * 1000000)
/* So long a browser stays known to a person who does not sign in from it. */
#define SIGN_INS_BROWSER_LIFE (INT64_C(180) * 24 * 3600 * 1000000)

/* Who tries. */
struct sign_ins_try {
    struct str email;   /* in lower case, as it was typed */
    struct str network; /* where from */
    struct str browser; /* what its cookie holds; p NULL: it has none */
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
/* Counts a wrong password. */
const struct err *sign_ins_failed(struct pg *pg, struct arena *a,
                                  const struct sign_ins_try *t,
                                  const struct sign_ins_found *found) MUST;
/* A new session; *cookie is what the browser keeps for it. Makes the browser,
 * whose cookie holds `browser` from now on, known to the person, and forgives
 * what failed. */
const struct err *sign_ins_enter(struct pg *pg, struct arena *a,
                                 const struct sign_ins_try *t, struct str id,
                                 struct str browser, struct str *cookie) MUST;

#endif

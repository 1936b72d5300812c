/* Who listens to streams, and whether they still may. Only reads. */
#ifndef STORE_LISTENERS_H
#define STORE_LISTENERS_H

#include "world/pg.h"

#define LISTENERS_MAX 500 /* of one call */

struct listener {
    struct str id; /* of a key; or the digest of a session's cookie */
    bool session;
    /* Of an intent's stream, who has to reach it where the key does not reach
     * all; both p NULL elsewhere. */
    struct str agent, intent_id;
    bool may;      /* what listeners_check finds */
};

/* Looks all of them up at once. Over LISTENERS_MAX: ERR_INTERNAL. */
const struct err *listeners_check(struct pg *pg, struct arena *a,
                                  struct listener *v, size_t n,
                                  int64_t now) MUST;

#endif

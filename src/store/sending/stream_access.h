/* The owners of streams, and their current rights. Only reads. */
#ifndef STORE_SENDING_STREAM_ACCESS_H
#define STORE_SENDING_STREAM_ACCESS_H

#include "world/pg/pg.h"

#define STREAM_ACCESS_MAX 500 /* of one call */

struct listener {
    struct str id; /* of a key; or the digest of a session's cookie */
    bool session;
    /* Of an intent's stream, the agent that has to reach it where the key does
     * not reach all; both p NULL elsewhere. */
    struct str agent, intent_id;
    bool may; /* the result of stream_access_check */
};

/* Checks all of them at once. Over STREAM_ACCESS_MAX: ERR_INTERNAL. */
const struct err *stream_access_check(struct pg *pg, struct arena *a,
                                      struct listener *v, size_t n,
                                      int64_t now) MUST;

#endif

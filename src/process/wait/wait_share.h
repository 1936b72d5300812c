/* The number of reads, streams and refusals that each caller holds: each key
 * and each session separately, and all keys together, so that neither one of
 * them nor all of them use the places of people.
 *
 * Knows no connection and no clock. */
#ifndef PROCESS_WAIT_WAIT_SHARE_H
#define PROCESS_WAIT_WAIT_SHARE_H

#include "base/arena.h"

enum wait_share_what {
    WAIT_SHARE_STREAM,
    WAIT_SHARE_HELD,    /* a held read */
    WAIT_SHARE_REFUSED, /* a held refusal */
    WAIT_SHARE__MAX
};

#define WAIT_SHARES_MAX 8192 /* callers that hold something at the same time */
#define WAIT_SHARE_ID_MAX 64 /* bytes */

/* One key or session, as long as it holds something. */
struct wait_share {
    char id[WAIT_SHARE_ID_MAX + 1];
    bool person; /* a session */
    uint32_t held[WAIT_SHARE__MAX];
    /* Set by the caller, to compare shares. */
    uint64_t turn;
    size_t unsent;
    int next, bucket; /* private */
};

struct wait_share_limits {
    size_t each[WAIT_SHARE__MAX]; /* of one key or session */
    size_t keys[WAIT_SHARE__MAX]; /* of all keys; sessions have no such limit */
};

struct wait_shares;
/* An empty table. */
struct wait_shares *wait_share_make(struct arena *process,
                                    const struct wait_share_limits *limits);
/* Counts one more. NULL: a limit is reached, or the id is too long. */
struct wait_share *wait_share_take(struct wait_shares *all, struct str id,
                                   bool person, enum wait_share_what what);
/* Counts one less; s can no longer be used. */
void wait_share_give(struct wait_shares *all, struct wait_share *s,
                     enum wait_share_what what);
/* The number that all callers hold. */
size_t wait_share_total(const struct wait_shares *all,
                        enum wait_share_what what);

#endif

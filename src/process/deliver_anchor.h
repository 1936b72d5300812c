/* Time stamps for checkpoints of the log, one after the other: asks an
 * authority (RFC 3161) and checks its answer. One that fails is tried again, as
 * a delivery is. */
#ifndef PROCESS_DELIVER_ANCHOR_H
#define PROCESS_DELIVER_ANCHOR_H

#include "base/conf.h"
#include "world/outbound.h"
#include "world/pg/pg.h"
#include "world/stamp.h"

struct deliver_anchor {
    bool sending, ended;
    char checkpoint_id[32];
    int64_t tries;       /* with this one */
    int64_t retry_after; /* seconds that the authority asked for */
    struct stamp_ask ask;
    char answer[STAMP_ANSWER_MAX]; /* of the authority, */
    size_t answer_n;               /* 0: there is none, */
    char failure[OUTBOUND_ANSWER_MAX + 1]; /* and why */
};

/* Claims the next checkpoint, unless one is on its way, and starts the
 * transfer; x comes back with its result. */
const struct err *deliver_anchor_take(struct deliver_anchor *x, struct pg *pg,
                                      struct arena *a, struct outbound *out,
                                      const struct conf *conf) MUST;
/* The transfer has ended. */
void deliver_anchor_done(struct deliver_anchor *x,
                         const struct outbound_result *r);
/* Stores the result of one that has ended, and wakes whoever waits for it where
 * it failed. */
const struct err *deliver_anchor_store(struct deliver_anchor *x, struct pg *pg,
                                       struct arena *a) MUST;

#endif

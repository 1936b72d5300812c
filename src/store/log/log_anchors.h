/* Checkpoints of the log that are to be stamped, in the database. The web asks,
 * the sender stamps, and the clock takes the stamp over. */
#ifndef STORE_LOG_LOG_ANCHORS_H
#define STORE_LOG_LOG_ANCHORS_H

#include "domain/log/log_anchor.h"
#include "domain/log/log_checkpoint.h"
#include "world/pg/pg.h"

/* Asks for a stamp. One that was asked for already stays, unless it failed: it
 * is due at once. */
const struct err *log_anchors_ask(struct pg *pg, struct arena *a,
                                  const struct log_checkpoint *c,
                                  int64_t now) MUST;
/* Why the last try failed; p NULL: it did not. */
const struct err *log_anchors_failure(struct pg *pg, struct arena *a,
                                      struct str checkpoint_id,
                                      struct str *out) MUST;

/* A checkpoint that the caller is to stamp. */
struct log_anchors_item {
    struct str checkpoint_id; /* p NULL: there is none */
    struct str merkle_root;
    int64_t tries; /* with this one */
};
/* Claims the next one, which is due again at `again` where it gets no result.
 */
const struct err *log_anchors_take(struct pg *pg, struct arena *a, int64_t now,
                                   int64_t again,
                                   struct log_anchors_item *out) MUST;
/* The result of a try. */
struct log_anchors_try {
    struct str checkpoint_id;
    struct str failure; /* p NULL: it has an anchor */
    int64_t next_at;    /* of the next try; 0: none */
    struct str anchor;  /* JSON */
};
const struct err *log_anchors_end(struct pg *pg, struct arena *a,
                                  const struct log_anchors_try *t) MUST;

/* Removes those that are with their checkpoints. *ids: of these. */
const struct err *log_anchors_done(struct pg *pg, struct arena *a,
                                   struct str **ids, size_t *n) MUST;

#endif

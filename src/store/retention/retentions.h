/* Rules of retention, and the erasing by them. */
#ifndef STORE_RETENTION_RETENTIONS_H
#define STORE_RETENTION_RETENTIONS_H

#include "domain/retention/retention.h"
#include "world/pg/pg.h"

struct retentions_rows {
    struct retention *v;
    size_t n;
};
/* In the order of their creation; removed: with those that were removed, at the
 * end. */
const struct err *retentions_list(struct pg *pg, struct arena *a, bool removed,
                                  struct retentions_rows *out) MUST;
/* ERR_NOT_FOUND retention.unknown. */
const struct err *retentions_get(struct pg *pg, struct arena *a,
                                 struct str name, struct retention *out) MUST;
/* ERR_CONFLICT retention.taken at name, also by a rule that was removed. */
const struct err *retentions_insert(struct pg *pg, struct arena *a,
                                    const struct retention *r) MUST;
/* From now on it erases; without a change where it does. ERR_NOT_FOUND
 * retention.unknown, also where it was removed. */
const struct err *retentions_start(struct pg *pg, struct arena *a,
                                   struct str name, int64_t now,
                                   struct str by) MUST;
/* It erases no more. ERR_NOT_FOUND retention.unknown. */
const struct err *retentions_remove(struct pg *pg, struct arena *a,
                                    struct str name, int64_t now,
                                    struct str by) MUST;

/* The questions that a rule would erase now. */
struct retentions_preview {
    struct retentions_part {
        struct str kind, outcome; /* as a rule has them */
        int64_t n, unsealed; /* of n, those that have to wait for a receipt */
        int64_t oldest, newest; /* their ends */
    } *v;
    size_t n;
};
const struct err *retentions_preview(struct pg *pg, struct arena *a,
                                     const struct retention *r, int64_t now,
                                     struct retentions_preview *out) MUST;

/* The next batch: `most` questions, fewer after one of the rule that failed; in
 * a transaction of its own, before that of the batch. rule p NULL: there is
 * nothing to do for now, or another process is at it. */
struct retentions_turn {
    struct str rule;
    int64_t questions; /* 0: one failed alone, and its task is left out */
};
const struct err *retentions_turn(struct pg *pg, struct arena *a, int64_t most,
                                  struct retentions_turn *out) MUST;

/* One batch, in a transaction of its own. All 0: the rule erases no more, or
 * another process is at it. */
struct retentions_batch {
    int64_t looked, questions, intents;
    struct str left_out; /* the task that was left out; p NULL: none */
};
const struct err *retentions_erase(struct pg *pg, struct arena *a,
                                   const struct retentions_turn *turn,
                                   struct retentions_batch *out) MUST;
/* The next batches look at everything from the beginning. */
const struct err *retentions_again(struct pg *pg, struct arena *a) MUST;
/* Waits until no other process erases, and keeps them from it as long as pg is
 * connected; a batch has a limit of time from then on. For a pg without one. */
const struct err *retentions_hold(struct pg *pg, struct arena *a) MUST;

#endif

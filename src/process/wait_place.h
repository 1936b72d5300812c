/* Where a stream is: telling its listener, and moving on with the events. */
#ifndef PROCESS_WAIT_PLACE_H
#define PROCESS_WAIT_PLACE_H

#include "store/tail.h"

struct wait_place {
    enum frame_audience to;
    const struct tail_cursor *at;
    size_t skip;    /* frames of the very next event that were read */
    uint64_t *told; /* the transaction of the last place that was told */
};

/* The answer's head, and a first frame with the place. */
struct str wait_place_begin(struct arena *a, const struct wait_place *p);
/* What is sent when there is nothing to say: a comment, with the place once it
 * is far from where it was last told. */
struct str wait_place_keep(struct arena *a, const struct wait_place *p);

/* Is the event behind the place? */
bool wait_place_behind(enum frame_audience to, const struct tail_cursor *at,
                       const struct frame_event *e);
/* Is it the very next of that intent, in the same transaction? */
bool wait_place_next(enum frame_audience to, const struct tail_cursor *at,
                     const struct frame_event *e);
/* Moves the place behind the event. */
void wait_place_move(enum frame_audience to, struct tail_cursor *at,
                     const struct frame_event *e);

#endif

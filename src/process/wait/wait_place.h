/* The position of a stream: sending it to the client, and moving it with the
 * events. */
#ifndef PROCESS_WAIT_WAIT_PLACE_H
#define PROCESS_WAIT_WAIT_PLACE_H

#include "store/sending/event_cursor.h"

struct wait_place {
    enum frame_audience to;
    const struct event_cursor *at;
    size_t skip;    /* frames of the very next event that were already read */
    uint64_t *sent; /* the transaction of the last position that was sent */
};

/* The head of the answer, and a first frame with the position. */
struct str wait_place_begin(struct arena *a, const struct wait_place *p);
/* The bytes sent when there is no event: a comment, with the position once it
 * is far from the last one sent. */
struct str wait_place_keep(struct arena *a, const struct wait_place *p);

/* Is the event after the position? */
bool wait_place_behind(enum frame_audience to, const struct event_cursor *at,
                       const struct frame_event *e);
/* Is it the very next of that intent, in the same transaction? */
bool wait_place_next(enum frame_audience to, const struct event_cursor *at,
                     const struct frame_event *e);
/* Moves the position to the event. */
void wait_place_move(enum frame_audience to, struct event_cursor *at,
                     const struct frame_event *e);

#endif

/* The frames of the current event, made once for all its streams.
 *
 * Knows no stream: the caller sends the frames, and the loop keeps them until
 * the last reader has them. */
#ifndef PROCESS_WAIT_WAIT_FRAMES_H
#define PROCESS_WAIT_WAIT_FRAMES_H

#include "domain/sending/frame.h"
#include "world/loop.h"
#include "world/web/fcgi_record.h"

struct wait_frames;
/* memory: the ceiling for the current event, in bytes. */
struct wait_frames *wait_frames_make(struct arena *process, struct loop *l,
                                     size_t memory);

/* The receiver of frames. */
struct wait_frames_for {
    const struct fcgi_record *record;
    enum frame_audience to;
    struct str agent; /* of FRAME_AGENT and FRAME_PORTFOLIO */
    struct str portfolio_id; /* of FRAME_PORTFOLIO */
    size_t skip;      /* frames of the event that were read already */
};
/* Does the event go to this receiver? Then *out is its frames, until
 * wait_frames_forget; NULL: the loop keeps too much. An event whose tree is
 * over the ceiling goes to nobody, which is logged once. */
bool wait_frames_of(struct wait_frames *f, const struct frame_event *e,
                    const struct wait_frames_for *whom,
                    struct loop_bytes **out);
/* A text for one reader, which the caller sends and drops. */
struct loop_bytes *wait_frames_text(struct wait_frames *f,
                                    const struct fcgi_record *record,
                                    struct str text);
/* Memory until wait_frames_forget. */
struct arena *wait_frames_arena(struct wait_frames *f);
/* Ends the current event. */
void wait_frames_forget(struct wait_frames *f);

#endif

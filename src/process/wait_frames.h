/* The frames of the event at hand, made once for all streams that they go to.
 *
 * Knows no stream: what it makes is sent by the caller, and kept by the loop
 * until the last reader has it. */
#ifndef PROCESS_WAIT_FRAMES_H
#define PROCESS_WAIT_FRAMES_H

#include "domain/frame.h"
#include "world/fcgi_record.h"
#include "world/loop.h"

struct wait_frames;
/* memory: what the event at hand may take, in bytes. */
struct wait_frames *wait_frames_make(struct arena *process, struct loop *l,
                                     size_t memory);

/* Whom a frame is for. */
struct wait_frames_for {
    const struct fcgi_record *record;
    enum frame_audience to;
    struct str agent; /* of FRAME_AGENT */
    size_t skip;      /* frames of the event that were read already */
};
/* Does the event go there? Then *out is its frames, until wait_frames_forget;
 * NULL: the loop keeps too much. An event whose tree is more than the memory
 * goes nowhere, which the log tells once. */
bool wait_frames_of(struct wait_frames *f, const struct frame_event *e,
                    const struct wait_frames_for *whom,
                    struct loop_bytes **out);
/* A text of one reader's own, for who sends it and drops it. */
struct loop_bytes *wait_frames_text(struct wait_frames *f,
                                    const struct fcgi_record *record,
                                    struct str text);
/* Memory until wait_frames_forget. */
struct arena *wait_frames_arena(struct wait_frames *f);
/* The next event is another one. */
void wait_frames_forget(struct wait_frames *f);

#endif

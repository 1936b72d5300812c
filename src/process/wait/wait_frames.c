/* The frames of the current event.
 *
 * Called by process/wait/wait_stream.c alone. Thousands of streams may get one
 * event: its frames are written once, and stored once while they are unsent. */
#include "process/wait/wait_frames.h"

#include "base/log.h"

struct wait_frames {
    struct loop *loop;
    struct arena *arena; /* of the current event */
    /* By audience, as records of one request's id, for streams that get the
     * whole event; id 0: not made. */
    struct loop_bytes *bytes[FRAME_AUDIENCE__MAX];
    uint16_t id[FRAME_AUDIENCE__MAX];
    bool inbox_known, inbox; /* is it for the inbox? */
    bool too_large;          /* for the arena */
};

static void wait_frames_free(void *p)
{
    struct wait_frames *f = p;
    wait_frames_forget(f);
    arena_free(f->arena);
}

struct wait_frames *wait_frames_make(struct arena *process, struct loop *l,
                                     size_t memory)
{
    struct wait_frames *f = arena_new(process, struct wait_frames);
    f->loop = l;
    f->arena = arena_make(memory);
    arena_defer(process, wait_frames_free, f);
    return f;
}

struct arena *wait_frames_arena(struct wait_frames *f)
{
    return f->arena;
}

void wait_frames_forget(struct wait_frames *f)
{
    for (size_t i = 0; i < FRAME_AUDIENCE__MAX; i++) {
        if (f->bytes[i])
            loop_bytes_drop(f->bytes[i]);
        f->bytes[i] = NULL;
        f->id[i] = 0;
    }
    f->inbox_known = f->too_large = false;
    arena_reset(f->arena);
}

struct loop_bytes *wait_frames_text(struct wait_frames *f,
                                    const struct fcgi_record *record,
                                    struct str text)
{
    struct buf b = buf_make(f->arena, text.n + text.n / 4096 + 64);
    fcgi_record_out(record, &b, text);
    return loop_bytes_make(f->loop, buf_text(&b));
}

static struct loop_bytes *wait_frames_write(struct wait_frames *f,
                                            const struct frame_event *e,
                                            const struct wait_frames_for *whom)
{
    const enum frame_audience to = whom->to;
    const bool shared = whom->skip == 0 && to != FRAME_PORTFOLIO;
    const uint16_t id = shared ? whom->record->id : 0;
    if (f->bytes[to] && id != 0 && f->id[to] == id)
        return f->bytes[to];
    struct buf b = buf_make(f->arena, FRAME_MAX);
    (void)frame_write(f->arena, &b, e, to, whom->skip);
    if (f->bytes[to])
        loop_bytes_drop(f->bytes[to]);
    f->bytes[to] = wait_frames_text(f, whom->record, buf_text(&b));
    f->id[to] = id;
    return f->bytes[to];
}

struct attempt {
    struct wait_frames *frames;
    const struct frame_event *event;
    const struct wait_frames_for *whom;
    struct loop_bytes *bytes;
    bool goes;
};

static void wait_frames_try(void *p)
{
    struct attempt *x = p;
    struct wait_frames *f = x->frames;
    if (x->whom->to != FRAME_INBOX) {
        x->goes = frame_goes(f->arena, x->event, x->whom->to, x->whom->agent);
    } else {
        if (!f->inbox_known)
            f->inbox = frame_goes(f->arena, x->event, FRAME_INBOX, STR_NONE);
        f->inbox_known = true;
        x->goes = f->inbox;
    }
    x->bytes = x->goes ? wait_frames_write(f, x->event, x->whom) : NULL;
}

bool wait_frames_of(struct wait_frames *f, const struct frame_event *e,
                    const struct wait_frames_for *whom,
                    struct loop_bytes **out)
{
    struct frame_event mine = *e;
    struct attempt x = {.frames = f, .event = &mine, .whom = whom};
    mine.portfolio_id = whom->portfolio_id;
    *out = NULL;
    if (f->too_large)
        return false;
    if (!arena_try(f->arena, wait_frames_try, &x)) {
        log_line(LOG_ERR, "wait: event %lld of intent %.*s is not sent: its "
                          "frame needs more than the memory of one event",
                 (long long)e->sequence, STR_FMT(e->intent_id));
        f->too_large = true;
        return false;
    }
    *out = x.bytes;
    return x.goes;
}

/* Open event streams: each gets its events in order, without a gap and none
 * twice.
 *
 * A stream that is behind reads its own pages, as fast as its reader; one that
 * has caught up gets the events of the one shared tail. */
#ifndef PROCESS_WAIT_WAIT_STREAM_H
#define PROCESS_WAIT_WAIT_STREAM_H

#include "domain/intent/principal.h"
#include "process/wait/wait_news.h"
#include "process/wait/wait_share.h"
#include "world/web/fcgi_record.h"

#define WAIT_STREAM_MAX 8192                  /* held at once */
#define WAIT_STREAM_UNSENT ((size_t)256 << 10) /* ceiling of one reader */
/* Ceiling of the unsent bytes of all streams, shared bytes counted once. Above
 * it the readers of the caller with the most unsent bytes are cut, after each
 * event and after each page. */
#define WAIT_STREAM_UNSENT_ALL ((size_t)64 << 20)

struct wait_streams;
struct wait_stream;

struct wait_stream_ask {
    enum frame_audience to;
    struct str agent;         /* as in struct hold_stream */
    bool any;
    struct str portfolio_id;  /* of FRAME_PORTFOLIO */
    struct wait_share *share; /* the owner's */
    struct event_cursor after; /* of FRAME_INTENT: without xid */
    size_t skip;              /* frames of the event at after, if it is still to
                               * be sent */
};

/* Starts without streams; checks them by a timer. NULL and a log line on an
 * error. */
struct wait_streams *wait_stream_room(struct arena *process,
                                      const struct child *c, struct loop *l);
/* Sets the source of events; before the loop runs. */
void wait_stream_source(struct wait_streams *r, struct wait_news *news);
/* Begins the answer on a connection; the share has to last as long. NULL: there
 * is no room, or a text is too long. */
struct wait_stream *wait_stream_open(struct wait_streams *r,
                                     const struct wait_stream_ask *ask,
                                     struct loop_conn *conn,
                                     const struct fcgi_record *record);
/* The connection is closed. */
void wait_stream_gone(struct wait_streams *r, struct wait_stream *s);
/* The next event of the tail. */
void wait_stream_event(struct wait_streams *r, const struct frame_event *e);
/* Is there any? */
bool wait_stream_any(const struct wait_streams *r);
/* Cuts so many of a thousand, always the same ones and more, so that their
 * clients reconnect after a pause. */
void wait_stream_cut(struct wait_streams *r, size_t part);

#endif

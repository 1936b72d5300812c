/* Event streams: which events go to which audience, and as which frames, in the
 * form that the OpenIntent SDK's Agent.run() reads. Pure. */
#ifndef DOMAIN_SENDING_FRAME_H
#define DOMAIN_SENDING_FRAME_H

#include "base/json/json.h"

/* Bytes of all frames of one event. A reader is cut above this many unsent
 * bytes; with a smaller limit a reader with nothing else unsent would be cut at
 * a large event again and again. */
#define FRAME_MAX ((size_t)4 << 20)

enum frame_audience {
    FRAME_INTENT, /* everything of one intent */
    FRAME_AGENT,  /* an agent's assignments and their changes, no questions */
    FRAME_INBOX,  /* questions: asked, answered, gone */
    FRAME_PORTFOLIO, /* everything of the members of one portfolio */
    FRAME_AUDIENCE__MAX
};

/* An event as the tail reads it. */
struct frame_event {
    int64_t epoch;        /* of the database's newest loss; 0: none */
    struct str cursor;    /* xid of the writing transaction, decimal */
    struct str intent_id;
    int64_t sequence;
    struct str type;
    struct str canonical, hash;
    struct str record;    /* the question's OpenIntent record, for events of
                             a suspension; p NULL: none */
    struct str agents;    /* JSON list of the agents assigned to the intent */
    int64_t version;      /* of the intent, when it was read */
    struct str watched;   /* {"portfolios", "agents", "closed"}: those that it
                           * is in, those that reach it, is it closed to
                           * others, and is it a test? p NULL: it is open, no
                           * test, and in none */
    struct str portfolio_id; /* of the stream, for FRAME_PORTFOLIO; the reader
                              * sets it */
};

/* Does the event go to this audience? agent: of FRAME_AGENT the owner of
 * the stream (reach_name), after "/" where a person listens to that one; of
 * FRAME_PORTFOLIO its reader (reach_reader), n 0: a person. */
bool frame_goes(struct arena *a, const struct frame_event *e,
                enum frame_audience to, struct str agent);
/* Appends the frames of an event: the one that the SDK's dispatcher reads, if
 * there is one (AGENT_ASSIGNED, STATUS_CHANGED, STATE_CHANGED,
 * LEASE_RELEASED, ESCALATION_REQUIRED, and INTENT_COMPLETED in place of
 * STATUS_CHANGED, for the SDK takes either as the completion), and then the one
 * of its own type. Each has an id of its own, so that a stream broken between
 * two goes on with the second: skip leaves out that many. For the inbox one
 * frame "suspension" {intent_id, suspension_id, change: asked | reminded |
 * escalated | answered | expired | cancelled}. For a portfolio each has its
 * portfolio_id at the top. The count of frames there are. */
size_t frame_write(struct arena *a, struct buf *b,
                   const struct frame_event *e, enum frame_audience to,
                   size_t skip);
/* The suspension that the event ends; p NULL: none. */
struct str frame_decides(struct arena *a, const struct frame_event *e);

/* A Last-Event-ID, as frame_write makes them: SEQ[.PART] on an intent's
 * stream, XID.INTENT.SEQ[.PART] on the others, or XID alone; after a restore
 * that lost something eEPOCH. before it. */
struct frame_id {
    int64_t epoch;
    uint64_t xid;
    struct str intent_id; /* p NULL: before all events of the transaction */
    int64_t sequence;
    size_t part; /* frames of this event that were read; 0: all of them */
};
bool frame_id_read(struct str text, enum frame_audience to,
                   struct frame_id *out);
/* The beginning of an id, and of a place in the feed; nothing for epoch 0. */
void frame_id_epoch(struct buf *b, int64_t epoch);
/* Takes it off. false: it is none that is written here. */
bool frame_id_epoch_read(struct str *rest, int64_t *out);
/* Appends a frame that only has the stream's position: "connected" when it
 * begins and "keepalive" at intervals, which the SDK knows and ignores. A
 * client whose connection broke before any event, or long after the last, goes
 * on from there. */
void frame_id_place(struct buf *b, const char *type, enum frame_audience to,
                    const struct frame_id *at);

#endif

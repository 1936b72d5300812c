/* Handing a request over to the process that holds waiters (docs/design.md,
 * "Processes").
 *
 * A worker never waits: after authorizing the caller it answers only with the
 * address at which nginx finds the other process. A poll comes back as the same
 * request with rq->waited set, and is then answered in its current state. One
 * that could not be held has rq->unheld too, and gets a time to ask again. */
#ifndef DOORS_CALL_HOLD_H
#define DOORS_CALL_HOLD_H

#include "domain/sending/frame.h"
#include "doors/call/call.h"


/* After the address comes a seal over it, so that only a worker can have
 * anything held; the secret is new at each start. */
#define HOLD_SEAL "&seal="
struct str hold_seal(struct arena *a, struct str secret, struct str target);

#define HOLD_POLL_MAX 55 /* seconds of a poll; a client's call may be held
                          * longer, by a request that nginx gives more time */

#define HOLD_TOKEN_MAX 64

/* Held until the intent's version is above since or, where a suspension is
 * named, until that one is decided; or until a random moment of the last fifth
 * of its time, ten seconds at most before its end. */
struct hold_poll {
    struct str intent_id;
    struct str suspension_id; /* p NULL: the intent's version */
    int64_t since;
    int64_t wait; /* seconds */
    /* JSON of an MCP client's progress token: it gets a note every now and
     * then that the request is still held, on an event stream that ends with
     * the answer (rq->streamed). p NULL, or longer than HOLD_TOKEN_MAX: it
     * gets none. */
    struct str token;
    bool listens; /* the token is the id of its subscription to a task: the
                   * stream begins with that the subscription is known, and has
                   * comments meanwhile */
};

/* The seconds of ?wait=; 0 where nothing more may be held: it was held
 * already, or it is a HEAD. ERR_BAD_REQUEST request.query; ERR_RATE
 * limit.held. */
const struct err *hold_wait(struct call *c, int64_t *out) MUST;
void hold_poll(struct call *c, const struct hold_poll *p);

/* Holds a read of the feed: until a question of the caller's key, or for
 * another role any question, has ended in a transaction of at least `from`; or
 * until the seconds are over. */
void hold_feed(struct call *c, uint64_t from, int64_t wait);

/* The id under which ends of anybody's questions are announced. */
#define HOLD_ANY "00000000-0000-0000-0000-000000000000"

struct hold_stream {
    enum frame_audience to;
    /* For FRAME_INTENT the agent that has to reach the intent, p NULL where
     * none has to; else as in frame_goes. */
    struct str agent;
    bool any; /* of FRAME_AGENT: a person's, who gets events of tests as
               * well */
    struct str portfolio_id; /* for FRAME_PORTFOLIO; p NULL elsewhere */
    /* The position after which it continues. Where part is set, that many
     * frames of the event itself were read already and the others are still
     * sent. On an intent's stream intent_id is the intent; on the others it may
     * be p NULL: before all events of that transaction. */
    struct frame_id after;
};

/* The stream lasts as long as the caller's key, or session, and as long as the
 * agent of an intent's stream reaches the intent. */
void hold_stream(struct call *c, const struct hold_stream *s);

/* A client of streams may reconnect at once after a refusal. Hands a refusal
 * over, to be delayed; false: the caller has to answer now. */
bool hold_refuse(struct call *c);

#endif

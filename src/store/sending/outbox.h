/* The sender's side of deliveries: claiming due ones, and storing results. */
#ifndef STORE_SENDING_OUTBOX_H
#define STORE_SENDING_OUTBOX_H

#include "domain/vocabulary.h"
#include "world/pg/pg.h"

#define OUTBOX_PER_ENDPOINT 4 /* being sent at once, to one endpoint */
#define OUTBOX_AT_ONCE 64     /* being sent at once, of one process, */
#define OUTBOX_AGENTS 48      /* of these to agents; the others are for
                               * people, */
#define OUTBOX_PER_OWNER 8    /* and to the endpoints of one agent's key, or of
                                 one agent */
/* A claim without a result expires after this, in microseconds; longer than the
 * longest try. */
#define OUTBOX_CLAIM (INT64_C(30) * 1000000)
/* The longest wait of a delivery for a paused endpoint (us). */
#define OUTBOX_PAUSED_MAX (INT64_C(7) * 24 * 3600 * 1000000)

/* A claimed delivery, with everything needed to send it. */
struct outbox_item {
    enum endpoint_kind kind;
    struct str id, endpoint_id, address, recipient, body;
    struct str secret, previous_secret; /* p NULL: none (any more) */
    bool internal;
    struct str traceparent; /* of the question; p NULL: none */
    int64_t tries;          /* before this one */
    struct str place; /* an owner's endpoints at one host, of a callback only
                       * with the agent that asked: a digest; p NULL: mail */
    bool below; /* a callback: an address below the endpoint's */
    bool plain; /* not signed: the body is an answer alone */
    struct str prefix; /* of a callback: the address that it has to be below; p
                        * NULL: its agent can no longer name one there. Of
                        * kind push: the mail address for push services */
};
struct outbox_items {
    struct outbox_item *v;
    size_t n;
};
/* Claims due ones of endpoints that are not paused, gone or removed: people's
 * channels first, then owners in turn, so that at most OUTBOX_PER_ENDPOINT are
 * being sent to each, and OUTBOX_PER_OWNER to those of one owner. */
struct outbox_claim {
    const struct str *busy; /* the endpoint's id for each one being sent */
    size_t busy_n;
    const struct str *away; /* places where agents' endpoints do not answer */
    size_t away_n;
    int64_t limit;  /* at most OUTBOX_AT_ONCE */
    int64_t agents; /* of these to agents' endpoints */
    int64_t now;
};
const struct err *outbox_take(struct pg *pg, struct arena *a,
                              const struct outbox_claim *claim,
                              struct outbox_items *out) MUST;
/* The time at which the next one is due that outbox_take would claim; 0:
 * none. */
const struct err *outbox_next(struct pg *pg, struct arena *a,
                              const struct outbox_claim *claim,
                              int64_t *out) MUST;
/* The result of a try. */
struct outbox_try {
    struct str delivery_id;
    int64_t n, at, ms, status; /* n: its number, from 1; status 0: no answer */
    struct str answer;         /* in words, for the log */
    bool delivered;
    int64_t next_at; /* of the next try; 0 with delivered or given up */
    int64_t now;
};
/* At most OUTBOX_AT_ONCE, in one transaction. A delivery that was finished
 * already, or has been requeued, is unchanged. */
const struct err *outbox_finish(struct pg *pg, struct arena *a,
                                const struct outbox_try *v, size_t n) MUST;
/* An endpoint answered 410: nothing more is sent to it. */
const struct err *outbox_gone(struct pg *pg, struct arena *a,
                              struct str endpoint_id, int64_t now) MUST;
/* A push service answered that it knows the browser of the delivery no more:
 * nothing more is sent to it. */
const struct err *outbox_unsubscribe(struct pg *pg, struct arena *a,
                                     struct str delivery_id) MUST;
/* Gives up deliveries to endpoints that are gone or removed, and those due at a
 * paused one OUTBOX_PAUSED_MAX ago, some at a time; returns the number. */
const struct err *outbox_give_up(struct pg *pg, struct arena *a, int64_t now,
                                 size_t *out) MUST;

#endif

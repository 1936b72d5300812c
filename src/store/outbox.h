/* The sender's side of deliveries: claiming what is due, and writing down
 * how it went. */
#ifndef STORE_OUTBOX_H
#define STORE_OUTBOX_H

#include "domain/vocabulary.h"
#include "world/pg.h"

#define OUTBOX_PER_ENDPOINT 4 /* on their way at once, to one endpoint */
#define OUTBOX_AT_ONCE 64     /* on their way at once, of one process, */
#define OUTBOX_AGENTS 48      /* of these to agents; the rest is for people, */
#define OUTBOX_PER_OWNER 8    /* and to the endpoints of one agent's key, or of
                                 one agent */
/* A claim that nobody finished lapses after this, in microseconds; longer
 * than the longest try. */
#define OUTBOX_CLAIM (INT64_C(30) * 1000000)
/* How long something waits for an endpoint that is paused (us). */
#define OUTBOX_PAUSED_MAX (INT64_C(7) * 24 * 3600 * 1000000)

/* A delivery on its way, with what sending it takes. */
struct outbox_item {
    enum endpoint_kind kind;
    struct str id, endpoint_id, address, recipient, body;
    struct str secret, previous_secret; /* p NULL: none (any more) */
    bool internal;
    int64_t tries; /* before this one */
    struct str place; /* whose endpoints at one host: a digest; p NULL: mail */
};
struct outbox_items {
    struct outbox_item *v;
    size_t n;
};
/* Takes due ones of endpoints that are not paused, gone or removed: people's
 * channels first, then owners in turn, so that at most OUTBOX_PER_ENDPOINT are
 * on their way to each, and OUTBOX_PER_OWNER to those of one owner. */
struct outbox_claim {
    const struct str *busy; /* the endpoint's id for each one on its way */
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
/* When the next one is due that outbox_take would take; 0: none waits. */
const struct err *outbox_next(struct pg *pg, struct arena *a,
                              const struct outbox_claim *claim,
                              int64_t *out) MUST;
/* How a try went. */
struct outbox_try {
    struct str delivery_id;
    int64_t n, at, ms, status; /* n: which it was, from 1; status 0: no answer
                                  came */
    struct str answer;         /* in words, for the log */
    bool delivered;
    int64_t next_at; /* of the next try; 0 with delivered or given up */
    int64_t now;
};
/* At most OUTBOX_AT_ONCE, in one transaction. One that was finished already,
 * or is to be sent anew meanwhile, stays as it is. */
const struct err *outbox_finish(struct pg *pg, struct arena *a,
                                const struct outbox_try *v, size_t n) MUST;
/* An endpoint answered 410: nothing more goes there. */
const struct err *outbox_gone(struct pg *pg, struct arena *a,
                              struct str endpoint_id, int64_t now) MUST;
/* Gives up what waits for endpoints that are gone or removed, and what was due
 * at a paused one OUTBOX_PAUSED_MAX ago, some at a time; how many there
 * were. */
const struct err *outbox_give_up(struct pg *pg, struct arena *a, int64_t now,
                                 size_t *out) MUST;

#endif

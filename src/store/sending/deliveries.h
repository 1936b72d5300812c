/* Deliveries: written in the deciding transaction, and listed in the log of
 * deliveries. Sending them is store/sending/outbox.h. */
#ifndef STORE_SENDING_DELIVERIES_H
#define STORE_SENDING_DELIVERIES_H

#include "domain/intent/event.h"
#include "domain/record.h"
#include "domain/sending/channel.h"
#include "domain/sending/push.h"
#include "world/pg/pg.h"

/* The changes of one transaction to one intent. */
struct deliveries_news {
    const struct intent *intent;
    const struct suspension *decided; /* NULL: no question ended */
    const struct permit *permit; /* of that question; NULL: none */
    const struct push_revocation *revoked; /* NULL: nothing was revoked */
    const struct event_list *events;
    int64_t now;
};
/* Queues into the current batch: a push to the endpoints of the asking agent
 * when a question ended or a permit was revoked, the answer to the question's
 * callback, and every event to its subscriptions. They find nobody where
 * delivery_told is NULL, and a caller that knows it leaves them out.
 *
 * A revoked or expired key gets no more deliveries: a subscription counts while
 * the key that made it is valid, and an endpoint that an agent registered
 * itself while any key that may act as the agent is. An endpoint that an admin
 * registered for an agent stays, and so does one that no key made. */
void deliveries_queue(struct pg *pg, struct arena *a,
                      const struct deliveries_news *news);
/* Queues the messages of one notice to people, in one statement; none without
 * recipients. The suspension's channel_hint is the one in force. The intent has
 * to be stored already, or in the batch before. sequence: of the notice's
 * event. */
struct deliveries_notice {
    const struct channels *channels;
    enum channel_news news;
    const struct suspension *suspension;
    struct str notify_to; /* p NULL: no recipient named */
    struct str url;
    int64_t sequence;
    int64_t now;
};
void deliveries_queue_notice(struct pg *pg, struct arena *a,
                             const struct deliveries_notice *notice);

/* ---- the log -------------------------------------------------------- */

struct delivery {
    struct str id, endpoint_id, endpoint_name;
    enum endpoint_kind endpoint_kind;
    struct str intent_id; /* p NULL: a test message */
    struct str suspension_id, title; /* of the question */
    int64_t event_sequence;
    struct str address; /* of a callback; p NULL: the endpoint's own */
    struct str type, recipient, body, answer;
    enum delivery_state state;
    int64_t tries, next_at, created_at, ended_at;
};
extern const struct record delivery_record;
struct delivery_rows {
    struct delivery *v;
    size_t n;
};
struct delivery_try {
    int64_t n, at, ms, status; /* status 0: no answer */
    struct str answer;
};
struct delivery_tries {
    struct delivery_try *v;
    size_t n;
};
struct deliveries_page {
    enum delivery_state state; /* DELIVERY_STATE__MAX: any */
    struct str endpoint; /* id; p NULL: any */
    int64_t limit;
    int64_t after_at; /* 0: from the start */
    struct str after_id;
};
/* Newest first, without their bodies; at most 200. */
const struct err *deliveries_list(struct pg *pg, struct arena *a,
                                  const struct deliveries_page *page,
                                  struct delivery_rows *out) MUST;
/* With its newest 200 tries, oldest first. ERR_NOT_FOUND delivery.unknown. */
const struct err *deliveries_get(struct pg *pg, struct arena *a,
                                 struct str id, struct delivery *out,
                                 struct delivery_tries *tries) MUST;
#define DELIVERIES_COUNT_MAX 10000 /* counts go up to here */
/* Counts of the last 24 hours: delivered, waiting, given up. At most
 * DELIVERIES_COUNT_MAX + 1 each. */
const struct err *deliveries_counts(struct pg *pg, struct arena *a,
                                    int64_t now,
                                    int64_t out[static 3]) MUST;
/* Deliveries that wait for an endpoint that is not paused: their number, at
 * most DELIVERIES_COUNT_MAX + 1, and the time since which the oldest waits; 0:
 * none. */
struct deliveries_waiting {
    int64_t n, since;
    int64_t failed; /* given up, in any endpoint, up to 10001 */
};
const struct err *deliveries_waiting(struct pg *pg, struct arena *a,
                                     struct deliveries_waiting *out) MUST;
/* Those that were given up and whose endpoint is there. */
struct deliveries_failed {
    struct str endpoint; /* an id or a name; p NULL: any */
    int64_t since;       /* made from then on; 0: any */
};
/* Newest first, without their bodies; at most 1000. */
const struct err *deliveries_failed(struct pg *pg, struct arena *a,
                                    const struct deliveries_failed *which,
                                    struct delivery_rows *out) MUST;
/* Sends them again, now, from their first try on, however many there are; *n:
 * their number. Each statement is a transaction of its own. */
const struct err *
deliveries_failed_again(struct pg *pg, struct arena *a,
                        const struct deliveries_failed *which, int64_t now,
                        int64_t *n) MUST;
/* Sends one again, now, in any state, from its first try on. ERR_NOT_FOUND
 * delivery.unknown; ERR_CONFLICT delivery.endpoint where its endpoint was
 * removed. */
const struct err *deliveries_again(struct pg *pg, struct arena *a,
                                   struct str id, int64_t now) MUST;

#endif

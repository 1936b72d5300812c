/* Endpoints in the database: an agent's, the channels to people, and their
 * subscriptions. Struct in, struct out. Decides nothing. */
#ifndef STORE_SENDING_ENDPOINTS_H
#define STORE_SENDING_ENDPOINTS_H

#include "domain/sending/channel.h"
#include "domain/sending/endpoint.h"
#include "store/sending/deliveries.h"

#define ENDPOINTS_MAX 500 /* of an installation; the list has no pages */
#define ENDPOINTS_OF_AGENT_MAX 20 /* each answer goes to all of them */
#define ENDPOINTS_WAITING_MAX 1000
/* The time for which the old secret still signs, next to a new one, in
 * microseconds. */
#define ENDPOINTS_ROTATION (INT64_C(24) * 3600 * 1000000)

struct endpoint_rows {
    struct endpoint *v;
    size_t n;
};

/* A code that callers compare: endpoint.taken. */
extern const char endpoints_taken[];

/* agent (p NULL: all of them): those that its key may see, its own. channels:
 * those to people, else those of agents. Oldest first, without removed ones. */
const struct err *endpoints_list(struct pg *pg, struct arena *a,
                                 bool channels, struct str agent,
                                 struct endpoint_rows *out) MUST;
/* ERR_NOT_FOUND endpoint.unknown, also for another agent's. */
const struct err *endpoints_get(struct pg *pg, struct arena *a,
                                struct str id, struct str agent,
                                struct endpoint *out) MUST;
/* Is there an endpoint of agents, or a channel, that does not work: a delivery
 * to it failed and will be tried again, or its address is gone? Paused ones do
 * not count. */
struct endpoints_failing {
    bool endpoints, channels;
};
const struct err *endpoints_failing(struct pg *pg, struct arena *a,
                                    struct endpoints_failing *out) MUST;
/* The endpoint for callbacks of the agent that the URL is below, the longest of
 * them; only its id and address are set. */
const struct err *endpoints_prefix(struct pg *pg, struct arena *a,
                                   struct str agent, struct str url,
                                   struct endpoint *out, bool *found) MUST;
/* The newest delivery to an endpoint; id p NULL: there is none. */
const struct err *endpoints_last(struct pg *pg, struct arena *a,
                                 struct str id, struct delivery *out) MUST;
/* Queues a message that tries the endpoint. ERR_CONFLICT endpoint.trying while
 * another one waits. */
struct endpoints_test {
    struct str delivery_id, endpoint_id;
    const char *type;
    struct str body;
    int64_t now;
};
const struct err *endpoints_test(struct pg *pg, struct arena *a,
                                 const struct endpoints_test *test) MUST;
/* ERR_RATE limit.endpoints where the key or the agent has reached its limit;
 * ERR_CONFLICT endpoint.taken for a name or an address in use;
 * endpoint.too_many from ENDPOINTS_MAX of agents, ENDPOINTS_OF_AGENT_MAX of one
 * agent, or CHANNELS_MAX, on. Within a transaction or in one of its own. */
const struct err *endpoints_insert(struct pg *pg, struct arena *a,
                                   const struct endpoint *e) MUST;
/* Writes name, address, event_types, notify_to, detail, every_question,
 * internal and prefix. ERR_CONFLICT endpoint.taken; ERR_NOT_FOUND
 * endpoint.unknown, as for the next three. */
const struct err *endpoints_update(struct pg *pg, struct arena *a,
                                   const struct endpoint *e) MUST;
/* Writes only whether it is paused, so that a change of its name at the same
 * time undoes no pause. e is then the row as stored. Ending a pause also clears
 * gone_at. */
const struct err *endpoints_pause(struct pg *pg, struct arena *a, bool paused,
                                  int64_t now, struct endpoint *e) MUST;
const struct err *endpoints_rotate(struct pg *pg, struct arena *a,
                                   struct str id, struct str secret,
                                   int64_t now) MUST;
/* Removes it with its subscriptions, and gives up its waiting deliveries. */
const struct err *endpoints_remove(struct pg *pg, struct arena *a,
                                   struct str id, int64_t now) MUST;
/* The channels, with paused and gone ones, as the domain reads them. */
const struct err *endpoints_channels(struct pg *pg, struct arena *a,
                                     struct channels *out) MUST;

#endif

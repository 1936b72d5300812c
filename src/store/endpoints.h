/* Endpoints in the database: an agent's, the channels to people, and the
 * subscriptions on top. Struct in, struct out. Decides nothing. */
#ifndef STORE_ENDPOINTS_H
#define STORE_ENDPOINTS_H

#include "domain/channel.h"
#include "world/pg.h"

#define ENDPOINTS_MAX 500 /* of an installation; a list is told whole */
#define ENDPOINTS_OF_AGENT_MAX 20 /* each of its answers goes to all of them */
#define ENDPOINTS_WAITING_MAX 1000
/* How long the old secret signs beside a new one, in microseconds. */
#define ENDPOINTS_ROTATION (INT64_C(24) * 3600 * 1000000)

struct endpoint {
    enum endpoint_kind kind;
    struct str id, name, address;
    struct str agent;       /* p NULL: every agent's, or a channel */
    struct str event_types; /* JSON list */
    struct str notify_to;   /* JSON list */
    struct str detail;
    bool every_question, internal;
    struct str secret; /* p NULL: this kind has none */
    int64_t created_at;
    struct str created_by;
    struct str key_id; /* of the agent's key that registers it; p NULL: none */
    int64_t most;      /* that this key may have */
    int64_t paused_at, gone_at; /* 0: it is not */
    int64_t waiting; /* deliveries that are not sent yet; at most
                        ENDPOINTS_WAITING_MAX + 1 are counted */
};
struct endpoint_rows {
    struct endpoint *v;
    size_t n;
};

/* A code that others ask about: endpoint.taken. */
extern const char endpoints_taken[];

/* agent (p NULL: all of them): those that its key may see, its own. channels:
 * those to people, else those of agents. Oldest first, removed ones left
 * out. */
const struct err *endpoints_list(struct pg *pg, struct arena *a,
                                 bool channels, struct str agent,
                                 struct endpoint_rows *out) MUST;
/* ERR_NOT_FOUND endpoint.unknown, also for another agent's. */
const struct err *endpoints_get(struct pg *pg, struct arena *a,
                                struct str id, struct str agent,
                                struct endpoint *out) MUST;
/* ERR_RATE limit.endpoints where its key has as many as most, or its agent;
 * ERR_CONFLICT endpoint.taken for a name or an address that is there;
 * endpoint.too_many from ENDPOINTS_MAX of agents, ENDPOINTS_OF_AGENT_MAX of
 * one agent, or CHANNELS_MAX, on. Within a transaction or in one of its own. */
const struct err *endpoints_insert(struct pg *pg, struct arena *a,
                                   const struct endpoint *e) MUST;
/* Writes name, address, event_types, notify_to, detail, every_question and
 * internal. ERR_CONFLICT endpoint.taken; ERR_NOT_FOUND endpoint.unknown, as
 * for the next three. */
const struct err *endpoints_update(struct pg *pg, struct arena *a,
                                   const struct endpoint *e) MUST;
/* Whether it is told anything, and nothing else of it, so that who changes its
 * name meanwhile undoes no pause. Into e as it then stands. Not paused also
 * forgives that it was gone. */
const struct err *endpoints_pause(struct pg *pg, struct arena *a, bool paused,
                                  int64_t now, struct endpoint *e) MUST;
const struct err *endpoints_rotate(struct pg *pg, struct arena *a,
                                   struct str id, struct str secret,
                                   int64_t now) MUST;
/* Its subscriptions go, and its waiting deliveries are given up with it. */
const struct err *endpoints_remove(struct pg *pg, struct arena *a,
                                   struct str id, int64_t now) MUST;
/* The channels, paused and gone ones too, as the domain reads them. */
const struct err *endpoints_channels(struct pg *pg, struct arena *a,
                                     struct channels *out) MUST;

#endif

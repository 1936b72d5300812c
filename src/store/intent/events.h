/* Events in the database. Rows are only ever inserted. */
#ifndef STORE_INTENT_EVENTS_H
#define STORE_INTENT_EVENTS_H

#include "domain/intent/event.h"
#include "world/pg/pg.h"

struct event_rows {
    struct event *v;
    size_t n;
    bool more; /* of a page: the list continues after it */
};
/* The size that ends a page: with the event that reaches it. */
#define EVENTS_PAGE_BYTES ((size_t)8 << 20)

struct events_page {
    struct str intent_id;
    struct str type;  /* p NULL: any */
    int64_t since;    /* 0: from the first */
    int64_t before;   /* sequence; 0: from the newest */
    int64_t limit, offset;
};
/* Newest first, as in OpenIntent's reference server. */
const struct err *events_list(struct pg *pg, struct arena *a,
                              const struct events_page *page,
                              struct event_rows *out) MUST;
/* Oldest first, after sequence after. */
const struct err *events_chain(struct pg *pg, struct arena *a,
                               struct str intent_id, int64_t after,
                               int64_t limit, struct event_rows *out) MUST;
/* Puts the same into the batch for each of n intents, from the first event on,
 * at most limit of each. One page in all: EVENTS_PAGE_BYTES. */
void events_queue_chains(struct pg *pg, struct arena *a, const struct str *ids,
                         size_t n, int64_t limit);
/* Its result: so many as there are intents. */
struct event_rows *events_chains(struct arena *a, const struct pg_rows *r,
                                 size_t n, int64_t limit);
/* Checks a page of a chain; told(own, e) gets each event before that. */
void events_check_page(struct arena *a, struct str intent_id,
                       const struct event_rows *page,
                       struct event_check *check,
                       void (*told)(void *own, const struct event *e),
                       void *own);
/* Reads a whole chain, page by page, so that it needs little memory however
 * long it is; told(own, e) gets each event before it is checked. The caller
 * ends the check, with the intent as it is read after this. */
const struct err *events_check(struct pg *pg, struct arena *a,
                               struct str intent_id, struct event_check *check,
                               void (*told)(void *own, const struct event *e),
                               void *own) MUST;
/* The most bytes of a chain that a request checks: a second of work. */
#define EVENTS_CHECK_BYTES ((int64_t)32 << 20)
/* The same for a request. ERR_INVALID event.log_too_large. */
const struct err *events_check_small(struct pg *pg, struct arena *a,
                                     struct str intent_id,
                                     struct event_check *check,
                                     void (*told)(void *own,
                                                  const struct event *e),
                                     void *own) MUST;
/* One event; n 0 when there is none. */
const struct err *events_get(struct pg *pg, struct arena *a,
                             struct str intent_id, int64_t sequence,
                             struct event_rows *out) MUST;
/* The same by its id, which need not be one. Reads the keys of the whole chain,
 * EVENT_SEQUENCE_MAX at most. */
const struct err *events_find(struct pg *pg, struct arena *a,
                              struct str intent_id, struct str id,
                              struct event_rows *out) MUST;
/* Puts the INSERTs into the batch. */
void events_queue(struct pg *pg, struct arena *a, struct str intent_id,
                  const struct event_list *list);

#endif
